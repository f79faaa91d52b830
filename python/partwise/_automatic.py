"""Predicts the classes of all samples from a few labels, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._classifier import FewLabelClassifier

__all__ = ["Automatic", "automatic"]


@dataclass(frozen=True, repr=False)
class Automatic:
    """The result of ``automatic``: classes, posteriors, and the scores behind them."""

    labels: Any
    """The class of each sample (n)."""
    memberships: Any
    """The posterior of each class for each sample (n, c); rows sum to 1."""
    classes: Any
    """The classes (c), sorted."""
    candidates: list[dict[str, Any]]
    """The candidate graphs: "graph", "components_per_class", "share", "score", "agreement", "weight"."""
    readings: list[dict[str, Any]]
    """The base classifiers: "reading" (its name), "score", "agreement", "weight"."""
    refinements: list[dict[str, Any]]
    """The refinements of the combined posteriors: "refinement" (its name), "score", "agreement", "weight"."""
    hidden: int
    """The number of held-out labels that the scores use."""
    sizes: Any
    """The class sizes that were assumed (c); they sum to 1."""
    notices: list[tuple[str, str]]
    """Notices about the result."""
    model: FewLabelClassifier
    """The classifier: ``predict`` and ``predict_proba`` for new rows, ``save``."""

    def predict(self, X: Any) -> Any:
        """Predict the class of rows that were not there; see ``FewLabelClassifier.predict``."""
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Compute the posteriors of such rows; see ``FewLabelClassifier.predict_proba``."""
        return self.model.predict_proba(X)

    def __repr__(self) -> str:
        score = self.model.held_out_score_
        scored = "no held-out score" if score is None else f"held-out score {score:.2f} from {self.hidden} labels"
        return f"Automatic({len(self.labels)} samples, {len(self.classes)} classes, {scored})"


def automatic(X: Any, y: Any, *, random_state: Any = 0, n_jobs: int | None = None, unlabelled: Any = -1, layer: str | None = None) -> Automatic:
    """Predict the classes of all samples from a few labels, without parameters to tune.

    The same as ``FewLabelClassifier().fit(X, y)``, which also shows its progress.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
        The data, non-negative.
    y : array-like of shape (n_samples,)
        One label per sample, of two classes or more; -1 (or ``unlabelled``), None, NaN or blank for
        unlabelled samples.
    random_state : int, RandomState or None, default=0
        The seed.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on this.
    unlabelled : int or str, default=-1
        A further marker of unlabelled samples.
    layer : str, default=None
        The layer of an AnnData object.

    Returns
    -------
    found : Automatic
        The predicted ``labels`` with their ``memberships`` (posteriors), and the scores behind them: of the
        candidate graphs (``candidates``), the base classifiers (``readings``) and the self-training steps
        (``refinements``).

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import automatic
    >>> X = np.array([[3, 1, 0.1 * i] if i % 2 == 0 else [0.1 * i, 1, 3] for i in range(12)])
    >>> found = automatic(X, ["a", "b", "a", "b", *[None] * 8])
    >>> found
    Automatic(12 samples, 2 classes, held-out score 0.83 from 4 labels)
    >>> "".join(found.labels)
    'abababababab'
    """
    model = FewLabelClassifier(random_state=random_state, n_jobs=n_jobs, unlabelled=unlabelled, layer=layer).fit(X, y)

    def named(key: str, members: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: member["name"], **{name: value for name, value in member.items() if name != "name"}} for member in members]

    return Automatic(
        model.labels_,
        model.posteriors_,
        model.classes_,
        model.candidates_,
        named("reading", model.base_classifiers_),
        named("refinement", model.refinements_),
        model.n_held_out_,
        model.class_sizes_,
        model.notices_,
        model,
    )
