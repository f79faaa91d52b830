"""Factorizations of a matrix of similarities."""

from __future__ import annotations

from .._base import Factorization
from .._factory import estimator
from .._strengths import StrengthUnit
from .class_components import ClassComponents

__all__ = ["SymNMF", "WSSymNMF"]


@estimator
class SymNMF(Factorization):
    """Symmetric NMF: factors a similarity matrix into memberships times their transpose.

    X is symmetric (n_samples, n_samples). New rows hold similarities to the samples of the fit. After a fit,
    ``symmetric_error_`` is the norm of X - W Wᵀ divided by the norm of X, with W the ``codes_``.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SymNMF
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> labels = SymNMF(2, random_state=0, tol=1e-2).fit_predict(S)
    >>> bool(labels[0] == labels[2] != labels[3])
    True
    """


@estimator
class WSSymNMF(StrengthUnit, ClassComponents):
    """Weakly supervised symmetric NMF: memberships of a matrix of similarities, pulled towards labels or soft
    memberships.

    X is symmetric (n_samples, n_samples). New rows hold similarities to the samples of the fit. After a fit,
    ``symmetric_error_`` is the norm of X - W Wᵀ divided by the norm of X, with W the ``codes_``. A strength
    above 1 is an older spelling of s / (1 - s).

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import WSSymNMF
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> WSSymNMF(random_state=0, tol=1e-2).fit(S, [0, -1, -1, 1, -1, -1]).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """
