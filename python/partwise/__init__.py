"""Partwise factors a non-negative matrix into parts, guided by what you know.

The estimators follow scikit-learn's manners: ``NMF`` takes its parameters by the same names, and the others take labels as ``y``
with -1 for unlabelled samples.

Examples
--------
>>> from partwise import CNMF
>>> from partwise.datasets import load_digits
>>> from partwise.metrics import accuracy
>>> import numpy as np
>>> X, truth = load_digits(return_X_y=True)
>>> y = np.full(len(truth), -1)
>>> for digit in range(10):  # two labels each
...     y[np.flatnonzero(truth == digit)[:2]] = digit
>>> model = CNMF(random_state=0, max_iter=1000).fit(X, y)
>>> bool(accuracy(truth, model.labels_) > 0.5)
True
"""

from . import datasets, metrics
from ._base import Factorization, Iteration
from ._estimators import (
    CNMF,
    GNMF,
    NCWNMF,
    NMF,
    NMFDC,
    NTF,
    SCNMF,
    SSNMF,
    WSNMF,
    NMFAlpha,
    NsNMF,
    SemiGNMF,
    SymNMF,
    WSSymNMF,
)
from ._files import load
from ._native import __version__
from ._solve import nnls, solve_codes, solve_components

__all__ = [
    "CNMF",
    "GNMF",
    "NCWNMF",
    "NMF",
    "NMFDC",
    "NTF",
    "SCNMF",
    "SSNMF",
    "WSNMF",
    "Factorization",
    "Iteration",
    "NMFAlpha",
    "NsNMF",
    "SemiGNMF",
    "SymNMF",
    "WSSymNMF",
    "__version__",
    "datasets",
    "load",
    "metrics",
    "nnls",
    "solve_codes",
    "solve_components",
]
