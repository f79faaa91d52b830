"""What y may be, and what becomes of it."""

import numpy as np
import partwise as pw
import pytest
from conftest import data_for, sample_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
GUIDED = [pw.CNMF, pw.SCNMF, pw.NMFDC, pw.WSNMF, pw.SSNMF, pw.NMFAlpha, pw.SemiGNMF, pw.WSSymNMF]


@pytest.mark.parametrize("guided", GUIDED)
def test_two_labels_a_class_find_the_rest(guided):
    X, y, truth = data_for(guided)
    model = guided(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.labels_, truth)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert list(model.component_names_[:3]) == ["0", "1", "2"]
    assert model.guidance_report_["n_labelled"] == 6
    assert model.guidance_report_["classes"] == {"0": 2, "1": 2, "2": 2}
    assert model.guidance_report_["agreement"] == 1.0


@pytest.mark.parametrize("missing", [None, float("nan"), "", "-1", -1])
def test_texts_are_classes_and_their_missing_markers_are_not(missing):
    X, y, truth = data_for(pw.CNMF)
    names = np.array(["cat", "dog", "emu"], dtype=object)
    texts = [names[label] if label >= 0 else missing for label in y]
    model = pw.CNMF(random_state=0).fit(X, np.array(texts, dtype=object))
    assert list(model.classes_) == ["cat", "dog", "emu"]
    np.testing.assert_array_equal(model.labels_, names[truth])
    whole = pw.CNMF(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.codes_, whole.codes_)


def test_numpy_makes_texts_of_minus_one_beside_texts():
    X, y, truth = data_for(pw.CNMF)
    texts = np.array(["abc"[label] if label >= 0 else -1 for label in y])
    np.testing.assert_array_equal(pw.CNMF(random_state=0).fit(X, texts).labels_, np.array(list("abc"))[truth])


def test_the_marker_of_unlabelled_samples_can_be_chosen():
    X, y, truth = data_for(pw.CNMF)
    model = pw.CNMF(random_state=0, unlabelled=99).fit(X, np.where(y < 0, 99, y))
    np.testing.assert_array_equal(model.labels_, truth)


def test_one_column_a_class_means_the_same_as_labels():
    X, y, _ = data_for(pw.CNMF)
    marks = (y[:, None] == np.arange(3)).astype(float)
    one = pw.CNMF(random_state=0).fit(X, marks)
    np.testing.assert_array_equal(one.codes_, pw.CNMF(random_state=0).fit(X, y).codes_)
    assert list(one.classes_) == [0, 1, 2]


def test_soft_memberships_guide_the_models_that_take_them_and_others_refuse_them():
    X, y, truth = data_for(pw.SSNMF)
    soft = np.full((24, 3), np.nan)
    soft[y >= 0] = 0.1
    soft[y >= 0, y[y >= 0]] = 0.8
    for guided in (pw.SSNMF, pw.WSNMF):
        model = guided(random_state=0, max_iter=1000).fit(X, soft)
        assert model.n_components_ == 3
        assert pw.metrics.accuracy(truth, model._clusters(model.codes_)) == 1.0
    with pytest.raises(ValueError, match=r"row 0 of y has several or a soft one; WSNMF, SSNMF and WSSymNMF take"):
        pw.CNMF().fit(X, soft)


def test_several_labels_a_sample_train_one_machine_each():
    X, y, _ = data_for(pw.NMFAlpha)
    marks = np.full((24, 3), -1.0)
    marks[y >= 0] = y[y >= 0][:, None] == np.arange(3)
    marks[0] = [1, 1, 0]
    model = pw.NMFAlpha(random_state=0).fit(X, marks)
    assert model.n_components_ == 3 and np.isfinite(model.objective_)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], r"inconsistent numbers of samples: \[24, 2\]"),
        ([-3] + [0] * 23, "sample 0 has label -3"),
        ([0.5] + [0.0] * 23, "sample 0 has the label 0.5"),
        ([np.inf] + [0.0] * 23, "contains infinity: sample 0"),
        (np.zeros((24, 2, 2)), "1d array of labels or a 2d array of memberships"),
        (np.full((24, 2), -0.5), "negative memberships, the first in row 0, column 0: -0.5"),
    ],
)
def test_faults_of_y_say_what_and_where(y, message):
    X, _, _ = data_for(pw.CNMF)
    with pytest.raises(ValueError, match=message):
        pw.CNMF().fit(X, y)


def test_fewer_components_than_classes_are_raised_with_a_warning_where_each_class_needs_one():
    X, y, _ = data_for(pw.WSNMF)
    with pytest.warns(UserWarning, match="n_components=2 is fewer than the 3 classes"):
        assert pw.WSNMF(2, random_state=0).fit(X, y).n_components_ == 3


def test_without_labels_none_asks_for_a_number_except_in_nmf(estimator):
    X, y, _ = data_for(estimator)
    if estimator is pw.NMF:
        assert pw.NMF(random_state=0, max_iter=2).fit(X).n_components_ == 12
    else:
        with pytest.raises(ValueError, match="requires y to be passed|give .*n_components=...\\) a number"):
            estimator().fit(X)
    if estimator is pw.NTF:  # no start of its factors is from labels
        return
    # Those that ignore y read it where the start asks for labels.
    init = "labels" if estimator._ignores_y else None
    assert sample_of(estimator).set_params(n_components=None, init=init, random_state=0).fit(X, y).n_components_ == 3


def test_free_parts_belong_to_no_class():
    X, y, _ = data_for(pw.WSNMF)
    y = np.where(y == 2, -1, y)
    model = pw.WSNMF(3, random_state=0, max_iter=1000).fit(X, y)
    assert set(model.labels_[16:]) == {-1} and set(model.labels_[:16]) == {0, 1}


def test_unknown_entries_are_left_out_of_the_fit_and_of_codes():
    X, y, truth = data_for(pw.SSNMF)
    holes = X.copy()
    holes[3, 2] = holes[20, 9] = np.nan
    model = pw.SSNMF(random_state=0, max_iter=2000, tol=1e-6).fit(holes, y)
    np.testing.assert_array_equal(model.labels_, truth)
    back = model.inverse_transform(model.transform(holes))
    assert abs(back[3, 2] - X[3, 2]) < 0.2
    with pytest.raises(ValueError, match="contains infinity"):
        model.transform(np.where(np.isnan(holes), np.inf, holes))


def test_a_graph_can_be_given_and_one_that_does_not_fit_is_refused():
    X, y, truth = data_for(pw.GNMF)
    graph = (truth[:, None] == truth) * 1.0
    model = pw.GNMF(3, random_state=0, graph_weight=10.0).fit(X, graph=graph)
    assert pw.metrics.accuracy(truth, model.labels_) == 1.0
    with pytest.raises(ValueError, match=r"shape \(24, 24\), but has \(2, 2\)"):
        pw.GNMF(3).fit(X, graph=np.eye(2))
    built = pw.SemiGNMF(random_state=0, n_neighbors=4).fit(X, y)
    assert built.graph_.shape == (24, 24) and (built.graph_ != built.graph_.T).nnz == 0


def test_references_hold_components_in_their_place():
    X, _, _ = data_for(pw.WSNMF)
    reference = np.kron(np.eye(3), np.ones((1, 4)))[[2, 0, 1]]
    model = pw.WSNMF(random_state=0, max_iter=500).fit(X, components_reference=reference)
    assert (model.components_.argmax(axis=1) // 4).tolist() == [2, 0, 1]


def test_ntf_makes_each_part_of_a_column_and_a_row():
    X, _, _ = data_for(pw.NTF)
    model = pw.NTF(3, image_shape=(3, 4), random_state=0).fit(X)
    made = np.einsum("ak,bk->kab", model.image_rows_, model.image_columns_).reshape(3, 12)
    np.testing.assert_allclose(model.components_, made, rtol=1e-12)
    with pytest.raises(ValueError, match="the shape is 5 x 5, but as many pixels as features, 12"):
        pw.NTF(3, image_shape=(5, 5)).fit(X)
    with pytest.raises(ValueError, match="image shape is -3 x -4, but must be a height and a width"):
        pw.NTF(3, image_shape=(-3, -4)).fit(X)


def test_a_class_may_own_several_components():
    X, y, truth = data_for(pw.WSNMF)
    model = pw.WSNMF(components_per_class=2, random_state=0, max_iter=500).fit(X, y)
    assert model.n_components_ == 6 and model._resolved["init"] == "exemplars"
    assert list(model.component_names_) == ["0 1", "0 2", "1 1", "1 2", "2 1", "2 2"]
    np.testing.assert_array_equal(model.labels_, truth)
    np.testing.assert_array_equal(model.predict(X), truth)
    free = pw.WSNMF(7, components_per_class=2, random_state=0, max_iter=500).fit(X, y)
    assert free.n_components_ == 7 and set(free.labels_) <= {-1, 0, 1, 2}
    with pytest.raises(ValueError, match="components per class is 0"):
        pw.WSNMF(components_per_class=0).fit(X, y)
    with pytest.raises(ValueError, match="needs one label per sample"):
        pw.WSNMF(components_per_class=2).fit(X, np.where((y >= 0)[:, None], 0.5, np.nan) * np.ones(3))
