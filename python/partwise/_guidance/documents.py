"""Labels and graphs as documents of guidance hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._input import canonical_csr
from .._names import Names, column_labels, row_labels

__all__ = ["graph_by_name", "graph_document", "labels_document"]


def labels_document(codes: Any, names: list[str]) -> dict[str, Any]:
    """Labels as documents hold them: those of the labelled samples."""
    samples = np.flatnonzero(codes >= 0)
    return {"n_samples": len(codes), "samples": samples.tolist(), "classes": codes[samples].tolist(), "names": list(names)}


def graph_document(n: int, indptr: Any, indices: Any, weights: Any) -> dict[str, Any]:
    """A graph in CSR as documents hold it: a row (from, to, weight) an edge."""
    rows = np.repeat(np.arange(n), np.diff(indptr.astype(np.int64)))
    return {"n_samples": n, "matrix": np.column_stack([rows, indices, weights]).astype(np.float64, order="C")}


def graph_by_name(graph: Any, samples: Names, what: str, made_for: Any = None) -> Any:
    """A graph over the samples as a CSR array of its own, in the order of the data."""
    n = samples.size
    rows, columns = (row_labels(graph), column_labels(graph)) if made_for is None else (made_for, made_for)
    own = canonical_csr(graph)
    if own.shape != (n, n) and samples.labels is None:
        raise ValueError(f"{what} must have the shape ({n}, {n}), but has {own.shape}")
    at_rows, at_columns = samples.order(rows, own.shape[0], f"{what}, its rows"), samples.order(columns, own.shape[1], f"{what}, its columns")
    if at_rows is not None:
        own = own[at_rows]
    if at_columns is not None:
        own = own[:, at_columns]
    if own.shape != (n, n):
        raise ValueError(f"{what} must have the shape ({n}, {n}), but has {own.shape}")
    if samples.labels is None and at_rows is None and rows is not None and columns is not None:
        # The data have no names, but the graph's own rows and columns may be in two orders.
        at = Names(rows, n, "sample").order(columns, n, f"{what}, its columns")
        own = own if at is None else own[:, at]
    own.sort_indices()
    return own
