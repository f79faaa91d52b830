"""NMF without knowledge: plain, smoothed, with weighted rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._base import Factorization, Iteration
from .._documentation import documented
from .._targets import Targets

__all__ = ["NCWNMF", "NMF", "NsNMF"]


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
