"""Shares say what they are shares of, and parts of what was counted are to be had."""

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from conftest import data_for

pytestmark = pytest.mark.filterwarnings("ignore")


def counts(seed=0):
    """Counts of three known profiles of very different widths, and the true parts of each sample's total."""
    rng = np.random.default_rng(seed)
    profiles = np.zeros((3, 24))
    profiles[0, :2] = 0.5
    profiles[1, 2:8] = 1 / 6
    profiles[2, 8:] = 1 / 16
    load = rng.gamma(1.0, 300, (40, 3)) + 5
    return rng.poisson(load @ profiles).astype(float), load / load.sum(axis=1, keepdims=True), profiles


def by_definition(model, of):
    sizes = model.components_.sum(axis=1) if of == "sum" else np.sqrt((model.components_**2).sum(axis=1))
    parts = model.codes_ * sizes
    total = parts.sum(axis=1, keepdims=True)
    return np.divide(parts, total, out=np.zeros_like(parts), where=total > 0)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_shares_are_what_they_are_said_to_be_in_every_estimator(estimator, loss):
    X, y, _ = data_for(estimator)
    model = estimator(3, beta_loss=loss, random_state=0, max_iter=20)
    try:
        model.fit(X, y)
    except ValueError as error:
        assert "loss" in str(error)
        return
    for of in ("length", "sum"):
        np.testing.assert_allclose(model.memberships(of=of), by_definition(model, of), atol=1e-12)
        np.testing.assert_allclose(model.memberships(model.codes_, of=of), by_definition(model, of), atol=1e-12)
    default = "length" if loss == "frobenius" else "sum"
    np.testing.assert_array_equal(model.memberships(), model.memberships(of=default))
    frame = model.to_frame("memberships")
    assert frame.attrs["shares_of"] == default
    # Classes go by the same shares.
    largest = model.memberships().argmax(axis=1)
    if estimator._ignores_y:
        np.testing.assert_array_equal(model.labels_, largest)
        return
    classes = model._component_classes[largest]
    np.testing.assert_array_equal(model.labels_, model.classes_[classes])
    np.testing.assert_array_equal(model.predict_names(), [str(label) for label in model.labels_])


def test_parts_of_the_total_are_found_under_kullback_leibler():
    X, truth, _ = counts()
    for data in (X, sp.csr_array(X)):
        model = pw.NMF(3, beta_loss="kullback-leibler", init="random", random_state=0, max_iter=2000, tol=1e-8).fit(data)
        order = [int(np.argmax([np.corrcoef(model.memberships()[:, j], truth[:, t])[0, 1] for j in range(3)])) for t in range(3)]
        by_sum, by_length = model.memberships()[:, order], model.memberships(of="length")[:, order]
        assert np.abs(by_sum - truth).max() < 0.1
        # By length a narrow profile counts for more than its counts.
        assert np.abs(by_length - truth).max() > 0.2
        np.testing.assert_allclose((model.codes_ @ model.components_).sum(axis=1), X.sum(axis=1), rtol=1e-3)


def test_other_kinds_of_shares_and_data_in_place_of_codes_are_refused():
    X, _, _ = data_for(pw.NMF)
    model = pw.NMF(3, random_state=0, max_iter=5).fit(X)
    with pytest.raises(ValueError, match="of is 'mean', but must be 'length', 'sum' or None"):
        model.memberships(of="mean")
    for rows in (X, [["a"]], X[0], sp.csr_array(X)):
        with pytest.raises(ValueError, match=r"memberships takes codes of the shape \(n_samples, 3\).*transform\(X\)"):
            model.memberships(rows)


def test_names_of_samples_are_safe_where_a_sample_has_none():
    X, y, _ = data_for(pw.GuidedNMF)
    X[4] = 0
    model = pw.GuidedNMF(3, guidance=pw.Guidance({"a": [0], "b": [4]}), random_state=0, tol=1e-3).fit(X)
    names = model.predict_names()
    assert names[4] is None and names[0] == "a" and names[9] == "b" and names[20] == "part 3"
    np.testing.assert_array_equal(model.predict_names(X), names)
    several = pw.WSNMF(components_per_class=2, random_state=0, max_iter=20).fit(data_for(pw.WSNMF)[0], y)
    assert set(several.predict_names()) == {"0", "1", "2"}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_solve_codes_is_as_exact_as_transform(dtype, kind):
    X, _, profiles = counts()
    data = kind(X.astype(dtype))
    model = pw.NMF(4, random_state=0, max_iter=300).fit(data)
    exact = model.transform(data)
    np.testing.assert_allclose(pw.solve_codes(data, model.components_), exact, rtol=1e-9 if dtype == np.float64 else 1e-4, atol=1e-12)
    np.testing.assert_allclose(
        pw.solve_components(sp.csr_array(X.T), profiles.T.copy()), pw.solve_codes(X, profiles).T, rtol=1e-9, atol=1e-9
    )


def test_solve_codes_reaches_what_transform_reaches_under_kullback_leibler():
    X, _, _ = counts()
    model = pw.NMF(3, beta_loss="kullback-leibler", random_state=0, max_iter=1000, tol=1e-7).fit(X)

    def divergence(codes):
        product = codes @ model.components_
        return (X * np.log(np.where(X > 0, X / product, 1)) - X + product).sum()

    solved = divergence(pw.solve_codes(X, model.components_, beta_loss="kullback-leibler"))
    assert solved <= divergence(model.transform(X)) * (1 + 1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_component_of_a_sample_is_that_of_its_largest_share(dtype, kind):
    X = counts()[0].astype(dtype)
    X[[3, 17]] = 0
    if kind is sp.csr_matrix:
        # A row that stores a zero is empty too.
        X = sp.csr_matrix(X)
        X.data[X.indptr[5] : X.indptr[6]] = 0
        assert X.indptr[6] > X.indptr[5]
    for loss in ("frobenius", "kullback-leibler"):
        model = pw.NMF(3, init="random", beta_loss=loss, random_state=0, max_iter=3).fit(kind(X))
        shares = model.memberships()
        assert model.labels_.dtype == np.int64
        np.testing.assert_array_equal(model.labels_, np.where(shares.any(axis=1), shares.argmax(axis=1), -1))
        assert (model.labels_[[3, 17]] == -1).all() and (kind is np.asarray or model.labels_[5] == -1)
        # Codes in another layout have the same components.
        codes = np.asfortranarray(model.codes_)
        np.testing.assert_array_equal(model._clusters(codes), model._clusters(model.codes_))
