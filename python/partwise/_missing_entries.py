"""Missing entries: NaN in X, and the codes of rows that have some."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._blocks import Blocked, SharedBlocks
from ._parameters import Parameter

__all__ = ["MISSING", "codes_of_known_entries", "missing_entries", "takes_missing", "unknown_entries"]

MISSING = ("error", "unknown")


def missing_entries(default: str) -> Parameter:
    """The parameter ``missing`` of estimators whose method can leave entries out."""
    text = (
        'What NaN in X means. "unknown": a missing entry, which takes no part in the fit, nor in ``transform`` (a dense X, and the '
        'squared loss); on the command line ``--missing``. "error": NaN is refused.'
    )
    return Parameter(default, '{"error", "unknown"}', text, "missing", "str", str)


def takes_missing(model: Any) -> bool:
    """Whether NaN in X is a missing entry for this estimator.

    Raises
    ------
    ValueError
        For an unknown value of ``missing``.
    """
    missing = getattr(model, "missing", MISSING[0])
    if missing not in MISSING:
        raise ValueError(f"The 'missing' parameter of {type(model).__name__} must be 'error' or 'unknown'. Got {missing!r} instead.")
    return bool(missing == "unknown")


def unknown_entries(X: Any) -> Any:
    """Where a checked matrix has NaN, as truth values; None where it has none, and for sparse X and row
    blocks."""
    if sp.issparse(X) or isinstance(X, (Blocked, SharedBlocks)):
        return None
    holes = np.isnan(X)
    return holes if holes.any() else None


def codes_of_known_entries(model: Any, filled: Any, known: Any) -> dict[str, Any]:
    """The exact codes of each row for its known entries, with the squared loss; missing entries are 0 in
    ``filled``."""
    encoding = model._encoding
    components, values = model.components_.astype(np.float64), filled.astype(np.float64)
    theta, k = encoding["smoothing"], len(components)
    linked = (1 - theta) * components + theta / k * components.sum(axis=0) if theta > 0 else components
    weights = encoding.get("feature_weights")
    scale = np.ones(components.shape[1]) if weights is None else np.sqrt(np.asarray(weights, dtype=np.float64))
    codes = _solved(linked * scale, values * scale, known, encoding)
    left = np.where(known, (values - codes @ linked) * scale, 0.0)
    size = np.linalg.norm(values * scale)
    relative_error = float(np.linalg.norm(left) / size) if size > 0 else 0.0
    return {"codes": codes.astype(filled.dtype), "relative_error": relative_error}


def _solved(components: Any, values: Any, known: Any, encoding: dict[str, Any]) -> Any:
    """Rows with the same missing entries are solved together."""
    ridge, linear = (np.asarray(encoding[key], dtype=np.float64) for key in ("ridge", "linear"))
    patterns, members = np.unique(known, axis=0, return_inverse=True)
    codes = np.zeros((len(values), len(components)))
    for at, pattern in enumerate(patterns):
        rows = np.flatnonzero(members.ravel() == at)
        part = components[:, pattern]
        gram = np.ascontiguousarray(part @ part.T + np.diag(ridge))
        codes[rows] = _native.nnls(gram, np.ascontiguousarray(values[rows][:, pattern] @ part.T - linear))
    return codes
