"""NMF beside labels that the codes explain: as a second view, or by support vector machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .._base import Factorization, Iteration
from .._documentation import documented
from .._guidance.strength import Strength, stated
from .._targets import Targets
from .strengths import strength_of

__all__ = ["NMFAlpha", "SSNMF"]


@documented
class SSNMF(Factorization):
    """Semi-supervised NMF: labels as a second view of the samples: soft, several a sample, or known in part.

    NaN in a dense X marks entries that aren't known: they take no part in the fit.

    {own}strength : float, raw or None, default=None
        How heavily the labels count beside the data: from 0 (not at all) over 0.5 (as much, the default) to
        below 1; ``raw(weight)`` is the published weight.
    label_weight : float, default=None
        An older spelling: (s / (1 - s))² of the strength s, or the published weight.
    strength_unit : {{"relative", "raw"}}, default="relative"
        An older spelling: whether ``label_weight`` is relative to the sizes of X and y, or as published.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SSNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = SSNMF(random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _method: ClassVar[str] = "ssnmf"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False
    _one_class_a_sample: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        strength: Strength = None,
        label_weight: float | None = None,
        strength_unit: str = "relative",
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
        self.label_weight = label_weight
        self.strength_unit = strength_unit

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        strength = {"strength": stated(strength_of(self, old="label_weight", squared=False), "strength")}
        items: list[dict[str, Any]] = []
        knowledge: dict[str, Any] = {"strength": strength, "items": items}
        if targets is not None and targets.codes is None:
            values, marks = targets.as_memberships()
            items.append({"kind": "label targets", "matrix": np.where(marks > 0, values, np.nan), **strength})
        self._left_entries_out = False
        if not sp.issparse(data) and np.isnan(data).any():
            known = ~np.isnan(data)
            items.append({"kind": "known entries", "matrix": known.astype(np.float64)})
            self._left_entries_out = True
            data = np.where(known, data, data.dtype.type(0))
        return data, knowledge

    def _left_out(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@documented
class NMFAlpha(Factorization):
    """NMF that keeps the directions of support vector machines trained on the labelled samples
    (Kullback-Leibler).

    Several labels a sample are given as a 2-D y of 0 and 1 (rows of NaN or -1 for unlabelled samples).

    {own}discriminative_weight : float, default=1.0
        How heavily the machines' rows count beside the data; 0 = plain NMF.
    cost : float, default=1.0
        C of the machines, for X as it is given.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMFAlpha
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = NMFAlpha(max_iter=2000, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _method: ClassVar[str] = "nmf-alpha"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False
    _one_class_a_sample: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        discriminative_weight: float = 1.0,
        cost: float = 1.0,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "kullback-leibler",
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
        self.discriminative_weight = discriminative_weight
        self.cost = cost

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        knowledge: dict[str, Any] = {"discriminative_weight": float(self.discriminative_weight), "svm_cost": float(self.cost)}
        if targets is not None and targets.codes is not None and targets.labelled.any() and targets.n_classes < 2:
            raise ValueError("NMF-alpha needs labels of two or more classes, but y has 1 class")
        if targets is not None and targets.codes is None:
            values, known = targets.as_memberships()
            soft = np.argwhere((values != 0) & (values != 1))
            if len(soft):
                i, j = soft[0]
                raise ValueError(f"NMF-alpha takes labels, but row {i}, column {j} of y is {values[i, j]}; SSNMF and WSNMF take soft memberships")
            samples = np.flatnonzero(known.any(axis=1))
            sets = [np.flatnonzero(values[i]).tolist() for i in samples]
            listed = {"n_samples": len(values), "samples": samples.tolist(), "sets": sets, "names": list(targets.names)}
            knowledge["items"] = [{"kind": "sets", **listed}]
        return data, knowledge

    def corrected_codes(self, codes: Any = None) -> Any:
        """Codes W(HHᵀ)^½, whose inner products are those of the rows of WH; they may be negative.

        Parameters
        ----------
        codes : array-like of shape (n_samples, n_components), default=None
            Codes, ``codes_`` by default.

        Returns
        -------
        corrected : ndarray of shape (n_samples, n_components)
        """
        codes = self.codes_ if codes is None else np.asarray(codes)
        values, vectors = np.linalg.eigh((self.components_ @ self.components_.T).astype(np.float64))
        return codes @ ((vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T)
