"""Promise: predict returns what the user knows samples by: classes in the type of y, a matrix for several
labels, the names of topics, None where there is none; and score compares it with labels that were held
out."""

import warnings

import numpy as np
import partwise as pw
import pytest
from conftest import data_for, sample_of
from partwise import Guidance, GuidedNMF, Labels
from partwise.metrics import labelled_scorer, make_labelled_scorer
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, Y, TRUTH = data_for(GuidedNMF)
EMPTY = np.vstack([X, np.zeros((1, 12))])
WORDS = np.array(["sea", "sky", "land"], dtype=object)


def fitted(y=None, guidance=None, data=X, model=GuidedNMF, **parameters):
    if model is GuidedNMF:
        parameters = {"guidance": guidance, **parameters}
    return model(**parameters, random_state=0, max_iter=200).fit(data, y)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, float])
def test_classes_come_back_in_the_type_of_y(dtype):
    model = fitted(np.append(Y, -1).astype(dtype), data=EMPTY)
    assert model.predict(EMPTY).tolist() == [*TRUTH, -1] == model.labels_.tolist() == model.fit_predict(EMPTY, np.append(Y, -1)).tolist()
    named = np.append(np.where(Y >= 0, WORDS[Y], None), None)
    assert fitted(named, data=EMPTY).predict(EMPTY).tolist() == [*WORDS[TRUTH], None]
    assert model.predict_names(EMPTY).tolist() == [*map(str, TRUTH), None]


@pytest.mark.parametrize("guidance", [Guidance({"sea": [0], "sky": [4], "land": [8]}), Guidance(Labels([*np.where(Y >= 0, WORDS[Y], None), None]), topics={"sea": [], "sky": [], "land": []})], ids=["seeds", "labels"])
def test_topics_come_back_by_name_and_none_for_rows_of_zeros(guidance):
    model = fitted(None, guidance, EMPTY)
    assert model.predict(EMPTY).tolist() == model.labels_.tolist() == [*WORDS[TRUTH], None]
    assert list(model.get_feature_names_out()) == list(WORDS)


def test_free_components_have_their_names_and_unnamed_ones_their_numbers():
    model = fitted(None, Guidance({"sea": [0]}), n_components=3)
    assert set(model.predict(X)) == {"sea", "part 2", "part 3"} == set(model.get_feature_names_out())
    plain = fitted(model=pw.NMF, n_components=3, data=EMPTY)
    assert plain.predict(EMPTY).dtype.kind == "i" and plain.predict(EMPTY)[-1] == -1
    assert list(plain.get_feature_names_out()) == ["nmf0", "nmf1", "nmf2"]
    with pytest.raises(AttributeError, match="predict_proba"):
        plain.predict_proba(X)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_codes_carry_the_names_of_topics(library):
    pytest.importorskip(library)
    model = GuidedNMF(4, guidance=Guidance({"sea": [0], "sky": [4]}), random_state=0).set_output(transform=library)
    assert list(model.fit_transform(X).columns) == ["sea", "sky", "part 3", "part 4"]


SETS = np.zeros((24, 3))
SETS[np.arange(24), TRUTH] = 1


@pytest.mark.parametrize("model", [GuidedNMF, pw.SSNMF, pw.NMFAlpha])
def test_several_labels_a_sample_come_back_as_a_matrix(model):
    pd = pytest.importorskip("pandas")
    mixed = X.copy()
    mixed[::4] += X[np.roll(np.arange(24), 8)][::4]
    sets = SETS.copy()
    sets[::4] += SETS[np.roll(np.arange(24), 8)][::4]
    known = sets.copy()
    known[np.arange(24) % 8 > 4] = np.nan
    fit = fitted(pd.DataFrame(known, columns=WORDS), data=mixed, model=model)
    found = fit.predict(mixed)
    assert found.shape == (24, 3) and set(np.unique(found)) == {0, 1}
    assert (found == sets).mean() > 0.9 and fit.score(mixed, pd.DataFrame(sets, columns=WORDS)) > 0.75
    assert fit.predict_proba(mixed).shape == (24, 3) and fit.fit_predict(mixed, known).shape == (24, 3)
    assert fit.labels_.shape == (24,)
    with pytest.raises(ValueError, match="the columns of y are"):
        fit.score(mixed, pd.DataFrame(sets, columns=WORDS[::-1]))


@pytest.mark.parametrize("model", [GuidedNMF, pw.SSNMF, pw.NMFAlpha, pw.WSNMF])
def test_a_table_of_labels_means_the_same_in_any_memory_layout(model):
    known = np.where(Y[:, None] >= 0, SETS, np.nan)
    if model is pw.WSNMF:
        known = 0.5 * known
    one, other = (fitted(layout(known), model=model) for layout in (np.ascontiguousarray, np.asfortranarray))
    np.testing.assert_array_equal(one.codes_, other.codes_)


def test_one_column_of_labels_a_class_is_a_matrix_too_however_many_a_sample():
    assert (fitted(np.where(Y[:, None] >= 0, SETS, np.nan)).predict(X) == SETS).all()


def test_shares_of_new_rows_are_by_class(digits):
    digits_, y, truth = (part[:300] for part in digits)
    model = fitted(y, data=digits_, components_per_class=2, spread="off")
    shares = model.predict_proba(digits_)
    assert shares.shape == (300, len(model.classes_)) and np.allclose(shares.sum(axis=1), 1)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(digits_)).all()
    topics = fitted(None, Guidance({"sea": [0], "sky": [4]}), n_components=3).predict_proba(X)
    assert topics.shape == (24, 3) and np.allclose(topics.sum(axis=1), 1)


# ------------------------------------------------------------------ scores


def test_score_is_the_accuracy_over_the_labelled_rows():
    model = fitted(Y)
    assert model.score(X, TRUTH) == 1.0
    wrong = np.where(np.arange(24) < 3, (TRUTH + 1) % 3, TRUTH)
    assert model.score(X, wrong) == labelled_scorer(model, X, wrong) == pytest.approx(21 / 24)
    partly = np.where(np.arange(24) < 6, wrong, -1)
    assert model.score(X, partly) == labelled_scorer(model, X, partly) == 0.5
    assert -1 < model.score(X) < 0
    topics = fitted(None, Guidance({"sea": [0], "sky": [4], "land": [8]}))
    assert topics.score(X, WORDS[TRUTH]) == 1.0
    for score in (model.score, lambda X, y: labelled_scorer(model, X, y)):
        with pytest.raises(ValueError, match="no .* of y is labelled"):
            score(X, np.full(24, -1))


def test_measures_name_the_sample_that_belongs_to_nothing():
    found = np.array(["a", None, "b"], dtype=object)
    with pytest.raises(ValueError, match="y_pred: sample 1 is unlabelled .None.; leave unlabelled samples out"):
        pw.metrics.nmi(["x", "x", "y"], found)
    assert pw.metrics.nmi(["x", "y"], found[[0, 2]]) == 1.0


def test_labels_that_the_model_does_not_know_are_said_with_both_names():
    topics = fitted(None, Guidance({"sea": [0], "sky": [4], "land": [8]}))
    with pytest.warns(UserWarning, match=r"no label of y is a class or topic .* y has '0', '1', '2', the model has 'sea', 'sky', 'land'"):
        assert topics.score(X, TRUTH) == 0.0
    with pytest.warns(UserWarning, match=r"y has 'seas'.*nearest: 'sea'"):
        assert topics.score(X, ["seas"] * 24) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert topics.score(X, np.array(["sea", "fire"])[TRUTH % 2]) > 0


def test_a_scorer_of_another_measure_leaves_unlabelled_samples_out():
    model = fitted(Y)
    partly = np.where(np.arange(24) % 2, TRUTH, -1)
    assert make_labelled_scorer(balanced_accuracy_score)(model, X, partly) == 1.0
    assert make_labelled_scorer(f1_score, average="macro", unlabelled=2)(model, X, TRUTH) == 1.0


def test_a_grid_search_over_partly_labelled_data_prefers_to_follow_the_labels(digits):
    images, y, truth = (part[:450] for part in digits)
    known = np.where(np.arange(450) % 5 == 0, truth, -1)
    model = GuidedNMF(spread="off", random_state=0, tol=1e-2)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    # Held-out samples are labelled ones; the unlabelled ones of a fold are left out of its score.
    for scoring in (None, labelled_scorer):
        search = GridSearchCV(model, {"strength": [0.0, 0.5, 0.9]}, cv=folds, scoring=scoring, error_score="raise").fit(images, known)
        assert search.best_params_["strength"] > 0 and search.best_score_ > 0.6
        assert search.score(images[known < 0], truth[known < 0]) > 0.6


# ------------------------------------------------------------------ estimators that take no labels


def test_estimators_whose_method_takes_no_labels_ignore_y(estimator):
    if not estimator._ignores_y:
        return
    data, y, truth = data_for(estimator)
    targets = [truth, np.linspace(0, 1, 24), np.random.default_rng(0).random((24, 2)), ["a"] * 23 + [None]]
    alone = sample_of(estimator).set_params(n_components=3, random_state=0, max_iter=20).fit(data)
    for target in targets:
        beside = sample_of(estimator).set_params(n_components=3, random_state=0, max_iter=20).fit(data, target)
        np.testing.assert_array_equal(beside.codes_, alone.codes_)
        assert list(beside.component_names_) == ["part 1", "part 2", "part 3"] and not hasattr(beside, "classes_")
        assert "unused-y" in [code for code, _ in beside.notices_]
        assert beside.score(data, target) == alone.score(data)


def test_labels_serve_the_start_of_nmf_where_they_are_asked_for():
    by_name = pw.NMF(3, random_state=0).fit(X, labels=Y)
    by_start = pw.NMF(3, random_state=0, init="labels").fit(X, Y)
    np.testing.assert_array_equal(by_name.codes_, by_start.codes_)
    assert list(by_name.component_names_) == ["0", "1", "2"] and (by_name.predict(X) == TRUTH).all()
    assert by_name.score(X, TRUTH) == 1.0
    assert cross_val_score(make_pipeline(pw.NMF(3, random_state=0), Ridge()), X, SETS, cv=3).shape == (3,)


def test_weights_of_samples_are_an_argument_of_fit():
    weights = np.arange(1, 25)
    one = GuidedNMF(3, random_state=0, max_iter=20).fit(X, sample_weight=weights)
    other = GuidedNMF(3, guidance=Guidance(pw.SampleWeights(weights)), random_state=0, max_iter=20).fit(X)
    np.testing.assert_array_equal(one.codes_, other.codes_)
    for weight, said in ((np.zeros(24), "zero for every sample"), (np.ones(3), "must have the shape")):
        with pytest.raises(ValueError, match=said):
            GuidedNMF(3).fit(X, sample_weight=weight)
