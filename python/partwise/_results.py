"""Results of a fitted model: memberships, tables, plots, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _plots
from ._anndata import to_anndata
from ._tables import TablesMixin

if TYPE_CHECKING:
    from ._report import PairInDoubt, Suggestion

__all__ = ["ResultsMixin"]


class ResultsMixin(TablesMixin):
    """Results of a fit."""

    components_: Any
    codes_: Any
    component_names_: Any
    history_: Any
    _targets_: Any
    _shares_of: str = "length"
    _owners_of_components: Any
    # Samples of the fit without a non-zero entry, of which nothing else is known: they have no class and no
    # share.
    _empty_rows: Any = np.array([], dtype=int)

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
                f"memberships takes codes of the shape (n_samples, {len(self.components_)}), but got {np.shape(given) or type(given).__name__}; for new "
                "rows X write model.memberships(model.transform(X))"
            )
        weighted = codes * self._sizes(self._shares_of if of is None else of)
        if given is None:
            weighted[self._empty_rows] = 0.0
        total = weighted.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            nothing = ~(total > 0)
            weighted[nothing[:, 0]] = 0.0
            total[nothing] = 1.0
        weighted /= total
        return weighted

    def _sizes(self, of: str) -> Any:
        """The size of each component, for memberships."""
        components = np.asarray(self.components_)
        largest = float(components.max(initial=0.0))
        if largest > 0 and not 1e-100 <= largest <= 1e100:
            # Shares have no unit, and squares would leave the range.
            components = np.asarray(components, dtype=np.float64) / largest
        # Row by row: all at once would copy them to float64 first.
        rows = (np.asarray(row, dtype=np.float64) for row in components)
        if of == "length":
            return np.sqrt([np.einsum("j,j->", row, row) for row in rows])
        if of == "sum":
            return np.array([row.sum() for row in rows])
        raise ValueError(f"of is {of!r}, but must be 'length', 'sum' or None")

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
        n : int, default=10
            How many to return.

        Returns
        -------
        suggestions : list of Suggestion
            The least certain samples, each different from those before. Components of the same class or topic
            are not compared with each other.

        Examples
        --------
        >>> import numpy as np
        >>> from partwise import CNMF
        >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [2, 1, 1.5]])
        >>> model = CNMF(random_state=0, tol=1e-2).fit(X, [0, 0, 1, 1, -1])
        >>> model.suggest(1)[0].sample
        4
        """
        from ._report import suggestions

        return suggestions(*self._memberships_by_name(), self._labelled_samples(), n)

    def suggest_links(self, n: int = 10) -> list[PairInDoubt]:
        """The n pairs of samples whose link would help most: similar samples that are uncertain between the
        same two components.

        Parameters
        ----------
        n : int, default=10
            How many to return.

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
        from ._report import pairs_in_doubt

        memberships, _ = self._memberships_by_name()
        return pairs_in_doubt(memberships, n)

    def _memberships_by_name(self) -> tuple[Any, list[str]]:
        """Memberships of the samples of the fit, those of the components of a class or topic added up."""
        codes, _, _ = self._factors_and_names(0)
        owners = self._owners_of_components()
        names = list(dict.fromkeys(owners))
        of_names = np.array([[float(owner == name) for name in names] for owner in owners])
        return np.ascontiguousarray(self.memberships(codes) @ of_names), names

    def _factors_and_names(self, n: int) -> tuple[Any, Any, list[str]]:
        from ._report import check_count

        check_is_fitted(self)
        check_count(n)
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
        from ._files import save

        check_is_fitted(self)
        save(self, path)

    def to_anndata(self, adata: Any, *, key_added: str = "partwise") -> Any:
        """Write the results into the AnnData object that the model was fitted to.

        ``obsm["X_partwise"]`` are the codes (for scanpy: ``use_rep="X_partwise"``). ``varm["partwise"]`` are
        the components, NaN for genes that the fit did not have; of a fit to ``adata.raw``, the genes of
        ``adata`` only. ``obs["partwise"]`` is the topic or class of each sample, missing for rows of zeros.
        ``uns["partwise"]`` has the settings, the names of the components, and the guidance report as JSON.
        Samples and genes go by name.

        Parameters
        ----------
        adata : AnnData
            It is changed.
        key_added : str, default="partwise"
            The name to write under, in place of "partwise".

        Returns
        -------
        adata : AnnData
            The same object.
        """
        check_is_fitted(self)
        return to_anndata(self, adata, key_added)

    def write_report(
        self, path: Any, X: Any = None, *, labels: Any = None, texts: Any = None, pictures: str = "light"
    ) -> None:
        """Write the report: one HTML page that needs nothing else, the same as that of the command line.

        Parameters
        ----------
        path : str or path-like
            The file, usually ``.html``. It is replaced if it exists.
        X : array-like of shape (n_samples, n_features), default=None
            The data of the fit, of which the page shows the hash; required where they are images.
        labels : array-like of shape (n_samples,), default=None
            The class of each sample where it is known (None, -1 or NaN: unknown), to compare with. Those that
            the fit did not use judge it. By default the labels of the fit.
        texts : sequence of str, default=None
            The text of each sample: the page shows how the best examples begin.
        pictures : {"light", "ink"}, default="light"
            Images with white as large, or with dark as large.

        Examples
        --------
        >>> import numpy as np
        >>> from partwise import NMF
        >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0]])
        >>> NMF(2, random_state=0, tol=1e-2).fit(X).write_report("report.html", X)  # doctest: +SKIP
        """
        from ._page import page_of, write_page

        check_is_fitted(self)
        write_page(path, page_of(self, X, labels, texts, pictures))

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
