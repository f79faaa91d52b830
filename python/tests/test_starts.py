"""Promise: a start that is given means the same in either precision and any layout."""

import numpy as np
import pytest
import scipy.sparse as sp
from partwise import CNMF, NMF

N, D, K = 30, 12, 3


def given(dtype):
    random = np.random.default_rng(7)
    X = np.round(random.random((N, D)) * (random.random((N, D)) < 0.6), 3).astype(dtype)
    return X, random.random((N, K), dtype=np.float32), random.random((K, D), dtype=np.float32)


def fitted(X, W, H, cls=NMF, y=None, **parameters):
    model = cls(K, init="custom", max_iter=4, tol=0, **parameters).fit(X, y, W=W, H=H)
    return model.codes_, model.components_


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_start_of_float32_gives_the_bits_of_the_same_numbers_in_float64(dtype, kind):
    X, W, H = given(dtype)
    expected = fitted(kind(X), W.astype(np.float64), H.astype(np.float64))
    assert_same(fitted(kind(X), W, H), expected)
    assert_same(fitted(kind(X), W.astype(np.float64), H), expected)
    assert_same(fitted(kind(X), np.asfortranarray(W), H.repeat(2, axis=1)[:, ::2]), expected)
    only = fitted(kind(X), None, H.astype(np.float64), random_state=1)
    assert_same(fitted(kind(X), None, H, random_state=1), only)


def test_codes_that_labels_tie_start_alike_in_both_precisions():
    X, W, H = given(np.float64)
    y = np.where(np.arange(N) < 12, np.arange(N) % 3, -1)
    assert_same(fitted(X, W, H, CNMF, y), fitted(X, W.astype(np.float64), H.astype(np.float64), CNMF, y))


def test_data_whose_squares_leave_the_range_take_a_start_of_float32():
    X, W, H = given(np.float64)
    found = fitted(X * 1e150, W, H)
    assert_same(found, fitted(X * 1e150, W.astype(np.float64), H.astype(np.float64)))


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_start_with_a_fault_is_refused_and_named(value, dtype):
    X, W, H = given(np.float32)
    for what, factor in (("codes", W), ("components", H)):
        faulty = {"codes": W.astype(dtype), "components": H.astype(dtype)}
        faulty[what][2, 1] = value
        with pytest.raises(ValueError, match=f"the {what} of the start"):
            fitted(X, faulty["codes"], faulty["components"])
        assert factor[2, 1] >= 0
