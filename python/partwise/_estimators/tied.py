"""NMF in which samples of one label are alike, exactly."""

from __future__ import annotations

from .._base import Factorization
from .._factory import estimator

__all__ = ["CNMF", "NMFDC", "SCNMF"]


@estimator
class CNMF(Factorization):
    """Constrained NMF: samples with the same label share one row of codes, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import CNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = CNMF(random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """


@estimator
class SCNMF(Factorization):
    """NMF whose components are rescaled by the labels, so that labelled samples have codes near 1.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SCNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = SCNMF(max_iter=2000, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """


@estimator
class NMFDC(Factorization):
    """CNMF with a smoothing link between the factors, by an accelerated gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMFDC
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = NMFDC(max_iter=2000, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """
