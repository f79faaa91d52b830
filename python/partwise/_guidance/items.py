"""What can be known of samples, components and entries, one class each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .. import _native
from .._input import as_factor, lend
from .._targets import Targets, targets_of
from .._warn import warn
from .strength import FIRM, HELD, LIGHT, Strength, of_native, stated

__all__ = ["EntryWeights", "FeatureWeights", "Graph", "KnownEntries", "KnownFeatures", "Labels", "Links", "Memberships", "References", "SampleWeights", "Sets", "item_of_native", "labelled_samples"]


_RULES = ("components", "same-codes", "view")


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

    def _strength(self, place: _Place, default: float = FIRM) -> tuple[str, float]:
        return stated(self.strength if self.strength is not None else place.strength, default, f"the strength of {self._kind}")

    def _fields(self, place: _Place) -> dict[str, Any]:
        raise NotImplementedError


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
        strength = ("relative", HELD) if same else self._strength(place)
        codes, names, _ = self._targets(place).hard()
        return {"labels": (codes, names), "rule": self.rule, "strength": strength}

    def _targets(self, place: _Place) -> Targets:
        if isinstance(self.labels, Targets):
            return self.labels
        targets = targets_of(self.labels, place.n_samples, self.unlabelled)
        for note in targets.notes:
            warn(note.replace(" of y ", " of Labels "))
        if targets.codes is None:
            raise ValueError("Labels takes one label a sample; give several as Sets, soft ones as Memberships")
        return targets


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
        strength = stated(self.strength, LIGHT, "the strength of the graph")
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
class FeatureWeights(_Item):
    """How much each feature counts in the fit: its part of the loss is multiplied by it.

    ``components_`` come back without the weights; ``transform`` weights new data as the fit did.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Finite numbers of 0 or more, not all 0. A feature of weight 0 is ignored, and 0 in every component.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import FeatureWeights, Guidance, GuidedNMF
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.0, 5.0]])
    >>> model = GuidedNMF(1, guidance=Guidance(FeatureWeights([1, 1, 0])), random_state=0).fit(X)
    >>> round(model.relative_error_, 3), float(model.components_[0, 2])
    (0.0, 0.0)
    """

    weights: Any
    _kind: ClassVar[str] = "feature weights"

    def _fields(self, place: _Place) -> dict[str, Any]:
        weights = np.asarray(self.weights, dtype=np.float64)
        expected = (place.data.shape[1],)
        if weights.shape != expected:
            raise ValueError(f"FeatureWeights: the weights must have the shape {expected}, but have {weights.shape}")
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


@dataclass(eq=False)
class KnownFeatures(_Item):
    """Which features of each sample are known, where few are: ratings, where what nobody rated is no zero.

    Needs the squared loss. ``transform`` takes the zeros of new data as zeros; ``codes_`` are the fit's own.

    Parameters
    ----------
    known : scipy sparse matrix or array of shape (n_samples, n_features), or a list of a list for each sample, default=None
        What it stores, or where it is not 0, is known; in lists, the numbers of the known features. X holds 0 in all else. None: the
        entries of X that are not 0.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from partwise import Guidance, GuidedNMF, KnownFeatures
    >>> ratings = sp.csr_array([[1.0, 2.0, 0.0], [2.0, 0.0, 6.0], [0.0, 6.0, 9.0]])
    >>> model = GuidedNMF(1, guidance=Guidance(KnownFeatures()), random_state=0, tol=1e-9, max_iter=1000).fit(ratings)
    >>> round(float(model.codes_[0] @ model.components_[:, 2]), 2)
    3.0
    """

    known: Any = None
    _kind: ClassVar[str] = "known features"

    def _fields(self, place: _Place) -> dict[str, Any]:
        if isinstance(self.known, (list, tuple)):
            if len(self.known) != place.n_samples:
                raise ValueError(f"KnownFeatures: one list for each of the {place.n_samples} samples is needed, but there are {len(self.known)}")
            return {"known": [sorted({int(feature) for feature in row}) for row in self.known]}
        if self.known is None:
            known = sp.csr_array(place.data)
            known.eliminate_zeros()
        else:
            known = sp.csr_array(self.known)
            if known.shape != tuple(place.data.shape):
                raise ValueError(f"KnownFeatures: the known features must have the shape {tuple(place.data.shape)}, but have {known.shape}")
        known.sum_duplicates()
        rows = np.split(known.indices, known.indptr[1:-1])
        return {"known": [row.tolist() for row in rows]}


@dataclass(eq=False)
class EntryWeights(_Item):
    """How much each entry of X counts in the fit. Needs the squared loss.

    Parameters
    ----------
    weights : array-like of shape (n_samples, n_features)
        Finite numbers of 0 or more; 0 where an entry doesn't count, 1 where it counts as it is.
    """

    weights: Any
    _kind: ClassVar[str] = "weights of entries"

    def _fields(self, place: _Place) -> dict[str, Any]:
        return {"weights": as_factor(self.weights, "the weights of EntryWeights")}


def item_of_native(kind: str, given: dict[str, Any]) -> _Item:
    """An item from the form that the engine takes."""
    strength = of_native(given["strength"]) if "strength" in given else None
    if kind == "labels":
        codes, names = given["labels"]
        return Labels(np.array([names[code] if code >= 0 else None for code in codes], dtype=object), given["rule"], strength)
    if kind == "sets":
        names = given["names"]
        return Sets([None if entry is None else [names[at] for at in entry] for entry in given["sets"]], names, strength)
    if kind == "memberships":
        return Memberships(given["shares"], given["names"], strength)
    if kind == "references":
        return References(given["profiles"], given["names"], strength)
    if kind == "links":
        return Links(given["must"], given["cannot"], strength)
    if kind == "graph":
        n, indptr, indices, weights = given["graph"]
        return Graph(sp.csr_array((weights, indices.astype(np.int64), indptr.astype(np.int64)), shape=(n, n)), strength=strength)
    if kind == "sample weights":
        return SampleWeights(np.asarray(given["weights"]))
    if kind == "feature weights":
        return FeatureWeights(np.asarray(given["weights"]))
    if kind == "known entries":
        return KnownEntries(given["known"])
    if kind == "known features":
        return KnownFeatures(given["known"])
    if kind == "weights of entries":
        return EntryWeights(given["weights"])
    raise ValueError(f"guidance of the kind {kind!r} is not known to this version")


def labelled_samples(items: Sequence[tuple[str, dict[str, Any]]]) -> Any:
    """The samples of which items, in the form that the engine takes, say the topic: positions, ascending."""
    found = [np.array([], dtype=int)]
    for kind, given in items:
        if kind == "labels":
            found.append(np.flatnonzero(np.asarray(given["labels"][0]) >= 0))
        elif kind == "sets":
            found.append(np.array([i for i, entry in enumerate(given["sets"]) if entry is not None], dtype=int))
        elif kind == "memberships":
            found.append(np.flatnonzero(~np.isnan(given["shares"]).all(axis=1)))
    return np.unique(np.concatenate(found))
