"""Classifiers in model files, in the format of the command line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _native
from ._classifier import FewLabelClassifier
from ._anndata import layer_of_record
from ._codec import Decoder, Encoder
from ._document import Document
from ._files import _LAYOUT, _attributes, _parameters, _plain
from ._names import DataNames, Names, key

__all__ = ["loaded", "save"]

# What the names of the classifier's matrices begin with.
_PREFIX = "classifier/"
_KINDS = ("data", "centroids", "codes")
# The attributes of a fit, and what each must be.
_ATTRIBUTES: dict[str, Any] = {
    "candidates_": list,
    "views_": list,
    "base_classifiers_": list,
    "refinements_": list,
    "notices_": list,
    "n_held_out_": int,
    "n_folds_": int,
    "class_sizes_": np.ndarray,
    "classes_": np.ndarray,
    "labels_": np.ndarray,
    "_labelled": np.ndarray,
    "_names_in_": DataNames,
    "n_features_in_": int,
    "_single": bool,
}


def save(model: FewLabelClassifier, path: Any) -> None:
    """Writes a fitted classifier."""
    encoder = Encoder()
    attributes = _attributes(model, encoder, ("_predictor", "posteriors_", "scaling_"))
    python = {"layout": _LAYOUT, "estimator": type(model).__name__, "parameters": _parameters(model, encoder), "attributes": attributes}
    names = model._names_in_
    scaling = {"kind": "none"} if model.scaling_ is None else model.scaling_.to_document()
    document = {
        "versions": {"partwise": _native.__version__, "model_format": _native.MODEL_FORMAT},
        "data": {
            "samples": len(model.labels_),
            "features": model.n_features_in_,
            "image_shape": None,
            "computed_in": "f32" if model._single else "f64",
        },
        "settings": {"scale": scaling},
        "scaling": scaling,
        "feature_names": None if names.features.labels is None else [key(name) for name in names.features.labels],
        "row_names": None if names.samples.labels is None else names.samples.keys,
        "classifier": {
            "classes": [str(name) for name in model.classes_],
            "labelled": model._labelled,
            "folds": model.n_folds_,
            "held_out_labels": model.n_held_out_,
            "held_out_score": model.held_out_score_,
            "class_sizes": model.class_sizes_,
            "candidates": [{**candidate, "kind": candidate["graph"]} for candidate in model.candidates_],
            "views": model.views_,
            "base_classifiers": model.base_classifiers_,
            "refinements": model.refinements_,
            "notices": [{"code": code, "message": message} for code, message in model.notices_],
        },
        "python": python,
    }
    matrices = [(_PREFIX + name, matrix) for name, matrix in model._predictor.items()]
    matrices += [(f"{_PREFIX}posteriors", np.ascontiguousarray(model.posteriors_)), *encoder.matrices]
    if model.scaling_ is not None and model.scaling_.kind == "tfidf":
        matrices.append(("idf", np.ascontiguousarray(model.scaling_.learned, dtype=np.float64).reshape(1, -1)))
    _native.write_model(path, json.dumps(_plain(document), allow_nan=False), matrices, None)


def loaded(document: Document, tensors: dict[str, Any]) -> FewLabelClassifier:
    """The classifier of a document, without its scaling and its components."""
    part = document.part("classifier")
    classes = part.texts("classes")
    posteriors = tensors.get(f"{_PREFIX}posteriors")
    if posteriors is None or posteriors.shape[1] != len(classes) or not np.isfinite(posteriors).all():
        raise ValueError(f"{document._path}: the matrix {_PREFIX}posteriors is missing, or has not one finite number for each of {len(classes)} classes")
    python = document.part("python", optional=True)
    # A model of the command line has no layout.
    model = _of_python(python, tensors) if python.has("layout") else _of_command_line(document, part, posteriors)
    if len(model.labels_) != len(posteriors) or len(model.classes_) != len(classes):
        raise ValueError(f"{document._path}: the labels and classes do not fit the matrix {_PREFIX}posteriors")
    model.posteriors_ = posteriors
    model._predictor = {
        name.removeprefix(_PREFIX): matrix for name, matrix in tensors.items() if name.startswith(_PREFIX) and name != f"{_PREFIX}posteriors"
    }
    return model


def _of_python(python: Document, tensors: dict[str, Any]) -> FewLabelClassifier:
    decoder = Decoder(tensors)

    def decoded(part: Document) -> dict[str, Any]:
        return {name: decoder.decode(value, f"{part._path}: the field {part._at(name)}") for name, value in part.fields.items()}

    parameters = decoded(python.part("parameters"))
    valid = FewLabelClassifier._get_param_names()
    for name in parameters:
        if name not in valid:
            python.part("parameters").fail(name, f"one of {', '.join(valid)}")
    model = FewLabelClassifier(**parameters)
    attributes = decoded(python.part("attributes"))
    for name, kind in _ATTRIBUTES.items():
        if not isinstance(attributes.get(name), kind):
            python.part("attributes").fail(name, f"of the type {kind.__name__}")
    model.__dict__.update(attributes)
    return model


def _of_command_line(document: Document, part: Document, posteriors: Any) -> FewLabelClassifier:
    data = document.part("data")
    model = FewLabelClassifier(random_state=part.whole("seed", 0, most=2**64 - 1), layer=layer_of_record(data))
    n, d = len(posteriors), data.whole("features", least=1)
    row_names = document.texts("row_names", n) if document.has("row_names") else None
    feature_names = document.texts("feature_names", d) if document.has("feature_names") else None
    model._names_in_ = DataNames(Names(row_names, n, "sample"), Names(feature_names, d, "feature"))
    model.n_features_in_ = d
    if feature_names is not None:
        model.feature_names_in_ = np.array(feature_names, dtype=object)
    model._single = data.text("computed_in", "f64", valid=("f32", "f64")) == "f32"
    model.classes_ = np.array(part.texts("classes"), dtype=object)
    model.labels_ = model.classes_[posteriors.argmax(axis=1)]
    model._labelled = part.wholes("labelled", most=n - 1)

    def scores(line: Document) -> dict[str, Any]:
        null = {name: line.number(name) if line.has(name) else None for name in ("score", "agreement")}
        return {**null, "weight": line.number("weight")}

    def candidate(line: Document) -> dict[str, Any]:
        kind = line.text("kind", valid=_KINDS)
        parts = line.whole("components_per_class") if kind == "codes" else None
        return {"graph": kind, "components_per_class": parts, "share": line.number("share"), **scores(line)}

    model.candidates_ = [candidate(line) for line in part.items("candidates")]
    for name in ("views", "base_classifiers", "refinements"):
        setattr(model, name + "_", [{"name": line.text("name"), **scores(line)} for line in part.items(name)])
    model.held_out_score_ = part.number("held_out_score") if part.has("held_out_score") else None
    model.n_held_out_ = part.whole("held_out_labels")
    model.n_folds_ = part.whole("folds")
    model.class_sizes_ = np.array(part.numbers("class_sizes", len(model.classes_), least=0.0))
    model.notices_ = [(line.text("code"), line.text("message")) for line in part.items("notices")]
    return model
