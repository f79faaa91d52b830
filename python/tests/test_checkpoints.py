"""A fit that is killed goes on from its checkpoint, with the same bits as one that was never stopped."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp
from partwise import CNMF, NMF, ConsensusNMF, GuidedNMF, RowBlocks

SETTINGS = {"n_components": 8, "random_state": 3, "tol": 0, "max_iter": 400, "n_jobs": 1}

DATA = """
import numpy as np, scipy.sparse as sp
from partwise import NMF, GuidedNMF, RowBlocks
random = np.random.default_rng(1)
X = random.random((500, 8)) @ random.random((8, 300))
X[X < 1.8] = 0
def blocks():
    for start in range(0, 500, 100):
        yield sp.csr_array(X[start:start + 100])
lazy = RowBlocks(blocks, shape=X.shape)
y = np.where(np.arange(500) < 30, np.arange(500) % 3, -1)
"""
_made = {}
exec(DATA, _made)
X, Y = _made["X"], _made["y"]

FITS = {
    "in memory": "NMF(**settings).fit(X)",
    "row blocks": "NMF(**settings).fit(lazy)",
    "guided": "GuidedNMF(**settings).fit(X, y)",
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS.keys())
def test_a_killed_fit_goes_on_with_the_same_bits(tmp_path, fit):
    path = tmp_path / "state"
    whole = eval(fit, {**_made, "settings": SETTINGS})
    settings = {**SETTINGS, "checkpoint": str(path), "checkpoint_seconds": 0}
    script = f"{DATA}\nsettings = {settings!r}\nmodel = {fit}\nnp.savez({str(tmp_path / 'done.npz')!r}, codes=model.codes_, components=model.components_, notices=[code for code, _ in model.notices_])"
    killed = 0
    for _ in range(3):
        before = path.read_bytes() if path.exists() else b""
        process = subprocess.Popen([sys.executable, "-c", script])
        until = time.monotonic() + 120
        while process.poll() is None and (path.read_bytes() if path.exists() else b"") == before:
            assert time.monotonic() < until, "no checkpoint is written"
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL) if process.poll() is None else None
        killed += process.wait() == -signal.SIGKILL
    assert killed > 0
    assert subprocess.run([sys.executable, "-c", script], timeout=300).returncode == 0
    done = np.load(tmp_path / "done.npz")
    assert "resumed" in done["notices"]
    assert np.array_equal(done["codes"], whole.codes_) and np.array_equal(done["components"], whole.components_)
    assert not path.exists(), "it is removed at the end"


def stopped(path, X=X, y=None, estimator=NMF, **settings):
    """A fit that its callback stops after some iterations, so that its checkpoint stays."""
    settings = {**SETTINGS, **settings}
    return estimator(**settings, checkpoint=path, checkpoint_seconds=0, callback=lambda report: report.number == 7).fit(X, y)


def test_a_fit_that_its_callback_stops_can_go_on(tmp_path):
    path = tmp_path / "state"
    assert stopped(path).n_iter_ == 7 and path.exists()
    # Limits and threads may change.
    model = NMF(**{**SETTINGS, "max_iter": 30, "n_jobs": 2}, checkpoint=path).fit(X)
    assert model.n_iter_ == 30 and ("resumed", f"the fit went on from the checkpoint {path}") in model.notices_
    assert np.array_equal(model.codes_, NMF(**{**SETTINGS, "max_iter": 30}).fit(X).codes_)
    assert not path.exists()


@pytest.mark.parametrize(
    ("what", "data", "settings", "estimator"),
    [
        ("data", X[::-1], {}, NMF),
        ("samples 500 (now 499)", X[:-1], {}, NMF),
        ("number type f64 (now f32)", X.astype(np.float32), {}, NMF),
        ("in blocks false (now true)", RowBlocks([X], shape=X.shape), {}, NMF),
        ("rank 8 (now 9)", X, {"n_components": 9}, NMF),
        ("seed 3 (now 4)", X, {"random_state": 4}, NMF),
        ("method", X, {}, CNMF),
        ("guidance", X, {}, CNMF),
    ],
)
def test_the_checkpoint_of_another_fit_is_refused_by_name(tmp_path, what, data, settings, estimator):
    path = tmp_path / "state"
    stopped(path)
    whole = path.read_bytes()
    with pytest.raises(ValueError, match="this checkpoint is of another fit") as error:
        estimator(**{**SETTINGS, **settings}, checkpoint=path).fit(data, Y if estimator is CNMF else None)
    assert what in str(error.value) and str(path) in str(error.value)
    assert path.read_bytes() == whole


def test_another_start_is_another_fit(tmp_path):
    path = tmp_path / "state"
    H = np.random.default_rng(0).random((8, 300)) + 0.1
    settings = {**SETTINGS, "init": "custom"}
    NMF(**settings, checkpoint=path, checkpoint_seconds=0, callback=lambda report: report.number == 5).fit(X, H=H)
    with pytest.raises(ValueError, match="another fit: start custom"):
        NMF(**settings, checkpoint=path).fit(X, H=H + 1)
    assert NMF(**{**settings, "max_iter": 12}, checkpoint=path).fit(X, H=H).n_iter_ == 12


def test_what_is_no_checkpoint_is_refused(tmp_path):
    path = tmp_path / "state"
    stopped(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="cut or altered"):
        NMF(**SETTINGS, checkpoint=path).fit(X)
    with pytest.raises(IsADirectoryError, match="must be the path of a file"):
        NMF(checkpoint=tmp_path).fit(X)
    with pytest.raises(TypeError, match="must be the path of a file"):
        NMF(checkpoint=5).fit(X)
    with pytest.warns(UserWarning, match="checkpoint_seconds=5 has no effect"):
        NMF(**{**SETTINGS, "max_iter": 2}, checkpoint_seconds=5).fit(X)
    with pytest.raises(ValueError, match="checkpoint_seconds"):
        NMF(checkpoint=path, checkpoint_seconds=-1).fit(X)


def test_restarts_have_no_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="has no checkpoint"):
        ConsensusNMF(3, estimator=NMF(checkpoint=tmp_path / "state")).fit(X)


def test_a_checkpoint_that_cannot_be_written_is_a_notice(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    def remove(report):
        if report.number == 0:
            folder.rmdir()

    model = NMF(**{**SETTINGS, "max_iter": 20}, checkpoint=folder / "state", checkpoint_seconds=0, callback=remove).fit(sp.csr_array(X))
    assert model.n_iter_ == 20
    assert [code for code, message in model.notices_ if "no checkpoint could be written" in message] == ["no-checkpoint"]
    assert GuidedNMF(checkpoint=folder / "state").get_params()["checkpoint_seconds"] == 600.0
