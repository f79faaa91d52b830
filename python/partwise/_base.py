"""The base of all estimators: from data, labels and parameters to a fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from ._blocks import Blocked, SharedBlocks
from ._fitted import FittedMixin
from ._guidance.documents import labels_document
from ._guidance.strength import stated
from ._input import check_similarities, empty_rows, is_anndata, numeric, obs_column, raise_about, run_engine, start_by_name
from ._missing_entries import takes_missing, unknown_entries
from ._names import DataNames, Names, check_same_order
from ._new_rows import NewRowsMixin
from ._pipeline import names_of_steps_before
from ._parameters import Parameter, declared, initializer, values_for_engine
from ._predictions import PredictionsMixin
from ._progress import Iteration, Progress
from ._registry import estimators_that_take
from ._results import ResultsMixin
from ._settings import SettingsMixin
from ._soft_labels import soft_labels_document
from ._strengths import OlderStrength, strength_of
from ._targets import Targets, targets_of
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


class Factorization(
    SettingsMixin, FittedMixin, PredictionsMixin, ResultsMixin, NewRowsMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """The base of all estimators. A subclass has the name of its method's estimator in the registry."""

    # These are set by the decorator of estimators, from what the registry says of the method.
    _spec: ClassVar[dict[str, Any]]
    _method: ClassVar[str]
    _parameters: ClassVar[dict[str, Parameter]]
    _needs_labels: ClassVar[bool]
    _ignores_y: ClassVar[bool]
    _one_class_a_sample: ClassVar[bool]
    _has_strength: ClassVar[bool]
    _symmetric: ClassVar[bool]
    # Names of parameters of the method that are other ones here.
    _python_names: ClassVar[dict[str, str]] = {}
    _older_strength: ClassVar[OlderStrength | None] = None
    # The names of the samples and features of the fit.
    _names_in_: DataNames

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Labels: -1 (or ``unlabelled``) for unlabelled samples; in text also None, NaN or blank. Or
            memberships, one column per class. For AnnData, also the name of a column of obs. Estimators
            whose method takes no labels ignore y, except with ``init="labels"`` or ``init="exemplars"``.
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
        """Fit, and predict the samples of X from ``codes_``, the codes of the fit.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_classes)
            As ``predict``; mostly this is ``labels_``.
        """
        self.fit(X, y, **fit_params)
        return self._predicted(None)

    def _fit(self, X: Any, y: Any, W: Any = None, H: Any = None, uses_y: bool = False, **known: Any) -> Any:
        self._forget_scaling()
        ignored = y is not None and self._ignores_y and not uses_y and self.init not in ("labels", "exemplars")
        if ignored:
            y = None
        data, targets, loss, knowledge, settings = self._prepared(X, y, W, H, **known)
        noted = [*self._without_effect(X, y, targets, settings, known), *(("unclear-labels", note) for note in (targets.notes if targets is not None else []))]
        if ignored:
            way = "" if self._spec["images"] else "; init='labels' starts from the classes of y"
            noted.append(("unused-y", f"{self._title} takes no labels, so y has no effect{way}"))
        with Progress(type(self).__name__, self.max_iter, self.verbose) as progress:
            watch = self._watch(progress) if not isinstance(data, SharedBlocks) else data.watch(self.callback)
            try:
                done = self._run(data, loss, knowledge, settings, watch)
            except ValueError as error:
                raise_about(error, self)
        found = getattr(self, "rank_selection_", None)
        if found is not None:
            noted.append(("selected-rank", f"n_components='auto' found {found.rank}: {found.explanation}"))
        if isinstance(data, (Blocked, SharedBlocks)):
            noted.append(data.notice())
        done["notices"] = [*done["notices"], *noted]
        self._empty_rows = self._without_knowledge(_empty_rows_of(data, done), targets, done, known)
        self._keep(done, targets, settings)
        self._warn(done)
        return self

    def _prepared(self, X: Any, y: Any, W: Any, H: Any, **known: Any) -> tuple[Any, Targets | None, str, dict[str, Any], dict[str, Any]]:
        """Data, targets, loss, guidance and settings, checked."""
        y = self._column_of_obs(X, y)
        data = numeric(self, X, reset=True, dtype=self.dtype, blocks=True)
        if self._names_in_.features.labels is None:
            self._names_in_.features = Names(names_of_steps_before(self), data.shape[1], "feature")
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
        # That of an earlier fit.
        vars(self).pop("rank_selection_", None)
        rank = self._rank(data, targets, W, H, knowledge)
        return data, targets, loss, knowledge, self._settings(rank, data.shape, knowledge, W, H)

    def _column_of_obs(self, X: Any, y: Any) -> Any:
        """Labels; those of AnnData may be the name of a column of obs."""
        return obs_column(X, y) if isinstance(y, str) and is_anndata(X) else y

    def _owners(self, knowledge: dict[str, Any]) -> list[str]:
        """The names of the first components, if the fit assigns them to classes or topics."""
        return list(knowledge["labels"][1]) if self._component_for_each_class and "labels" in knowledge else []

    def _without_knowledge(self, rows: Any, targets: Targets | None, done: dict[str, Any], known: dict[str, Any]) -> Any:
        """Those of the samples without guidance: no label, no link, no edge of a given graph."""
        if known.get("graph") is not None or any(item["kind"] in ("links", "graph") for item in done.get("fitted_guidance", {}).get("items", [])):
            return rows[:0]
        if not len(rows):
            return rows
        labelled = np.array([], dtype=int) if targets is None else np.flatnonzero(targets.labelled)
        return np.setdiff1d(rows, np.union1d(labelled, done.get("labelled", labelled)))

    def _forget_scaling(self) -> None:
        """``fit`` does not scale X, also for a loaded model that scales new rows."""
        scaling = getattr(self, "scaling_", None)
        if scaling is not None:
            warn(f"the model was loaded with the scaling {scaling.kind!r}, but fit does not scale X")
        self.scaling_ = None

    def _run(self, data: Any, loss: str, knowledge: dict[str, Any], settings: dict[str, Any], watch: Any) -> dict[str, Any]:
        return run_engine("fit", data, self._method, loss, self._options(knowledge), settings, watch)

    @staticmethod
    def _options(knowledge: dict[str, Any]) -> dict[str, Any]:
        """What is known as the engine takes it: guidance, and the parameters of the method."""
        options = {name: value for name, value in knowledge.items() if name not in ("labels", "strength", "items")}
        items = list(knowledge["items"])
        if "labels" in knowledge:
            items.insert(0, {"kind": "labels", **labels_document(*knowledge["labels"]), **knowledge.get("strength", {})})
        return {"guidance": {"topics": [], "items": items}, **options}

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        """The data for the engine, and what is known: "items" of guidance, the "strength" of labels, and the
        parameters of the method."""
        knowledge = {**self._method_parameters(data), "items": []}
        strength = strength_of(self) if self._has_strength else None
        if self._has_strength:
            knowledge["strength"] = {"strength": stated(strength, "strength")}
        if targets is not None and targets.codes is None:
            knowledge["items"].append(soft_labels_document(self._spec, targets, self.n_components, strength))
        if "known_entries" in self._spec["takes"]:
            data = self._without_missing_entries(data, knowledge["items"])
        return data, knowledge

    def _method_parameters(self, data: Any) -> dict[str, Any]:
        """The parameters of the method by their names in the registry."""
        return values_for_engine(self, self._parameters)

    def _without_missing_entries(self, data: Any, items: list[dict[str, Any]]) -> Any:
        """The data with 0 for missing entries."""
        holes = unknown_entries(data) if takes_missing(self) else None
        self._left_entries_out = holes is not None
        if holes is None:
            return data
        items.append({"kind": "known entries", "matrix": (~holes).astype(np.float64)})
        return np.where(holes, data.dtype.type(0), data)

    def _targets(self, y: Any, n_samples: int) -> Targets | None:
        if y is None:
            if self._needs_labels:
                raise ValueError(
                    f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. "
                    f"{self._title} needs {self._needs}; give a label for each sample, and -1 for unlabelled samples."
                )
            return None
        targets = targets_of(y, n_samples, self.unlabelled)
        if targets.codes is None and self._one_class_a_sample:
            row = int(np.flatnonzero(_soft_rows(targets))[0])
            raise ValueError(
                f"{self._title} takes one class per sample, but row {row} of y has several or a soft one; "
                f"{estimators_that_take('code_reference', 'label_targets')} take soft memberships, "
                f"{estimators_that_take('label_sets', 'label_targets')} several labels per sample"
            )
        return targets

    def _watch(self, progress: Progress) -> Callable[..., bool] | None:
        callback = self.callback
        if callback is None and not progress.shows:
            return None

        def watch(*report: Any) -> bool:
            if len(report) == 3:
                progress.phase(*report)
                return False
            iteration = Iteration(*report)
            progress.update(iteration)
            answer = callback(iteration) if callback is not None else False
            return isinstance(answer, (bool, np.bool_)) and bool(answer)

        return watch

    def _warn(self, done: dict[str, Any]) -> None:
        for code, message in done["notices"]:
            # The default takes as many components as there are features: a warning where that is more than
            # there are samples.
            unasked = code == "large-rank" and self.n_components is None
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

    # ------------------------------------------------------------------ scikit-learn

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns of ``transform``: those of the components, where topics or classes name
        some ("sport", "part 3"), else "nmf0", "nmf1", ... with the name of the estimator.

        Parameters
        ----------
        input_features : ignored
            Present as in scikit-learn.

        Returns
        -------
        names : ndarray of str objects
        """
        check_is_fitted(self)
        names = self.component_names_
        if self._has_named_components() and len(set(names)) == len(names):
            return np.asarray(names, dtype=object)
        return super().get_feature_names_out(input_features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.pairwise = self._symmetric
        tags.input_tags.allow_nan = getattr(self, "missing", None) == "unknown"
        tags.target_tags.required = self._needs_labels
        if not self._ignores_y:
            # No classifier, whose y has a class for every sample, but predict_proba has columns as one.
            tags.classifier_tags = ClassifierTags(multi_label=not self._one_class_a_sample)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")


# The common settings; an estimator has those of its method too.
setattr(Factorization, "__init__", initializer(Factorization, declared(Factorization)))  # noqa: B010


def _empty_rows_of(data: Any, done: dict[str, Any]) -> Any:
    """The rows of the data without a non-zero entry; the engine mostly lists them already."""
    found = done.pop("zero_rows", None)
    return empty_rows(data) if found is None else found


def _soft_rows(targets: Targets) -> Any:
    values = targets.memberships
    return ((values > 0).sum(axis=1) > 1) | ((values != 0) & (values != 1)).any(axis=1)
