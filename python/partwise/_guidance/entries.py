"""Guidance on the entries of X: which are known, and their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .._blocks import in_memory
from .._input import feature_lists
from .._names import key
from .base import _Item, _Place

__all__ = ["EntryWeights", "KnownEntries", "KnownFeatures"]


@dataclass(eq=False)
class KnownEntries(_Item):
    """Which entries of X are known; X holds 0 where one is not.

    Parameters
    ----------
    known : array-like or DataFrame of shape (n_samples, n_features)
        True or 1 where X is known; rows and columns of a DataFrame go by name.
    """

    known: Any
    _kind: ClassVar[str] = "known entries"
    _is_about_entries: ClassVar[bool] = True

    def _fields(self, place: _Place) -> dict[str, Any]:
        return {"matrix": self._matrix(self.known, "marks", place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        return cls(given["matrix"])


@dataclass(eq=False)
class KnownFeatures(_Item):
    """Which features of each sample are known, for data such as ratings, where most entries are missing
    rather than zero.

    Needs the squared loss. ``transform`` takes the zeros of new data as zeros; ``codes_`` are the fit's own.

    Parameters
    ----------
    known : sparse matrix, array or DataFrame of shape (n_samples, n_features), or lists, default=None
        Sparse matrix: every stored entry is known, including stored zeros. Array: every entry that is not 0.
        Lists: the known features of each sample, as numbers or names. X must be 0 elsewhere. None: the
        entries of X that are not 0.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from partwise import Guidance, GuidedNMF, KnownFeatures
    >>> ratings = sp.csr_array([[1.0, 2.0, 0.0], [2.0, 0.0, 6.0], [0.0, 6.0, 9.0]])
    >>> guidance = Guidance(KnownFeatures())
    >>> model = GuidedNMF(1, guidance=guidance, random_state=0, tol=1e-9, max_iter=1000).fit(ratings)
    >>> round(float(model.codes_[0] @ model.components_[:, 2]), 2)
    3.0
    """

    known: Any = None
    _kind: ClassVar[str] = "known features"
    _is_about_entries: ClassVar[bool] = True

    def _fields(self, place: _Place) -> dict[str, Any]:
        if isinstance(self.known, (list, tuple)):
            return _listed(*self._of_lists(self.known, place))
        shape = tuple(place.data.shape)
        if self.known is None:
            # The zeros of X that are stored are zeros as all others.
            in_memory(place.data, "KnownEntries of the non-zeros of X")
            data = place.data if sp.issparse(place.data) else sp.csr_array(place.data)
            return _listed(*feature_lists(data, zeros=False))
        if sp.issparse(self.known):
            known = self.known
        else:
            known = sp.csr_array(self._matrix(self.known, "known features", place))
        if known.shape != shape:
            raise ValueError(f"KnownFeatures: the known features must have the shape {shape}, but have {known.shape}")
        return _listed(*feature_lists(known, zeros=True))

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        features = given.get("matrix", np.zeros((1, 0)))[0].astype(np.int64)
        return cls(np.split(features, np.cumsum(given["counts"])[:-1]))

    def _of_lists(self, lists: Sequence[Any], place: _Place) -> tuple[Any, Any]:
        if len(lists) != place.n_samples:
            raise ValueError(f"KnownFeatures: one list for each of the {place.n_samples} samples is needed, but there are {len(lists)}")
        rows = [np.asarray(row if len(row) else np.zeros(0, dtype=np.int64)) for row in lists]
        looked_up = place.features.labels is not None and self._made_for[1] is None
        if self._made_for[1] is not None:
            stored = [key(label) for label in self._made_for[1]]
            if stored != place.features.keys:
                rows = [np.array([place.features.place(stored[int(f)], "KnownFeatures") for f in row], dtype=np.int64) for row in rows]
        elif looked_up or any(row.dtype.kind not in "iu" for row in rows):
            rows = [np.array([place.features.place(f, "KnownFeatures") for f in given], dtype=np.int64) for given in lists]
        rows = [np.unique(row) for row in rows]
        if self._made_for[0] is not None:
            order = place.samples.order(self._made_for[0], len(rows), "KnownFeatures")
            rows = rows if order is None else [rows[at] for at in order]
        below = next((i for i, row in enumerate(rows) if len(row) and row[0] < 0), None)
        if below is not None:
            raise ValueError(f"KnownFeatures: the list of sample {below} has the feature {rows[below][0]}, but features are numbered from 0")
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.uintp)
        return indptr, np.concatenate([np.zeros(0, dtype=np.int64), *rows]).astype(np.uint32)


@dataclass(eq=False)
class EntryWeights(_Item):
    """The weight of each entry of X in the fit. Needs the squared loss.

    Parameters
    ----------
    weights : array-like or DataFrame of shape (n_samples, n_features)
        Finite numbers of 0 or more (rows and columns of a DataFrame go by name); 0 = ignored, 1 = the usual
        weight.
    """

    weights: Any
    _kind: ClassVar[str] = "weights of entries"
    _is_about_entries: ClassVar[bool] = True

    def _fields(self, place: _Place) -> dict[str, Any]:
        return {"matrix": self._matrix(self.weights, "weights", place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        return cls(given["matrix"])


def _listed(indptr: Any, indices: Any) -> dict[str, Any]:
    """Lists of features as documents hold them: how many each sample has, and all of them in a row."""
    table = indices.astype(np.float64).reshape(1, -1) if len(indices) else None
    return {"counts": np.diff(indptr.astype(np.int64)).tolist(), "matrix": table}
