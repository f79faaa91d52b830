"""What all items of guidance share: what they are compiled for, and finding samples and features by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._input import matrix_by_name
from .._names import Names, column_labels, row_labels
from .strength import Strength, stated

__all__: list[str] = []


@dataclass
class _Place:
    """What items are compiled for."""

    data: Any
    strength: Strength
    # Topics so far, one entry a component.
    components: list[str]
    samples: Names
    features: Names

    @property
    def n_samples(self) -> int:
        return int(self.data.shape[0])


class _Item:
    """An item of guidance. Its class is found by its kind, and listed in errors."""

    kinds: ClassVar[dict[str, type[_Item]]] = {}
    _kind: ClassVar[str]
    # Whether entries of X are missing or weighted, so that zeros of new rows may mean something else.
    _is_about_entries: ClassVar[bool] = False
    strength: Strength = None
    # The names of the samples and of the features that it was made for, where it holds plain arrays: those of
    # a model file.
    _made_for: tuple[Any, Any] = (None, None)

    def __init_subclass__(cls) -> None:
        _Item.kinds.setdefault(cls._kind, cls)

    def _matrix(self, given: Any, what: str, place: _Place, **how: Any) -> Any:
        """A table about samples and features, by name."""
        own = (row_labels(given) if self._made_for[0] is None else self._made_for[0], column_labels(given) if self._made_for[1] is None else self._made_for[1])
        return matrix_by_name(given, f"the {what} of {type(self).__name__}", type(self).__name__, place.samples, place.features, own=own, **how)

    def _by_sample(self, given: Any, place: _Place) -> Any:
        """A dict by sample, or a vector with names of samples, as a list for all samples (None where it says
        nothing); else as it is."""
        where = type(self).__name__
        if isinstance(given, Mapping):
            listed: list[Any] = [None] * place.n_samples
            for sample, value in given.items():
                listed[place.samples.place(sample, where)] = value
            return listed
        labels = row_labels(given) if self._made_for[0] is None else self._made_for[0]
        order = None if labels is None else place.samples.order(labels, len(given), where, partial=True)
        if order is None:
            return given
        if np.ndim(given) == 2:
            if (order < 0).any():
                raise ValueError(f"{where}: a table of labels needs a row for each of the {place.n_samples} samples of the data")
            return given.iloc[order] if hasattr(given, "iloc") else np.asarray(given)[order]
        values = list(given)
        found = [values[at] if at >= 0 else None for at in order]
        return found if isinstance(given, list) else np.array(found, dtype=np.asarray(given).dtype if (order >= 0).all() else object)

    def _strength(self, place: _Place) -> Any:
        return stated(self.strength if self.strength is not None else place.strength, f"the strength of {self._kind}")

    def _document(self, place: _Place) -> dict[str, Any]:
        """The item as documents of guidance hold it; what is None is left to the engine's default."""
        return {name: value for name, value in {"kind": self._kind, **self._fields(place)}.items() if value is not None}

    def _fields(self, place: _Place) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        """The item from a document."""
        raise NotImplementedError
