"""Faults raise errors that say what, where, and what is valid."""

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from conftest import data_for, sample_of
from sklearn.exceptions import NotFittedError

X = np.random.default_rng(0).random((8, 5))


def spoiled(value):
    bad = X.copy()
    bad[2, 3] = value
    return bad


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 0}, "n_components.*1 or more.*Got 0"),
        ({"n_components": -1}, "n_components.*1 or more.*Got -1"),
        ({"n_components": 2.5}, "n_components.*Got 2.5"),
        ({"init": "svd"}, 'unknown start "svd"; valid: auto, random, nndsvd'),
        ({"init": "custom"}, "init='custom' needs the start"),
        ({"solver": "hls"}, 'unknown solver "hls"; valid: auto, hals, bpp, nesterov'),
        ({"beta_loss": "itakura-saito"}, r"must be 'frobenius' \(or 2\) or 'kullback-leibler' \(or 1\)"),
        ({"beta_loss": 0.5}, "Got 0.5"),
        ({"beta_loss": "kullback-leibler", "solver": "bpp"}, "it solves quadratics only; valid: solver mu"),
        ({"tol": -1}, "tol.*from 0"),
        ({"max_iter": -1}, "max_iter.*0 or more"),
        ({"alpha_W": -0.1}, "alpha_W.*0 or more"),
        ({"alpha_H": "sane"}, "alpha_H.*or 'same'"),
        ({"l1_ratio": 2}, "l1_ratio.*from 0 to 1"),
        ({"random_state": -1}, "random_state is -1"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"time_limit": -1.0}, "time_limit is -1"),
    ],
)
def test_settings_out_of_range_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        pw.NMF(**{"n_components": 2, **settings}).fit(X)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (spoiled(np.nan), "Input X contains NaN: 1 NaN and 0 infinite entries, the first in row 2, column 3"),
        (spoiled(np.inf), "Input X contains infinity: 0 NaN and 1 infinite entries, the first in row 2, column 3"),
        (spoiled(-1.0), "Negative values in data passed to NMF .* row 2, column 3"),
        (X[0], "Expected 2D array"),
        (np.zeros((0, 3)), "0 sample"),
        (X * 1j, "Complex data"),
    ],
)
def test_faulty_data_are_refused_with_the_place(bad, message):
    with pytest.raises(ValueError, match=message):
        pw.NMF(2).fit(bad)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_faults_of_new_rows_are_those_of_a_fit(estimator, form):
    data, y, _ = data_for(estimator)
    model = sample_of(estimator).set_params(random_state=0, max_iter=5, tol=0).fit(data, y)
    for value, message in ((-1.5, "Negative values in data passed"), (np.inf, "Input X contains infinity")):
        bad = data.copy()
        bad[3, 5] = bad[7, 2] = value
        for method in (model.transform, model.predict, model.score):
            with pytest.raises(ValueError, match=f"{message}.*row 3, column 5"):
                method(form(bad))
    bad[3, 5], bad[7, 2] = -1.5, -2
    with pytest.raises(ValueError) as of_rows:
        model.transform(form(bad))
    with pytest.raises(ValueError) as of_fit:
        sample_of(estimator).fit(form(bad), y)
    assert str(of_rows.value) == str(of_fit.value)


def test_negative_new_rows_are_refused_beside_missing_entries():
    model = pw.SSNMF(missing="unknown", random_state=0).fit(X, np.arange(len(X)) % 2)
    bad = X.copy()
    bad[0, 0], bad[2, 3] = np.nan, -1
    with pytest.raises(ValueError, match="Negative values in data passed to SSNMF .* row 2, column 3"):
        model.predict(bad)


def test_texts_are_refused():
    with pytest.raises((ValueError, TypeError)):
        pw.NMF(2).fit([["a", "b"], ["c", "d"]])


def test_a_fault_names_the_feature():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(spoiled(-1.0), columns=["a", "b", "c", "price", "e"])
    with pytest.raises(ValueError, match=r'column 3 \("price"\)'):
        pw.NMF(2).fit(frame)


def test_transform_before_fit_and_with_other_features(estimator):
    data, y, _ = data_for(estimator)
    model = sample_of(estimator)
    for method in (model.transform, model.predict, model.score, model.inverse_transform):
        with pytest.raises(NotFittedError):
            method(data)
    model.set_params(random_state=0, max_iter=5, tol=0).fit(data, y)
    width = data.shape[1]
    with pytest.raises(ValueError, match=f"X has {width - 1} features, but {estimator.__name__} is expecting {width} features"):
        model.transform(data[:, 1:])


def test_a_typo_in_a_parameter_lists_the_valid_ones():
    with pytest.raises(ValueError, match="Invalid parameter 'n_component'.*n_components"):
        pw.NMF().set_params(n_component=3)
    with pytest.raises(TypeError, match="n_component"):
        pw.NMF(n_component=3)


def test_asymmetric_similarities_are_refused_by_their_first_pair():
    S = X @ X.T
    S[1, 4] += 1
    with pytest.raises(ValueError, match=r"the entry of the pair \(1, 4\)"):
        pw.SymNMF(2).fit(S)
    with pytest.raises(ValueError, match="n x n"):
        pw.SymNMF(2).fit(X)


def test_options_without_effect_are_said():
    with pytest.warns(UserWarning, match="shuffle=True has no effect"):
        pw.NMF(2, shuffle=True, tol=0).fit(X)
    with pytest.warns(RuntimeWarning, match="provided W or H are ignored"):
        pw.NMF(2, tol=0).fit(X, W=np.ones((8, 2)))
    with pytest.warns(UserWarning, match="using 'nndsvda', which fills them"):
        pw.NMF(2, init="nndsvd", solver="mu", tol=0).fit(X)


def test_a_start_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"wrong first dimension .* codes .* \(8, 2\), but have \(7, 2\)"):
        pw.NMF(2, init="custom").fit(X, W=np.ones((7, 2)))


def test_the_native_module_refuses_unknown_options():
    from partwise import _native

    with pytest.raises(TypeError, match='unknown option "ranc"; valid: rank, seed'):
        _native.fit(X, "nmf", "frobenius", {}, {"rank": 2, "ranc": 2}, None)


def test_a_start_of_another_precision_is_taken():
    start = {"W": np.full((8, 2), 0.5, dtype=np.float32), "H": np.full((2, 5), 0.25)}
    mixed = pw.NMF(2, init="custom", max_iter=3, tol=0).fit(X, **start)
    whole = pw.NMF(2, init="custom", max_iter=3, tol=0).fit(X, W=start["W"].astype(float), H=start["H"])
    np.testing.assert_array_equal(mixed.codes_, whole.codes_)
    assert mixed.codes_.dtype == np.float64



def malformed():
    import scipy.sparse as sp

    bad = sp.csr_array(X)
    bad.indices[3] = 99
    return bad


@pytest.mark.parametrize(
    ("data", "start", "message"),
    [
        (malformed(), {}, "sparse matrix is malformed"),
        (np.zeros((3, 0)), {}, "0 feature"),
        (X, {"W": np.full((8, 2), 1e300), "H": np.full((2, 5), 1e300)}, "overflow|too large|finite|range"),
        (X, {"W": np.full((8, 2), -1.0), "H": np.ones((2, 5))}, "start.*negative|negative.*start|Negative"),
        (X, {"W": np.full((8, 2), np.nan), "H": np.ones((2, 5))}, "NaN"),
        (X, {"W": np.ones((8, 2)), "H": np.ones((2, 4))}, r"second dimension .* components .* \(2, 5\), but have \(2, 4\)"),
        (X, {"W": [[["a"]]]}, "2-D array"),
        (X, {"W": np.full((8, 2), "a")}, "real numbers"),
    ],
)
def test_every_kind_of_fault_of_the_engine_is_a_value_or_type_error(data, start, message):
    with pytest.raises((ValueError, TypeError), match=message):
        pw.NMF(2, init="custom" if start else "random", random_state=0).fit(data, **start)
