"""Promise: numbers at the ends of the range give the answer of the same data in other units, or a clear
error; no panic reaches Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise import _native, _registry
from partwise._errors import guard

X = np.random.default_rng(0).random((14, 6)) * 10 + 0.1
y = np.array([0, 1, 0, 1] + [-1] * 10)
# NTF and the symmetric methods take other data.
ESTIMATORS = [getattr(pw, spec["estimator"]) for spec in _registry.METHODS.values() if not spec["symmetric"] and not spec["images"]]


def test_every_method_of_the_registry_is_tried() -> None:
    assert len(ESTIMATORS) >= 12 and not {pw.NTF, pw.SymNMF, pw.WSSymNMF} & set(ESTIMATORS)


def _fitted(kind: Any, data: Any, loss: str) -> Any:
    return kind(2, beta_loss=loss, random_state=0, max_iter=50).fit(data, y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_data_out_of_range_have_the_fit_of_the_same_data_in_other_units(kind: Any, form: Any) -> None:
    for loss in ("frobenius", "kullback-leibler"):
        try:
            _fitted(kind, X, loss)
        except ValueError:
            continue  # This loss isn't offered by the method.
        for dtype, powers in ((np.float64, (-660, 660)), (np.float32, (-100, 80))):
            for power in powers:
                data = form((X * 2.0**power).astype(dtype))
                try:
                    model = _fitted(kind, data, loss)
                except ValueError as error:
                    # The weight of a graph has a unit: beside data so small it may be beyond all range, which
                    # is said.
                    assert kind in (pw.GNMF, pw.SemiGNMF) and power < 0, error
                    assert "overflowed; scale the data" in str(error)
                    continue
                assert np.isfinite(model.codes_).all() and np.isfinite(model.components_).all()
                assert np.isfinite([model.relative_error_, model.reconstruction_err_]).all()
                assert model.relative_error_ < 0.8
                product = (model.codes_.astype(np.longdouble) @ model.components_.astype(np.longdouble)) / np.longdouble(2.0) ** power
                true = np.sqrt(((X - product) ** 2).sum() / (X**2).sum())
                # The other ones weigh rows or link the factors.
                if loss == "frobenius" and kind not in (pw.NsNMF, pw.NMFDC, pw.NCWNMF):
                    assert abs(float(true) - model.relative_error_) < 1e-3
                codes = model.transform(data)
                assert np.isfinite(codes).all() and codes.max() > 0
                assert np.isfinite(model.memberships()).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_what_single_precision_cannot_hold_is_refused_or_told(form: Any) -> None:
    for factor, said in ((1e-50, "is 0 in float32"), (1e50, "more than float32 can hold")):
        with pytest.raises(ValueError, match=said):
            pw.NMF(2, dtype="float32").fit(form(X * factor))
    mixed = X.copy()
    mixed[0, 0] = 1e-60
    with pytest.warns(UserWarning, match="1 entries are so small that they are 0 in float32"):
        pw.NMF(2, dtype="float32", max_iter=500).fit(form(mixed))


def test_a_panic_of_the_engine_is_an_exception_that_asks_to_be_reported() -> None:
    class PanicException(BaseException):
        pass

    class Module:
        @staticmethod
        def broken() -> None:
            raise PanicException("an index out of bounds")

    module = type("module", (), {})()
    module.broken = Module.broken
    guard(module)
    with pytest.raises(RuntimeError, match="an index out of bounds; please report it"):
        module.broken()
    assert all(hasattr(getattr(_native, name), "__wrapped__") for name in ("fit", "encode", "solve", "nnls", "fit_guided", "classify", "compare"))


def test_weights_that_are_all_0_are_refused_and_absent_words_are_told() -> None:
    zeros = np.zeros_like(X)
    for item in (
        pw.SampleWeights(np.zeros(14)),
        pw.FeatureWeights(np.zeros(6)),
        pw.EntryWeights(zeros),
    ):
        with pytest.raises(ValueError, match="must be above 0"):
            pw.GuidedNMF(2, guidance=pw.Guidance(item)).fit(X)
    model = pw.GuidedNMF(2, guidance=pw.Guidance(pw.Topic("t", forbidden=["zebra"], seeds=["a"])), random_state=0, max_iter=500)
    import pandas as pd

    model.fit(pd.DataFrame(X, columns=list("abcdef")))
    assert any("zebra" in str(notice) for notice in model.notices_), model.notices_


@pytest.mark.parametrize("kind", [pw.NMF, pw.CNMF, pw.WSNMF, pw.GuidedNMF])
def test_penalties_that_leave_nothing_are_a_warning(kind: Any) -> None:
    with pytest.warns(UserWarning, match="every component is 0"):
        model = kind(2, alpha_W=1e3, l1_ratio=1.0, random_state=0).fit(X, y)
    assert not (model.codes_ @ model.components_).any()
