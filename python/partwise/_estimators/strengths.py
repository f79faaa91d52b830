"""The strength of a published method, and its older spellings."""

from __future__ import annotations

from numbers import Real
from typing import Any

from .._guidance.strength import Strength, raw, sigma_of, stated, translated
from .._settings import SPECS
from .._warn import warn

__all__ = ["strength_of"]


def strength_of(estimator: Any, *, old: str | None = None, squared: bool = True, unit: str | None = None) -> Strength:
    """The strength of an estimator: from 0 to 1, raw or "auto".

    Older spellings are numbers without bound: a parameter named ``old``, or else a
    ``strength`` above 1. They are translated with a warning, and so is ``strength_unit="raw"``.
    """
    given: Any = estimator.strength
    unit = unit or estimator.strength_unit
    default = _default(estimator)
    weight = None if old is None else getattr(estimator, old)
    if weight is not None:
        if given is not None:
            raise ValueError(f"strength={given!r} and {old}={weight!r} say the same thing twice; give strength")
        return _translated(estimator, f"{old}={weight!r}", translated(weight, unit, str(old), squared=squared))
    if given is None and (unit == "relative" or not hasattr(estimator, "strength_unit")):
        return default
    if unit != "relative" and hasattr(estimator, "strength_unit") and not isinstance(given, (raw, str)):
        found = raw(float(round(sigma_of(default) or 0.0))) if given is None else translated(given, unit, "strength", squared=squared)
        return _translated(estimator, f"strength_unit={unit!r}", found)
    if old is None and isinstance(given, Real) and given > 1:
        return _translated(estimator, f"strength={given!r}", translated(given, unit, "strength", squared=squared))
    stated(given, "strength")
    return given  # type: ignore[no-any-return]


def _default(estimator: Any) -> Strength:
    strength, is_raw = SPECS[estimator._method]["strength"]
    return raw(strength) if is_raw else float(strength)


def _translated(estimator: Any, spelling: str, found: Strength) -> Strength:
    name = type(estimator).__name__
    text = f"raw({found.weight:g})" if isinstance(found, raw) else f"{found:.4g}"
    warn(f"{name}({spelling}) is an older spelling that a later release refuses; give {name}(strength={text})", FutureWarning)
    return found
