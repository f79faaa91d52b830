"""fit_transform is codes_: what the fit knew is known in the codes that it hands out."""

import warnings

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from conftest import data_for, sample_of
from partwise import EntryWeights, FeatureWeights, Graph, Guidance, GuidedNMF, KnownEntries, KnownFeatures, Labels, Links, Memberships, References, SampleWeights, Sets

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_fit_transform_is_codes_to_the_bit(estimator, dtype, labelled, loss):
    X, y, _ = data_for(estimator)
    model = estimator(3, beta_loss=loss, random_state=0, max_iter=20, dtype=dtype)
    try:
        codes = model.fit_transform(X, y if labelled else None)
    except ValueError as error:
        assert "loss" in str(error) or "requires y" in str(error)
        return
    np.testing.assert_array_equal(codes, model.codes_)
    assert codes.dtype == model.codes_.dtype == dtype
    # What is handed out is the caller's: the model doesn't change with it.
    codes[:] = 7
    assert not (model.codes_ == 7).any()


ITEMS = {
    "known entries": lambda X: KnownEntries(X > 0),
    "known features": lambda X: KnownFeatures(),
    "weights of entries": lambda X: EntryWeights((X > 0).astype(float)),
    "sample weights": lambda X: SampleWeights(np.arange(1, 25)),
    "feature weights": lambda X: FeatureWeights(np.arange(1, 13)),
    "ties": lambda X: Labels([0, 0, 1, 1] + [None] * 20, rule="same-codes"),
    "labels": lambda X: Labels(["a", "b"] + [None] * 22),
    "links": lambda X: Links(must=[(0, 9)], cannot=[(0, 1)]),
    "sets": lambda X: Sets({0: ["a", "b"]}),
    "memberships": lambda X: Memberships(np.full((24, 2), 0.5), ["a", "b"]),
    "references": lambda X: References(np.ones((1, 12)), ["a"]),
    "a graph": lambda X: Graph(n_neighbors=3),
}


@pytest.mark.parametrize("item", ITEMS)
def test_what_any_item_says_is_known_in_fit_transform(item):
    X, _, _ = data_for(GuidedNMF)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.8, X, 0)
    data = sp.csr_array(X) if item == "known features" else X
    model = GuidedNMF(3, guidance=Guidance(ITEMS[item](X)), random_state=0, max_iter=30)
    np.testing.assert_array_equal(model.fit_transform(data), model.codes_)


def ratings(loss="frobenius"):
    rng = np.random.default_rng(1)
    full = (rng.random((30, 2)) + 0.2) @ (rng.random((2, 20)) + 0.2) * 3
    return full, rng.random(full.shape) < 0.6


@pytest.mark.parametrize("item", ["known entries", "known features", "weights of entries"])
def test_ratings_are_predicted_from_the_codes_of_a_fit_that_left_unknown_ones_out(item):
    full, known = ratings()
    left = np.where(known, full, 0)
    model = GuidedNMF(2, guidance=Guidance(ITEMS[item](left)), random_state=0, tol=1e-9, max_iter=2000)
    codes = model.fit_transform(sp.csr_matrix(left) if item == "known features" else left)
    np.testing.assert_allclose(codes @ model.components_, full, rtol=1e-3)
    # New rows: zeros are zeros, and that is said; NaN is unknown.
    with pytest.warns(UserWarning, match="every entry counts, including zeros. Use NaN in a dense X for missing entries"):
        model.transform(left)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        holes = model.transform(np.where(known, full, np.nan))
        score = model.score(np.where(known, full, np.nan))
        alone = model.transform(np.full((1, 20), np.nan))
    np.testing.assert_allclose(holes @ model.components_, full, rtol=1e-3)
    assert score > -1e-3 and (alone == 0).all()


def test_unknown_entries_of_new_rows_respect_the_weights_of_features():
    full, known = ratings()
    left = np.where(known, full, 0)
    weights = np.linspace(0, 2, 20)
    model = GuidedNMF(2, guidance=Guidance(KnownEntries(known), FeatureWeights(weights)), random_state=0, max_iter=300, tol=1e-6).fit(left)
    new = np.where(known, full * 1.3 + 0.1, np.nan)
    codes = model.transform(new)
    for row, at in zip(new[:4], codes[:4], strict=True):
        seen = ~np.isnan(row)

        def loss(u, row=row, seen=seen):
            return (weights[seen] * (row[seen] - u @ model.components_[:, seen]) ** 2).sum()

        best = loss(at)
        assert all(best <= loss(np.maximum(at + step, 0)) + 1e-12 for step in 1e-3 * np.random.default_rng(0).standard_normal((50, 2)))


def test_nan_is_refused_where_the_fit_knew_every_entry():
    X, y, _ = data_for(pw.NMF)
    holes = X.copy()
    holes[0, 0] = np.nan
    for model in (sample_of(pw.NMF).set_params(n_components=2), GuidedNMF(2)):
        model.set_params(random_state=0, max_iter=5).fit(X)
        with pytest.raises(ValueError, match="contains NaN"):
            model.transform(holes)


def test_transform_of_the_rows_of_an_unguided_fit_that_converged_is_close_to_codes():
    X, _, _ = data_for(pw.NMF)
    model = pw.NMF(3, random_state=0, tol=1e-10, max_iter=5000).fit(X)
    np.testing.assert_allclose(model.transform(X), model.codes_, atol=1e-6)


def rows_of(n, d):
    return np.random.default_rng(n * d).random((n, d))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_start_counts_as_the_same_numbers_in_either_precision(kind):
    X = rows_of(12, 7)
    given = np.random.default_rng(3).random((12, 3)).astype(np.float32), np.random.default_rng(4).random((3, 7)).astype(np.float32)
    few = {"init": "custom", "max_iter": 4, "tol": 0}
    wide = pw.NMF(3, **few).fit(X.astype(kind), W=given[0].astype(np.float64), H=np.asfortranarray(given[1], dtype=np.float64))
    narrow = pw.NMF(3, **few).fit(X.astype(kind), W=given[0], H=np.asfortranarray(given[1]))
    np.testing.assert_array_equal(narrow.codes_, wide.codes_)
    np.testing.assert_array_equal(narrow.components_, wide.components_)


def test_codes_that_explain_nothing_have_no_memberships():
    model = pw.NMF(2, random_state=0, max_iter=5, tol=0).fit(rows_of(6, 4))
    shares = model.memberships([[0.0, 0.0], [1.0, 3.0], [-1.0, -2.0], [np.nan, 1.0], [2, 0]])
    assert (shares[[0, 2, 3]] == 0).all()
    np.testing.assert_allclose(shares[[1, 4]].sum(axis=1), 1)
    assert shares[4].tolist() == [1.0, 0.0]


def test_a_second_fit_forgets_the_names_of_the_first():
    pandas = pytest.importorskip("pandas")
    X = rows_of(9, 4)
    model = pw.NMF(2, random_state=0, max_iter=5, tol=0).fit(pandas.DataFrame(X, columns=list("abcd")))
    assert model.feature_names_in_.tolist() == list("abcd")
    plain = model.fit(X).codes_
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 4
    np.testing.assert_allclose(model.fit(sp.csr_array(X)).codes_, plain)
    for wrong in (X[:0], sp.csr_array(X)[:0], X[:, :3], sp.csr_array(X[:, :3])):
        with pytest.raises(ValueError, match="0 sample|3 features"):
            model.transform(wrong)
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(X[:0])
