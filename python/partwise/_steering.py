"""Steering a fitted model by hand: rename, merge, split, delete, move a sample, raise or forbid a feature,
pin, undo."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._changes import Changes, TopicChange
from ._guidance.guidance import guidance_of_document
from ._guidance.topics import feature_of
from ._input import numeric, raise_about
from ._names import names_of, names_of_model
from ._registry import REGISTRIES, quoted
from ._steered_targets import steered_targets

if TYPE_CHECKING:
    from ._estimators import GuidedNMF

__all__ = ["Steering"]

# The arguments of actions that are one name, by their names in the engine.
_ONE_NAME = {"topic": "topic", "to": "to", "keep": "keep", "with": "gone", "new": "new"}


class Steering:
    """Actions on a fitted model: each changes the guidance, and refits from the current factors.

    All guidance stays in force, and the topics that an action does not name stay what they are (see
    ``others``); ``changes`` says what moved all the same. Free components count as topics here, with the
    names that the fit gave them ("part 3"), so that actions can name them. If an action fails, the model does
    not change.

    Parameters
    ----------
    model : GuidedNMF
        Fitted; it is not changed.
    X : as in ``fit``
        The data that it was fitted to.
    others : {"tied", "fixed", "free"}, default="tied"
        The topics that an action does not name: their components are pulled to what they were, do not
        change, or are fitted again and may become something else.

    References
    ----------
    J. Choo, C. Lee, C. K. Reddy, H. Park, "Weakly supervised nonnegative matrix factorization for user-driven
    clustering", Data Mining and Knowledge Discovery 29, 2015, doi:10.1007/s10618-014-0384-8, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import GuidedNMF, Guidance
    >>> topic = np.arange(60) % 3
    >>> X = np.kron(np.eye(3), np.ones((1, 4)))[topic] + 0.1 * np.random.default_rng(0).random((60, 12))
    >>> model = GuidedNMF(3, guidance=Guidance({"sea": [0]}), random_state=0, tol=1e-3).fit(X)
    >>> steering = model.steer(X)
    >>> steering.topics
    ['sea', 'part 2', 'part 3']
    >>> _ = steering.rename("part 2", "sky")
    >>> steering.merge("sea", "sky").n_components_
    2
    >>> [(change.topic, round(change.cosine, 2)) for change in steering.changes.topics]
    [('sea', 1.0), ('part 3', 1.0)]
    >>> steering.undo()
    True
    >>> list(steering.model.component_names_)
    ['sea', 'sky', 'part 3']
    """

    def __init__(self, model: GuidedNMF, X: Any, others: str = "tied") -> None:
        check_is_fitted(model)
        if others not in REGISTRIES["other_topics"]:
            raise ValueError(f"others is {others!r}, but must be {quoted(REGISTRIES['other_topics'])}")
        self._others = others
        self._data = model._scaled(model._filled(numeric(model, X, reset=False, dtype=model.dtype, needed_by="steer")))
        if self._data.shape[0] != model.codes_.shape[0]:
            raise ValueError(f"X has {self._data.shape[0]} samples, but the model was fitted to {model.codes_.shape[0]}")
        self._names = names_of_model(model)
        given, kept = names_of(X, self._data.shape).samples, self._names.samples
        if given.labels is not None and kept.labels is not None and given.keys != kept.keys:
            at = next(i for i in range(kept.size) if given.keys[i] != kept.keys[i])
            raise ValueError(f"X must be the data that the model was fitted to, but row {at} (counted from 0) is {given.keys[at]!r} and was {kept.keys[at]!r}")
        named = _native.with_all_topics(model._fitted_guidance, model.n_components_)
        self._states: list[tuple[GuidedNMF, dict[str, Any], Changes | None]] = [(model, named, None)]

    @property
    def model(self) -> GuidedNMF:
        """The current model: the first one, or a new one after each action. Its ``guidance`` contains all
        guidance."""
        return self._states[-1][0]

    @property
    def topics(self) -> list[str]:
        """The topics in the order of their components."""
        return [topic["name"] for topic in self._states[-1][1]["topics"]]

    @property
    def changes(self) -> Changes | None:
        """What the last action changed: for each topic the cosine to what it was, and the fraction of its
        samples that left. None before the first action."""
        return self._states[-1][2]

    @property
    def depth(self) -> int:
        """The number of actions that can be undone."""
        return len(self._states) - 1

    # ------------------------------------------------------------------ actions

    def rename(self, topic: str, to: str) -> GuidedNMF:
        """Renames a topic.

        Returns
        -------
        model : GuidedNMF
            The new model; every action returns it.
        """
        return self._apply("rename", topic=topic, to=to)

    def merge(self, keep: str, gone: str) -> GuidedNMF:
        """Merges two topics, under the name of the first, with the guidance of both."""
        return self._apply("merge", keep=keep, **{"with": gone})

    def split(self, topic: str, new: str, seeds: Any = ()) -> GuidedNMF:
        """Splits a topic: the second one, ``new``, starts from features (names or columns), or from the
        samples with the largest error."""
        given: Any = [seeds] if isinstance(seeds, (str, Integral)) else seeds
        self._check_names("split", {"topic": topic, "new": new})
        if not isinstance(given, Iterable):
            raise TypeError(f"split: seeds is {seeds!r}, but must be a list of features: names (text) or columns (whole numbers)")
        return self._apply("split", topic=topic, new=new, seeds=[self._feature(seed, new) for seed in given])

    def delete(self, topic: str) -> GuidedNMF:
        """Deletes a topic and its guidance; its samples move to other topics."""
        return self._apply("delete", topic=topic)

    def move(self, sample: int | str, to: str) -> GuidedNMF:
        """Puts a sample (its name, or its position) into a topic, exactly, and drops earlier guidance on
        it."""
        return self._apply("move", sample=self._names.samples.place(sample, f"sample {sample!r}"), to=to)

    def raise_feature(self, topic: str, feature: int | str, by: float = 2.0) -> GuidedNMF:
        """Gives a feature (a name or a column) more weight in a topic: a seed of weight ``by``, or ``by``
        times its weight as a seed."""
        if isinstance(by, bool) or not isinstance(by, Real):
            raise TypeError(f"raise_feature: by is {by!r}, but must be a number above 0")
        return self._apply("raise", topic=topic, feature=self._feature(feature, topic), by=float(by))

    def forbid(self, topic: str, feature: int | str) -> GuidedNMF:
        """Keeps a feature (a name or a column) out of a topic, exactly."""
        return self._apply("forbid", topic=topic, feature=self._feature(feature, topic))

    def pin(self, topic: str) -> GuidedNMF:
        """Fixes the components of a topic, exactly."""
        return self._apply("pin", topic=topic)

    def undo(self) -> bool:
        """Undoes the last action: everything is exactly as before. False if there is none."""
        if len(self._states) < 2:
            return False
        self._states.pop()
        return True

    def _check_names(self, action: str, fields: dict[str, Any]) -> None:
        """Refuses names that are no text."""
        for field, argument in _ONE_NAME.items():
            given = fields.get(field, "")
            if not isinstance(given, str):
                own = ", ".join(map(repr, self.topics))
                further = "; several features of the new topic are its seeds=" if argument == "new" else f"; topics: {own}"
                raise TypeError(f"{action}: {argument} is {given!r}, but must be one name (text){further}")

    def _feature(self, given: int | str, topic: str) -> int | str:
        """A feature of the data, in the form for the engine."""
        feature = feature_of(given, f"topic {topic!r}")
        at = self._names.features.place(feature, f"topic {topic!r}")
        return feature if isinstance(feature, str) else at

    def __repr__(self) -> str:
        actions = "1 action" if self.depth == 1 else f"{self.depth} actions"
        line = f"<Steering: {', '.join(self.topics)}; {actions}>"
        return line if self.changes is None else f"{line}\n{self.changes!r}"

    def _apply(self, action: str, **fields: Any) -> GuidedNMF:
        self._check_names(action, fields)
        model, known, _ = self._states[-1]
        factors = tuple(np.ascontiguousarray(factor, dtype=np.float64) for factor in (model.codes_, model.components_))
        settings = model._shared_settings(model.n_components_, self._data.shape)
        try:
            done = model._steered(self._data, known, factors, (action, fields), self._others, settings)
        except ValueError as error:
            raise_about(error, model)
        guidance = guidance_of_document(done["guidance"], samples=self._names.samples.labels)
        rank = len(done["components"])
        after: GuidedNMF = clone(model).set_params(guidance=guidance, n_components=rank, init=None)
        targets = steered_targets(model._targets_, action, fields)
        after._adopt(model, done, {**settings, "rank": rank}, targets)
        topics, moved = done["changes"]
        changes = Changes(action, [TopicChange(**line) for line in topics], moved)
        self._states.append((after, done["guidance"], changes))
        return after
