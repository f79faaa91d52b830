"""The kinds of guidance on samples, components and features, one class each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .. import _native
from .._blocks import in_memory
from .._input import matrix_by_name, to_native, vector_by_name
from .._names import column_labels, key, row_labels
from .._registry import REGISTRIES
from .._targets import Targets, targets_of
from .._warn import warn
from .base import _Item, _Place
from .documents import graph_by_name, graph_document, labels_document
from .entries import EntryWeights, KnownEntries, KnownFeatures
from .strength import Strength, of_document, stated

__all__ = [
    "EntryWeights",
    "FeatureWeights",
    "Graph",
    "KnownEntries",
    "KnownFeatures",
    "Labels",
    "Links",
    "Memberships",
    "References",
    "SampleWeights",
    "Sets",
]


LABEL_RULES: list[str] = REGISTRIES["label_rules"]


@dataclass(eq=False)
class Labels(_Item):
    """One topic for some of the samples.

    Parameters
    ----------
    labels : array-like of shape (n_samples,), Series with names of samples, or dict of sample to label
        Names of topics, or whole numbers (topics named by them); -1, None, NaN or blank for unlabelled
        samples.
    rule : {"components", "same-codes", "view"}, default="components"
        A sample is made of its topic's components (WS-NMF); samples of one label share one row of codes
        exactly (CNMF); or codes explain the labels linearly (SSNMF).
    strength : float, "auto", raw or None, default=None
        0.9 by default; with "same-codes" 1 (exact) or 0.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples.
    """

    labels: Any
    rule: str = LABEL_RULES[0]
    strength: Strength = None
    unlabelled: Any = -1
    _kind: ClassVar[str] = "labels"

    def _fields(self, place: _Place) -> dict[str, Any]:
        if self.rule not in LABEL_RULES:
            raise ValueError(f"the rule of labels is {self.rule!r}; valid: {', '.join(map(repr, LABEL_RULES))}")
        # These are exact or ignored: the strength of all other items does not apply.
        same = self.rule == "same-codes" and self.strength is None
        codes, names, _ = self._targets(place).hard()
        return {**labels_document(codes, names), "rule": self.rule, "strength": None if same else self._strength(place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        labels = np.full(given["n_samples"], None, dtype=object)
        for sample, code in zip(given["samples"], given["classes"], strict=True):
            labels[sample] = given["names"][code]
        return cls(labels, given["rule"], of_document(given.get("strength")))

    def _targets(self, place: _Place) -> Targets:
        if isinstance(self.labels, Targets):
            return self.labels
        labels = self._by_sample(self.labels, place)
        if isinstance(labels, list):
            labels = np.array(labels, dtype=object)
        targets = targets_of(labels, place.n_samples, self.unlabelled)
        for note in targets.notes:
            warn(note.replace(" of y ", " of Labels "))
        if targets.codes is None:
            raise ValueError("Labels takes one label per sample; give several as Sets, memberships as Memberships")
        return targets


@dataclass(eq=False)
class Sets(_Item):
    """The topics that each sample may contain: several labels per sample, closed sets.

    Parameters
    ----------
    sets : sequence of length n_samples, Series with names of samples, or dict of sample to topics
        For each sample the names of its topics; None = unknown.
    names : sequence of str, default=None
        The topics, in the order in which they become components where nothing else names them; by first
        appearance by default.
    strength : float, "auto", raw or None, default=None
        0.9 by default; 1 allows nothing else.
    """

    sets: Any
    names: Sequence[str] | None = None
    strength: Strength = None
    _kind: ClassVar[str] = "sets"

    def _listed(self, place: _Place) -> list[list[str] | None]:
        n = place.n_samples
        given = list(self._by_sample(self.sets, place))
        if len(given) != n:
            raise ValueError(f"Sets: there are {len(given)} sets for {n} samples; give one for each (None = unknown)")
        return [None if entry is None else [str(entry)] if isinstance(entry, str) else [str(name) for name in entry] for entry in given]

    def _fields(self, place: _Place) -> dict[str, Any]:
        sets = self._listed(place)
        found = list(dict.fromkeys(name for entry in sets if entry for name in entry))
        names = found if self.names is None else [str(name) for name in self.names]
        unknown = [name for name in found if name not in names]
        if unknown:
            raise ValueError(f"Sets: {unknown[0]!r} is not among names; valid: {', '.join(map(repr, names))}")
        at = {name: position for position, name in enumerate(names)}
        samples = [i for i, entry in enumerate(sets) if entry is not None]
        numbers = [[at[name] for name in entry] for entry in sets if entry is not None]
        return {"n_samples": len(sets), "samples": samples, "sets": numbers, "names": names, "strength": self._strength(place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        names = given["names"]
        sets: list[Any] = [None] * given["n_samples"]
        for sample, entry in zip(given["samples"], given["sets"], strict=True):
            sets[sample] = [names[at] for at in entry]
        return cls(sets, names, of_document(given.get("strength")))


@dataclass(eq=False)
class Memberships(_Item):
    """Soft memberships: how much of each topic a sample contains, up to a scale.

    Parameters
    ----------
    shares : array-like or DataFrame of shape (n_samples, n_topics)
        Memberships, 0 or more; NaN = unknown. Where rows and samples have names, samples that are left out
        are free.
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
        names = column_labels(self.shares) if self.names is None else self.names
        if names is None:
            raise ValueError("Memberships need names=, the topics of their columns, or a DataFrame")
        _check_renamed(self.names, column_labels(self.shares), "Memberships", "columns")
        own = (row_labels(self.shares) if self._made_for[0] is None else self._made_for[0], None)
        shares = matrix_by_name(self.shares, "the shares of Memberships", "Memberships", place.samples, own=own, fill=np.nan)
        return {"names": [str(name) for name in names], "matrix": shares, "strength": self._strength(place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        return cls(given["matrix"], given["names"], of_document(given.get("strength")))


@dataclass(eq=False)
class References(_Item):
    """Profiles of components, of any origin: last month's model, known spectra, signatures.

    Parameters
    ----------
    profiles : array-like or DataFrame of shape (n_profiles, n_features), or a fitted model
        One row a component; columns go by name where both sides have names. A fitted model gives its
        components and their names.
    names : sequence of str, default=None
        The topic of each profile; by default the index of a DataFrame, else the topics in order.
    strength : float, "auto", raw or None, default=None
        0.9 by default; 1 fixes the components, 0 uses the references for the start only.
    """

    profiles: Any
    names: Sequence[str] | None = None
    strength: Strength = None
    _kind: ClassVar[str] = "references"

    def _fields(self, place: _Place) -> dict[str, Any]:
        fitted = hasattr(self.profiles, "components_")
        own = (None, column_labels(self.profiles) if self._made_for[1] is None else self._made_for[1])
        profiles = matrix_by_name(self.profiles.components_ if fitted else self.profiles, "the profiles of References", "References", columns=place.features, own=own)
        labels = None if fitted else row_labels(self.profiles)
        _check_renamed(self.names, labels, "References", "rows")
        names: list[str]
        if self.names is not None:
            names = [str(name) for name in self.names]
        elif fitted:
            names = [str(name) for name in self.profiles.component_names_]
        elif labels is not None:
            names = [str(name) for name in labels]
        else:
            names = place.components[: len(profiles)]
            names += [f"reference {j + 1}" for j in range(len(names), len(profiles))]
        if len(names) != len(profiles):
            raise ValueError(f"References: there are {len(profiles)} profiles, but {len(names)} names")
        return {"names": names, "matrix": profiles, "strength": self._strength(place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        return cls(given["matrix"], given["names"], of_document(given.get("strength")))


@dataclass(eq=False)
class Links(_Item):
    """Pairs of samples that belong together, and pairs that do not.

    Parameters
    ----------
    must, cannot : sequence of pairs of samples, default=()
        Names of samples where the data have some, or positions.
    strength : float, "auto" or None, default=None
        0.9 by default; 1 is exact.
    """

    must: Any = ()
    cannot: Any = ()
    strength: Strength = None
    _kind: ClassVar[str] = "links"

    def _fields(self, place: _Place) -> dict[str, Any]:
        return {"must": self._pairs(self.must, "must", place), "cannot": self._pairs(self.cannot, "cannot", place), "strength": self._strength(place)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        must, cannot = ([tuple(pair) for pair in given[side]] for side in ("must", "cannot"))
        return cls(must, cannot, of_document(given.get("strength")))

    def _pairs(self, pairs: Any, what: str, place: _Place) -> list[tuple[int, int]]:
        out = []
        for pair in pairs:
            ends = () if isinstance(pair, str) else tuple(pair)
            if len(ends) != 2:
                raise ValueError(f"Links: {pair!r} of {what} must be a pair of samples, whole numbers from 0 to {place.n_samples - 1} or names of the data")
            where = f"Links: {pair!r} of {what} must be a pair of samples"
            if self._made_for[0] is not None and place.samples.labels is not None:
                # Places in the data of a model file, whose samples have names.
                ends = (key(self._made_for[0][ends[0]]), key(self._made_for[0][ends[1]]))
            out.append((place.samples.place(ends[0], where), place.samples.place(ends[1], where)))
        return out


@dataclass(eq=False)
class Graph(_Item):
    """Connected samples get similar codes.

    Parameters
    ----------
    graph : array-like, DataFrame or sparse matrix of shape (n_samples, n_samples), default=None
        Symmetric, non-negative weights; those of a DataFrame go by the names of the samples. None: the
        nearest neighbours in X.
    n_neighbors : int, default=5
        How many, without a graph.
    strength : float, "auto", raw or None, default=None
        0.25 by default; 1 is refused.
    """

    graph: Any = None
    n_neighbors: int = REGISTRIES["graph_neighbours"]
    strength: Strength = None
    _kind: ClassVar[str] = "graph"

    def _fields(self, place: _Place) -> dict[str, Any]:
        n = place.n_samples
        if self.graph is None:
            if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
                raise ValueError(f"Graph: n_neighbors is {self.n_neighbors!r}, but must be a whole number of 1 or more")
            indptr, indices, weights = _native.neighbour_graph(to_native(in_memory(place.data, "a graph of the nearest neighbours")), min(int(self.n_neighbors), n - 1))
        else:
            graph = graph_by_name(self.graph, place.samples, "Graph: the graph", self._made_for[0])
            indptr, indices, weights = graph.indptr.astype(np.uintp), graph.indices.astype(np.uint32), graph.data
        # As on the command line, the strength for everything else is not that of a graph: it would flatten
        # all codes.
        return {**graph_document(n, indptr, indices, weights), "strength": stated(self.strength, "the strength of the graph")}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        rows, columns, weights = given["matrix"].T
        n = given["n_samples"]
        graph = sp.csr_array((weights, (rows.astype(np.int64), columns.astype(np.int64))), shape=(n, n))
        return cls(graph, strength=of_document(given.get("strength")))


@dataclass(eq=False)
class SampleWeights(_Item):
    """The weight of each sample in the fit. It also multiplies the guidance on the sample; guidance on a pair
    has the geometric mean of both weights.

    Parameters
    ----------
    weights : array-like of shape (n_samples,), Series with names of samples, or dict of sample to weight
        Finite numbers of 0 or more; in a dict 1 for all that it doesn't name.
    """

    weights: Any
    _kind: ClassVar[str] = "sample weights"

    def _fields(self, place: _Place) -> dict[str, Any]:
        weights = vector_by_name(self.weights, "SampleWeights", place.samples, default=1.0, own=self._made_for[0])
        if weights.shape != (place.n_samples,):
            raise ValueError(f"SampleWeights: the weights must have the shape ({place.n_samples},), but have {weights.shape}")
        return {"matrix": weights.reshape(1, -1)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        return cls(given["matrix"][0])


@dataclass(eq=False)
class FeatureWeights(_Item):
    """How much each feature counts in the fit: its part of the loss is multiplied by it.

    ``components_`` come back without the weights; ``transform`` weights new data as the fit did.

    Parameters
    ----------
    weights : array-like of shape (n_features,), Series by name, dict of feature to weight, or "unit-length"
        Finite numbers of 0 or more, not all 0; in a dict 1 for all that it doesn't name. A feature of weight
        0 is ignored, and 0 in every component. "unit-length": all features count alike, as if each were
        divided by its Euclidean length in the data of the fit; for genes, whose scales differ widely.

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
        if isinstance(self.weights, str):
            weights = _of_unit_length(self.weights, in_memory(place.data, f"FeatureWeights({self.weights!r})"))
        else:
            weights = vector_by_name(self.weights, "FeatureWeights", place.features, default=1.0, own=self._made_for[1])
        expected = (place.data.shape[1],)
        if weights.shape != expected:
            raise ValueError(f"FeatureWeights: the weights must have the shape {expected}, but have {weights.shape}")
        return {"matrix": weights.reshape(1, -1)}

    @classmethod
    def _of_document(cls, given: dict[str, Any]) -> _Item:
        return cls(given["matrix"][0])


def _of_unit_length(weights: str, data: Any) -> Any:
    """Weights with which the squared loss is that of features divided by their lengths."""
    if weights != "unit-length":
        raise ValueError(f"FeatureWeights: the weights are {weights!r}, but must be numbers or 'unit-length'")
    squares = data.multiply(data).sum(axis=0) if sp.issparse(data) else np.einsum("ij,ij->j", data, data, dtype=np.float64)
    squares = np.asarray(squares, dtype=np.float64).ravel()
    return np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0)


def _check_renamed(names: Any, labels: Any, where: str, what: str) -> None:
    """Refuses names that a table has itself, given for it in another order."""
    if names is None or labels is None:
        return
    given, own = [str(name) for name in names], [str(label) for label in labels]
    if given != own and sorted(given) == sorted(own):
        raise ValueError(f"{where}: names={given!r} are the names of its {what}, but in another order ({own!r}); leave out names=")


def item_of_document(given: dict[str, Any], samples: Any = None, features: Any = None) -> _Item:
    """An item of a document, and the names of the samples and features that it was made for."""
    if given["kind"] not in _Item.kinds:
        raise ValueError(f"guidance of the kind {given['kind']!r} is not known to this version")
    item = _Item.kinds[given["kind"]]._of_document(given)
    item._made_for = (samples, features)
    return item
