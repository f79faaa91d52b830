"""The registries of the library: methods and their parameters, solvers, starts, losses."""

from __future__ import annotations

from typing import Any

from . import _native

__all__ = ["METHODS", "METHOD_PARAMETERS", "REGISTRIES", "error_name", "estimators_that_take", "method_of", "quoted", "traits"]

REGISTRIES = _native.registries()

METHODS: dict[str, dict[str, Any]] = {spec["name"]: spec for spec in REGISTRIES["methods"]}
"""The methods by name, in the order in which tables show them."""

METHOD_PARAMETERS: dict[str, dict[str, Any]] = {parameter["name"]: parameter for parameter in REGISTRIES["parameters"]}
"""The parameters of methods by name."""

# What y can be: a class for some samples, several labels or numbers for each, soft memberships.
_LABELS = frozenset({"labels", "label_sets", "label_targets"})
_SEVERAL = frozenset({"label_sets", "label_targets", "code_reference", "guidance"})
# What a penalty follows, so that it has a strength.
_FOLLOWED = frozenset({"label_targets", "code_reference", "reference", "graph", "guidance"})


def error_name(loss: str) -> str:
    """What the relative error of a fit with this loss is called."""
    return str(REGISTRIES["error_names"][loss])


def method_of(estimator: str) -> dict[str, Any]:
    """The method whose estimator has this name."""
    return next(spec for spec in METHODS.values() if spec["estimator"] == estimator)


def traits(spec: dict[str, Any]) -> dict[str, bool]:
    """What follows for an estimator from what its method takes."""
    takes = frozenset(spec["takes"])
    other_ways = {"reference", "guidance"}
    return {
        # Without y there is nothing to fit to.
        "_needs_labels": bool(takes & _LABELS) and not takes & other_ways and spec["needs"] != "nothing",
        # The method takes no labels: y of a supervised pipeline has no effect, unless the start asks for it.
        "_ignores_y": not takes & (_LABELS | {"guidance"}),
        "_one_class_a_sample": not takes & _SEVERAL,
        "_component_for_each_class": spec["names_classes"],
        "_has_strength": bool(takes & _FOLLOWED),
        "_symmetric": spec["symmetric"],
        "_spectral_start": not spec["symmetric"] and not spec["images"],
    }


def estimators_that_take(*inputs: str) -> str:
    """The estimators whose method takes one of these, but not all guidance, as a list in words."""
    names = [spec["estimator"] for spec in METHODS.values() if set(inputs) & set(spec["takes"])]
    return " and ".join(", ".join(names).rsplit(", ", 1))


def quoted(names: list[str]) -> str:
    """Names as they are written in Python, with commas."""
    return ", ".join(f'"{name}"' for name in names)
