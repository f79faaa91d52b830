"""The estimators, one for each method of the registry. ``__init__.pyi`` lists them for type checkers."""

from __future__ import annotations

from typing import Any

from .. import _guided
from .._base import Factorization
from .._factory import WRITTEN, made
from .._registry import METHODS
from . import images, plain, symmetric, tied, views
from .class_components import ClassComponents
from .graphs import GraphFactorization
from .references import ReferenceFactorization


# The modules with classes of estimators; importing them is what enters these into WRITTEN.
_MODULES = (_guided, images, plain, symmetric, tied, views)


def _bases(takes: list[str]) -> tuple[type[Any], ...]:
    """What an estimator without a class of its own inherits, by what its method takes."""
    kinds = {"reference": ReferenceFactorization, "graph": GraphFactorization, "components_per_class": ClassComponents}
    found = [kind for name, kind in kinds.items() if name in takes]
    if "reference" in takes and "graph" in takes:
        # A graph beside references is part of the guidance of GuidedNMF, as for WSNMF.
        found.remove(GraphFactorization)
    return tuple(found) or (Factorization,)


ESTIMATORS = tuple(WRITTEN.get(spec["estimator"]) or made(spec, _bases(spec["takes"])) for spec in METHODS.values())
"""The estimators in the order of the registry."""

__all__ = [estimator.__name__ for estimator in ESTIMATORS]
globals().update({estimator.__name__: estimator for estimator in ESTIMATORS})
