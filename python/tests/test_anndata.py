"""Promise: AnnData goes in and comes back: genes and cells by name, layers and raw, results where scanpy looks
for them, files of it that can be written."""

import json
import warnings

import numpy as np
import partwise as pw
import pytest
from partwise import Guidance, GuidedNMF

anndata = pytest.importorskip("anndata")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TYPES = np.array(["T", "B", "Mono"], dtype=object)
GENES = [f"{kind}{number}" for kind in TYPES for number in range(4)]
MARKERS = {"T": ["T0", "T1"], "B": ["B0"], "Mono": ["Mono2"]}


def cells(empty=True):
    """24 cells of three types, and one without counts."""
    truth = np.repeat([0, 1, 2], 8)
    counts = 0.1 * np.random.default_rng(0).random((24, 12)) + np.kron(np.eye(3), np.ones((8, 4)))
    counts = np.vstack([counts, np.zeros((1, 12))]) if empty else counts
    adata = anndata.AnnData(counts)
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
    adata.obs["known"] = adata.obs["known"].astype("category")
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.uns["partwise"]["n_iter"] == model.n_iter_ and list(again.obs["partwise"]) == list(adata.obs["partwise"])


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
    np.testing.assert_array_equal(model.transform(few), model.transform(adata.X))
    np.testing.assert_array_equal(model.to_anndata(few).varm["partwise"], model.components_.T[[0, 4, 8]])
    with pytest.raises(ValueError, match="the layer 'rwa' isn't in the data; valid layers: 'raw' .nearest: 'raw'"):
        pw.NMF(3, layer="rwa").fit(few)


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
