"""The estimators, one a model of the registry."""

from __future__ import annotations

from .._base import Factorization
from .._guided import GuidedNMF
from .graphs import GNMF, SemiGNMF
from .images import NTF
from .plain import NCWNMF, NMF, NsNMF
from .references import WSNMF
from .symmetric import SymNMF, WSSymNMF
from .tied import CNMF, NMFDC, SCNMF
from .views import SSNMF, NMFAlpha

__all__ = [
    "CNMF",
    "ESTIMATORS",
    "GNMF",
    "GuidedNMF",
    "NCWNMF",
    "NMF",
    "NMFDC",
    "NTF",
    "NMFAlpha",
    "NsNMF",
    "SCNMF",
    "SSNMF",
    "SemiGNMF",
    "SymNMF",
    "WSNMF",
    "WSSymNMF",
]

ESTIMATORS: tuple[type[Factorization], ...] = (
    NMF,
    CNMF,
    SCNMF,
    NMFDC,
    WSNMF,
    SSNMF,
    NsNMF,
    NCWNMF,
    NMFAlpha,
    GNMF,
    SemiGNMF,
    SymNMF,
    WSSymNMF,
    NTF,
    GuidedNMF,
)
