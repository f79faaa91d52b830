"""One result for every way to hold the same numbers."""

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from conftest import data_for, sample_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
rng = np.random.default_rng(5)
COUNTS = rng.poisson(1.0, (30, 12))
COUNTS[0, 0] = 300


def fitted(X, **settings):
    return pw.NMF(3, random_state=0, max_iter=20, **settings).fit(X)


@pytest.mark.parametrize("dtype", ["uint16", "int64", "int32", "uint32", "float64"])
def test_counts_up_to_300_give_the_same_bits_in_any_type(dtype):
    np.testing.assert_array_equal(fitted(COUNTS.astype(dtype)).codes_, fitted(COUNTS.astype(float)).codes_)


def test_negative_int8_is_refused_with_its_place():
    X = COUNTS.clip(0, 100).astype(np.int8)
    X[4, 7] = -3
    with pytest.raises(ValueError, match=r"Negative values in data passed to NMF \(input X\): 1 negative entry, the first in row 4, column 7"):
        fitted(X)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix", "coo_matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_every_sparse_kind_gives_what_dense_data_give(kind, dtype):
    sparse = fitted(getattr(sp, kind)(COUNTS.astype(dtype)), init="random")
    dense = fitted(COUNTS.astype(dtype), init="random")
    assert sparse.components_.dtype == dense.components_.dtype
    np.testing.assert_allclose(sparse.codes_, dense.codes_, rtol=1e-9 if dtype != np.float32 else 1e-3, atol=1e-4 if dtype == np.float32 else 1e-12)
    again = sparse.transform(getattr(sp, kind)(COUNTS.astype(dtype)))
    np.testing.assert_allclose(again, sparse.transform(COUNTS.astype(dtype)), rtol=1e-3, atol=1e-4)


def test_64_bit_indices_serve_too():
    X = sp.csr_array(COUNTS.astype(float))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_array_equal(fitted(X).codes_, fitted(sp.csr_array(COUNTS.astype(float))).codes_)


def test_order_lists_frames_and_memory_maps_make_no_difference(tmp_path):
    pd = pytest.importorskip("pandas")
    X = COUNTS.astype(float)
    want = fitted(X).codes_
    np.save(tmp_path / "x.npy", X)
    others = [np.asfortranarray(X), X.tolist(), pd.DataFrame(X, columns=[f"g{j}" for j in range(12)]), np.load(tmp_path / "x.npy", mmap_mode="r"), np.repeat(X, 2, axis=0)[::2]]
    for other in others:
        np.testing.assert_array_equal(fitted(other).codes_, want)


def test_c_ordered_arrays_and_csr_are_lent_without_a_copy():
    from partwise._input import to_native, numeric

    for X in (COUNTS.astype(float), COUNTS.astype(np.float32)):
        assert np.shares_memory(to_native(numeric(pw.NMF(), X, reset=True)), X)
    X = sp.csr_array(COUNTS.astype(float))
    _, _, indices, values = to_native(numeric(pw.NMF(), X, reset=True))
    assert np.shares_memory(values, X.data) and np.shares_memory(indices, X.indices)


def test_precision_stays_and_a_fit_encodes_the_other_precision(estimator):
    for dtype, other in ((np.float32, np.float64), (np.float64, np.float32)):
        X, y, _ = data_for(estimator, dtype=dtype)
        model = sample_of(estimator).set_params(random_state=0).fit(X, y)
        assert model.components_.dtype == model.codes_.dtype == dtype
        codes = model.transform(X.astype(other))
        assert codes.dtype == other
        np.testing.assert_allclose(codes, model.transform(X), rtol=1e-2, atol=1e-3)


def test_the_precision_can_be_asked_for():
    assert fitted(COUNTS, dtype="float32").codes_.dtype == np.float32


class LooksLikeAnnData:
    """The parts of AnnData that are used."""

    def __init__(self, X, layers, obs, names):
        self.X, self.layers, self.obs, self.var, self.var_names = X, layers, obs, None, names
        self.shape = X.shape


def test_anndata_gives_its_matrix_layers_names_and_labels():
    X, y, truth = data_for(pw.CNMF)
    names = [f"gene{j}" for j in range(12)]
    cells = LooksLikeAnnData(np.zeros_like(X), {"counts": sp.csr_matrix(X)}, {"type": y}, names)
    model = pw.CNMF(random_state=0, layer="counts").fit(cells, "type")
    np.testing.assert_array_equal(model.labels_, truth)
    assert list(model.feature_names_in_) == names
    assert model.transform(cells).shape == (24, 3)
    with pytest.raises(ValueError, match="'raw' isn't in the data; valid layers: 'counts'"):
        pw.CNMF(layer="raw").fit(cells, "type")
    other = LooksLikeAnnData(cells.X, cells.layers, cells.obs, names[::-1])
    with pytest.raises(ValueError, match="feature 0 .* is 'gene11', but was 'gene0'"):
        model.transform(other)
