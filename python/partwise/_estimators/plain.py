"""NMF without guidance: plain, smoothed, with weighted rows."""

from __future__ import annotations

from typing import Any

from .._base import Factorization
from .._factory import estimator

__all__ = ["NCWNMF", "NMF", "NsNMF"]


@estimator
class NMF(Factorization):
    """Non-negative matrix factorization, plain: scikit-learn's ``NMF`` with other solvers.

    As there, y is ignored. ``fit(X, labels=...)``, or y with ``init="labels"``, starts from the means of
    classes and names the components by them. NaN can mark missing entries, see ``missing``.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMF
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> model = NMF(n_components=2, random_state=0, tol=1e-2)
    >>> W = model.fit_transform(X)
    >>> H = model.components_
    >>> bool(np.abs(X - W @ H).max() < 0.01)
    True
    """

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None, labels: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : ignored
            As in scikit-learn; with ``init="labels"`` or ``init="exemplars"`` it is ``labels``.
        W : array-like of shape (n_samples, n_components), default=None
            The starting codes, with ``init="custom"``.
        H : array-like of shape (n_components, n_features), default=None
            The starting components, with ``init="custom"``.
        labels : array-like of shape (n_samples,), or the name of a column of obs, default=None
            The class of each sample, -1 (or ``unlabelled``) for unlabelled samples. They only serve the start
            and the names of the components.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y if labels is None else labels, W, H, uses_y=labels is not None)

    def _rank_without_labels(self, data: Any) -> int | None:
        return int(data.shape[1])


@estimator
class NsNMF(Factorization):
    """Non-smooth NMF: a smoothing link between the factors, which makes both sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NsNMF
    >>> X = np.random.default_rng(0).random((8, 5))
    >>> NsNMF(2, smoothing=0.5, random_state=0, tol=1e-2).fit_transform(X).shape
    (8, 2)
    """


@estimator
class NCWNMF(Factorization):
    """NMF with rows weighted as in normalized cuts.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NCWNMF
    >>> X = np.random.default_rng(0).random((8, 5))
    >>> NCWNMF(2, random_state=0, tol=1e-2).fit_transform(X).shape
    (8, 2)
    """
