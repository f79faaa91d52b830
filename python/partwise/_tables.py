"""Tables of a fitted model: topics, samples, components, codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._names import names_of_model
from ._pipeline import makes_names, names_made_by

__all__ = ["TablesMixin"]

_TABLES = ("components", "topics", "samples", "codes", "memberships", "history")
# How much of a text a table shows.
_SNIPPET = 80


class TablesMixin:
    """What a fit found, as tables."""

    components_: Any
    codes_: Any
    component_names_: Any
    history_: Any
    _shares_of: str
    memberships: Any
    predict_names: Any
    _clusters: Any
    _factors_and_names: Any

    def _feature_names(self, given: Any = None) -> Any:
        if makes_names(given):
            given = names_made_by(given)
        names = given if given is not None else names_of_model(self).features.labels
        if names is None:
            names = [f"x{j}" for j in range(self.components_.shape[1])]
        if len(names) != self.components_.shape[1]:
            raise ValueError(f"there are {len(names)} feature names for {self.components_.shape[1]} features")
        return np.asarray(names, dtype=object)

    def top_features(self, n: int = 10, *, feature_names: Any = None) -> dict[str, list[tuple[str, float]]]:
        """The n largest entries of each component with the names of their features, largest first.

        Parameters
        ----------
        n : int, default=10
            How many.
        feature_names : sequence of str, or a fitted vectorizer, default=None
            The names of the features, where X had none (a sparse matrix outside of a Pipeline).

        Returns
        -------
        top : dict of str to list of (str, float)
            By the name of the component.
        """
        check_is_fitted(self)
        names = self._feature_names(feature_names)
        order = np.argsort(-self.components_, axis=1, kind="stable")[:, : _positive("n", n)]
        return {
            str(name): [(str(names[f]), float(row[f])) for f in best]
            for name, row, best in zip(self.component_names_, self.components_, order, strict=True)
        }

    def top_samples(self, n: int = 10) -> dict[str, list[tuple[int, float]]]:
        """The n samples of the fit that show each component best, the best first, with their memberships in
        it. They are ranked by code times membership: a good example is large and pure.

        Returns
        -------
        top : dict of str to list of (int, float)
            By the name of the component.
        """
        best = self._representatives(_positive("n", n))
        return dict(zip((str(name) for name in self.component_names_), best, strict=True))

    def _representatives(self, n: int) -> list[list[tuple[int, float]]]:
        """The best examples of each component, with their memberships."""
        codes, components, _ = self._factors_and_names(n)
        return _native.representative_samples(codes, components, self._shares_of, n)

    def to_frame(self, what: str = "components", *, n: int = 8, feature_names: Any = None, texts: Sequence[str] | None = None) -> Any:
        """A table as a pandas DataFrame. Its rows and columns have the names that the data had.

        Parameters
        ----------
        what : {"components", "topics", "samples", "codes", "memberships", "history"}, default="components"
            Which table. "topics": a row per component, with the number of its samples, their share of all, its
            top features, and the samples that show it best; a last row counts the samples that belong to none.
            "samples" ("documents" is another name for it): for each sample its topic (None for rows of zeros),
            its membership in the component, and whether it is one of the best examples. For memberships,
            ``frame.attrs["shares_of"]`` states the size of a component ("length" or "sum").
        n : int, default=8
            How many features and examples "topics" lists.
        feature_names : sequence of str, or a fitted vectorizer, default=None
            The names of the features, where X had none.
        texts : sequence of str, default=None
            The text of each sample: "topics" and "samples" then show how it begins.

        Returns
        -------
        frame : pandas.DataFrame

        Examples
        --------
        >>> import numpy as np
        >>> from partwise import Guidance, GuidedNMF
        >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [0, 0, 0]])
        >>> guidance = Guidance({"sea": ["boat"], "sky": ["bird"]}, feature_names=["boat", "wind", "bird"])
        >>> model = GuidedNMF(guidance=guidance, random_state=0, tol=1e-2).fit(X)
        >>> print(model.to_frame("topics", n=2))
              size  share      features examples
        topic                                   
        sea      2    0.4  [boat, wind]   [0, 1]
        sky      2    0.4  [bird, wind]   [3, 2]
        None     1    0.2            []       []
        """
        check_is_fitted(self)
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        names = [str(name) for name in self.component_names_]
        if what == "components":
            return pd.DataFrame(self.components_, index=names, columns=self._feature_names(feature_names))
        samples = names_of_model(self).samples.labels
        if what == "codes":
            return pd.DataFrame(self.codes_, index=samples, columns=names)
        if what == "memberships":
            frame = pd.DataFrame(self.memberships(), index=samples, columns=names)
            frame.attrs["shares_of"] = self._shares_of
            return frame
        if what == "history":
            return pd.DataFrame(self.history_).set_index("iteration")
        if what not in ("topics", "samples", "documents"):
            raise ValueError(f"unknown table {what!r}; valid: {', '.join(map(repr, _TABLES))}")
        snippets = _snippets(texts, len(self.codes_))
        if what == "topics":
            return self._topics_frame(pd, _positive("n", n), feature_names, snippets)
        return self._samples_frame(pd, _positive("n", n), snippets)

    def _topics_frame(self, pd: Any, n: int, feature_names: Any, snippets: list[str] | None) -> Any:
        """A row a component, and one for the samples that belong to none."""
        clusters = self._clusters(None)
        best = self._representatives(n)
        shown = self._sample_labels() if snippets is None else snippets
        rows: list[dict[str, Any]] = [
            {
                "topic": str(name),
                "size": int((clusters == j).sum()),
                "features": [feature for feature, value in top if value > 0],
                "examples": [shown[i] for i, _ in best[j]],
            }
            for j, (name, top) in enumerate(self.top_features(n, feature_names=feature_names).items())
        ]
        empty = int((clusters < 0).sum())
        if empty:
            rows.append({"topic": None, "size": empty, "features": [], "examples": []})
        for row in rows:
            row["share"] = row["size"] / max(len(clusters), 1)
        index = pd.Index([row["topic"] for row in rows], dtype=object, name="topic")
        return pd.DataFrame(rows, index=index, columns=["size", "share", "features", "examples"])

    def _samples_frame(self, pd: Any, n: int, snippets: list[str] | None) -> Any:
        """A row a sample."""
        clusters, shares = self._clusters(None), self.memberships()
        best = [{i for i, _ in examples} for examples in self._representatives(n)]
        own = np.where(clusters >= 0, shares[np.arange(len(shares)), np.maximum(clusters, 0)], 0.0)
        index = pd.Index(self._sample_labels())
        columns: dict[str, Any] = {
            # As objects: a column of text would show None as NaN.
            "topic": pd.Series(list(self.predict_names()), index=index, dtype=object),
            "membership": own,
            "is_example": [bool(cluster >= 0 and i in best[cluster]) for i, cluster in enumerate(clusters)],
        }
        if snippets is not None:
            columns["text"] = snippets
        return pd.DataFrame(columns, index=index)

    def _sample_labels(self) -> list[Any]:
        labels = names_of_model(self).samples.labels
        return list(range(len(self.codes_))) if labels is None else list(labels)


def _snippets(texts: Sequence[str] | None, n: int) -> list[str] | None:
    """How each text begins, on one line."""
    if texts is None:
        return None
    if isinstance(texts, str) or len(texts) != n:
        raise ValueError(f"texts must be {n} texts, one for each sample of the fit, but there are {1 if isinstance(texts, str) else len(texts)}")
    lines = [" ".join(str(text).split()) for text in texts]
    return [line if len(line) <= _SNIPPET else f"{line[: _SNIPPET - 3]}..." for line in lines]


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name} is {value}, but must be 1 or more")
    return int(value)
