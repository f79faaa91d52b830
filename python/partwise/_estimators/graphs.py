"""NMF with a graph over the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _native
from .._base import Factorization
from .._blocks import in_memory
from .._factory import estimator
from .._guidance.documents import graph_by_name, graph_document
from .._input import to_native
from .._parameters import parameter
from .._registry import REGISTRIES
from .._strengths import OlderStrength
from .._targets import Targets

__all__ = ["GNMF", "GraphFactorization", "SemiGNMF"]


class GraphFactorization(Factorization):
    """A factorization with a graph over the samples, by default that of the nearest neighbours."""

    n_neighbors: int = parameter(
        REGISTRIES["graph_neighbours"],
        "int",
        """Neighbours of each sample in the graph that is built when none is given (at most n_samples - 1, with
        weights 0-1).""",
    )

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None, graph: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,), default=None
            Labels, -1 for unlabelled.
        W, H : array-like, default=None
            The start, with ``init="custom"``.
        graph : {array-like, DataFrame, sparse matrix} of shape (n_samples, n_samples), default=None
            A symmetric graph over the samples with weights of 0 or more (a DataFrame goes by their names);
            that of the nearest neighbours by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, W, H, graph=graph)

    def _knowledge(self, data: Any, targets: Targets | None, graph: Any = None) -> tuple[Any, dict[str, Any]]:
        data, knowledge = super()._knowledge(data, targets)
        self.graph_ = _neighbours(self, data) if graph is None else graph_by_name(graph, self._names_in_.samples, "the graph")
        rows = self.graph_
        # The strength is that of the graph, not of the labels.
        strength = knowledge.pop("strength")
        document = graph_document(data.shape[0], rows.indptr, rows.indices, rows.data)
        knowledge["items"].append({"kind": "graph", **document, **strength})
        return data, knowledge

    def _without_effect(self, X: Any, y: Any, targets: Targets | None, settings: dict[str, Any], known: dict[str, Any]) -> list[tuple[str, str]]:
        out = super()._without_effect(X, y, targets, settings, known)
        if known.get("graph") is not None and self.n_neighbors != self._parameters["n_neighbors"].default:
            out.append(("no-effect", f"n_neighbors={self.n_neighbors} has no effect: the graph is given"))
        return out


@estimator
class GNMF(GraphFactorization):
    """NMF regularized by a graph: connected samples get similar codes.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import GNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> labels = GNMF(2, n_neighbors=1, random_state=0, tol=1e-2).fit_predict(X)
    >>> bool(labels[0] == labels[1] == labels[4] != labels[2])
    True
    """

    _older_strength = OlderStrength("graph_weight", unit="raw")

    graph_weight: float | None = parameter(None, "float", "An older spelling of ``strength=raw(graph_weight)``.")


@estimator
class SemiGNMF(GNMF):
    """GNMF with the labels written into the graph: samples of one class are connected, samples of two
    classes are not.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SemiGNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = SemiGNMF(n_neighbors=1, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """


def _neighbours(estimator: Any, data: Any) -> Any:
    """The graph of the nearest neighbours, of all others where there are fewer samples than that."""
    n, wanted = in_memory(data, "a graph of the nearest neighbours (give fit a graph=...)").shape[0], estimator.n_neighbors
    if not isinstance(wanted, (int, np.integer)) or wanted < 1:
        raise ValueError(f"n_neighbors is {wanted!r}, but must be a whole number of 1 or more")
    if n == 1:
        return sp.csr_array((1, 1), dtype=np.float64)
    indptr, indices, weights = _native.neighbour_graph(to_native(data), min(int(wanted), n - 1))
    return sp.csr_array((weights, indices.astype(np.int64), indptr.astype(np.int64)), shape=(n, n))
