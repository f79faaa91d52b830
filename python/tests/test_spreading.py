"""Labels are spread to the samples without one: more of them, and of new ones, are in their class."""

import pickle

import numpy as np
import partwise as pw
import pytest
from sklearn.datasets import load_digits

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
QUICK = {"random_state": 0, "max_iter": 100, "tol": 0.0}


@pytest.fixture(scope="module")
def digits():
    """300 digits with two labels each, and 200 new ones."""
    X, truth = load_digits(return_X_y=True)
    y = np.full(300, -1)
    for digit in range(10):
        y[np.flatnonzero(truth[:300] == digit)[:2]] = digit
    return X[:300], y, truth[:300], X[300:500], truth[300:500]


@pytest.fixture(scope="module")
def spread(digits):
    return pw.GuidedNMF(**QUICK).fit(digits[0], digits[1])


def right(found, truth, where=slice(None)):
    return np.mean(found[where] == truth[where])


def test_two_labels_a_digit_put_more_digits_into_their_class_and_new_ones_too(digits, spread):
    X, y, truth, new, truth_new = digits
    alone = pw.GuidedNMF(spread="off", **QUICK).fit(X, y)
    assert right(spread.labels_, truth, y < 0) >= right(alone.labels_, truth, y < 0) + 0.1
    classifier = pw.automatic(X, y, random_state=0)
    assert right(spread.labels_, truth, y < 0) >= right(classifier.labels, truth, y < 0) - 0.015
    assert right(spread.predict(new), truth_new) >= right(alone.predict(new), truth_new) + 0.05
    # The rows of the fit again, as new ones.
    assert right(spread.predict(X), truth, y < 0) >= right(spread.labels_, truth, y < 0) - 0.02
    np.testing.assert_array_equal(spread.labels_[y >= 0], y[y >= 0])


@pytest.mark.parametrize("model", [pw.GuidedNMF(**QUICK), pw.FewLabelClassifier(random_state=0)], ids=["guided", "classifier"])
def test_new_digits_are_as_right_as_those_of_the_fit(model):
    X, truth = load_digits(return_X_y=True)
    fitted, fresh = [], []
    for draw in range(2):
        order = np.random.default_rng(draw).permutation(len(X))
        rows, new = order[:500], order[500:1000]
        y = np.full(500, -1)
        for digit in range(10):
            y[np.flatnonzero(truth[rows] == digit)[:5]] = digit
        model.fit(X[rows], y)
        fitted.append(right(model.labels_, truth[rows], y < 0))
        fresh.append(right(model.predict(X[new]), truth[new]))
    assert np.mean(fresh) >= np.mean(fitted) - 0.01, (fitted, fresh)


def test_one_label_a_class_is_not_spread_over_fewer_than_50_samples(digits):
    X, _, truth, *_ = digits
    y = np.full(45, -1)
    for digit in range(10):
        y[np.flatnonzero(truth[:45] == digit)[0]] = digit
    model = pw.GuidedNMF(**QUICK).fit(X[:45], y)
    assert model.guidance_report_.derived == []
    assert any("no class has two labels" in notice for notice in model.guidance_report_.notices)
    alone = pw.GuidedNMF(spread="off", **QUICK).fit(X[:45], y)
    np.testing.assert_array_equal(model.codes_, alone.codes_)


def test_what_was_derived_is_reported_apart(digits, spread):
    y = digits[1]
    report = spread.guidance_report_
    assert len(report) == np.sum(y >= 0) and {finding.kind for finding in report} == {"label"}
    assert [finding.kind for finding in report.derived] == ["spread"] * 10
    assert any("20 labels were spread to the 280 samples" in notice for notice in report.notices)


def test_a_model_keeps_what_it_learned(digits, spread, tmp_path):
    new = digits[3]
    codes = spread.transform(new)
    assert (codes >= 0).all()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(spread)).transform(new), codes)
    spread.save(tmp_path / "model.safetensors")
    loaded = pw.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.transform(new), codes)
    # Digits need a kernel, whose landmarks are rows of the fit: the file stays small beside 400 of them.
    scorer = next(item for item in loaded._fitted_guidance["items"] if item["kind"] == "scorer")
    assert scorer["kernel_width"] > 0
    assert (tmp_path / "model.safetensors").stat().st_size < 8 * (400 * 80 + 300 * 60 + 10 * 200)
    # The next fit derives anew.
    assert loaded.guidance is None or not loaded.guidance.items


def test_the_command_line_gives_new_rows_the_same_bits(digits, tmp_path, command):
    X, y, _, new, _ = digits
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "new.npy", new)
    (tmp_path / "y.csv").write_text("label\n" + "".join(f"{label}\n" for label in y))
    out, codes = tmp_path / "out", tmp_path / "codes"
    command("fit", tmp_path / "x.npy", "--method", "guided", "--labels", tmp_path / "y.csv", "--max-iter", 100, "--out", out, "--quiet")
    command("transform", out, tmp_path / "new.npy", "--out", codes, "--quiet")
    loaded = pw.load(out / "model.safetensors")
    assert any(item.get("kernel_width") for item in loaded._fitted_guidance["items"])
    np.testing.assert_array_equal(loaded.transform(new), np.load(codes / "codes.npy"))


def test_off_is_the_fit_of_the_labels_alone_and_on_refuses_what_cannot_be_spread(digits):
    X, y, truth, *_ = digits
    alone = pw.GuidedNMF(spread="off", **QUICK).fit(X, y)
    assert alone.guidance_report_.derived == []
    whole = [pw.GuidedNMF(spread=spread, **QUICK).fit(X, truth) for spread in ("off", "auto")]
    np.testing.assert_array_equal(whole[0].codes_, whole[1].codes_)
    with pytest.raises(ValueError, match="labels cannot be spread: every sample has a label"):
        pw.GuidedNMF(spread="on", **QUICK).fit(X, truth)
    with pytest.raises(ValueError, match="auto, on, off"):
        pw.GuidedNMF(spread="maybe", **QUICK).fit(X, y)
