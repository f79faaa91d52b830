"""Parameters of estimators: name, default, type and description of each in one place.

The settings that all estimators share and the parameters of single classes are class attributes, made by
``parameter``. The parameters of a method come from the registry of the library. ``__init__``, its signature,
docstrings, and the values for the engine are made from them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from . import _native
from ._registry import METHOD_PARAMETERS, quoted

__all__ = ["Parameter", "declared", "initializer", "of_registry", "parameter", "values_for_engine"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an estimator."""

    default: Any
    words: str
    """Its type in words, for docstrings."""
    help: str
    name: str = ""
    annotation: str = ""
    """Its type as it is written in the source."""
    value_type: Any = None
    """Its type."""
    source: str | None = None
    """The name of the method's parameter that it is, if it is one."""
    kind: str | None = None
    """What the registry says of its values: "number", "whole", "choice", "size"."""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        object.__setattr__(self, "name", name)

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        # The value is an attribute of the estimator itself, which comes first.
        raise AttributeError(f"{owner.__name__}.{self.name} has no value: it is a parameter of __init__")


def parameter(default: Any, words: str, help: str) -> Any:
    """A parameter as a class attribute with an annotation: its default, its type in words, its description.

    It takes the place of a parameter of the method that has the same name.
    """
    return Parameter(default, words, inspect.cleandoc(help))


def declared(cls: type[Any]) -> dict[str, Parameter]:
    """The parameters that a class and its bases declare as attributes."""
    found: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__):
        own = {name: value for name, value in vars(base).items() if isinstance(value, Parameter)}
        if own:
            written, types = inspect.get_annotations(base), inspect.get_annotations(base, eval_str=True)
            found |= {name: replace(each, annotation=written[name], value_type=types[name]) for name, each in own.items()}
    return found


# What Python makes of the kinds of values in the registry.
_TYPES: dict[str, tuple[Any, str]] = {
    "number": (float, "float"),
    "whole": (int, "int"),
    "choice": (str, "str"),
    "size": (tuple[int, int], "tuple[int, int]"),
}


def of_registry(source: str, name: str) -> Parameter:
    """A parameter of a method, under a name that may be another one than in the registry."""
    spec = METHOD_PARAMETERS[source]
    kind, default = spec["kind"], spec["default"]
    value_type, annotation = _TYPES[kind]
    words = f"{{{quoted(spec['choices'])}}}" if kind == "choice" else "(int, int)" if kind == "size" else annotation
    sentences = [spec["help"]]
    if kind != "choice":
        sentences.append(f"Valid: {spec['valid']}.")
    if default is None:
        value_type, annotation = value_type | None, f"{annotation} | None"
        sentences.append(f"None is {spec['unset']}.")
    return Parameter(default, words, " ".join(sentences), name, annotation, value_type, source, kind)


def initializer(cls: type[Any], parameters: dict[str, Parameter]) -> Callable[..., None]:
    """The ``__init__`` of a class: it keeps each parameter as an attribute. The first one may be given by
    position."""
    by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    arguments = [inspect.Parameter("self", by_place)]
    for at, (name, each) in enumerate(parameters.items()):
        arguments.append(inspect.Parameter(name, by_name if at else by_place, default=each.default, annotation=each.value_type))
    signature = inspect.Signature(arguments, return_annotation=None)
    defaults = {name: each.default for name, each in parameters.items()}
    first = next(iter(defaults))

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        # What Python itself would refuse is left to the signature, which says it in Python's words.
        if len(args) > 1 or args and first in given or not given.keys() <= defaults.keys():
            try:
                signature.bind(self, *args, **given)
            except TypeError as error:
                raise TypeError(f"{cls.__name__}.__init__() {error}") from None
        if args:
            given[first] = args[0]
        for name, value in {**defaults, **given}.items():
            setattr(self, name, value)

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__module__ = cls.__module__
    __init__.__annotations__ = {**{name: each.value_type for name, each in parameters.items()}, "return": None}
    __init__.__doc__ = "Keeps the parameters as attributes."
    # Functions have no such attribute for type checkers.
    vars(__init__)["__signature__"] = signature
    return __init__


def values_for_engine(estimator: Any, parameters: dict[str, Parameter]) -> dict[str, Any]:
    """The parameters of the method by their names in the registry; a default of None is left to the library.

    Raises
    ------
    ValueError
        For a value out of range, in the words of the library.
    """
    values = {}
    for name, each in parameters.items():
        if each.source is not None and (each.default is not None or getattr(estimator, name) is not None):
            values[each.source] = _value(each, getattr(estimator, name))
    _native.check_parameters(values)
    return values


def _value(parameter: Parameter, value: Any) -> Any:
    kind = parameter.kind
    if kind == "number":
        return float(value)
    if kind == "size":
        height, width = (int(side) for side in value)
        return height, width
    if kind == "whole":
        if not isinstance(value, Integral):
            valid = METHOD_PARAMETERS[str(parameter.source)]["valid"]
            raise ValueError(f"{parameter.name} is {value!r}, but must be a whole number, {valid}")
        return int(value)
    return value
