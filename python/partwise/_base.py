"""What every estimator shares: parameters, fit, codes of new rows, results."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._input import as_factor, is_anndata, lend, numeric, raise_about
from ._progress import Progress
from ._results import ResultsMixin
from ._targets import Targets, is_continuous, targets_of

__all__ = ["Factorization", "Iteration"]

_REGISTRIES = _native.registries()
_SPECS = {spec["name"]: spec for spec in _REGISTRIES["methods"]}
_LOSSES = {"frobenius": "frobenius", 2: "frobenius", "kullback-leibler": "kullback-leibler", 1: "kullback-leibler"}
# Multiplications in a product with X from which on several threads pay.
_WORK_FOR_THREADS = 1 << 20
# Notices of the engine that say that guidance did less than it seems to: these are also warnings.
_WARNED = (
    "no-labels",
    "seeds-without-match",
    "single-label",
    "start-without-labels",
    "unknown-feature",
    "unused-reference",
    "zeros-in-start",
)


class Iteration(NamedTuple):
    """What a ``callback`` is told after an iteration."""

    number: int
    """0 for the start, then 1, 2, ..."""
    objective: float
    """The objective, from the quantities of the updates."""
    kkt: float | None
    """The norm of the projected gradient that this iteration met; None for the start."""
    elapsed: float
    """Seconds since the loop began."""


class Factorization(ResultsMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The base of all estimators. A subclass names its method and says what it knows."""

    _method: ClassVar[str]
    _needs_labels: ClassVar[bool] = False
    # Labels only serve the start and the names: a continuous y (of a supervised pipeline) is then none of its business.
    _labels_are_optional: ClassVar[bool] = True
    _one_class_a_sample: ClassVar[bool] = True
    _component_for_each_class: ClassVar[bool] = False
    _symmetric: ClassVar[bool] = False
    _spectral_start: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.callback = callback
        self.dtype = dtype
        self.unlabelled = unlabelled
        self.layer = layer

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Labels: -1 (or ``unlabelled``) for samples without one; text with None, NaN or blank for those without; or
            memberships, one column a class.
        W : array-like of shape (n_samples, n_components), default=None
            The starting codes, with ``init="custom"``.
        H : array-like of shape (n_components, n_features), default=None
            The starting components, with ``init="custom"``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, W, H)

    def _fit(self, X: Any, y: Any, W: Any = None, H: Any = None, **known: Any) -> Any:
        data, targets, loss, knowledge, settings = self._prepared(X, y, W, H, **known)
        with Progress(type(self).__name__, self.max_iter, self.verbose) as progress:
            watch = self._watch(progress)
            try:
                done = self._run(data, loss, knowledge, settings, watch)
            except ValueError as error:
                raise_about(error, self)
        self._keep(done, targets, settings)
        self._warn(done)
        return self

    def _prepared(self, X: Any, y: Any, W: Any, H: Any, **known: Any) -> tuple[Any, Targets | None, str, dict[str, Any], dict[str, Any]]:
        """Data, targets, loss, knowledge and settings, checked."""
        if isinstance(y, str) and is_anndata(X):
            y = X.obs[y]
        data = numeric(self, X, reset=True, dtype=self.dtype)
        targets = self._targets(y, data.shape[0])
        loss = self._loss()
        data, knowledge = self._knowledge(data, targets, **known)
        labels = targets.for_the_start() if targets is not None else None
        if labels is not None:
            knowledge["labels"] = labels
        rank = self._rank(data, targets, W, H, knowledge)
        return data, targets, loss, knowledge, self._settings(rank, data.shape, knowledge, W, H)

    def _run(self, data: Any, loss: str, knowledge: dict[str, Any], settings: dict[str, Any], watch: Any) -> dict[str, Any]:
        return _native.fit(lend(data), self._method, loss, knowledge, settings, watch)

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        """The data as they go to the engine, and what is known beside them."""
        return data, {}

    def _targets(self, y: Any, n_samples: int) -> Targets | None:
        if y is None:
            if self._needs_labels:
                raise ValueError(
                    f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. "
                    f"{self._title} needs {self._needs}; give a label for each sample, and -1 where there is none."
                )
            return None
        if self._labels_are_optional and is_continuous(y):
            return None
        targets = targets_of(y, n_samples, self.unlabelled)
        if targets.codes is None and self._one_class_a_sample:
            row = int(np.flatnonzero(_soft_rows(targets))[0])
            raise ValueError(
                f"{self._title} takes one class a sample, but row {row} of y has several or a soft one; "
                "SSNMF, WSNMF and WSSymNMF take soft memberships, SSNMF and NMFAlpha several labels a sample"
            )
        return targets

    @property
    def _title(self) -> str:
        return str(_SPECS[self._method]["title"])

    @property
    def _needs(self) -> str:
        return str(_SPECS[self._method]["needs"])

    def _loss(self) -> str:
        wanted = self.beta_loss
        key = wanted if isinstance(wanted, str) else (float(wanted) if isinstance(wanted, Real) else None)
        if key not in _LOSSES:
            raise ValueError(
                f"The 'beta_loss' parameter of {type(self).__name__} must be 'frobenius' (or 2) or 'kullback-leibler' "
                f"(or 1). Got {wanted!r} instead."
            )
        loss = _LOSSES[key]
        if self.solver == "cd" and loss != "frobenius":
            raise ValueError(
                f"Invalid beta_loss parameter: solver 'cd' does not handle beta_loss = {wanted!r}; the solvers 'mu' and 'auto' do"
            )
        return loss

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        wanted = self.n_components
        name = type(self).__name__
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if wanted < 1:
                raise ValueError(
                    f"The 'n_components' parameter of {name} must be an int of 1 or more, 'auto' or None. Got {wanted} instead."
                )
            classes = targets.n_classes if targets is not None and self._component_for_each_class else 0
            if wanted < classes:
                warnings.warn(
                    f"n_components={wanted} is fewer than the {classes} classes of y, and {self._title} needs a component for each: "
                    f"{classes} are used",
                    UserWarning,
                    stacklevel=6,
                )
            return max(int(wanted), classes)
        if wanted is not None and wanted != "auto":
            raise ValueError(
                f"The 'n_components' parameter of {name} must be an int of 1 or more, 'auto' or None. Got {wanted!r} instead."
            )
        if self.init == "custom" and H is not None:
            return int(np.shape(H)[0])
        if self.init == "custom" and W is not None:
            return int(np.shape(W)[1])
        if wanted == "auto" and targets is not None and targets.n_classes:
            return targets.n_classes
        if self._method == "nmf":
            return int(data.shape[1])
        raise ValueError(
            f"n_components={wanted!r} means the number of classes, but {'no sample is labelled' if targets is not None else 'there are no labels'}; "
            f"give {name}(n_components=...) a number, or labels as y"
        )

    def _settings(self, rank: int, shape: tuple[int, int], knowledge: dict[str, Any], W: Any, H: Any) -> dict[str, Any]:
        name = type(self).__name__
        alpha_H = self.alpha_W if isinstance(self.alpha_H, str) and self.alpha_H == "same" else self.alpha_H
        for what, value in (("alpha_W", self.alpha_W), ("alpha_H", alpha_H)):
            if not isinstance(value, Real) or not value >= 0 or not np.isfinite(value):
                extra = " or 'same'" if what == "alpha_H" else ""
                raise ValueError(f"The '{what}' parameter of {name} must be a finite number of 0 or more{extra}. Got {value!r} instead.")
        if not isinstance(self.l1_ratio, Real) or not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"The 'l1_ratio' parameter of {name} must be a number from 0 to 1. Got {self.l1_ratio!r} instead.")
        if not isinstance(self.max_iter, Integral) or self.max_iter < 0:
            raise ValueError(f"The 'max_iter' parameter of {name} must be an int of 0 or more. Got {self.max_iter!r} instead.")
        if not isinstance(self.tol, Real) or not 0 <= self.tol < 1:
            raise ValueError(f"The 'tol' parameter of {name} must be a number from 0 (never stop on it) to below 1. Got {self.tol!r} instead.")
        if self.shuffle:
            warnings.warn(
                f"shuffle=True has no effect: {name} visits the components in a fixed order, so that a seed gives the same bits everywhere",
                UserWarning,
                stacklevel=6,
            )
        settings = {
            "rank": rank,
            "seed": _seed(self.random_state),
            "solver": self.solver,
            "max_iterations": int(self.max_iter),
            "tolerance": float(self.tol),
            "time_limit": None if self.time_limit is None else float(self.time_limit),
            "threads": _threads(self.n_jobs, rank * shape[0] * shape[1]),
            "l1": (float(self.alpha_W * self.l1_ratio), float(alpha_H * self.l1_ratio)),
            "l2": (float(self.alpha_W * (1 - self.l1_ratio)), float(alpha_H * (1 - self.l1_ratio))),
        }
        settings.update(self._start(rank, shape, knowledge, W, H))
        return settings

    def _start(self, rank: int, shape: tuple[int, int], knowledge: dict[str, Any], W: Any, H: Any) -> dict[str, Any]:
        if self.init == "custom":
            if W is None and H is None:
                raise ValueError(f"init='custom' needs the start: {type(self).__name__}.fit(X, W=..., H=...), one of them or both")
            given = (("codes", W, "W"), ("components", H, "H"))
            start = [(slot, as_factor(factor, f"{what} of init='custom'")) for slot, factor, what in given if factor is not None]
            sizes = {"codes": (shape[0], rank), "components": (rank, shape[1])}
            for slot, factor in start:
                for axis, place in enumerate(("first", "second")):
                    if factor.shape[axis] != sizes[slot][axis]:
                        raise ValueError(
                            f"Array with wrong {place} dimension passed to {type(self).__name__}: the {slot} of init='custom' "
                            f"must have the shape {sizes[slot]}, but have {factor.shape}"
                        )
            return {"start": start}
        if W is not None or H is not None:
            warnings.warn(
                "When init!='custom', provided W or H are ignored. Set  init='custom' to use them as initialization.",
                RuntimeWarning,
                stacklevel=6,
            )
        if self.init == "nndsvd" and (self.solver == "mu" or (self.solver == "auto" and self._loss() != "frobenius")):
            warnings.warn(
                "init='nndsvd' has exact zeros, which multiplicative updates ('mu') keep for ever; 'nndsvda', which fills them, is used",
                UserWarning,
                stacklevel=6,
            )
            return {"init": "nndsvda"}
        if self.init is not None:
            return {"init": self.init}
        classes = len(knowledge["labels"][1]) if "labels" in knowledge else 0
        guided = 0 < classes <= rank
        if guided or not self._spectral_start or rank > min(shape):
            return {"init": "auto"}
        return {"init": "nndsvda"}

    def _watch(self, progress: Progress) -> Callable[..., bool] | None:
        callback = self.callback
        if callback is None and not progress.shows:
            return None

        def watch(number: int, objective: float, kkt: float | None, elapsed: float) -> bool:
            iteration = Iteration(number, objective, kkt, elapsed)
            progress.update(iteration)
            answer = callback(iteration) if callback is not None else False
            return isinstance(answer, (bool, np.bool_)) and bool(answer)

        return watch

    def _keep(self, done: dict[str, Any], targets: Targets | None, settings: dict[str, Any]) -> None:
        self.components_ = done["components"]
        self.codes_ = done["codes"]
        self.n_components_ = self.components_.shape[0]
        self.n_iter_ = done["iterations"]
        self.objective_ = done["objective"]
        self.relative_error_ = done["relative_error"]
        self.reconstruction_err_ = _reconstruction_error(done)
        self.kkt_ = done["kkt"]
        self.stop_reason_ = done["stop"]
        self.history_ = {
            "iteration": np.arange(len(done["objectives"])),
            "objective": done["objectives"],
            "kkt": done["kkts"],
            "elapsed": done["seconds"],
        }
        self.notices_ = list(done["notices"])
        self.component_names_ = np.array(done["component_names"], dtype=object)
        for slot, factor in done["further"].items():
            setattr(self, slot.replace(" ", "_") + "_", factor)
        self._encoding = {key: done[key] for key in ("ridge", "linear", "smoothing", "loss")}
        used = ("loss", "solver", "init", "first")
        self._resolved = {"method": self._method, **settings, **{key: done[key] for key in used}}
        self._resolved.pop("start", None)
        self._targets_ = targets
        if targets is not None:
            self.classes_ = targets.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        self._component_classes = _component_classes(self._class_names_of_components(), self._clusters(self.codes_), targets)
        self.labels_ = self._decode(self._clusters(self.codes_))
        self._parts = dict(done["parts"])
        self.guidance_report_ = self._report(done, targets)

    def _class_names_of_components(self) -> Any:
        """For each component the name that a class would have."""
        return self.component_names_

    def _warn(self, done: dict[str, Any]) -> None:
        for code, message in done["notices"]:
            if code in _WARNED:
                warnings.warn(f"{type(self).__name__}: {message}", UserWarning, stacklevel=5)
        if done["stop"] == "iteration limit" and self.tol > 0 and self.max_iter > 0:
            first, last = _first_and_last(done["kkts"])
            reached = f" The projected gradient is at {last / first:.1e} of the first iteration's, tol is {self.tol:.1e}." if first > 0 else ""
            warnings.warn(
                f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence.{reached}",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _report(self, done: dict[str, Any], targets: Targets | None) -> dict[str, Any]:
        report: dict[str, Any] = {"parts": dict(done["parts"]), "notices": [message for _, message in done["notices"]]}
        if targets is None:
            return report
        labelled = targets.labelled
        report["n_labelled"] = int(labelled.sum())
        report["classes"] = {name: int(count) for name, count in zip(targets.names, _counts(targets), strict=True)}
        if targets.codes is not None and labelled.any():
            guessed = self._component_classes_of(self._clusters(self.codes_))
            report["agreement"] = float((guessed[labelled] == targets.codes[labelled]).mean())
        return report

    # ------------------------------------------------------------------ new rows

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fits and gives ``labels_``: the class (or the number of the component) of each sample of X.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            See ``predict``.
        """
        return self.fit(X, y, **fit_params).labels_

    def transform(self, X: Any) -> Any:
        """The codes of rows for the fitted components, without guidance.

        Under the Frobenius loss they are the exact minimum (with the fit's penalties); under Kullback-Leibler they are what
        ``max_iter`` multiplicative updates from a constant give, so that the codes of a row depend on nothing but the row.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            The codes, in the precision of X.
        """
        return self._encode(X)["codes"]

    def _encode(self, X: Any) -> dict[str, Any]:
        check_is_fitted(self)
        data = numeric(self, X, reset=False, dtype=self.dtype)
        exact = self._encoding["loss"] == "frobenius"
        settings = {
            "rank": self.n_components_,
            "solver": "bpp" if exact else "mu",
            # Block pivoting is done after one round; for multiplicative updates a stop on the gradient of all rows would make
            # the codes of a row depend on its neighbours.
            "max_iterations": 1 if exact else int(self.max_iter),
            "tolerance": 0.0,
            "threads": _threads(self.n_jobs, self.n_components_ * data.shape[0] * data.shape[1]),
        }
        components = np.ascontiguousarray(self.components_, dtype=np.float64)
        encoding = self._encoding
        try:
            return _native.encode(
                lend(data), components, encoding["ridge"], encoding["linear"], encoding["smoothing"], encoding["loss"], settings
            )
        except ValueError as error:
            raise_about(error, self)

    def predict(self, X: Any) -> Any:
        """The class of each row: that of the component with the largest share, see ``memberships``.

        Without labels it is the number of the component. Where the component belongs to no class, and for rows of zeros, it is
        the marker of unlabelled samples (-1, or None among texts).

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._decode(self._clusters(self._encode(X)["codes"]))

    def inverse_transform(self, X: Any) -> Any:
        """The data that codes stand for: codes times components (with the smoothing link between them, where the model has one).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = X.toarray() if sp.issparse(X) else np.asarray(X)
        if codes.ndim != 2 or codes.shape[1] != self.n_components_:
            raise ValueError(f"codes must have the shape (n_samples, {self.n_components_}), but have {codes.shape}")
        theta = self._encoding["smoothing"]
        if theta > 0:
            codes = (1 - theta) * codes + theta * codes.mean(axis=1, keepdims=True)
        return codes @ self.components_

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the relative reconstruction error of X by ``transform(X)``: 0 is perfect.

        ``-|X - W H| / |X|``, or ``-D(X | W H) / sum(X)`` under the Kullback-Leibler loss.

        Returns
        -------
        score : float
        """
        return -float(self._encode(X)["relative_error"])

    # ------------------------------------------------------------------ scikit-learn

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.pairwise = self._symmetric
        tags.target_tags.required = self._needs_labels
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")


def _seed(random_state: Any) -> int:
    """A whole number is the seed of the engine itself, so that the command line with the same seed gives the same bits."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}, but must be a whole number of 0 or more, a RandomState or None")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _threads(n_jobs: int | None, work: int | None = None) -> int:
    """Threads for the engine, 0 = all cores; negative numbers count from the cores.

    None means all, but one inside a job of joblib, and one where an iteration is so little work that threads would wait for
    each other longer than they work.
    """
    if n_jobs is None:
        if work is not None and work < _WORK_FOR_THREADS:
            return 1
        import joblib

        return 1 if joblib.parallel.get_active_backend()[0].nesting_level else 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}, but must be None (all cores), a number of threads of 1 or more, or -1 (all), -2 (all but one), ...")
    if n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(cores + 1 + int(n_jobs), 1)


def _reconstruction_error(done: dict[str, Any]) -> float:
    """As scikit-learn states it: the Frobenius norm of X - WH, or the square root of twice the divergence."""
    return float(np.sqrt(done["loss_value"] * (1 if done["loss"] == "frobenius" else 2)))


def _soft_rows(targets: Targets) -> Any:
    values = targets.memberships
    return ((values > 0).sum(axis=1) > 1) | ((values != 0) & (values != 1)).any(axis=1)


def _counts(targets: Targets) -> Any:
    if targets.codes is not None:
        return np.bincount(targets.codes[targets.codes >= 0], minlength=targets.n_classes)
    return (targets.memberships > 0).sum(axis=0)


def _first_and_last(kkts: Any) -> tuple[float, float]:
    met = kkts[~np.isnan(kkts)]
    return (float(met[0]), float(met[-1])) if len(met) else (0.0, 0.0)


def _component_classes(names: Any, clusters: Any, targets: Targets | None) -> Any:
    """The class of each component as a position in ``classes_``, -1 for none: by its name where the fit gave it one, else that of
    most labelled samples in it."""
    if targets is None:
        return None
    k = len(names)
    by_name = {name: at for at, name in enumerate(targets.names)}
    found = np.array([by_name.get(name, -1) for name in names], dtype=int)
    if (found >= 0).any() or targets.codes is None:
        return found
    for j in range(k):
        members = targets.codes[(clusters == j) & (targets.codes >= 0)]
        if len(members):
            found[j] = np.bincount(members).argmax()
    return found
