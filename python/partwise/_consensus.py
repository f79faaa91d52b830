"""Which components return from other starts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import Factorization
from ._blocks import in_memory
from ._estimators import NMF
from ._guided import GuidedNMF
from ._input import raise_about, to_native
from ._progress import PhaseProgress
from ._registry import error_name
from ._settings import seed_of, threads_of
from ._solve import solve_codes
from ._warn import warn

__all__ = ["ConsensusNMF"]

_PART = ("name", "named", "share", "distances", "outlier_limit", "outliers", "confusion", "size")
_QUANTILES = (5, 25, 50, 75, 95)


class ConsensusNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Fits many times from different random starts, and keeps the components that return.

    The components of every fit are matched one to one to those of the best fit; components that guidance
    names are matched by name. The consensus is the median of those that appear in their fit (cosine 0.9 or
    more), without those whose distance is beyond median + 3 MAD, improved by 10 further iterations from
    there; the codes are then refitted. No limit is chosen by eye. Samples that are 0 everywhere keep their
    row, with codes of 0.

    Parameters
    ----------
    n_components : int or iterable of int, default=2
        The number of components, or several, such as ``range(5, 14)``. This does not choose among them: see
        ``select_rank``.
    estimator : estimator of Partwise, default=None
        What is fitted, unfitted; ``NMF()`` if None. Its ``n_components``, ``random_state`` and ``n_jobs`` are
        not used. ``GuidedNMF`` brings its guidance. With ``init=None`` the starts are random, or from the
        guidance.
    n_restarts : int, default=100
        Fits for each number of components, 2 or more. Fit r has the seed ``random_state + r``.
    folder : str or path, default=None
        Where finished fits are kept until all are done, so that the same call goes on after an interruption
        and gives the same bits. None keeps them in memory. Fits of other data or parameters are refused.
    random_state : int, RandomState or None, default=0
        The seed of the first fit.
    n_jobs : int, default=None
        Fits at the same time; None = all cores. X is in memory once, and the result does not depend on this.
    time_limit : float, default=None
        Seconds, after which no further fit begins: the consensus is then made from the fits that are done,
        with a warning. With ``folder`` these are kept, and the same call goes on from there.
    verbose : int, default=0
        1 or more shows the progress, and the result in sentences.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The consensus, each row with sum 1: named components first, the others by size. With several numbers
        of components this and the following are those of the first; see ``choose``.
    codes_ : ndarray of shape (n_samples, n_components)
        The refitted codes, in the unit of X: what a component adds to the sum of a sample.
    component_names_ : list of str
        Names of the guidance, else "part 1", "part 2", ...
    n_components_ : int
        The number of components of these.
    stability_ : DataFrame
        A row for each component of each number; needs pandas. "share": the fraction of the other fits in
        which it appears (cosine 0.9 or more). "distance_5" to "distance_95": quantiles of 1 - cosine.
        "outlier_limit", "outliers": what is beyond median + 3 MAD. "confused_with", "confused_share",
        "confused_cosine": what it appears as in fits without it. "size": its fraction of the sum of all
        codes.
    summary_ : DataFrame
        A row for each number of components: "stability" (the mean share), "least_share", "best_error",
        "relative_error" (of the consensus), "loss_value", "n_fits", "n_unconverged", "best_seed".
    explanation_ : str
        The result in a sentence for each number.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import ConsensusNMF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.gamma(0.3, 1.0, (80, 3)) @ rng.gamma(0.3, 1.0, (3, 20))
    >>> model = ConsensusNMF(n_components=3, n_restarts=10).fit(X)
    >>> [float(share) for share in model.stability_["share"]]
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        n_components: Any = 2,
        *,
        estimator: Any = None,
        n_restarts: int = 100,
        folder: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.estimator = estimator
        self.n_restarts = n_restarts
        self.folder = folder
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> ConsensusNMF:
        """Fits from many starts.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,), default=None
            Labels for the estimator, if it takes any.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        ranks = self._ranks()
        reader = self._reader(max(ranks))
        if getattr(reader, "components_per_class", 1) == "auto":
            raise ValueError('ConsensusNMF does not support an estimator with components_per_class="auto"; give a number')
        data, _, loss, knowledge, settings = reader._prepared(X, y if not reader._ignores_y else None, None, None)
        in_memory(data, type(self).__name__)
        if settings.get("checkpoint") is not None:
            raise ValueError("ConsensusNMF has no checkpoint; leave checkpoint of its estimator at None (on the command line, a killed `partwise consensus` goes on)")
        settings = {**settings, "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs)}
        if reader.init is None and settings.get("init") == "nndsvda":
            # The default start of one fit does not depend on the seed.
            settings["init"] = "random"
        method, spread, knowledge = _for_engine(reader, knowledge)
        for notice in _native.unknown_features(knowledge["guidance"]) if "guidance" in knowledge else ():
            warn(f"{type(self).__name__}: {notice}")
        folder = None if self.folder is None else (os.fspath(self.folder), _identity(data, method, loss, spread, knowledge, settings))
        found = self._consensus(reader, to_native(data), method, loss, knowledge, settings, ranks, spread, folder)
        self._found = {of_k["n_components"]: of_k for of_k in found}
        self._loss = loss
        self.n_features_in_ = int(data.shape[1])
        names = getattr(reader, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if self.verbose:
            print(self.explanation_)
        return self.choose(next(iter(self._found)))

    def choose(self, n_components: int) -> ConsensusNMF:
        """Makes ``components_``, ``codes_`` and ``transform`` those of another number of components.

        Parameters
        ----------
        n_components : int
            One of the numbers that were fitted.

        Returns
        -------
        self : object
            This estimator.
        """
        if not hasattr(self, "_found"):
            check_is_fitted(self, "components_")
        if n_components not in self._found:
            raise ValueError(f"n_components is {n_components!r}, but must be one that was fitted: {', '.join(map(str, self._found))}")
        of_k = self._found[n_components]
        self.n_components_ = int(n_components)
        self.components_ = of_k["components"]
        self.codes_ = of_k["codes"]
        self.component_names_ = [part[0] for part in of_k["parts"]]
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and return ``codes_``.

        Parameters
        ----------
        X, y : as in ``fit``
            The data, and the labels.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            A copy of ``codes_``.
        """
        return self.fit(X, y).codes_.copy()

    def transform(self, X: Any) -> Any:
        """Compute the codes of rows for the consensus components.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative, with the features of the fit.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            The codes.
        """
        check_is_fitted(self, "components_")
        return solve_codes(X, self.components_, beta_loss=self._loss, n_jobs=self.n_jobs)

    @property
    def stability_(self) -> Any:
        """A row for each component of each number of components, as a pandas DataFrame."""
        import pandas as pd

        self._check_attribute("stability_")
        rows = []
        for k, of_k in self._found.items():
            for values in of_k["parts"]:
                part = dict(zip(_PART, values, strict=True))
                with_, share, cosine = part.pop("confusion") or (None, None, None)
                distances = dict(zip((f"distance_{q}" for q in _QUANTILES), part.pop("distances"), strict=True))
                rows.append({"n_components": k, "component": part.pop("name"), **part, **distances, "confused_with": with_, "confused_share": share, "confused_cosine": cosine})
        return pd.DataFrame(rows)

    @property
    def summary_(self) -> Any:
        """A row for each number of components, as a pandas DataFrame."""
        import pandas as pd

        self._check_attribute("summary_")
        columns = ("n_fits", "stability", "least_share", "best_error", "relative_error", "loss_value", "n_unconverged", "best_seed")
        return pd.DataFrame([{"n_components": k, **{name: of_k[name] for name in columns}} for k, of_k in self._found.items()]).set_index("n_components")

    @property
    def explanation_(self) -> str:
        """The result in a sentence for each number of components."""
        self._check_attribute("explanation_")
        return "\n".join(of_k["explanation"] for of_k in self._found.values())

    def plot(self, ax: Any = None) -> Any:
        """Plots the share of the fits in which each component appears; with several numbers of components,
        the stability and the error over the number. Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if None.

        Returns
        -------
        ax : matplotlib.axes.Axes
            The axes.
        """
        check_is_fitted(self, "components_")
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots()
        if len(self._found) == 1:
            shares = [part[2] for part in self._found[self.n_components_]["parts"]]
            ax.barh(self.component_names_[::-1], shares[::-1])
            ax.axvline(0.9, linestyle=":", color="gray")
            ax.set_xlim(0, 1)
            ax.set_xlabel("share of the other fits in which it appears")
            return ax
        ranks = list(self._found)
        ax.plot(ranks, [of_k["stability"] for of_k in self._found.values()], marker="o", label="stability (mean share)")
        ax.plot(ranks, [of_k["relative_error"] for of_k in self._found.values()], marker="s", label=error_name(self._loss))
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("number of components")
        ax.legend()
        return ax

    # ------------------------------------------------------------------ inside

    def _consensus(self, reader: Factorization, data: Any, method: str, loss: str, knowledge: Any, settings: Any, ranks: list[int], spread: str | None, folder: Any) -> Any:
        """What the engine finds for each number of components, where the time is enough for two fits."""
        asked = int(self.n_restarts)
        with PhaseProgress("consensus", self.verbose) as progress:

            def watch(done: int, total: int, work: float, elapsed: float) -> None:
                left = f", about {elapsed * (1 - work) / work:.0f} s left" if work > 0 else ""
                progress.update(f"{done} of {total} fits{left}", work, elapsed)

            try:
                found = _native.consensus(
                    data, method, loss, knowledge, settings, (ranks, asked), spread, folder,
                    None if self.time_limit is None else float(self.time_limit), watch if progress.shows else None,
                )
            except ValueError as error:
                raise_about(error, reader)
        kept = "" if self.folder is None else f" They are kept in {os.fspath(self.folder)}: the same call goes on from there."
        if not found:
            raise ValueError(f"time_limit of {self.time_limit} s was over before any number of components had the two fits that a consensus needs; give more time.{kept}")
        done = {of_k["n_components"]: of_k["n_fits"] for of_k in found}
        if any(done.get(rank, 0) < asked for rank in ranks):
            fits = ", ".join(f"{done.get(rank, 'fewer than 2')} for {rank}" for rank in ranks)
            warn(f"time_limit of {self.time_limit} s was over before all {asked} fits for each number of components were done: {fits}.{kept}", ConvergenceWarning)
        return found

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _check_attribute(self, name: str) -> None:
        if not hasattr(self, "_found"):
            raise AttributeError(f"{type(self).__name__} has no {name} before fit")

    def _ranks(self) -> list[int]:
        wanted = self.n_components
        several = isinstance(wanted, Iterable) and not isinstance(wanted, (str, bytes))
        ranks = list(wanted) if several else [wanted]
        if not ranks:
            raise ValueError("n_components is empty, but must be one number or more")
        limit = self.time_limit
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, Real) or not limit > 0):
            raise ValueError(f"time_limit is {limit!r}, but must be a number of seconds above 0, or None")
        for name, value in (*(("n_components", rank) for rank in ranks), ("n_restarts", self.n_restarts)):
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                raise ValueError(f"{name} is {value!r}, but must be a whole number of 1 or more")
        return sorted({int(rank) for rank in ranks})

    def _reader(self, rank: int) -> Factorization:
        """The estimator that is fitted, for the largest number of components."""
        estimator = NMF() if self.estimator is None else self.estimator
        if not isinstance(estimator, Factorization):
            raise ValueError(f"estimator is {type(estimator).__name__}, but must be an estimator of Partwise, such as NMF() or GuidedNMF(...)")
        if estimator.init == "custom":
            raise ValueError("estimator has init='custom', but a consensus compares different starts; leave init out")
        return clone(estimator).set_params(n_components=rank)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _for_engine(reader: Factorization, knowledge: dict[str, Any]) -> tuple[str, str | None, dict[str, Any]]:
    """Method, spreading of labels, and what is known, as the engine takes them."""
    if isinstance(reader, GuidedNMF):
        return reader._method, str(reader.spread), {"guidance": knowledge["guidance"].document}
    return reader._method, None, reader._options(knowledge)


def _identity(data: Any, method: str, loss: str, spread: str | None, knowledge: dict[str, Any], settings: dict[str, Any]) -> str:
    """All that changes a fit but its number of components and its seed."""
    fixed = {name: value for name, value in settings.items() if name not in ("rank", "threads")}
    given = {name: value if isinstance(value, (str, int, float, bool, type(None))) else joblib.hash(value) for name, value in fixed.items()}
    shape = {"samples": int(data.shape[0]), "features": int(data.shape[1]), "hash": joblib.hash(data), "dtype": np.dtype(data.dtype).name}
    return json.dumps({"data": shape, "method": method, "loss": loss, "spread": spread, "guidance": joblib.hash(knowledge), "settings": given})
