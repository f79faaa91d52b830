"""Several labels or soft memberships per sample as an item of guidance, by what the method takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._guidance.strength import Strength, sigma_of, stated
from ._registry import estimators_that_take
from ._targets import Targets

__all__ = ["soft_labels_document", "weight_of"]


def soft_labels_document(spec: dict[str, Any], targets: Targets, n_components: Any, strength: Strength) -> dict[str, Any]:
    """The item, as documents of guidance hold it."""
    if "code_reference" in spec["takes"]:
        return _reference(targets, n_components, strength)
    if "label_targets" in spec["takes"]:
        values, marks = targets.as_memberships()
        return {"kind": "label targets", "matrix": np.where(marks > 0, values, np.nan), "strength": stated(strength, "strength")}
    return _sets(spec["title"], targets)


def weight_of(strength: Strength) -> float:
    """The weight of references that have none of their own, in the unit of the factors."""
    weight = sigma_of(strength)
    if weight is None:
        raise ValueError(f"strength={strength!r} applies to labels; references need weights, or a strength below 1 or raw(m)")
    return weight


def _reference(targets: Targets, n_components: Any, strength: Strength) -> dict[str, Any]:
    """Memberships as reference codes; components beyond the classes are 0 in them. Rows that aren't known are
    free."""
    values, known = targets.as_memberships()
    # Fewer components than classes are raised to one for each class (with a warning, where the rank is
    # settled).
    rank = targets.n_classes if n_components in ("auto", None) else max(int(n_components), targets.n_classes)
    reference = np.zeros((len(values), rank))
    reference[:, : targets.n_classes] = values
    weight = np.where(known.any(axis=1), weight_of(strength), 0.0)
    return {"kind": "reference codes", "matrix": reference, "weight": weight.tolist()}


def _sets(title: str, targets: Targets) -> dict[str, Any]:
    """Several labels per sample."""
    values, known = targets.as_memberships()
    soft = np.argwhere((values != 0) & (values != 1))
    if len(soft):
        i, j = soft[0]
        others = estimators_that_take("code_reference", "label_targets")
        raise ValueError(f"{title} takes labels, but row {i}, column {j} of y is {values[i, j]}; {others} take soft memberships")
    samples = np.flatnonzero(known.any(axis=1))
    sets = [np.flatnonzero(values[i]).tolist() for i in samples]
    return {"kind": "sets", "n_samples": len(values), "samples": samples.tolist(), "sets": sets, "names": list(targets.names)}
