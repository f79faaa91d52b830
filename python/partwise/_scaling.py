"""The scaling that a model of the command line applies to new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import to_native

__all__ = ["Scaling"]


@dataclass(frozen=True, eq=False)
class Scaling:
    """The scaling of new rows, as learned by ``partwise fit --scale``."""

    kind: str
    """"max", "unit-rows" or "tfidf"."""
    learned: Any
    """The numbers: the largest entry ("max", 1), the weight of each feature ("tfidf", d), none
    ("unit-rows")."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scaling) and self.kind == other.kind and np.array_equal(self.learned, other.learned)

    __hash__ = None  # type: ignore[assignment]

    def scaled(self, X: Any) -> Any:
        """New data; X is not changed."""
        values = _native.scaled_values(to_native(X), self.kind, [float(number) for number in self.learned])
        if not sp.issparse(X):
            return values.reshape(X.shape)
        return type(X)((values, X.indices, X.indptr), shape=X.shape)

    def to_document(self) -> dict[str, Any]:
        """For the model file; the weights of features are a matrix there."""
        return {"kind": self.kind, "max": float(self.learned[0])} if self.kind == "max" else {"kind": self.kind}
