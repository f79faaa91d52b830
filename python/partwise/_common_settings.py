"""The parameters that all estimators share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._parameters import parameter
from ._progress import Iteration
from ._registry import REGISTRIES, quoted

__all__ = ["CommonSettings"]

_STARTS = quoted([start for start in REGISTRIES["starts"] if start not in ("auto", "custom")])
_SOLVERS = quoted([solver["name"] for solver in REGISTRIES["solvers"]])


class CommonSettings:
    """The parameters that all estimators share. The first is the only one that may be given by position."""

    n_components: int | str | None = parameter(
        None,
        'int, "auto" or None',
        """The number of components. "auto" finds it: ``select_rank`` with its defaults answers how many the
        data support (``rank_selection_``). With labels, None and "auto" are the number of classes. Without
        labels, None is n_features for ``NMF``, as in scikit-learn; the other estimators require a number or
        "auto".""",
    )
    init: str | None = parameter(
        None,
        "str",
        f"""The start: {_STARTS}, "custom" (give W and H to ``fit``), "auto" (as on the command line:
        "labels" with labels, else "random", or "spectral" for ``SymNMF``). "labels" starts from class means,
        "exemplars" from labelled samples, "spectral" from eigenvectors (symmetric data only). None is
        "labels" with labels, else "nndsvda" if n_components <= min(n_samples, n_features), else "random";
        "auto" for ``SymNMF``.""",
    )
    solver: str = parameter(
        "auto",
        "str",
        f"""One of {_SOLVERS}, or "cd", another name of "hals". "auto" is the default of the method: usually
        "hals", and "mu" for the Kullback-Leibler loss.""",
    )
    acceleration: str = parameter(
        REGISTRIES["acceleration"][0],
        f"{{{quoted(REGISTRIES['acceleration'])}}}",
        """Whether to extrapolate the factors along their last change, and to let "hals" do several sweeps if
        they are cheap. Needs fewer iterations for the same result; the objective never rises. "auto" is on,
        with ``solver="auto"``, for ``NMF`` from a start without labels, for ``GuidedNMF`` with the
        Kullback-Leibler loss, and for ``SymNMF`` and ``WSSymNMF`` without coupling; "on" is an error if the
        solver (only "hals" and "mu" do) or the method does not support it.""",
    )
    beta_loss: str | float = parameter(
        REGISTRIES["losses"][0],
        '{"frobenius", 2, "kullback-leibler", 1}',
        """The loss; the method supports {losses}.""",
    )
    tol: float = parameter(
        REGISTRIES["tolerance"],
        "float",
        """Stop when the norm of the projected gradient is at most this times that of the first iteration, or
        when the last 50 iterations together lowered the objective by less than a ten-thousandth of it (with
        a tol below 1e-4: by less than tol² · 10⁴ of it). 0 = stop only at a limit.""",
    )
    max_iter: int = parameter(REGISTRIES["max_iterations"], "int", "The maximum number of iterations.")
    random_state: Any = parameter(
        None,
        "int, RandomState or None",
        """The seed. A whole number gives the same bits as the command line's ``--seed``, for any number of
        threads.""",
    )
    alpha_W: float = parameter(
        0.0,
        "float",
        """The penalty of the codes, normalized by size as in scikit-learn; a penalty on one factor only is
        computed with the other factor at unit norm, so that rescaling cannot cancel it.""",
    )
    alpha_H: float | str = parameter(
        "same", 'float or "same"', """The penalty of the components; "same" is that of the codes."""
    )
    l1_ratio: float = parameter(
        0.0, "float", "The fraction of L1 in the penalties, from 0 (all L2) to 1 (all L1)."
    )
    verbose: int = parameter(0, "int", "1 shows progress: a bar if tqdm is installed, otherwise lines.")
    shuffle: bool = parameter(
        False,
        "bool",
        """Has no effect (True warns): the order of the updates is fixed, so that a seed gives the same bits
        everywhere.""",
    )
    n_jobs: int | None = parameter(
        None,
        "int",
        """Threads: None or -1 = all cores (None inside a joblib job: one). The result does not depend on
        this.""",
    )
    time_limit: float | None = parameter(
        None, "float", "The maximum number of seconds; the fit stops with the result so far."
    )
    checkpoint: str | os.PathLike[str] | None = parameter(
        None,
        "str or path-like",
        """A file in which the state of the fit is saved. A fit whose file is there goes on from it, with the
        same bits as one that was never stopped; the checkpoint of a fit of other data or with other settings
        is refused. Limits and ``n_jobs`` may change. The file is removed at the end of the fit, unless
        ``callback`` stopped it.""",
    )
    checkpoint_seconds: float = parameter(
        600.0, "float", "How often the state is saved, in seconds: at most so much is lost."
    )
    callback: Callable[[Iteration], Any] | None = parameter(
        None,
        "callable",
        """Called after each iteration with an ``Iteration`` (number, objective, kkt, elapsed); True stops the
        fit.""",
    )
    dtype: Any = parameter(
        None,
        '{"float32", "float64"}',
        """The precision of the computation. None keeps float32 and float64, and converts other types to
        float64.""",
    )
    unlabelled: Any = parameter(
        -1,
        "int or str",
        """A further marker of unlabelled samples in y, besides None, NaN, NaT, NA, blanks and -1, and their
        spellings in tables ("NA", "N/A", "<NA>", "null", "-1", ...). A warning names other labels that may
        mean unlabelled ("?", "unknown").""",
    )
    layer: str | None = parameter(None, "str", "The layer of an AnnData object; its X by default.")
