"""What a Dask worker does in a fit that several workers do together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from .. import _native
from .sources import Layout, Piece, conforming, stacked

__all__ = ["Call", "Lost", "Share", "end_all", "fit_share", "hold", "listen", "piece_of"]

# Of each fit that is going on: the chunks of this worker, where it listens, and its processes, by the token
# of the fit and the address of the worker.
_held: dict[tuple[bytes, str], list[Any]] = {}
_listening: dict[tuple[bytes, str], Any] = {}
_connected: dict[tuple[bytes, str], Any] = {}


@dataclass(frozen=True)
class Call:
    """A function of the engine, and its arguments after the data."""

    function: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Share:
    """The part of one worker."""

    token: bytes
    rank: int
    addresses: list[str]
    """Where the workers of the fit listen, in the order of their parts."""
    layout: Layout
    """Of all blocks of X."""
    dtype: Any
    first: int
    """The number of the first block of this worker."""
    begins: list[int]
    """The chunk that each of its blocks begins with, and how many chunks it has."""
    connect_seconds: float


@dataclass(frozen=True)
class Lost:
    """The fit ended because another worker is gone."""

    rank: int
    reason: str


def piece_of(chunk: Any, shape: tuple[int, int], at: int) -> Piece:
    """What the layout needs to know of a chunk."""
    return Piece.of(conforming(chunk, shape, f"chunk {at} of X"))


def hold(token: bytes, chunks: list[Any]) -> None:
    """Keeps the chunks for the fit. Dask computes them, or brings them here, before this is called."""
    from distributed import get_worker

    _held[token, get_worker().address] = chunks


def listen(token: bytes, dask_worker: Any) -> str:
    """Begins to listen for the other workers; the address."""
    host = urlsplit(dask_worker.address).hostname if not dask_worker.address.startswith("inproc") else "127.0.0.1"
    listener = _native.Listener(host)
    _listening[token, dask_worker.address] = listener
    return f"[{host}]:{listener.port}" if host is not None and ":" in host else f"{host}:{listener.port}"


def end_all(token: bytes, reason: str, dask_worker: Any) -> None:
    """Ends the part of this worker, and with it those of all others."""
    _held.pop((token, dask_worker.address), None)
    _listening.pop((token, dask_worker.address), None)
    processes = _connected.get((token, dask_worker.address))
    if processes is not None:
        processes.fail(reason)


class _Held:
    """The blocks of this worker, in its memory."""

    title, loading = "Dask array", "X.compute()"

    def __init__(self, chunks: list[Any], share: Share) -> None:
        self._chunks, self._share = chunks, share
        self.shape = (share.layout.borders[-1], int(chunks[0].shape[1]))

    def layout(self) -> Layout:
        return self._share.layout

    def read(self, block: int) -> Any:
        at = block - self._share.first
        if not 0 <= at < len(self._share.begins) - 1:
            raise ValueError("this needs rows of X that are on another worker, which is not supported; give X in memory")
        return stacked(self._chunks[self._share.begins[at] : self._share.begins[at + 1]])


def fit_share(share: Share, call: Call) -> Any:
    """Takes part in a fit. The result is complete on the first worker; on the others only what was sent.
    ``Lost`` if another worker is gone."""
    from distributed import get_worker

    from . import Blocked

    worker = get_worker()
    key = (share.token, worker.address)
    if key not in _held or key not in _listening:
        return Lost(share.rank, "the worker was restarted at the same address")
    chunks = _held.pop(key)
    processes = _listening.pop(key).connect(share.rank, share.addresses, share.token, share.connect_seconds)
    _connected[key] = processes
    try:
        held, cache = _Held(chunks, share), _free_memory(worker, share)
        del chunks
        data = Blocked(held, share.layout, share.dtype, cache, processes=processes)
        arguments = [_with_threads(_aligned(argument), worker.state.nthreads) for argument in call.arguments]
        done = getattr(_native, call.function)(data.native, *arguments)
        empty = np.asarray(data.native.zero_rows())
    except BaseException as error:
        lost = processes.lost
        processes.fail(str(error))
        if lost is not None and lost != share.rank:
            return Lost(lost, str(error))
        raise
    finally:
        del _connected[key]
    bytes_sent = processes.bytes[0]
    return {"bytes_sent": bytes_sent, **({"done": done, "zero_rows": empty} if share.rank == 0 else {})}


def _free_memory(worker: Any, share: Share) -> float:
    """How many bytes may hold the blocks in the form that the engine works on, so that they need not be made
    from the chunks again in each iteration."""
    import psutil

    here = urlsplit(worker.address).hostname
    neighbours = sum(urlsplit(f"tcp://{address}").hostname == here for address in share.addresses)
    free = psutil.virtual_memory().available / max(neighbours, 1) / 2
    manager = worker.memory_manager
    if manager.memory_limit:
        # Above its target a worker writes chunks to the disk.
        target = manager.memory_target_fraction or manager.memory_spill_fraction or 0.6
        free = min(free, target * manager.memory_limit - psutil.Process().memory_info().rss)
    return max(float(free), 0.0)


def _aligned(argument: Any) -> Any:
    """The same with arrays as the engine takes them: those of a message may lie anywhere in it."""
    if isinstance(argument, np.ndarray):
        return np.require(argument, requirements=["A"])
    if isinstance(argument, dict):
        return {name: _aligned(value) for name, value in argument.items()}
    if isinstance(argument, (list, tuple)):
        return type(argument)(_aligned(value) for value in argument)
    return argument


def _with_threads(argument: Any, threads: int) -> Any:
    """Settings whose threads are all cores (0): those that the worker has."""
    if isinstance(argument, dict) and argument.get("threads") == 0:
        return {**argument, "threads": threads}
    return argument
