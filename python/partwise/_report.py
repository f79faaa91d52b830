"""The report on the guidance, and the samples to label next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

from ._registry import REGISTRIES

__all__ = ["Finding", "GuidanceReport", "PairInDoubt", "Suggestion"]


@dataclass(frozen=True)
class Finding:
    """The verdict on an item of the guidance, or on one entry of it."""

    kind: str
    """"label", "set", "membership", "seed", "reference", "must-link", "cannot-link", "graph"."""
    verdict: str
    """"honoured", "overruled", "contradicted", "no support"."""
    message: str
    """An explanation."""
    samples: tuple[int, ...] = ()
    """The samples concerned."""
    topic: str | None = None
    """The topic concerned."""
    numbers: dict[str, float] = field(default_factory=dict)
    """Numbers by name: "share", "free share", "margin", "cosine", "overlap"."""


class GuidanceReport(Sequence[Finding]):
    """The verdicts on the guidance: a list of findings, with counts."""

    def __init__(
        self, findings: Sequence[Finding], agreement: float, parts: dict[str, float], notices: list[str], derived: Sequence[Finding] = ()
    ) -> None:
        self.findings = list(findings)
        self.derived = list(derived)
        """What became of spread labels, which nobody said: one finding of the kind "spread" a class."""
        self.agreement = agreement
        """The fraction of the items with support in the data that the result follows; 1 if there are none."""
        self.parts = parts
        """The parts of the objective."""
        self.notices = notices
        """Notices, as sentences."""

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
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())
        return f"<GuidanceReport: {counts}; agreement {self.agreement:.2f}>"

    @property
    def counts(self) -> dict[str, int]:
        """Findings by verdict; all verdicts are listed."""
        return {verdict: sum(finding.verdict == verdict for finding in self) for verdict in REGISTRIES["verdicts"]}

    def to_frame(self) -> Any:
        """The findings as a pandas DataFrame, one row each; numbers are columns."""
        import pandas as pd

        rows = [
            {"kind": f.kind, "topic": f.topic, "samples": f.samples, "verdict": f.verdict, **f.numbers, "message": f.message} for f in self
        ]
        return pd.DataFrame(rows, columns=None if rows else ["kind", "topic", "samples", "verdict", "message"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for model files."""
        findings = [
            {"kind": f.kind, "verdict": f.verdict, "message": f.message, "samples": list(f.samples), "topic": f.topic, "numbers": f.numbers}
            for f in self
        ]
        return {"parts": self.parts, "notices": self.notices, "agreement": self.agreement, "findings": findings}


class Suggestion(NamedTuple):
    """A sample whose label would help."""

    sample: int
    """Its position."""
    doubt: float
    """From 0 (it clearly belongs to one component) to 1 (two share it equally)."""
    between: tuple[str, str]
    """The two most likely components, the larger membership first."""


class PairInDoubt(NamedTuple):
    """A pair of samples that may or may not belong together."""

    samples: tuple[int, int]
    """Their positions."""
    together: bool
    """Whether they are currently in the same component."""
    closeness: float
    """The cosine between their memberships."""
