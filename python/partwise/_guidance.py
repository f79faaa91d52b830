"""What you know, as values: ``Guidance`` of any kind, compiled to what the engine takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import as_factor, lend
from ._targets import Targets, targets_of

__all__ = [
    "Graph",
    "Guidance",
    "KnownEntries",
    "Labels",
    "Links",
    "Memberships",
    "References",
    "SampleWeights",
    "Sets",
    "Strength",
    "Topic",
    "raw",
]

# The engine's defaults (Strength::FIRM and Strength::LIGHT).
_FIRM, _LIGHT, _HELD = 0.9, 0.25, 1.0
_RULES = ("components", "same-codes", "view")


@dataclass(frozen=True)
class raw:
    """A paper's own weight instead of a strength from 0 to 1: m of WS-NMF (enters squared), lambda of GNMF and SSNMF."""

    weight: float


Strength: TypeAlias = float | str | raw | None
"""0 = ignored, 1 = held exactly, between: scale-free; "auto" = the least that is followed; ``raw(m)``; None = the default."""


def stated(strength: Strength, default: float, what: str) -> tuple[str, float]:
    """A strength as the engine takes it."""
    if strength is None:
        return "relative", default
    if isinstance(strength, raw):
        if not isinstance(strength.weight, Real) or not 0 <= float(strength.weight) < np.inf:
            raise ValueError(f"{what}: raw({strength.weight!r}) must be a finite number of 0 or more")
        return "raw", float(strength.weight)
    if isinstance(strength, str):
        if strength != "auto":
            raise ValueError(f"{what} is {strength!r}, but must be a number from 0 to 1, 'auto', raw(m) or None")
        return "auto", default
    if isinstance(strength, (bool, np.bool_)) or not isinstance(strength, Real):
        raise TypeError(f"{what} is {strength!r}, but must be a number from 0 to 1, 'auto', raw(m) or None")
    if not 0 <= strength <= 1:
        raise ValueError(f"{what} is {strength!r}, but must be from 0 (ignored) to 1 (held exactly); give a paper's own weight as raw({strength!r})")
    return "relative", float(strength)


def _feature(given: Any, what: str) -> int | str:
    if isinstance(given, str):
        return str(given)
    if isinstance(given, Integral) and not isinstance(given, (bool, np.bool_)):
        if given < 0:
            raise ValueError(f"{what}: feature {given} must be 0 or more")
        return int(given)
    raise TypeError(f"{what}: {given!r} is no feature; give a name (text) or a column (a whole number)")


def _seeds(given: Any, what: str) -> list[tuple[int | str, float]]:
    if given is None:
        return []
    if isinstance(given, (str, Integral)):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else [seed if isinstance(seed, tuple) else (seed, 1.0) for seed in given]
    out = []
    for pair in pairs:
        if len(pair) != 2 or not isinstance(pair[1], Real):
            raise ValueError(f"{what}: {pair!r} is no seed; give a feature, or a pair (feature, weight)")
        weight = float(pair[1])
        if not 0 < weight < np.inf:
            raise ValueError(f"{what}: the weight of {pair[0]!r} is {pair[1]!r}, but must be a finite number above 0")
        out.append((_feature(pair[0], what), weight))
    return out


@dataclass(eq=False)
class Topic:
    """A named part. Component j is the topic j that was named; free components come after.

    Parameters
    ----------
    name : str
        Its name.
    seeds : sequence of features, or dict of feature to weight, default=()
        Features that belong to it, by name or column; a pair (feature, weight) gives one a weight.
    components : int, default=1
        How many components it has: several where it looks in several ways.
    forbidden : sequence of features, default=()
        Features that must stay out of it; held exactly.
    strength : float, "auto" or None, default=None
        How strongly seeds are kept out of what they don't seed; 0.9 by default.
    """

    name: str
    seeds: Any = ()
    components: int = 1
    forbidden: Any = ()
    strength: Strength = None

    def to_native(self, strength: Strength) -> dict[str, Any]:
        """The topic as the engine takes it."""
        what = f"topic {self.name!r}"
        if not isinstance(self.components, Integral) or self.components < 1:
            raise ValueError(f"{what}: components is {self.components!r}, but must be a whole number of 1 or more")
        forbidden = [self.forbidden] if isinstance(self.forbidden, (str, Integral)) else self.forbidden
        return {
            "name": str(self.name),
            "components": int(self.components),
            "seeds": _seeds(self.seeds, what),
            "forbidden": [_feature(feature, what) for feature in (() if forbidden is None else forbidden)],
            "strength": stated(self.strength if self.strength is not None else strength, _FIRM, f"the strength of {what}"),
        }


@dataclass
class _Place:
    """What items are compiled for."""

    data: Any
    strength: Strength
    # Topics so far, one entry a component.
    components: list[str]

    @property
    def n_samples(self) -> int:
        return int(self.data.shape[0])


class _Item:
    """One thing that is known."""

    _kind: ClassVar[str]
    strength: Strength = None

    def _strength(self, place: _Place, default: float = _FIRM) -> tuple[str, float]:
        return stated(self.strength if self.strength is not None else place.strength, default, f"the strength of {self._kind}")

    def _fields(self, place: _Place) -> dict[str, Any]:
        raise NotImplementedError

    def _labelled(self, place: _Place) -> Any:
        """Samples of which it says the topic (positions)."""
        return np.array([], dtype=int)


@dataclass(eq=False)
class Labels(_Item):
    """One topic for some of the samples.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Names of topics, or whole numbers (topics named by them); -1, None, NaN or blank for unlabelled samples.
    rule : {"components", "same-codes", "view"}, default="components"
        A sample is made of its topic's components (WS-NMF); samples of one label share one row of codes exactly (CNMF); or
        codes explain the labels linearly (SSNMF).
    strength : float, "auto", raw or None, default=None
        0.9 by default; with "same-codes" 1 (held) or 0.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples.
    """

    labels: Any
    rule: str = "components"
    strength: Strength = None
    unlabelled: Any = -1
    _kind: ClassVar[str] = "labels"

    def _fields(self, place: _Place) -> dict[str, Any]:
        if self.rule not in _RULES:
            raise ValueError(f"the rule of labels is {self.rule!r}; valid: {', '.join(map(repr, _RULES))}")
        # Held or ignored: a strength that is meant for the rest can't be theirs.
        same = self.rule == "same-codes" and self.strength is None
        strength = ("relative", _HELD) if same else self._strength(place)
        codes, names, _ = self._targets(place).hard()
        return {"labels": (codes, names), "rule": self.rule, "strength": strength}

    def _targets(self, place: _Place) -> Targets:
        if isinstance(self.labels, Targets):
            return self.labels
        targets = targets_of(self.labels, place.n_samples, self.unlabelled)
        if targets.codes is None:
            raise ValueError("Labels takes one label a sample; give several as Sets, soft ones as Memberships")
        return targets

    def _labelled(self, place: _Place) -> Any:
        return np.flatnonzero(self._targets(place).codes >= 0)


@dataclass(eq=False)
class Sets(_Item):
    """Topics that samples may be made of: several labels a sample, closed sets.

    Parameters
    ----------
    sets : sequence of length n_samples, or dict of sample to topics
        For each sample the names of its topics; None where nothing is known.
    names : sequence of str, default=None
        The topics, in the order in which they become components where nothing else names them; by first appearance by default.
    strength : float, "auto", raw or None, default=None
        0.9 by default; 1 allows nothing else.
    """

    sets: Any
    names: Sequence[str] | None = None
    strength: Strength = None
    _kind: ClassVar[str] = "sets"

    def _listed(self, place: _Place) -> list[list[str] | None]:
        n = place.n_samples
        given = self.sets
        if isinstance(given, Mapping):
            wrong = [sample for sample in given if not isinstance(sample, Integral) or not 0 <= int(sample) < n]
            if wrong:
                raise ValueError(f"Sets: sample {wrong[0]!r} must be a whole number from 0 to {n - 1}")
            given = [given.get(i) for i in range(n)]
        if len(given) != n:
            raise ValueError(f"Sets: there are {len(given)} sets for {n} samples; one for each is needed (None where nothing is known)")
        return [None if entry is None else [str(entry)] if isinstance(entry, str) else [str(name) for name in entry] for entry in given]

    def _fields(self, place: _Place) -> dict[str, Any]:
        sets = self._listed(place)
        found = list(dict.fromkeys(name for entry in sets if entry for name in entry))
        names = found if self.names is None else [str(name) for name in self.names]
        unknown = [name for name in found if name not in names]
        if unknown:
            raise ValueError(f"Sets: {unknown[0]!r} is not among names; valid: {', '.join(map(repr, names))}")
        at = {name: position for position, name in enumerate(names)}
        numbers = [None if entry is None else [at[name] for name in entry] for entry in sets]
        return {"names": names, "sets": numbers, "strength": self._strength(place)}

    def _labelled(self, place: _Place) -> Any:
        return np.array([i for i, entry in enumerate(self._listed(place)) if entry is not None], dtype=int)


@dataclass(eq=False)
class Memberships(_Item):
    """Soft memberships: how samples are shared between topics, up to their size.

    Parameters
    ----------
    shares : array-like or DataFrame of shape (n_samples, n_topics)
        Shares of 0 or more; NaN where nothing is known.
    names : sequence of str, default=None
        The topics of the columns; those of a DataFrame by default.
    strength : float, "auto", raw or None, default=None
        0.9 by default.
    """

    shares: Any
    names: Sequence[str] | None = None
    strength: Strength = None
    _kind: ClassVar[str] = "memberships"

    def _fields(self, place: _Place) -> dict[str, Any]:
        names = self.names if self.names is not None else getattr(self.shares, "columns", None)
        if names is None:
            raise ValueError("Memberships need names=, the topics of their columns, or a DataFrame")
        shares = as_factor(self.shares, "the shares of Memberships")
        return {"names": [str(name) for name in names], "shares": shares, "strength": self._strength(place)}

    def _labelled(self, place: _Place) -> Any:
        return np.flatnonzero(~np.isnan(as_factor(self.shares, "the shares of Memberships")).all(axis=1))


@dataclass(eq=False)
class References(_Item):
    """Profiles of components, of any origin: last month's model, known spectra, signatures.

    Parameters
    ----------
    profiles : array-like or DataFrame of shape (n_profiles, n_features), or a fitted model
        One row a component. A fitted model gives its components and their names.
    names : sequence of str, default=None
        The topic of each profile; by default the index of a DataFrame, else the topics in order.
    strength : float, "auto", raw or None, default=None
        0.9 by default; 1 holds them, 0 only starts from them.
    """

    profiles: Any
    names: Sequence[str] | None = None
    strength: Strength = None
    _kind: ClassVar[str] = "references"

    def _fields(self, place: _Place) -> dict[str, Any]:
        fitted = hasattr(self.profiles, "components_")
        profiles = as_factor(self.profiles.components_ if fitted else self.profiles, "the profiles of References")
        names: list[str]
        if self.names is not None:
            names = [str(name) for name in self.names]
        elif fitted:
            names = [str(name) for name in self.profiles.component_names_]
        elif hasattr(self.profiles, "index"):
            names = [str(name) for name in self.profiles.index]
        else:
            names = place.components[: len(profiles)]
            names += [f"reference {j + 1}" for j in range(len(names), len(profiles))]
        if len(names) != len(profiles):
            raise ValueError(f"References: there are {len(profiles)} profiles, but {len(names)} names")
        return {"names": names, "profiles": profiles, "strength": self._strength(place)}


@dataclass(eq=False)
class Links(_Item):
    """Pairs of samples that belong together, and pairs that belong apart.

    Parameters
    ----------
    must, cannot : sequence of (int, int), default=()
        Positions of samples.
    strength : float, "auto" or None, default=None
        0.9 by default; 1 holds them exactly.
    """

    must: Any = ()
    cannot: Any = ()
    strength: Strength = None
    _kind: ClassVar[str] = "links"

    def _fields(self, place: _Place) -> dict[str, Any]:
        return {"must": self._pairs(self.must, "must", place), "cannot": self._pairs(self.cannot, "cannot", place), "strength": self._strength(place)}

    def _pairs(self, pairs: Any, what: str, place: _Place) -> list[tuple[int, int]]:
        out = []
        for pair in pairs:
            ends = tuple(pair)
            if len(ends) != 2 or not all(isinstance(i, Integral) and 0 <= int(i) < place.n_samples for i in ends):
                raise ValueError(f"Links: {pair!r} of {what} must be a pair of samples, whole numbers from 0 to {place.n_samples - 1}")
            out.append((int(ends[0]), int(ends[1])))
        return out


@dataclass(eq=False)
class Graph(_Item):
    """Samples that are joined have similar codes.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n_samples, n_samples), default=None
        Symmetric, non-negative weights. None: the nearest neighbours in X.
    n_neighbors : int, default=5
        How many, without a graph.
    strength : float, "auto", raw or None, default=None
        0.25 by default; 1 is refused.
    """

    graph: Any = None
    n_neighbors: int = 5
    strength: Strength = None
    _kind: ClassVar[str] = "graph"

    def _fields(self, place: _Place) -> dict[str, Any]:
        n = place.n_samples
        if self.graph is None:
            if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
                raise ValueError(f"Graph: n_neighbors is {self.n_neighbors!r}, but must be a whole number of 1 or more")
            indptr, indices, weights = _native.neighbour_graph(lend(place.data), min(int(self.n_neighbors), n - 1))
        else:
            graph = sp.csr_array(self.graph, dtype=np.float64)
            if graph.shape != (n, n):
                raise ValueError(f"Graph: the graph must have the shape ({n}, {n}), but has {graph.shape}")
            graph.sum_duplicates()
            indptr, indices, weights = graph.indptr.astype(np.uintp), graph.indices.astype(np.uint32), graph.data
        # As on the command line, the strength for everything else is not that of a graph: it would flatten all codes.
        strength = stated(self.strength, _LIGHT, "the strength of the graph")
        return {"graph": (n, indptr, indices, weights), "strength": strength}


@dataclass(eq=False)
class SampleWeights(_Item):
    """How much each sample counts in the fit; what is known of it counts as much.

    Parameters
    ----------
    weights : array-like of shape (n_samples,)
        Finite numbers of 0 or more.
    """

    weights: Any
    _kind: ClassVar[str] = "sample weights"

    def _fields(self, place: _Place) -> dict[str, Any]:
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (place.n_samples,):
            raise ValueError(f"SampleWeights: the weights must have the shape ({place.n_samples},), but have {weights.shape}")
        return {"weights": weights.tolist()}


@dataclass(eq=False)
class KnownEntries(_Item):
    """Which entries of X are known; X holds 0 where one is not.

    Parameters
    ----------
    known : array-like of shape (n_samples, n_features)
        True or 1 where X is known.
    """

    known: Any
    _kind: ClassVar[str] = "known entries"

    def _fields(self, place: _Place) -> dict[str, Any]:
        return {"known": as_factor(self.known, "the marks of KnownEntries")}


class Guidance:
    """Everything that is known about the parts, in one value.

    Parameters
    ----------
    *known : Labels, Sets, Memberships, References, Links, Graph, SampleWeights, KnownEntries, Topic, or topics as below
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
    >>> model.component_names_[model.labels_].tolist()
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
        stated(strength, _FIRM, "the strength of the guidance")
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
                "Memberships, References, Links, Graph, SampleWeights, KnownEntries"
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
    notes: list[str]


def compiled(guidance: Guidance | None, further: list[_Item], classes: list[Topic], data: Any, strength: Strength, feature_names: Any) -> Compiled:
    """Guidance and further items (those of y, whose ``classes`` become topics after the named ones) for data (n, d)."""
    given = guidance if guidance is not None else Guidance()
    strength = given.strength if given.strength is not None else strength
    known = {topic.name for topic in given.topics}
    topics = [*given.topics, *(topic for topic in classes if topic.name not in known)]
    native = [topic.to_native(strength) for topic in topics]
    components = [topic["name"] for topic in native for _ in range(topic["components"])]
    place = _Place(data, strength, components)
    items = []
    # References without names go to the topics that the rest has named: they come last.
    for item in sorted([*given.items, *further], key=lambda item: isinstance(item, References)):
        fields = item._fields(place)
        names = fields["labels"][1] if "labels" in fields else fields.get("names", [])
        place.components.extend(name for name in dict.fromkeys(names) if name not in place.components)
        items.append((item._kind, fields))
    labelled = [item._labelled(place) for item in (*given.items, *further)]
    names = given.feature_names if given.feature_names is not None else feature_names
    return Compiled(
        {"topics": native, "items": items, "feature_names": None if names is None else [str(name) for name in names]},
        len(place.components),
        np.unique(np.concatenate(labelled)) if labelled else np.array([], dtype=int),
        list(given.notes),
    )
