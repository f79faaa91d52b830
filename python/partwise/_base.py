"""The base of all estimators: parameters, fit, codes of new rows, results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._guidance.items import labels_document
from ._input import check_similarities, codes_by_name, empty_rows, is_anndata, lend, numeric, obs_column, raise_about, start_by_name
from ._missing_entries import codes_of_known_entries
from ._names import DataNames, check_same_order
from ._progress import Progress
from ._results import ResultsMixin
from ._settings import SettingsMixin, threads_of, warn_of_threads
from ._targets import Targets, is_continuous, targets_of
from ._warn import warn

__all__ = ["Factorization", "Iteration"]

# Notices of the engine that say that guidance did less than it seems to: these are also warnings.
_WARNED = (
    "all-components-zero",
    "empty-item",
    "no-effect",
    "no-labels",
    "seeds-without-match",
    "single-label",
    "start-without-labels",
    "threads",
    "unclear-labels",
    "unknown-feature",
    "unused-reference",
    "zeros-in-start",
)


# Factors beside codes and components whose name in the engine is that of something else here.
_FURTHER = {"labels": "label_components"}


class Iteration(NamedTuple):
    """What a ``callback`` receives after each iteration."""

    number: int
    """0 for the start, then 1, 2, ..."""
    objective: float
    """The objective, from the quantities of the updates."""
    kkt: float | None
    """The norm of the projected gradient at the start of this iteration; None for the start."""
    elapsed: float
    """Seconds since the loop began."""


class Factorization(SettingsMixin, ResultsMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The base of all estimators. A subclass names its method and its guidance."""

    _method: ClassVar[str]
    _needs_labels: ClassVar[bool] = False
    # Labels only serve the start and the names: a continuous y (of a supervised pipeline) is then none of its
    # business.
    _labels_are_optional: ClassVar[bool] = True
    _one_class_a_sample: ClassVar[bool] = True
    _symmetric: ClassVar[bool] = False
    # The names of the samples and features of the fit.
    _names_in_: DataNames
    # The scaling of new rows, of a model that the command line fitted with --scale; None for all else.
    scaling_: Any = None
    _left_entries_out: bool = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
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
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.acceleration = acceleration
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
            Labels: -1 (or ``unlabelled``) for unlabelled samples; in text also None, NaN or blank. Or
            memberships, one column per class.
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
        self._forget_scaling()
        data, targets, loss, knowledge, settings = self._prepared(X, y, W, H, **known)
        noted = [*self._without_effect(X, y, targets, settings, known), *(("unclear-labels", note) for note in (targets.notes if targets is not None else []))]
        with Progress(type(self).__name__, self.max_iter, self.verbose) as progress:
            watch = self._watch(progress)
            try:
                done = self._run(data, loss, knowledge, settings, watch)
            except ValueError as error:
                raise_about(error, self)
        done["notices"] = [*done["notices"], *noted]
        self._empty_rows = self._without_knowledge(empty_rows(data), targets, done, known)
        self._keep(done, targets, settings)
        self._warn(done)
        return self

    def _prepared(self, X: Any, y: Any, W: Any, H: Any, **known: Any) -> tuple[Any, Targets | None, str, dict[str, Any], dict[str, Any]]:
        """Data, targets, loss, guidance and settings, checked."""
        if isinstance(y, str) and is_anndata(X):
            y = obs_column(X, y)
        data = numeric(self, X, reset=True, dtype=self.dtype)
        names = self._names_in_
        check_same_order(y, names.samples, "y")
        if self._symmetric:
            check_similarities(names)
        targets = self._targets(y, data.shape[0])
        loss = self._loss()
        data, knowledge = self._knowledge(data, targets, **known)
        labels = targets.for_the_start() if targets is not None else None
        if labels is not None:
            knowledge["labels"] = labels
        if self.init == "custom":
            W, H = start_by_name(W, H, names, self._owners(knowledge))
        rank = self._rank(data, targets, W, H, knowledge)
        return data, targets, loss, knowledge, self._settings(rank, data.shape, knowledge, W, H)

    def _owners(self, knowledge: dict[str, Any]) -> list[str]:
        """The names of the first components, if the fit assigns them to classes or topics."""
        return list(knowledge["labels"][1]) if self._component_for_each_class and "labels" in knowledge else []

    def _without_knowledge(self, rows: Any, targets: Targets | None, done: dict[str, Any], known: dict[str, Any]) -> Any:
        """Those of the samples of which nothing is known: neither a label nor a link nor an edge that was
        given."""
        if known.get("graph") is not None or any(item["kind"] in ("links", "graph") for item in done.get("fitted_guidance", {}).get("items", [])):
            return rows[:0]
        labelled = np.array([], dtype=int) if targets is None else np.flatnonzero(targets.labelled)
        return np.setdiff1d(rows, np.union1d(labelled, done.get("labelled", labelled)))

    def _forget_scaling(self) -> None:
        """``fit`` does not scale X, also for a loaded model that scales new rows."""
        scaling = getattr(self, "scaling_", None)
        if scaling is not None:
            warn(f"the model was loaded with the scaling {scaling.kind!r}, but fit does not scale X")
        self.scaling_ = None

    def _run(self, data: Any, loss: str, knowledge: dict[str, Any], settings: dict[str, Any], watch: Any) -> dict[str, Any]:
        options = {name: value for name, value in knowledge.items() if name not in ("labels", "strength", "items")}
        items = list(knowledge.get("items", []))
        if "labels" in knowledge:
            items.insert(0, {"kind": "labels", **labels_document(*knowledge["labels"]), **knowledge.get("strength", {})})
        return _native.fit(lend(data), self._method, loss, {"guidance": {"topics": [], "items": items}, **options}, settings, watch)

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        """The data for the engine, and what is known: "items" of guidance, the "strength" of labels,
        options."""
        return data, {}

    def _targets(self, y: Any, n_samples: int) -> Targets | None:
        if y is None:
            if self._needs_labels:
                raise ValueError(
                    f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. "
                    f"{self._title} needs {self._needs}; give a label for each sample, and -1 for unlabelled samples."
                )
            return None
        if self._labels_are_optional and is_continuous(y):
            return None
        targets = targets_of(y, n_samples, self.unlabelled)
        if targets.codes is None and self._one_class_a_sample:
            row = int(np.flatnonzero(_soft_rows(targets))[0])
            raise ValueError(
                f"{self._title} takes one class per sample, but row {row} of y has several or a soft one; "
                "SSNMF, WSNMF and WSSymNMF take soft memberships, SSNMF and NMFAlpha several labels per sample"
            )
        return targets

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
        self._shares_of = done.get("shares_of") or ("length" if done["loss"] == "frobenius" else "sum")
        for slot, factor in done["further"].items():
            setattr(self, _FURTHER.get(slot.replace(" ", "_"), slot.replace(" ", "_")) + "_", factor)
        self._encoding = {key: done[key] for key in ("ridge", "linear", "smoothing", "feature_weights", "loss")}
        used = ("loss", "solver", "init", "first")
        self._resolved = {"method": self._method, **settings, **{key: done[key] for key in used}}
        self._resolved.pop("start", None)
        self._targets_ = targets
        if targets is not None:
            self.classes_ = targets.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        clusters = self._clusters(None)
        self._component_classes = _component_classes(self._class_names_of_components(), clusters, targets)
        self.labels_ = self._decode(clusters)
        self._parts = dict(done["parts"])
        self.guidance_report_ = self._report(done, targets)

    def _class_names_of_components(self) -> Any:
        """For each component the name that a class would have."""
        return self.component_names_

    def _warn(self, done: dict[str, Any]) -> None:
        for code, message in done["notices"]:
            # The default takes as many components as there are features: said where that is more than there
            # are samples.
            unasked = code == "large-rank" and self.n_components in ("auto", None)
            if code in _WARNED or unasked:
                warn(f"{type(self).__name__}: {message}")
        progress = done["still_improving"]
        if progress is not None and self.tol > 0 and self.max_iter > 0:
            lowered = f"{100 * progress:.1f}" if progress < 0.1 else f"{100 * progress:.0f}"
            warn(
                f"Stopped after {done['iterations']} iterations without converging. The last {min(50, done['iterations'])} still"
                f" lowered the objective by {lowered} %; to continue further: max_iter={max(500, 2 * self.max_iter)}.",
                ConvergenceWarning,
            )

    def _report(self, done: dict[str, Any], targets: Targets | None) -> dict[str, Any]:
        report: dict[str, Any] = {"parts": dict(done["parts"]), "notices": [message for _, message in done["notices"]]}
        if targets is None:
            return report
        labelled = targets.labelled
        report["n_labelled"] = int(labelled.sum())
        report["classes"] = {name: int(count) for name, count in zip(targets.names, _counts(targets), strict=True)}
        if targets.codes is not None and labelled.any():
            guessed = self._component_classes_of(self._clusters(None))
            report["agreement"] = float((guessed[labelled] == targets.codes[labelled]).mean())
        return report

    # ------------------------------------------------------------------ new rows

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, and return ``codes_``: the codes of the fit, with all guidance (labels, weights, missing
        entries).

        ``transform`` of the same rows solves for the codes without guidance. The results differ if guidance
        acts on the codes, and if the fit has not converged.

        Parameters
        ----------
        X, y : as in ``fit``
            The data, and the labels.
        **fit_params : dict
            Further arguments of ``fit``.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            A copy of ``codes_``.
        """
        return self.fit(X, y, **fit_params).codes_.copy()

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, and return ``labels_``: the class (or the number of the component) of each sample of X.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            See ``predict``.
        """
        return self.fit(X, y, **fit_params).labels_

    def transform(self, X: Any) -> Any:
        """Compute the codes of rows for the fitted components, without guidance.

        Under the Frobenius loss they are the exact minimum (with the fit's penalties); with the
        Kullback-Leibler loss they are the result of ``max_iter`` multiplicative updates from a constant
        start. Either way the codes of a row depend only on that row.

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
        """The result of the engine for new rows; NaN is a missing entry if the fit supports missing
        entries."""
        check_is_fitted(self)
        data = numeric(self, X, reset=False, dtype=self.dtype)
        known = None
        if self._left_out() and not sp.issparse(data) and np.isnan(data).any():
            known = ~np.isnan(data)
            data = np.where(known, data, data.dtype.type(0))
        elif self._left_entries_out:
            warn(
                f"{type(self).__name__}: the fit ignored missing entries, but here every entry counts, including zeros. "
                "Use NaN in a dense X for missing entries; codes_ has the codes of the fit"
            )
        data = self._scaled(data)
        # Faults other than NaN are found here too, in the words of the engine.
        done = self._encode_known(data)
        return done if known is None else codes_of_known_entries(self, data, known)

    def _left_out(self) -> bool:
        """Whether new rows may have missing entries."""
        return self._left_entries_out and self._encoding["loss"] == "frobenius"

    def _scaled(self, data: Any) -> Any:
        """Rows scaled like the data of the fit, if the command line scaled those."""
        return data if self.scaling_ is None else self.scaling_.scaled(data)

    def _encode_known(self, data: Any) -> dict[str, Any]:
        exact = self._encoding["loss"] == "frobenius"
        settings = {
            "rank": self.n_components_,
            "solver": "bpp" if exact else "mu",
            # Block pivoting is done after one round; for multiplicative updates a stop on the gradient of all
            # rows would make the codes of a row depend on its neighbours.
            "max_iterations": 1 if exact else int(self.max_iter),
            "tolerance": 0.0,
            "threads": threads_of(self.n_jobs),
        }
        components = np.ascontiguousarray(self.components_, dtype=np.float64)
        encoding = self._encoding
        try:
            penalties = (encoding["ridge"], encoding["linear"], encoding["smoothing"], encoding.get("feature_weights"))
            done = _native.encode(lend(data), components, *penalties, encoding["loss"], settings, self._guidance_of_new_rows())
        except ValueError as error:
            raise_about(error, self)
        warn_of_threads(done["notices"], type(self).__name__)
        return done

    def _guidance_of_new_rows(self) -> dict[str, Any] | None:
        """What the fit learned about the classes of new rows."""
        return None

    def predict(self, X: Any) -> Any:
        """Predict the class of each row: that of the component with the largest membership, see
        ``memberships``. Without labels it is the number of the component. If the component belongs to no
        class, and for rows of zeros, it is the marker of unlabelled samples (-1, or None for text labels).

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._decode(self._clusters(self._encode(X)["codes"]))

    def inverse_transform(self, X: Any) -> Any:
        """The reconstruction from codes: codes times components (with the smoothing matrix in between, if the
        model has one).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = codes_by_name(X, self.component_names_)
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


def _reconstruction_error(done: dict[str, Any]) -> float:
    """As scikit-learn states it: the Frobenius norm of X - WH, or the square root of twice the divergence."""
    loss, unit = done["loss_value"], done.get("objective_unit", 1.0)
    # The loss of data whose squares leave the range is that of the data divided by a number.
    return float(np.sqrt(loss) * unit if done["loss"] == "frobenius" else np.sqrt(2 * loss * unit))


def _soft_rows(targets: Targets) -> Any:
    values = targets.memberships
    return ((values > 0).sum(axis=1) > 1) | ((values != 0) & (values != 1)).any(axis=1)


def _counts(targets: Targets) -> Any:
    if targets.codes is not None:
        return np.bincount(targets.codes[targets.codes >= 0], minlength=targets.n_classes)
    return (targets.memberships > 0).sum(axis=0)


def _component_classes(names: Any, clusters: Any, targets: Targets | None) -> Any:
    """The class of each component as a position in ``classes_``, -1 for none: by its name if the fit gave it
    one, otherwise the class of most labelled samples in it."""
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
