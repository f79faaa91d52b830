"""How strongly an item is followed."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias

import numpy as np

__all__ = ["FIRM", "HELD", "LIGHT", "Strength", "of_native", "raw", "stated"]


# The engine's defaults (Strength::FIRM and Strength::LIGHT).
FIRM, LIGHT, HELD = 0.9, 0.25, 1.0


@dataclass(frozen=True)
class raw:
    """A paper's own weight instead of a strength from 0 to 1: m of WS-NMF (enters squared), lambda of GNMF and SSNMF."""

    weight: float


Strength: TypeAlias = float | str | raw | None
"""0 = ignored, 1 = held exactly, between: scale-free; "auto" = the least that is followed; ``raw(m)``; None = the default."""


def stated(strength: Strength, default: float, what: str) -> tuple[str, float]:
    """A strength as the engine takes it."""
    if strength is None:
        return "relative", default
    if isinstance(strength, raw):
        if not isinstance(strength.weight, Real) or not 0 <= float(strength.weight) < np.inf:
            raise ValueError(f"{what}: raw({strength.weight!r}) must be a finite number of 0 or more")
        return "raw", float(strength.weight)
    if isinstance(strength, str):
        if strength != "auto":
            raise ValueError(f"{what} is {strength!r}, but must be a number from 0 to 1, 'auto', raw(m) or None")
        return "auto", default
    if isinstance(strength, (bool, np.bool_)) or not isinstance(strength, Real):
        raise TypeError(f"{what} is {strength!r}, but must be a number from 0 to 1, 'auto', raw(m) or None")
    if not 0 <= strength <= 1:
        raise ValueError(f"{what} is {strength!r}, but must be from 0 (ignored) to 1 (held exactly); give a paper's own weight as raw({strength!r})")
    return "relative", float(strength)


def of_native(given: tuple[str, float]) -> Strength:
    """A strength from the form that the engine takes."""
    unit, value = given
    return raw(value) if unit == "raw" else "auto" if unit == "auto" else value
