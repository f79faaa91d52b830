"""Results of a fitted model: memberships, tables, plots, files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _files, _native, _plots
from ._names import names_of_model
from ._report import PairInDoubt, Suggestion

__all__ = ["ResultsMixin"]


class ResultsMixin:
    """Results of a fit."""

    components_: Any
    codes_: Any
    component_names_: Any
    history_: Any
    _component_classes: Any
    _targets_: Any
    _shares_of: str = "length"
    # Samples of the fit without a non-zero entry, of which nothing else is known: they have no class and no
    # share.
    _empty_rows: Any = np.array([], dtype=int)
    _encode: Any
    _class_names_of_components: Any

    # ------------------------------------------------------------------ shares and classes

    def memberships(self, codes: Any = None, *, of: str | None = None) -> Any:
        """Normalized codes: each code times the size of its component, divided by the sum of the row.

        Scaling a component up and its codes down does not change the factorization, nor the memberships.
        With the Kullback-Leibler loss the fit keeps the sum of each row, and memberships by "sum" are
        fractions of that sum (of the words of a text, of the counts of a cell). The squared loss has no such
        property and uses "length". ``labels_`` and ``predict`` use the default.

        Parameters
        ----------
        codes : array-like of shape (n_samples, n_components), default=None
            Codes, as returned by ``transform``; those of the fit by default.
        of : {"length", "sum"}, default=None
            The size of a component: "length", its Euclidean norm, or "sum", the sum of its entries. None is
            "sum" for a fit with the Kullback-Leibler loss, else "length".

        Returns
        -------
        shares : ndarray of shape (n_samples, n_components)
            Rows sum to 1, or are 0: those of samples without a non-zero entry.
        """
        check_is_fitted(self)
        given = codes
        codes = np.asarray(self.codes_ if codes is None else codes)
        if codes.ndim != 2 or codes.shape[1] != len(self.components_) or codes.dtype.kind not in "biuf":
            raise ValueError(
                f"memberships takes codes of the shape (n_samples, {len(self.components_)}), but got the shape {codes.shape}; for new "
                "rows X give transform(X)"
            )
        weighted = codes.astype(np.float64) * self._sizes(self._shares_of if of is None else of)
        if given is None:
            weighted[self._empty_rows] = 0.0
        total = weighted.sum(axis=1, keepdims=True)
        return np.divide(weighted, total, out=np.zeros_like(weighted), where=total > 0)

    def _sizes(self, of: str) -> Any:
        """The size of each component, for memberships."""
        components = np.asarray(self.components_, dtype=np.float64)
        largest = components.max(initial=0.0)
        if largest > 0 and not 1e-100 <= largest <= 1e100:
            # Shares have no unit, and squares would leave the range.
            components = components / largest
        if of == "length":
            return np.sqrt(np.einsum("kj,kj->k", components, components))
        if of == "sum":
            return components.sum(axis=1)
        raise ValueError(f"of is {of!r}, but must be 'length', 'sum' or None")

    def predict_names(self, X: Any = None) -> Any:
        """The name of the component that each row belongs to; None for rows of zeros.

        This is the safe form of ``component_names_[labels_]``, which returns the last name for the label -1.
        A component of a topic or class has the name of the topic or class.

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
        clusters = self._clusters(None if X is None else self._encode(X)["codes"])
        owners = [str(owner) or str(name) for owner, name in zip(self._class_names_of_components(), self.component_names_, strict=True)]
        if self._component_classes is not None:
            classes = self._targets_.names
            owners = [classes[at] if at >= 0 else owner for at, owner in zip(self._component_classes, owners, strict=True)]
        return np.array([owners[cluster] if cluster >= 0 else None for cluster in clusters], dtype=object)

    def _clusters(self, codes: Any) -> Any:
        """The component with the largest membership of each row, -1 for rows of zeros; None = the samples of
        the fit."""
        shares = self.memberships(codes)
        return np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), -1)

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

    def _decode(self, clusters: Any) -> Any:
        if self._component_classes is None:
            return clusters
        return self._targets_.decode(self._component_classes_of(clusters))

    # ------------------------------------------------------------------ tables

    def _feature_names(self, given: Any = None) -> Any:
        names = given if given is not None else names_of_model(self).features.labels
        if names is None:
            names = [f"x{j}" for j in range(self.components_.shape[1])]
        if len(names) != self.components_.shape[1]:
            raise ValueError(f"there are {len(names)} feature names for {self.components_.shape[1]} features")
        return np.asarray(names, dtype=object)

    def top_features(self, n: int = 10, *, feature_names: Any = None) -> dict[str, list[tuple[str, float]]]:
        """The n largest entries of each component with the names of their features, largest first.

        Returns
        -------
        top : dict of str to list of (str, float)
            By the name of the component.
        """
        check_is_fitted(self)
        names = self._feature_names(feature_names)
        order = np.argsort(-self.components_, axis=1, kind="stable")[:, : _positive("n", n)]
        return {
            str(name): [(str(names[f]), float(row[f])) for f in best]
            for name, row, best in zip(self.component_names_, self.components_, order, strict=True)
        }

    def top_samples(self, n: int = 10) -> dict[str, list[tuple[int, float]]]:
        """The n samples of the fit with the largest memberships in each component (see ``memberships``),
        largest first; zeros are left out.

        Returns
        -------
        top : dict of str to list of (int, float)
            By the name of the component.
        """
        shares = self.memberships()
        best = np.argsort(-shares, axis=0, kind="stable")[: _positive("n", n)]
        return {
            str(name): [(int(i), float(shares[i, j])) for i in best[:, j] if shares[i, j] > 0]
            for j, name in enumerate(self.component_names_)
        }

    def to_frame(self, what: str = "components") -> Any:
        """A table as a pandas DataFrame.

        Parameters
        ----------
        what : {"components", "codes", "memberships", "history"}, default="components" Which table. For
        memberships, ``frame.attrs["shares_of"]`` states the size of a component ("length" or "sum").

        Returns
        -------
        frame : pandas.DataFrame
        """
        check_is_fitted(self)
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        names = [str(name) for name in self.component_names_]
        if what == "components":
            return pd.DataFrame(self.components_, index=names, columns=self._feature_names())
        samples = names_of_model(self).samples.labels
        if what == "codes":
            return pd.DataFrame(self.codes_, index=samples, columns=names)
        if what == "memberships":
            frame = pd.DataFrame(self.memberships(), index=samples, columns=names)
            frame.attrs["shares_of"] = self._shares_of
            return frame
        if what == "history":
            return pd.DataFrame(self.history_).set_index("iteration")
        raise ValueError(f"unknown table {what!r}; valid: 'components', 'codes', 'memberships', 'history'")

    # ------------------------------------------------------------------ what next

    def _labelled_samples(self) -> Any:
        """Samples with guidance on their topic."""
        guided = getattr(self, "_guided_samples", None)
        if guided is not None:
            return guided
        return np.array([], dtype=int) if self._targets_ is None else np.flatnonzero(self._targets_.labelled)

    def suggest(self, n: int = 10) -> list[Suggestion]:
        """The n samples of the fit whose label would help most, the most helpful first; labelled ones are
        left out.

        Parameters
        ----------
        n : int, default=10 How many to return.

        Returns
        -------
        suggestions : list of Suggestion
            The least certain samples, each different from those before.

        Examples
        --------
        >>> import numpy as np
        >>> from partwise import CNMF
        >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [2, 1, 1.5]])
        >>> model = CNMF(random_state=0, tol=1e-2).fit(X, [0, 0, 1, 1, -1])
        >>> model.suggest(1)[0].sample
        4
        """
        codes, components, names = self._factors_and_names(n)
        found = _native.suggest(codes, components, self._shares_of, [int(i) for i in self._labelled_samples()], int(n))
        return [Suggestion(sample, doubt, (names[one], names[other])) for sample, doubt, (one, other) in found]

    def suggest_links(self, n: int = 10) -> list[PairInDoubt]:
        """The n pairs of samples whose link would help most: similar samples that are uncertain between the
        same two components.

        Parameters
        ----------
        n : int, default=10 How many to return.

        Returns
        -------
        pairs : list of PairInDoubt
            The least certain first.

        Examples
        --------
        >>> import numpy as np
        >>> from partwise import NMF
        >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [2, 1, 1.5], [2.2, 1, 1.4]])
        >>> NMF(2, random_state=0, tol=1e-2).fit(X).suggest_links(1)[0].samples
        (4, 5)
        """
        codes, components, _ = self._factors_and_names(n)
        return [PairInDoubt(samples, together, closeness) for samples, together, closeness in _native.suggest_links(codes, components, self._shares_of, int(n))]

    def _factors_and_names(self, n: int) -> tuple[Any, Any, list[str]]:
        check_is_fitted(self)
        if n < 0:
            raise ValueError(f"n is {n}, but must be 0 or more")
        codes, components = (np.ascontiguousarray(factor, dtype=np.float64) for factor in (self.codes_, self.components_))
        if len(self._empty_rows):
            codes = codes.copy()
            codes[self._empty_rows] = 0.0
        return codes, components, [str(name) for name in self.component_names_]

    # ------------------------------------------------------------------ files

    def save(self, path: Any) -> None:
        """Write a model file that ``load`` and the command line read: matrices, names, settings, history.

        Parameters
        ----------
        path : str or path-like
            A file, usually ``.safetensors``.
        """
        check_is_fitted(self)
        _files.save(self, path)

    # ------------------------------------------------------------------ plots

    def plot_convergence(self, ax: Any = None) -> Any:
        """The objective and the projected gradient over the iterations.

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        return _plots.convergence(self, ax)

    def plot_components(
        self, *, shape: tuple[int, int] | None = None, feature_names: Any = None, n_features: int = 10, n_columns: int = 5, cmap: str | None = None
    ) -> Any:
        """The components as images of ``shape`` (height, width), or as bars of their largest features.

        A model that was fitted to images has the shape (``image_shape_``). Black is 0 and white the largest
        entry, as in the report of the command line; ``cmap="gray_r"`` draws dark on white.

        Returns
        -------
        axes : ndarray of matplotlib.axes.Axes
            One per component.
        """
        check_is_fitted(self)
        return _plots.components(self, shape, feature_names, n_features, n_columns, cmap)

    def plot_reconstruction(self, X: Any, n: int = 8, *, shape: tuple[int, int] | None = None, cmap: str | None = None) -> Any:
        """``n`` samples of X, evenly spread, as images, and below each its codes times the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, height, width) or (n_samples, n_features)
            Images, those of the fit or others.
        n : int, default=8
            How many.
        shape : (int, int), default=None
            Height and width; by default those of the fit.
        cmap : str, default=None
            A colour map of matplotlib. None: black is 0, white the largest entry.

        Returns
        -------
        axes : ndarray of matplotlib.axes.Axes of shape (2, n)
        """
        check_is_fitted(self)
        return _plots.reconstruction(self, X, n, shape, cmap)

    def plot_memberships(self, ax: Any = None) -> Any:
        """The memberships of each sample; samples are ordered by their largest membership.

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        return _plots.memberships(self, ax)

    def plot_guidance(self, ax: Any = None) -> Any:
        """The predicted classes of labelled samples, against their labels.

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        return _plots.guidance(self, ax)


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name} is {value}, but must be 1 or more")
    return int(value)
