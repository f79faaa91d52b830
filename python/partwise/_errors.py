"""Errors in the engine itself: turns a panic of the native module into an exception that programs can
catch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import _native

__all__ = ["guard"]


def guard(module: Any) -> None:
    """Wraps every function of the native module, once."""
    for name, function in list(vars(module).items()):
        if callable(function) and not isinstance(function, type) and not hasattr(function, "__wrapped__"):
            setattr(module, name, _guarded(function))


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except BaseException as fault:
            # A panic arrives as an exception that no `except Exception` catches; its class has no public
            # name.
            if type(fault).__name__ != "PanicException":
                raise
            raise RuntimeError(
                f"internal error in Partwise {_native.__version__}, in {function.__name__}: {fault}; please report it with the call that caused it"
            ) from fault

    return call
