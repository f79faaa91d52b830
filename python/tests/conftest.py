"""What several tests share."""

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from partwise._estimators import ESTIMATORS
from partwise.datasets import load_digits

# A shell starts background jobs with Ctrl-C ignored, and Python leaves it so: tests of it, and the commands
# that they start, would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def sample_of(estimator):
    """An estimator that can be fitted without labels where it allows that."""
    return estimator() if estimator._needs_labels or estimator.__name__ in ("NMF", "WSNMF", "GuidedNMF") else estimator(n_components=3)


def data_for(estimator, seed=0, dtype=np.float64):
    """X and y that suit an estimator: three planted parts; similarities where it takes these."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 8)
    X = (0.1 * rng.random((24, 12)) + np.kron(np.eye(3), np.ones((8, 4)))).astype(dtype)
    y = np.where(np.arange(24) % 8 < 2, truth, -1)
    if estimator._symmetric:
        X = X @ X.T
        X = (X + X.T) / 2
    return X, y, truth


@pytest.fixture(params=ESTIMATORS, ids=lambda e: e.__name__)
def estimator(request):
    """Every estimator in turn."""
    return request.param


@pytest.fixture(scope="session")
def digits():
    """The embedded digits, every second one, with two labels a class."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[::2], truth[::2]
    y = np.full(len(truth), -1)
    for digit in range(10):
        y[np.flatnonzero(truth == digit)[:2]] = digit
    return X, y, truth


@pytest.fixture(scope="session")
def command():
    """The command line of this workspace."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    found = [path for path in (target / "debug" / "partwise", target / "release" / "partwise") if path.exists()]
    assert found, "the command line isn't built: run cargo build -p partwise-cli"
    return lambda *args: subprocess.run([found[0], *map(str, args)], check=True, capture_output=True, text=True)
