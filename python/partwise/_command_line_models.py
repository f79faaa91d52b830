"""Reads models that the command line or version 0.1.0 of this package wrote."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._anndata import layer_of_record
from ._document import Document
from ._guidance.guidance import guidance_of_document
from ._guidance.strength import translated
from ._names import DataNames, Names
from ._registry import METHOD_PARAMETERS, REGISTRIES
from ._report import of_older_finding
from ._targets import Targets

__all__ = ["estimator_of_settings", "restored"]


def estimator_of_settings(document: Document) -> Any:
    """The estimator of the method that a document names."""
    from ._estimators import ESTIMATORS

    by_method = {estimator._method: estimator for estimator in ESTIMATORS}
    return by_method[document.part("settings").text("method", valid=by_method)]


def restored(cls: Any, document: Document, python: Document, tensors: dict[str, Any], known: dict[str, Any] | None) -> Any:
    """A fitted model from the document."""
    settings = document.part("settings")
    given, notices = _parameters_of_python(python) if python.has("parameters") else _parameters_of_settings(cls, settings, document)
    valid = cls._get_param_names()
    model = cls(**{name: value for name, value in given.items() if name in valid})
    codes, components = tensors["codes"], tensors["components"]
    (n, k), d = codes.shape, components.shape[1]
    row_names = document.texts("row_names", n) if document.has("row_names") else None
    if known is not None:
        # What y said comes with y again.
        model.guidance = guidance_of_document(known, _from_y(python), row_names)
    data = document.part("data")
    if data.whole("samples") != n:
        data.fail("samples", f"{n}, as the codes have")
    if data.whole("features") != d:
        data.fail("features", f"{d}, as the components have")
    model.n_features_in_ = d
    feature_names = document.texts("feature_names", d) if document.has("feature_names") else None
    model._names_in_ = DataNames(Names(row_names, n, "sample"), Names(feature_names, d, "feature"))
    if feature_names is not None:
        model.feature_names_in_ = np.array(feature_names, dtype=object)
    shape = data.fields.get("image_shape")
    if shape is not None:
        if not isinstance(shape, list) or len(shape) != 2 or not all(isinstance(side, int) and side > 0 for side in shape) or math.prod(shape) != d:
            data.fail("image_shape", f"height and width of {d} pixels, or null")
        model.image_shape_ = (shape[0], shape[1])
    if "graph" in tensors:
        model.graph_ = _graph(document, tensors["graph"], n)
    targets = _targets(document.part("guidance", optional=True).part("labels", optional=True), python, n)
    done = _outcome(document, python, tensors, known)
    done["notices"] = [*done["notices"], *notices]
    resolved: dict[str, Any] = {"rank": k, "seed": settings.whole("seed", 0, most=2**64 - 1)}
    resolved |= {"tolerance": settings.number("tolerance", 0.0), "max_iterations": settings.whole("max_iterations", 0)}
    resolved |= {key: tuple(settings.numbers(key, 2, least=0.0)) if settings.has(key) else (0.0, 0.0) for key in ("l1", "l2")}
    model._keep(done, targets, resolved)
    search = python.part("strength_search", optional=True)
    if search.fields:
        model.strength_search_ = {"scale": search.number("scale")}
        for key in ("scales", "relative_error", "agreement"):
            listed = search.fields.get(key)
            model.strength_search_[key] = np.array(search.numbers(key, len(listed) if isinstance(listed, list) else 0))
    if python.has("reconstruction_err"):
        model.reconstruction_err_ = python.number("reconstruction_err")
    return model


# ---------------------------------------------------------------------- parameters


def _parameters_of_python(python: Document) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """As version 0.1.0 wrote them: tuples were lists."""
    given = python.part("parameters").fields
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}, []


def _strength_of_settings(settings: Document) -> dict[str, Any]:
    """The strength of a method, from the numbers of its settings."""
    unit = settings.text("strength_unit", "relative", valid=("relative", "raw"))
    for key, squared, unit_of in (("strength", True, unit), ("label_weight", False, unit), ("graph_weight", False, "raw")):
        value = settings.fields.get(key)
        if value is not None:
            return {"strength": translated(settings.number(key, least=0.0), unit_of, key, squared=squared)}
    return {}


def _parameters_of_settings(cls: Any, settings: Document, document: Document) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The parameters that repeat a fit of the command line, and notices about what they cannot express."""
    solvers = [solver["name"] for solver in REGISTRIES["solvers"]]
    given: dict[str, Any] = {
        "n_components": settings.whole("rank", least=1),
        "solver": settings.text("solver", valid=[*solvers, "auto"]),
        "beta_loss": settings.text("loss", valid=REGISTRIES["losses"]),
        "tol": settings.number("tolerance", least=0.0),
        "max_iter": settings.whole("max_iterations"),
        "random_state": settings.whole("seed", most=2**64 - 1),
    }
    names = {"time_limit_seconds": "time_limit", "acceleration": "acceleration"}
    for name, each in cls._parameters.items():
        # The shape of images is among the data of a document.
        if each.source is not None and each.kind != "size":
            names |= {key: name for key in (each.source, *METHOD_PARAMETERS[each.source]["aliases"])}
    for key, parameter in names.items():
        value = settings.fields.get(key)
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                settings.fail(key, "a number or text")
            given[parameter] = value
    given |= _strength_of_settings(settings)
    init = settings.text("init", "auto")
    if init in REGISTRIES["starts"] and init != "custom":
        given["init"] = init
    shape = document.part("data").fields.get("image_shape")
    if isinstance(shape, list):
        given["image_shape"] = tuple(shape)
    layer = layer_of_record(document.part("data"))
    if layer is not None:
        given["layer"] = layer
    notices = []
    if settings.has("l1") and settings.has("l2"):
        l1, l2 = settings.numbers("l1", 2, least=0.0), settings.numbers("l2", 2, least=0.0)
        penalties = [a + b for a, b in zip(l1, l2, strict=True)]
        ratios = {a / total for a, total in zip(l1, penalties, strict=True) if total > 0}
        if len(ratios) <= 1:
            given |= {"alpha_W": penalties[0], "alpha_H": penalties[1], "l1_ratio": ratios.pop() if ratios else 0.0}
        else:
            what = f"the penalties of the fit (l1 {l1}, l2 {l2}) cannot be written as alpha_W, alpha_H and one l1_ratio; a new fit has no penalties"
            notices.append(("penalties", what))
    return given, notices


# ---------------------------------------------------------------------- what the fit left


def _targets(labels: Document, python: Document, n: int) -> Targets | None:
    if not labels.fields:
        return None
    names = labels.texts("class_names")
    as_written = python.fields.get("text_classes")
    whole = all(_is_whole(name) for name in names) if as_written is None else not as_written and all(_is_whole(name) for name in names)
    classes = np.array([int(name) for name in names], dtype=np.int64) if whole else np.array(names, dtype=object)
    samples = labels.wholes("samples", most=n - 1)
    found = labels.wholes("classes", most=len(names) - 1)
    if len(samples) != len(found):
        labels.fail("classes", f"a list of {len(samples)} classes, one for each of \"samples\"")
    codes = np.full(n, -1, dtype=np.int32)
    codes[samples] = found
    return Targets(classes, codes, None, None, -1 if whole else None)


def _is_whole(name: str) -> bool:
    """Whether a name is a whole number as it is written: "01" is a text."""
    return name.isascii() and name.isdigit() and len(name) < 19 and str(int(name)) == name


def _graph(document: Document, edges: Any, n: int) -> Any:
    if edges.shape[1] != 3 or not np.isfinite(edges).all() or (len(edges) and not (0 <= edges[:, :2].min() and edges[:, :2].max() < n)):
        raise ValueError(f"{document._path}: the matrix \"graph\" must have one row per edge: two samples from 0 to {n - 1}, and a weight")
    rows, columns = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    return sp.csr_array((edges[:, 2].astype(np.float64), (rows, columns)), shape=(n, n))


def _from_y(python: Document) -> dict[str, list[Any]]:
    part = python.part("from_y", optional=True)
    if not part.fields:
        return {"items": [], "topics": []}
    return {"items": part.wholes("items", most=2**31).tolist(), "topics": part.texts("topics")}


def _report(document: Document, python: Document) -> Document:
    report = python.part("report", optional=True)
    return report if report.fields else document.part("guidance_report", optional=True)


def _numbers(line: Document) -> dict[str, float]:
    numbers = line.part("numbers", optional=True)
    return {name.replace("_", " "): numbers.number(name, null=math.nan) for name in numbers.fields}


def _finding(line: Document, n: int) -> dict[str, Any]:
    line.fields.update(of_older_finding(line.fields))
    return {
        "kind": line.text("kind"),
        "verdict": line.text("verdict", valid=REGISTRIES["verdicts"]),
        "data": line.text("data", valid=REGISTRIES["plausibilities"]),
        "message": line.text("message"),
        "samples": line.wholes("samples", most=n - 1).tolist(),
        "topic": line.text("topic") if line.has("topic") else None,
        "numbers": _numbers(line),
    }


def _topic_verdict(line: Document) -> dict[str, Any]:
    return {
        "topic": line.text("topic"),
        "level": line.text("level", valid=REGISTRIES["levels"]),
        "verdict": line.text("verdict", valid=REGISTRIES["verdicts"]),
        "data": line.text("data", valid=REGISTRIES["plausibilities"]),
        "message": line.text("message"),
        "taken_by": line.text("taken_by") if line.has("taken_by") else None,
        "numbers": _numbers(line),
    }


def _outcome(document: Document, python: Document, tensors: dict[str, Any], known: dict[str, Any] | None) -> dict[str, Any]:
    """The results of the engine, as far as the file contains them."""
    settings, result, encoding = document.part("settings"), document.part("result"), document.part("encoding")
    (n, k), d = tensors["codes"].shape, tensors["components"].shape[1]
    columns = document.texts("history_columns")
    lines = document.fields.get("history")
    if not isinstance(lines, list) or not all(isinstance(line, list) and len(line) == len(columns) for line in lines):
        document.fail("history", f"a list of rows with {', '.join(columns)}")
    for line in lines:
        if not all(value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in line):
            document.fail("history", "rows of numbers, or null")
    history = np.array(lines, dtype=float).reshape(-1, len(columns))

    def column(name: str) -> Any:
        return history[:, columns.index(name)] if name in columns else np.full(len(history), np.nan)

    names = document.texts("component_names", k)
    objective = result.number("objective", null=math.nan)
    fields = result.part("parts", optional=True)
    parts = [(name, fields.number(name, null=math.nan)) for name in fields.fields] or [("fit", objective)]
    report = _report(document, python)
    owners = python.fields.get("topics", document.fields.get("component_topics"))
    if owners is not None and not _are_topics(owners, k):
        python.fail("topics", f"pairs of a name and a number of components, {k} in all at most")
    return {
        "components": tensors["components"],
        "codes": tensors["codes"],
        "iterations": result.whole("iterations"),
        "objective": objective,
        "relative_error": result.number("relative_error", null=math.nan),
        "symmetric_error": result.number("symmetric_error", null=math.nan) if "symmetric_error" in result.fields else math.nan,
        "loss_value": parts[0][1],
        "objective_unit": result.number("objective_unit", 1.0),
        "kkt": result.number("kkt", null=math.nan),
        "stop": result.text("stop"),
        "objectives": column("objective"),
        "kkts": column("kkt"),
        "seconds": column("elapsed"),
        "notices": _notices(python),
        "component_names": names,
        "further": {name.removeprefix("further/"): matrix for name, matrix in tensors.items() if name.startswith("further/")},
        "topic_verdicts": [_topic_verdict(line) for line in report.items("topics")] if report.has("topics") else [],
        "findings": [_finding(line, n) for line in report.items("findings")] if report.has("findings") else [],
        "agreement": report.number("agreement", 1.0),
        "topics": _topics_of(names) if owners is None else [(name, count) for name, count in owners],
        "labelled": np.array([] if known is None else known["samples"], dtype=int),
        "fitted_guidance": known or {"topics": [], "items": [], "feature_names": None},
        "from_y": _from_y(python),
        "searched": None,
        "parts": parts,
        "loss": settings.text("loss", valid=REGISTRIES["losses"]),
        "shares_of": settings.text("shares_of", valid=REGISTRIES["memberships_of"]) if settings.has("shares_of") else None,
        "solver": settings.text("solver"),
        "init": settings.text("init"),
        "first": settings.text("first"),
        "smoothing": encoding.number("smoothing", 0.0, least=0.0),
        **{key: encoding.numbers(key, k, least=0.0) for key in ("ridge", "linear")},
        "feature_weights": encoding.numbers("feature_weights", d, least=0.0) if encoding.has("feature_weights") else None,
    }


def _notices(python: Document) -> list[tuple[str, str]]:
    listed = python.fields.get("notices", [])
    if not isinstance(listed, list) or not all(isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in listed):
        python.fail("notices", "a list of pairs of texts")
    return [(code, message) for code, message in listed]


def _are_topics(owners: Any, k: int) -> bool:
    if not isinstance(owners, list):
        return False
    pairs = all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], int) and not isinstance(pair[1], bool) and 1 <= pair[1] <= k
        for pair in owners
    )
    return pairs and sum(count for _, count in owners) <= k


def _topics_of(component_names: list[str]) -> list[tuple[str, int]]:
    """The topics that components are named for: "sea", or in older models "sea/1" and "sea/2"; "part 4"
    is the free component 4."""
    topics: dict[str, int] = {}
    for at, name in enumerate(component_names):
        if name != f"part {at + 1}":
            base, _, number = name.rpartition("/")
            owner = base if base and number.isdigit() else name
            topics[owner] = topics.get(owner, 0) + 1
    return list(topics.items())
