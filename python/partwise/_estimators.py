"""The estimators, one a model of the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import Factorization, Iteration
from ._documentation import documented
from ._guided import GuidedNMF
from ._input import as_factor, lend, numeric, raise_about
from ._targets import Targets

__all__ = [
    "CNMF",
    "ESTIMATORS",
    "GNMF",
    "GuidedNMF",
    "NCWNMF",
    "NMF",
    "NMFDC",
    "NTF",
    "NMFAlpha",
    "NsNMF",
    "SCNMF",
    "SSNMF",
    "SemiGNMF",
    "SymNMF",
    "WSNMF",
    "WSSymNMF",
]


@documented
class NMF(Factorization):
    """Non-negative matrix factorization, plain: scikit-learn's ``NMF`` with other solvers.

    Labels, if given, only serve the start (class means as components) and the names of the components.

    {own}{common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMF
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> model = NMF(n_components=2, random_state=0, tol=1e-2)
    >>> W = model.fit_transform(X)
    >>> H = model.components_
    >>> bool(np.abs(X - W @ H).max() < 0.01)
    True
    """

    _method: ClassVar[str] = "nmf"


@documented
class CNMF(Factorization):
    """Constrained NMF: samples with the same label share one row of codes, exactly.

    {own}{common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import CNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = CNMF(random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _method: ClassVar[str] = "cnmf"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False


@documented
class SCNMF(Factorization):
    """NMF whose components are rescaled by the labels, so that labelled samples have codes near 1.

    {own}{common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SCNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = SCNMF(max_iter=2000, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _method: ClassVar[str] = "scnmf"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False
    _component_for_each_class: ClassVar[bool] = True


@documented
class NMFDC(Factorization):
    """CNMF with a smoothing link between the factors, by an accelerated gradient.

    {own}smoothing : float, default=0.3
        The link's weight, from 0 (none: CNMF) to 1.
    step_rule : {{"own-class", "largest-class"}}, default="own-class"
        The step of gradient solvers on merged rows: each its own, or that of the largest class as published.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMFDC
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = NMFDC(max_iter=2000, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _method: ClassVar[str] = "nmf-dc"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        smoothing: float = 0.3,
        step_rule: str = "own-class",
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.smoothing = smoothing
        self.step_rule = step_rule

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        return data, {"smoothing": float(self.smoothing), "step_rule": self.step_rule}


@documented
class NMFAlpha(Factorization):
    """NMF that keeps the directions of support vector machines trained on the labelled samples (Kullback-Leibler).

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
        beta_loss: str | float = "kullback-leibler",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        knowledge: dict[str, Any] = {"discriminative_weight": float(self.discriminative_weight), "cost": float(self.cost)}
        if targets is not None and targets.codes is not None and targets.labelled.any() and targets.n_classes < 2:
            raise ValueError("NMF-alpha needs labels of two or more classes, but y has 1 class")
        if targets is not None and targets.codes is None:
            values, known = targets.as_memberships()
            soft = np.argwhere((values != 0) & (values != 1))
            if len(soft):
                i, j = soft[0]
                raise ValueError(f"NMF-alpha takes labels, but row {i}, column {j} of y is {values[i, j]}; SSNMF and WSNMF take soft memberships")
            sets = [np.flatnonzero(row).tolist() if marks.any() else None for row, marks in zip(values, known, strict=True)]
            knowledge["label_sets"] = (targets.n_classes, sets)
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


@documented
class WSNMF(Factorization):
    """Weakly supervised NMF: codes and components are pulled towards references with a chosen strength.

    Labels are held with a strength without a unit. A 2-D y of soft memberships, or ``codes_reference`` and
    ``components_reference`` of ``fit``, are references with weights in the unit of the factors.

    {own}strength : float, default=10.0
        How strongly labelled samples are held to their class; 0 = not at all.
    strength_unit : {{"relative", "raw"}}, default="relative"
        Without a unit, or the published weight.
    anchor_scale : {{"joint", "alternating", "fixed"}}, default="joint"
        What becomes of the free scale of reference rows.
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
        strength: float = 10.0,
        strength_unit: str = "relative",
        anchor_scale: str = "joint",
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        return super()._rank(data, targets, W, H, knowledge)

    def _knowledge(self, data: Any, targets: Targets | None, known: Any = None) -> tuple[Any, dict[str, Any]]:
        known = known or {}
        knowledge: dict[str, Any] = {
            "strength": _strength(self.strength),
            "strength_unit": self.strength_unit,
            "anchor_scale": self.anchor_scale,
        }
        self._reference_rank = 0
        soft = None
        if targets is not None and targets.codes is None:
            soft = _soft_reference(targets, self.n_components, knowledge["strength"])
        for what, key in (("codes", "code_reference"), ("components", "component_reference")):
            reference, weight = known.get(what, (None, None))
            if reference is None:
                continue
            reference = as_factor(reference, f"{what}_reference")
            rows = reference.shape[0]
            weight = np.full(rows, knowledge["strength"]) if weight is None else np.asarray(weight, dtype=np.float64)
            if weight.shape != (rows,):
                raise ValueError(f"{what}_weight must have the shape ({rows},), but has {weight.shape}")
            knowledge[key] = (reference, np.ascontiguousarray(weight))
            self._reference_rank = reference.shape[1] if what == "codes" else max(rows, self._reference_rank)
        if soft is not None:
            if "code_reference" in knowledge:
                raise ValueError("soft memberships as y and codes_reference say the same thing twice; give one of them")
            knowledge["code_reference"] = soft
        return data, knowledge


@documented
class WSSymNMF(Factorization):
    """Weakly supervised symmetric NMF: memberships of a matrix of similarities, pulled towards labels or soft memberships.

    X is symmetric (n_samples, n_samples). New rows hold similarities to the samples of the fit.

    {own}strength : float, default=10.0
        How strongly labelled samples are held to their class.
    strength_unit : {{"relative", "raw"}}, default="relative"
        Without a unit, or the published weight.
    coupling : float, default=None
        How strongly the two factors are held near each other; (max X)² by default.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import WSSymNMF
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> WSSymNMF(random_state=0, tol=1e-2).fit(S, [0, -1, -1, 1, -1, -1]).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    _method: ClassVar[str] = "ws-symnmf"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False
    _one_class_a_sample: ClassVar[bool] = False
    _component_for_each_class: ClassVar[bool] = True
    _symmetric: ClassVar[bool] = True
    _spectral_start: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        strength: float = 10.0,
        strength_unit: str = "relative",
        coupling: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.coupling = coupling

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        knowledge: dict[str, Any] = {"strength": _strength(self.strength), "strength_unit": self.strength_unit, "coupling": self.coupling}
        if targets is not None and targets.codes is None:
            knowledge["code_reference"] = _soft_reference(targets, self.n_components, knowledge["strength"])
        return data, knowledge


@documented
class SymNMF(Factorization):
    """Symmetric NMF: a matrix of similarities as memberships times themselves.

    X is symmetric (n_samples, n_samples). New rows hold similarities to the samples of the fit.

    {own}coupling : float, default=None
        How strongly the two factors are held near each other; (max X)² by default.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SymNMF
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> labels = SymNMF(2, random_state=0, tol=1e-2).fit_predict(S)
    >>> bool(labels[0] == labels[2] != labels[3])
    True
    """

    _method: ClassVar[str] = "symnmf"
    _symmetric: ClassVar[bool] = True
    _spectral_start: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        coupling: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.coupling = coupling

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        return data, {"coupling": self.coupling}


@documented
class SSNMF(Factorization):
    """Semi-supervised NMF: labels as a second view of the samples: soft, several a sample, or known in part.

    NaN in a dense X marks entries that aren't known: they take no part in the fit.

    {own}label_weight : float, default=1.0
        How heavily the labels count beside the data; 1 = as much, 0 = not at all.
    strength_unit : {{"relative", "raw"}}, default="relative"
        Whether the weight is relative to the sizes of X and y, or as published.
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
        label_weight: float = 1.0,
        strength_unit: str = "relative",
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.label_weight = label_weight
        self.strength_unit = strength_unit

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        knowledge: dict[str, Any] = {"label_weight": float(self.label_weight), "strength_unit": self.strength_unit}
        if targets is not None and targets.codes is None:
            knowledge["label_targets"] = tuple(np.ascontiguousarray(part) for part in targets.as_memberships())
        if not sp.issparse(data) and np.isnan(data).any():
            known = ~np.isnan(data)
            knowledge["known_entries"] = known.astype(np.float64)
            data = np.where(known, data, data.dtype.type(0))
        return data, knowledge

    def _encode(self, X: Any) -> dict[str, Any]:
        check_is_fitted(self)
        data = numeric(self, X, reset=False, dtype=self.dtype)
        if sp.issparse(data) or not np.isnan(data).any():
            return super()._encode(X)
        known = ~np.isnan(data)
        filled = np.where(known, data, data.dtype.type(0))
        try:
            # Faults other than NaN, in the words of the engine.
            super()._encode(filled)
        except ValueError as error:
            raise_about(error, self)
        codes = self._masked_codes(filled.astype(np.float64), known)
        left = np.where(known, filled - codes @ self.components_, 0.0)
        size = np.linalg.norm(filled)
        relative_error = float(np.linalg.norm(left) / size) if size > 0 else 0.0
        return {"codes": codes.astype(data.dtype), "relative_error": relative_error}

    def _masked_codes(self, filled: Any, known: Any) -> Any:
        """The codes that fit the known entries of each row; rows that lack the same entries are solved together."""
        components = self.components_.astype(np.float64)
        ridge, linear = (np.asarray(self._encoding[key]) for key in ("ridge", "linear"))
        patterns, members = np.unique(known, axis=0, return_inverse=True)
        codes = np.zeros((len(filled), len(components)))
        for at, pattern in enumerate(patterns):
            rows = np.flatnonzero(members.ravel() == at)
            part = components[:, pattern]
            gram = np.ascontiguousarray(part @ part.T + np.diag(ridge))
            codes[rows] = _native.nnls(gram, np.ascontiguousarray(filled[rows][:, pattern] @ part.T - linear))
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@documented
class GNMF(Factorization):
    """NMF regularized by a graph: samples that are joined get similar codes.

    {own}n_neighbors : int, default=5
        Neighbours of each sample in the graph that is built when none is given (at most n_samples - 1, with weights 0-1).
    graph_weight : float, default=1.0
        How strongly the graph draws samples together; 0 = plain NMF.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import GNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> labels = GNMF(2, n_neighbors=1, random_state=0, tol=1e-2).fit_predict(X)
    >>> bool(labels[0] == labels[1] == labels[4] != labels[2])
    True
    """

    _method: ClassVar[str] = "gnmf"

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        n_neighbors: int = 5,
        graph_weight: float = 1.0,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.n_neighbors = n_neighbors
        self.graph_weight = graph_weight

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None, graph: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,), default=None
            Labels, -1 for unlabelled.
        W, H : array-like, default=None
            The start, with ``init="custom"``.
        graph : {array-like, sparse matrix} of shape (n_samples, n_samples), default=None
            A symmetric graph over the samples with weights of 0 or more; that of the nearest neighbours by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, W, H, graph=graph)

    def _knowledge(self, data: Any, targets: Targets | None, graph: Any = None) -> tuple[Any, dict[str, Any]]:
        n = data.shape[0]
        self.graph_ = _neighbours(self, data) if graph is None else _given_graph(graph, n)
        rows = self.graph_
        arrays = (n, rows.indptr.astype(np.uintp), rows.indices.astype(np.uint32), rows.data.astype(np.float64))
        return data, {"graph": arrays, "graph_weight": float(self.graph_weight)}


@documented
class SemiGNMF(Factorization):
    """GNMF with the labels written into the graph: samples of a class are joined, those of two classes are parted.

    {own}n_neighbors : int, default=5
        Neighbours of each sample in the graph that is built when none is given (at most n_samples - 1, with weights 0-1).
    graph_weight : float, default=1.0
        How strongly the graph draws samples together; 0 = plain NMF.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SemiGNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = SemiGNMF(n_neighbors=1, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _method: ClassVar[str] = "semi-gnmf"
    _needs_labels: ClassVar[bool] = True
    _labels_are_optional: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        n_neighbors: int = 5,
        graph_weight: float = 1.0,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.n_neighbors = n_neighbors
        self.graph_weight = graph_weight

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None, graph: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,), default=None
            Labels, -1 for unlabelled.
        W, H : array-like, default=None
            The start, with ``init="custom"``.
        graph : {array-like, sparse matrix} of shape (n_samples, n_samples), default=None
            A symmetric graph over the samples with weights of 0 or more; that of the nearest neighbours by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, W, H, graph=graph)

    def _knowledge(self, data: Any, targets: Targets | None, graph: Any = None) -> tuple[Any, dict[str, Any]]:
        n = data.shape[0]
        self.graph_ = _neighbours(self, data) if graph is None else _given_graph(graph, n)
        rows = self.graph_
        arrays = (n, rows.indptr.astype(np.uintp), rows.indices.astype(np.uint32), rows.data.astype(np.float64))
        return data, {"graph": arrays, "graph_weight": float(self.graph_weight)}


@documented
class NsNMF(Factorization):
    """Non-smooth NMF: a smoothing link between the factors, which makes both sparse.

    {own}smoothing : float, default=0.3
        The link's weight, from 0 (none: plain NMF) to 1.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NsNMF
    >>> X = np.random.default_rng(0).random((8, 5))
    >>> NsNMF(2, smoothing=0.5, random_state=0, tol=1e-2).fit_transform(X).shape
    (8, 2)
    """

    _method: ClassVar[str] = "ns-nmf"

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        smoothing: float = 0.3,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.smoothing = smoothing

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        return data, {"smoothing": float(self.smoothing)}


@documented
class NCWNMF(Factorization):
    """NMF with rows weighted as in normalized cuts.

    {own}{common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NCWNMF
    >>> X = np.random.default_rng(0).random((8, 5))
    >>> NCWNMF(2, random_state=0, tol=1e-2).fit_transform(X).shape
    (8, 2)
    """

    _method: ClassVar[str] = "ncw-nmf"


@documented
class NTF(Factorization):
    """Non-negative tensor factorization of images: each part is a product of a column and a row of pixels.

    {own}image_shape : (int, int), default=None
        Height and width of the images that the rows of X are; (n_features, 1) by default.
    {common}

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NTF
    >>> images = np.random.default_rng(0).random((8, 6))
    >>> model = NTF(2, image_shape=(3, 2), random_state=0, tol=1e-2).fit(images)
    >>> model.image_rows_.shape, model.image_columns_.shape
    ((3, 2), (2, 2))
    """

    _method: ClassVar[str] = "ntf"
    _spectral_start: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        image_shape: tuple[int, int] | None = None,
        init: str | None = None,
        solver: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
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
        self.image_shape = image_shape

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        shape = self.image_shape
        if shape is None:
            return data, {"image_shape": (data.shape[1], 1)}
        height, width = (int(side) for side in shape)
        if height < 1 or width < 1 or height * width != data.shape[1]:
            raise ValueError(f"image_shape {(height, width)} has {height * width} pixels, but X has {data.shape[1]} features")
        return data, {"image_shape": (height, width)}


def _strength(strength: Any) -> float:
    value = float(strength)
    if not (value >= 0 and np.isfinite(value)):
        raise ValueError(f"strength is {strength!r}, but must be a finite number of 0 or more")
    return value


def _soft_reference(targets: Targets, n_components: Any, strength: float) -> tuple[Any, Any]:
    """Memberships as reference codes; components beyond the classes are 0 in them. Rows that aren't known are free."""
    values, known = targets.as_memberships()
    # Fewer components than classes are raised to one for each class (with a warning, where the rank is settled).
    rank = targets.n_classes if n_components in ("auto", None) else max(int(n_components), targets.n_classes)
    reference = np.zeros((len(values), rank))
    reference[:, : targets.n_classes] = values
    return reference, np.where(known.any(axis=1), strength, 0.0)


def _neighbours(estimator: Any, data: Any) -> Any:
    """The graph of the nearest neighbours, of all others where there are fewer samples than that."""
    n, wanted = data.shape[0], estimator.n_neighbors
    if not isinstance(wanted, (int, np.integer)) or wanted < 1:
        raise ValueError(f"n_neighbors is {wanted!r}, but must be a whole number of 1 or more")
    if n == 1:
        return sp.csr_array((1, 1), dtype=np.float64)
    indptr, indices, weights = _native.neighbour_graph(lend(data), min(int(wanted), n - 1))
    return sp.csr_array((weights, indices.astype(np.int64), indptr.astype(np.int64)), shape=(n, n))


def _given_graph(graph: Any, n_samples: int) -> Any:
    graph = sp.csr_array(graph, dtype=np.float64)
    if graph.shape != (n_samples, n_samples):
        raise ValueError(f"the graph must have the shape ({n_samples}, {n_samples}), but has {graph.shape}")
    graph.sum_duplicates()
    return graph


ESTIMATORS: tuple[type[Factorization], ...] = (
    NMF,
    CNMF,
    SCNMF,
    NMFDC,
    WSNMF,
    SSNMF,
    NsNMF,
    NCWNMF,
    NMFAlpha,
    GNMF,
    SemiGNMF,
    SymNMF,
    WSSymNMF,
    NTF,
    GuidedNMF,
)
