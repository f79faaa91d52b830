"""Guided NMF: one estimator for everything that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _native, _plots
from ._base import Factorization, Iteration
from ._documentation import documented
from ._guidance import Compiled, EntryWeights, Guidance, KnownEntries, KnownFeatures, Labels, Memberships, Sets, Strength, Topic, compiled
from ._guidance.items import _Item
from ._input import lend, raise_about
from ._progress import Progress
from ._report import Finding, GuidanceReport
from ._steering import Steering
from ._targets import Targets
from ._warn import warn

__all__ = ["GuidedNMF"]


@documented
class GuidedNMF(Factorization):
    """NMF guided by everything that is known at once: labels, seed words, references, links, a graph,
    weights.

    Labels given as y are one more item. Without any guidance it is NMF.

    {own}guidance : Guidance, default=None
        What is known. Features are found by the columns of a DataFrame, or by
        ``Guidance(feature_names=...)``.
    strength : float, "auto" or None, default=None
        Of y and of all items that state none: 0 = ignored, 1 = held exactly, None = 0.9; "auto" searches the
        least strength that is followed (about ten fits).
    label_rule : {{"components", "same-codes", "view"}}, default="components"
        What y says, see ``Labels``.
    components_per_class : int, default=1
        Components of each class of y that ``guidance`` doesn't name. Each starts from a labelled sample of
        its own: 2 serves classes that look in several ways, where there are at least so many labels of each;
        with one or two labels 1 is safer.
    spread : {{"auto", "on", "off"}}, default="auto"
        Whether the labels also guide the samples without one: the few-label classifier draws each of them to
        its most likely class, no more strongly than needed. ``transform`` and ``predict`` then use what it
        learned. "auto" does so if two or more classes have labels, some samples have none, all entries are
        known, and held-out labels (from 30 on) are predicted better than by chance; "on" makes it an error
        where that is not possible.
    {common}
    topics_ : dict of str to list of int
        The components of each topic, in order; free components are in none.
    strength_search_ : dict or None
        With strength "auto": the "scale" that was chosen, and what was tried: "scales", "relative_error",
        "agreement".

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import Guidance, GuidedNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> guidance = Guidance({"birds": [2], "boats": [0]})
    >>> model = GuidedNMF(guidance=guidance, random_state=0, tol=1e-2).fit(X)
    >>> model.predict_names().tolist()
    ['boats', 'boats', 'birds', 'birds', 'boats']
    """

    _method: ClassVar[str] = "guided"
    _labels_are_optional: ClassVar[bool] = False
    _one_class_a_sample: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        guidance: Guidance | None = None,
        strength: Strength = None,
        label_rule: str = "components",
        components_per_class: int = 1,
        spread: str = "auto",
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            solver=solver,
            acceleration=acceleration,
            beta_loss=beta_loss,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            alpha_W=alpha_W,
            alpha_H=alpha_H,
            l1_ratio=l1_ratio,
            verbose=verbose,
            shuffle=shuffle,
            n_jobs=n_jobs,
            time_limit=time_limit,
            callback=callback,
            dtype=dtype,
            unlabelled=unlabelled,
            layer=layer,
        )
        self.guidance = guidance
        self.strength = strength
        self.label_rule = label_rule
        self.components_per_class = components_per_class
        self.spread = spread

    # ------------------------------------------------------------------ fitting

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        if self.guidance is not None and not isinstance(self.guidance, Guidance):
            raise TypeError(f"guidance is {self.guidance!r}, but must be a partwise.Guidance or None")
        items: list[_Item] = []
        classes: list[Topic] = []
        if targets is not None and targets.n_classes:
            classes = [Topic(name, components=self.components_per_class) for name in targets.names]
            items = [self._said_by(targets)]
        known = [] if self.guidance is None else self.guidance.items
        self._left_entries_out = any(isinstance(item, (KnownEntries, KnownFeatures, EntryWeights)) for item in known)
        return data, {"guidance": compiled(self.guidance, items, classes, data, self.strength, self._names_in_)}

    def _said_by(self, targets: Targets) -> _Item:
        """What y says, as an item."""
        if targets.codes is not None:
            return Labels(targets, rule=self.label_rule)
        values, known = targets.as_memberships()
        if np.isin(values, (0.0, 1.0)).all():
            rows = zip(values, known.any(axis=1) & values.any(axis=1), strict=True)
            return Sets([[targets.names[c] for c in np.flatnonzero(row)] if marked else None for row, marked in rows], targets.names)
        return Memberships(np.where(known > 0, values, np.nan), targets.names)

    def _owners(self, knowledge: dict[str, Any]) -> list[str]:
        given: Compiled = knowledge["guidance"]
        return given.components

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        given: Compiled = knowledge["guidance"]
        if self.n_components in ("auto", None) and given.n_components:
            return given.n_components
        rank = super()._rank(data, targets, W, H, knowledge)
        if targets is not None and targets.n_classes and rank < given.n_components:
            # As the other estimators whose classes own components; topics that were named themselves are
            # refused by the engine.
            warn(
                f"n_components={rank} is fewer than the {given.n_components} components of the topics and the classes of y: these are used",
            )
            return given.n_components
        return rank

    def _start(self, rank: int, shape: tuple[int, int], knowledge: dict[str, Any], W: Any, H: Any) -> dict[str, Any]:
        if self.init is None and W is None and H is None and knowledge["guidance"].n_components:
            return {"init": "auto"}
        return super()._start(rank, shape, {}, W, H)

    def _run(self, data: Any, loss: str, knowledge: dict[str, Any], settings: dict[str, Any], watch: Any) -> dict[str, Any]:
        given: Compiled = knowledge["guidance"]
        done = _native.fit_guided(lend(data), given.document, loss, settings, watch, str(self.spread))
        done["notices"] = [*done["notices"], *(("guidance", note) for note in given.notes)]
        return {**done, "fitted_guidance": done["fitted_guidance"] or given.document, "from_y": given.from_y}

    def _keep(self, done: dict[str, Any], targets: Targets | None, settings: dict[str, Any]) -> None:
        self._n_free = done["components"].shape[0] - sum(count for _, count in done["topics"])
        self.topics_: dict[str, list[int]] = {}
        first = 0
        for name, count in done["topics"]:
            self.topics_[name] = list(range(first, first + count))
            first += count
        self._guided_samples = np.asarray(done["labelled"], dtype=int)
        self._fitted_guidance = done["fitted_guidance"]
        self._from_y = done["from_y"]
        self.strength_search_ = None
        if done["searched"] is not None:
            scale, tried = done["searched"]
            table = _columns(tried)
            self.strength_search_ = {"scale": scale, "scales": table.pop("scale"), **table}
        super()._keep(done, targets, settings)

    def _class_names_of_components(self) -> list[str]:
        owners = [name for name, components in self.topics_.items() for _ in components]
        # No class has the name of a free component, whatever it is called.
        return owners + [""] * self._n_free

    def _clusters(self, codes: Any) -> Any:
        return self._clusters_of(self.topics_.values(), codes)

    def _report(self, done: dict[str, Any], targets: Targets | None) -> Any:
        findings = [Finding(**{**line, "samples": tuple(line["samples"])}) for line in done["findings"]]
        derived = [Finding(**{**line, "samples": tuple(line["samples"])}) for line in done.get("derived", [])]
        return GuidanceReport(findings, done["agreement"], dict(done["parts"]), [message for _, message in done["notices"]], derived)

    def _guidance_of_new_rows(self) -> dict[str, Any] | None:
        items = [item for item in self._fitted_guidance["items"] if item["kind"] == "scorer"]
        if not items:
            return None
        # Topics in the order of the components; what else was said is not about new rows.
        topics = [{"name": name, "components": len(components)} for name, components in self.topics_.items()]
        return {"topics": topics, "items": items, "feature_names": None}

    # ------------------------------------------------------------------ what next

    def steer(self, X: Any) -> Steering:
        """Begins to steer the fitted model by hand: rename, merge, split and delete topics, move samples,
        raise and forbid features.

        Parameters
        ----------
        X : as in ``fit``
            The data that it was fitted to.

        Returns
        -------
        steering : Steering
            What takes the actions, and undoes them.
        """
        return Steering(self, X)

    def _fit_document(self, data: Any, document: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
        """Fits by the document of a guidance."""
        with Progress(type(self).__name__, self.max_iter, self.verbose) as progress:
            done = _native.fit_guided(lend(data), document, self._loss(), settings, self._watch(progress))
        return {**done, "fitted_guidance": document, "from_y": {"items": [], "topics": []}}

    def _adopt(self, before: GuidedNMF, done: dict[str, Any], settings: dict[str, Any]) -> None:
        """Becomes the model of a fit to the data of another one."""
        for name in ("n_features_in_", "feature_names_in_", "_names_in_", "scaling_", "image_shape_", "_left_entries_out"):
            if hasattr(before, name):
                setattr(self, name, getattr(before, name))
        self._empty_rows = np.setdiff1d(before._empty_rows, done["labelled"])
        self._keep(done, None, settings)

    def sweep(self, X: Any, y: Any = None, *, scales: Sequence[float] = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)) -> dict[str, Any]:
        """Fit against agreement over strengths: one fit for each scale, from the same start; nothing is kept.

        Parameters
        ----------
        X, y : as in ``fit``
            The data.
        scales : sequence of float
            What each strength between 0 and 1 is multiplied by, as s / (1 - s).

        Returns
        -------
        points : dict of str to ndarray
            "scale", "relative_error", "agreement".
        """
        from sklearn.base import clone

        model = clone(self)
        data, targets, loss, knowledge, settings = model._prepared(X, y, None, None)
        data = self._scaled(data)
        try:
            points = _native.sweep(lend(data), knowledge["guidance"].document, loss, settings, [float(scale) for scale in scales])
        except ValueError as error:
            raise_about(error, model)
        return _columns(points)

    def plot_guidance(self, ax: Any = None) -> Any:
        """What became of the guidance: findings by kind and topic, a bar of the counts of the verdicts each.

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        return _plots.findings(self, ax)


def _columns(points: list[tuple[float, float, float]]) -> dict[str, Any]:
    table = np.array(points, dtype=np.float64).reshape(-1, 3)
    return {"scale": table[:, 0], "relative_error": table[:, 1], "agreement": table[:, 2]}
