"""Model files, in the format of the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._attributes import checked_attributes, checked_parameters
from ._codec import Decoder, Encoder
from ._document import Document
from ._command_line_models import estimator_of_settings, restored
from ._guidance import Guidance
from ._names import key, names_of_model
from ._pipeline import makes_names
from ._scaling import Scaling
from ._targets import Targets
from ._warn import warn

__all__ = ["load", "save"]

# The layout of what Python adds to a document. 1 was that of version 0.1.0.
_LAYOUT = 2

# What a file holds elsewhere: the two factors, the guidance as the engine took it, the scaling. How the
# number of components was found is not kept.
_ELSEWHERE = ("components_", "codes_", "_fitted_guidance", "scaling_", "rank_selection_")


def _plain(value: Any) -> Any:
    """A value as JSON, for the part of the document that the command line reads."""
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


def _parameters(model: Any, encoder: Encoder) -> dict[str, Any]:
    """The parameters. A callback is not saved, with a warning; no result of the model depends on it."""
    name = type(model).__name__
    out: dict[str, Any] = {}
    for parameter, value in model.get_params(deep=False).items():
        if parameter == "callback" and value is not None:
            warn(f"{name}.save: a model file cannot contain the callback; the loaded model has none")
            value = None
        if parameter == "random_state" and value is not None and not isinstance(value, (int, np.integer)):
            raise ValueError(
                f"{name}.save: random_state is {value!r}, which a model file cannot contain, and without it the next fit would differ; "
                "set_params(random_state=...) to a whole number or None first, or use pickle"
            )
        if isinstance(value, Guidance) and makes_names(value.feature_names):
            # A file holds the names that the transformer made, not the transformer.
            labels = names_of_model(model).features.labels
            value = value._with_feature_names(None if labels is None else [str(label) for label in labels])
        out[parameter] = encoder.encode(value, f"{name}.save: the parameter {parameter}")
    return out


def _attributes(model: Any, encoder: Encoder, elsewhere: tuple[str, ...] = _ELSEWHERE) -> dict[str, Any]:
    """All attributes of the fit, public and private."""
    parameters = model.get_params(deep=False)
    kept = {name: value for name, value in vars(model).items() if name not in parameters and name not in elsewhere}
    return {name: encoder.encode(value, f"{type(model).__name__}.save: {name}") for name, value in kept.items()}


def _labels(targets: Targets | None) -> dict[str, Any] | None:
    """The labels as the command line reads them."""
    if targets is None or targets.codes is None:
        return None
    guided = np.flatnonzero(targets.codes >= 0)
    return {"file": None, "class_names": targets.names, "samples": guided, "classes": targets.codes[guided]}


def _encoding_document(encoding: dict[str, Any]) -> dict[str, Any]:
    """The settings for the codes of new rows; feature weights only if there are any, as on the command
    line."""
    kept = {key: encoding[key] for key in ("ridge", "linear", "smoothing")}
    weights = encoding.get("feature_weights")
    return kept if weights is None else {**kept, "feature_weights": weights}


def _document(model: Any, python: dict[str, Any]) -> dict[str, Any]:
    history, resolved = model.history_, model._resolved
    names = names_of_model(model)
    features, samples = names.features, names.samples
    scaling: Scaling | None = model.scaling_
    scaling_document = {"kind": "none"} if scaling is None else scaling.to_document()
    settings = ("method", "loss", "rank", "solver", "init", "first", "seed", "tolerance", "max_iterations", "l1", "l2")
    return {
        "versions": {"partwise": _native.__version__, "model_format": _native.MODEL_FORMAT},
        "data": {
            "samples": model.codes_.shape[0],
            "features": model.components_.shape[1],
            "image_shape": getattr(model, "image_shape_", None),
            "computed_in": "f32" if model.components_.dtype == np.float32 else "f64",
        },
        "settings": {**{key: resolved.get(key) for key in settings}, "shares_of": model._shares_of, "scale": scaling_document},
        "component_names": model.component_names_,
        "feature_names": None if features.labels is None else [key(name) for name in features.labels],
        "row_names": None if samples.labels is None else samples.keys,
        "guidance": {"labels": _labels(model._targets_), "reference": None},
        "encoding": _encoding_document(model._encoding),
        "scaling": scaling_document,
        "result": {
            "objective": model.objective_,
            "parts": model._parts,
            "relative_error": model.relative_error_,
            **({"symmetric_error": model.symmetric_error_} if hasattr(model, "symmetric_error_") else {}),
            "kkt": model.kkt_,
            "stop": model.stop_reason_,
            "converged": model.stop_reason_ == "converged",
            "iterations": model.n_iter_,
        },
        "history_columns": ["iteration", "objective", "kkt", "elapsed"],
        "history": np.column_stack([history[key] for key in ("iteration", "objective", "kkt", "elapsed")]),
        "python": python,
    }


def save(model: Any, path: Any) -> None:
    """Writes a fitted model."""
    encoder = Encoder()
    python = {
        "layout": _LAYOUT,
        "estimator": type(model).__name__,
        "parameters": _parameters(model, encoder),
        "attributes": _attributes(model, encoder),
    }
    document = _plain(_document(model, python))
    matrices = [("components", np.ascontiguousarray(model.components_)), ("codes", np.ascontiguousarray(model.codes_)), *encoder.matrices]
    scaling: Scaling | None = model.scaling_
    if scaling is not None and scaling.kind == "tfidf":
        matrices.append(("idf", np.ascontiguousarray(scaling.learned, dtype=np.float64).reshape(1, -1)))
    try:
        text = json.dumps(document, allow_nan=False)
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{type(model).__name__}.save: a name contains characters that a file cannot: {error}") from None
    _native.write_model(path, text, matrices, getattr(model, "_fitted_guidance", None))


def load(path: Any) -> Any:
    """Reads a model file of ``save`` or of the command line.

    A model that the command line fitted with ``--scale`` scales new rows in ``transform``, ``predict`` and
    ``score`` as the fit did (``scaling_``); give these methods unscaled data.

    Parameters
    ----------
    path : str or path-like
        The file, or a result folder of the command line.

    Returns
    -------
    model : estimator
        Fitted, of the class of the method, with all attributes and parameters of the model that was saved; a
        callback is None. A result of ``partwise classify`` is a ``FewLabelClassifier``, with its components
        by class as ``parts_``.

    Raises
    ------
    ValueError
        If the file is not a model, or is damaged; with the field and what is valid.

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
    if os.path.isdir(path):
        path = Path(path) / "model.safetensors"
    text, tensors, known, (kind, learned) = _native.read_model(path)
    try:
        fields = json.loads(text)
    except RecursionError:
        raise ValueError(f"{path}: the document is nested too deeply") from None
    document = Document(path, fields)
    scaling = None if kind == "none" else Scaling(kind, np.array(learned, dtype=np.float64))
    if not document.has("classifier"):
        return _factorization(path, document, tensors, known, scaling)
    from ._classifier_files import loaded

    classifier = loaded(document, tensors)
    _keep_origin(classifier, document)
    classifier.scaling_ = scaling
    if "components" in tensors:
        classifier.parts_ = _factorization(path, document, tensors, known, scaling)
    return classifier


def _factorization(path: Any, document: Document, tensors: dict[str, Any], known: dict[str, Any] | None, scaling: Scaling | None) -> Any:
    """A fitted estimator with components."""
    for name in ("components", "codes"):
        if name not in tensors:
            raise ValueError(f"{path}: the model has no {name}")
    n_components = tensors["components"].shape[0]
    if tensors["codes"].shape[1] != n_components or n_components == 0 or 0 in tensors["components"].shape:
        raise ValueError(f"{path}: codes {tensors['codes'].shape} and components {tensors['components'].shape} have different numbers of components")
    for name in ("components", "codes"):
        if not (np.isfinite(tensors[name]).all() and (tensors[name] >= 0).all()):
            raise ValueError(f"{path}: the {name} contain negative, NaN or infinite entries; all must be finite and 0 or more")
    python = document.part("python", optional=True)
    cls = estimator_of_settings(document)
    if python.has("layout") and python.whole("layout") > _LAYOUT:
        python.fail("layout", f"a whole number up to {_LAYOUT} (use a newer version of Partwise)")
    model = _from_python_model(cls, document, python, tensors, known) if python.has("layout") else restored(cls, document, python, tensors, known)
    model.scaling_ = scaling
    _keep_origin(model, document)
    return model


def _keep_origin(model: Any, document: Document) -> None:
    """What matters later of a fit of the command line."""
    if document.part("python", optional=True).has("layout"):
        return
    model._names_are_of_a_file = document.has("feature_names")
    if document.has("text"):
        text = document.part("text")
        ngrams = text.wholes("ngrams", least=1, most=100).tolist()
        if len(ngrams) != 2:
            text.fail("ngrams", "the least and the largest number of words")
        model._text_ngrams = (ngrams[0], ngrams[1])


def _from_python_model(cls: Any, document: Document, python: Document, tensors: dict[str, Any], known: dict[str, Any] | None) -> Any:
    """A model that this package wrote."""
    decoder = Decoder(tensors)

    def decoded(part: Document) -> dict[str, Any]:
        return {key: decoder.decode(value, f"{part._path}: the field {part._at(key)}") for key, value in part.fields.items()}

    parameters = decoded(python.part("parameters"))
    checked_parameters(python, parameters, cls)
    model = cls(**parameters)
    attributes = decoded(python.part("attributes"))
    attributes |= {"components_": tensors["components"], "codes_": tensors["codes"]}
    if known is not None:
        attributes["_fitted_guidance"] = known
    elif "topics_" in attributes:
        attributes["_fitted_guidance"] = {"topics": [], "items": [], "feature_names": None}
    checked_attributes(python, attributes, model)
    model.__dict__.update(attributes)
    return model
