"""Factorizations of a matrix of similarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._base import Factorization, Iteration
from .._documentation import documented
from .._guidance.strength import Strength, stated
from .._targets import Targets
from .references import soft_reference
from .strengths import strength_of

__all__ = ["SymNMF", "WSSymNMF"]


@documented
class SymNMF(Factorization):
    """Symmetric NMF: a matrix of similarities as memberships times themselves.

    X is symmetric (n_samples, n_samples). New rows hold similarities to the samples of the fit. After a fit,
    ``symmetric_error_`` is the norm of X - W Wᵀ divided by the norm of X, with W the ``codes_``.

    {own}coupling : float, default=None
        None: one factor comes twice, and the norm of X - W Wᵀ is minimized. A number of 0 or more is the
        published penalty on the difference between two factors, ``components_`` and ``codes_``; (max X)² in
        the publications.
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
        self.coupling = coupling

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        return data, {"coupling": self.coupling}


@documented
class WSSymNMF(Factorization):
    """Weakly supervised symmetric NMF: memberships of a matrix of similarities, pulled towards labels or soft
    memberships.

    X is symmetric (n_samples, n_samples). New rows hold similarities to the samples of the fit. After a fit,
    ``symmetric_error_`` is the norm of X - W Wᵀ divided by the norm of X, with W the ``codes_``.

    {own}strength : float, raw or None, default=None
        How strongly labelled samples are held to their class: from 0 (not at all) to below 1, 10/11 by
        default; ``raw(m)`` is the published weight. Numbers above 1 are an older spelling of s / (1 - s).
    strength_unit : {{"relative", "raw"}}, default="relative"
        An older spelling: "raw" of a number stands for ``strength=raw(number)``.
    coupling : float, default=None
        None: one factor comes twice, and the norm of X - W Wᵀ is minimized. A number of 0 or more is the
        published penalty on the difference between two factors, ``components_`` and ``codes_``; (max X)² in
        the publications.
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
        strength: Strength = None,
        strength_unit: str = "relative",
        coupling: float | None = None,
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
        self.coupling = coupling

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        strength = strength_of(self, 10.0)
        knowledge: dict[str, Any] = {"strength": {"strength": stated(strength, "strength")}, "coupling": self.coupling}
        if targets is not None and targets.codes is None:
            knowledge["items"] = [soft_reference(targets, self.n_components, strength)]
        return data, knowledge
