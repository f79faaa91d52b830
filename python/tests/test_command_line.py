"""One engine: the command line and Python give the same bits and read each other's models."""

import json

import numpy as np
import partwise as pw
import pytest
from sklearn.feature_extraction.text import CountVectorizer

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


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


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_the_command_line_encodes_with_a_model_of_python(precision, loss, command, files):
    X, y, folder = files
    X = X.astype(precision)
    model = pw.CNMF(beta_loss=loss, random_state=0, max_iter=15).fit(X, y)
    model.save(folder / "model.safetensors")
    np.save(folder / "new.npy", X[:20] + 1)
    command("transform", folder / "model.safetensors", folder / "new.npy", "--out", folder / "codes", "--quiet")
    np.testing.assert_array_equal(np.load(folder / "codes" / "codes.npy"), model.transform(X[:20] + 1))
    run = json.loads((folder / "codes" / "run.json").read_text())
    assert run["result"]["iterations"] == run["settings"]["max_iterations"] == (1 if loss == "frobenius" else 15)


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


# ---------------------------------------------------------------------- one model for both


def shares_of(folder):
    """Clusters and shares of memberships.csv."""
    import csv

    with open(folder / "memberships.csv", newline="") as file:
        rows = list(csv.reader(file))
    return [row[1] or None for row in rows[1:]], np.array([[float(cell) for cell in row[2:]] for row in rows[1:]])


EVERY_METHOD = {
    **{method: ["-k", 10] for method in METHODS},
    "guided": ["-k", 12],
    "ntf": ["-k", 6, "--image-shape", "8x8"],
    "symnmf": ["-k", 10, "--graph-neighbours", 5],
    "ws-symnmf": ["-k", 10, "--graph-neighbours", 5],
}


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_a_model_of_the_command_line_is_the_model_in_python(method, command, files):
    X, y, folder = files
    labelled = method in ("guided", "ws-symnmf") or (method in METHODS and METHODS[method][1])
    labels = ["--labels", folder / "y.csv"] if labelled else []
    command("fit", folder / "x.npy", "--method", method, *EVERY_METHOD[method], "--max-iter", 5, "--tol", 0, *labels, "--out", folder / "out", "--quiet")
    model = pw.load(folder / "out")
    assert model._method == method and model.n_iter_ == 5 and model.max_iter == 5
    np.testing.assert_array_equal(model.codes_, np.load(folder / "out" / "codes.npy"))
    clusters, shares = shares_of(folder / "out")
    np.testing.assert_allclose(model.memberships(), shares, atol=1e-12)
    if labelled:
        assert model.classes_.tolist() == sorted(set(y[y >= 0].tolist()))
    if method == "ntf":
        assert model.image_shape == (8, 8) and model.image_rows_.shape == (8, 6) and model.image_columns_.shape == (8, 6)
    if method in ("gnmf", "semi-gnmf"):
        assert model.graph_.shape == (300, 300) and model.graph_.nnz > 300
    if method in METHODS or method == "guided":
        assert getattr(model, "image_shape_", None) is None
        # What Python writes of it is read by the command line.
        model.save(folder / "again.safetensors")
        np.save(folder / "new.npy", X[:9] + 1)
        for name, path in (("a", folder / "out"), ("b", folder / "again.safetensors")):
            command("transform", path, folder / "new.npy", "--max-iter", 9, "--out", folder / name, "--quiet")
        np.testing.assert_array_equal(np.load(folder / "a" / "codes.npy"), np.load(folder / "b" / "codes.npy"))


def test_the_parameters_of_a_loaded_model_repeat_the_fit_of_the_command_line(command, files):
    X, y, folder = files
    flags = ["--l1", "0.1,0.2", "--seed", 5, "--init", "random", "--loss", "frobenius", "--solver", "hals", "--max-iter", 7, "--tol", 0]
    command("fit", folder / "x.npy", "--method", "nmf", "-k", 4, *flags, "--out", folder / "out", "--quiet")
    model = pw.load(folder / "out")
    again = pw.NMF(**model.get_params()).fit(X)
    np.testing.assert_array_equal(again.codes_, model.codes_)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("scale", ["max", "unit-rows", "tfidf"])
def test_a_model_that_scales_gives_the_bits_of_the_command_line_for_raw_rows(scale, dtype, kind, command, files):
    import scipy.sparse as sp

    X, _, folder = files
    precision = {"f64": np.float64, "f32": np.float32}[dtype]
    counts, new = np.floor(X[:200]).astype(precision), np.floor(X[200:240] * 1.5).astype(precision)
    new[3] = 0
    make = sp.csr_matrix if kind == "sparse" else np.asarray
    for name, rows in (("fitted", counts), ("new", new)):
        sp.save_npz(folder / f"{name}.npz", make(rows)) if kind == "sparse" else np.save(folder / f"{name}.npy", rows)
    end = "npz" if kind == "sparse" else "npy"
    command("fit", folder / f"fitted.{end}", "-k", 4, "--scale", scale, "--dtype", dtype, "--max-iter", 9, "--tol", 0, "--out", folder / "out", "--quiet")
    command("transform", folder / "out", folder / f"new.{end}", "--quiet", "--out", folder / "codes")
    theirs = np.load(folder / "codes" / "codes.npy")
    model = pw.load(folder / "out")
    before = make(new)
    given = before.copy()
    codes = model.transform(given)
    np.testing.assert_array_equal(codes, theirs)
    assert codes.dtype == precision and model.scaling_.kind == scale
    # The caller's rows stay as they are.
    assert (abs(given - before)).max() == 0
    record = json.loads((folder / "codes" / "run.json").read_text())
    assert -model.score(make(new)) == pytest.approx(record["result"]["relative_error"], rel=1e-5)
    clusters, _ = shares_of(folder / "codes")
    assert model.predict_names(make(new)).tolist() == clusters
    # The scaling stays with the model, in both.
    model.save(folder / "again.safetensors")
    again = pw.load(folder / "again.safetensors")
    np.testing.assert_array_equal(again.transform(make(new)), theirs)
    command("transform", folder / "again.safetensors", folder / f"new.{end}", "--quiet", "--out", folder / "more")
    np.testing.assert_array_equal(np.load(folder / "more" / "codes.npy"), theirs)
    with pytest.warns(UserWarning, match="fit does not scale X"):
        again.fit(make(counts))
    assert again.scaling_ is None


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("asked", [None, "length", "sum"])
def test_shares_are_those_of_the_command_line_which_says_of_what(loss, asked, command, files):
    X, _, folder = files
    flags = ["--shares", asked] if asked else []
    command("fit", folder / "x.npy", "--method", "nmf", "-k", 5, "--loss", loss, "--max-iter", 9, "--tol", 0, *flags, "--out", folder / "out", "--quiet")
    model = pw.load(folder / "out")
    of = asked or ("length" if loss == "frobenius" else "sum")
    clusters, shares = shares_of(folder / "out")
    np.testing.assert_allclose(model.memberships(of=of), shares, atol=1e-12)
    np.testing.assert_allclose(model.memberships(), shares, atol=1e-12)
    assert model.predict_names().tolist() == clusters
    assert json.loads((folder / "out" / "run.json").read_text())["settings"]["shares_of"] == of
    assert f"by {of}" in (folder / "out" / "report.html").read_text()
    np.save(folder / "new.npy", X[:9] + 1)
    command("transform", folder / "out", folder / "new.npy", *flags, "--out", folder / "codes", "--quiet")
    assert json.loads((folder / "codes" / "run.json").read_text())["settings"]["shares_of"] == of
    np.testing.assert_allclose(shares_of(folder / "codes")[1], model.memberships(np.load(folder / "codes" / "codes.npy")), atol=1e-12)


@pytest.mark.parametrize("runs", [False, True])
def test_texts_for_a_model_of_texts_are_refused_with_the_way(runs, command, tmp_path):
    texts = ["the goal of the match team", "judge court law goal", "bread salt oven bread", "match team goal", "court judge"] * 5
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    (tmp_path / "new.txt").write_text("\n".join(texts[:4]))
    command("fit", tmp_path / "texts.txt", "--text", *(["--ngrams", "1,2"] if runs else []), "-k", 3, "--out", tmp_path / "out", "--quiet")
    model = pw.load(tmp_path / "out")
    way = "Write on" if runs else r"Give CountVectorizer\(vocabulary=model.feature_names_in_\).* or write on"
    for given in (texts[:4], np.array(texts[:4]), np.array(texts[:4], dtype=object), texts[0]):
        with pytest.raises(ValueError, match=f"X holds texts, .* {way} the command line: partwise transform"):
            model.predict(given)
    if not runs:
        counts = CountVectorizer(vocabulary=model.feature_names_in_).transform(texts[:4])
        command("transform", tmp_path / "out", tmp_path / "new.txt", "--text", "--out", tmp_path / "codes", "--quiet")
        np.testing.assert_allclose(model.transform(counts), np.load(tmp_path / "codes" / "codes.npy"), atol=1e-12)
