"""What you know, as values: ``Guidance`` of any kind, compiled to what the engine takes."""

from __future__ import annotations

from .guidance import Compiled, Guidance, compiled, guidance_of_document
from .items import EntryWeights, FeatureWeights, Graph, KnownEntries, KnownFeatures, Labels, Links, Memberships, References, SampleWeights, Sets
from .strength import Strength, raw
from .topics import Topic

__all__ = [
    "Compiled",
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
    "Strength",
    "Topic",
    "compiled",
    "guidance_of_document",
    "raw",
]
