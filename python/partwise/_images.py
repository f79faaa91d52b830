"""Images as samples: stacks of them as rows of pixels, and their shape."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["COLOURS", "as_rows", "checked_shape"]

# How images are drawn, here and in the report of the command line: black is 0, white the largest entry.
COLOURS = "gray"


def as_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """A stack of images (n, height, width), or a list of images, as rows of pixels; other data as they are.

    With ``reset`` the estimator keeps the shape as ``image_shape_``; without, it must be that of the fit.
    """
    stack = _stack(X)
    if stack is None:
        if reset and hasattr(estimator, "image_shape_"):
            del estimator.image_shape_
        return X
    shape = (int(stack.shape[1]), int(stack.shape[2]))
    if reset:
        estimator.image_shape_ = shape
    else:
        fitted = getattr(estimator, "image_shape_", None)
        if fitted is not None and fitted != shape:
            raise ValueError(f"X has images of {_sides(shape)} pixels, but {type(estimator).__name__} was fitted to images of {_sides(fitted)}")
    return stack.reshape(len(stack), shape[0] * shape[1])


def _stack(X: Any) -> Any:
    if isinstance(X, (list, tuple)) and X and all(isinstance(image, np.ndarray) and image.ndim == 2 for image in X):
        shapes = [image.shape for image in X]
        other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
        if other is not None:
            raise ValueError(f"image {other} (counted from 0) has {_sides(shapes[other])} pixels, but image 0 has {_sides(shapes[0])}; all must have one size")
        return np.stack(X)
    if len(getattr(X, "shape", ())) != 3:
        return None
    stack = np.asarray(X)
    return stack if stack.ndim == 3 else None


def checked_shape(shape: Any, n_features: int) -> tuple[int, int]:
    """A height and a width of so many pixels."""
    whole = isinstance(shape, (tuple, list, np.ndarray)) and len(shape) == 2 and all(isinstance(side, (int, np.integer)) and side > 0 for side in shape)
    if not whole:
        raise ValueError(f"shape is {shape!r}, but must be (height, width), two whole numbers{_square(n_features)}")
    height, width = int(shape[0]), int(shape[1])
    if height * width != n_features:
        raise ValueError(f"shape {(height, width)} has {height * width} pixels, but a component has {n_features} features")
    return height, width


def _square(n_features: int) -> str:
    side = round(n_features**0.5)
    return f", as in shape=({side}, {side})" if side * side == n_features else ""


def _sides(shape: Any) -> str:
    return f"{shape[0]} x {shape[1]}"
