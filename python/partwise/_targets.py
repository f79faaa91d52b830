"""The kinds of ``y``: classes with unlabelled samples, several labels per sample, or soft memberships."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from ._warn import warn

__all__ = ["Targets", "any_is", "array_of", "is_missing", "targets_of", "unmasked"]


@dataclass
class Targets:
    """Labels of n samples, of c classes."""

    classes: Any
    """The classes (c), sorted."""
    codes: Any
    """The class of each sample as a position in ``classes``, -1 for unlabelled samples (n); None if there is
    not one class per sample."""
    memberships: Any
    """y as numbers (n, c), 0 where unknown; None if y has one class per sample."""
    known: Any
    """1 where an entry of ``memberships`` is known (n, c); None if y has one class per sample."""
    missing: Any
    """The marker for "no class" in results."""
    notes: list[str] = field(default_factory=list)
    """Labels that may mean "unknown"."""

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

    @property
    def are_sets(self) -> bool:
        """Whether y is a matrix of zeros and ones: the labels of each sample."""
        return self.memberships is not None and bool(np.isin(self.memberships, (0.0, 1.0)).all())

    def hard(self) -> tuple[Any, list[str], Any]:
        """Codes (n) over the classes that have a sample, their names, and their positions in ``classes``."""
        present = np.unique(self.codes[self.codes >= 0])
        compact = np.where(self.codes >= 0, np.searchsorted(present, self.codes), -1).astype(np.int32)
        return compact, [self.names[c] for c in present], present

    def for_the_start(self) -> tuple[Any, list[str]] | None:
        """Labels for the engine. Soft memberships and several labels give the class of the one largest entry,
        which only the start and the names of the components use; None when a class would be left out, since
        component j must be class j."""
        if self.codes is not None:
            return self.hard()[:2]
        largest = self.memberships.max(axis=1, keepdims=True)
        alone = ((self.memberships == largest).sum(axis=1) == 1) & (largest[:, 0] > 0)
        codes = np.where(alone, self.memberships.argmax(axis=1), -1).astype(np.int32)
        return (codes, self.names) if len(np.unique(codes[alone])) == self.n_classes else None

    def as_memberships(self) -> tuple[Any, Any]:
        """Memberships and mask (n, c), also if y has one class per sample."""
        if self.memberships is not None:
            return self.memberships, self.known
        indicator = (self.codes[:, None] == np.arange(self.n_classes)).astype(np.float64)
        marks = np.repeat((self.codes >= 0).astype(np.float64)[:, None], self.n_classes, axis=1)
        return indicator, marks

    def decode_names(self) -> Any:
        """The name of the class of each sample, None for unlabelled samples."""
        return np.array([*self.names, None], dtype=object)[self.codes]

    def decode(self, positions: Any) -> Any:
        """Classes from positions; -1 becomes the missing marker."""
        positions = np.asarray(positions)
        none = positions < 0
        if not len(self.classes):
            return np.full(positions.shape, self.missing)
        found = self.classes[np.where(none, 0, positions)]
        if none.any():
            # A marker that is no number or text of the classes' type needs an array of objects.
            fits: Any = object
            if found.dtype.kind in "iuf":
                fits = np.result_type(found.dtype, np.min_scalar_type(self.missing))
            elif found.dtype.kind in "mM":
                fits = found.dtype
            found = found.astype(fits)
            found[none] = self.missing
        return found


def targets_of(y: Any, n_samples: int, unlabelled: Any = -1) -> Targets:
    """Reads y of n samples; ``unlabelled`` is a further marker of unlabelled samples.

    Raises
    ------
    ValueError
        For another number of samples, labels below -1, labels that are not whole numbers, negative
        memberships.
    """
    columns = _columns_of(y)
    y = array_of(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warn("A column-vector y was passed when a 1d array was expected. It was flattened; use y.ravel() to say so.", DataConversionWarning)
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
    if y.dtype.kind == "V":
        raise ValueError(f"y has the type {y.dtype}; labels are whole numbers or text, one per sample")
    return _classes(y, unlabelled) if y.ndim == 1 else _memberships(y, columns)


def _columns_of(y: Any) -> list[str] | None:
    """The names of the columns of a table."""
    for names in (getattr(y, "column_names", None), getattr(y, "columns", None)):
        if names is not None:
            return [str(name) for name in names]
    return None


def array_of(y: Any) -> Any:
    """y as an array whose missing entries are NaN, NaT or objects that ``is_missing`` knows, and whose whole
    numbers are exact."""
    if sp.issparse(y):
        return y.toarray()
    if isinstance(y, np.ma.MaskedArray):
        return unmasked(y)
    if type(y).__module__.partition(".")[0] == "pandas" and not isinstance(getattr(y, "dtype", np.dtype(float)), np.dtype):
        # Iterated, since arrays of categories with a gap are floats.
        return _of_objects(list(y)) if np.ndim(y) == 1 else np.asarray(y, dtype=object)
    if type(y).__module__.partition(".")[0] in ("polars", "pyarrow"):
        # As arrays their whole numbers with a gap would be floats, which do not hold large ones.
        if hasattr(y, "column_names") or hasattr(y, "columns"):
            lists = y.to_pydict() if hasattr(y, "to_pydict") else y.to_dict(as_series=False)
            return np.array(list(lists.values()), dtype=object).reshape(len(lists), -1).T
        return _of_objects(y.to_pylist() if hasattr(y, "to_pylist") else y.to_list())
    if isinstance(y, (list, tuple)) and any(entry is None for entry in y):
        return _of_objects(y) if all(entry is None or np.ndim(entry) == 0 for entry in y) else np.asarray(y)
    return np.asarray(y)


def unmasked(array: Any) -> Any:
    """A masked array as a plain one, with None for masked entries."""
    if not np.ma.is_masked(array):
        return array.data
    out = array.data.astype(object)
    out[np.ma.getmaskarray(array)] = None
    return out


def _of_objects(entries: Any) -> Any:
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out


def _classes(y: Any, unlabelled: Any) -> Targets:
    kind = y.dtype.kind
    if kind in "OUST":
        y, none, missing = _from_objects(y, unlabelled)
    elif kind in "mM":
        none, missing = np.isnat(y), y.dtype.type("NaT")
    else:
        y, none, missing = *_from_numbers(y, unlabelled), -1
    classes, positions = np.unique(y[~none], return_inverse=True)
    codes = np.full(len(y), -1, dtype=np.int32)
    codes[~none] = positions
    targets = Targets(classes, codes, None, None, missing)
    unclear = [name for name in targets.names if _looks_unknown(name)]
    if unclear:
        listed = ", ".join(map(repr, unclear))
        targets.notes.append(
            f"the label {listed} of y was read as a class; if it means unlabelled, use None or unlabelled={unclear[0]!r}"
        )
    return targets


def _from_numbers(y: Any, unlabelled: Any) -> tuple[Any, Any]:
    """Labels as whole numbers (or truth values), and which samples are unlabelled; invalid labels are
    errors."""
    none = np.zeros(len(y), dtype=bool)
    if isinstance(unlabelled, Real) and not (y.dtype.kind == "b" and unlabelled == -1):
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
    if y.dtype.kind in "if":
        none |= y == -1
        below = np.flatnonzero(~none & (y < 0))
        if below.size:
            also = "" if unlabelled == -1 else f" (or {unlabelled!r})"
            raise ValueError(f"sample {below[0]} has label {y[below[0]]}; labels are whole numbers from 0, and -1{also} for unlabelled")
    if y.dtype.kind == "f":
        large = np.flatnonzero(~none & (y >= 2.0**63))
        if large.size:
            raise ValueError(f"sample {large[0]} has the label {y[large[0]]}, but labels are whole numbers below 2**63, or text")
        # A column of a table with gaps holds its whole numbers as floats: class 1.0 is class 1.
        y = np.where(none, -1, y).astype(np.int64)
    return y, none


def _from_objects(y: Any, unlabelled: Any) -> tuple[Any, Any, Any]:
    """Labels, which of them are missing, and the marker for results."""
    y = _of_objects([v.decode() if isinstance(v, bytes) else v for v in y.astype(object)])
    none = np.array([is_missing(value, unlabelled) for value in y], dtype=bool)
    present = y[~none]
    if len(present) and all(isinstance(v, (bool, np.bool_)) for v in present):
        return np.array([bool(v) if not m else False for v, m in zip(y, none, strict=True)]), none, -1
    if len(present) and all(isinstance(v, (Integral, np.bool_)) for v in present):
        whole = [int(v) if not m else 0 for v, m in zip(y, none, strict=True)]
        below = next((at for at, v in enumerate(whole) if v < 0), None)
        if below is not None:
            raise ValueError(f"sample {below} has label {whole[below]}; labels are whole numbers from 0, and -1 for unlabelled")
        if max(whole) >= 2**63:
            raise ValueError(f"sample {whole.index(max(whole))} has label {max(whole)}, but labels are whole numbers below 2**63, or text")
        return np.array(whole, dtype=np.int64), none, -1
    if all(isinstance(v, Real) for v in present) and len(present):
        numbers = np.array([np.nan if m else float(v) for v, m in zip(y, none, strict=True)])
        whole, more = _from_numbers(numbers, unlabelled)
        return whole, none | more, -1
    odd = [v for v in present if not isinstance(v, (str, Real))]
    if odd:
        kinds = sorted({type(v).__name__ for v in present})
        raise TypeError(f"labels of several types ({', '.join(kinds)}) cannot be distinguished; give whole numbers or text, one type for all")
    texts = _one_text_each([v if isinstance(v, str) else _text_of(v) for v in present])
    out = _of_objects([""] * len(y))
    out[~none] = texts
    return out, none, None


def _text_of(number: Any) -> str:
    """1, 1.0 and "1" of one column are one class, "1"."""
    value = number.item() if isinstance(number, np.generic) else number
    return str(int(value)) if isinstance(value, float) and value == np.floor(value) else str(value)


_WHOLE_WITH_POINT = re.compile(r"[0-9]+\.0*")
_WITH_FRACTION = re.compile(r"[0-9]+\.[0-9]*[1-9][0-9]*")


def _one_text_each(texts: list[str]) -> list[str]:
    """"1.0" is what a table makes of 1, unless other labels have digits after the point ("1.5")."""
    if any(_WITH_FRACTION.fullmatch(text) for text in texts):
        return texts
    return [text.partition(".")[0] if _WHOLE_WITH_POINT.fullmatch(text) else text for text in texts]


def any_is(y: Any, mark: Any) -> bool:
    """Whether an entry of y is the marker of unlabelled samples."""
    entries = array_of(y).astype(object).ravel()
    return any(v == mark or (isinstance(v, (str, bytes)) and (v.decode() if isinstance(v, bytes) else v).strip() == str(mark)) for v in entries if np.ndim(v) == 0 and not _is_na(v))


def _is_na(value: Any) -> bool:
    return type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")


# What tables write where nothing is known: the marks that pandas and R read as missing, and -1 in its
# spellings.
_MISSING_TEXTS = frozenset(
    ["", "<NA>", "N/A", "n/a", "NA", "NaN", "nan", "NaT", "None", "NULL", "null", "#N/A", "-nan", "-NaN", "-1", "-1.0", "\N{MINUS SIGN}1", "\N{MINUS SIGN}1.0"]
)


def is_missing(value: Any, unlabelled: Any = -1) -> bool:
    """Whether a label means unlabelled: None, NaN, NaT, NA, blank, -1, their spellings in tables, or the
    given marker."""
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    if isinstance(value, str):
        text = value.strip()
        return text in _MISSING_TEXTS or text == str(unlabelled)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return isinstance(unlabelled, (bool, np.bool_)) and isinstance(value, (bool, np.bool_)) and bool(value == unlabelled)
    return bool(value != value or value == -1 or (isinstance(unlabelled, Real) and value == unlabelled))


_UNCLEAR = frozenset(
    ["?", "??", "???", "-", "--", ".", "unknown", "unk", "<unk>", "unlabelled", "unlabeled", "not labelled", "not labeled", "no label", "none", "nil", "na", "n.a.", "missing",
     "not available", "unassigned", "undefined", "unspecified", "tbd"]
)


def _looks_unknown(name: str) -> bool:
    return name.strip().lower() in _UNCLEAR


def _memberships(y: Any, columns: list[str] | None) -> Targets:
    """Multi-hot or soft memberships; NaN and -1 are unknown entries."""
    if y.dtype.kind not in "biuf":
        try:
            y = np.array([[np.nan if is_missing(v) else float(v) for v in row] for row in y], dtype=np.float64).reshape(y.shape)
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
