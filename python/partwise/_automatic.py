"""Predicts the classes of all samples from a few labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._estimators import NMF
from ._input import is_anndata, numeric, obs_column, raise_about, to_native
from ._names import check_same_order
from ._settings import threads_of, warn_of_threads
from ._targets import targets_of

__all__ = ["Automatic", "automatic"]


@dataclass(frozen=True)
class Automatic:
    """The result of ``automatic``: classes, posteriors, and the scores behind them."""

    labels: Any
    """The class of each sample (n)."""
    memberships: Any
    """The posterior of each class for each sample (n, c); rows sum to 1."""
    classes: Any
    """The classes (c), sorted."""
    candidates: list[dict[str, Any]]
    """The candidate graphs: "graph", "components_per_class", "share", "score", "agreement", "weight"."""
    readings: list[dict[str, Any]]
    """The base classifiers: "reading" (its name), "score", "agreement", "weight"."""
    refinements: list[dict[str, Any]]
    """The refinements of the combined posteriors: "refinement" (its name), "score", "agreement", "weight"."""
    hidden: int
    """The number of held-out labels that the scores use."""
    sizes: Any
    """The class sizes that were assumed (c); they sum to 1."""
    notices: list[tuple[str, str]]
    """Notices about the result."""


class _Reader(NMF):
    """Reads X like the estimators."""


def automatic(X: Any, y: Any, *, random_state: int = 0, n_jobs: int | None = None, unlabelled: Any = -1, layer: str | None = None) -> Automatic:
    """Predict the classes of all samples from a few labels, without parameters to tune.

    Cross-validation on the labels scores candidate graphs (of the data, of class centroids, of WS-NMF codes).
    The combined graph and the data feed six base classifiers (label spreading and WS-SymNMF on both graphs,
    CNMF, linear discriminants). Self-training refines the product of their posteriors: votes of neighbours,
    in the data and among discriminants, and a Gaussian and a multinomial mixture. All weights depend on the
    held-out scores and on the agreement of the folds. Rows are compared by direction: scale text by tf-idf
    and molecule counts by logarithms.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
        The data, non-negative.
    y : array-like of shape (n_samples,)
        One label per sample, of two classes or more; -1 (or ``unlabelled``), None, NaN or blank for
        unlabelled samples.
    random_state : int, default=0
        The seed.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on this.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples.
    layer : str, default=None
        The layer of an AnnData object.

    Returns
    -------
    found : Automatic
        The predicted ``labels`` with their ``memberships`` (posteriors), and the scores behind them: of the
        candidate graphs (``candidates``), the base classifiers (``readings``) and the self-training steps
        (``refinements``).

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import automatic
    >>> X = np.array([[3, 1, 0.1 * i] if i % 2 == 0 else [0.1 * i, 1, 3] for i in range(12)])
    >>> found = automatic(X, ["a", "b", "a", "b", *[None] * 8])
    >>> "".join(found.labels)
    'abababababab'
    """
    reader = _Reader(layer=layer)
    if isinstance(y, str) and is_anndata(X):
        y = obs_column(X, y)
    data = numeric(reader, X, reset=True)
    check_same_order(y, reader._names_in_.samples, "y")
    targets = targets_of(y, data.shape[0], unlabelled)
    if targets.codes is None:
        raise ValueError("automatic requires one label per sample, but y has several labels or soft memberships")
    codes, names, present = targets.hard()
    try:
        found = _native.automatic(to_native(data), (codes, names), int(random_state), threads_of(n_jobs))
    except ValueError as error:
        raise_about(error, reader)
    warn_of_threads(found["notices"], "automatic")
    classes = targets.classes[present]
    return Automatic(
        classes[found["classes"]],
        found["posteriors"],
        classes,
        [dict(zip(("graph", "components_per_class", "share", "score", "agreement", "weight"), line, strict=True)) for line in found["candidates"]],
        [dict(zip(("reading", "score", "agreement", "weight"), line, strict=True)) for line in found["base_classifiers"]],
        [dict(zip(("refinement", "score", "agreement", "weight"), line, strict=True)) for line in found["refinements"]],
        found["held_out"],
        np.array(found["class_sizes"]),
        list(found["notices"]),
    )
