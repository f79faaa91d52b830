"""Makes the estimators: what each takes comes from the registry, what is special about it from its class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from ._common_settings import CommonSettings
from ._documentation import documentation
from ._guidance.strength import Strength
from ._missing_entries import missing_entries
from ._parameters import Parameter, declared, initializer, of_registry
from ._registry import METHOD_PARAMETERS, method_of, quoted, traits

__all__ = ["WRITTEN", "estimator", "made", "parameters_of"]

WRITTEN: dict[str, type[Any]] = {}
"""The estimators that have a class of their own, by name."""

_T = TypeVar("_T", bound=type[Any])


def estimator(cls: _T) -> _T:
    """Makes a class the estimator of the method that the registry lists under its name.

    Its parameters, their defaults, its ``__init__``, its signature and its docstring follow.
    """
    WRITTEN[cls.__name__] = _equipped(cls, method_of(cls.__name__))
    return cls


def _equipped(cls: _T, spec: dict[str, Any]) -> _T:
    for name, value in {"_spec": spec, "_method": spec["name"], **traits(spec)}.items():
        setattr(cls, name, value)
    parameters = parameters_of(cls, spec)
    cls._parameters = parameters
    cls.__init__ = initializer(cls, parameters)
    cls.__doc__ = documentation(cls.__doc__ or "", spec, parameters)
    return cls


def parameters_of(cls: Any, spec: dict[str, Any]) -> dict[str, Parameter]:
    """The number of components, the parameters of the method and the class, the common settings."""
    common = declared(CommonSettings)
    first, *_ = common
    special = {name: each for name, each in declared(cls).items() if name not in common}
    strength = {"strength": _strength(spec)} if cls._has_strength else {}
    missing = {"missing": missing_entries("error")} if {"known_entries", "guidance"} & set(spec["takes"]) else {}
    names = {source: cls._python_names.get(source, source) for source in METHOD_PARAMETERS if source in spec["takes"]}
    own = {name: of_registry(source, name) for source, name in names.items()}
    for name in own.keys() & special.keys():
        # The description of the class, for the parameter of the method.
        special[name] = replace(special[name], source=own[name].source, kind=own[name].kind)
    loss = common["beta_loss"]
    common["beta_loss"] = replace(loss, default=spec["losses"][0], help=loss.help.format(losses=quoted(spec["losses"])))
    return {first: common[first], **strength, **missing, **own, **special, **common}


def _strength(spec: dict[str, Any]) -> Parameter:
    value, is_raw = spec["strength"]
    default = f"``raw({value:g})``" if is_raw else f"{value:.3g}"
    text = (
        "How strongly the guidance is followed: from 0 (ignored) to below 1, without a unit; ``raw(weight)`` is "
        f"the published weight. None is the default of the method, {default}."
    )
    return Parameter(None, "float, raw or None", text, "strength", "Strength", Strength)


_EXAMPLE = """{title}: {summary}.

Examples
--------
>>> import numpy as np
>>> from partwise import {name}
>>> X = np.array({X})
>>> {name}({given}random_state=0, max_iter=100).fit_transform(X{y}).shape
({n}, 2)
"""
_ROWS = "[[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]]"
_SIMILARITIES = "[[2, 1.5, 0.1, 0.1], [1.5, 2, 0.1, 0.1], [0.1, 0.1, 2, 1.5], [0.1, 0.1, 1.5, 2]]"


def made(spec: dict[str, Any], bases: tuple[type[Any], ...]) -> type[Any]:
    """The estimator of a method that has no class of its own."""
    needs_y = "labels" in spec["takes"] and spec["needs"] != "nothing"
    sizes = [f"{name}=(3, 1), " for name in spec["takes"] if METHOD_PARAMETERS.get(name, {}).get("kind") == "size"]
    samples = 4 if spec["symmetric"] else 5
    text = _EXAMPLE.format(
        title=spec["title"],
        summary=spec["summary"],
        name=spec["estimator"],
        X=_SIMILARITIES if spec["symmetric"] else _ROWS,
        given="".join(["" if needs_y else "2, ", *sizes]),
        y=f", {[0, -1, 1, -1, -1][:samples]}" if needs_y else "",
        n=samples,
    )
    return _equipped(type(spec["estimator"], bases, {"__doc__": text, "__module__": "partwise"}), spec)
