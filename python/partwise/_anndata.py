"""AnnData: where its numbers and names are, and results written back into it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ._document import Document
from ._names import Names, is_anndata, key, names_of_model, nearest

__all__ = ["RAW", "Raw", "layer_of_record", "matrix_of", "to_anndata", "with_names_of_layer"]

RAW = "raw"
"""The ``layer`` that stands for ``adata.raw``, unless there is a layer of that name."""


class Raw:
    """``adata.raw`` with its own genes and the samples of ``adata``, as AnnData that is not copied."""

    def __init__(self, adata: Any) -> None:
        self.X, self.var, self.var_names = adata.raw.X, adata.raw.var, adata.raw.var_names
        self.obs, self.obs_names, self.raw = adata.obs, adata.obs_names, None
        self.layers: dict[str, Any] = {}
        self.shape = self.X.shape


def with_names_of_layer(X: Any, layer: str | None) -> Any:
    """AnnData whose names of features are those of the layer: ``raw`` has genes of its own."""
    if layer == RAW and RAW not in X.layers and getattr(X, "raw", None) is not None:
        return Raw(X)
    return X


def matrix_of(X: Any, layer: str | None) -> Any:
    """The matrix of an AnnData object."""
    if layer is None or isinstance(X, Raw):
        return X.X
    if layer not in X.layers:
        layers = [*X.layers, *([RAW] if getattr(X, "raw", None) is not None else [])]
        valid = ", ".join(map(repr, layers)) or "none"
        raise ValueError(f"the layer {layer!r} isn't in the data; valid layers: {valid}{nearest(layer, layers)}")
    return X.layers[layer]


def layer_of_record(data: Document) -> str | None:
    """The layer that the command line read, by its name here: it also takes the path in the file."""
    layer = data.text("layer") if data.has("layer") else "X"
    if layer == "X":
        return None
    return RAW if layer == "raw/X" else layer.removeprefix("layers/")


def to_anndata(model: Any, adata: Any, key_added: str) -> Any:
    """Writes the results of a fitted model into the object that it was fitted to; see ``to_anndata`` of the
    estimators."""
    if not is_anndata(adata):
        raise TypeError(f"to_anndata takes an AnnData object, but got a {type(adata).__name__}")
    samples, features = names_of_model(model).samples, names_of_model(model).features
    cells = _samples_by_name(samples, adata)
    genes = _features_by_name(features, adata)
    topics = [None if name is None else str(name) for name in model.predict_names()]
    adata.obsm[f"X_{key_added}"] = model.codes_ if cells is None else model.codes_[cells]
    components = model.components_.T
    if genes is not None:
        # Genes that the fit did not have are nothing that it says anything of.
        components = np.where(genes[:, None] >= 0, components[np.maximum(genes, 0)], np.nan)
    adata.varm[key_added] = components
    adata.obs[key_added] = _categories(topics if cells is None else [topics[i] for i in cells], model, adata.obs_names)
    adata.uns[key_added] = _about(model)
    return adata


def _samples_by_name(samples: Names, adata: Any) -> Any:
    """The sample of the fit that each one of ``adata`` is; None = in order."""
    n = adata.shape[0]
    own = [key(name) for name in adata.obs_names]
    named = samples.labels is not None
    if named and own == samples.keys or not named and n == samples.size:
        return None
    unknown = [name for name in own if not samples.has(name)] if named else []
    if n != samples.size or unknown:
        found = f"{len(unknown)} of its names are not among them, the first {unknown[0]!r}" if unknown else f"it has {n}, the fit had {samples.size}"
        raise ValueError(
            f"to_anndata: the samples of adata are not those of the fit: {found}. For other samples: "
            "adata.obsm['X_partwise'] = model.transform(adata); adata.obs['partwise'] = model.predict_names(adata)"
        )
    return np.array([samples.place(name, "to_anndata") for name in own], dtype=np.intp)


def _features_by_name(features: Names, adata: Any) -> Any:
    """The feature of the fit that each one of ``adata`` is, -1 for those that the fit did not have; None = in
    order."""
    own = [key(name) for name in adata.var_names]
    if features.labels is None:
        if len(own) != features.size:
            raise ValueError(f"to_anndata: adata has {len(own)} features, but the model was fitted to {features.size} without names")
        return None
    if own == features.keys:
        return None
    at = {name: place for place, name in enumerate(features.keys)}
    raw = getattr(adata, "raw", None)
    valid = {*own, *(() if raw is None else map(key, raw.var_names))}
    missing = [name for name in features.keys if name not in valid]
    if missing:
        raise ValueError(f"to_anndata: {len(missing)} features of the fit are not in adata, the first {missing[0]!r}{nearest(missing[0], own)}")
    return np.array([at.get(name, -1) for name in own], dtype=np.intp)


def _categories(topics: list[Any], model: Any, index: Any) -> Any:
    """Topics in the order of the components; samples without one are missing."""
    import pandas as pd

    order = list(dict.fromkeys(model._owners_of_components()))
    return pd.Series(pd.Categorical(topics, categories=pd.Index(order, dtype=object)), index=index)


def _about(model: Any) -> dict[str, Any]:
    """Settings and report, in what files of AnnData can hold: texts, numbers, arrays."""
    report = model.guidance_report_
    stated = report.to_dict() if hasattr(report, "to_dict") else report
    parameters = {name: value for name, value in model.get_params(deep=False).items() if value is not None and name != "callback"}
    plain = (bool, int, float, str, np.generic)
    return {
        "method": model._method,
        "params": {name: value if isinstance(value, plain) else repr(value) for name, value in parameters.items()},
        "component_names": np.array([str(name) for name in model.component_names_], dtype=str),
        "relative_error": float(model.relative_error_),
        "n_iter": int(model.n_iter_),
        "stop_reason": str(model.stop_reason_),
        "notices": np.array([message for _, message in model.notices_], dtype=str),
        "guidance_report": json.dumps(stated, default=str),
    }
