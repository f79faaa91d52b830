"""Codes and reconstructions of new rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._blocks import Blocked
from ._common_settings import CommonSettings
from ._input import check_not_negative, codes_by_name, numeric, raise_about, to_native
from ._missing_entries import codes_of_known_entries, takes_missing, unknown_entries
from ._settings import iterations_of, threads_of, warn_of_threads
from ._warn import warn

__all__ = ["NewRowsMixin"]


class NewRowsMixin(CommonSettings, TransformerMixin):
    """What a fitted model says of new rows."""

    components_: Any
    component_names_: Any
    n_components_: int
    _spec: ClassVar[dict[str, Any]]
    _encoding: dict[str, Any]
    # The scaling of new rows, of a model that the command line fitted with --scale; None for all others.
    scaling_: Any = None
    # Of a model that the command line fitted: whether the file of the data named features; and how many words
    # in a row its features are, where it counted those of texts.
    _names_are_of_a_file: bool = False
    _text_ngrams: tuple[int, int] | None = None
    # Whether the fit ignored missing entries.
    _left_entries_out: bool = False

    def transform(self, X: Any) -> Any:
        """Compute the codes of rows for the fitted components, without guidance.

        Under the Frobenius loss they are the exact minimum (with the fit's penalties); with the
        Kullback-Leibler loss they are the result of ``max_iter`` multiplicative updates from a constant
        start. Either way the codes of a row depend only on that row.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame, AnnData} of shape (n_samples, n_features)
            The data, non-negative.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            The codes, in the precision of X.
        """
        return self._encode(X)["codes"]

    def _encode(self, X: Any, *, with_error: bool = False) -> dict[str, Any]:
        """The result of the engine for new rows; NaN is a missing entry if the fit supports missing
        entries. The error is computed only if it is asked for."""
        check_is_fitted(self)
        data = numeric(self, X, reset=False, dtype=self.dtype, blocks=True)
        return self._encode_blocks(data, with_error) if isinstance(data, Blocked) else self._encode_rows(data, with_error)

    def _encode_blocks(self, data: Blocked, with_error: bool) -> dict[str, Any]:
        """The codes of a row depend on that row only, so row blocks are encoded one after the other."""
        codes = np.empty((data.shape[0], self.n_components_), dtype=data.dtype)
        errors, sizes, squared = [], [], self._encoding["loss"] == "frobenius"
        for first, block in data.blocks_ahead():
            end = first + block.shape[0]
            try:
                done = self._encode_rows(block, with_error)
            except ValueError as error:
                raise ValueError(f"in rows {first} to {end - 1} of X, which are counted from 0 here: {error}") from error
            codes[first:end] = done["codes"]
            if with_error:
                values = np.asarray(block.data if sp.issparse(block) else block, dtype=np.float64)
                sizes.append(np.vdot(values, values) if squared else values.sum())
                errors.append(done["relative_error"])
        if not with_error:
            return {"codes": codes}
        left, size = float(np.vdot(np.square(errors) if squared else errors, sizes)), float(sum(sizes))
        share = left / size if size > 0 else 0.0
        return {"codes": codes, "relative_error": np.sqrt(share) if squared else share}

    def _encode_rows(self, data: Any, with_error: bool) -> dict[str, Any]:
        holes = unknown_entries(data) if self._left_out() else None
        if holes is not None:
            data = self._filled(data)
        elif self._left_entries_out:
            warn(
                f"{type(self).__name__}: the fit ignored missing entries, but here every entry counts, including zeros. "
                "Use NaN in a dense X for missing entries; codes_ has the codes of the fit"
            )
        check_not_negative(data, self)
        data = self._scaled(data)
        # Faults other than NaN and negative entries are found here too, in the words of the engine.
        done = self._encode_known(data, with_error)
        return done if holes is None else codes_of_known_entries(self, data, ~holes)

    def _filled(self, data: Any) -> Any:
        """The data with 0 for missing entries, where NaN marks these."""
        holes = unknown_entries(data) if self._left_out() else None
        return data if holes is None else np.where(holes, data.dtype.type(0), data)

    def _left_out(self) -> bool:
        """Whether new rows may have missing entries."""
        return (self._left_entries_out or takes_missing(self)) and self._encoding["loss"] == "frobenius"

    def _scaled(self, data: Any) -> Any:
        """Rows scaled like the data of the fit, if the command line scaled those."""
        return data if self.scaling_ is None else self.scaling_.scaled(data)

    def _encode_known(self, data: Any, with_error: bool = True) -> dict[str, Any]:
        settings = {
            "rank": self.n_components_,
            "solver": "auto",
            "max_iterations": iterations_of(self),
            # A stop on the gradient of all rows would make the codes of a row depend on its neighbours.
            "tolerance": 0.0,
            "threads": threads_of(self.n_jobs),
            "factors_only": not with_error,
        }
        components = np.ascontiguousarray(self.components_, dtype=np.float64)
        encoding = self._encoding
        try:
            penalties = (encoding["ridge"], encoding["linear"], encoding["smoothing"], encoding.get("feature_weights"))
            done = _native.encode(to_native(data), components, *penalties, encoding["loss"], settings, self._guidance_of_new_rows())
        except ValueError as error:
            raise_about(error, self)
        warn_of_threads(done["notices"], type(self).__name__)
        return done

    def _guidance_of_new_rows(self) -> dict[str, Any] | None:
        """What the fit learned about the classes of new rows."""
        return None

    def inverse_transform(self, X: Any) -> Any:
        """The reconstruction from codes: codes times components (with the smoothing matrix in between, if the
        model has one).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = codes_by_name(X, self.component_names_)
        if codes.ndim != 2 or codes.shape[1] != self.n_components_:
            raise ValueError(f"codes must have the shape (n_samples, {self.n_components_}), but have {codes.shape}")
        theta = self._encoding["smoothing"]
        if theta > 0:
            codes = (1 - theta) * codes + theta * codes.mean(axis=1, keepdims=True)
        return codes @ self.components_
