"""Guided NMF: one estimator for all guidance."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _native, _plots
from ._base import Factorization
from ._blocks import in_memory
from ._factory import estimator
from ._guidance import Guidance, KnownEntries, Labels, Memberships, SampleWeights, Sets, Topic
from ._guidance.base import _Item, _Place
from ._guidance.guidance import Compiled, compiled
from ._guidance.items import LABEL_RULES
from ._guidance.strength import Strength
from ._input import raise_about, run_engine, to_native
from ._missing_entries import takes_missing, unknown_entries
from ._names import Names
from ._parameters import parameter
from ._progress import Progress
from ._registry import method_of, quoted
from ._report import ComponentLikeness, Finding, GuidanceCost, GuidanceReport, TopicVerdict
from ._steering import Steering
from ._targets import Targets
from ._warn import warn

__all__ = ["GuidedNMF"]


@estimator
class GuidedNMF(Factorization):
    """NMF with all guidance at once: labels, seed words, references, links, a graph, weights.

    Labels given as y are one more item. Without any guidance it is NMF.

    Attributes
    ----------
    topics_ : dict of str to list of int
        The components of each topic, in order; free components are in none.
    strength_search_ : dict or None
        With strength "auto": the selected "scale", and the values for all tried scales: "scales",
        "relative_error", "agreement".

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

    guidance: Guidance | None = parameter(
        None,
        "Guidance",
        """What you know. Features are found by the columns of a DataFrame, by the step before in a Pipeline,
        or by ``Guidance(feature_names=...)``.""",
    )
    strength: Strength = parameter(
        None,
        'float, "auto" or None',
        f"""The strength of y, and of all items without a strength of their own: 0 = ignored, 1 = exact, None =
        {method_of("GuidedNMF")["strength"][0]}; "auto" searches for the smallest strength at which they are
        followed (about ten fits).""",
    )
    label_rule: str = parameter(LABEL_RULES[0], f"{{{quoted(LABEL_RULES)}}}", "What y says, see ``Labels``.")
    components_per_class: int | str = parameter(
        1,
        'int or "auto"',
        """Components of each class of y that ``guidance`` does not name, for classes with several distinct
        appearances; the memberships of a class are the sum of those of its components. They start from groups
        of its samples that look alike. "auto" gives each class 1 to 4: as many as predict held-out samples of
        the class clearly better than fewer do. It chooses the number of components, so ``n_components`` must
        be None.""",
    )
    spread: str = parameter(
        "auto",
        '{"auto", "on", "off"}',
        """Whether the labels also guide the samples without one: the few-label classifier draws each of them
        to its most likely class, no more strongly than needed. ``transform`` and ``predict`` then use what it
        learned. "auto" does so if two or more classes have labels, some samples have none, all entries are
        known, and held-out labels (from 30 on) are predicted better than by chance; if no class has two labels,
        there must be 50 samples or more. "on" makes it an error where that is not possible.""",
    )

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None, sample_weight: Any = None) -> Any:
        """Factors X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.
        y : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Labels: -1 (or ``unlabelled``) for unlabelled samples; in text also None, NaN or blank. Or
            memberships, one column per class. For AnnData, also the name of a column of obs.
        W : array-like of shape (n_samples, n_components), default=None
            The starting codes, with ``init="custom"``.
        H : array-like of shape (n_components, n_features), default=None
            The starting components, with ``init="custom"``.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts, 0 or more; the same as ``SampleWeights`` in the guidance.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, W, H, sample_weight=sample_weight)

    def _knowledge(self, data: Any, targets: Targets | None, sample_weight: Any = None) -> tuple[Any, dict[str, Any]]:
        if self.guidance is not None and not isinstance(self.guidance, Guidance):
            raise TypeError(f"guidance is {self.guidance!r}, but must be a partwise.Guidance or None")
        items: list[_Item] = []
        classes: list[Topic] = []
        if targets is not None and targets.n_classes:
            count = 1 if self._are_components_chosen() else self.components_per_class
            classes = [Topic(name, components=count) for name in targets.names]
            items = [self._item_of_labels(targets)]
        if sample_weight is not None:
            items.append(_weights(sample_weight))
        data, known = self._without_unknown_entries(data)
        self._left_entries_out = known is not None and any(item._is_about_entries for item in known.items)
        guidance = compiled(known, items, classes, data, self.strength, self._names_in_)
        if self._names_in_.features.labels is None and guidance.features.labels is not None:
            self._names_in_.features = Names(guidance.features.labels, data.shape[1], "feature")
        return data, {"guidance": guidance}

    def _without_unknown_entries(self, data: Any) -> tuple[Any, Guidance | None]:
        """The data with 0 for NaN, and the guidance with KnownEntries that says so. Without
        ``missing="unknown"`` only where KnownEntries of the guidance lists every NaN as unknown."""
        unknown, holes = takes_missing(self), unknown_entries(data)
        items = [] if self.guidance is None else list(self.guidance.items)
        at = next((at for at, item in enumerate(items) if isinstance(item, KnownEntries)), None)
        if holes is None or (at is None and not unknown):
            return data, self.guidance
        known = ~holes
        if at is not None:
            place = _Place(data, None, [], self._names_in_.samples, self._names_in_.features)
            listed = items.pop(at)._fields(place)["matrix"]
            if listed.shape != data.shape or (not unknown and (listed[holes] != 0).any()):
                return data, self.guidance
            known = known & (listed != 0)
        guidance = Guidance() if self.guidance is None else copy(self.guidance)
        guidance.items = [*items, KnownEntries(known)]
        return np.where(holes, data.dtype.type(0), data), guidance

    def _item_of_labels(self, targets: Targets) -> _Item:
        """What y says, as an item."""
        if targets.codes is not None:
            return Labels(targets, rule=self.label_rule)
        values, known = targets.as_memberships()
        if np.isin(values, (0.0, 1.0)).all():
            rows = zip(values, known.any(axis=1) & values.any(axis=1), strict=True)
            return Sets([[targets.names[c] for c in np.flatnonzero(row)] if marked else None for row, marked in rows], targets.names)
        return Memberships(np.where(known > 0, values, np.nan), targets.names)

    def _are_components_chosen(self) -> bool:
        """Whether the data decide how many components each class has.

        Raises
        ------
        ValueError
            If something else decides how many components there are.
        """
        if not isinstance(self.components_per_class, str):
            return False
        if self.components_per_class != "auto":
            raise ValueError(f'components_per_class is {self.components_per_class!r}, but must be a whole number of 1 or more, or "auto"')
        if self.n_components is not None or self.init == "custom":
            given = f"n_components={self.n_components!r}" if self.n_components is not None else 'init="custom"'
            raise ValueError(f'components_per_class="auto" chooses the number of components; leave {given} out, or give a number of components per class')
        return True

    def _owners(self, knowledge: dict[str, Any]) -> list[str]:
        given: Compiled = knowledge["guidance"]
        return given.components

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        given: Compiled = knowledge["guidance"]
        if self.n_components is None and given.n_components:
            return given.n_components
        if isinstance(self.n_components, str) and self.n_components == "auto" and self.init != "custom":
            # The named ones, and as many free ones as the data support.
            return self._selected_rank(data, given.document if given.n_components else None, max(30, given.n_components + 10))
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
        done = run_engine("fit_guided", data, given.document, loss, settings, watch, str(self.spread), str(self.components_per_class))
        done["notices"] = [*done["notices"], *(("guidance", note) for note in given.notes)]
        return {**done, "fitted_guidance": done["fitted_guidance"] or given.document, "from_y": given.from_y}

    def _warn(self, done: dict[str, Any]) -> None:
        super()._warn(done)
        weak = [topic["topic"] for topic in done["topic_verdicts"] if topic["level"] == "weak"]
        if weak:
            listed = ", ".join(map(repr, weak[:5])) + (f" and {len(weak) - 5} more" if len(weak) > 5 else "")
            warn(f"{type(self).__name__}: {'a topic is' if len(weak) == 1 else 'topics are'} weak: {listed}; print(model.guidance_report_) says why")

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
        # Components of classes may have been added.
        super()._keep(done, targets, {**settings, "rank": done["components"].shape[0]})

    def _class_names_of_components(self) -> list[str]:
        owners = [name for name, components in self.topics_.items() for _ in components]
        # No class has the name of a free component, whatever it is called.
        return owners + [""] * self._n_free

    def _clusters(self, codes: Any) -> Any:
        return self._clusters_of(self.topics_.values(), codes)

    def _report(self, done: dict[str, Any], targets: Targets | None) -> Any:
        findings, derived = (
            [Finding(**{**line, "samples": tuple(line["samples"])}) for line in done.get(name, [])] for name in ("findings", "derived")
        )
        topics = [TopicVerdict(**line) for line in done.get("topic_verdicts", [])]
        notices = [message for _, message in done["notices"]]
        components = [ComponentLikeness(**line) for line in done.get("likeness", [])]
        cost = GuidanceCost(*done["cost"]) if done.get("cost") else None
        likeness_of = done.get("likeness_of", "")
        return GuidanceReport(findings, done["agreement"], dict(done["parts"]), notices, derived, topics, components, likeness_of, cost)

    def _guidance_of_new_rows(self) -> dict[str, Any] | None:
        items = [item for item in self._fitted_guidance["items"] if item["kind"] == "scorer"]
        if not items:
            return None
        # Topics in the order of the components; what else was said is not about new rows.
        topics = [{"name": name, "components": len(components)} for name, components in self.topics_.items()]
        return {"topics": topics, "items": items, "feature_names": None}

    # ------------------------------------------------------------------ what next

    def steer(self, X: Any, others: str = "tied") -> Steering:
        """Begins to steer the fitted model by hand: rename, merge, split and delete topics, move samples,
        raise and forbid features.

        Parameters
        ----------
        X : as in ``fit``
            The data that it was fitted to.
        others : {"tied", "fixed", "free"}, default="tied"
            The topics that an action does not name: their components are pulled to what they were, do not
            change, or are fitted again and may become something else.

        Returns
        -------
        steering : Steering
            An object with the actions and ``undo``; ``steering.changes`` says what the last action changed.
        """
        return Steering(self, X, others)

    def _steered(self, data: Any, known: dict[str, Any], factors: Any, action: Any, others: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The fit after an action of steering."""
        with Progress(type(self).__name__, self.max_iter, self.verbose) as progress:
            done = _native.steer(to_native(data), known, factors, action, others, self._loss(), settings, self._watch(progress))
        return {**done, "fitted_guidance": done["guidance"], "from_y": {"items": [], "topics": []}}

    def _adopt(self, before: GuidedNMF, done: dict[str, Any], settings: dict[str, Any], targets: Targets | None) -> None:
        """Becomes the model of a fit to the data of another one."""
        kept = ("n_features_in_", "feature_names_in_", "_names_in_", "scaling_", "image_shape_", "_left_entries_out")
        for name in (*kept, "_names_are_of_a_file", "_text_ngrams"):
            if hasattr(before, name):
                setattr(self, name, getattr(before, name))
        self._empty_rows = np.setdiff1d(before._empty_rows, done["labelled"])
        self._keep(done, targets, settings)

    def sweep(self, X: Any, y: Any = None, *, scales: Sequence[float] = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)) -> dict[str, Any]:
        """Fit once for each scale of the strengths, from the same start, and return the error and the
        agreement. The model does not change.

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
        if model._are_components_chosen():
            raise ValueError('sweep does not support components_per_class="auto"; give a number')
        data, targets, loss, knowledge, settings = model._prepared(X, y, None, None)
        data = self._scaled(data)
        for notice in _native.unknown_features(knowledge["guidance"].document):
            warn(f"{type(model).__name__}.sweep: {notice}")
        try:
            points = _native.sweep(to_native(in_memory(data, "sweep")), knowledge["guidance"].document, loss, settings, [float(scale) for scale in scales])
        except ValueError as error:
            raise_about(error, model)
        return _columns(points)

    def plot_guidance(self, ax: Any = None) -> Any:
        """What became of the guidance: findings by kind and topic, a bar each of how many were followed
        and fit the data, were followed but are surprising, were not followed, or have no support.

        Returns
        -------
        ax : matplotlib.axes.Axes
        """
        check_is_fitted(self)
        return _plots.findings(self, ax)


def _weights(sample_weight: Any) -> SampleWeights:
    values = np.asarray(sample_weight)
    if values.ndim == 1 and values.dtype.kind in "biuf" and values.size and not values.any():
        raise ValueError("sample_weight is zero for every sample; at least one weight must be above 0")
    return SampleWeights(sample_weight)


def _columns(points: list[tuple[float, float, float]]) -> dict[str, Any]:
    table = np.array(points, dtype=np.float64).reshape(-1, 3)
    return {"scale": table[:, 0], "relative_error": table[:, 1], "agreement": table[:, 2]}
