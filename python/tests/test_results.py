"""Files, pickles, tables, plots, metrics, data sets, single factors."""

import copy
import io
import pickle

import joblib
import numpy as np
import partwise as pw
import pytest
import scipy.optimize
import scipy.sparse as sp
from conftest import data_for, sample_of
from partwise import metrics

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_pickles_copies_and_joblib_dumps_encode_alike(estimator):
    X, y, _ = data_for(estimator)
    model = sample_of(estimator).set_params(random_state=0, max_iter=20).fit(X, y)
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(buffer)):
        np.testing.assert_array_equal(other.transform(X), model.transform(X))
        np.testing.assert_array_equal(other.labels_, model.labels_)


@pytest.mark.parametrize("text", [False, True])
def test_a_saved_model_comes_back(estimator, text, tmp_path):
    X, y, _ = data_for(estimator)
    if text:
        y = np.array([None if label < 0 else f"class {label}" for label in y], dtype=object)
    model = sample_of(estimator).set_params(random_state=0, max_iter=20).fit(X, y)
    model.save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    assert type(again) is estimator
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.component_names_, model.component_names_)
    for name in ("n_iter_", "objective_", "reconstruction_err_", "stop_reason_", "n_features_in_"):
        assert getattr(again, name) == getattr(model, name), name


def test_a_file_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        pw.load(tmp_path / "nothing.safetensors")
    (tmp_path / "x.safetensors").write_text("hello, this is no model")
    with pytest.raises(ValueError, match="x.safetensors"):
        pw.load(tmp_path / "x.safetensors")


def test_tables_and_tops_carry_names():
    pd = pytest.importorskip("pandas")
    X, y, _ = data_for(pw.CNMF)
    model = pw.CNMF(random_state=0).fit(pd.DataFrame(X, columns=[f"w{j}" for j in range(12)]), y)
    top = model.top_features(4)
    assert {name: {f for f, _ in best} for name, best in top.items()} == {str(c): {f"w{4 * c + j}" for j in range(4)} for c in range(3)}
    assert all(sample // 8 == int(name) for name, best in model.top_samples(5).items() for sample, _ in best)
    assert model.to_frame().shape == (3, 12) and list(model.to_frame("memberships").columns) == ["0", "1", "2"]
    np.testing.assert_allclose(model.to_frame("memberships").sum(axis=1), 1)
    assert len(model.to_frame("history")) == model.n_iter_ + 1
    with pytest.raises(ValueError, match="valid: 'components'"):
        model.to_frame("weights")


def test_every_plot_returns_axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y, _ = data_for(pw.CNMF)
    model = pw.CNMF(random_state=0).fit(X, y)
    for ax in (model.plot_convergence(), model.plot_memberships(), model.plot_guidance(), *model.plot_components(), *model.plot_components(shape=(3, 4))):
        assert isinstance(ax, matplotlib.axes.Axes)
    with pytest.raises(ValueError, match="5 pixels|25 pixels"):
        model.plot_components(shape=(5, 5))
    with pytest.raises(ValueError, match="without labels \\(one per sample\\)"):
        pw.NMF(2, random_state=0).fit(X).plot_guidance()


def test_metrics_agree_with_scikit_learn():
    from sklearn.metrics import adjusted_rand_score, f1_score, normalized_mutual_info_score

    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 4, 100), rng.integers(0, 5, 100)
    assert abs(metrics.adjusted_rand_index(truth, found) - adjusted_rand_score(truth, found)) < 1e-12
    for average in ("max", "arithmetic"):
        assert abs(metrics.nmi(truth, found, average=average) - normalized_mutual_info_score(truth, found, average_method=average)) < 1e-12
    marks, guess = rng.random((50, 4)) < 0.4, rng.random((50, 4)) < 0.4
    scores = metrics.f_scores(marks, guess)
    assert abs(scores["micro"] - f1_score(marks, guess, average="micro")) < 1e-12
    assert abs(scores["macro"] - f1_score(marks, guess, average="macro")) < 1e-12
    graph = sp.random(30, 30, 0.2, random_state=0)
    graph = graph + graph.T
    sides = rng.integers(0, 2, 30)
    dense = graph.toarray()
    assert abs(metrics.total_cut(graph, sides) - dense[sides == 0][:, sides == 1].sum()) < 1e-9
    with pytest.raises(ValueError, match="sample 1 is unlabelled"):
        metrics.accuracy([0, -1], [0, 0])


def test_nnls_finds_the_optimum_for_many_right_hand_sides():
    rng = np.random.default_rng(0)
    B, R = rng.standard_normal((20, 6)), rng.standard_normal((20, 15))
    got = pw.nnls(B.T @ B, R.T @ B)
    want = np.array([scipy.optimize.nnls(B, r)[0] for r in R.T])
    np.testing.assert_allclose(got, want, atol=1e-10)
    with pytest.raises(ValueError, match="not symmetric"):
        pw.nnls([[1.0, 2.0], [0.0, 1.0]], [[1.0, 1.0]])


def test_one_factor_can_be_solved_for_with_the_other_held():
    rng = np.random.default_rng(0)
    W, H = rng.random((20, 3)), rng.random((3, 9))
    np.testing.assert_allclose(pw.solve_codes(W @ H, H, solver="bpp"), W, atol=1e-8)
    np.testing.assert_allclose(pw.solve_components(sp.csr_array(W @ H), W, solver="bpp"), H, atol=1e-8)


def test_a_folder_of_files_is_read_as_the_command_line_reads_it(tmp_path):
    X = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "x.npy", X)
    sp.save_npz(tmp_path / "s.npz", sp.csr_matrix(X))
    (tmp_path / "t.csv").write_text("name,a,b\nr1,1,2\nr2,3,4\n")
    (tmp_path / "README").write_text("not data")
    found = pw.datasets.load_folder(tmp_path)
    np.testing.assert_array_equal(found.x.data, X)
    np.testing.assert_array_equal(found.s.data.toarray(), X)
    assert found.t.feature_names == ["a", "b"] and found.t.row_names == ["r1", "r2"]
    assert found.skipped == ["README"]
    (tmp_path / "labels.csv").write_text("index,label\n0,cat\n3,dog\n")
    labels = pw.datasets.load_labels(tmp_path / "labels.csv", 4)
    assert labels.tolist() == ["cat", None, None, "dog"]


def test_corrected_codes_have_the_inner_products_of_the_approximation():
    X, y, _ = data_for(pw.NMFAlpha)
    model = pw.NMFAlpha(random_state=0).fit(X, y)
    product, corrected = model.codes_ @ model.components_, model.corrected_codes()
    np.testing.assert_allclose(corrected @ corrected.T, product @ product.T, rtol=1e-8)
