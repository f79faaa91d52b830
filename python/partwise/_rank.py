"""How many components the data support."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from . import _native
from ._input import numeric, raise_about, to_native
from ._names import check_same_order
from ._progress import PhaseProgress
from ._settings import seed_of, threads_of
from ._warn import warn

__all__ = ["RankChoice", "select_rank"]

_COLUMNS = ("rank", "error", "excess", "excess_error", "replication", "errors", "hidden_labels_found", "drift_of_named")


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
    """The fraction of 200 resamplings of the splits with the same answer, 0 to 1; nan if the search was
    stopped before it compared two numbers."""
    at_limit: bool
    """Whether the largest number that was tried predicts best, so that a larger one may be better."""
    none_returns: bool
    """Whether the components of none of the numbers that were tried return; ``rank`` is the least of them."""
    stopped: bool
    """Whether a time limit ended the search; ``rank`` is then the answer by what was tried."""
    holdout: str
    """What was held out: "thinning", "entries" or "blocks"."""
    loss: str
    """The loss."""
    explanation: str = field(repr=False)
    """The answer with its reasons, in words."""
    rows: list[dict[str, Any]] = field(repr=False)
    """For each number of components that was tried: "rank", "error" (held-out, relative to the mean of all
    entries), "excess" over the best and its standard error "excess_error", "replication" (None where it was
    not needed), and the "errors" of the splits. Under guidance near the answer also "hidden_labels_found"
    (the fraction of hidden labels that are found again) and "drift_of_named" (1 - the smallest cosine of a
    named component and itself without free components)."""
    n_named: int = 0
    """The components that the guidance names, among ``rank``."""
    topic_in_two: str | None = None
    """Under guidance: the topic whose second component predicts better than a further free component."""

    @property
    def table(self) -> Any:
        """The rows as a pandas DataFrame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self._columns()).set_index("rank")

    def _columns(self) -> list[str]:
        return [name for name in _COLUMNS if name != "errors" and (self.n_named or name not in _COLUMNS[-2:])]

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


def select_rank(
    X: Any,
    y: Any = None,
    *,
    guidance: Any = None,
    min_components: int = 1,
    max_components: int = 30,
    beta_loss: str | None = None,
    n_splits: int | None = None,
    n_restarts: int | None = None,
    holdout: str = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    verbose: int = 0,
    layer: str | None = None,
) -> RankChoice:
    """How many components the data support: by held-out prediction and by replication.

    The data are split several times into a part to fit and a part to predict, with the same splits for every
    number of components: counts by binomial thinning, other data by hidden entries (dense data, squared loss)
    or hidden blocks. The answer by prediction is the smallest number whose mean error is the best one, but
    for a thousandth of what that predicts. From there it goes down to the largest number whose components
    return in random halves of the samples (smallest correlation of matched components, about the mean of
    all, of 0.7 or more; the median over the splits). The
    answer does not depend on the unit of X, on the number of threads, or on the range of numbers that holds
    it.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
        The data, non-negative.
    y : array-like of shape (n_samples,), default=None
        Labels of some samples, as for ``GuidedNMF``.
    guidance : Guidance, default=None
        What is known. The numbers of components then count those that guidance or labels name; they always
        take part, and only the free ones beside them are compared.
    min_components, max_components : int, default=1 and 30
        The numbers to compare; the largest is lowered to what the data allow.
    beta_loss : {"frobenius", "kullback-leibler"}, default=None
        The loss. None is "kullback-leibler" for counts and "frobenius" for other data.
    n_splits : int, default=None
        Splits of the data, 2 or more. None is 8, from 100,000 stored values on 6, from a million on 4.
    n_restarts : int, default=None
        Starts of each fit, of which the best is kept. None is 2, and 1 from 100,000 stored values on.
    holdout : {"auto", "thinning", "entries", "blocks"}, default="auto"
        What is held out.
    random_state : int, RandomState or None, default=0
        The seed.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on this.
    time_limit : float, default=None
        The maximum number of seconds; the answer is then that of the numbers that were tried.
    verbose : int, default=0
        1 shows progress: a bar if tqdm is installed, otherwise lines; and the answer at the end.
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
        optional = name in ("n_splits", "n_restarts")
        if optional and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} is {value!r}, but must be a whole number of 1 or more{' or None' if optional else ''}")
    if beta_loss is not None and not isinstance(beta_loss, str):
        raise ValueError(f"beta_loss is {beta_loss!r}, but must be 'frobenius', 'kullback-leibler' or None")
    if time_limit is not None and (isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not time_limit > 0):
        raise ValueError(f"time_limit is {time_limit!r}, but must be a number of seconds above 0, or None")
    from ._estimators import NMF
    from ._guided import GuidedNMF

    document = None
    if y is None and guidance is None:
        reader: Any = NMF(layer=layer)
        data = numeric(reader, X, reset=True, needed_by="select_rank")
    else:
        reader = GuidedNMF(guidance=guidance, layer=layer)
        data, document = _read_guided(reader, X, y)
    return select(
        data, document, reader, beta_loss, (int(min_components), int(max_components)), n_splits, n_restarts, holdout,
        seed_of(random_state), threads_of(n_jobs), time_limit, verbose, by_arguments=True,
    )


def _read_guided(reader: Any, X: Any, y: Any) -> tuple[Any, dict[str, Any]]:
    """The data and the guidance, as the engine takes them."""
    y = reader._column_of_obs(X, y)
    data = numeric(reader, X, reset=True, needed_by="select_rank")
    check_same_order(y, reader._names_in_.samples, "y")
    data, known = reader._knowledge(data, reader._targets(y, data.shape[0]))
    return data, known["guidance"].document


def select(
    data: Any,
    document: dict[str, Any] | None,
    reader: Any,
    loss: str | None,
    tried: tuple[int, int],
    n_splits: int | None,
    n_restarts: int | None,
    holdout: str,
    seed: int,
    threads: int,
    time_limit: float | None,
    verbose: int,
    by_arguments: bool = False,
) -> RankChoice:
    """The number of components of checked data. Errors are about what ``reader`` has read; by_arguments: they
    name the arguments of ``select_rank``."""
    if by_arguments and document is not None:
        for notice in _native.unknown_features(document):
            warn(f"select_rank: {notice}")
    settings = {"rank": 1, "seed": seed, "threads": threads}
    with PhaseProgress("rank", verbose) as progress:

        def watch(fits: int, rank: int, replication: bool, done: float, elapsed: float) -> None:
            left = f", about {elapsed * (1 - done) / done:.0f} s left" if done > 0 else ""
            progress.update(f"{'do components return' if replication else 'held-out error'}, k = {rank}, {fits} fits{left}", done, elapsed)

        try:
            found = _native.select_rank(
                to_native(data), document, loss, settings, tried,
                None if n_splits is None else int(n_splits), None if n_restarts is None else int(n_restarts),
                holdout, None if time_limit is None else float(time_limit), watch if progress.shows else None, by_arguments,
            )
        except ValueError as error:
            raise_about(error, reader)
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in found.pop("table")]
    choice = RankChoice(rows=rows, **found)
    if verbose:
        print(f"rank: {choice.explanation}")
    return choice
