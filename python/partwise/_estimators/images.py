"""Factorizations of images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._base import Factorization, Iteration
from .._documentation import documented
from .._targets import Targets

__all__ = ["NTF"]


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
        self.image_shape = image_shape

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        shape = self.image_shape
        if shape is None:
            return data, {"image_shape": (data.shape[1], 1)}
        height, width = (int(side) for side in shape)
        if height < 1 or width < 1 or height * width != data.shape[1]:
            raise ValueError(f"image_shape {(height, width)} has {height * width} pixels, but X has {data.shape[1]} features")
        return data, {"image_shape": (height, width)}
