"""Metrics: agreement of a clustering with classes, scores of predictions for partly labelled data, F-scores
for several labels per sample, graph cuts, sparseness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._guidance.documents import graph_by_name
from ._input import canonical_csr
from ._names import Names, check_same_order, row_labels
from ._targets import targets_of

__all__ = [
    "accuracy",
    "adjusted_rand_index",
    "best_mapping",
    "f_scores",
    "labelled_scorer",
    "make_labelled_scorer",
    "nmi",
    "normalized_cut",
    "purity",
    "sparseness",
    "total_cut",
]


def __dir__() -> list[str]:
    """What completion offers."""
    return sorted(__all__)


def _numbered(y_true: Any, y_pred: Any) -> tuple[Any, Any, Any, Any]:
    """Both labelings as whole numbers from 0, and the values that these stand for."""
    check_same_order(y_pred, Names(row_labels(y_true), len(y_true), "sample"), "y_pred", "y_true")
    sides = []
    for name, y in (("y_true", y_true), ("y_pred", y_pred)):
        y = np.asarray(y)
        if y.ndim != 1:
            raise ValueError(f"{name} must be a 1d array of labels, but has the shape {y.shape}")
        without = y < 0 if y.dtype.kind in "if" else np.equal(y, None) if y.dtype == object else np.zeros(len(y), dtype=bool)
        if without.any():
            at = int(np.flatnonzero(without)[0])
            raise ValueError(f"{name}: sample {at} is unlabelled ({y[at]}); leave unlabelled samples out of a comparison")
        values, numbers = np.unique(y, return_inverse=True)
        sides.append((values, numbers.astype(np.int32)))
    (true_values, truth), (pred_values, found) = sides
    if len(truth) != len(found):
        raise ValueError(f"y_true has {len(truth)} samples, y_pred {len(found)}")
    return truth, found, true_values, pred_values


def _measure(name: str, y_true: Any, y_pred: Any) -> float:
    truth, found, _, _ = _numbered(y_true, y_pred)
    return _native.measure(name, truth, found)


def accuracy(y_true: Any, y_pred: Any) -> float:
    """The fraction of samples that are right under the best one-to-one map of clusters to classes (Hungarian
    method).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Classes and clusters.

    Returns
    -------
    accuracy : float
        From 0 to 1.

    Examples
    --------
    >>> from partwise.metrics import accuracy
    >>> accuracy([0, 0, 1, 1], [5, 5, 7, 5])
    0.75
    """
    return _measure("accuracy", y_true, y_pred)


def best_mapping(y_true: Any, y_pred: Any) -> dict[Any, Any]:
    """The one-to-one map of clusters to classes that ``accuracy`` uses; None for clusters without a class.

    Examples
    --------
    >>> from partwise.metrics import best_mapping
    >>> best_mapping(["a", "a", "b"], [1, 1, 0])
    {0: 'b', 1: 'a'}
    """
    truth, found, classes, clusters = _numbered(y_true, y_pred)
    _, mapping = _native.accuracy(truth, found)
    return {clusters[c].item() if hasattr(clusters[c], "item") else clusters[c]: None if t is None else (classes[t].item() if hasattr(classes[t], "item") else classes[t]) for c, t in mapping}


class _LabelledScorer:
    """A scorer as ``scoring=`` takes it: a class, so that it can be sent to other processes."""

    def __init__(self, score: Callable[..., float], unlabelled: Any, arguments: dict[str, Any]) -> None:
        self._score = score
        self._unlabelled = unlabelled
        self._arguments = arguments

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        given = targets_of(y, len(y), self._unlabelled)
        if given.codes is None:
            raise ValueError("y has several labels or soft ones per sample; the scorer compares one class per sample")
        rows = np.flatnonzero(given.labelled)
        if not len(rows):
            raise ValueError("no sample of y is labelled, so there is nothing to score; stratify the folds by y, or make fewer")
        # As names, so that the marker of rows without a class (-1 or None) is one more wrong class.
        predicted = targets_of(estimator.predict(X), len(y), self._unlabelled).decode_names()[rows]
        found = np.array(["" if name is None else name for name in predicted], dtype=str)
        return float(self._score(given.decode_names()[rows].astype(str), found, **self._arguments))

    def __repr__(self) -> str:
        return f"make_labelled_scorer({getattr(self._score, '__name__', self._score)})"


def _fraction_right(y_true: Any, y_pred: Any) -> float:
    return float((y_true == y_pred).mean())


def make_labelled_scorer(score: Callable[..., float] = _fraction_right, *, unlabelled: Any = -1, **arguments: Any) -> Any:
    """A scorer for partly labelled y, for ``scoring=`` of ``GridSearchCV`` and ``cross_val_score``:
    ``score(y_true, y_pred)`` over the labelled samples only.

    Parameters
    ----------
    score : callable, default=accuracy
        Such as ``sklearn.metrics.balanced_accuracy_score``. It gets the classes as texts; a row for which the
        model predicts no class has "".
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples in y, as that of estimators.
    **arguments : dict
        Further arguments of ``score``, such as ``average="macro"``.

    Returns
    -------
    scorer : callable(estimator, X, y)

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import GuidedNMF
    >>> from partwise.metrics import labelled_scorer
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> model = GuidedNMF(random_state=0, tol=1e-2).fit(X, ["a", None, "b", None, None])
    >>> labelled_scorer(model, X, ["a", "a", "b", None, "b"])
    0.75
    """
    return _LabelledScorer(score, unlabelled, arguments)


labelled_scorer = make_labelled_scorer()
"""``make_labelled_scorer`` with the accuracy: the fraction of labelled samples that are predicted right."""


def nmi(y_true: Any, y_pred: Any, *, average: str = "max") -> float:
    """Normalized mutual information, over the larger entropy (``"max"``) or their mean (``"arithmetic"``).

    Examples
    --------
    >>> from partwise.metrics import nmi
    >>> nmi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    names = {"max": "nmi", "arithmetic": "nmi-arithmetic"}
    if average not in names:
        raise ValueError(f"unknown average {average!r}; valid: 'max', 'arithmetic'")
    return _measure(names[average], y_true, y_pred)


def adjusted_rand_index(y_true: Any, y_pred: Any) -> float:
    """The Rand index, corrected for chance: 1 is perfect, 0 is chance."""
    return _measure("ari", y_true, y_pred)


def purity(y_true: Any, y_pred: Any) -> float:
    """The fraction of samples that belong to the most frequent class of their cluster."""
    return _measure("purity", y_true, y_pred)


def sparseness(values: Any) -> float:
    """Hoyer's sparseness of a vector (a matrix is read as one): 0 if all entries are equal, 1 if only one is
    not 0.

    Examples
    --------
    >>> from partwise.metrics import sparseness
    >>> sparseness([0, 0, 3, 0])
    1.0
    """
    return _native.sparseness(np.ascontiguousarray(np.ravel(values), dtype=np.float64))


def f_scores(y_true: Any, y_pred: Any) -> dict[str, float]:
    """F-scores for several labels per sample, from arrays of 0 and 1 of shape (n_samples, n_labels): macro
    and micro average, and their mean.

    Examples
    --------
    >>> from partwise.metrics import f_scores
    >>> f_scores([[1, 0], [0, 1]], [[1, 0], [0, 1]])["micro"]
    1.0
    """
    truth, found = (np.ascontiguousarray(np.asarray(y) > 0) for y in (y_true, y_pred))
    if truth.ndim != 2 or truth.shape != found.shape:
        raise ValueError(f"both must have the shape (n_samples, n_labels), but have {truth.shape} and {found.shape}")
    macro, micro, average = _native.f_scores(truth, found)
    return {"macro": macro, "micro": micro, "average": average}


def _cuts(graph: Any, clusters: Any) -> tuple[float, float]:
    labels = row_labels(clusters)
    # By the names of the clusters' members, where both have names.
    upper = sp.triu(canonical_csr(graph) if labels is None else graph_by_name(graph, Names(labels, len(clusters), "sample"), "the graph"), k=0).tocoo()
    numbers = np.ascontiguousarray(np.unique(np.asarray(clusters), return_inverse=True)[1], dtype=np.int32)
    if upper.shape[0] != upper.shape[1] or upper.shape[0] != len(numbers):
        raise ValueError(f"the graph has the shape {upper.shape}, but there are {len(numbers)} clusters' members")
    rows, columns = (np.ascontiguousarray(ends, dtype=np.uintp) for ends in (upper.row, upper.col))
    return _native.cuts(rows, columns, np.ascontiguousarray(upper.data, dtype=np.float64), numbers)


def total_cut(graph: Any, clusters: Any) -> float:
    """The weight of the edges of a symmetric graph (n, n), dense or sparse, between different clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise.metrics import total_cut
    >>> total_cut(np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]]), [0, 0, 1])
    1.0
    """
    return _cuts(graph, clusters)[0]


def normalized_cut(graph: Any, clusters: Any) -> float:
    """The sum over clusters of the cut weight over the weight of all edges at the cluster."""
    return _cuts(graph, clusters)[1]
