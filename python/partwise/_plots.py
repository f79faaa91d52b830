"""Plots of fitted models. matplotlib is imported when a plot is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._images import COLOURS, as_rows, checked_shape

__all__ = ["components", "convergence", "findings", "guidance", "memberships", "reconstruction"]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return plt


def _axes(ax: Any) -> Any:
    return _pyplot().subplots()[1] if ax is None else ax


def convergence(model: Any, ax: Any) -> Any:
    """Objective (left) and relative projected gradient (right)."""
    ax = _axes(ax)
    history = model.history_
    ax.plot(history["iteration"], history["objective"], color="C0")
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective", color="C0")
    met = ~np.isnan(history["kkt"])
    if met.any() and history["kkt"][met][0] > 0:
        right = ax.twinx()
        right.semilogy(history["iteration"][met], history["kkt"][met] / history["kkt"][met][0], color="C1")
        right.set_ylabel("projected gradient, relative", color="C1")
    ax.set_title(f"{type(model).__name__}: {model.stop_reason_}")
    return ax


def _shape(model: Any, shape: Any) -> Any:
    """The shape of images: the given one, else that of the fit."""
    shape = getattr(model, "image_shape_", None) if shape is None else shape
    return None if shape is None else checked_shape(shape, model.components_.shape[1])


def _draw(ax: Any, pixels: Any, shape: Any, cmap: str | None, largest: float | None = None) -> None:
    ax.imshow(np.asarray(pixels).reshape(shape), cmap=COLOURS if cmap is None else cmap, vmin=0, vmax=largest)
    ax.axis("off")


def components(model: Any, shape: Any, feature_names: Any, n_features: int, n_columns: int, cmap: str | None = None) -> Any:
    """Images, or bars of the largest features."""
    k, d = model.components_.shape
    shape = _shape(model, shape)
    plt = _pyplot()
    columns = min(n_columns, k)
    rows = -(-k // columns)
    size = (2, 2) if shape is not None else (3, 0.25 * min(n_features, d) + 1)
    _, grid = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False, layout="constrained")
    top = model.top_features(min(n_features, d), feature_names=feature_names) if shape is None else None
    for j, ax in enumerate(grid.flat):
        if j >= k:
            ax.axis("off")
            continue
        name = str(model.component_names_[j])
        ax.set_title(name, fontsize="small")
        if top is None:
            _draw(ax, model.components_[j], shape, cmap)
        else:
            features, values = zip(*top[name], strict=True)
            ax.barh(range(len(features)), values)
            ax.set_yticks(range(len(features)), features, fontsize="x-small")
            ax.invert_yaxis()
    return grid.ravel()[:k]


def reconstruction(model: Any, X: Any, n: int, shape: Any, cmap: str | None) -> Any:
    """Samples (upper row) and what the model makes of them (lower row)."""
    shape = _shape(model, shape)
    if shape is None:
        raise ValueError("plot_reconstruction draws images; fit a stack (n_samples, height, width), or give shape=(height, width)")
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n is {n!r}, but must be a whole number, 1 or more")
    rows = as_rows(model, X, reset=False)
    size = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    chosen = np.unique(np.linspace(0, size - 1, min(int(n), size)).round().astype(int))
    some = rows.iloc[chosen] if hasattr(rows, "iloc") else rows[chosen] if hasattr(rows, "shape") else [rows[i] for i in chosen]
    codes = model.transform(some)
    # In the units of X: a model of the command line may scale its rows.
    seen = some.toarray() if hasattr(some, "toarray") else np.asarray(some, dtype=float)
    if model.scaling_ is not None:
        seen = np.asarray(model.scaling_.scaled(seen))
    made = codes @ model.components_
    _, grid = _pyplot().subplots(2, len(chosen), figsize=(1.5 * len(chosen), 3.4), squeeze=False, layout="constrained")
    for at, sample in enumerate(chosen):
        largest = max(float(seen[at].max()), float(made[at].max()))
        _draw(grid[0, at], seen[at], shape, cmap, largest)
        _draw(grid[1, at], made[at], shape, cmap, largest)
        grid[0, at].set_title(f"sample {sample}", fontsize="small")
    for row, name in ((0, "data"), (1, "codes × components")):
        grid[row, 0].text(-0.08, 0.5, name, rotation=90, va="center", ha="right", transform=grid[row, 0].transAxes, fontsize="small")
    return grid


def memberships(model: Any, ax: Any) -> Any:
    """A heat map of all memberships."""
    ax = _axes(ax)
    shares = model.memberships()
    order = np.lexsort((-shares.max(axis=1), shares.argmax(axis=1)))
    image = ax.imshow(shares[order], aspect="auto", interpolation="nearest", vmin=0, vmax=1)
    ax.set_xticks(range(shares.shape[1]), [str(name) for name in model.component_names_], rotation=90, fontsize="x-small")
    ax.set_ylabel("samples, by their largest membership")
    ax.figure.colorbar(image, ax=ax, label="share")
    return ax


def guidance(model: Any, ax: Any) -> Any:
    """Labelled samples: given class against predicted class."""
    targets = model._targets_
    if targets is None or targets.codes is None or not (targets.codes >= 0).any():
        raise ValueError("plot_guidance shows the clusters of labelled samples, but this model was fitted without labels (one per sample)")
    ax = _axes(ax)
    labelled = targets.codes >= 0
    found = model._component_classes_of(model._clusters(model.codes_))[labelled]
    table = np.zeros((targets.n_classes, targets.n_classes + 1))
    np.add.at(table, (targets.codes[labelled], found), 1)
    image = ax.imshow(table, aspect="auto")
    ax.set_xticks(range(targets.n_classes + 1), [*targets.names, "none"], rotation=90)
    ax.set_yticks(range(targets.n_classes), targets.names)
    ax.set_xlabel("found")
    ax.set_ylabel("given")
    ax.figure.colorbar(image, ax=ax, label="samples")
    return ax


def findings(model: Any, ax: Any) -> Any:
    """How many were followed and fit the data, were followed but are surprising, were not followed, or have
    no support: one bar per kind of item and topic."""
    report = model.guidance_report_
    if not len(report):
        raise ValueError("plot_guidance shows the report on the guidance, but this model was fitted without guidance")
    ax = _axes(ax)
    rows = list(dict.fromkeys((finding.kind, finding.topic) for finding in report))
    left = np.zeros(len(rows))

    def group(finding: Any) -> str:
        surprising = finding.verdict == "followed" and finding.data == "surprising"
        return "followed, but surprising" if surprising else finding.verdict

    groups = {"followed": "C2", "followed, but surprising": "C1", "not followed": "C3", "no support": "C7"}
    for name, colour in groups.items():
        counts = np.array([sum((f.kind, f.topic, group(f)) == (*row, name) for f in report) for row in rows])
        ax.barh(range(len(rows)), counts, left=left, color=colour, label=name)
        left += counts
    ax.set_yticks(range(len(rows)), [kind if topic is None else f"{kind}: {topic}" for kind, topic in rows])
    ax.invert_yaxis()
    ax.set_xlabel("findings")
    ax.legend()
    return ax
