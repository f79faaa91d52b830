"""Classes, topics and scores of samples, from their codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._names import nearest
from ._targets import Targets, targets_of
from ._warn import warn

__all__ = ["PredictionsMixin", "warn_of_other_names"]

# With several labels per sample a sample has those whose share is at least this much of its largest one, or
# whose value is at least this much where codes explain the labels linearly (0 and 1).
_AT_LEAST = 0.5


def _listed(names: list[str]) -> str:
    """The first of several names."""
    return ", ".join(map(repr, names[:5])) + (f", ... ({len(names)} in all)" if len(names) > 5 else "")


def warn_of_other_names(own: list[str], names: list[str]) -> None:
    """Warns if no label of y is the name of a class or topic."""
    if not set(own) & set(names):
        warn(
            f"score is 0: no label of y is a class or topic of the model; y has {_listed(names)}, the model has {_listed(own)}"
            f"{nearest(names[0], own)}; give y with the names of the model, or compare with partwise.metrics"
        )


class PredictionsMixin:
    """What a fitted model says samples are."""

    codes_: Any
    component_names_: Any
    components_: Any
    memberships: Any
    _sizes: Any
    _shares_of: str
    _empty_rows: Any
    _component_classes: Any
    _class_names_of_components: Any
    _targets_: Targets | None
    _encode: Any
    unlabelled: Any

    # ------------------------------------------------------------------ which component

    def _clusters(self, codes: Any) -> Any:
        """The component with the largest membership of each row, -1 for rows of zeros; None = the samples of
        the fit."""
        if codes is None:
            found = self._largest_of_fit()
            if found is not None:
                return found
        shares = self.memberships(codes)
        best = shares.argmax(axis=1)
        return np.where(shares[np.arange(len(shares)), best] > 0, best, -1)

    def _largest_of_fit(self) -> Any:
        """The components of the samples of the fit, without a matrix of memberships; None where ``codes_``
        is no array as the engine leaves it."""
        codes = self.codes_
        plain = type(codes) is np.ndarray and codes.ndim == 2 and codes.dtype in (np.float32, np.float64) and codes.flags.c_contiguous
        if not plain or codes.shape[1] != len(self.components_):
            return None
        best = _native.largest_components(codes, self._sizes(self._shares_of).tolist())
        best[self._empty_rows] = -1
        return best

    def _clusters_of(self, topics: Iterable[list[int]], codes: Any) -> Any:
        """The largest component of the topic, or the free component, with the largest membership; -1 for rows
        of zeros."""
        shares = self.memberships(codes)
        total = shares.copy()
        for components in topics:
            total[:, components] = shares[:, components].sum(axis=1, keepdims=True)
        best = total.max(axis=1, keepdims=True)
        # Among the components of one topic the largest itself.
        own = np.where(total >= best, shares, -1.0)
        return np.where(best[:, 0] > 0, own.argmax(axis=1), -1)

    def _component_classes_of(self, clusters: Any) -> Any:
        return np.where(clusters >= 0, self._component_classes[np.maximum(clusters, 0)], -1)

    def _has_named_components(self) -> bool:
        """Whether labels or guidance name some component."""
        return any(str(name) != f"part {at + 1}" for at, name in enumerate(self.component_names_))

    def _owners_of_components(self) -> list[str]:
        """For each component the name of its class or topic, or its own."""
        owners = [str(owner) or str(name) for owner, name in zip(self._class_names_of_components(), self.component_names_, strict=True)]
        if self._component_classes is None or self._targets_ is None:
            return owners
        classes = self._targets_.names
        return [classes[at] if at >= 0 else owner for at, owner in zip(self._component_classes, owners, strict=True)]

    def _decode(self, clusters: Any) -> Any:
        """Components as what ``predict`` returns for them."""
        if self._component_classes is not None and self._targets_ is not None:
            return self._targets_.decode(self._component_classes_of(clusters))
        return self._named(clusters) if self._has_named_components() else clusters

    def _named(self, clusters: Any) -> Any:
        owners = self._owners_of_components()
        return np.array([owners[cluster] if cluster >= 0 else None for cluster in clusters], dtype=object)

    # ------------------------------------------------------------------ predictions

    def predict(self, X: Any) -> Any:
        """Predict what each row is, from the component with the largest membership (see ``memberships``).

        With labels (y) it is their class, in the type of y; -1 (None for text) for rows of zeros, and for
        rows in a component without a class. With a 2-D y of zeros and ones it is such a matrix: a row has
        the classes whose share is at least half of its largest one (``SSNMF``: whose value in the label view
        is at least 0.5); ``predict_proba`` has these numbers, for thresholds of your own.
        Without y it is the name of the topic or component, if guidance names any, and None for rows of
        zeros. Otherwise it is the number of the component, and -1 for rows of zeros.

        Parameters
        ----------
        X : as in ``transform``
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._predicted(self._encode(X)["codes"])

    def _predicted(self, codes: Any) -> Any:
        """What ``predict`` returns for codes; None = the samples of the fit."""
        if self._targets_ is None or not self._targets_.are_sets:
            return self._decode(self._clusters(codes))
        values = self._values_of_labels(codes)
        least = _AT_LEAST if self._explains_labels() else _AT_LEAST * values.max(axis=1, keepdims=True, initial=0.0)
        return ((values > 0) & (values >= least)).astype(np.int64)

    def _explains_labels(self) -> bool:
        """Whether codes explain several labels per sample linearly: by the method, or where no component is
        that of a class."""
        return hasattr(self, "label_components_") or not (self._component_classes >= 0).any()

    def _values_of_labels(self, codes: Any) -> Any:
        """With several labels per sample, how much of each class is in each row (n, c): shares by class, or
        the labels that the codes explain linearly (about 0 to 1)."""
        if not self._explains_labels() or self._targets_ is None:
            return self._shares_by_name(codes)[0]
        codes = np.asarray(self.codes_ if codes is None else codes, dtype=np.float64)
        view = getattr(self, "label_components_", None)
        if view is None:
            rows = self._targets_.labelled
            known = np.asarray(self.codes_[rows], dtype=np.float64)
            view = _native.nnls(np.ascontiguousarray(known.T @ known), np.ascontiguousarray(self._targets_.memberships[rows].T @ known))
        return codes @ view.T

    def _largest_class(self, clusters: Any) -> Any:
        """One class of each sample of the fit: ``labels_``."""
        if self._targets_ is None or not self._targets_.are_sets or not self._explains_labels():
            return self._decode(clusters)
        values = self._values_of_labels(None)
        return self._targets_.decode(np.where((clusters >= 0) & (values.max(axis=1) > 0), values.argmax(axis=1), -1))

    def predict_names(self, X: Any = None) -> Any:
        """The name of the component that each row belongs to; None for rows of zeros.

        A component of a topic or class has the name of the topic or class. Unlike ``predict`` these are
        names for any kind of labels, and for components without one ("part 3").

        Parameters
        ----------
        X : as in ``transform``, default=None
            Rows; the samples of the fit by default.

        Returns
        -------
        names : ndarray of shape (n_samples,)
            Texts, and None.
        """
        check_is_fitted(self)
        return self._named(self._clusters(None if X is None else self._encode(X)["codes"]))

    def _knows_classes(self) -> bool:
        """Whether the fit had labels, or names topics."""
        check_is_fitted(self)
        if self._targets_ is not None or self._has_named_components():
            return True
        raise AttributeError(
            f"this {type(self).__name__} knows neither classes nor topics; the memberships of rows in its components are "
            "model.memberships(model.transform(X))"
        )

    @available_if(_knows_classes)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The memberships of rows, added up by class. There for fits with labels or named topics.

        With labels one column a class, in the order of ``classes_``. Without labels one column a topic, then
        one a free component, in the order of the components. These are shares of the factorization, not
        calibrated probabilities.

        Parameters
        ----------
        X : as in ``transform``
            Rows.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            With one class per sample (or without labels) rows sum to 1: what components without a class
            take of a row is left out. Rows of zeros, and rows in such components only, are 0. With several
            labels per sample nothing is left out, and rows sum to at most 1; of ``SSNMF``, and where no
            component is that of a class, they are the labels that the codes explain linearly.
        """
        codes = self._encode(X)["codes"]
        if self._targets_ is not None and self._targets_.are_sets:
            return self._values_of_labels(codes)
        shares, _ = self._shares_by_name(codes)
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)

    def _shares_by_name(self, codes: Any) -> tuple[Any, list[str]]:
        """Memberships added up by class, or by topic without labels, and the names of the columns."""
        shares = self.memberships(codes)
        if self._component_classes is not None and self._targets_ is not None:
            names, columns = self._targets_.names, self._component_classes
        else:
            owners = self._owners_of_components()
            names = list(dict.fromkeys(owners))
            columns = np.array([names.index(owner) for owner in owners])
        out = np.zeros((len(shares), len(names)))
        for component, column in enumerate(columns):
            if column >= 0:
                out[:, column] += shares[:, component]
        return out, names

    # ------------------------------------------------------------------ scores

    def score(self, X: Any, y: Any = None) -> float:
        """How good the model is for rows: larger is better.

        With y, for a model that knows classes or topics: the accuracy, the fraction of the labelled rows of y
        whose class is predicted (all labels of a row, with several). Unlabelled rows are left out. So
        cross-validation and grid searches over partly labelled data compare what is predicted for held-out
        labels. Otherwise minus the relative error of the reconstruction by ``transform(X)``: ``-|X - W H| /
        |X|``, or ``-D(X | W H) / sum(X)`` under the Kullback-Leibler loss; 0 is perfect.

        Parameters
        ----------
        X : as in ``transform``
            Rows.
        y : as in ``fit``, default=None
            Their labels. Models without classes and topics ignore it.

        Returns
        -------
        score : float
            0 with a warning if no label of y is a class or topic of the model.

        Raises
        ------
        ValueError
            If no row of y is labelled.
        """
        done = self._encode(X, with_error=True)
        if y is None or not (self._targets_ is not None or self._has_named_components()):
            return -float(done["relative_error"])
        codes = done["codes"]
        given = targets_of(self._column_of_obs(X, y), len(codes), self.unlabelled)
        rows = given.labelled
        if not rows.any():
            raise ValueError("score: no row of y is labelled, so there is nothing to compare the predictions with; leave y out for minus the relative error")
        if self._targets_ is not None and self._targets_.are_sets and given.memberships is not None:
            names = self._targets_.names
            if names != given.names:
                raise ValueError(f"score: the columns of y are {', '.join(given.names)}, but the classes of the fit are {', '.join(names)}")
            return float((self._predicted(codes) == given.memberships)[rows].all(axis=1).mean())
        if given.codes is None:
            raise ValueError("score: y has several labels or soft ones per row, but the model predicts one class per row")
        self._warn_of_other_classes(given)
        return float((self._named(self._clusters(codes)) == given.decode_names())[rows].mean())

    def _warn_of_other_classes(self, given: Targets) -> None:
        """Labels of which the model knows none are mostly other names of its classes. A fold of a grid search
        may have such labels too, so this is no error."""
        warn_of_other_names(list(dict.fromkeys(self._owners_of_components())), given.hard()[1])

    def _column_of_obs(self, X: Any, y: Any) -> Any:
        raise NotImplementedError
