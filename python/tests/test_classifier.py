"""Promise: FewLabelClassifier classifies the samples of the fit and new rows, behaves as scikit-learn's
classifiers do, and is saved, loaded and shared with the command line without a changed bit."""

import pickle
import signal
import threading
import warnings

import numpy as np
import partwise
import pytest
import scipy.sparse as sp
from partwise import FewLabelClassifier, NMF, automatic
from partwise.datasets import load_digits
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks


def digits(n, labels_per_class):
    X, truth = load_digits(return_X_y=True)
    # The file lists writer after writer; mixed, new rows are of the same kind as those of a fit.
    chosen = np.random.default_rng(0).permutation(len(X))[:n]
    X, truth = X[chosen], truth[chosen]
    y = np.full(n, -1)
    for digit in range(10):
        y[np.flatnonzero(truth == digit)[:labels_per_class]] = digit
    return X, truth, y


@pytest.fixture(scope="module")
def fitted():
    """Digits in two halves: the first is fitted with five labels per class, the second is new."""
    X, truth, y = digits(800, 5)
    y[400:] = -1
    model = FewLabelClassifier(n_jobs=2).fit(X[:400], y[:400])
    return model, X, truth, y


def test_new_rows_are_classified_about_as_well_as_samples_of_the_fit(fitted):
    model, X, truth, y = fitted
    of_new_rows = model.score(X[400:], truth[400:])
    # The same rows, seen by the fit: the classifier's own answer.
    own = FewLabelClassifier(n_jobs=2).fit(X, y).labels_
    of_fit = np.mean(own[400:] == truth[400:])
    assert of_new_rows > of_fit - 0.05
    nmf = NMF(10, random_state=0, max_iter=300, tol=1e-3).fit(X[:400])
    assert of_new_rows > partwise.metrics.accuracy(truth[400:], nmf.transform(X[400:]).argmax(axis=1)) + 0.1


def test_predict_proba_and_predict_agree_and_rows_do_not_depend_on_each_other(fitted):
    model, X, _, _ = fitted
    posteriors = model.predict_proba(X[400:])
    assert posteriors.shape == (400, 10) and np.allclose(posteriors.sum(axis=1), 1)
    assert (model.predict(X[400:]) == model.classes_[posteriors.argmax(axis=1)]).all()
    assert np.allclose(model.predict_proba(X[410:415]), posteriors[10:15], atol=1e-9)
    assert np.allclose(model.predict_proba(sp.csr_matrix(X[400:])), posteriors, atol=1e-9)
    # With as few features as here, the length of a row counts: new rows are in the unit of the fit.
    assert not np.allclose(model.predict_proba(8 * X[400:]), posteriors, atol=1e-9)


def test_suggested_samples_are_the_doubtful_ones_and_a_score_against_other_labels_warns(fitted):
    model, X, truth, y = fitted
    suggested = model.suggest(20)
    samples = [suggestion.sample for suggestion in suggested]
    assert len(set(samples)) == 20 and (y[samples] < 0).all()
    margins = np.diff(np.sort(model.posteriors_, axis=1)[:, -2:]).ravel()
    assert margins[samples].mean() < 0.5 * margins[y[:400] < 0].mean()
    first = suggested[0]
    likely = model.classes_[np.argsort(-model.posteriors_[first.sample])[:2]]
    assert first.between == tuple(str(name) for name in likely) and 0 <= first.doubt <= 1
    with pytest.raises(ValueError, match="n is -1"):
        model.suggest(-1)
    with pytest.warns(UserWarning, match="no label of y is a class"):
        assert model.score(X[400:], [f"digit {digit}" for digit in truth[400:]]) == 0


def test_save_load_and_pickle_keep_every_bit(fitted, tmp_path):
    model, X, truth, _ = fitted
    model.save(tmp_path / "model.safetensors")
    for again in (partwise.load(tmp_path / "model.safetensors"), partwise.load(tmp_path), pickle.loads(pickle.dumps(model))):
        assert isinstance(again, FewLabelClassifier)
        assert (again.predict_proba(X[400:]) == model.predict_proba(X[400:])).all()
        assert (again.labels_ == model.labels_).all() and (again.posteriors_ == model.posteriors_).all()
        assert again.candidates_ == model.candidates_ and again.refinements_ == model.refinements_
        assert again.get_params() == model.get_params()
        assert again.score(X[400:], truth[400:]) == model.score(X[400:], truth[400:])


def test_the_command_line_gives_the_same_classes_and_a_model_for_both(tmp_path, command):
    X, truth, y = digits(300, 3)
    np.save(tmp_path / "x.npy", X[:240])
    np.save(tmp_path / "new.npy", X[240:])
    y = y[:240]
    np.savetxt(tmp_path / "y.csv", y, fmt="%d")
    command("classify", tmp_path / "x.npy", "--labels", tmp_path / "y.csv", "--quiet", "--out", tmp_path / "out")
    model = FewLabelClassifier().fit(X[:240], y)
    assert (np.load(tmp_path / "out/memberships.npy") == model.posteriors_).all()
    loaded = partwise.load(tmp_path / "out")
    assert isinstance(loaded, FewLabelClassifier) and loaded.classes_.tolist() == [str(c) for c in range(10)]
    assert (loaded.predict_proba(X[240:]) == model.predict_proba(X[240:])).all()
    assert (loaded.labels_ == model.labels_.astype(str)).all()
    assert loaded.candidates_ == model.candidates_ and loaded.held_out_score_ == model.held_out_score_
    assert loaded.parts_.components_.shape == (10, 64) and list(loaded.parts_.component_names_) == list(loaded.classes_)
    # The components follow the classes.
    assert np.mean(loaded.parts_.labels_.astype(str) == loaded.labels_) > 0.95
    command("transform", tmp_path / "out", tmp_path / "new.npy", "--quiet", "--out", tmp_path / "by_command")
    model.save(tmp_path / "model.safetensors")
    command("transform", tmp_path / "model.safetensors", tmp_path / "new.npy", "--quiet", "--out", tmp_path / "of_python")
    for folder in ("by_command", "of_python"):
        lines = (tmp_path / folder / "memberships.csv").read_text().splitlines()[1:]
        assert [line.split(",")[1] for line in lines] == [str(c) for c in model.predict(X[240:])]
    # Saved again from Python.
    loaded.save(tmp_path / "again.safetensors")
    again = partwise.load(tmp_path / "again.safetensors")
    assert (again.predict_proba(X[240:]) == model.predict_proba(X[240:])).all()


def test_text_labels_marks_of_unlabelled_samples_and_names_of_features(tmp_path):
    pd = pytest.importorskip("pandas")
    X, _, y = digits(150, 3)
    table = pd.DataFrame(X, columns=[f"p{j}" for j in range(64)])
    names = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], dtype=object)
    text = np.where(y < 0, None, names[y])
    model = FewLabelClassifier().fit(table, text)
    assert model.classes_.tolist() == sorted(names) and list(model.feature_names_in_) == list(table.columns)
    assert model.predict(table[:3]).dtype == object
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[table.columns[::-1]])
    model.save(tmp_path / "m.safetensors")
    again = partwise.load(tmp_path / "m.safetensors")
    assert again.predict(table[:9]).tolist() == model.predict(table[:9]).tolist()
    assert list(again.feature_names_in_) == list(table.columns)


def test_rows_of_zeros_are_a_warning_with_their_number_and_the_first():
    X, _, y = digits(120, 2)
    X[[50, 70]] = 0
    with pytest.warns(UserWarning, match="FewLabelClassifier: 2 unlabelled samples have no entry above 0, the first 50") as seen:
        model = FewLabelClassifier().fit(X, np.where(np.isin(np.arange(120), [50, 70]), -1, y))
    assert [warning.filename for warning in seen] == [__file__]
    new = X[40:60]
    with pytest.warns(UserWarning, match="FewLabelClassifier: 1 row has no entry above 0, number 10") as seen:
        model.predict(new)
    assert [warning.filename for warning in seen] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X[:20])


def test_callback_and_verbose_follow_the_phases_and_an_exception_ends_the_fit(capsys):
    X, _, y = digits(150, 3)
    phases = []
    FewLabelClassifier(callback=phases.append, verbose=1).fit(X, y)
    assert [phase.name for phase in phases][:3] == ["columns of the table", "neighbours of all samples", "1 to 3 components per class"]
    assert phases[-1].name == "rules for new samples"
    done = [phase.done for phase in phases]
    assert done == sorted(done) and 0 <= done[0] and done[-1] < 1 and phases[-1].elapsed > 0
    printed = "".join(capsys.readouterr())
    assert "FewLabelClassifier" in printed and "100%" in printed

    def fail(phase):
        raise RuntimeError(phase.name)

    with pytest.raises(RuntimeError, match="columns of the table"):
        FewLabelClassifier(callback=fail).fit(X, y)


def test_ctrl_c_ends_the_fit_and_leaves_an_earlier_one(fitted):
    model = clone(fitted[0])
    X, _, y = digits(150, 3)
    labels = model.fit(X, y).labels_
    large, _, y = digits(1797, 5)
    timer = threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,))
    # From the first phase on the engine is at work.
    model.set_params(callback=lambda phase: timer.start() if timer.ident is None else None)
    with pytest.raises(KeyboardInterrupt):
        model.fit(large, y)
    timer.join()
    assert (model.labels_ == labels).all()


def test_bad_input_is_refused_with_what_is_valid(fitted):
    model, X, _, _ = fitted
    few = X[:50]
    for y, said in [
        (np.full(50, -1), "no sample is labelled"),
        (np.where(np.arange(50) < 5, 3, -1), "labelled samples of at least two classes"),
        (np.zeros(49, dtype=int), "one entry for each sample"),
        (np.tile([0.5, 0.5], (50, 1)), "one label per sample"),
        (None, "requires y to be passed"),
    ]:
        with pytest.raises(ValueError, match=said):
            FewLabelClassifier().fit(few, y)
    with pytest.raises(ValueError, match="63 features"):
        model.predict(X[:5, :63])
    with pytest.raises(ValueError, match="Negative values"):
        model.predict(-X[:5])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.where(X[:5] == X[0, 2], np.nan, X[:5]))
    with pytest.raises(ValueError, match="no sample of y is labelled"):
        model.score(X[:5], np.full(5, -1))


def unequal():
    """150 zeros, 150 fours and 10 nines, three labels each; names and classes."""
    X, truth = load_digits(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(truth == digit)[:size] for digit, size in ((0, 150), (4, 150), (9, 10))])
    X, truth = X[rows], truth[rows]
    y = np.full(len(X), -1)
    for digit in (0, 4, 9):
        y[np.flatnonzero(truth == digit)[:3]] = digit
    return X, truth, y


def test_priors_are_the_mean_posteriors_in_every_form_and_are_saved(tmp_path):
    X, truth, y = unequal()
    sizes = np.array([150, 150, 10]) / 310
    model = FewLabelClassifier(priors={0: 150 / 310, 4: 150 / 310, 9: 10 / 310}).fit(X, y)
    assert np.allclose(model.class_sizes_, sizes)
    assert np.allclose(model.posteriors_.mean(axis=0), sizes, atol=1e-3)
    assert np.mean(model.labels_ == truth) > 0.95
    assert not [message for code, message in model.notices_ if code == "class-sizes"]
    by_name = FewLabelClassifier(priors={"0": sizes[0], "4": sizes[1], "9": sizes[2]}).fit(X, y)
    assert (by_name.posteriors_ == model.posteriors_).all()
    with pytest.warns(UserWarning, match="sum to 310"):
        in_order = FewLabelClassifier(priors=[150, 150, 10]).fit(X, y)
    assert np.allclose(in_order.posteriors_, model.posteriors_)
    even = FewLabelClassifier(priors="labels").fit(X, y)
    assert np.allclose(even.class_sizes_, 1 / 3)
    assert np.allclose(even.posteriors_.mean(axis=0), 1 / 3, atol=1e-3)
    model.save(tmp_path / "m.safetensors")
    again = partwise.load(tmp_path / "m.safetensors")
    assert again.get_params() == model.get_params()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("priors", "said"),
    [
        ({0: 0.5, 4: 0.4, 8: 0.1}, '"8".*0, 4, 9'),
        ({0: 0.5, 4: 0.5}, "no class size for 9"),
        ({0: 0.5, 4: 0.5, 9: -0.1}, 'size of class "9" is -0.1'),
        ({0: 0.5, 4: 0.5, 9: "few"}, "must be a number"),
        ([0.5, 0.5], "one size for each of the 3 classes"),
        ("even", '"labels"'),
    ],
)
def test_wrong_priors_are_refused_with_what_is_valid(priors, said):
    X, _, y = unequal()
    with pytest.raises(ValueError, match=said):
        FewLabelClassifier(priors=priors).fit(X, y)


def test_a_damaged_file_is_refused(fitted, tmp_path):
    path = tmp_path / "m.safetensors"
    fitted[0].save(path)
    whole = path.read_bytes()
    for old, new, said in [
        (b"classifier/posteriors", b"classifier/posterior_", "classifier/posteriors"),
        (b"classifier/numbers", b"classifier/numbres", "numbers"),
    ]:
        path.write_bytes(whole.replace(old, new))
        with pytest.raises(ValueError, match=said):
            partwise.load(path).predict(fitted[1][:3])


def test_automatic_is_the_classifier_in_one_call_with_a_short_repr(fitted):
    X, _, y = digits(150, 3)
    found, model = automatic(X, y), FewLabelClassifier().fit(X, y)
    assert (found.labels == model.labels_).all() and (found.memberships == model.posteriors_).all()
    assert found.readings[0]["reading"] == model.base_classifiers_[0]["name"]
    assert (found.predict(X[:7]) == model.predict(X[:7])).all()
    assert repr(found).startswith("Automatic(150 samples, 10 classes") and len(repr(found)) < 100
    assert repr(model) == "FewLabelClassifier()"


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([FewLabelClassifier(n_jobs=1)])
def test_scikit_learn_check(estimator, check):
    if check.func.__name__ == "check_classifiers_classes":
        # It has the classes -1 and 1, but -1 marks unlabelled samples.
        with pytest.raises(ValueError, match='labelled samples are of class "1"'):
            check(estimator)
        return
    check(estimator)
