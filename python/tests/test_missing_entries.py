"""Promise: one word for missing entries, ``missing``: "unknown" leaves NaN out of the fit wherever the method
can, and where it can't, or by default, the error names the way."""

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from partwise import Guidance, GuidedNMF, KnownEntries

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
FULL = (RNG.random((60, 3)) + 0.1) @ (RNG.random((3, 20)) + 0.1)
HOLES = RNG.random(FULL.shape) < 0.15
X = np.where(HOLES, np.nan, FULL)
Y = np.where(np.arange(60) < 6, np.arange(60) % 3, -1)
EXACT = {"random_state": 0, "max_iter": 5000, "tol": 1e-9}


@pytest.mark.parametrize("estimator", [pw.NMF, GuidedNMF])
def test_nan_is_left_out_and_filled_by_the_product(estimator):
    model = estimator(3, missing="unknown", **EXACT).fit(X)
    assert np.abs((model.codes_ @ model.components_ - FULL)[HOLES]).max() < 0.02
    np.testing.assert_allclose(model.transform(X) @ model.components_, FULL, atol=0.02)
    known = estimator(3, missing="unknown", **EXACT).fit(FULL)
    np.testing.assert_array_equal(known.codes_, estimator(3, **EXACT).fit(FULL).codes_)
    assert np.isfinite(known.transform(X)).all()


def test_labels_go_beside_missing_entries_and_ssnmf_takes_them_by_default():
    model = GuidedNMF(missing="unknown", random_state=0, max_iter=50).fit(X, Y)
    assert set(model.predict(X)) <= {0, 1, 2} and np.isfinite(model.codes_).all()
    one, other = (pw.SSNMF(random_state=0, max_iter=50, **given).fit(X, Y) for given in ({}, {"missing": "unknown"}))
    np.testing.assert_array_equal(one.codes_, other.codes_)


def test_entries_that_the_guidance_says_are_unknown_may_be_nan():
    by_item = GuidedNMF(3, guidance=Guidance(KnownEntries(~HOLES)), **EXACT)
    np.testing.assert_array_equal(by_item.fit(X).codes_, by_item.fit(np.where(HOLES, 0, X)).codes_)
    # Both ways together: what either says is unknown.
    half = HOLES & (np.arange(60)[:, None] < 30)
    both = GuidedNMF(3, guidance=Guidance(KnownEntries(~half)), missing="unknown", **EXACT).fit(X)
    np.testing.assert_array_equal(both.codes_, by_item.fit(X).codes_)
    with pytest.raises(ValueError, match=r"contains NaN.*missing='unknown'"):
        GuidedNMF(3, guidance=Guidance(KnownEntries(~half))).fit(X)


def test_where_nan_cannot_be_left_out_the_error_names_the_way():
    for model, said in (
        (pw.NMF(3), r"NMF\(missing='unknown'\) leaves them out"),
        (GuidedNMF(3), r"GuidedNMF\(missing='unknown'\) leaves them out"),
        (pw.SSNMF(3, missing="error"), r"SSNMF\(missing='unknown'\) leaves them out"),
        (pw.CNMF(3), "NMF, SSNMF and GuidedNMF leave them out with missing='unknown'"),
        (pw.NMF(3, missing="unknown", beta_loss="kullback-leibler"), "loss"),
        (pw.NMF(3, missing="nan"), "The 'missing' parameter of NMF must be 'error' or 'unknown'. Got 'nan' instead"),
    ):
        with pytest.raises(ValueError, match=said):
            model.fit(X, Y)
    with pytest.raises(ValueError, match="in a dense X only"):
        pw.NMF(3, missing="unknown").fit(sp.csr_array(X))


def test_a_model_with_missing_entries_is_saved_and_steered(tmp_path):
    model = GuidedNMF(guidance=Guidance({"a": [0], "b": [5]}), missing="unknown", random_state=0, max_iter=50).fit(X)
    model.save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    assert again.missing == "unknown"
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert list(model.steer(X).rename("a", "c").component_names_) == ["c", "b"]
