"""NMF without guidance: plain, smoothed, with weighted rows."""

from __future__ import annotations

from typing import Any

from .._base import Factorization
from .._factory import estimator

__all__ = ["NCWNMF", "NMF", "NsNMF"]


@estimator
class NMF(Factorization):
    """Non-negative matrix factorization, plain: scikit-learn's ``NMF`` with other solvers.

    Labels, if given, only serve the start (class means as components) and the names of the components.

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
