"""What you know, as values: ``Guidance`` with items of any kind."""

from typing import TYPE_CHECKING

from .._lazy import lazily

if TYPE_CHECKING:
    from .guidance import Guidance
    from .items import (
        EntryWeights,
        FeatureWeights,
        Graph,
        KnownEntries,
        KnownFeatures,
        Labels,
        Links,
        Memberships,
        References,
        SampleWeights,
        Sets,
    )
    from .strength import raw
    from .topics import Topic

__all__ = [
    "EntryWeights",
    "FeatureWeights",
    "Graph",
    "Guidance",
    "KnownEntries",
    "KnownFeatures",
    "Labels",
    "Links",
    "Memberships",
    "References",
    "SampleWeights",
    "Sets",
    "Topic",
    "raw",
]

if not TYPE_CHECKING:
    _ELSEWHERE = {"guidance": ("Guidance",), "strength": ("raw",), "topics": ("Topic",)}
    _ITEMS = tuple(name for name in __all__ if name not in sum(_ELSEWHERE.values(), ()))
    __getattr__, __dir__ = lazily(__name__, {"items": _ITEMS, **_ELSEWHERE})
