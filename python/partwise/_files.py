"""Model files, the same that the command line reads and writes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _native
from ._guidance import guidance_of_native, labelled_samples
from ._names import DataNames, Names, key, names_of_model
from ._targets import Targets

__all__ = ["load", "save"]


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters that JSON gives back as they were; a callback or a generator stays behind."""
    kept = (str, int, float, bool, type(None))

    def simple(value: Any) -> bool:
        return isinstance(value, kept) or (isinstance(value, tuple) and all(isinstance(part, kept) for part in value))

    return {name: _plain(value) for name, value in model.get_params(deep=False).items() if simple(value)}


def _encoding_document(encoding: dict[str, Any]) -> dict[str, Any]:
    """What new rows are encoded with; weights of features only where there are some, as on the command line."""
    kept = {key: encoding[key] for key in ("ridge", "linear", "smoothing")}
    weights = encoding.get("feature_weights")
    return kept if weights is None else {**kept, "feature_weights": weights}


def _row_names(model: Any) -> list[str] | None:
    names = names_of_model(model).samples
    return None if names.labels is None else names.keys


def save(model: Any, path: Any) -> None:
    """Writes a fitted model."""
    targets: Targets | None = model._targets_
    labels = None
    if targets is not None and targets.codes is not None:
        guided = np.flatnonzero(targets.codes >= 0)
        labels = {"file": None, "class_names": targets.names, "samples": guided, "classes": targets.codes[guided]}
    report: Any = model.guidance_report_
    kept: dict[str, Any] = {}
    if hasattr(model, "topics_"):
        topics = [(name, len(components)) for name, components in model.topics_.items()]
        report, kept = report.to_dict(), {"topics": topics, "from_y": model._from_y, "strength_search": model.strength_search_}
    history = model.history_
    names = model._names_in_.features.labels if hasattr(model, "_names_in_") else getattr(model, "feature_names_in_", None)
    resolved = model._resolved
    document = {
        "versions": {"partwise": _native.__version__, "model_format": _native.MODEL_FORMAT},
        "data": {
            "samples": model.codes_.shape[0],
            "features": model.components_.shape[1],
            "computed_in": "f32" if model.components_.dtype == np.float32 else "f64",
        },
        "settings": {
            **{key: resolved[key] for key in ("method", "loss", "rank", "solver", "init", "first", "seed", "tolerance", "max_iterations", "l1", "l2")},
            "scale": {"kind": "none"},
        },
        "component_names": model.component_names_,
        "feature_names": None if names is None else [key(name) for name in names],
        "row_names": _row_names(model),
        "guidance": {"labels": labels, "reference": None},
        "encoding": _encoding_document(model._encoding),
        "scaling": {"kind": "none"},
        "result": {
            "objective": model.objective_,
            "parts": model._parts,
            "relative_error": model.relative_error_,
            "kkt": model.kkt_,
            "stop": model.stop_reason_,
            "converged": model.stop_reason_ == "converged",
            "iterations": model.n_iter_,
        },
        "history_columns": ["iteration", "objective", "kkt", "elapsed"],
        "history": np.column_stack([history[key] for key in ("iteration", "objective", "kkt", "elapsed")]),
        "python": {
            "estimator": type(model).__name__,
            "parameters": _parameters(model),
            "reconstruction_err": model.reconstruction_err_,
            "notices": model.notices_,
            # Names that scikit-learn doesn't take, such as numbers, are no feature_names_in_.
            "text_features": hasattr(model, "feature_names_in_"),
            "report": report,
            **kept,
            "text_classes": targets is not None and targets.classes.dtype.kind not in "biuf",
        },
    }
    matrices = [("components", np.ascontiguousarray(model.components_)), ("codes", np.ascontiguousarray(model.codes_))]
    _native.write_model(path, json.dumps(_plain(document)), matrices, getattr(model, "_fitted_guidance", None))


def load(path: Any) -> Any:
    """Reads a model file of ``save`` or of the command line.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : estimator
        Fitted, of the class of the method. Parameters that a file can't hold (a callback) have their defaults.

    Examples
    --------
    >>> import numpy as np, tempfile, partwise
    >>> X = np.random.default_rng(0).random((20, 8))
    >>> model = partwise.NMF(3, random_state=0, tol=0.01).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model.safetensors")
    ...     again = partwise.load(folder + "/model.safetensors")
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    """
    from ._estimators import ESTIMATORS

    text, tensors, known = _native.read_model(path)
    document = json.loads(text)
    settings, python = document["settings"], document.get("python", {})
    scaling = (document.get("scaling") or {"kind": "none"}).get("kind", "none")
    if scaling != "none":
        raise ValueError(
            f"{path}: the model scales its data ({scaling}), which the command line does; here scale X before the fit (for "
            "example with scikit-learn's TfidfTransformer or Normalizer in a pipeline)"
        )
    if "components" not in tensors or "codes" not in tensors:
        raise ValueError(f"{path}: the model lacks its components or codes")
    by_method = {estimator._method: estimator for estimator in ESTIMATORS}
    if settings["method"] not in by_method:
        raise ValueError(f"{path}: unknown method {settings['method']!r}; valid: {', '.join(by_method)}")
    cls = by_method[settings["method"]]
    valid = cls._get_param_names()
    given = python.get("parameters") or {
        "n_components": settings["rank"],
        "solver": settings["solver"],
        "beta_loss": settings["loss"],
        "tol": settings["tolerance"],
        "max_iter": settings["max_iterations"],
        "random_state": settings["seed"],
    }
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items() if name in valid}
    model = cls(**given)
    if known is not None:
        # What y said comes with y again.
        model.guidance = guidance_of_native(known, python.get("from_y"), document.get("row_names"))
    _restore(model, document, tensors, python, known)
    return model


def _restore(model: Any, document: dict[str, Any], tensors: dict[str, Any], python: dict[str, Any], known: dict[str, Any] | None) -> None:
    """Sets the fitted attributes."""
    settings, result = document["settings"], document["result"]
    columns = document["history_columns"]
    history = np.array(document["history"], dtype=float).reshape(-1, len(columns))

    def column(name: str) -> Any:
        return history[:, columns.index(name)] if name in columns else np.full(len(history), np.nan)

    labels = (document.get("guidance") or {}).get("labels")
    encoding = document["encoding"]
    targets = None
    if labels is not None:
        names = labels["class_names"]
        whole = not python.get("text_classes", not all(name.lstrip("-").isdigit() for name in names))
        classes = np.array([int(float(name)) for name in names]) if whole else np.array(names, dtype=object)
        codes = np.full(document["data"]["samples"], -1, dtype=np.int32)
        codes[np.array(labels["samples"], dtype=int)] = labels["classes"]
        targets = Targets(classes, codes, None, None, -1 if whole else None)
    model.n_features_in_ = tensors["components"].shape[1]
    n, d = tensors["codes"].shape[0], tensors["components"].shape[1]
    model._names_in_ = DataNames(Names(document.get("row_names"), n, "sample"), Names(document.get("feature_names"), d, "feature"))
    if document.get("feature_names") and python.get("text_features", True):
        model.feature_names_in_ = np.array(document["feature_names"], dtype=object)
    report = python.get("report") or document.get("guidance_report") or {}
    parts = list((result.get("parts") or {"fit": result["objective"]}).items())
    done = {
        "components": tensors["components"],
        "codes": tensors["codes"],
        "iterations": result["iterations"],
        "objective": result["objective"],
        "relative_error": result["relative_error"],
        "loss_value": parts[0][1],
        "objective_unit": result.get("objective_unit", 1.0),
        "kkt": result["kkt"],
        "stop": result["stop"],
        "objectives": column("objective"),
        "kkts": column("kkt"),
        "seconds": column("elapsed"),
        "notices": [tuple(notice) for notice in python.get("notices", [])],
        "component_names": document["component_names"],
        "further": {},
        "findings": report.get("findings", []),
        "agreement": report.get("agreement", 1.0),
        "topics": python.get("topics") or _topics_of(document["component_names"]),
        "labelled": None if known is None else labelled_samples(known["items"]),
        "fitted_guidance": known or {"topics": [], "items": [], "feature_names": None},
        "from_y": python.get("from_y") or {"items": [], "topics": []},
        "searched": None,
        "parts": parts,
        "loss": settings["loss"],
        "solver": settings["solver"],
        "init": settings["init"],
        "first": settings["first"],
        **{key: encoding.get(key, 0.0) for key in ("ridge", "linear", "smoothing")},
        "feature_weights": encoding.get("feature_weights"),
    }
    model._keep(done, targets, {key: settings.get(key) for key in ("rank", "seed", "tolerance", "max_iterations", "l1", "l2")})
    if python.get("strength_search"):
        search = python["strength_search"]
        model.strength_search_ = {key: np.array(value) if isinstance(value, list) else value for key, value in search.items()}
    if "reconstruction_err" in python:
        model.reconstruction_err_ = python["reconstruction_err"]


def _topics_of(component_names: list[str]) -> list[tuple[str, int]]:
    """The topics that components are named for: "sea", or "sea/1" and "sea/2"; "part 4" is the free component 4."""
    topics: dict[str, int] = {}
    for at, name in enumerate(component_names):
        if name != f"part {at + 1}":
            base, _, number = name.rpartition("/")
            owner = base if base and number.isdigit() else name
            topics[owner] = topics.get(owner, 0) + 1
    return list(topics.items())
