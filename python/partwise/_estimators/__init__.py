"""The estimators, one for each method of the registry. ``__init__.pyi`` lists them for type checkers.

Each is made when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._registry import METHODS, method_of

# The modules that have classes of estimators; importing one enters its classes into ``WRITTEN``.
_MODULES = {
    "_guided": ("GuidedNMF",),
    "_estimators.graphs": ("GNMF", "SemiGNMF"),
    "_estimators.images": ("NTF",),
    "_estimators.plain": ("NCWNMF", "NMF", "NsNMF"),
    "_estimators.references": ("WSNMF",),
    "_estimators.symmetric": ("SymNMF", "WSSymNMF"),
    "_estimators.tied": ("CNMF", "NMFDC", "SCNMF"),
    "_estimators.views": ("NMFAlpha", "SSNMF"),
}
_WRITTEN_IN = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [spec["estimator"] for spec in METHODS.values()]


def _bases(takes: list[str]) -> tuple[type[Any], ...]:
    """What an estimator without a class of its own inherits, by what its method takes."""
    from .._base import Factorization
    from .class_components import ClassComponents
    from .graphs import GraphFactorization
    from .references import ReferenceFactorization

    kinds = {"reference": ReferenceFactorization, "graph": GraphFactorization, "components_per_class": ClassComponents}
    found = [kind for name, kind in kinds.items() if name in takes]
    if "reference" in takes and "graph" in takes:
        # A graph beside references is part of the guidance of GuidedNMF, as for WSNMF.
        found.remove(GraphFactorization)
    return tuple(found) or (Factorization,)


def _estimator(name: str) -> type[Any]:
    from .._factory import WRITTEN, made

    if name in _WRITTEN_IN:
        import_module(f"partwise.{_WRITTEN_IN[name]}")
        return WRITTEN[name]
    spec = method_of(name)
    return made(spec, _bases(spec["takes"]))


def __getattr__(name: str) -> Any:
    """An estimator, or ``ESTIMATORS``: all of them in the order of the registry."""
    found: Any
    if name == "ESTIMATORS":
        found = tuple(globals().get(each) or __getattr__(each) for each in __all__)
    elif name in __all__:
        found = _estimator(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "ESTIMATORS"})
