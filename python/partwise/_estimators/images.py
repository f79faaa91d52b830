"""Factorizations of images."""

from __future__ import annotations

from typing import Any

from .._base import Factorization
from .._factory import estimator
from .._parameters import parameter

__all__ = ["NTF"]


@estimator
class NTF(Factorization):
    """Non-negative tensor factorization of images: each part is a product of a column and a row of pixels.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NTF
    >>> images = np.random.default_rng(0).random((8, 6))
    >>> model = NTF(2, image_shape=(3, 2), random_state=0, tol=1e-2).fit(images)
    >>> model.image_rows_.shape, model.image_columns_.shape
    ((3, 2), (2, 2))
    """

    image_shape: tuple[int, int] | None = parameter(
        None,
        "(int, int)",
        "Height and width of the images that the samples are, row by row; (n_features, 1) by default.",
    )

    def _method_parameters(self, data: Any) -> dict[str, Any]:
        return {"image_shape": getattr(self, "image_shape_", (data.shape[1], 1)), **super()._method_parameters(data)}
