"""How many components the data support."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from . import _native
from ._estimators import NMF
from ._input import numeric, raise_about, to_native
from ._settings import seed_of, threads_of

__all__ = ["RankChoice", "select_rank"]

_COLUMNS = ("rank", "error", "excess", "excess_error", "replication")


@dataclass(frozen=True)
class RankChoice:
    """The result of ``select_rank``: the number of components that the data support, and why."""

    rank: int
    """The answer."""
    k_prediction: int
    """The answer by held-out prediction alone."""
    k_replication: int
    """The largest number, at most ``k_prediction``, whose components return in random halves of the
    samples."""
    structure: bool
    """False if one component predicts held-out data no better than the mean of all entries."""
    confidence: float
    """The fraction of 200 resamplings of the splits with the same answer, 0 to 1."""
    at_limit: bool
    """Whether the largest number that was tried predicts best, so that a larger one may be better."""
    none_returns: bool
    """Whether the components of none of the numbers that were tried return; ``rank`` is the least of them."""
    holdout: str
    """What was held out: "thinning", "entries" or "blocks"."""
    loss: str
    """The loss."""
    explanation: str = field(repr=False)
    """The answer with its reasons, in words."""
    rows: list[dict[str, Any]] = field(repr=False)
    """For each number of components that was tried: "rank", "error" (held-out, relative to the mean of all
    entries), "excess" over the best and its standard error "excess_error", "replication" (None where it was
    not needed)."""

    @property
    def table(self) -> Any:
        """The rows as a pandas DataFrame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(_COLUMNS)).set_index("rank")

    def plot(self, ax: Any = None) -> Any:
        """Plots the held-out error over the number of components; needs matplotlib. Returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots()
        ranks = [row["rank"] for row in self.rows]
        ax.errorbar(ranks, [row["error"] for row in self.rows], yerr=[row["excess_error"] for row in self.rows], marker="o")
        ax.axvline(self.rank, linestyle=":")
        ax.set_xlabel("number of components")
        ax.set_ylabel("held-out error")
        return ax


class _Reader(NMF):
    """Reads X like the estimators."""


def select_rank(
    X: Any,
    *,
    min_components: int = 1,
    max_components: int = 30,
    beta_loss: str | None = None,
    n_splits: int = 8,
    n_restarts: int = 2,
    holdout: str = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
    layer: str | None = None,
) -> RankChoice:
    """How many components the data support: by held-out prediction and by replication.

    The data are split several times into a part to fit and a part to predict, with the same splits for every
    number of components: counts by binomial thinning, other data by hidden entries (dense data, squared loss)
    or hidden blocks. The answer by prediction is the smallest number whose mean excess over the best error is
    at most its standard error. From there it goes down to the largest number whose components return in
    random halves of the samples (smallest matched cosine of 0.7 or more, the median over the splits). The
    answer does not depend on the unit of X, on the number of threads, or on the range of numbers that holds
    it.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
        The data, non-negative.
    min_components, max_components : int, default=1 and 30
        The numbers to compare; the largest is lowered to what the data allow.
    beta_loss : {"frobenius", "kullback-leibler"}, default=None
        The loss. None is "kullback-leibler" for counts and "frobenius" for other data.
    n_splits : int, default=8
        Splits of the data, 2 or more.
    n_restarts : int, default=2
        Starts of each fit, of which the best is kept.
    holdout : {"auto", "thinning", "entries", "blocks"}, default="auto"
        What is held out.
    random_state : int, RandomState or None, default=0
        The seed.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on this.
    layer : str, default=None
        The layer of an AnnData object.

    Returns
    -------
    found : RankChoice
        The answer as ``rank``, in words as ``explanation``, with a ``table`` and a ``plot``.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import select_rank
    >>> rng = np.random.default_rng(0)
    >>> parts = rng.dirichlet(np.full(30, 0.2), size=3)
    >>> X = rng.poisson(200 * rng.dirichlet(np.full(3, 0.3), size=60) @ parts)
    >>> select_rank(X, max_components=6, n_splits=4, n_restarts=1).rank
    3
    """
    for name, value in (("min_components", min_components), ("max_components", max_components), ("n_splits", n_splits), ("n_restarts", n_restarts)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} is {value!r}, but must be a whole number of 1 or more")
    if beta_loss is not None and not isinstance(beta_loss, str):
        raise ValueError(f"beta_loss is {beta_loss!r}, but must be 'frobenius', 'kullback-leibler' or None")
    reader = _Reader(layer=layer)
    data = numeric(reader, X, reset=True)
    settings = {"rank": 1, "seed": seed_of(random_state), "threads": threads_of(n_jobs)}
    try:
        found = _native.select_rank(
            to_native(data), beta_loss, settings, (int(min_components), int(max_components)), int(n_splits), int(n_restarts), holdout
        )
    except ValueError as error:
        raise_about(error, reader)
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in found.pop("table")]
    return RankChoice(rows=rows, **found)
