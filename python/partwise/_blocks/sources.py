"""Where row blocks come from: arrays on disk, backed AnnData, Dask arrays, and blocks that a user makes."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from threading import Lock
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .._registry import REGISTRIES

__all__ = ["BLOCK_VALUES", "DaskBlocks", "Layout", "MadeBlocks", "Piece", "Source", "conforming", "is_lazy", "source_of", "stacked"]

BLOCK_VALUES = int(REGISTRIES["block_values"])
"""About how many stored values a block has, here and in ``.pwx`` files."""


@dataclass(frozen=True)
class Layout:
    """What is known of row blocks before they are read."""

    borders: list[int]
    """The number of the first row of each block, and n at the end."""
    stored: list[int]
    """The number of stored values of each block."""
    dtype: Any
    sparse: bool


class Source(Protocol):
    """Row blocks that can be read in any order, again and again."""

    title: str
    """What X is, for messages."""
    loading: str
    """What to write so that all of X is in memory."""
    shape: tuple[int, int]

    def layout(self) -> Layout:
        """The layout; it may take a pass over X."""

    def read(self, block: int) -> Any:
        """A block: a 2-D array, or a sparse matrix."""


def source_of(X: Any) -> Source | None:
    """Where the row blocks of X come from; None where X is in memory."""
    if len(getattr(X, "shape", ())) != 2:
        return None
    if callable(getattr(X, "row_blocks", None)):
        return MadeBlocks(X.row_blocks, X.shape, f"{type(X).__name__} with row blocks")
    if isinstance(X, np.memmap):
        # Smaller ones are arrays as any other.
        return Sliced(X, "NumPy memmap", "np.array(X)") if X.size > BLOCK_VALUES else None
    if callable(getattr(X, "rechunk", None)) and callable(getattr(X, "compute", None)) and hasattr(X, "dask"):
        return DaskBlocks(X)
    if getattr(X, "format", None) in ("csr", "csc") and hasattr(X, "group"):
        return BackedRows(X)
    for package, title in (("h5py", "h5py dataset"), ("zarr", "zarr array")):
        if type(X).__module__.split(".")[0] == package and hasattr(X, "chunks"):
            return Sliced(X, title, "X[:]")
    return None


def is_lazy(X: Any) -> bool:
    """Whether X is read in row blocks."""
    return source_of(X) is not None


def _refuse_dtype(dtype: Any, title: str) -> None:
    if np.dtype(dtype).kind not in "biuf":
        raise TypeError(f"X is a {title} of type {dtype}, but must hold real numbers")


class Sliced:
    """Dense data of which rows can be sliced."""

    def __init__(self, X: Any, title: str, loading: str) -> None:
        _refuse_dtype(X.dtype, title)
        self.X, self.title, self.loading = X, title, loading
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self._borders: list[int] = []

    def layout(self) -> Layout:
        n, d = self.shape
        rows = -(-BLOCK_VALUES // max(d, 1))
        chunks = getattr(self.X, "chunks", None)
        if chunks:
            # A chunk is read as a whole, so it should belong to one block.
            rows = max(rows // chunks[0] * chunks[0], min(chunks[0], rows))
        self._borders = [*range(0, n, rows), n]
        return Layout(self._borders, [(b - a) * d for a, b in pairwise(self._borders)], self.X.dtype, False)

    def read(self, block: int) -> Any:
        rows = np.array(self.X[self._borders[block] : self._borders[block + 1]])
        if isinstance(self.X, np.memmap) and self.X.mode in ("r", "r+") and hasattr(mmap, "MADV_DONTNEED"):
            # The pages that were read would count as memory of the process; their file keeps them.
            self.X._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
        return rows


class BackedRows:
    """Sparse data of AnnData in a file, stored by rows."""

    title = "sparse matrix of a backed AnnData"
    loading = "X.to_memory()"

    def __init__(self, X: Any) -> None:
        _refuse_dtype(X.dtype, self.title)
        if X.format == "csc":
            raise ValueError(
                "X is stored by columns (CSC) in its file, so its rows cannot be read block by block; write it by rows once "
                "(adata.X = adata.X.tocsr() before write_h5ad, or on the command line: partwise convert DATA.h5ad DATA.pwx), or give X.to_memory()"
            )
        self.X = X
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self._borders: list[int] = []

    def layout(self) -> Layout:
        starts = np.asarray(self.X.group["indptr"][:]).astype(np.int64)
        n, borders = self.shape[0], [0]
        while borders[-1] < n:
            # Up to the row that fills the block.
            full = int(np.searchsorted(starts, starts[borders[-1]] + BLOCK_VALUES))
            borders.append(min(max(full, borders[-1] + 1), n))
        self._borders = borders
        return Layout(borders, [int(starts[b] - starts[a]) for a, b in pairwise(borders)], self.X.dtype, True)

    def read(self, block: int) -> Any:
        return self.X[self._borders[block] : self._borders[block + 1]]


@dataclass
class Piece:
    """A block of a user, before small ones are joined."""

    rows: int
    stored: int
    dtype: Any
    sparse: bool

    @classmethod
    def of(cls, block: Any) -> Piece:
        return cls(int(block.shape[0]), int(block.nnz if sp.issparse(block) else block.size), block.dtype, bool(sp.issparse(block)))


def joined(pieces: list[Piece]) -> tuple[list[int], Layout]:
    """The pieces that each block begins with, and the layout: small ones become one block."""
    begins, borders, stored, row, filled = [0], [0], [0], 0, False
    for at, piece in enumerate(pieces):
        if filled and stored[-1] + piece.stored > BLOCK_VALUES:
            begins.append(at)
            borders.append(row)
            stored.append(0)
        row, filled = row + piece.rows, True
        stored[-1] += piece.stored
    dtype = np.result_type(*(piece.dtype for piece in pieces))
    return [*begins, len(pieces)], Layout([*borders, row], stored, dtype, pieces[0].sparse)


def stacked(blocks: list[Any]) -> Any:
    """Blocks below each other."""
    if len(blocks) == 1:
        return blocks[0]
    if any(sp.issparse(block) for block in blocks):
        return sp.vstack([sp.csr_array(block) for block in blocks], format="csr")
    return np.concatenate(blocks)


class DaskBlocks:
    """A Dask array, whose chunks of rows are computed one after the other on this machine."""

    title = "Dask array"
    loading = "X.compute()"

    def __init__(self, X: Any) -> None:
        _refuse_dtype(X.dtype, self.title)
        if any(np.isnan(size) for sizes in X.chunks for size in sizes):
            raise ValueError("X is a Dask array whose chunks have an unknown number of rows; call X.compute_chunk_sizes() first")
        self.X = X
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self._begins: list[int] = []

    def layout(self) -> Layout:
        rows, d = [int(count) for count in self.X.chunks[0]], self.shape[1]
        if sp.issparse(self.X._meta):
            # How much is stored is only known of what is computed.
            pieces = [Piece.of(conforming(self._chunk(at), (count, d), f"chunk {at} of X")) for at, count in enumerate(rows)]
        else:
            pieces = [Piece(count, count * d, self.X.dtype, False) for count in rows]
        self._begins, layout = joined(pieces)
        return layout

    def _chunk(self, at: int) -> Any:
        return self.X.blocks[at].compute()

    def read(self, block: int) -> Any:
        chunks = range(self._begins[block], self._begins[block + 1])
        # At once, so that they are computed side by side.
        return stacked(list(import_module("dask").compute(*(self.X.blocks[at] for at in chunks))))


class MadeBlocks:
    """Blocks that a function or an object of the user gives in order, from the first one each time."""

    loading = "the matrix itself"

    def __init__(self, make: Callable[[], Iterable[Any]], shape: Any, title: str = "row blocks") -> None:
        self._make, self.title = make, title
        self.shape = (int(shape[0]), int(shape[1]))
        self._begins: list[int] = []
        self._pieces: list[Piece] = []
        self._lock = Lock()
        self._open: Iterator[Any] = iter(())
        self._next = -1

    def layout(self) -> Layout:
        n, d = self.shape
        self._pieces, row = [], 0
        for at, block in enumerate(self._make()):
            found = conforming(block, (None, d), f"block {at} of X")
            row += found.shape[0]
            if row > n:
                break
            self._pieces.append(Piece.of(found))
        if row != n or not self._pieces:
            raise ValueError(
                f"the blocks of X have {'more than ' if row > n else ''}{min(row, n)} rows together, but its shape is {self.shape}"
                + ("; a generator gives its blocks only once: give a function that makes a new one" if row == 0 else "")
            )
        self._begins, layout = joined(self._pieces)
        return layout

    def read(self, block: int) -> Any:
        with self._lock:
            first, end = self._begins[block], self._begins[block + 1]
            if first != self._next:
                # From the beginning, up to the block.
                self._open, self._next = iter(self._make()), 0
                while self._next < first:
                    self._take()
            return stacked([self._take() for _ in range(first, end)])

    def _take(self) -> Any:
        at = self._next
        found = next(self._open, None)
        self._next = -1
        if found is None:
            raise ValueError(
                f"X gave only {at} of its {len(self._pieces)} blocks when it was read again; it must give the same blocks each time "
                "(a generator gives them only once: give a function that makes a new one)"
            )
        found = conforming(found, (self._pieces[at].rows, self.shape[1]), f"block {at} of X")
        self._next = at + 1
        return found


def conforming(block: Any, shape: tuple[int | None, int], what: str) -> Any:
    """A block as an array or a sparse matrix of real numbers of this shape."""
    if not sp.issparse(block):
        block = np.asarray(block)
    rows, columns = shape
    expected = f"{'any number of' if rows is None else rows} rows and {columns} columns"
    if block.ndim != 2 or block.shape[1] != columns or rows not in (None, block.shape[0]):
        raise ValueError(f"{what} has the shape {tuple(block.shape)}, but must have {expected}")
    if block.dtype.kind not in "biuf":
        raise TypeError(f"{what} has the type {block.dtype}, but must hold real numbers")
    return block
