"""NMF pulled towards references: labels, memberships, known components."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import Factorization
from .._factory import estimator
from .._guidance.strength import Strength, of_document, raw
from .._input import matrix_by_name, vector_by_name
from .._names import Names, by_name, column_labels, component_order, row_labels
from .._soft_labels import weight_of
from .._strengths import StrengthUnit
from .._targets import Targets
from .class_components import ClassComponents

__all__ = ["ReferenceFactorization", "WSNMF"]


class ReferenceFactorization(Factorization):
    """A factorization with references for codes and components, given to ``fit``."""

    anchor_scale: str
    strength: Strength

    def fit(
        self,
        X: Any,
        y: Any = None,
        W: Any = None,
        H: Any = None,
        codes_reference: Any = None,
        codes_weight: Any = None,
        components_reference: Any = None,
        components_weight: Any = None,
    ) -> Any:
        """Factors X with labels, memberships or references.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Labels, -1 for unlabelled; or soft memberships.
        W, H : array-like, default=None
            The start, with ``init="custom"``.
        codes_reference : array-like of shape (n_samples, n_components), default=None
            Known codes, up to the scale of each row.
        codes_weight : array-like of shape (n_samples,), default=None
            How strongly each row is followed; 0 = ignored. ``strength`` for all by default.
        components_reference : array-like of shape (m, n_features), default=None
            The first m components, if they are known.
        components_weight : array-like of shape (m,), default=None
            How strongly each component is followed. ``strength`` for all by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if y is None and codes_reference is None and components_reference is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. Give labels, soft memberships, "
                "codes_reference or components_reference"
            )
        known = {"codes": (codes_reference, codes_weight), "components": (components_reference, components_weight)}
        return self._fit(X, y, W, H, known=known)

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        if self.n_components in ("auto", None) and self._reference_rank and targets is None:
            return self._reference_rank
        return super()._rank(data, targets, W, H, knowledge)

    def _without_effect(self, X: Any, y: Any, targets: Targets | None, settings: dict[str, Any], known: dict[str, Any]) -> list[tuple[str, str]]:
        out = super()._without_effect(X, y, targets, settings, known)
        given = known.get("known") or {}
        soft = targets is not None and targets.codes is None
        codes = soft or given.get("codes", (None,))[0] is not None
        labels = targets is not None and not codes
        unit = getattr(self, "strength_unit", "relative")
        is_raw = labels and (unit == "raw" or isinstance(self.strength, raw))

        def changed(name: str) -> bool:
            return bool(getattr(self, name) != self._parameters[name].default)

        # Only rows of codes with a scale of their own have a free scale: relative strengths and components
        # have none.
        if "anchor_scale" in self._parameters and changed("anchor_scale") and not codes and not is_raw:
            out.append(("no-effect", f"anchor_scale={self.anchor_scale!r} has no effect: it is for codes_reference, soft memberships, and labels with strength_unit='raw'"))
        if unit != "relative" and not labels:
            out.append(("no-effect", f"strength_unit={unit!r} has no effect: there are no labels, and references have weights in the unit of the factors"))
        weighted = [what for what in ("codes", "components") if given.get(what, (None, None))[1] is not None]
        referenced = [what for what in ("codes", "components") if given.get(what, (None, None))[0] is not None]
        if changed("strength") and not labels and not soft and weighted == referenced:
            out.append(("no-effect", f"strength={self.strength} has no effect: every reference has weights of its own"))
        return out

    def _knowledge(self, data: Any, targets: Targets | None, known: Any = None) -> tuple[Any, dict[str, Any]]:
        known = known or {}
        data, knowledge = super()._knowledge(data, targets)
        if knowledge["items"] and known.get("codes", (None,))[0] is not None:
            raise ValueError("soft memberships as y and codes_reference say the same thing twice; give one of them")
        self._reference_rank: int = 0
        for what, kind in (("codes", "reference codes"), ("components", "reference components")):
            reference, weight = known.get(what, (None, None))
            if reference is None:
                if weight is not None:
                    raise ValueError(f"{what}_weight without {what}_reference: there is nothing to weigh; give both, or leave the weight out")
                continue
            reference, weight = self._by_name(what, reference, weight, targets)
            rows = reference.shape[0]
            if weight is None:
                weight = np.full(rows, weight_of(of_document(knowledge["strength"]["strength"])))
            if weight.shape != (rows,):
                raise ValueError(f"{what}_weight must have the shape ({rows},), but has {weight.shape}")
            knowledge["items"].append({"kind": kind, "matrix": reference, "weight": weight.tolist()})
            self._reference_rank = reference.shape[1] if what == "codes" else max(rows, self._reference_rank)
        return data, knowledge

    def _by_name(self, what: str, given: Any, weight: Any, targets: Targets | None) -> tuple[Any, Any]:
        """A reference and the weights of its rows in the order of the data; components in that of the
        classes, where both have names."""
        names, where = self._names_in_, f"{what}_reference"
        labels = row_labels(given)
        if what == "codes":
            reference = matrix_by_name(given, where, where, rows=names.samples, own=(labels, None))
            rows = names.samples if names.samples.labels is not None else Names(labels, len(reference), "sample")
            order = _class_order(column_labels(given), targets, f"{where}, its columns")
            reference = by_name(reference, order, 1)
        else:
            reference = matrix_by_name(given, where, where, columns=names.features)
            rows = Names(labels, len(reference), "component")
            order = _class_order(labels, targets, f"{where}, its rows")
            reference = by_name(reference, order, 0)
        if weight is None:
            return reference, None
        weight = vector_by_name(weight, f"{what}_weight", rows)
        return reference, weight if what == "codes" else by_name(weight, order, 0)


def _class_order(labels: Any, targets: Targets | None, where: str) -> Any:
    """Component j is class j."""
    return None if targets is None else component_order(labels, targets.names, where)


@estimator
class WSNMF(StrengthUnit, ReferenceFactorization, ClassComponents):
    """Weakly supervised NMF: codes and components are pulled towards references with a chosen strength.

    Labels have a unit-free strength. A 2-D y of soft memberships, and ``codes_reference`` and
    ``components_reference`` of ``fit``, are references whose weights are in the unit of the factors.

    ``strength="auto"`` searches for the smallest strength at which the labels are followed. A strength above
    1 is an older spelling of s / (1 - s). With ``components_per_class`` above 1 the start is "exemplars",
    and y has one label per sample.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import WSNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = WSNMF(random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """
