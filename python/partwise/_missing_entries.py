"""Codes of rows with missing entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native

__all__ = ["codes_of_known_entries"]


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
