"""X in row blocks, which are read when they are needed: what an estimator does with everything lazy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from .. import _native
from .._names import column_labels, is_anndata, row_labels
from .._precision import in_single_precision
from .._registry import METHODS
from .cluster import SharedBlocks, active_client
from .sources import DaskBlocks, Layout, MadeBlocks, Source, is_lazy, source_of

__all__ = ["Blocked", "RowBlocks", "SharedBlocks", "in_memory", "is_lazy", "refuse_blocks", "refuse_path", "row_blocks_of"]


class RowBlocks:
    """X in row blocks that are read when they are needed, for data larger than memory.

    Estimators take lazy data as they are: backed AnnData, Dask arrays, zarr arrays, h5py datasets, memory
    maps, and any object with ``shape`` and a method ``row_blocks()`` that returns its blocks from the first
    one, each time that it is called. This class is for files of row blocks, for blocks that you make
    yourself, and for keeping some of the blocks in memory.

    Parameters
    ----------
    source : str, path-like, callable, iterable, or lazy data
        A ``.pwx``, ``.h5ad`` or 10x Genomics ``.h5`` file; a function without arguments that returns an
        iterable of blocks, the same ones each time; a sequence of blocks; or lazy data. A block is a 2-D
        array or a sparse matrix with the columns of X; the blocks are the rows of X in order.
    shape : tuple of (int, int), default=None
        The shape of X. Needed for a function and a sequence.
    cache : int or str, default=0
        How much memory may hold blocks so that they need not be read again: bytes, or a text as "2GB". It
        changes the speed, and no result.
    index, columns : sequence of names, default=None
        The names of the samples and features; those of the file or of AnnData by default.
    layer : str, default=None
        The matrix of an ``.h5ad`` file: a layer, or "raw"; of a 10x file the feature type or the genome. Its
        X, the genes, or the only genome by default.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMF, RowBlocks
    >>> def blocks():
    ...     for seed in range(3):
    ...         yield np.random.default_rng(seed).random((100, 8))
    >>> model = NMF(2, random_state=0, max_iter=20, tol=0).fit(RowBlocks(blocks, shape=(300, 8)))
    >>> model.codes_.shape
    (300, 2)
    """

    def __init__(self, source: Any, shape: tuple[int, int] | None = None, *, cache: int | str = 0, index: Any = None, columns: Any = None, layer: str | None = None) -> None:
        self.cache = _bytes(cache)
        self._path: tuple[str, str | None] | None = None
        self._ready: dict[Any, Blocked] = {}
        self._layout: Layout | None = None
        if layer is not None and not isinstance(source, (str, os.PathLike)):
            raise ValueError(f"layer={layer!r} chooses a matrix of a file of cells, but the source is no path")
        if isinstance(source, (str, os.PathLike)):
            self._path = (os.fspath(source), layer)
            file = _native.Blocks.of_file(self._path[0], None, 0.0, layer)
            self._source: Source = _File(file, self._path[0])
            index, columns = (own if own is not None else found for own, found in zip((index, columns), file.names, strict=True))
        elif is_anndata(source):
            index, columns = (row_labels(source) if index is None else index, column_labels(source) if columns is None else columns)
            self._source = _source_in(source.X)
        else:
            self._source = _source_in(source, shape)
        if shape is not None and tuple(shape) != self._source.shape:
            raise ValueError(f"shape is {tuple(shape)}, but the data have the shape {self._source.shape}")
        self.shape = self._source.shape
        for what, names, count in (("index", index, self.shape[0]), ("columns", columns, self.shape[1])):
            if names is not None and len(names) != count:
                raise ValueError(f"{what} has {len(names)} names, but the shape is {self.shape}")
        self.index, self.columns = index, columns

    def __repr__(self) -> str:
        return f"RowBlocks({self.shape[0]} x {self.shape[1]}, {self._source.title})"

    @property
    def source(self) -> Source:
        """Where the blocks come from."""
        return self._source

    def layout(self) -> Layout:
        """What is known of the blocks before they are read. Of blocks that you make, and of sparse Dask
        arrays, it takes a pass over X."""
        if self._layout is None:
            self._layout = self._source.layout()
        return self._layout

    def row_blocks(self) -> Iterator[Any]:
        """The blocks in order: arrays, or CSR."""
        layout = self.layout()
        return (self._source.read(block) for block in range(len(layout.stored)))

    def _in_precision(self, dtype: Any) -> Blocked:
        """For the engine, in float32 or float64; None = that of X."""
        if dtype is None:
            dtype = np.dtype(np.float32 if self.layout().dtype == np.float32 else np.float64)
        if dtype not in self._ready:
            self._ready[dtype] = Blocked(self._source, self.layout(), dtype, self.cache, path=self._path)
        return self._ready[dtype]

    def _on_cluster(self, dtype: Any) -> SharedBlocks | None:
        """As ``_in_precision``, for the workers of the Dask cluster that is there; None where there is none,
        or X is no Dask array."""
        client = active_client() if isinstance(self._source, DaskBlocks) else None
        if client is None or not isinstance(self._source, DaskBlocks):
            return None
        single = np.float32 if self._source.X.dtype == np.float32 else np.float64
        return SharedBlocks(self._source.X, np.dtype(single if dtype is None else dtype), client)


class Blocked:
    """Row blocks as the engine takes them."""

    def __init__(self, source: Source, layout: Layout, dtype: Any, cache: float = 0, *, path: tuple[str, str | None] | None = None, processes: Any = None) -> None:
        self.shape, self.dtype, self.source, self.layout = source.shape, dtype, source, layout
        single = dtype == np.float32
        if path is not None:
            self.native = _native.Blocks.of_file(path[0], single, float(cache), path[1])
        else:
            kind = (layout.sparse, single)
            self.native = _native.Blocks.of_object(self._lent, layout.borders, self.shape[1], layout.stored, kind, float(cache), processes)

    def run(self, function: str, *arguments: Any) -> dict[str, Any]:
        """A function of the engine with these data and further arguments."""
        found: dict[str, Any] = getattr(_native, function)(self.native, *arguments)
        return found

    def zero_rows(self) -> Any:
        """The rows without a non-zero entry."""
        return np.asarray(self.native.zero_rows(), dtype=np.intp)

    def block(self, number: int) -> Any:
        """A block as a C-ordered array or CSR in the precision of the fit."""
        first, end = self.layout.borders[number], self.layout.borders[number + 1]
        try:
            return self._checked(self.source.read(number), end - first)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"while rows {first} to {end - 1} of X (counted from 0) were read")
            raise

    def _checked(self, block: Any, rows: int) -> Any:
        if not sp.issparse(block):
            block = np.asarray(block)
        if block.shape != (rows, self.shape[1]):
            raise ValueError(f"a block of X has the shape {tuple(block.shape)}, but had {(rows, self.shape[1])} before; X must be the same each time")
        if self.layout.sparse:
            block = sp.csr_array(block)
        elif sp.issparse(block):
            block = block.toarray()
        if self.dtype == np.float32 and block.dtype.kind == "f":
            block = in_single_precision(block)
        return block.astype(self.dtype, copy=False) if sp.issparse(block) else np.ascontiguousarray(block, dtype=self.dtype)

    def _lent(self, number: int) -> Any:
        from .._input import to_native

        return to_native(self.block(number))

    def blocks_ahead(self) -> Iterator[tuple[int, Any]]:
        """The first row of each block, and the block, in order; the next one is read meanwhile."""
        count = len(self.layout.stored)
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(self.block, 0)
            for number in range(count):
                block = coming.result()
                if number + 1 < count:
                    coming = pool.submit(self.block, number + 1)
                yield self.layout.borders[number], block

    def notice(self) -> tuple[str, str]:
        """What a fit did, for its notices."""
        count, largest, kept = self.native.sizes
        stays = f"; {kept / 1e6:.0f} MB of memory hold blocks that are not read again" if kept else ""
        of = "block of" if count == 1 else "blocks of at most"
        return "row-blocks", f"X is lazy data ({self.source.title}): it was read in {count} row {of} {_megabytes(largest)}{stays}"


def _megabytes(count: float) -> str:
    return f"{count / 1e6:.0f} MB" if count >= 1e7 else f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


class _File:
    """A file that is read in row blocks."""

    loading = "the table itself"

    def __init__(self, native: Any, path: str) -> None:
        self._native, self.title, self.shape = native, f"file, {path}", native.shape

    def layout(self) -> Layout:
        borders, stored = self._native.layout
        return Layout(borders, stored, np.dtype(np.float32 if self._native.single else np.float64), self._native.sparse)

    def read(self, block: int) -> Any:
        found = self._native.read_file(block)
        if "indptr" not in found:
            return found["values"]
        parts = (found["values"], found["indices"].astype(np.int64), found["indptr"].astype(np.int64))
        return sp.csr_array(parts, shape=found["shape"])


def _source_in(X: Any, shape: Any = None) -> Source:
    """Where blocks that a user gives come from."""
    found = source_of(X)
    if found is not None:
        return found
    if isinstance(X, Iterator):
        raise TypeError("X is an iterator, which gives its blocks only once; give a function that makes a new one: RowBlocks(lambda: ..., shape=(n, d))")
    if callable(X) or (isinstance(X, (list, tuple)) or hasattr(X, "__iter__")) and not hasattr(X, "shape"):
        if shape is None:
            raise TypeError("RowBlocks of a function or a sequence of blocks needs shape=(n, d)")
        return MadeBlocks(X if callable(X) else lambda: iter(X), shape)
    if hasattr(X, "shape"):
        raise TypeError(f"the source is a {type(X).__name__}, which is in memory: give it to the estimator itself; {_TAKEN}")
    raise TypeError(f"the source is {X!r}; {_TAKEN}")


_TAKEN = "row blocks come from backed AnnData, Dask arrays, zarr arrays, h5py datasets, large memory maps, .pwx files, functions and sequences of blocks"


def _bytes(size: Any) -> int:
    """A number of bytes, as "2GB" or a number."""
    units = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size >= 0:
        return int(size)
    if isinstance(size, str):
        text = size.replace(" ", "").upper()
        unit = next((unit for unit in sorted(units, key=len, reverse=True) if text.endswith(unit)), "")
        try:
            count = float(text.removesuffix(unit)) * units.get(unit, 1)
        except ValueError:
            count = -1.0
        if 0 <= count < float("inf"):
            return int(count)
    raise ValueError(f"cache is {size!r}, but must be a number of bytes, or a text as '500MB' or '2GB'")


def refuse_path(X: Any) -> None:
    """Refuses the path of a file that is read in row blocks in place of the blocks."""
    if isinstance(X, (str, os.PathLike)) and os.fspath(X).endswith((".pwx", ".h5ad", ".h5")):
        raise TypeError(f"X is a path; give the blocks of the file: RowBlocks({os.fspath(X)!r})")


def row_blocks_of(X: Any) -> RowBlocks | None:
    """Lazy X as row blocks; None where X is in memory."""
    if isinstance(X, RowBlocks):
        return X
    return RowBlocks(X) if is_lazy(X) else None


def refuse_blocks(name: str, X: RowBlocks) -> NoReturn:
    """Refuses lazy X where all of it is needed in memory."""
    able = ", ".join(spec["estimator"] for spec in METHODS.values() if spec["in_blocks"])
    raise ValueError(
        f"{name} needs all of X in memory, but X is lazy data ({X.source.title}), read in row blocks. fit takes row blocks in {able}; "
        f"transform and predict take them in every estimator. If X fits into memory, give {X.source.loading}"
    )


def in_memory(data: Any, what: str) -> Any:
    """The checked data, if they are in memory; otherwise they are refused."""
    if isinstance(data, (Blocked, SharedBlocks)):
        raise ValueError(f"{what} needs all of X in memory, but X is lazy data ({data.source.title}), read in row blocks")
    return data
