"""The report on the guidance, and the samples to label next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

import numpy as np

from . import _native
from ._registry import REGISTRIES

__all__ = ["ComponentLikeness", "Finding", "GuidanceCost", "GuidanceReport", "PairInDoubt", "Suggestion", "TopicVerdict"]


# The verdicts of older model files: whether the fit follows an item, and whether the data agree.
_OLDER_VERDICTS = {"honoured": ("followed", "fits the data"), "overruled": ("not followed", "unknown"), "contradicted": ("followed", "surprising")}


def of_older_finding(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a finding in today's words."""
    older = _OLDER_VERDICTS.get(str(fields.get("verdict")))
    if older is not None:
        verdict, data = older
        numbers = fields.get("numbers")
        if isinstance(numbers, dict) and numbers.get("followed") == 0:
            verdict = "not followed"
        fields = {**fields, "verdict": verdict, "data": data}
    return {"data": "unknown", **fields}


@dataclass(frozen=True)
class Finding:
    """What became of an item of the guidance, or of one entry of it."""

    kind: str
    """"label", "set", "membership", "seed", "forbidden", "reference", "must-link", "cannot-link",
    "graph"."""
    verdict: str
    """Did the fit do what was asked? "followed", "not followed", or "no support": there is nothing in the
    data that it could act on."""
    data: str
    """Do the data agree, without the guidance? "fits the data", "surprising" (it may be followed all the
    same) or "unknown"."""
    message: str
    """An explanation."""
    samples: tuple[int, ...] = ()
    """The samples concerned."""
    topic: str | None = None
    """The topic concerned."""
    numbers: dict[str, float] = field(default_factory=dict)
    """Numbers by name: "share", "free share", "margin", "cosine", "overlap", "kept", "rank",
    "distinct rank"."""

    _of_older = staticmethod(of_older_finding)


@dataclass(frozen=True)
class TopicVerdict:
    """How well a topic is what its guidance describes."""

    topic: str
    """Its name."""
    level: str
    """"good", "fair" or "weak"."""
    verdict: str
    """Does the fit follow most of what was said about it? "followed", "not followed", "no support"."""
    data: str
    """Would the data alone put the samples that its guidance describes into it? "fits the data",
    "surprising", "unknown"."""
    message: str
    """The reason for the level."""
    taken_by: str | None = None
    """The other topic or free component with the most of these samples."""
    numbers: dict[str, float] = field(default_factory=dict)
    """Numbers by name. "quality", from 0 to 1: the F2 score of the topic's samples for those that its
    guidance describes. "found": the fraction of these that are in the topic; "taken": that in ``taken_by``.
    "purity": the fraction of the topic's samples that its guidance describes. "separation": the mean
    membership of its samples in it. "samples": how many it has. "seed share": the fraction of its seeds'
    weight in the samples that is in its own. "worst rank", "worst distinct rank": the largest ranks of its
    seeds among its features, by weight, and by weight times the share of the feature's use that is in the
    topic."""


@dataclass(frozen=True)
class ComponentLikeness:
    """How much a named component looks like the samples of its class, or its part of them if the class has
    several components."""

    component: str
    """Its name."""
    topic: str
    """Its topic or class."""
    samples: int
    """How many samples it was compared with."""
    mean_cosine: float
    """Its cosine with their mean."""
    shared_cosine: float
    """Its cosine with what they share, entry by entry the square of the mean root: features of nearly all of
    them count, those of a few hardly do."""
    message: str = ""
    """The same in words."""


@dataclass(frozen=True)
class GuidanceCost:
    """What the guidance costs in error."""

    relative_error: float
    """Of the guided fit."""
    relative_error_without_guidance: float
    """Of a fit with as many components that goes on from it without the guidance, for at most 100
    iterations."""
    message: str = ""
    """The same in words."""


class GuidanceReport(Sequence[Finding]):
    """What became of the guidance: a verdict on each topic, and a list of findings, with counts."""

    def __init__(
        self,
        findings: Sequence[Finding],
        agreement: float,
        parts: dict[str, float],
        notices: list[str],
        derived: Sequence[Finding] = (),
        topics: Sequence[TopicVerdict] = (),
        components: Sequence[ComponentLikeness] = (),
        components_compared: str = "",
        cost: GuidanceCost | None = None,
    ) -> None:
        self.topics = list(topics)
        """The verdict on each topic with guidance, in the order of the components."""
        self.findings = list(findings)
        self.derived = list(derived)
        """What became of spread labels, which nobody said: one finding of the kind "spread" a class."""
        self.components = list(components)
        """How much each named component looks like the samples of its class."""
        self.components_compared = components_compared
        """How the class of these samples is known."""
        self.cost = cost
        """What the guidance costs in error; None where it was not measured."""
        self.agreement = agreement
        """The fraction of the items with support in the data that the result follows; 1 if there are none."""
        self.parts = parts
        """The parts of the objective."""
        self.notices = notices
        """Notices, as sentences."""

    @staticmethod
    def _of_older(fields: dict[str, Any]) -> dict[str, Any]:
        return {"derived": [], "topics": [], "components": [], "components_compared": "", "cost": None, **fields}

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> list[Finding]: ...
    def __getitem__(self, at: int | slice) -> Finding | list[Finding]:
        return self.findings[at]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GuidanceReport) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        line = f"<GuidanceReport: {counts}; {len(self.surprising)} surprising"
        if self.topics:
            levels = (f"{sum(topic.level == level for topic in self.topics)} {level}" for level in REGISTRIES["levels"])
            line += f"; topics: {', '.join(levels)}"
        if self.cost is not None:
            line += f"; {self.cost.message}"
        reasons = (f"\n  {topic.message}" for topic in self.topics if topic.level != REGISTRIES["levels"][0])
        return f"{line}>{''.join(reasons)}"

    @property
    def counts(self) -> dict[str, int]:
        """Findings by verdict; all verdicts are listed."""
        return {verdict: sum(finding.verdict == verdict for finding in self) for verdict in REGISTRIES["verdicts"]}

    @property
    def not_followed(self) -> list[Finding]:
        """The findings on what the fit does not follow, or could not."""
        return [finding for finding in self if finding.verdict != "followed"]

    @property
    def surprising(self) -> list[Finding]:
        """The findings on what the data, or another item, disagree with."""
        return [finding for finding in self if finding.data == "surprising"]

    def to_frame(self, what: str = "findings") -> Any:
        """The findings, the topics, or how much the components look like their classes, as a pandas
        DataFrame, one row each; numbers are columns.

        Parameters
        ----------
        what : {"findings", "topics", "components"}, default="findings"
            Which.

        Returns
        -------
        table : pandas.DataFrame
        """
        import pandas as pd

        if what == "findings":
            known = ["kind", "topic", "samples", "verdict", "data"]
            rows = [{**{name: getattr(line, name) for name in known}, **line.numbers, "message": line.message} for line in self]
        elif what == "topics":
            known = ["topic", "level", "verdict", "data", "taken_by"]
            rows = [{**{name: getattr(line, name) for name in known}, **line.numbers, "message": line.message} for line in self.topics]
        elif what == "components":
            known = ["component", "topic", "samples", "mean_cosine", "shared_cosine"]
            rows = [{**{name: getattr(line, name) for name in known}, "message": line.message} for line in self.components]
        else:
            raise ValueError(f'to_frame gives "findings", "topics" or "components", not {what!r}')
        return pd.DataFrame(rows, columns=None if rows else [*known, "message"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for model files."""
        findings = [{**vars(finding), "samples": list(finding.samples)} for finding in self]
        topics = [dict(vars(topic)) for topic in self.topics]
        components = [dict(vars(line)) for line in self.components]
        cost = None if self.cost is None else dict(vars(self.cost))
        return {
            "parts": self.parts,
            "notices": self.notices,
            "agreement": self.agreement,
            "topics": topics,
            "findings": findings,
            "components": components,
            "components_compared": self.components_compared,
            "cost": cost,
        }


class Suggestion(NamedTuple):
    """A sample whose label would help."""

    sample: int
    """Its position."""
    doubt: float
    """From 0 (it clearly belongs to one component) to 1 (two share it equally)."""
    between: tuple[str, str]
    """The two most likely components, the larger membership first."""


def suggestions(memberships: Any, names: list[str], labelled: Any, n: int) -> list[Suggestion]:
    """The n samples whose label would help most, from memberships in the classes of these names."""
    check_count(n)
    # Memberships are shares already: the classes have size 1.
    found = _native.suggest(memberships, np.eye(len(names)), "sum", [int(i) for i in labelled], int(n))
    return [Suggestion(sample, doubt, (names[one], names[other])) for sample, doubt, (one, other) in found]


class PairInDoubt(NamedTuple):
    """A pair of samples that may or may not belong together."""

    samples: tuple[int, int]
    """Their positions."""
    together: bool
    """Whether they are currently in the same component."""
    closeness: float
    """The cosine between their memberships."""


def pairs_in_doubt(memberships: Any, n: int) -> list[PairInDoubt]:
    """The n pairs of samples whose link would help most, from the memberships of samples in classes."""
    check_count(n)
    found = _native.suggest_links(memberships, np.eye(memberships.shape[1]), "sum", int(n))
    return [PairInDoubt(samples, together, closeness) for samples, together, closeness in found]


def check_count(n: int) -> None:
    """Refuse a negative number of suggestions."""
    if n < 0:
        raise ValueError(f"n is {n}, but must be 0 or more")
