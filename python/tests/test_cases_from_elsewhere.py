"""What users of other programs have run into."""

import numpy as np
import partwise as pw
import pytest
from sklearn.exceptions import ConvergenceWarning

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = np.random.default_rng(1).random((30, 20))


@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar", None])
def test_the_scale_of_the_data_does_not_matter(init):
    errors = [pw.NMF(4, init=init, random_state=0).fit(c * A).reconstruction_err_ / c for c in (1, 1e6, 1e-6)]
    np.testing.assert_allclose(errors, errors[0], rtol=1e-4)


@pytest.mark.parametrize("beta_loss", ["frobenius", "kullback-leibler"])
def test_zero_rows_and_columns_stay_finite_and_are_reported(beta_loss):
    X = A.copy()
    X[3] = 0
    X[:, 5] = 0
    model = pw.NMF(4, random_state=0, beta_loss=beta_loss).fit(X)
    assert np.isfinite(model.codes_).all() and np.isfinite(model.components_).all() and np.isfinite(model.transform(X)).all()
    notices = dict(model.notices_)
    assert notices["zero-rows"].endswith(": 3") and notices["zero-columns"].endswith(": 5")
    assert model.labels_[3] == -1


@pytest.mark.parametrize("penalized", ["alpha_W", "alpha_H"])
def test_a_penalty_on_one_factor_does_not_blow_up_the_other(penalized):
    plain = pw.NMF(4, random_state=0, max_iter=2000).fit(A)
    alphas = {"alpha_W": 0.0, "alpha_H": 0.0, penalized: 0.01}
    held = pw.NMF(4, random_state=0, max_iter=2000, l1_ratio=1.0, **alphas).fit(A)
    other = "components_" if penalized == "alpha_W" else "codes_"
    assert np.abs(getattr(held, other)).sum() < 2 * np.abs(getattr(plain, other)).sum()


def test_rank_1_is_found_exactly():
    X = np.array([[1.0, 3.0], [2.0, 4.0]])
    u, s, v = np.linalg.svd(X)
    model = pw.NMF(1, random_state=0, tol=1e-10, max_iter=1000).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.codes_), s[0] * np.outer(u[:, 0], v[0]), rtol=1e-6)


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar"])
def test_more_components_than_rows_with_an_svd_start(init):
    model = pw.NMF(40, init=init, random_state=0, max_iter=500).fit(A)
    assert np.isfinite(model.codes_).all() and model.relative_error_ < 0.05
    assert "large-rank" in dict(model.notices_)


@pytest.mark.parametrize("seed", range(5))
def test_kullback_leibler_on_a_tiny_matrix_is_finite(seed):
    X = np.random.default_rng(seed).random((4, 2))
    model = pw.NMF(2, beta_loss="kullback-leibler", random_state=seed).fit(X)
    assert np.isfinite(model.codes_).all() and np.isfinite(model.components_).all() and np.isfinite(model.reconstruction_err_)


@pytest.mark.parametrize("solver", ["hals", "cd", "bpp", "nesterov", "nesterov-running", "mu"])
@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar"])
@pytest.mark.filterwarnings("ignore:init='nndsvd' has exact zeros")
def test_planted_factors_are_found(solver, init):
    def error(seed):
        # A seed draws the factors too: the SVD starts draw nothing.
        rng = np.random.default_rng(seed)
        W, H = rng.random((8, 3)) * (rng.random((8, 3)) < 0.6), rng.random((3, 8)) * (rng.random((3, 8)) < 0.6)
        model = pw.NMF(3, solver=solver, init=init, random_state=seed, max_iter=3000, tol=1e-7, n_jobs=1)
        return model.fit(W @ H).relative_error_

    errors = [error(seed) for seed in range(10)]
    assert min(errors) < 1e-3, errors


def test_running_out_of_iterations_warns_and_says_so():
    with pytest.warns(ConvergenceWarning, match="Stopped after 2 iterations without converging"):
        model = pw.NMF(4, random_state=0, max_iter=2).fit(A)
    assert model.stop_reason_ == "iteration limit" and model.n_iter_ == 2


def test_every_stop_has_its_reason():
    assert pw.NMF(4, random_state=0, max_iter=5000, tol=1e-3).fit(A).stop_reason_ == "converged"
    assert pw.NMF(4, random_state=0, max_iter=10**6, tol=0, time_limit=0.05).fit(A).stop_reason_ == "time limit"
    assert pw.NMF(4, callback=lambda it: it.number == 3).fit(A).stop_reason_ == "stopped by the observer"


def test_the_error_reported_is_that_of_the_factors(estimator):
    from conftest import data_for, sample_of

    X, y, _ = data_for(estimator)
    model = sample_of(estimator).set_params(random_state=0, max_iter=30).fit(X, y)
    if estimator in (pw.NMFAlpha, pw.NCWNMF):
        return  # a divergence, a weighted norm
    error = np.linalg.norm(X - model.inverse_transform(model.codes_))
    np.testing.assert_allclose(model.reconstruction_err_, error, rtol=1e-9)
    np.testing.assert_allclose(model.relative_error_, error / np.linalg.norm(X), rtol=1e-9)


def test_the_divergence_reported_is_that_of_the_factors():
    model = pw.NMF(4, beta_loss=1, random_state=0).fit(A)
    product = model.codes_ @ model.components_
    divergence = (A * np.log(A / product) - A + product).sum()
    np.testing.assert_allclose(model.reconstruction_err_, np.sqrt(2 * divergence), rtol=1e-9)
    np.testing.assert_allclose(model.score(A), -_relative(model, A), rtol=1e-9)


def _relative(model, X):
    product = model.transform(X) @ model.components_
    return (X * np.log(X / product) - X + product).sum() / X.sum()


def test_threads_do_not_change_a_bit():
    X = np.random.default_rng(2).random((500, 60))
    one, three = (pw.NMF(5, random_state=0, n_jobs=n, max_iter=20).fit(X) for n in (1, 3))
    np.testing.assert_array_equal(one.codes_, three.codes_)
    np.testing.assert_array_equal(one.components_, three.components_)


def test_the_global_generator_is_left_alone_by_a_whole_number():
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    pw.NMF(4, random_state=1).fit(A)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_it_reaches_what_scikit_learn_reaches():
    from sklearn.decomposition import NMF

    for alphas in ({}, {"alpha_W": 0.001, "l1_ratio": 0.5}):
        common = {"n_components": 4, "random_state": 0, "tol": 1e-8, "max_iter": 5000, "init": "nndsvda"}
        theirs, ours = NMF(**common, **alphas).fit(A), pw.NMF(**common, **alphas).fit(A)
        assert ours.reconstruction_err_ < theirs.reconstruction_err_ * 1.001
