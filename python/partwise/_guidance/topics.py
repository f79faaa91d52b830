"""Named parts, with features that belong to them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from .strength import Strength, of_document, stated

__all__ = ["Topic", "feature_of"]


def feature_of(given: Any, what: str) -> int | str:
    if isinstance(given, str):
        return str(given)
    if isinstance(given, Integral) and not isinstance(given, (bool, np.bool_)):
        if given < 0:
            raise ValueError(f"{what}: feature {given} must be 0 or more")
        return int(given)
    raise TypeError(f"{what}: {given!r} is not a feature; give a name (text) or a column (a whole number)")


def _seeds(given: Any, what: str) -> list[tuple[int | str, float]]:
    if given is None:
        return []
    if isinstance(given, (str, Integral)):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else [seed if isinstance(seed, tuple) else (seed, 1.0) for seed in given]
    out = []
    for pair in pairs:
        if len(pair) != 2 or not isinstance(pair[1], Real):
            raise ValueError(f"{what}: {pair!r} is no seed; give a feature, or a pair (feature, weight)")
        weight = float(pair[1])
        if not 0 < weight < np.inf:
            raise ValueError(f"{what}: the weight of {pair[0]!r} is {pair[1]!r}, but must be a finite number above 0")
        out.append((feature_of(pair[0], what), weight))
    return out


@dataclass(eq=False)
class Topic:
    """A named part. Component j is the topic j that was named; free components come after.

    Parameters
    ----------
    name : str
        Its name.
    seeds : sequence of features, or dict of feature to weight, default=()
        Features that belong to the topic, as names or column numbers, or as pairs (feature, weight).
    components : int, default=1
        The number of components of the topic; more than 1 for topics with several distinct appearances.
    forbidden : sequence of features, default=()
        Features that must not be in the topic; exact.
    strength : float, "auto" or None, default=None
        How strongly seeds are kept out of other topics; 0.9 by default.
    """

    name: str
    seeds: Any = ()
    components: int = 1
    forbidden: Any = ()
    strength: Strength = None

    def __post_init__(self) -> None:
        # One form of seeds, whatever they came from; faults are told with the topic, when it is used.
        with contextlib.suppress(TypeError, ValueError):
            self.seeds = _seeds(self.seeds, "")

    def to_document(self, strength: Strength) -> dict[str, Any]:
        """The topic as documents of guidance hold it."""
        what = f"topic {self.name!r}"
        if not isinstance(self.components, Integral) or self.components < 1:
            raise ValueError(f"{what}: components is {self.components!r}, but must be a whole number of 1 or more")
        forbidden = [self.forbidden] if isinstance(self.forbidden, (str, Integral)) else self.forbidden
        stated_strength = stated(self.strength if self.strength is not None else strength, f"the strength of {what}")
        return {
            "name": str(self.name),
            "components": int(self.components),
            "seeds": _seeds(self.seeds, what),
            "forbidden": [feature_of(feature, what) for feature in (() if forbidden is None else forbidden)],
            **({} if stated_strength is None else {"strength": stated_strength}),
        }

    @classmethod
    def of_document(cls, given: dict[str, Any]) -> Topic:
        """A topic of a document."""
        seeds = [tuple(seed) for seed in given["seeds"]]
        return cls(given["name"], seeds, given["components"], list(given["forbidden"]), of_document(given.get("strength")))
