"""NMF with a graph over the samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .. import _native
from .._base import Factorization, Iteration
from .._documentation import documented
from .._guidance.items import graph_by_name, graph_document
from .._guidance.strength import Strength, stated
from .._input import lend
from .._targets import Targets
from .strengths import strength_of

__all__ = ["GNMF", "SemiGNMF"]


@documented
class GNMF(Factorization):
    """NMF regularized by a graph: samples that are joined get similar codes.

    {own}n_neighbors : int, default=5
        Neighbours of each sample in the graph that is built when none is given (at most n_samples - 1, with
        weights 0-1).
    strength : float, raw or None, default=None
        How strongly the graph draws samples together: from 0 (plain NMF) to below 1, without a unit;
        ``raw(weight)`` is the published weight, 1 by default.
    graph_weight : float, default=None
        An older spelling of ``strength=raw(graph_weight)``.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import GNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> labels = GNMF(2, n_neighbors=1, random_state=0, tol=1e-2).fit_predict(X)
    >>> bool(labels[0] == labels[1] == labels[4] != labels[2])
    True
    """

    _method: ClassVar[str] = "gnmf"

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        n_neighbors: int = 5,
        strength: Strength = None,
        graph_weight: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            solver=solver,
            acceleration=acceleration,
            beta_loss=beta_loss,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            alpha_W=alpha_W,
            alpha_H=alpha_H,
            l1_ratio=l1_ratio,
            verbose=verbose,
            shuffle=shuffle,
            n_jobs=n_jobs,
            time_limit=time_limit,
            callback=callback,
            dtype=dtype,
            unlabelled=unlabelled,
            layer=layer,
        )
        self.n_neighbors = n_neighbors
        self.strength = strength
        self.graph_weight = graph_weight

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
        n = data.shape[0]
        self.graph_ = _neighbours(self, data) if graph is None else graph_by_name(graph, self._names_in_.samples, "the graph")
        rows = self.graph_
        strength = stated(strength_of(self, old="graph_weight", unit="raw"), "strength")
        item = {"kind": "graph", **graph_document(n, rows.indptr, rows.indices, rows.data), "strength": strength}
        return data, {"items": [item]}


@documented
class SemiGNMF(GNMF):
    """GNMF with the labels written into the graph: samples of a class are joined, those of two classes are
    parted.

    {own}n_neighbors : int, default=5
        Neighbours of each sample in the graph that is built when none is given (at most n_samples - 1, with
        weights 0-1).
    strength : float, raw or None, default=None
        How strongly the graph draws samples together: from 0 (plain NMF) to below 1, without a unit;
        ``raw(weight)`` is the published weight, 1 by default.
    graph_weight : float, default=None
        An older spelling of ``strength=raw(graph_weight)``.
    {common}

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

    _method: ClassVar[str] = "semi-gnmf"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False


def _neighbours(estimator: Any, data: Any) -> Any:
    """The graph of the nearest neighbours, of all others where there are fewer samples than that."""
    n, wanted = data.shape[0], estimator.n_neighbors
    if not isinstance(wanted, (int, np.integer)) or wanted < 1:
        raise ValueError(f"n_neighbors is {wanted!r}, but must be a whole number of 1 or more")
    if n == 1:
        return sp.csr_array((1, 1), dtype=np.float64)
    indptr, indices, weights = _native.neighbour_graph(lend(data), min(int(wanted), n - 1))
    return sp.csr_array((weights, indices.astype(np.int64), indptr.astype(np.int64)), shape=(n, n))
