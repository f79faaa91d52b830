"""NMF pulled towards references: labels, memberships, known components."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._base import Factorization, Iteration
from .._documentation import documented
from .._guidance.strength import Strength, raw, sigma_of, stated
from .._input import matrix_by_name, vector_by_name
from .._names import Names, by_name, column_labels, component_order, row_labels
from .._targets import Targets
from .strengths import strength_of

__all__ = ["WSNMF"]


@documented
class WSNMF(Factorization):
    """Weakly supervised NMF: codes and components are pulled towards references with a chosen strength.

    Labels are held with a strength without a unit. A 2-D y of soft memberships, or ``codes_reference`` and
    ``components_reference`` of ``fit``, are references with weights in the unit of the factors.

    {own}strength : float, raw, "auto" or None, default=None
        How strongly labelled samples are held to their class: from 0 (not at all) to below 1, 10/11 by
        default; ``raw(m)`` is the published weight; "auto" is the least that is followed. Numbers above 1 are
        an older spelling of s / (1 - s).
    strength_unit : {{"relative", "raw"}}, default="relative"
        An older spelling: "raw" of a number stands for ``strength=raw(number)``.
    anchor_scale : {{"joint", "alternating", "fixed"}}, default="joint"
        What becomes of the free scale of reference rows.
    components_per_class : int, default=1
        Components that each class of y owns, for classes that look in several ways; above 1 the start is
        "exemplars", and labels are one a sample.
    {common}

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

    _method: ClassVar[str] = "ws-nmf"
    _labels_are_optional: ClassVar[bool] = False
    _one_class_a_sample: ClassVar[bool] = False
    _component_for_each_class: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        strength: Strength = None,
        strength_unit: str = "relative",
        anchor_scale: str = "joint",
        components_per_class: int = 1,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            solver=solver,
            acceleration=acceleration,
            beta_loss=beta_loss,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            alpha_W=alpha_W,
            alpha_H=alpha_H,
            l1_ratio=l1_ratio,
            verbose=verbose,
            shuffle=shuffle,
            n_jobs=n_jobs,
            time_limit=time_limit,
            callback=callback,
            dtype=dtype,
            unlabelled=unlabelled,
            layer=layer,
        )
        self.strength = strength
        self.strength_unit = strength_unit
        self.anchor_scale = anchor_scale
        self.components_per_class = components_per_class

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
        """Factors X with what is known.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Labels, -1 for unlabelled; or soft memberships.
        W, H : array-like, default=None
            The start, with ``init="custom"``.
        codes_reference : array-like of shape (n_samples, n_components), default=None
            Rows of codes that are known up to scale.
        codes_weight : array-like of shape (n_samples,), default=None
            How strongly each is held; 0 = free. ``strength`` for all by default.
        components_reference : array-like of shape (m, n_features), default=None
            The first m components that are known.
        components_weight : array-like of shape (m,), default=None
            How strongly each is held. ``strength`` for all by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if y is None and codes_reference is None and components_reference is None:
            raise ValueError(
                "This WSNMF estimator requires y to be passed, but the target y is None. Give labels, soft memberships, "
                "codes_reference or components_reference"
            )
        known = {"codes": (codes_reference, codes_weight), "components": (components_reference, components_weight)}
        return self._fit(X, y, W, H, known=known)

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        if self.n_components in ("auto", None) and self._reference_rank and targets is None:
            return self._reference_rank
        rank = super()._rank(data, targets, W, H, knowledge)
        owned = targets.n_classes * self.components_per_class if targets is not None else 0
        return owned if self.n_components in ("auto", None) else max(rank, owned)

    def _without_effect(self, X: Any, y: Any, targets: Targets | None, settings: dict[str, Any], known: dict[str, Any]) -> list[tuple[str, str]]:
        out = super()._without_effect(X, y, targets, settings, known)
        given = known.get("known") or {}
        soft = targets is not None and targets.codes is None
        codes = soft or given.get("codes", (None,))[0] is not None
        labels = targets is not None and not codes
        default = signature(type(self)).parameters
        # Only rows of codes with a scale of their own have a free scale: relative strengths and components
        # have none.
        if self.anchor_scale != default["anchor_scale"].default and not codes and not (labels and (self.strength_unit == "raw" or isinstance(self.strength, raw))):
            out.append(("no-effect", f"anchor_scale={self.anchor_scale!r} has no effect: it is for codes_reference, soft memberships, and labels with strength_unit='raw'"))
        if self.strength_unit != default["strength_unit"].default and not labels:
            out.append(("no-effect", f"strength_unit={self.strength_unit!r} has no effect: there are no labels, and references have weights in the unit of the factors"))
        weighted = [what for what in ("codes", "components") if given.get(what, (None, None))[1] is not None]
        referenced = [what for what in ("codes", "components") if given.get(what, (None, None))[0] is not None]
        if self.strength != default["strength"].default and not labels and not soft and weighted == referenced:
            out.append(("no-effect", f"strength={self.strength} has no effect: every reference has weights of its own"))
        return out

    def _class_names_of_components(self) -> Any:
        if self.components_per_class == 1 or self._targets_ is None:
            return super()._class_names_of_components()
        owners = [name for name in self._targets_.names for _ in range(self.components_per_class)]
        # No class has the name of a free component, whatever it is called.
        return [*owners, *[""] * (self.n_components_ - len(owners))]

    def _clusters(self, codes: Any) -> Any:
        if self.components_per_class == 1 or self._targets_ is None:
            return super()._clusters(codes)
        p = self.components_per_class
        return self._clusters_of([list(range(c * p, (c + 1) * p)) for c in range(self._targets_.n_classes)], codes)

    def _knowledge(self, data: Any, targets: Targets | None, known: Any = None) -> tuple[Any, dict[str, Any]]:
        known = known or {}
        strength = strength_of(self)
        knowledge: dict[str, Any] = {
            "strength": {"strength": stated(strength, "strength")},
            "anchor_scale": self.anchor_scale,
            "items": [],
        }
        if not isinstance(self.components_per_class, Integral) or self.components_per_class < 1:
            raise ValueError(f"components_per_class is {self.components_per_class!r}, but must be a whole number of 1 or more")
        if self.components_per_class > 1:
            if targets is None or targets.codes is None:
                raise ValueError("components_per_class above 1 needs labels, one a sample")
            knowledge["components_per_class"] = int(self.components_per_class)
        self._reference_rank: int = 0
        soft = None
        if targets is not None and targets.codes is None:
            soft = soft_reference(targets, self.n_components, strength)
        for what, kind in (("codes", "reference codes"), ("components", "reference components")):
            reference, weight = known.get(what, (None, None))
            if reference is None:
                if weight is not None:
                    raise ValueError(f"{what}_weight without {what}_reference: there is nothing to weigh; give both, or leave the weight out")
                continue
            reference, weight = self._by_name(what, reference, weight, targets)
            rows = reference.shape[0]
            if weight is None:
                weight = np.full(rows, weight_of(strength))
            if weight.shape != (rows,):
                raise ValueError(f"{what}_weight must have the shape ({rows},), but has {weight.shape}")
            knowledge["items"].append({"kind": kind, "matrix": reference, "weight": weight.tolist()})
            self._reference_rank = reference.shape[1] if what == "codes" else max(rows, self._reference_rank)
        if soft is not None:
            if known.get("codes", (None,))[0] is not None:
                raise ValueError("soft memberships as y and codes_reference say the same thing twice; give one of them")
            knowledge["items"].append(soft)
        return data, knowledge

    def _owners(self, knowledge: dict[str, Any]) -> list[str]:
        return super()._owners(knowledge) if self.components_per_class == 1 else []

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


def weight_of(strength: Strength) -> float:
    """The weight of references that have none of their own, in the unit of the factors."""
    weight = sigma_of(strength)
    if weight is None:
        raise ValueError(f"strength={strength!r} serves labels; references need weights, or a strength below 1 or raw(m)")
    return weight


def soft_reference(targets: Targets, n_components: Any, strength: Strength) -> dict[str, Any]:
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
