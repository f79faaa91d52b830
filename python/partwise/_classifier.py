"""The few-label classifier: classes of all samples from the labels of a few, and of new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._input import is_anndata, numeric, obs_column, raise_about, to_native
from ._names import DataNames, check_same_order
from ._predictions import warn_of_other_names
from ._progress import PhaseProgress
from ._report import Suggestion, suggestions
from ._scaling import Scaling
from ._settings import seed_of, threads_of, warn_of_threads
from ._targets import targets_of
from ._warn import warn

__all__ = ["FewLabelClassifier", "Phase"]

_LEAST_SAMPLES = 3
# Notices of the engine that are also warnings: the result may not be what it seems.
_WARNED = ("class-sizes", "classes-of-zero-rows")
_CANDIDATE = ("graph", "components_per_class", "share", "score", "agreement", "weight")
_MEMBER = ("name", "score", "agreement", "weight")


class Phase(NamedTuple):
    """What a ``callback`` of ``FewLabelClassifier`` receives when a phase of the fit begins."""

    name: str
    """For example "base classifiers"."""
    done: float
    """The part of the work that is done, 0 to 1; a guess, because the number of phases depends on the
    data."""
    elapsed: float
    """Seconds since the fit began."""


def _sizes_of(priors: Any, classes: Any, names: list[str]) -> bool | list[tuple[str, float]] | None:
    """The sizes of the classes for the native module, which checks them: a size by each name, True for those
    of the labels."""
    if priors is None:
        return None
    if isinstance(priors, str):
        if priors != "labels":
            raise ValueError(f'priors must be a dict, an array with a size for each class or "labels", but is {priors!r}')
        return True
    if isinstance(priors, Mapping):
        known = dict(zip(classes.tolist(), names, strict=True))
        return [(known.get(key, str(key)), _size(size, key)) for key, size in priors.items()]
    values = np.asarray(priors, dtype=object)
    if values.shape != (len(names),):
        raise ValueError(
            f"priors has the shape {values.shape}, but must have one size for each of the {len(names)} classes with labels, in this order: {', '.join(names)}"
        )
    return [(name, _size(size, name)) for name, size in zip(names, values, strict=True)]


def _size(size: Any, name: Any) -> float:
    try:
        return float(size)
    except (TypeError, ValueError):
        raise ValueError(f"priors: the size of class {name!r} must be a number, but is {size!r}") from None


class FewLabelClassifier(ClassifierMixin, BaseEstimator):
    """Classifies all samples from the labels of a few, without parameters to tune; and new rows.

    Cross-validation on the labels scores candidate graphs (of the data, of class centroids, of WS-NMF codes).
    The combined graph and the data feed six base classifiers (label spreading and WS-SymNMF on both graphs,
    CNMF, linear discriminants). Self-training refines the product of their posteriors: votes of neighbours,
    in the data and among discriminants, and a Gaussian and a multinomial mixture. All weights depend on the
    held-out scores and on the agreement of the folds. Rows are compared by direction: scale text by tf-idf
    and molecule counts by logarithms. Where features are few (100 at most), or up to 300 rows are nearly
    parallel, the columns, each between its extremes, are classified too. Where features are at most
    100, two simple classifiers that learn from the labels alone, in standardized columns, take part as well
    if they find classes of unequal size. ``views_`` has the weight of each.

    Give ``fit`` all samples that you have, also those without a label: it learns from them too. ``labels_``
    and ``posteriors_`` are its answer for these samples. ``predict`` is for rows that were not there: each
    joins the graphs of the fit as one more sample. It is a little less accurate than ``labels_``, and may
    differ from it on the samples of the fit.

    Parameters
    ----------
    priors : dict, array-like of shape (n_classes,) or "labels", default=None
        About how large the classes are among all samples: a size for each class by its name, or in the order
        of ``classes_``; parts, percentages or counts. "labels": as among the labels, if these are of a random
        sample. The posteriors are brought to these sizes, so that more samples are right where classes are
        of very unequal size; small classes get fewer samples. None: not known; classes are taken to be nearly
        even.
    random_state : int, RandomState or None, default=0
        The seed.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on this.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples in y.
    layer : str, default=None
        The layer of an AnnData object.
    verbose : int, default=0
        1 shows a progress bar (lines if tqdm is not installed).
    callback : callable, default=None
        Called with a ``Phase`` as each phase of the fit begins. An exception that it raises ends the fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    labels_ : ndarray of shape (n_samples,)
        The class of each sample of the fit; labelled samples keep theirs.
    posteriors_ : ndarray of shape (n_samples, n_classes)
        The posterior of each class for each sample of the fit; rows sum to 1.
    held_out_score_ : float or None
        The cross-validated score of the refinement that weighs most: the mean of its accuracy and of the
        posterior of the true class, over held-out labels. None if no label could be held out.
    n_held_out_ : int
        The number of held-out labels that the scores use.
    n_folds_ : int
        The number of folds.
    views_ : list of dict
        The views of the data, with how the best refinement of each did: "name", "score", "agreement",
        "weight"; and the two simple classifiers beside them, where they take part. What follows is that of
        the view that weighs most.
    candidates_ : list of dict
        The candidate graphs: "graph", "components_per_class", "share", "score", "agreement", "weight".
    base_classifiers_ : list of dict
        The base classifiers: "name", "score", "agreement", "weight".
    refinements_ : list of dict
        The refinements of the combined posteriors: "name", "score", "agreement", "weight".
    class_sizes_ : ndarray of shape (n_classes,)
        The class sizes that were assumed, or those of ``priors``; they sum to 1.
    notices_ : list of (str, str)
        Codes and messages of notices about the result.
    parts_ : GuidedNMF or None
        The components by class, of a model that ``partwise classify`` wrote; otherwise None.

    See Also
    --------
    GuidedNMF : Components by class; from few labels it uses this classifier too.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import FewLabelClassifier
    >>> X = np.array([[3, 1, 0.1 * i] if i % 2 == 0 else [0.1 * i, 1, 3] for i in range(12)])
    >>> model = FewLabelClassifier().fit(X, ["a", "b", "a", "b", *[None] * 8])
    >>> "".join(model.labels_)
    'abababababab'
    >>> model.predict([[3, 1, 0.5], [0.5, 1, 3]]).tolist()
    ['a', 'b']
    """

    _names_in_: DataNames
    _predictor: dict[str, Any]
    # The scaling of new rows, and the components by class, of a model of the command line.
    scaling_: Scaling | None = None
    parts_: Any = None

    def __init__(
        self,
        *,
        priors: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        unlabelled: Any = -1,
        layer: str | None = None,
        verbose: int = 0,
        callback: Callable[[Phase], Any] | None = None,
    ) -> None:
        self.priors = priors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.unlabelled = unlabelled
        self.layer = layer
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any) -> Any:
        """Classify the samples of X, and learn to classify new rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative: labelled and unlabelled samples.
        y : array-like of shape (n_samples,)
            One label per sample, of two classes or more; -1 (or ``unlabelled``), None, NaN or blank for
            unlabelled samples. A column of ``obs`` by its name if X is an AnnData object.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        name = type(self).__name__
        if y is None:
            raise ValueError(
                f"This {name} estimator requires y to be passed, but the target y is None. "
                "Give one label per sample, and -1 for unlabelled samples."
            )
        if isinstance(y, str) and is_anndata(X):
            y = obs_column(X, y)
        data = numeric(self, X, reset=True)
        if data.shape[0] < _LEAST_SAMPLES:
            raise ValueError(f"Found array with {data.shape[0]} sample(s) (shape={data.shape}) while a minimum of {_LEAST_SAMPLES} is required by {name}.")
        check_same_order(y, self._names_in_.samples, "y")
        targets = targets_of(y, data.shape[0], self.unlabelled)
        if targets.codes is None:
            raise ValueError(f"{name} requires one label per sample, but y has several labels or soft memberships")
        codes, names, present = targets.hard()
        sizes = _sizes_of(self.priors, targets.classes[present], names)
        with PhaseProgress(name, self.verbose) as progress:
            try:
                found = _native.classify(to_native(data), (codes, names), sizes, seed_of(self.random_state), threads_of(self.n_jobs), self._watch(progress))
            except ValueError as error:
                raise_about(error, self)
        warn_of_threads(found["notices"], name)
        for note in [*targets.notes, *(message for code, message in found["notices"] if code in _WARNED)]:
            warn(f"{name}: {note}")
        self.scaling_, self.parts_ = None, None
        self.classes_ = targets.classes[present]
        self._keep(found)
        self.labels_ = self.classes_[found["classes"]]
        self.posteriors_ = found["posteriors"]
        self._predictor = found["parts"]
        self._labelled = np.flatnonzero(codes >= 0)
        self._single = data.dtype == np.float32
        return self

    def _watch(self, progress: PhaseProgress) -> Callable[..., Any] | None:
        callback = self.callback
        if callback is None and not progress.shows:
            return None

        def watch(phase: str, done: float, elapsed: float) -> None:
            progress.update(phase, done, elapsed)
            if callback is not None:
                callback(Phase(phase, done, elapsed))

        return watch

    def _keep(self, found: dict[str, Any]) -> None:
        """The scores behind the result."""
        self.candidates_ = [dict(zip(_CANDIDATE, line, strict=True)) for line in found["candidates"]]
        self.views_ = [dict(zip(_MEMBER, line, strict=True)) for line in found["views"]]
        self.base_classifiers_ = [dict(zip(_MEMBER, line, strict=True)) for line in found["base_classifiers"]]
        self.refinements_ = [dict(zip(_MEMBER, line, strict=True)) for line in found["refinements"]]
        self.held_out_score_ = found["held_out_score"]
        self.n_held_out_ = found["held_out"]
        self.n_folds_ = found["folds"]
        self.class_sizes_ = np.array(found["class_sizes"])
        self.notices_ = list(found["notices"])

    def predict_proba(self, X: Any) -> Any:
        """Compute the posterior of each class for rows that the fit did not see.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            New rows, non-negative, scaled as those of the fit. The result of a row does not depend on the
            others.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            Rows sum to 1; the columns are ``classes_``.
        """
        check_is_fitted(self)
        data = numeric(self, X, reset=False, dtype=np.float32 if self._single else np.float64)
        if self.scaling_ is not None:
            data = self.scaling_.scaled(data)
        try:
            posteriors, notices = _native.predict_posteriors(to_native(data), list(self._predictor.items()), threads_of(self.n_jobs))
        except ValueError as error:
            raise_about(error, self)
        for notice in notices:
            warn(f"{type(self).__name__}: {notice}")
        return posteriors

    def predict(self, X: Any) -> Any:
        """Predict the class of rows that the fit did not see.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            As for ``predict_proba``.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The class with the largest posterior.
        """
        posteriors = self.predict_proba(X)
        return self.classes_[posteriors.argmax(axis=1)]

    def fit_predict(self, X: Any, y: Any) -> Any:
        """Fit, and return ``labels_``: the class of each sample of X."""
        return self.fit(X, y).labels_

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the accuracy of ``predict`` over the labelled samples of y.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,)
            Their classes; unlabelled samples (-1, None, NaN) are left out.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            The accuracy, 0 to 1; 0 with a warning if no label of y is one of ``classes_``.
        """
        if isinstance(y, str) and is_anndata(X):
            y = obs_column(X, y)
        predicted = self.predict(X)
        targets = targets_of(y, len(predicted), self.unlabelled)
        if targets.codes is None:
            raise ValueError("score requires one label per sample, but y has several labels or soft memberships")
        labelled = targets.labelled
        if not labelled.any():
            raise ValueError("score requires labels, but no sample of y is labelled")
        warn_of_other_names([str(name) for name in self.classes_], targets.hard()[1])
        right = predicted[labelled] == targets.classes[targets.codes[labelled]]
        weights = None if sample_weight is None else np.asarray(sample_weight)[labelled]
        return float(np.average(right, weights=weights))

    def suggest(self, n: int = 10) -> list[Suggestion]:
        """The n samples of the fit whose label would help most, the most helpful first; labelled ones are
        left out.

        Parameters
        ----------
        n : int, default=10
            How many to return.

        Returns
        -------
        suggestions : list of Suggestion
            The samples whose two most likely classes have the closest posteriors, each different from those
            before.

        Examples
        --------
        >>> import numpy as np
        >>> from partwise import FewLabelClassifier
        >>> X = np.array([[3, 1, 0.1 * (i % 5)] if i % 2 == 0 else [0.1 * (i % 5), 1, 3] for i in range(20)])
        >>> X[7] = [2, 1, 2]
        >>> model = FewLabelClassifier().fit(X, ["a", "b", "a", "b", *[None] * 16])
        >>> model.suggest(1)[0].sample
        7
        """
        check_is_fitted(self)
        posteriors = np.ascontiguousarray(self.posteriors_, dtype=np.float64)
        return suggestions(posteriors, [str(name) for name in self.classes_], self._labelled, n)

    def save(self, path: Any) -> None:
        """Write the classifier to a model file; ``partwise.load`` and ``partwise transform`` read it.

        The file contains the samples of the fit at unit length, because the neighbours of new rows are
        among them.

        Parameters
        ----------
        path : str or path-like
            The file, usually ``model.safetensors``.
        """
        from ._classifier_files import save

        check_is_fitted(self)
        save(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Two features and few labels tell little.
        tags.classifier_tags.poor_score = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_predictor")
