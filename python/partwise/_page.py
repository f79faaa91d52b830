"""The report of a fitted model as one HTML page, the same page as that of the command line."""

from __future__ import annotations

import datetime
import hashlib
import os
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._anndata import matrix_of, with_names_of_layer
from ._input import is_anndata, numeric
from ._names import names_of_model
from ._registry import error_name
from ._report import GuidanceReport

__all__ = ["page_of", "write_page"]


def write_page(path: Any, page: str) -> None:
    """Writes it whole or not at all."""
    path = os.fspath(path)
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path) or ".", suffix=".html")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def page_of(model: Any, X: Any, labels: Any, texts: Sequence[str] | None, pictures: str) -> str:
    """The page. X (n, d) is needed for pictures of samples."""
    n, d = model.codes_.shape[0], model.components_.shape[1]
    names = names_of_model(model)
    shape = getattr(model, "image_shape_", None)
    rows = _rows(model, X, n)
    if shape is not None and rows is None:
        raise ValueError("the report shows images of the fit: give it the data, write_report(path, X)")
    if texts is not None and (isinstance(texts, str) or len(texts) != n):
        raise ValueError(f"texts must be {n} texts, one for each sample of the fit")
    codes = np.ascontiguousarray(model.codes_, dtype=np.float64)
    components = np.ascontiguousarray(model.components_, dtype=np.float64)
    facts = {
        "title": type(model).__name__,
        "method": model._resolved["method"],
        "shares_of": model._shares_of,
        "component_names": [str(name) for name in model.component_names_],
        "sample_names": _texts(names.samples.labels),
        "feature_names": _texts(names.features.labels),
        "snippets": None if texts is None else [" ".join(str(text).split()) for text in texts],
        "image_shape": None if shape is None else (int(shape[0]), int(shape[1])),
        "pictures": pictures,
        "notes": [_sentence(notice) for notice in model.notices_],
        "history": _history(model),
        "tolerance": float(model._resolved.get("tolerance") or 0.0),
        "ended": f"The fit ended after {model.n_iter_} iterations: {model.stop_reason_}.",
        "data": [("Shape", f"{n} samples × {d} features"), ("Memberships", f"by {model._shares_of}")],
        "run": [
            (error_name(model._resolved["loss"]), f"{model.relative_error_:.4f}"),
            ("objective", f"{model.objective_:.6e}"),
            ("iterations", f"{model.n_iter_} ({model.stop_reason_})"),
        ],
        "settings": [(key, str(value)) for key, value in model._resolved.items() if value is not None],
        "command": f"{model!r}.fit(X)",
        "again": _again(_matrix(model, X)),
        **_classes(model, labels, n),
        **_judged(model),
    }
    return _native.report_page(codes, components, None if shape is None else rows, facts, _guidance(model))


def _rows(model: Any, X: Any, n: int) -> Any:
    """The data as an array (n, d) of numbers, read as ``transform`` reads them, if they are dense and those
    of the fit."""
    if X is None:
        return None
    rows = numeric(model, X, reset=False, dtype=model.dtype, needed_by="the page")
    if rows.shape[0] != n:
        raise ValueError(f"X must be the data of the fit, {n} samples of {rows.shape[1]} features, but has {rows.shape[0]} samples")
    if sp.issparse(rows):
        return None
    return np.ascontiguousarray(model._scaled(model._filled(rows)), dtype=np.float64)


def _texts(labels: Any) -> list[str] | None:
    return None if labels is None else [str(label) for label in labels]


def _sentence(notice: Any) -> str:
    return str(notice[1]) if isinstance(notice, tuple) else str(notice)


def _history(model: Any) -> list[tuple[float, float, float]]:
    history = model.history_
    return [(float(i), float(o), float(k)) for i, o, k in zip(history["iteration"], history["objective"], history["kkt"], strict=True)]


def _matrix(model: Any, X: Any) -> Any:
    """The data as they were given; of AnnData the matrix of the fit."""
    return matrix_of(with_names_of_layer(X, model.layer), model.layer) if is_anndata(X) else X


def _again(X: Any) -> list[tuple[str, str]]:
    facts = [("Version", f"partwise {_native.__version__}"), ("Date", datetime.datetime.now(datetime.timezone.utc).date().isoformat())]
    if X is not None:
        values = X.tocsr().data if hasattr(X, "tocsr") else np.asarray(X)
        digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
        facts.insert(0, ("SHA-256", f"{digest} (of the {'stored values' if hasattr(X, 'tocsr') else 'array'})"))
    return facts


def _classes(model: Any, labels: Any, n: int) -> dict[str, Any]:
    """The classes that the page compares with: the given labels, else those of the fit."""
    targets = model._targets_
    own = None if targets is None or targets.codes is None else np.asarray([targets.names[c] if c >= 0 else "" for c in targets.codes], dtype=object)
    if labels is None and own is None:
        return {"class_names": None}
    known = own if labels is None else np.asarray([_label(label) for label in labels], dtype=object)
    if len(known) != n:
        raise ValueError(f"labels must be {n}, one for each sample of the fit, but there are {len(known)}")
    class_names = sorted({name for name in known if name})
    place = {name: at for at, name in enumerate(class_names)}
    truth = np.array([place.get(name, -1) for name in known], dtype=int)
    used = np.zeros(n, dtype=bool) if targets is None else np.asarray(targets.labelled, dtype=bool)
    shares = model.memberships()
    clusters = np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), shares.shape[1]).astype(np.int32)
    out = (truth >= 0) & ~used
    held_out = None
    if out.any():
        held_out = (_native.accuracy(truth[out].astype(np.int32), clusters[out])[0], int(out.sum()))
    return {
        "class_names": class_names,
        "truth": [int(c) for c in truth],
        "used": [bool(u) for u in used],
        "held_out": held_out,
        "measures": ([], []),
    }


def _label(label: Any) -> str:
    """The name of a class, "" where the sample has none."""
    missing = label is None or label in (-1, "") or (isinstance(label, float) and np.isnan(label))
    return "" if missing else str(label)


def _judged(model: Any) -> dict[str, Any]:
    report = model.guidance_report_
    if not isinstance(report, GuidanceReport):
        return {"agreement": None}
    findings = [
        {
            "kind": f.kind,
            "samples": [int(i) for i in f.samples],
            "topic": f.topic,
            "verdict": f.verdict,
            "data": f.data,
            "message": f.message,
            "numbers": {name: float(value) for name, value in f.numbers.items()},
        }
        for f in report
    ]
    topics = [{"topic": t.topic, "level": t.level, "verdict": t.verdict, "data": t.data, "message": t.message} for t in report.topics]
    likeness = [{"component": c.component, "samples": c.samples, "mean_cosine": c.mean_cosine, "shared_cosine": c.shared_cosine} for c in report.components]
    cost = None if report.cost is None else report.cost.message
    return {
        "agreement": float(report.agreement),
        "findings": findings,
        "topic_verdicts": topics,
        "likeness": likeness,
        "likeness_of": report.components_compared,
        "cost": cost,
    }


def _guidance(model: Any) -> Any:
    """The guidance that was fitted, whose topics the page marks."""
    return getattr(model, "_fitted_guidance", None)
