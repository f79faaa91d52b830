"""Matching by name: rows and columns of a table are matched to samples and features by name, in any order."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = [
    "DataNames",
    "Names",
    "NO_NAMES",
    "by_name",
    "check_same_order",
    "column_labels",
    "component_order",
    "is_anndata",
    "key",
    "names_of",
    "names_of_model",
    "nearest",
    "row_labels",
]


def is_anndata(X: Any) -> bool:
    """Whether X looks like AnnData: recognized by its attributes, so that anndata need not be installed."""
    return all(hasattr(X, part) for part in ("X", "obs", "var", "layers", "var_names"))


# ------------------------------------------------------------------ what tables say


def row_labels(table: Any) -> Any:
    """The names of the rows of a table or of the entries of a vector, or None."""
    if is_anndata(table):
        return getattr(table, "obs_names", None)
    index = getattr(table, "index", None)
    # Lists and texts have a method of this name.
    return None if index is None or callable(index) else index


def column_labels(table: Any) -> Any:
    """The names of the columns of a table, or of the features of a fitted model, or None."""
    if hasattr(table, "components_"):
        return _features_of_model(table)
    if is_anndata(table):
        return table.var_names
    # In a table of pyarrow "columns" are the columns themselves.
    for part in ("column_names", "columns"):
        labels = getattr(table, part, None)
        if labels is not None and not callable(labels):
            return labels
    return None


def _features_of_model(model: Any) -> Any:
    kept = getattr(model, "_names_in_", NO_NAMES).features
    if kept.labels is not None:
        return kept.labels
    if hasattr(model, "feature_names_in_"):
        return model.feature_names_in_
    stored = getattr(getattr(model, "guidance", None), "feature_names", None)
    return stored if isinstance(stored, (list, tuple, np.ndarray)) else None


def key(label: Any) -> str:
    """A name as text: 10, 10.0 and "10" are one name."""
    if isinstance(label, Real) and not isinstance(label, Integral) and float(label).is_integer():
        return str(int(float(label)))
    return str(label)


def nearest(name: Any, valid: Iterable[Any]) -> str:
    """" (nearest: ...)" with the most similar names, or nothing."""
    # Comparing with more names than that takes too long for a message.
    by_lower = {key(label).lower(): key(label) for label, _ in zip(valid, range(50_000), strict=False)}
    near = difflib.get_close_matches(key(name).lower(), by_lower, n=3, cutoff=0.5)
    return f" (nearest: {', '.join(repr(by_lower[text]) for text in near)})" if near else ""


def _is_range(labels: Any) -> bool:
    """Whether labels are the default index of pandas: a RangeIndex."""
    return all(hasattr(labels, part) for part in ("start", "stop", "step"))


def _is_default(labels: Any) -> bool:
    """Whether labels are the positions 0, 1, 2, ..., the default names of pandas and AnnData."""
    if _is_range(labels):
        return bool(labels.start == 0 and labels.step == 1)
    n = len(labels)
    if n == 0 or key(labels[0]) != "0":
        return False
    return all(key(label) == str(at) for at, label in enumerate(labels))


# ------------------------------------------------------------------ the names of data


class Names:
    """The names of the samples or of the features of data.

    Parameters
    ----------
    labels : sequence of names, or None
        None and the positions 0, 1, 2, ... do not count as names.
    size : int
        The number of samples or features.
    one : str
        "sample", "feature" or "component", for messages.
    """

    def __init__(self, labels: Any, size: int, one: str) -> None:
        self.size = size
        self.one = one
        self.is_range = labels is not None and _is_range(labels)
        none = labels is None or len(labels) != size or _is_default(labels)
        self.labels = None if none else np.asarray(labels, dtype=object)

    @property
    def many(self) -> str:
        """The plural."""
        return f"{self.one}s"

    @cached_property
    def keys(self) -> list[str]:
        """The names as text, or the positions."""
        return [key(label) for label in self.labels] if self.labels is not None else [str(at) for at in range(self.size)]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for at, name in enumerate(self.keys):
            places.setdefault(name, []).append(at)
        return places

    @cached_property
    def _are_numbers(self) -> bool:
        return all(name.lstrip("-").isdigit() for name in self.keys)

    def has(self, name: Any) -> bool:
        """Whether something has this name."""
        return key(name) in self._places

    def place(self, given: Any, where: str) -> int:
        """The position of a name, or a number that can only be a position.

        Raises
        ------
        ValueError
            For an unknown or ambiguous name, or a number that is a name and a different position.
        """
        text = isinstance(given, str)
        if not text and (isinstance(given, (bool, np.bool_)) or not isinstance(given, Real) or float(given) != int(float(given))):
            raise ValueError(f"{where}: {given!r} is not a {self.one}; give its name, or its number from 0 to {self.size - 1}")
        named = self.labels is not None and not self.is_range
        if named:
            found = self._places.get(key(given), [])
            if len(found) > 1:
                raise ValueError(f"{where}: {given!r} is the name of several {self.many}: numbers {found[0]} and {found[1]} (counted from 0); rename one of them")
            if found and not text and int(given) < self.size and int(given) != found[0]:
                raise ValueError(
                    f"{where}: {given} is the name of {self.one} number {found[0]}, and {self.one} number {given} is named {self.keys[int(given)]!r}; "
                    f"give the name as text, {key(given)!r} or {self.keys[int(given)]!r}"
                )
            if found:
                return found[0]
            if text:
                raise ValueError(f"{where}: no {self.one} of the data is named {given!r}{nearest(given, self.keys)}")
            if self._are_numbers:
                raise ValueError(
                    f"{where}: the names of the {self.many} are numbers, and {given} is not one of them{nearest(given, self.keys)}; "
                    f"give a name ({self.keys[0]!r}, ...)"
                )
        elif text:
            raise ValueError(f"{where}: the data have no names of {self.many}, so {given!r} cannot be found; give its number from 0 to {self.size - 1}")
        if not 0 <= int(given) < self.size:
            raise ValueError(f"{where}: {self.one} {given} must be a whole number from 0 to {self.size - 1}")
        return int(given)

    def order(self, labels: Any, count: int, where: str, *, partial: bool = False) -> Any:
        """The position of each sample (or feature) of the data among ``count`` labelled entries; None = match
        by position. With ``partial``, samples (or features) without an entry have position -1.

        Raises
        ------
        ValueError
            If both sides have names and these do not match.
        """
        if labels is None or len(labels) != count or _is_default(labels):
            return None
        own = [key(label) for label in labels]
        if self.labels is None:
            # Numbers that are all places, in another order, say which place each is for.
            if count != self.size or not set(own) == set(self.keys) or len(set(own)) != count:
                return None
        if own == self.keys:
            return None
        at = {name: place for place, name in enumerate(own)}
        if len(at) < len(own):
            twice = next(name for place, name in enumerate(own) if at[name] != place)
            raise ValueError(f"{where}: the name {twice!r} occurs twice (at {own.index(twice)} and {at[twice]}, counted from 0), so it cannot be matched to the {self.many} of the data")
        unknown = [name for name in own if name not in self._places]
        missing = [name for name in self.keys if name not in at]
        if unknown and not (missing and not partial):
            raise ValueError(
                f"{where}: {len(unknown)} of its {count} names are not {self.many} of the data, the first {unknown[0]!r}{nearest(unknown[0], self.keys)}; "
                f"remove them, or rename them as in the data"
            )
        if missing and not partial:
            raise ValueError(
                f"{where}: {len(missing)} of the {self.size} {self.many} of the data are not named in it, the first {missing[0]!r}{nearest(missing[0], own)}"
                + (f", and {len(unknown)} of its {count} names are not in the data" if unknown else "")
                + f"; name every {self.one} as in the data"
            )
        double = next((places for name, places in self._places.items() if len(places) > 1 and name in at), None)
        if double is not None:
            raise ValueError(f"{where}: {self.keys[double[0]]!r} is the name of {self.many} {double[0]} and {double[1]} of the data (counted from 0); rename one of them")
        return np.array([at.get(name, -1) for name in self.keys], dtype=np.intp)


@dataclass
class DataNames:
    """The names of samples and features."""

    samples: Names
    features: Names


NO_NAMES = DataNames(Names(None, 0, "sample"), Names(None, 0, "feature"))


def names_of(X: Any, shape: tuple[int, int] | None = None) -> DataNames:
    """The names that data (n, d) have."""
    n, d = np.shape(X) if shape is None else shape
    return DataNames(Names(row_labels(X), n, "sample"), Names(column_labels(X), d, "feature"))


def names_of_model(model: Any) -> DataNames:
    """The names of the data that a model was fitted to."""
    n, d = model.codes_.shape[0], model.components_.shape[1]
    kept = getattr(model, "_names_in_", NO_NAMES)
    return DataNames(Names(kept.samples.labels, n, "sample"), Names(_features_of_model(model), d, "feature"))


def check_same_order(given: Any, samples: Names, what: str, beside: str = "X") -> None:
    """Refuses a vector that scikit-learn matches by position if its names are in another order.

    Raises
    ------
    ValueError
        If it has the names of the samples in another order.
    """
    labels = row_labels(given)
    if labels is None or samples.labels is None or len(labels) != samples.size or _is_default(labels):
        return
    own = [key(label) for label in labels]
    if own != samples.keys and sorted(own) == sorted(samples.keys):
        at = next(i for i, name in enumerate(own) if name != samples.keys[i])
        raise ValueError(
            f"{what} has the names of the samples of {beside}, but in another order: entry {at} (counted from 0) is {own[at]!r}, sample {at} of {beside} is "
            f"{samples.keys[at]!r}; {what} is matched by position, as in scikit-learn; give {what}.loc[{beside}.index]"
        )


def component_order(labels: Any, owners: list[str], where: str) -> Any:
    """The order of named components in which component j is topic (or class) j of the fit, others after; None
    = unchanged.

    Raises
    ------
    ValueError
        If a topic is at the position of another one, and not all topics are present.
    """
    if labels is None or not owners or len(set(owners)) < len(owners):
        return None
    own = [key(label) for label in labels]
    if len(set(own)) == len(own) and set(owners) <= set(own):
        order = [own.index(name) for name in owners]
        order += [at for at in range(len(own)) if at not in order]
        return None if order == list(range(len(own))) else np.array(order, dtype=np.intp)
    wrong = next((j for j, name in enumerate(own) if name in owners and owners.index(name) != j), None)
    if wrong is not None:
        raise ValueError(
            f"{where}: number {wrong} (counted from 0) is {own[wrong]!r}, but component {wrong} is "
            f"{repr(owners[wrong]) if wrong < len(owners) else 'free'}; the components come in the order {', '.join(map(repr, owners))}"
        )
    return None


def by_name(values: Any, order: Any, axis: int, fill: float = np.nan) -> Any:
    """An array in the order of ``Names.order`` along an axis; ``fill`` for missing entries."""
    if order is None:
        return values
    found = np.take(values, np.maximum(order, 0), axis=axis)
    if (order < 0).any():
        found = np.array(found, dtype=np.float64)
        np.moveaxis(found, axis, 0)[order < 0] = fill
    return found

