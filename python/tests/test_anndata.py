"""Promise: AnnData goes in and comes back: genes and cells by name, layers and raw, results where scanpy
looks for them, files of it that can be written."""

import hashlib
import importlib.util
import json
import warnings

import numpy as np
import pandas as pd
import partwise as pw
import pytest
from partwise import Guidance, GuidedNMF

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class LooksLikeAnnData:
    """The parts of AnnData that are used, for where it isn't installed."""

    def __init__(self, X):
        n, d = self.shape = X.shape
        self.X, self.layers, self.obsm, self.varm, self.uns, self.raw = X, {}, {}, {}, {}, None
        self.obs = pd.DataFrame(index=[str(i) for i in range(n)])
        self.var = pd.DataFrame(index=[str(j) for j in range(d)])

    obs_names = property(lambda self: self.obs.index, lambda self, names: setattr(self.obs, "index", pd.Index(names)))
    var_names = property(lambda self: self.var.index, lambda self, names: setattr(self.var, "index", pd.Index(names)))

    def __getitem__(self, which):
        rows, columns = which if isinstance(which, tuple) else (which, slice(None))
        part = LooksLikeAnnData(self.X[rows][:, columns])
        part.obs, part.var, part.raw = self.obs.iloc[rows].copy(), self.var.iloc[columns].copy(), self.raw
        return part

    def copy(self):
        return self[:]


@pytest.fixture(params=["stand-in", pytest.param("anndata", marks=pytest.mark.skipif(importlib.util.find_spec("anndata") is None, reason="anndata isn't installed"))], autouse=True)
def make(request, monkeypatch):
    """Tests run with the real class too, where it is installed."""
    if request.param == "anndata":
        import anndata

        monkeypatch.setitem(globals(), "AnnData", anndata.AnnData)


AnnData = LooksLikeAnnData
TYPES = np.array(["T", "B", "Mono"], dtype=object)
GENES = [f"{kind}{number}" for kind in TYPES for number in range(4)]
MARKERS = {"T": ["T0", "T1"], "B": ["B0"], "Mono": ["Mono2"]}


def cells(empty=True):
    """24 cells of three types, and one without counts."""
    truth = np.repeat([0, 1, 2], 8)
    counts = 0.1 * np.random.default_rng(0).random((24, 12)) + np.kron(np.eye(3), np.ones((8, 4)))
    counts = np.vstack([counts, np.zeros((1, 12))]) if empty else counts
    adata = AnnData(counts)
    adata.obs_names, adata.var_names = [f"cell{i}" for i in range(len(counts))], GENES
    kinds = [*TYPES[truth], *([None] if empty else [])]
    adata.obs["known"] = [kind if at % 4 == 0 else None for at, kind in enumerate(kinds)]
    return adata, kinds


def test_results_go_where_scanpy_looks_for_them(tmp_path):
    adata, kinds = cells()
    model = GuidedNMF(guidance=Guidance(MARKERS), random_state=0).fit(adata)
    assert model.to_anndata(adata) is adata
    np.testing.assert_array_equal(adata.obsm["X_partwise"], model.codes_)
    np.testing.assert_array_equal(adata.varm["partwise"], model.components_.T)
    assert adata.obs["partwise"].astype(object).where(adata.obs["partwise"].notna(), None).tolist() == kinds
    assert list(adata.obs["partwise"].cat.categories) == list(TYPES)
    about = adata.uns["partwise"]
    assert about["method"] == "guided" and list(about["component_names"]) == list(TYPES) and about["params"]["random_state"] == 0
    assert json.loads(about["guidance_report"])["findings"][0]["topic"] == "T"
    plain = (str, int, float, np.ndarray)
    assert all(isinstance(value, plain) for value in (*about["params"].values(), *(value for key, value in about.items() if key != "params")))
    if AnnData is not LooksLikeAnnData:
        import anndata

        del adata.obs["known"]
        for table in (adata.obs, adata.var):
            table.index = table.index.astype(object)
        adata.write_h5ad(tmp_path / "cells.h5ad")
        again = anndata.read_h5ad(tmp_path / "cells.h5ad")
        assert again.uns["partwise"]["n_iter"] == model.n_iter_ and list(again.obs["partwise"].dropna()) == list(adata.obs["partwise"].dropna())


def test_cells_and_genes_go_by_name():
    adata, kinds = cells()
    model = pw.NMF(3, random_state=0).fit(adata[:, 2:])
    order = np.random.default_rng(1).permutation(25)
    other = model.to_anndata(adata[order].copy(), key_added="nmf")
    np.testing.assert_array_equal(other.obsm["X_nmf"], model.codes_[order])
    assert np.isnan(other.varm["nmf"][:2]).all()
    np.testing.assert_array_equal(other.varm["nmf"][2:], model.components_.T)
    with pytest.raises(ValueError, match=r"the samples of adata are not those of the fit: it has 20, .* model.transform\(adata\)"):
        model.to_anndata(adata[:20].copy())
    with pytest.raises(ValueError, match="1 features of the fit are not in adata, the first 'Mono3'"):
        model.to_anndata(adata[:, :-1].copy())
    with pytest.raises(TypeError, match="takes an AnnData object, but got a ndarray"):
        model.to_anndata(adata.X)


def test_raw_is_a_layer_with_genes_of_its_own():
    adata, _ = cells(empty=False)
    adata.raw = adata
    few = adata[:, [0, 4, 8]].copy()
    few.X = few.X + 5
    model = pw.NMF(3, layer="raw", random_state=0).fit(few)
    np.testing.assert_array_equal(model.codes_, pw.NMF(3, random_state=0).fit(adata).codes_)
    assert list(model.to_frame().columns) == GENES and list(model.feature_names_in_) == GENES
    np.testing.assert_array_equal(model.transform(few), model.transform(adata))
    np.testing.assert_array_equal(model.to_anndata(few).varm["partwise"], model.components_.T[[0, 4, 8]])
    with pytest.raises(ValueError, match="the layer 'rwa' isn't in the data; valid layers: 'raw' .nearest: 'raw'"):
        pw.NMF(3, layer="rwa").fit(few)


@pytest.mark.parametrize("layer", [None, "counts"])
def test_the_report_reads_the_data_of_the_fit(layer, tmp_path):
    adata, _ = cells(empty=False)
    adata.layers["counts"] = 2 * adata.X
    model = pw.NMF(3, layer=layer, random_state=0).fit(adata)
    model.write_report(tmp_path / "cells.html", adata)
    used = adata.X if layer is None else adata.layers[layer]
    assert hashlib.sha256(used.tobytes()).hexdigest() in (tmp_path / "cells.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="X must be the data of the fit, 24 samples of 12 features, but has 20"):
        model.write_report(tmp_path / "cells.html", adata[:20].copy() if layer is None else adata.layers[layer][:20])


def test_functions_for_scanpy_users_write_and_return_the_model():
    adata, kinds = cells(empty=False)
    guided = pw.tl.guided_nmf(adata, MARKERS, labels="known", key_added="types", random_state=0, spread="off")
    assert list(adata.obs["types"]) == kinds and isinstance(guided, GuidedNMF) and adata.obsm["X_types"].shape == (24, 3)
    plain = pw.tl.nmf(adata, 3, random_state=0)
    assert isinstance(plain, pw.NMF) and {"partwise", "types"} <= set(adata.uns)
    assert list(plain.to_frame("codes").index) == list(adata.obs_names)
    with pytest.raises(KeyError, match="no column 'know' .nearest: 'known'"):
        pw.tl.guided_nmf(adata, labels="know")


def test_new_cells_bring_no_warning():
    adata, kinds = cells()
    model = GuidedNMF(random_state=0, spread="off").fit(adata, "known")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(adata).tolist() == kinds
        assert model.score(adata, "known") == 1.0 and model.transform(adata).shape == (25, 3)


def test_genes_can_count_alike_however_strong_they_are():
    adata, kinds = cells(empty=False)
    scales = 10.0 ** np.random.default_rng(0).integers(-1, 2, 12)
    uneven = adata.copy()
    uneven.X = adata.X * scales
    alike = pw.tl.guided_nmf(uneven, MARKERS, gene_weights="unit-length", random_state=0, tol=1e-6)
    divided = adata.X / np.linalg.norm(adata.X, axis=0)
    by_hand = GuidedNMF(guidance=Guidance(MARKERS, feature_names=GENES), random_state=0, tol=1e-6).fit(divided)
    assert alike.relative_error_ == pytest.approx(by_hand.relative_error_, rel=1e-6)
    in_units = alike.components_ / np.linalg.norm(uneven.X, axis=0)
    lengths, same = (np.linalg.norm(components, axis=1)[:, None] for components in (in_units, by_hand.components_))
    np.testing.assert_allclose(in_units / lengths, by_hand.components_ / same, atol=1e-6)
    np.testing.assert_allclose(alike.codes_ * lengths.T, by_hand.codes_ * same.T, atol=1e-6)
    with pytest.raises(ValueError, match="must be numbers or 'unit-length'"):
        pw.tl.guided_nmf(adata, MARKERS, gene_weights="unit")
