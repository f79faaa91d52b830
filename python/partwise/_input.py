"""From what users have to what the engine takes: one place for types, layouts and messages about data."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

__all__ = ["NoSuchColumn", "as_factor", "column_of", "empty_rows", "is_anndata", "lend", "numeric", "raise_about", "unpack_anndata"]


class NoSuchColumn(KeyError, ValueError):
    """A column of labels that isn't there."""

    def __str__(self) -> str:
        return str(self.args[0])


def column_of(X: Any, name: str) -> Any:
    """A column of the observations of an AnnData object."""
    if name not in X.obs:
        valid = ", ".join(repr(str(column)) for column in getattr(X.obs, "columns", X.obs)) or "none"
        raise NoSuchColumn(f"y names the column {name!r} of obs, which isn't there; valid: {valid}")
    return X.obs[name]


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
    kinds = [np.float64, np.float32] if dtype is None else [_precision(dtype)]
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
    if names is not None:
        if reset:
            estimator.feature_names_in_ = names
        else:
            _check_names(estimator, names)
    return X


def _precision(dtype: Any) -> Any:
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError):
        found = None
    if found not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype is {dtype!r}, but must be 'float32', 'float64' or None")
    return found


def _check_names(estimator: Any, names: Any) -> None:
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is None or np.array_equal(fitted, names):
        return
    at = next(j for j in range(len(names)) if names[j] != fitted[j])
    raise ValueError(
        f"The feature names should match those that were passed during fit: feature {at} (counted from 0) is "
        f"{names[at]!r}, but was {fitted[at]!r}"
    )


def empty_rows(X: Any) -> Any:
    """The rows of a checked matrix without a non-zero entry."""
    if not sp.issparse(X):
        return np.flatnonzero(~np.asarray(X).any(axis=1))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.flatnonzero(np.bincount(rows, weights=X.data != 0, minlength=X.shape[0]) == 0)


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
