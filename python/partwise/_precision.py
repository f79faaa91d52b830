"""The precision of the numbers of X: float32 or float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ._warn import warn

__all__ = ["in_single_precision", "precision"]


def precision(dtype: Any) -> Any:
    """The parameter ``dtype`` as one of the two."""
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError):
        found = None
    if found not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype is {dtype!r}, but must be 'float32', 'float64' or None")
    return found


def in_single_precision(X: Any) -> Any:
    """X as float32; refused where its largest entries leave that range, with a warning where small ones
    become 0."""
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
        warn(f"{lost} entries are so small that they are 0 in float32; dtype='float64' keeps them")
    return narrow
