"""Docstrings of estimators: the parts that all share, their parameters, and the fields from the registry."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any

from ._parameters import Parameter

__all__ = ["documentation"]

_WIDTH = 100

_ATTRIBUTES = """
components_ : ndarray of shape (n_components, n_features)
    H, the components.
codes_ : ndarray of shape (n_samples, n_components)
    W, the codes of the fit, with all guidance; ``fit_transform`` returns the same. ``transform`` of the
    same rows ignores guidance and may differ.
labels_ : ndarray of shape (n_samples,)
    The class of each sample, from ``codes_``; without labels the name of its topic, where guidance names
    some, else the number of its component. It is -1 (None where labels are text) for samples without
    one. See ``predict``; ``predict_names()`` has names in every case.
classes_ : ndarray of shape (n_classes,)
    The classes of y; only with labels.
component_names_ : ndarray of shape (n_components,)
    Classes by name, then "part 1", ...
rank_selection_ : RankChoice
    With ``n_components="auto"``, where the data decided: the answer of ``select_rank`` with its reasons.
    Model files do not contain it.
n_iter_ : int
    The number of iterations.
reconstruction_err_ : float
    The Frobenius norm of X - WH, or the square root of twice the divergence, with ``codes_``; exact.
relative_error_ : float
    The reconstruction error divided by the norm of X.
objective_ : float
    {objective}, exact.
kkt_ : float
    The norm of the projected gradient that the updates of the last iteration met.
history_ : dict of str to ndarray
    "iteration", "objective", "kkt", "elapsed".
stop_reason_ : str
    "converged", "no further progress", "iteration limit", "time limit", "stopped by the observer",
    "precision floor".
guidance_report_ : dict
    The effect of the labels: numbers per class, the agreement of the fit with them, parts of the
    objective, notices. For ``GuidedNMF`` a ``GuidanceReport``: findings, each with its verdict and
    numbers.
notices_ : list of (str, str)
    Notices as (kind, text): "zero-rows", "no-effect" (a parameter that changes nothing here), ...
scaling_ : Scaling or None
    The scaling of new rows in ``transform``, ``predict`` and ``score``, if the command line fitted the
    model with ``--scale``.
n_features_in_ : int
    The number of features seen in ``fit``.
feature_names_in_ : ndarray of shape (n_features_in_,)
    The names of the features, if X has names.
"""


def documentation(text: str, spec: dict[str, Any], parameters: dict[str, Parameter]) -> str:
    """The docstring of an estimator: its own text and sections, and those that are the same for all."""
    summary, sections = _sections(inspect.cleandoc(text))
    attributes = _ATTRIBUTES.strip().format(objective=spec["objective"])
    if "Attributes" in sections:
        attributes = f"{attributes}\n{sections['Attributes']}"
    notes = f"{spec['title']}: min {spec['objective']}. Differs from the publication: {spec['differs']}."
    full = {
        "Parameters": "\n".join(_entry(parameter) for parameter in parameters.values()),
        "Attributes": attributes,
        "Notes": textwrap.fill(notes, _WIDTH),
        "References": textwrap.fill(f"{spec['reference']}.", _WIDTH, break_long_words=False, break_on_hyphens=False),
        "Examples": sections["Examples"],
    }
    parts = [f"{title}\n{'-' * len(title)}\n{body}" for title, body in full.items()]
    return "\n\n".join([summary, *parts]) + "\n"


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the sections by title."""
    summary, *rest = re.split(r"^(\w+)\n-+\n", text, flags=re.MULTILINE)
    return summary.strip(), {title: body.strip("\n") for title, body in zip(rest[::2], rest[1::2], strict=True)}


def _entry(parameter: Parameter) -> str:
    default = parameter.default
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    lines = textwrap.fill(" ".join(parameter.help.split()), _WIDTH - 4, break_on_hyphens=False)
    return f"{parameter.name} : {parameter.words}, default={shown}\n{textwrap.indent(lines, '    ')}"
