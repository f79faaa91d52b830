"""Writes the files of cells that the tests read: pip install anndata h5py; python write.py

Entry (i, j) is max(0, (3 i + 2 j) mod 7 - 3): 6 cells, 5 genes, 7 genes before two were left out.
"""

import gzip
from pathlib import Path

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sparse

HERE = Path(__file__).parent
CELLS = [f"cell-{i}" for i in range(6)]
GENES = ["CD3D", "MS4A1", "NKG7", "GNLY", "LYZ", "PPBP", "FCER1A"]
COUNTS = np.maximum(0, (3 * np.arange(6)[:, None] + 2 * np.arange(7)) % 7 - 3)
TYPES = ["T", "B", "T", None, "NK", "B"]


def columns():
    """A column of each kind that may hold labels, and one that may not."""
    return pd.DataFrame(
        {
            "cell_type": pd.Categorical(TYPES, categories=["T", "B", "NK", "never"]),
            "donor": ["anna", "bob", "anna", "", "bob", "anna"],
            "kept": [True, False, True, True, False, True],
            "cluster": [0, 1, 0, -1, 2, 1],
            "age": pd.array([30, None, 30, 41, 41, None], dtype="Int64"),
            "stage": pd.Categorical([1, 2, 1, 1, 2, 2]),
            "percent": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
        },
        index=CELLS,
    )


def annotated():
    whole = anndata.AnnData(sparse.csr_matrix(COUNTS, dtype="float32"), obs=columns(), var=pd.DataFrame(index=GENES))
    data = whole[:, :5].copy()
    data.X = (data.X * 0.5).tocsr().astype("float32")
    data.raw = whole
    data.layers["counts"] = sparse.csc_matrix(COUNTS[:, :5], dtype="int32")
    data.layers["dense"] = COUNTS[:, :5] + 0.25
    data.layers["bytes"] = sparse.csr_matrix(COUNTS[:, :5], dtype="uint8")
    data.layers["half"] = COUNTS[:, :5].astype("float16")
    data.layers["found"] = sparse.csr_matrix(COUNTS[:, :5] > 0)
    return data


def tenx(path, version):
    """The layouts of Cell Ranger 2 and 3: features x cells in compressed columns."""
    matrix = sparse.csc_matrix(COUNTS.T, dtype="int32")
    barcodes, names = np.array([f"ACGT{i}-1" for i in range(6)], "S"), np.array([*GENES[:4], "CD3D", *GENES[5:]], "S")
    ids = np.array([f"ENSG{j:05}" for j in range(7)], "S")
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix" if version == 3 else "GRCh38")
        for name, values in [("data", matrix.data), ("indices", matrix.indices.astype("i8")),
                             ("indptr", matrix.indptr.astype("i8")), ("shape", np.array(matrix.shape, "i4")),
                             ("barcodes", barcodes)]:
            group.create_dataset(name, data=values, chunks=(len(values),), compression="gzip")
        if version == 3:
            features = group.create_group("features")
            features["_all_tag_keys"] = np.array(["genome"], "S")
            features["id"], features["name"] = ids, names
            kinds = ["Gene Expression"] * 5 + ["Antibody Capture"] * 2
            features["feature_type"], features["genome"] = np.array(kinds, "S"), np.array(["GRCh38"] * 7, "S")
        else:
            group["genes"], group["gene_names"] = ids, names
            empty = file.create_group("mm10")
            for name, values in [("data", matrix.data[:0]), ("indices", matrix.indices[:0]), ("indptr", np.zeros(7, "i8")),
                                 ("shape", np.array([1, 6])), ("barcodes", barcodes), ("genes", ids[:1]), ("gene_names", names[:1])]:
                empty[name] = values


def old(path):
    """As anndata 0.7 wrote: categories beside the table, by reference. One layer says that it is zstd."""
    text = h5py.string_dtype()
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=COUNTS[:, :5].astype("f8"))
        layer = file.create_dataset("layers/zstd", (6, 5), "f4", chunks=(6, 5), compression=32015, allow_unknown_filter=True)
        layer.id.write_direct_chunk((0, 0), b"no zstd")
        obs, var = file.create_group("obs"), file.create_group("var")
        obs.attrs["_index"], var.attrs["_index"] = "name", "_index"
        obs.create_dataset("name", data=CELLS, dtype=text)
        var.create_dataset("_index", data=GENES[:5], dtype=text)
        categories = obs.create_dataset("__categories/cell_type", data=["B", "NK", "T"], dtype=text)
        codes = [2, 0, 2, -1, 1, 0]
        obs.create_dataset("cell_type", data=np.array(codes, "i1")).attrs["categories"] = categories.ref


def latin(path):
    """Names in Latin-1."""
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=COUNTS[:2, :1])
        file.create_dataset("obs/_index", data=np.array(["café".encode("latin-1"), b"tea"], "S"))
        file.create_dataset("var/_index", data=GENES[:1], dtype=h5py.string_dtype())


def write(name, to):
    path = HERE / name
    to(path)
    packed = path.with_name(name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    path.unlink()
    print(packed.name, packed.stat().st_size)


if __name__ == "__main__":
    write("sparse.h5ad", lambda path: annotated().write_h5ad(path, compression="gzip"))
    dense = annotated()
    dense.X = dense.X.toarray()
    write("dense.h5ad", lambda path: dense.write_h5ad(path, compression="lzf"))
    plain = annotated()
    plain.X = plain.X.tocsc()
    write("plain.h5ad", lambda path: plain.write_h5ad(path))
    write("old.h5ad", old)
    write("latin.h5ad", latin)
    write("tenx3.h5", lambda path: tenx(path, 3))
    write("tenx2.h5", lambda path: tenx(path, 2))
