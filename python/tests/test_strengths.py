"""Promise: strengths have one scale; older spellings give the same bits, with a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import partwise as pw
from partwise import raw

X = np.random.default_rng(0).random((20, 6))
Y = np.where(np.arange(20) < 8, np.arange(20) % 2, -1)
FEW = {"random_state": 0, "max_iter": 15}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (pw.WSNMF(strength=3, **FEW), pw.WSNMF(strength=0.75, **FEW)),
        (pw.WSNMF(strength=10, **FEW), pw.WSNMF(**FEW)),
        (pw.WSNMF(strength=3, strength_unit="raw", **FEW), pw.WSNMF(strength=raw(3), **FEW)),
        (pw.WSNMF(strength_unit="raw", **FEW), pw.WSNMF(strength=raw(10), **FEW)),
        (pw.SSNMF(label_weight=1.0, **FEW), pw.SSNMF(**FEW)),
        (pw.SSNMF(label_weight=9, **FEW), pw.SSNMF(strength=0.75, **FEW)),
        (pw.SSNMF(label_weight=4, strength_unit="raw", **FEW), pw.SSNMF(strength=raw(4), **FEW)),
        (pw.GNMF(2, graph_weight=2, **FEW), pw.GNMF(2, strength=raw(2), **FEW)),
        (pw.SemiGNMF(graph_weight=1, **FEW), pw.SemiGNMF(**FEW)),
    ],
    ids=repr,
)
def test_an_older_spelling_gives_the_same_bits_with_a_warning(old, new):
    with pytest.warns(FutureWarning, match="older spelling .* give .*strength="):
        found = old.fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        expected = clone(new).fit(X, Y)
    assert np.array_equal(found.codes_, expected.codes_) and np.array_equal(found.components_, expected.components_)


@pytest.mark.parametrize("strength", [0, 0.3, 0.9, raw(0.5)])
def test_every_strength_takes_the_scale_and_raw_weights(strength, tmp_path):
    for estimator in (pw.WSNMF, pw.SSNMF, pw.GNMF, pw.SemiGNMF):
        model = estimator(2, strength=strength, **FEW)
        assert clone(model).get_params()["strength"] == strength
        model.fit(X, Y).save(tmp_path / "model.safetensors")
        again = pw.load(tmp_path / "model.safetensors")
        assert again.strength == strength and np.array_equal(again.fit(X, Y).codes_, model.codes_)


def test_the_least_strength_that_is_followed_is_searched():
    model = pw.WSNMF(strength="auto", **FEW).fit(X, Y)
    assert (model.labels_[:8] == Y[:8]).mean() >= 0.95
    for refused in (pw.GNMF(2, strength="auto"), pw.SSNMF(strength="auto")):
        with pytest.raises(ValueError, match="search for a strength"):
            refused.fit(X, Y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (pw.WSNMF(strength=-1), "from 0 .* to 1"),
        (pw.WSNMF(strength=np.inf), "a finite number of 0 or more"),
        (pw.WSNMF(strength=1.0), "a strength below 1"),
        (pw.WSNMF(strength="much"), "'auto'"),
        (pw.WSNMF(strength_unit="kg"), "valid: relative, raw"),
        (pw.SSNMF(strength=2), "give a paper's own weight as raw"),
        (pw.GNMF(2, strength=0.1, graph_weight=1), "the same thing twice"),
    ],
    ids=repr,
)
def test_a_strength_out_of_range_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_faults_of_the_data_have_attributes():
    broken = X.copy()
    broken[3, 2] = -1
    with pytest.raises(ValueError, match="Negative values in data passed to NMF") as fault:
        pw.NMF(2).fit(broken)
    cause = fault.value.__cause__
    assert (cause.kind, cause.what, cause.place, cause.count) == ("negative", "the data", (3, 2), 1)
