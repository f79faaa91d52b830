"""The strength of a published method, and its older spellings."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from ._guidance.strength import Strength, raw, sigma_of, stated, translated
from ._parameters import parameter
from ._warn import warn

__all__ = ["OlderStrength", "StrengthUnit", "strength_of"]


@dataclass(frozen=True)
class OlderStrength:
    """An older spelling of a strength: a number without bound."""

    parameter: str = "strength"
    """The parameter that takes it; ``strength`` itself takes only numbers above 1 for one."""
    squared: bool = True
    """Whether it entered the objective squared."""
    unit: str | None = None
    """Its unit; None is that of the parameter ``strength_unit``."""


class StrengthUnit:
    """Estimators with the older parameter ``strength_unit``."""

    _older_strength: ClassVar[OlderStrength | None] = OlderStrength()

    strength_unit: str = parameter(
        "relative",
        '{"relative", "raw"}',
        """An older spelling: "raw" says that a number is the published weight; give ``strength=raw(number)``.""",
    )


def strength_of(estimator: Any) -> Strength:
    """The strength of an estimator: from 0 to 1, raw or "auto". Older spellings are translated with a
    warning."""
    given: Any = estimator.strength
    older: OlderStrength | None = estimator._older_strength
    default = _default(estimator)
    if older is not None:
        unit = older.unit or estimator.strength_unit
        by_itself = older.parameter != "strength"
        weight = getattr(estimator, older.parameter) if by_itself else None
        if weight is not None:
            spelling = f"{older.parameter}={weight!r}"
            if given is not None:
                raise ValueError(f"strength={given!r} and {spelling} say the same thing twice; give strength")
            return _translated(estimator, spelling, translated(weight, unit, older.parameter, squared=older.squared))
        if older.unit is None and unit != "relative" and not isinstance(given, (raw, str)):
            number = float(round(sigma_of(default) or 0.0)) if given is None else given
            found = translated(number, unit, "strength", squared=older.squared)
            return _translated(estimator, f"strength_unit={unit!r}", found)
        if not by_itself and isinstance(given, Real) and float(given) > 1:
            return _translated(estimator, f"strength={given!r}", translated(float(given), unit, "strength", squared=older.squared))
    if given is None:
        return default
    stated(given, "strength")
    return given  # type: ignore[no-any-return]


def _default(estimator: Any) -> Strength:
    strength, is_raw = estimator._spec["strength"]
    return raw(strength) if is_raw else float(strength)


def _translated(estimator: Any, spelling: str, found: Strength) -> Strength:
    name = type(estimator).__name__
    text = f"raw({found.weight:g})" if isinstance(found, raw) else f"{found:.4g}"
    warn(f"{name}({spelling}) is an older spelling that a later release refuses; give {name}(strength={text})", FutureWarning)
    return found
