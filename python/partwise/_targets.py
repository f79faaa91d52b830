"""What ``y`` says: classes with unlabelled samples, several labels a sample, or soft memberships."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

__all__ = ["Targets", "is_continuous", "targets_of"]


@dataclass
class Targets:
    """Labels of n samples, of c classes."""

    classes: Any
    """The classes (c), sorted."""
    codes: Any
    """The class of each sample as a position in ``classes``, -1 where it has none (n); None when it isn't one class a sample."""
    memberships: Any
    """y as numbers (n, c), 0 where unknown; None when y was one class a sample."""
    known: Any
    """1 where an entry of ``memberships`` is known (n, c); None when y was one class a sample."""
    missing: Any
    """What stands for "no class" in results."""

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.classes]

    @property
    def labelled(self) -> Any:
        """Whether each sample is labelled (n)."""
        return self.codes >= 0 if self.codes is not None else self.known.any(axis=1)

    def hard(self) -> tuple[Any, list[str], Any]:
        """Codes (n) over the classes that have a sample, their names, and their positions in ``classes``."""
        present = np.unique(self.codes[self.codes >= 0])
        compact = np.where(self.codes >= 0, np.searchsorted(present, self.codes), -1).astype(np.int32)
        return compact, [self.names[c] for c in present], present

    def for_the_start(self) -> tuple[Any, list[str]] | None:
        """Labels for the engine. Soft memberships and several labels give the class of the one largest entry, which only the
        start and the names of the components use; None when a class would be left out, since component j must be class j."""
        if self.codes is not None:
            return self.hard()[:2]
        largest = self.memberships.max(axis=1, keepdims=True)
        alone = ((self.memberships == largest).sum(axis=1) == 1) & (largest[:, 0] > 0)
        codes = np.where(alone, self.memberships.argmax(axis=1), -1).astype(np.int32)
        return (codes, self.names) if len(np.unique(codes[alone])) == self.n_classes else None

    def as_memberships(self) -> tuple[Any, Any]:
        """Memberships and marks (n, c), also where y was one class a sample."""
        if self.memberships is not None:
            return self.memberships, self.known
        indicator = (self.codes[:, None] == np.arange(self.n_classes)).astype(np.float64)
        marks = np.repeat((self.codes >= 0).astype(np.float64)[:, None], self.n_classes, axis=1)
        return indicator, marks

    def decode(self, positions: Any) -> Any:
        """Classes from positions; -1 becomes the missing marker."""
        positions = np.asarray(positions)
        none = positions < 0
        if not len(self.classes):
            return np.full(positions.shape, self.missing)
        found = self.classes[np.where(none, 0, positions)]
        if none.any():
            # A marker that is no number or text of the classes' type needs an array of objects.
            fits = np.result_type(found.dtype, np.min_scalar_type(self.missing)) if found.dtype.kind in "iuf" else object
            found = found.astype(fits)
            found[none] = self.missing
        return found


def is_continuous(y: Any) -> bool:
    """Whether y is a target of a regression: finite numbers that are not whole, as supervised pipelines hand them on."""
    y = np.asarray(y)
    if y.dtype.kind != "f" or y.ndim > 2 or (y.ndim == 2 and y.shape[1] != 1):
        return False
    finite = y[np.isfinite(y)]
    return bool((finite != np.floor(finite)).any())


def targets_of(y: Any, n_samples: int, unlabelled: Any = -1) -> Targets:
    """Reads y of n samples; ``unlabelled`` marks those without a label.

    Raises
    ------
    ValueError
        For another number of samples, labels below -1, labels that are not whole numbers, negative memberships.
    """
    columns = [str(name) for name in y.columns] if hasattr(y, "columns") else None
    if sp.issparse(y):
        y = y.toarray()
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        message = "A column-vector y was passed when a 1d array was expected. It was flattened; use y.ravel() to say so."
        warnings.warn(message, DataConversionWarning, stacklevel=4)
        y = y.ravel()
    if y.ndim not in (1, 2):
        raise ValueError(
            f"y should be a 1d array of labels or a 2d array of memberships (n_samples, n_classes), got an array of shape {y.shape} instead."
        )
    if len(y) != n_samples:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_samples}, {len(y)}]; y needs one "
            "entry for each sample of X (-1 for unlabelled)"
        )
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported in y: labels are whole numbers or text")
    return _classes(y, unlabelled) if y.ndim == 1 else _memberships(y, columns)


def _classes(y: Any, unlabelled: Any) -> Targets:
    if y.dtype.kind in "OUST":
        y, none, missing = _from_objects(y, unlabelled)
    else:
        none, missing = _from_numbers(y, unlabelled), -1
    classes, positions = np.unique(y[~none], return_inverse=True)
    codes = np.full(len(y), -1, dtype=np.int32)
    codes[~none] = positions
    return Targets(classes, codes, None, None, missing)


def _from_numbers(y: Any, unlabelled: Any) -> Any:
    """Which samples are unlabelled; faults are raised."""
    none = np.zeros(len(y), dtype=bool)
    if isinstance(unlabelled, Real):
        none |= y == unlabelled
    if y.dtype.kind == "f":
        none |= np.isnan(y)
        if np.isinf(y).any():
            raise ValueError(f"Input y contains infinity: sample {int(np.flatnonzero(np.isinf(y))[0])}")
        broken = np.flatnonzero(~none & (y != np.floor(y)))
        if broken.size:
            raise ValueError(
                f"Unknown label type: sample {broken[0]} has the label {y[broken[0]]}; labels are whole numbers from 0 "
                "(-1 for unlabelled) or text. For soft memberships give a 2d array (n_samples, n_classes)."
            )
    below = np.flatnonzero(~none & (y < 0)) if y.dtype.kind in "if" else np.array([], dtype=int)
    if below.size:
        raise ValueError(
            f"sample {below[0]} has label {y[below[0]]}; labels are whole numbers from 0, and {unlabelled!r} for unlabelled"
        )
    return none


def _from_objects(y: Any, unlabelled: Any) -> tuple[Any, Any, Any]:
    """Labels, which of them are missing, and the marker for results."""
    y = y.astype(object)
    y = np.array([v.decode() if isinstance(v, bytes) else v for v in y], dtype=object)
    none = np.array([_is_missing(value, unlabelled) for value in y], dtype=bool)
    present = y[~none]
    if len(present) and all(isinstance(v, (Integral, np.bool_)) for v in present):
        whole = np.full(len(y), -1, dtype=np.int64)
        whole[~none] = present.astype(np.int64)
        below = np.flatnonzero(~none & (whole < 0))
        if below.size:
            raise ValueError(f"sample {below[0]} has label {whole[below[0]]}; labels are whole numbers from 0, and -1 for unlabelled")
        return whole, none, -1
    if all(isinstance(v, str) for v in present):
        texts = np.array([v if not m else "" for v, m in zip(y, none, strict=True)], dtype=object)
        return texts, none, None
    if all(isinstance(v, Real) for v in present):
        numbers = np.array([np.nan if m else float(v) for v, m in zip(y, none, strict=True)])
        return numbers, none | _from_numbers(numbers, unlabelled), -1
    kinds = sorted({type(v).__name__ for v in present})
    raise TypeError(f"labels of several types ({', '.join(kinds)}) can't be told apart; give whole numbers or text, one type for all")


def _is_missing(value: Any, unlabelled: Any) -> bool:
    """None, NaN, NA, blank, the marker; and "-1", which is what NumPy makes of -1 beside texts."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, str):
        return value.strip() == "" or value == str(unlabelled)
    if isinstance(value, float) and value != value:
        return True
    return isinstance(value, Real) and isinstance(unlabelled, Real) and value == unlabelled


def _memberships(y: Any, columns: list[str] | None) -> Targets:
    """Multi-hot or soft memberships; NaN and -1 mark entries that aren't known."""
    if y.dtype.kind not in "biuf":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"memberships (a 2d y) must be numbers, but have the type {y.dtype}; give texts as a 1d y"
            ) from None
    y = y.astype(np.float64)
    known = ~(np.isnan(y) | (y == -1))
    faulty = np.argwhere(known & ~(np.isfinite(y) & (y >= 0)))
    if len(faulty):
        i, j = faulty[0]
        raise ValueError(
            f"Input y contains infinity or negative memberships, the first in row {i}, column {j}: {y[i, j]}; "
            "memberships are finite numbers from 0, and NaN or -1 for unknown"
        )
    values = np.where(known, y, 0.0)
    # One class a sample is labels; a row without any mark has none.
    marked = (values > 0).sum(axis=1)
    single = bool((marked <= 1).all()) and bool(np.isin(values, (0.0, 1.0)).all())
    codes = np.where(marked == 1, values.argmax(axis=1), -1).astype(np.int32) if single else None
    classes = np.array(columns, dtype=object) if columns is not None else np.arange(y.shape[1])
    missing = None if columns is not None else -1
    return Targets(classes, codes, values, known.astype(np.float64), missing)
