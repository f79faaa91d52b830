"""The parts of docstrings that all estimators share, and the fields from the registry."""

from __future__ import annotations

from typing import Any, TypeVar

from ._settings import SPECS

__all__ = ["documented"]

_OWN = """Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        The number of components. "auto" is the number of classes when labels are given; without labels,
        ``NMF`` uses n_features, as in scikit-learn, and the other estimators require a number.
    """

_COMMON = """init : str, default=None
        The start: "random", "nndsvd", "nndsvda", "nndsvdar", "spectral" (eigenvectors; symmetric data only),
        "labels" (class means as components), "exemplars" (labelled samples), "published", "custom" (give W
        and H to ``fit``), "auto" (as on the command line: "labels" with labels, else "random", or "spectral"
        for ``SymNMF``). None is "labels" with labels, else "nndsvda" if n_components <= min(n_samples,
        n_features), else "random"; "auto" for ``SymNMF``.
    solver : str, default="auto"
        "hals" (or its other name "cd"), "bpp", "nesterov", "nesterov-running", "mu". "auto" is the default of
        the method: usually "hals", and "mu" for the Kullback-Leibler loss.
    acceleration : {{"auto", "off", "on"}}, default="auto"
        Whether to extrapolate the factors along their last change, and to let "hals" do several sweeps if
        they are cheap. Needs fewer iterations for the same result; the objective never rises. "auto" is on
        for ``NMF`` with ``solver="auto"`` from a start without labels, and for ``SymNMF`` and ``WSSymNMF`` with
        ``solver="auto"`` and no coupling; "on" is an error if the solver (only
        "hals" and "mu" do) or the method does not support it.
    beta_loss : {{"frobenius", 2, "kullback-leibler", 1}}, default={loss}
        The loss; the method supports {losses}.
    tol : float, default=1e-4
        Stop when the norm of the projected gradient is at most this times that of the first iteration, or when the last 50
        iterations together lowered the objective by less than a ten-thousandth of it (with a tol below 1e-4: by less than
        tol² · 10⁴ of it). 0 = stop only at a limit.
    max_iter : int, default=500
        The maximum number of iterations.
    random_state : int, RandomState or None, default=None
        The seed. A whole number gives the same bits as the command line's ``--seed``, for any number of threads.
    alpha_W, alpha_H : float, default=0.0 and "same"
        Penalties of codes and components, normalized by size as in scikit-learn; a penalty on one factor only
        is computed with the other factor at unit norm, so that rescaling cannot cancel it.
    l1_ratio : float, default=0.0
        The fraction of L1 in the penalties, from 0 (all L2) to 1 (all L1).
    verbose : int, default=0
        1 shows progress: a bar if tqdm is installed, otherwise lines.
    shuffle : bool, default=False
        Has no effect (True warns): the order of the updates is fixed, so that a seed gives the same bits everywhere.
    n_jobs : int, default=None
        Threads: None or -1 = all cores (None inside a joblib job: one). The result does not depend on this.
    time_limit : float, default=None
        The maximum number of seconds; the fit stops with the result so far.
    callback : callable, default=None
        Called after each iteration with an ``Iteration`` (number, objective, kkt, elapsed); True stops the fit.
    dtype : {{"float32", "float64"}}, default=None
        The precision of the computation. None keeps float32 and float64, and converts other types to float64.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples in y, besides None, NaN, NaT, NA, blanks and -1, and their
        spellings in tables ("NA", "N/A", "<NA>", "null", "-1", ...). A warning names other labels that may
        mean unlabelled ("?", "unknown").
    layer : str, default=None
        The layer of an AnnData object; its X by default.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, the components.
    codes_ : ndarray of shape (n_samples, n_components)
        W, the codes of the fit, with all guidance; ``fit_transform`` returns the same. ``transform`` of the
        same rows ignores guidance and may differ.
    labels_ : ndarray of shape (n_samples,)
        The class of each sample (without labels the number of the component), from ``codes_``; see
        ``predict``. It is -1 (or None for text labels) for samples without a class. For names, use
        ``predict_names()``: ``component_names_[labels_]`` would return the last name for -1.
    classes_ : ndarray of shape (n_classes,)
        The classes of y; only with labels.
    component_names_ : ndarray of shape (n_components,)
        Classes by name, then "part 1", ...
    n_iter_ : int
        The number of iterations.
    reconstruction_err_ : float
        The Frobenius norm of X - WH, or the square root of twice the divergence, with ``codes_``; exact.
    relative_error_ : float
        The reconstruction error divided by the norm of X.
    objective_ : float
        {objective}, exact.
    kkt_ : float
        The norm of the projected gradient at the end.
    history_ : dict of str to ndarray
        "iteration", "objective", "kkt", "elapsed".
    stop_reason_ : str
        "converged", "no further progress", "iteration limit", "time limit", "stopped by the observer", "precision floor".
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

    Notes
    -----
    {title}: min {objective}. Differs from the publication: {differs}.

    References
    ----------
    {reference}."""

_T = TypeVar("_T", bound=type[Any])


def documented(cls: _T) -> _T:
    """Fills the shared parts into a class's docstring."""
    spec = SPECS[cls._method]
    values = {key: spec[key] for key in ("objective", "title", "differs", "reference")}
    losses = ", ".join(f'"{loss}"' for loss in spec["losses"])
    common = _COMMON.format(**values, losses=losses, loss=f'"{spec["losses"][0]}"')
    cls.__doc__ = (cls.__doc__ or "").replace("{own}", _OWN).replace("{common}", common).replace("{{", "{").replace("}}", "}")
    return cls
