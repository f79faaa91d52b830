"""One engine: the command line and Python give the same bits and read each other's models."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import partwise as pw
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="session")
def command():
    """The command line of this workspace."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    found = [path for path in (target / "debug" / "partwise", target / "release" / "partwise") if path.exists()]
    assert found, "the command line isn't built: run cargo build -p partwise-cli"
    return lambda *args: subprocess.run([found[0], *map(str, args)], check=True, capture_output=True, text=True)


@pytest.fixture
def files(digits, tmp_path):
    X, y, _ = digits
    X, y = X[:300], y[:300]
    np.save(tmp_path / "x.npy", X)
    lines = ["index,label", *(f"{i},{label}" for i, label in enumerate(y) if label >= 0)]
    (tmp_path / "y.csv").write_text("\n".join(lines) + "\n")
    return X, y, tmp_path


METHODS = {
    "nmf": (pw.NMF, []),
    "cnmf": (pw.CNMF, ["y"]),
    "scnmf": (pw.SCNMF, ["y"]),
    "nmf-dc": (pw.NMFDC, ["y"]),
    "ws-nmf": (pw.WSNMF, ["y"]),
    "ssnmf": (pw.SSNMF, ["y"]),
    "nmf-alpha": (pw.NMFAlpha, ["y"]),
    "gnmf": (pw.GNMF, []),
    "semi-gnmf": (pw.SemiGNMF, ["y"]),
    "ns-nmf": (pw.NsNMF, []),
    "ncw-nmf": (pw.NCWNMF, []),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_the_same_seed_gives_the_same_bits(method, dtype, command, files):
    X, y, folder = files
    estimator, takes = METHODS[method]
    labels = ["--labels", folder / "y.csv"] if takes else []
    command("fit", folder / "x.npy", "--method", method, "-k", 10, "--seed", 4, "--max-iter", 15, "--dtype", dtype, *labels, "--out", folder / "out", "--quiet")
    model = estimator(10, init="auto", random_state=4, max_iter=15, dtype={"f64": "float64", "f32": "float32"}[dtype])
    model.fit(X, y if takes else None)
    theirs = pw.load(folder / "out" / "model.safetensors")
    np.testing.assert_array_equal(theirs.codes_, model.codes_)
    np.testing.assert_array_equal(theirs.components_, model.components_)
    assert theirs.objective_ == model.objective_
    assert list(theirs.component_names_) == list(model.component_names_)
    np.testing.assert_array_equal(theirs.labels_, model.labels_)


def test_the_command_line_encodes_with_a_model_of_python(command, files):
    X, y, folder = files
    model = pw.CNMF(random_state=0, max_iter=15).fit(X, y)
    model.save(folder / "model.safetensors")
    np.save(folder / "new.npy", X[:20] + 1)
    command("transform", folder / "model.safetensors", folder / "new.npy", "--solver", "bpp", "--tol", 0, "--max-iter", 1, "--out", folder / "codes", "--quiet")
    np.testing.assert_array_equal(np.load(folder / "codes" / "codes.npy"), model.transform(X[:20] + 1))
    assert json.loads((folder / "codes" / "run.json").read_text())["result"]["iterations"] == 1


@pytest.mark.parametrize("acceleration", ["off", "on"])
@pytest.mark.parametrize("method", ["nmf", "cnmf"])
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_acceleration_is_that_of_the_command_line(acceleration, method, loss, command, files):
    X, y, folder = files
    estimator, takes = METHODS[method]
    labels = ["--labels", folder / "y.csv"] if takes else []
    command(
        "fit", folder / "x.npy", "--method", method, "--loss", loss, "--acceleration", acceleration, "--init", "random",
        "-k", 10, "--seed", 2, "--max-iter", 12, *labels, "--out", folder / "out", "--quiet",
    )
    def fitted(acceleration):
        model = estimator(10, init="random", beta_loss=loss, acceleration=acceleration, random_state=2, max_iter=12)
        return model.fit(X, y if takes else None)

    theirs, ours = pw.load(folder / "out" / "model.safetensors"), fitted(acceleration)
    np.testing.assert_array_equal(theirs.codes_, ours.codes_)
    np.testing.assert_array_equal(theirs.components_, ours.components_)
    # The other choice takes other steps.
    other = fitted("on" if acceleration == "off" else "off")
    assert not np.array_equal(other.codes_, ours.codes_)


def test_an_acceleration_that_is_not_one_is_refused_with_the_valid_ones(digits):
    X, y, _ = digits
    with pytest.raises(ValueError, match="auto, off, on"):
        pw.NMF(3, acceleration="yes", max_iter=2).fit(X[:50])
    with pytest.raises(ValueError, match="acceleration off"):
        pw.SSNMF(10, acceleration="on", solver="hals", max_iter=2).fit(X[:50], y[:50])
