"""NMF in which samples of one label are alike, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._base import Factorization, Iteration
from .._documentation import documented
from .._targets import Targets

__all__ = ["CNMF", "NMFDC", "SCNMF"]


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
        self.smoothing = smoothing
        self.step_rule = step_rule

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        return data, {"smoothing": float(self.smoothing), "step_rule": self.step_rule}
