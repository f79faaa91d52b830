"""How strongly an item is followed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Strength", "of_document", "of_sigma", "raw", "sigma_of", "stated", "translated"]


@dataclass(frozen=True)
class raw:
    """A paper's own weight instead of a strength from 0 to 1: m of WS-NMF (enters squared), lambda of GNMF
    and SSNMF."""

    weight: float


Strength: TypeAlias = float | str | raw | None
"""0 = ignored, 1 = exact, between: a unit-free penalty; "auto" = the smallest that is followed; ``raw(m)``:
the paper's weight; None = the default."""


def stated(strength: Strength, what: str) -> float | str | dict[str, float] | None:
    """A strength as documents of guidance hold it; None is the engine's own default."""
    if strength is None:
        return None
    if isinstance(strength, raw):
        if not isinstance(strength.weight, Real) or not 0 <= float(strength.weight) < np.inf:
            raise ValueError(f"{what}: raw({strength.weight!r}) must be a finite number of 0 or more")
        return {"raw": float(strength.weight)}
    if isinstance(strength, str):
        if strength != "auto":
            raise ValueError(f"{what} is {strength!r}, but must be a number from 0 to 1, 'auto', raw(m) or None")
        return "auto"
    if isinstance(strength, (bool, np.bool_)) or not isinstance(strength, Real):
        raise TypeError(f"{what} is {strength!r}, but must be a number from 0 to 1, 'auto', raw(m) or None")
    if not 0 <= strength <= 1:
        raise ValueError(f"{what} is {strength!r}, but must be from 0 (ignored) to 1 (held exactly); give a paper's own weight as raw({strength!r})")
    return float(strength)


def of_document(given: Any) -> Strength:
    """A strength of a document; None where it has none."""
    return raw(given["raw"]) if isinstance(given, dict) else given


def of_sigma(sigma: float) -> float:
    """The strength s whose s / (1 - s) is sigma."""
    return sigma / (1 + sigma)


def sigma_of(strength: Strength) -> float | None:
    """s / (1 - s) of a strength below 1, the weight of a raw one; None of all others."""
    if isinstance(strength, raw):
        return float(strength.weight)
    return None if strength is None or isinstance(strength, str) or strength >= 1 else strength / (1 - strength)


def translated(old: float, unit: str, what: str, *, squared: bool) -> Strength:
    """The strength that an older number without bound stands for; ``squared`` where it entered squared."""
    if isinstance(old, (bool, np.bool_)) or not isinstance(old, Real) or not 0 <= float(old) < np.inf:
        raise ValueError(f"{what} is {old!r}, but must be a finite number of 0 or more")
    if unit not in ("relative", "raw"):
        raise ValueError(f"unknown strength_unit {unit!r}; valid: relative, raw")
    return raw(float(old)) if unit == "raw" else of_sigma(float(old) if squared else math.sqrt(float(old)))
