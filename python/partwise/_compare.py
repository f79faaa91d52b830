"""Compares methods on one's own data with a few labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from . import _native
from ._classifier import FewLabelClassifier
from ._estimators import ESTIMATORS, NMF
from ._input import is_anndata, numeric, obs_column, raise_about, to_native
from ._names import check_same_order
from ._progress import PhaseProgress
from ._settings import seed_of, threads_of
from ._targets import targets_of
from ._warn import warn

__all__ = ["Comparison", "compare"]

_RUN = ("method", "labels_per_class", "draw", "accuracy", "nmi", "relative_error", "seconds")


@dataclass(frozen=True)
class Comparison:
    """The result of ``compare``."""

    lines: list[dict[str, Any]] = field(repr=False)
    """For each number of labels and each method: "method", "labels_per_class", "draws", "accuracy_by"
    ("class names", or "best map" of clusters to classes), the means "accuracy", "difference" (of the accuracy
    to the first method, paired by draw), "nmi", "relative_error" and "seconds", and their standard errors,
    such as "accuracy_error"; and "classes_judged", how many classes have samples to judge by. None where
    there is no value."""
    runs: list[dict[str, Any]] = field(repr=False)
    """Every run: "method", "labels_per_class", "draw", "accuracy", "nmi", "relative_error", "seconds"."""
    notices: list[str] = field(default_factory=list, repr=False)
    """What you should know, as sentences: classes without a sample to judge by."""

    def to_frame(self, what: str = "lines") -> Any:
        """The table as a pandas DataFrame; needs pandas.

        Parameters
        ----------
        what : {"lines", "runs"}, default="lines"
            A row for each method, or for each run.

        Returns
        -------
        table : DataFrame
            The table.
        """
        import pandas as pd

        if what not in ("lines", "runs"):
            raise ValueError(f"what is {what!r}, but must be 'lines' or 'runs'")
        return pd.DataFrame(self.lines if what == "lines" else self.runs)

    def __repr__(self) -> str:
        width = max([len(line["method"]) for line in self.lines] + [6])
        out = [f"{'method':<{width}}  labels  accuracy %     to the first    NMI %          error"]
        for line in self.lines:
            error = "-" if line["relative_error"] is None else f"{line['relative_error']:.3f}"
            star = "" if line["accuracy_by"] == "class names" else "*"
            cells = (_percent(line, "accuracy") + star, _percent(line, "difference", "+"), _percent(line, "nmi"), error)
            out.append(f"{line['method']:<{width}}  {line['labels_per_class']:>6}  {cells[0]:<13}  {cells[1]:<14}  {cells[2]:<13}  {cells[3]}")
        if any(line["accuracy_by"] == "best map" for line in self.lines):
            out.append("* under the best one-to-one map of clusters to classes, which knows all labels")
        return "\n".join(out)


def _percent(line: dict[str, Any], name: str, sign: str = "") -> str:
    if line[name] is None:
        return ""
    error = line[name + "_error"]
    return f"{100 * line[name]:{sign}.1f}" + ("" if error is None else f" ± {100 * error:.1f}")


class _Reader(NMF):
    """Reads X like the estimators."""


def compare(
    X: Any,
    y: Any,
    *,
    methods: Iterable[Any] | None = None,
    draws: int = 10,
    labels_per_class: int | Iterable[int] = 2,
    n_components: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    unlabelled: Any = -1,
    layer: str | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare methods on your data: accuracy from a few labels, over several draws of them.

    Each draw gives all methods the same labels, and judges them by the labelled samples whose label was not
    drawn. Methods whose components are the classes, and the classifier, are judged by the names that they
    give; others by the best one-to-one map of clusters to classes.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
        The data, non-negative.
    y : array-like of shape (n_samples,)
        The classes of as many samples as you have; -1 (or ``unlabelled``), None, NaN or blank for unlabelled
        samples. A column of ``obs`` by its name if X is an AnnData object.
    methods : list of str or of estimator classes, default=None
        Names as on the command line ("nmf", "classifier"), or classes such as ``GuidedNMF`` and
        ``FewLabelClassifier``. Differences are to the first. None: plain NMF, the methods whose components
        are the classes, and the classifier.
    draws : int, default=10
        Draws of labels, 1 or more.
    labels_per_class : int or list of int, default=2
        Labels per class that a draw gives to the methods.
    n_components : int, default=None
        The number of components of methods that do not name classes; None is the number of classes.
    random_state : int, RandomState or None, default=0
        The seed.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on this.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples in y.
    layer : str, default=None
        The layer of an AnnData object.
    verbose : int, default=0
        1 shows a progress bar (lines if tqdm is not installed).

    Returns
    -------
    found : Comparison
        The table, as ``lines``, ``runs`` and ``to_frame()``.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import compare
    >>> rng = np.random.default_rng(0)
    >>> classes = np.arange(60) % 3
    >>> X = rng.random((60, 12)) + 2 * (np.arange(12) // 4 == classes[:, None])
    >>> found = compare(X, classes, methods=["nmf", "classifier"], draws=2)
    >>> [line["method"] for line in found.lines if line["accuracy"] > 0.9]
    ['nmf', 'classifier']
    """
    numbers = [labels_per_class] if isinstance(labels_per_class, Integral) else list(labels_per_class)
    for name, value in (("draws", draws), *(("labels_per_class", number) for number in numbers), ("n_components", 1 if n_components is None else n_components)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} is {value!r}, but must be a whole number of 1 or more")
    names = _native.compared_methods() if methods is None else [_name(method) for method in methods]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise ValueError(f"methods names {twice!r} twice")
    reader = _Reader(layer=layer)
    if isinstance(y, str) and is_anndata(X):
        y = obs_column(X, y)
    data = numeric(reader, X, reset=True, needed_by="compare")
    check_same_order(y, reader._names_in_.samples, "y")
    targets = targets_of(y, data.shape[0], unlabelled)
    if targets.codes is None:
        raise ValueError("compare requires one label per sample, but y has several labels or soft memberships")
    codes, classes, _ = targets.hard()
    with PhaseProgress("compare", verbose) as progress:

        def watch(method: str, number: int, draw: int, done: int, total: int) -> None:
            progress.update(f"draw {draw + 1} of {draws}, {number} labels per class: {method}", done / total, 0.0)

        try:
            found = _native.compare(
                to_native(data), (codes, classes), names, int(draws), [int(number) for number in numbers],
                None if n_components is None else int(n_components), seed_of(random_state), threads_of(n_jobs), watch if progress.shows else None,
            )
        except ValueError as error:
            raise_about(error, reader)
    for notice in found["notices"]:
        warn(f"compare: {notice}")
    runs = [dict(zip(_RUN, run, strict=True)) for run in found["runs"]]
    return Comparison([_line(line) for line in found["lines"]], runs, found["notices"])


def _line(values: tuple[Any, ...]) -> dict[str, Any]:
    method, labels_per_class, draws, by, accuracy, difference, nmi, error, seconds, judged = values
    out = {"method": method, "labels_per_class": labels_per_class, "draws": draws, "accuracy_by": by}
    for name, pair in (("accuracy", accuracy), ("difference", difference), ("nmi", nmi), ("relative_error", error)):
        out[name], out[name + "_error"] = (None, None) if pair is None else pair
    return {**out, "seconds": seconds, "classes_judged": judged}


def _name(method: Any) -> str:
    """The name of a method: a text, or an estimator or its class."""
    if isinstance(method, str):
        return method
    cls = method if isinstance(method, type) else type(method)
    names = {FewLabelClassifier: "classifier", **{estimator: str(estimator._method) for estimator in ESTIMATORS}}
    name = next((name for estimator, name in names.items() if issubclass(cls, estimator)), None)
    if name is None:
        raise ValueError(f"methods contains {method!r}; valid are names, and classes of estimators of Partwise")
    if cls is not method and method.get_params() != cls().get_params():
        raise ValueError(f"compare fits methods with their defaults, but {method!r} has others; give the class {cls.__name__}")
    return name
