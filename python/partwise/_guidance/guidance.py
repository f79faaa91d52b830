"""Everything that is known, in one value, and as the engine takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from .items import References, _Item, _Place, item_of_native, labelled_samples
from .strength import FIRM, Strength, stated
from .topics import Topic

__all__ = ["Compiled", "Guidance", "compiled", "guidance_of_native"]


class Guidance:
    """Everything that is known about the parts, in one value.

    Parameters
    ----------
    *known : Labels, Sets, Memberships, References, Links, Graph, SampleWeights, FeatureWeights, KnownEntries, KnownFeatures, EntryWeights, Topic, or topics as below
        In any order: it changes no bit.
    topics : dict of name to seeds, or sequence of Topic, of lists of seeds, or of seeds, default=None
        Named parts in order. A list of lists seeds one topic a list ("topic 1", ...), a flat list of words one topic a word.
    strength : float, "auto" or None, default=None
        Of everything that states none.
    feature_names : sequence of str, default=None
        By which seeds are found; by default the columns of a DataFrame.

    Examples
    --------
    >>> from partwise import Guidance, GuidedNMF, Labels
    >>> import numpy as np
    >>> X = np.array([[3, 1, 0], [6, 2, 0.1], [0, 1, 4], [0.1, 2, 8]])
    >>> words = ["boat", "wind", "bird"]
    >>> guidance = Guidance({"sky": ["bird"], "sea": []}, Labels(["sea", None, None, None]), feature_names=words)
    >>> model = GuidedNMF(guidance=guidance, random_state=0, tol=1e-2).fit(X)
    >>> model.predict_names().tolist()
    ['sea', 'sea', 'sky', 'sky']
    >>> model.guidance_report_.counts["honoured"]
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
        stated(strength, FIRM, "the strength of the guidance")
        self.strength = strength
        self.feature_names = None if feature_names is None else [str(name) for name in feature_names]

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
                f"{given!r} is no guidance; give topics (a dict of seeds by name, a list of lists of seeds, Topic) and Labels, Sets, "
                "Memberships, References, Links, Graph, SampleWeights, FeatureWeights, KnownEntries, KnownFeatures, EntryWeights"
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

    native: dict[str, Any]
    n_components: int
    labelled: Any
    """The samples of which it says the topic."""
    notes: list[str]
    from_y: dict[str, list[Any]]
    """What y said: the places of its "items", the names of its "topics"."""


def compiled(guidance: Guidance | None, further: list[_Item], classes: list[Topic], data: Any, strength: Strength, feature_names: Any) -> Compiled:
    """Guidance and further items (those of y, whose ``classes`` become topics after the named ones) for data (n, d)."""
    given = guidance if guidance is not None else Guidance()
    strength = given.strength if given.strength is not None else strength
    known = {topic.name for topic in given.topics}
    added = [topic for topic in classes if topic.name not in known]
    native = [topic.to_native(strength) for topic in (*given.topics, *added)]
    components = [topic["name"] for topic in native for _ in range(topic["components"])]
    place = _Place(data, strength, components)
    items = []
    # References without names go to the topics that the rest has named: they come last.
    ordered = sorted([*given.items, *further], key=lambda item: isinstance(item, References))
    for item in ordered:
        fields = item._fields(place)
        names = fields["labels"][1] if "labels" in fields else fields.get("names", [])
        place.components.extend(name for name in dict.fromkeys(names) if name not in place.components)
        items.append((item._kind, fields))
    names = given.feature_names if given.feature_names is not None else feature_names
    return Compiled(
        {"topics": native, "items": items, "feature_names": None if names is None else [str(name) for name in names]},
        len(place.components),
        labelled_samples(items),
        list(given.notes),
        {"items": [at for at, item in enumerate(ordered) if any(item is one for one in further)], "topics": [topic.name for topic in added]},
    )


def guidance_of_native(native: dict[str, Any], without: dict[str, list[Any]] | None = None) -> Guidance | None:
    """A guidance from the form that the engine takes, without what y said; None when nothing is left."""
    left_out = without or {"items": [], "topics": []}
    topics = [Topic.of_native(topic) for topic in native["topics"] if topic["name"] not in left_out["topics"]]
    items = [item_of_native(kind, given) for at, (kind, given) in enumerate(native["items"]) if at not in left_out["items"]]
    if not topics and not items:
        return None
    return Guidance(*items, topics=topics, feature_names=native["feature_names"])
