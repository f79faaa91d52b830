"""Partwise factors a non-negative matrix into components, guided by what you know.

The estimators follow scikit-learn's conventions. ``NMF`` has the same parameter names, and the others take
labels as ``y``, with -1 for unlabelled samples.

Examples
--------
>>> import numpy as np
>>> from partwise import WSNMF
>>> from partwise.datasets import load_digits
>>> X, truth = load_digits(return_X_y=True)
>>> y = np.full(len(truth), -1)
>>> for digit in range(10):  # five labels each, 1747 images without
...     y[np.flatnonzero(truth == digit)[:5]] = digit
>>> model = WSNMF(random_state=0, max_iter=1000, tol=1e-3).fit(X, y)
>>> bool((model.labels_ == truth).mean() > 0.65)
True
"""

import typing as _typing

from . import _estimators, _guidance, _native
from ._errors import guard as _guard
from ._lazy import lazily as _lazily
from ._native import __version__

if _typing.TYPE_CHECKING:
    from . import datasets, metrics, tl
    from ._automatic import Automatic, automatic
    from ._base import Factorization, Iteration
    from ._blocks import RowBlocks
    from ._changes import Changes, TopicChange
    from ._citation import cite
    from ._classifier import FewLabelClassifier, Phase
    from ._compare import Comparison, compare
    from ._consensus import ConsensusNMF
    from ._estimators import *  # noqa: F403
    from ._files import load
    from ._guidance import *  # noqa: F403
    from ._rank import RankChoice, select_rank
    from ._report import ComponentLikeness, Finding, GuidanceCost, GuidanceReport, PairInDoubt, Suggestion, TopicVerdict
    from ._solve import nnls, solve_codes, solve_components
    from ._steering import Steering

__all__ = [
    "Automatic",
    "Changes",
    "ComponentLikeness",
    "Comparison",
    "ConsensusNMF",
    "Factorization",
    "FewLabelClassifier",
    "Finding",
    "GuidanceCost",
    "GuidanceReport",
    "Iteration",
    "PairInDoubt",
    "Phase",
    "RankChoice",
    "RowBlocks",
    "Steering",
    "Suggestion",
    "TopicChange",
    "TopicVerdict",
    "__version__",
    "automatic",
    "cite",
    "compare",
    "datasets",
    "load",
    "metrics",
    "nnls",
    "select_rank",
    "solve_codes",
    "solve_components",
    "tl",
]
__all__ += _estimators.__all__
__all__ += _guidance.__all__

_guard(_native)

if not _typing.TYPE_CHECKING:
    # The same as above for a running program, which imports only what it asks for.
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "datasets": (),
            "metrics": (),
            "tl": (),
            "_automatic": ("Automatic", "automatic"),
            "_base": ("Factorization", "Iteration"),
            "_blocks": ("RowBlocks",),
            "_changes": ("Changes", "TopicChange"),
            "_citation": ("cite",),
            "_classifier": ("FewLabelClassifier", "Phase"),
            "_compare": ("Comparison", "compare"),
            "_consensus": ("ConsensusNMF",),
            "_estimators": tuple(_estimators.__all__),
            "_files": ("load",),
            "_guidance": tuple(_guidance.__all__),
            "_rank": ("RankChoice", "select_rank"),
            "_report": ("ComponentLikeness", "Finding", "GuidanceCost", "GuidanceReport", "PairInDoubt", "Suggestion", "TopicVerdict"),
            "_solve": ("nnls", "solve_codes", "solve_components"),
            "_steering": ("Steering",),
        },
    )
