"""What an action of steering changed beside what was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Changes", "TopicChange"]

# A topic that the action does not name moved if its cosine is below this, or more of its samples left.
_SAME = 0.95
_FEW = 0.05


@dataclass(frozen=True)
class TopicChange:
    """What became of a topic."""

    topic: str
    """Its name."""
    named: bool
    """Whether the action names it."""
    cosine: float
    """The cosine between its component and what the refit started from; the smallest of several
    components."""
    left: float
    """The fraction of its former samples that are in another topic now."""
    samples_before: int
    """How many samples it had."""
    samples: int
    """How many it has."""
    like: str | None = None
    """The former topic that it is more like than itself, if there is one."""


@dataclass(frozen=True, repr=False)
class Changes:
    """What an action changed."""

    action: str
    """Its name."""
    topics: list[TopicChange] = field(default_factory=list)
    """Every topic after the action, in the order of the components."""
    moved: float = 0.0
    """The fraction of the samples of topics that the action does not name that are in another topic now."""

    def to_frame(self) -> Any:
        """The topics as a pandas DataFrame, one row each."""
        import pandas as pd

        return pd.DataFrame([vars(topic) for topic in self.topics], columns=list(TopicChange.__dataclass_fields__))

    def __repr__(self) -> str:
        others = [topic for topic in self.topics if not topic.named]
        moved = [topic for topic in others if topic.cosine < _SAME or topic.left > _FEW or topic.like]
        line = f"<Changes by {self.action}: {self.moved:.1%} of the samples of the other topics moved; {len(others) - len(moved)} of {len(others)} other topics are what they were>"
        return "\n".join([line, *(f"  {_described(topic)}" for topic in moved)])


def _described(topic: TopicChange) -> str:
    like = f"; it is now more like the former {topic.like!r}" if topic.like else ""
    return f"{topic.topic!r}: cosine {topic.cosine:.2f} to before, {topic.left:.0%} of its samples left{like}"
