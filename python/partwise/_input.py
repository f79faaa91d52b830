"""From what users have to what the engine takes: one place for types, layouts and messages about data."""

from __future__ import annotations

import re
import warnings
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

__all__ = ["as_factor", "is_anndata", "lend", "numeric", "raise_about", "unpack_anndata"]


def is_anndata(X: Any) -> bool:
    """Whether X looks like AnnData: told by its parts, so that anndata need not be installed."""
    return all(hasattr(X, part) for part in ("X", "obs", "var", "layers", "var_names"))


def unpack_anndata(X: Any, layer: str | None) -> tuple[Any, Any]:
    """The matrix of an AnnData object and the names of its features."""
    if layer is None:
        matrix = X.X
    elif layer in X.layers:
        matrix = X.layers[layer]
    else:
        valid = ", ".join(map(repr, X.layers)) or "none"
        raise ValueError(f"the layer {layer!r} isn't in the data; valid layers: {valid}")
    return matrix, np.asarray(X.var_names, dtype=object)


def numeric(estimator: Any, X: Any, *, reset: bool, dtype: Any = None) -> Any:
    """X (n, d) as a C-ordered float array or CSR with checked shape and feature names; not copied where it is that already.

    Entries are not looked at: the engine checks them and says which is at fault.
    """
    kinds = [np.float64, np.float32] if dtype is None else [np.dtype(dtype)]
    single = kinds == [np.float32]
    if single:
        # Numbers of 64 bits are looked at before they are rounded.
        kinds = [np.float32, np.float64]
    names = None
    if is_anndata(X):
        X, names = unpack_anndata(X, getattr(estimator, "layer", None))
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=kinds,
            order="C",
            ensure_all_finite=False,
        )
    except ValueError as error:
        if not reset and "features" in str(error):
            # Data of another shape often are the wrong data altogether: what they hold is told first, as scikit-learn does.
            check_array(X, accept_sparse="csr", input_name="X")
        raise
    if single:
        X = _in_single_precision(X)
    if names is not None:
        if reset:
            estimator.feature_names_in_ = names
        else:
            _check_names(estimator, names)
    return X


def _in_single_precision(X: Any) -> Any:
    """X as float32; refused where its largest entries leave that range, with a warning where small ones become 0."""
    if X.dtype == np.float32:
        return X
    with np.errstate(over="ignore", under="ignore"):
        narrow = X.astype(np.float32)
    wide, kept = (X.data, narrow.data) if sp.issparse(X) else (X, narrow)
    largest = float(np.max(wide, initial=0.0, where=np.isfinite(wide)))
    if bool(np.any(np.isinf(kept) & np.isfinite(wide))):
        raise ValueError(f"the largest entry, {largest:.3g}, is more than float32 can hold; give dtype='float64', or divide the data")
    lost = int(np.count_nonzero((kept == 0) & (wide != 0)))
    if lost and np.float32(largest) == 0:
        raise ValueError(f"the largest entry, {largest:.3g}, is 0 in float32; give dtype='float64', or multiply the data")
    if lost:
        warnings.warn(f"{lost} entries are so small that they are 0 in float32; dtype='float64' keeps them", UserWarning, stacklevel=4)
    return narrow


def _check_names(estimator: Any, names: Any) -> None:
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is None or np.array_equal(fitted, names):
        return
    at = next(j for j in range(len(names)) if names[j] != fitted[j])
    raise ValueError(
        f"The feature names should match those that were passed during fit: feature {at} (counted from 0) is "
        f"{names[at]!r}, but was {fitted[at]!r}"
    )


def lend(X: Any) -> Any:
    """A checked matrix as the engine borrows it: the array itself, or ``((n, d), indptr, indices, values)`` of CSR."""
    if not sp.issparse(X):
        # A memory map or another subclass is lent as the plain array that it wraps.
        X = np.asarray(X)
        return X if X.flags.c_contiguous and X.flags.aligned else np.require(X, requirements=["C", "A"])
    indices = X.indices
    # 32-bit indices are read as unsigned without a copy; 64-bit ones are narrowed.
    indices = indices.view(np.uint32) if indices.dtype == np.int32 else _narrowed(indices)
    return X.shape, np.asarray(X.indptr, dtype=np.uintp), np.ascontiguousarray(indices), np.ascontiguousarray(X.data)


def _narrowed(indices: Any) -> Any:
    if indices.size and (indices.min() < 0 or indices.max() > np.iinfo(np.uint32).max):
        raise ValueError("a sparse matrix may have at most 4294967295 columns, and no negative index")
    return indices.astype(np.uint32)


def as_factor(factor: Any, what: str) -> Any:
    """A given factor or reference as a 2-D float64 array."""
    factor = factor.toarray() if sp.issparse(factor) else np.asarray(factor)
    if factor.ndim != 2:
        raise ValueError(f"{what} must be a 2-D array, but has {factor.ndim} dimension(s)")
    if factor.dtype.kind not in "biuf":
        raise TypeError(f"{what} must hold real numbers, but has the type {factor.dtype}")
    return np.ascontiguousarray(factor, dtype=np.float64)


def raise_about(error: ValueError, estimator: Any, input_name: str = "X") -> NoReturn:
    """Raises an error of the engine in the words that scikit-learn's users know, with the feature's name where there is one."""
    message = str(error)
    if not message.startswith("the data: "):
        raise error
    rest = message.removeprefix("the data: ")
    name = type(estimator).__name__
    column = re.search(r"column (\d+)", rest)
    names = getattr(estimator, "feature_names_in_", None)
    if column and names is not None and int(column[1]) < len(names):
        rest = rest.replace(column[0], f'{column[0]} ("{names[int(column[1])]}")', 1)
    if " negative " in rest:
        message = f"Negative values in data passed to {name} (input {input_name}): {rest}"
    elif " NaN and " in rest:
        kind = "infinity" if rest.startswith("0 NaN") else "NaN"
        message = f"Input {input_name} contains {kind}: {rest}"
    else:
        message = f"Input {input_name} of {name}: {rest}"
    raise ValueError(message) from error
