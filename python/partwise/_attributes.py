"""Checks of the attributes of a fitted model, when a file is read."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from ._document import Document
from ._guidance import Guidance, Topic, raw
from ._guidance.base import _Item
from ._names import Names
from ._registry import REGISTRIES
from ._report import ComponentLikeness, Finding, GuidanceCost, GuidanceReport, TopicVerdict
from ._targets import Targets

__all__ = ["checked_attributes", "checked_parameters"]


def checked_attributes(python: Document, attributes: dict[str, Any], model: Any) -> None:
    """Refuses attributes that a fit cannot have.

    Raises
    ------
    ValueError
        With the file, the attribute, and what is valid.
    """
    place = python.part("attributes")
    n, k = attributes["codes_"].shape
    d = attributes["components_"].shape[1]
    for name, (valid, holds) in {**_ALWAYS, **_where_there_are(attributes, model)}.items():
        try:
            right = name in attributes and bool(holds(attributes[name], n, k, d))
        except (TypeError, ValueError, AttributeError, KeyError, IndexError):
            right = False
        if not right:
            place.fail(name, valid.format(n=n, k=k, d=d))


# Parameters whose default is a number, and that may be a word.
_NUMBERS_OR_WORDS = ("beta_loss", "components_per_class", "unlabelled")


def checked_parameters(python: Document, parameters: dict[str, Any], cls: Any) -> None:
    """Refuses parameters that no estimator has; wrong values are refused where they are used.

    Raises
    ------
    ValueError
        With the file, the parameter, and what is valid.
    """
    place = python.part("parameters")
    known = cls._parameters
    for name, value in parameters.items():
        if name not in known:
            place.fail(name, f"one of {', '.join(known)}")
        default = known[name].default
        if name == "guidance":
            if value is not None and not _is_guidance(value):
                place.fail(name, "guidance, or null")
        elif known[name].kind == "size":
            if value is not None and not (isinstance(value, (tuple, list)) and all(_is_whole(side, 1) for side in value)):
                place.fail(name, "height and width, or null")
        elif isinstance(default, (int, float)) and not isinstance(value, (Real, np.bool_)) and name not in _NUMBERS_OR_WORDS:
            place.fail(name, "a number")
        elif name == "strength" and isinstance(value, raw):
            continue
        elif not (value is None or isinstance(value, (Real, str, np.generic, np.dtype, type))):
            place.fail(name, "a number, text or null")


def _is_guidance(value: Any) -> bool:
    lists = isinstance(value, Guidance) and all(isinstance(part, list) for part in (value.items, value.topics, value.notes))
    if not lists:
        return False
    names = value.feature_names is None or isinstance(value.feature_names, (list, tuple, np.ndarray))
    return names and all(isinstance(item, _Item) for item in value.items) and all(isinstance(topic, Topic) for topic in value.topics)


_Check = tuple[str, Callable[[Any, int, int, int], bool]]


def _is_whole(value: Any, least: int = 0) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_text_array(value: Any, length: int) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (length,) and all(isinstance(part, str) for part in value)


def _is_history(value: Any) -> bool:
    columns = ("iteration", "objective", "kkt", "elapsed")
    return (
        isinstance(value, dict)
        and list(value) == list(columns)
        and all(isinstance(part, np.ndarray) and part.ndim == 1 and part.dtype.kind in "iuf" for part in value.values())
        and len({len(part) for part in value.values()}) == 1
    )


def _is_encoding(value: Any, k: int, d: int) -> bool:
    weights = value["feature_weights"]
    return (
        value["loss"] in REGISTRIES["losses"]
        and _is_number(value["smoothing"])
        and 0 <= value["smoothing"] <= 1
        and all(_are_numbers(value[part], k) for part in ("ridge", "linear"))
        and (weights is None or _are_numbers(weights, d))
    )


def _are_numbers(value: Any, length: int) -> bool:
    return isinstance(value, (list, np.ndarray)) and len(value) == length and all(_is_number(part) and 0 <= part < np.inf for part in value)


def _is_targets(value: Any, n: int) -> bool:
    if value is None:
        return True
    c = len(value.classes)
    codes, soft = value.codes, (value.memberships, value.known)
    right = isinstance(value, Targets) and isinstance(value.classes, np.ndarray) and value.classes.ndim == 1 and isinstance(value.notes, list)
    if codes is not None:
        right = right and codes.shape == (n,) and codes.dtype.kind == "i" and (not n or -1 <= codes.min() <= codes.max() < c)
    right = right and (value.missing is None or isinstance(value.missing, (np.datetime64, np.timedelta64)) or (_is_whole(value.missing, -1) and value.missing == -1))
    if soft[0] is None:
        return bool(right and codes is not None and soft[1] is None)
    return bool(right and all(part.shape == (n, c) and part.dtype.kind == "f" and np.isfinite(part).all() for part in soft))


def _is_notices(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in value)


def _is_report(value: Any) -> bool:
    if isinstance(value, GuidanceReport):
        parts = ((Finding, value.findings), (TopicVerdict, value.topics), (ComponentLikeness, value.components))
        listed = all(isinstance(part, kind) for kind, each in parts for part in each)
        whole = value.cost is None or isinstance(value.cost, GuidanceCost)
        return listed and whole and isinstance(value.components_compared, str) and _is_number(value.agreement) and isinstance(value.parts, dict)
    return isinstance(value, dict)


_ALWAYS: dict[str, _Check] = {
    "n_components_": ("{k}, as the components are", lambda v, n, k, d: _is_whole(v) and v == k),
    "n_features_in_": ("{d}, as the components have", lambda v, n, k, d: _is_whole(v) and v == d),
    "n_iter_": ("a whole number of 0 or more", lambda v, n, k, d: _is_whole(v)),
    **{name: ("a number", lambda v, n, k, d: _is_number(v)) for name in ("objective_", "relative_error_", "reconstruction_err_", "kkt_")},
    "stop_reason_": ("text", lambda v, n, k, d: isinstance(v, str)),
    "history_": ("four arrays of one length: iteration, objective, kkt, elapsed", lambda v, n, k, d: _is_history(v)),
    "notices_": ("a list of pairs of texts", lambda v, n, k, d: _is_notices(v)),
    "component_names_": ("an array of {k} texts", lambda v, n, k, d: _is_text_array(v, k)),
    "labels_": ("an array of {n} labels", lambda v, n, k, d: isinstance(v, np.ndarray) and v.shape == (n,)),
    "guidance_report_": ("a report", lambda v, n, k, d: _is_report(v)),
    "_encoding": ("loss, smoothing, and ridge and linear of {k} numbers", lambda v, n, k, d: _is_encoding(v, k, d)),
    "_resolved": ("the settings of the fit", lambda v, n, k, d: isinstance(v, dict) and isinstance(v["method"], str)),
    "_parts": ("the parts of the objective", lambda v, n, k, d: isinstance(v, dict)),
    "_shares_of": (" or ".join(map(repr, REGISTRIES["memberships_of"])), lambda v, n, k, d: v in REGISTRIES["memberships_of"]),
    "_targets_": ("None or the labels of {n} samples", lambda v, n, k, d: _is_targets(v, n)),
}


def _where_there_are(attributes: dict[str, Any], model: Any) -> dict[str, _Check]:
    """Checks of attributes that only some fits have."""
    targets = attributes.get("_targets_")
    out: dict[str, _Check] = {}
    if isinstance(targets, Targets) and isinstance(targets.classes, np.ndarray):
        c = targets.classes.size
        out["classes_"] = (f"an array of {c} classes", lambda v, n, k, d: isinstance(v, np.ndarray) and v.shape == (c,))
        out["_component_classes"] = (
            f"{{k}} whole numbers from -1 to {c - 1}",
            lambda v, n, k, d: v.shape == (k,) and v.dtype.kind == "i" and -1 <= v.min() and v.max() < c,
        )
    else:
        out["_component_classes"] = ("None, as there are no labels", lambda v, n, k, d: v is None)
    if "feature_names_in_" in attributes:
        out["feature_names_in_"] = ("an array of {d} names", lambda v, n, k, d: isinstance(v, np.ndarray) and v.shape == (d,))
    if "_names_in_" in attributes:
        out["_names_in_"] = ("the names of {n} samples and {d} features", lambda v, n, k, d: _are_names(v.samples, n) and _are_names(v.features, d))
    if "_empty_rows" in attributes:
        out["_empty_rows"] = ("samples from 0 to {n} (excluded)", lambda v, n, k, d: _are_samples(v, n))
    if hasattr(type(model), "steer"):
        out["topics_"] = ("components by topic, each once, in order", lambda v, n, k, d: _are_topics(v, k))
        out["_n_free"] = ("the number of free components", lambda v, n, k, d: _is_whole(v) and v == k - sum(map(len, attributes["topics_"].values())))
        out["_guided_samples"] = ("samples from 0 to {n} (excluded)", lambda v, n, k, d: _are_samples(v, n))
    per_class = getattr(model, "components_per_class", 1)
    if not hasattr(type(model), "steer") and hasattr(model, "components_per_class") and "classes_" in out:
        out["components_"] = (
            "of components_per_class components for each class at least",
            lambda v, n, k, d: _is_whole(per_class, 1) and (per_class == 1 or per_class * len(attributes["_targets_"].classes) <= k),
        )
    for name in ("image_rows_", "image_columns_", "label_components_", "scales_"):
        if name in attributes:
            out[name] = ("a matrix of numbers", lambda v, n, k, d: isinstance(v, np.ndarray) and v.ndim == 2 and v.dtype.kind == "f")
    if "symmetric_error_" in attributes:
        out["symmetric_error_"] = ("a number", lambda v, n, k, d: _is_number(v))
    if attributes.get("graph_") is not None:
        out["graph_"] = ("a graph of {n} samples", lambda v, n, k, d: v.shape == (n, n))
    if attributes.get("image_shape_") is not None:
        out["image_shape_"] = ("height and width of {d} pixels", lambda v, n, k, d: len(v) == 2 and all(_is_whole(s, 1) for s in v) and v[0] * v[1] == d)
    return out


def _are_names(value: Any, size: int) -> bool:
    if not isinstance(value, Names) or value.size != size or not isinstance(value.one, str) or not isinstance(value.is_range, bool):
        return False
    return value.labels is None or (isinstance(value.labels, np.ndarray) and value.labels.shape == (size,))


def _are_samples(value: Any, n: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i" and (not len(value) or 0 <= value.min() <= value.max() < n)


def _are_topics(value: Any, k: int) -> bool:
    listed = [component for components in value.values() for component in components]
    places = all(_is_whole(component) for component in listed) and listed == list(range(len(listed))) and len(listed) <= k
    return places and isinstance(value, dict) and all(isinstance(name, str) and isinstance(components, list) for name, components in value.items())
