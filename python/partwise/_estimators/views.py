"""NMF beside labels that the codes explain: as a second view, or by support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import Factorization
from .._factory import estimator
from .._missing_entries import missing_entries
from .._parameters import parameter
from .._strengths import OlderStrength, StrengthUnit
from .._targets import Targets

__all__ = ["NMFAlpha", "SSNMF"]


@estimator
class SSNMF(StrengthUnit, Factorization):
    """Semi-supervised NMF: labels as a second view of the samples: soft, several per sample, or unknown.

    NaN in a dense X marks missing entries by default: they take no part in the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import SSNMF
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = SSNMF(random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _older_strength = OlderStrength("label_weight", squared=False)

    missing: str = missing_entries("unknown")  # type: ignore[assignment]

    label_weight: float | None = parameter(
        None, "float", "An older spelling: (s / (1 - s))² of the strength s, or the published weight."
    )


@estimator
class NMFAlpha(Factorization):
    """NMF that keeps the directions of support vector machines trained on the labelled samples
    (Kullback-Leibler).

    Several labels per sample are given as a 2-D y of 0 and 1 (rows of NaN or -1 for unlabelled samples).

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMFAlpha
    >>> X = np.array([[5, 1, 0], [4, 1, 0], [0, 1, 3], [0, 2, 6.0], [6, 1, 0.2]])
    >>> y = [0, 0, 1, 1, -1]
    >>> model = NMFAlpha(max_iter=2000, random_state=0, tol=1e-2).fit(X, y)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    _python_names = {"svm_cost": "cost"}

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        # The engine refuses it too, but does not count the classes, which the checks of scikit-learn ask for.
        if targets is not None and targets.codes is not None and targets.labelled.any() and targets.n_classes < 2:
            raise ValueError(f"{self._title} needs {self._needs}, but y has 1 class")
        return super()._knowledge(data, targets)

    def corrected_codes(self, codes: Any = None) -> Any:
        """Codes W(HHᵀ)^½, whose inner products are those of the rows of WH; they may be negative.

        Parameters
        ----------
        codes : array-like of shape (n_samples, n_components), default=None
            Codes, ``codes_`` by default.

        Returns
        -------
        corrected : ndarray of shape (n_samples, n_components)
        """
        codes = self.codes_ if codes is None else np.asarray(codes)
        values, vectors = np.linalg.eigh((self.components_ @ self.components_.T).astype(np.float64))
        return codes @ ((vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T)
