"""What the actions of steering do to the labels of a model, so that ``predict`` keeps returning them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ._targets import Targets

__all__ = ["steered_targets"]


def steered_targets(targets: Targets | None, action: str, fields: dict[str, Any]) -> Targets | None:
    """The labels after an action: its name, and its fields for the engine."""
    if targets is None:
        return None
    if action == "rename":
        return _renamed(targets, fields["topic"], fields["to"])
    if action == "merge":
        return _merged(targets, fields["with"], fields["keep"])
    if action == "delete":
        return _without(targets, fields["topic"])
    if action == "move":
        return _moved(targets, fields["sample"], fields["to"])
    return targets


def _place(targets: Targets, name: str) -> int | None:
    names = targets.names
    return names.index(name) if name in names else None


def _renamed(targets: Targets, name: str, to: str) -> Targets:
    at = _place(targets, name)
    if at is None:
        return targets
    classes = targets.classes.tolist()
    classes[at] = _like(to, targets.classes)
    kind = targets.classes.dtype
    if kind.kind != "O":
        # Whole numbers stay an array of whole numbers as long as all classes are some.
        kind = kind if all(isinstance(value, int) for value in classes) else np.dtype(object)
    out = np.empty(len(classes), dtype=kind)
    out[:] = classes
    return replace(targets, classes=out)


def _like(name: str, classes: Any) -> Any:
    """A whole number where the classes are whole numbers and the name is one."""
    return int(name) if classes.dtype.kind in "iu" and name.isdecimal() else name


def _merged(targets: Targets, gone: str, keep: str) -> Targets:
    at, to = _place(targets, gone), _place(targets, keep)
    if at is None:
        return targets
    if to is None:
        return _renamed(targets, gone, keep)
    codes, memberships, known = targets.codes, targets.memberships, targets.known
    if codes is not None:
        codes = np.where(codes == at, to, codes).astype(codes.dtype)
    if memberships is not None:
        memberships, known = memberships.copy(), known.copy()
        memberships[:, to] = np.minimum(memberships[:, to] + memberships[:, at], 1.0)
        known[:, to] = np.maximum(known[:, to], known[:, at])
    return _without_column(replace(targets, codes=codes, memberships=memberships, known=known), at)


def _without(targets: Targets, name: str) -> Targets:
    at = _place(targets, name)
    return targets if at is None else _without_column(targets, at)


def _without_column(targets: Targets, at: int) -> Targets:
    codes, memberships, known = targets.codes, targets.memberships, targets.known
    if codes is not None:
        codes = np.where(codes == at, -1, np.where(codes > at, codes - 1, codes)).astype(codes.dtype)
    if memberships is not None:
        memberships, known = np.delete(memberships, at, axis=1), np.delete(known, at, axis=1)
    return replace(targets, classes=np.delete(targets.classes, at), codes=codes, memberships=memberships, known=known)


def _moved(targets: Targets, sample: int, to: str) -> Targets:
    at = _place(targets, to)
    codes, memberships, known = targets.codes, targets.memberships, targets.known
    if codes is not None:
        codes = codes.copy()
        codes[sample] = -1 if at is None else at
    if memberships is not None:
        memberships, known = memberships.copy(), known.copy()
        memberships[sample], known[sample] = 0.0, 0.0 if at is None else 1.0
        if at is not None:
            memberships[sample, at] = 1.0
    return replace(targets, codes=codes, memberships=memberships, known=known)
