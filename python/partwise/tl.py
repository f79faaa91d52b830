"""For scanpy users: fits that write their results into the AnnData object, as ``scanpy.tl`` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._estimators import NMF, GuidedNMF
from ._guidance import FeatureWeights, Guidance


def nmf(adata: Any, n_components: int, *, key_added: str = "partwise", layer: str | None = None, **parameters: Any) -> Any:
    """Plain NMF of the cells.

    Parameters
    ----------
    adata : AnnData
        Non-negative data, such as counts or log counts. The results are written into it: see ``to_anndata``
        of the estimators.
    n_components : int
        The number of components.
    key_added : str, default="partwise"
        The name to write under.
    layer : str, default=None
        The layer; "raw" is ``adata.raw``.
    **parameters : dict
        Further parameters of ``NMF``, such as ``random_state=0``.

    Returns
    -------
    model : NMF
        The fitted estimator, for plots, tables, and new cells.
    """
    return _written(NMF(n_components, layer=layer, **parameters).fit(adata), adata, key_added)


def guided_nmf(
    adata: Any,
    markers: Mapping[str, Any] | Guidance | None = None,
    *,
    labels: Any = None,
    n_components: int | str | None = None,
    gene_weights: Any = None,
    key_added: str = "partwise",
    layer: str | None = None,
    **parameters: Any,
) -> Any:
    """Guided NMF of the cells: marker genes of cell types, labels of some cells, or both.

    Parameters
    ----------
    adata : AnnData
        Non-negative data, such as counts or log counts. The results are written into it: see ``to_anndata``
        of the estimators.
    markers : dict of cell type to genes, or Guidance, default=None
        Genes by the names in ``adata.var_names``.
    labels : str or array-like of shape (n_cells,), default=None
        A column of ``adata.obs``, or a label per cell; missing where it is unknown.
    n_components : int, "auto" or None, default=None
        The number of components; more than types leaves free components for what has no marker.
    gene_weights : "unit-length", or as in ``FeatureWeights``, default=None
        How much each gene counts in the fit (memberships stay in the units of the data). "unit-length" makes
        all genes count alike, so that a weak marker is not lost beside strong genes.
    key_added : str, default="partwise"
        The name to write under.
    layer : str, default=None
        The layer; "raw" is ``adata.raw``.
    **parameters : dict
        Further parameters of ``GuidedNMF``, such as ``random_state=0``.

    Returns
    -------
    model : GuidedNMF
        The fitted estimator; ``model.guidance_report_`` tells what became of each marker and label.

    Notes
    -----
    With scanpy, for cells ``adata`` of log counts::

        model = partwise.tl.guided_nmf(adata, {"T": ["CD3D"], "B": ["MS4A1"]}, gene_weights="unit-length")
        scanpy.pl.umap(adata, color="partwise")
        scanpy.pp.neighbors(adata, use_rep="X_partwise")
    """
    guidance = markers if markers is None or isinstance(markers, Guidance) else Guidance(dict(markers))
    if gene_weights is not None:
        guidance = (Guidance() if guidance is None else guidance)._with(FeatureWeights(gene_weights))
    return _written(GuidedNMF(n_components, guidance=guidance, layer=layer, **parameters).fit(adata, labels), adata, key_added)


def _written(model: Any, adata: Any, key_added: str) -> Any:
    model.to_anndata(adata, key_added=key_added)
    return model


__all__ = [function.__name__ for function in (guided_nmf, nmf)]


def __dir__() -> list[str]:
    """What completion offers."""
    return sorted(__all__)
