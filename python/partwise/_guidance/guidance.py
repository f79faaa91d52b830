"""All guidance in one object, and its form for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sklearn.exceptions import NotFittedError

from .._names import DataNames, Names, nearest
from .._pipeline import makes_names, names_made_by
from .base import _Item, _Place
from .items import References, item_of_document
from .strength import Strength, stated
from .topics import Topic

__all__ = ["Compiled", "Guidance", "compiled", "guidance_of_document"]


class Guidance:
    """All guidance, in one object.

    Parameters
    ----------
    *known : Labels, Sets, Memberships, References, Links, Graph, weights, Topic, ...
        Items of guidance, or topics as below, in any order; the order has no effect. Weights and missing
        entries are SampleWeights, FeatureWeights, EntryWeights, KnownEntries and KnownFeatures.
    topics : dict of name to seeds, or sequence of Topic, of lists of seeds, or of seeds, default=None
        Named parts in order. A list of lists seeds one topic a list ("topic 1", ...), a flat list of words
        one topic a word.
    strength : float, "auto" or None, default=None
        For all items without a strength of their own.
    feature_names : sequence of str, or a transformer with ``get_feature_names_out``, default=None
        The names for seed words, or the vectorizer that makes X, which is asked for them when the fit begins.
        Not needed for a DataFrame or AnnData, nor in a Pipeline after a vectorizer: those have names, which
        are used.

    Examples
    --------
    >>> from partwise import Guidance, GuidedNMF, Labels
    >>> import numpy as np
    >>> X = np.array([[3, 1, 0], [6, 2, 0.1], [0, 1, 4], [0.1, 2, 8]])
    >>> words = ["boat", "wind", "bird"]
    >>> labels = Labels(["sea", None, None, None])
    >>> guidance = Guidance({"sky": ["bird"], "sea": []}, labels, feature_names=words)
    >>> model = GuidedNMF(guidance=guidance, random_state=0, tol=1e-2).fit(X)
    >>> model.predict_names().tolist()
    ['sea', 'sea', 'sky', 'sky']
    >>> model.guidance_report_.counts["followed"]
    2
    """

    def __init__(self, *known: Any, topics: Any = None, strength: Strength = None, feature_names: Any = None) -> None:
        self.items: list[_Item] = [item for item in known if isinstance(item, _Item)]
        self.notes: list[str] = []
        self.topics: list[Topic] = []
        for given in (*known, topics):
            if given is not None and not isinstance(given, _Item):
                self.topics.extend(self._topics(given))
        names = [topic.name for topic in self.topics]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise ValueError(f"two topics are named {twice!r}")
        stated(strength, "the strength of the guidance")
        self.strength = strength
        asked = feature_names is None or makes_names(feature_names)
        self.feature_names: Any = feature_names if asked else [str(name) for name in feature_names]

    def __sklearn_clone__(self) -> Guidance:
        """A copy of its own; a vectorizer stays the same object, since a copy would not be fitted with it."""
        return self._with_feature_names(self.feature_names)

    def _with_feature_names(self, feature_names: Any) -> Guidance:
        out = copy(self)
        out.items, out.topics, out.notes = deepcopy(self.items), deepcopy(self.topics), list(self.notes)
        out.feature_names = feature_names
        return out

    def _names_of_features(self) -> list[str] | None:
        """``feature_names`` as a list; a transformer is asked for it."""
        source = self.feature_names
        if not makes_names(source):
            return None if source is None else list(source)
        try:
            return names_made_by(source)
        except NotFittedError:
            raise ValueError(
                f"Guidance: feature_names is a {type(source).__name__} that is not fitted, so it has no names yet; fit it first, or "
                "put this same object before the estimator in a Pipeline without memory"
            ) from None

    def __repr__(self) -> str:
        known = [repr(topic.name) for topic in self.topics] + [type(item).__name__ for item in self.items]
        return f"Guidance({', '.join(known)})"

    def _topics(self, given: Any) -> list[Topic]:
        if isinstance(given, Topic):
            return [given]
        if isinstance(given, Mapping):
            return [seeds if isinstance(seeds, Topic) else Topic(str(name), seeds) for name, seeds in given.items()]
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise TypeError(
                f"{given!r} is no guidance; give topics (a dict of seeds by name, a list of lists of seeds, Topic) and "
                f"{', '.join(cls.__name__ for cls in _Item.kinds.values())}"
            )
        listed = list(given)
        single = [isinstance(entry, (str, Integral)) for entry in listed]
        if any(single) and not all(single):
            odd = listed[single.index(False)]
            raise ValueError(f"topics mixes seeds with other entries, the first of these {odd!r}; use one kind: Topic, lists of seeds, or seeds")
        if any(single):
            self.notes.append(f"topics is a flat list: each of its {len(listed)} seeds is a topic of its own, named by it")
            return [Topic(str(entry) if isinstance(entry, str) else f"feature {entry}", [entry]) for entry in listed]
        return [entry if isinstance(entry, Topic) else Topic(f"topic {at + 1}", entry) for at, entry in enumerate(listed)]


@dataclass
class Compiled:
    """A guidance as the engine takes it."""

    document: dict[str, Any]
    components: list[str]
    """The topic of each component that a topic has."""
    features: Names
    """The names of the features: those of the data, else those of the guidance."""
    notes: list[str]
    from_y: dict[str, list[Any]]
    """What y said: the places of its "items", the names of its "topics"."""

    @property
    def n_components(self) -> int:
        """The least rank."""
        return len(self.components)


def compiled(guidance: Guidance | None, further: list[_Item], classes: list[Topic], data: Any, strength: Strength, data_names: DataNames) -> Compiled:
    """Guidance and further items (those of y, whose ``classes`` become topics after the named ones) for data
    (n, d) with names."""
    given = guidance if guidance is not None else Guidance()
    strength = given.strength if given.strength is not None else strength
    known = {topic.name for topic in given.topics}
    added = [topic for topic in classes if topic.name not in known]
    notes = list(given.notes)
    features = _features(given, data_names.features, notes)
    topics = [_placed(topic.to_document(strength), features, notes) for topic in (*given.topics, *added)]
    components = [topic["name"] for topic in topics for _ in range(topic["components"])]
    place = _Place(data, strength, components, data_names.samples, features)
    items = []
    # References without names go to the topics that the rest has named: they come last.
    ordered = sorted([*given.items, *further], key=lambda item: isinstance(item, References))
    for item in ordered:
        fields = item._document(place)
        place.components.extend(name for name in dict.fromkeys(fields.get("names", [])) if name not in place.components)
        items.append(fields)
    # Names of another number of features are refused where a seed needs them.
    names = given._names_of_features() if features.labels is None else features.keys
    if names is None:
        _check_seeds(given.topics)
    return Compiled(
        {"topics": topics, "items": items, "feature_names": names},
        place.components,
        features,
        notes,
        {"items": [at for at, item in enumerate(ordered) if any(item is one for one in further)], "topics": [topic.name for topic in added]},
    )


def _features(given: Guidance, of_data: Names, notes: list[str]) -> Names:
    """The names of the features: those of the data come before those that were given or stored with the
    guidance."""
    if of_data.labels is None:
        return Names(given._names_of_features(), of_data.size, of_data.one)
    if isinstance(given.feature_names, list) and given.feature_names != of_data.keys:
        same = sorted(given.feature_names) == sorted(of_data.keys)
        how = "in another order" if same else "others than the columns of X"
        notes.append(f"the feature names of the guidance are {how}; the columns of X are used")
    return of_data


def _check_seeds(topics: list[Topic]) -> None:
    """Refuses features by name where nothing has names, with the line to write."""
    for topic in topics:
        listed = [(feature, "seed") for feature, _ in topic.to_document(None)["seeds"]]
        listed += [(feature, "forbidden feature") for feature in topic.to_document(None)["forbidden"]]
        named = next(((feature, what) for feature, what in listed if isinstance(feature, str)), None)
        if named is not None:
            feature, what = named
            raise ValueError(
                f"the {what} {feature!r} of topic {topic.name!r} needs the names of the features, and X has none. Give them with the guidance: "
                f"Guidance(..., feature_names=vectorizer), where vectorizer is the fitted TfidfVectorizer (or other transformer) that made X, or "
                f"a list of names; or give X as a DataFrame, or the number of the column (from 0) in place of {feature!r}"
            )


def _placed(topic: dict[str, Any], features: Names, notes: list[str]) -> dict[str, Any]:
    """A topic as the engine takes it, with numbers that are names of features, and no places, as such."""
    what = f"topic {topic['name']!r}"

    def at(feature: int | str) -> int | str:
        # Names as text are found by the engine, which reports those that the data don't have; only what is
        # near is said here.
        if isinstance(feature, str) and features.labels is not None and not features.has(feature) and nearest(feature, features.keys):
            notes.append(f"{what}: no feature is named {feature!r}{nearest(feature, features.keys)}")
        return feature if isinstance(feature, str) or features.labels is None else features.place(feature, what)

    seeds = [(at(feature), weight) for feature, weight in topic["seeds"]]
    return {**topic, "seeds": seeds, "forbidden": [at(feature) for feature in topic["forbidden"]]}


def guidance_of_document(document: dict[str, Any], without: dict[str, list[Any]] | None = None, samples: Any = None) -> Guidance | None:
    """The guidance of a document, without what y said; None when nothing is left.

    Its items go by the names that were stored: ``samples``, and the features of the guidance.
    """
    left_out = without or {"items": [], "topics": []}
    topics = [Topic.of_document(topic) for topic in document["topics"] if topic["name"] not in left_out["topics"]]
    features = document["feature_names"]
    # What was derived is derived again by the next fit.
    said = [given for at, given in enumerate(document["items"]) if at not in left_out["items"] and given["kind"] not in ("spread", "scorer")]
    items = [item_of_document(given, samples, features) for given in said]
    if not topics and not items:
        return None
    return Guidance(*items, topics=topics, feature_names=features)
