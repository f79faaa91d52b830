"""A Dask array on a cluster: each worker keeps a run of its chunks, and all of them fit it together.

The client places the chunks, starts the part of each worker, and waits. When a worker is lost the parts of
the others end within seconds; the fit then starts again with the workers that are there. Dask computes again
only the chunks that were lost. Since the start of a fit depends on its seed alone, the result is the same.
"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from . import sources
from .sources import DaskBlocks, Layout, Piece
from .worker import Call, Lost, Share, end_all, fit_share, hold, listen, piece_of

__all__ = ["SharedBlocks", "active_client"]

ANSWER_SECONDS = 20.0
"""How long to wait for an answer of the scheduler."""
WORKER_SECONDS = 30.0
"""How long to wait for a worker, where there is none."""
CONNECT_SECONDS = 60.0
"""How long workers wait for each other: a worker may be busy with something else."""
MOST_LOSSES = 3
"""So often a chunk may be lost with its worker."""

R = TypeVar("R")


def active_client() -> Any:
    """The client of a Dask cluster, if there is one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    if client.status not in ("running", "connecting"):
        return None
    if client.asynchronous:
        raise TypeError("the Dask client is asynchronous, which is not supported; make one with Client(..., asynchronous=False), or give X.compute()")
    return client


class _WorkerLost(Exception):
    """A worker is gone: its number in the fit."""

    def __init__(self, rank: int) -> None:
        super().__init__(f"worker {rank} is lost")
        self.rank = rank


class SharedBlocks:
    """A Dask array whose chunks are kept by the workers of a cluster."""

    def __init__(self, X: Any, dtype: Any, client: Any) -> None:
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        self.source = DaskBlocks(X)
        self.shape, self.dtype = self.source.shape, dtype
        self._X, self._client = X, client
        self._rows = [0, *np.cumsum(X.chunks[0]).tolist()]
        self._chunks: list[Any] = []
        self._pieces: list[Piece] = []
        self._losses = [0] * len(X.chunks[0])
        self._zero_rows: Any = None
        self._facts = ""

    # ------------------------------------------------------------------ what an estimator asks for

    def zero_rows(self) -> Any:
        """The rows without a non-zero entry."""
        return np.asarray(self._zero_rows, dtype=np.intp)

    def notice(self) -> tuple[str, str]:
        """What a fit did, for its notices."""
        return "row-blocks", self._facts

    def watch(self, callback: Any) -> Any:
        """Nobody watches the iterations: they are not reported to this machine."""
        if callback is not None:
            raise ValueError("callback is not supported with X on a Dask cluster; time_limit and max_iter are")
        return None

    def run(self, function: str, *arguments: Any) -> dict[str, Any]:
        """A function of the engine on the workers, with these data and further arguments.

        Raises
        ------
        TimeoutError
            When the scheduler doesn't answer, or there is no worker.
        RuntimeError
            When the same rows were lost again and again.
        """
        call, restarts = Call(function, arguments), 0
        while True:
            token = secrets.token_bytes(16)
            addresses = self._workers()[: len(self._losses)]
            try:
                return self._together(call, token, addresses, restarts)
            except _WorkerLost as lost:
                self._end(token, addresses, "another worker was lost")
                self._count_losses(lost.rank, addresses)
                restarts += 1
            except BaseException:
                self._end(token, addresses, "the fit was stopped")
                raise

    # ------------------------------------------------------------------ one try

    def _together(self, call: Call, token: bytes, addresses: list[str], restarts: int) -> dict[str, Any]:
        runs = self._runs(len(addresses))
        self._place(addresses, runs)
        layout, begins = self._layout(runs)
        held = [
            self._client.submit(hold, token, self._chunks[start:end], workers=[address], allow_other_workers=False, pure=False, priority=10)
            for address, (start, end) in zip(addresses, pairwise(runs), strict=True)
        ]
        self._results(held, addresses)
        listening = self._wait_for(lambda: self._client.run(listen, token, workers=addresses, on_error="return"), addresses)
        for rank, address in enumerate(addresses):
            found = listening.get(address)
            if isinstance(found, Exception) and not isinstance(found, OSError):
                raise RuntimeError(f"the worker {address} cannot take part in the fit: {found!r}") from found
            if not isinstance(found, str):
                raise _WorkerLost(rank)
        places = [listening[address] for address in addresses]
        given = self._wait_for(lambda: self._client.scatter({"call": call}, workers=addresses, broadcast=True, hash=False), addresses)["call"]
        first, parts = 0, []
        for rank, address in enumerate(addresses):
            share = Share(token, rank, places, layout, self.dtype, first, begins[rank], CONNECT_SECONDS)
            parts.append(
                self._client.submit(
                    fit_share, share, given, workers=[address], allow_other_workers=False, pure=False, priority=10,
                    key=f"partwise-fit-{token.hex()}-{rank}",
                )
            )
            first += len(begins[rank]) - 1
        results = self._results(parts, addresses)
        self._zero_rows = results[0]["zero_rows"]
        sent = sum(result["bytes_sent"] for result in results)
        again = f", after {restarts} restart{'s' if restarts > 1 else ''} because workers were lost" if restarts else ""
        self._facts = (
            f"X is a Dask array: {len(addresses)} worker{'s' if len(addresses) > 1 else ''} of {self._client.scheduler.address} fitted it in "
            f"{first} row block{'s' if first > 1 else ''}, with {sent / 1e6:.1f} MB sent between them{again}"
        )
        done: dict[str, Any] = results[0]["done"]
        return done

    def _runs(self, workers: int) -> list[int]:
        """The first chunk of each worker, and the number of chunks."""
        count = len(self._losses)
        return [rank * count // workers for rank in range(workers + 1)]

    def _place(self, addresses: list[str], runs: list[int]) -> None:
        """Has the chunks computed, each by the worker that is to keep it if that is possible."""
        if not self._chunks:
            delayed = self._X.to_delayed().ravel().tolist()
            for address, (start, end) in zip(addresses, pairwise(runs), strict=True):
                self._chunks += self._client.compute(delayed[start:end], workers=[address], allow_other_workers=True)
        if not self._pieces:
            shapes = [(int(rows), self.shape[1]) for rows in self._X.chunks[0]]
            found = self._client.map(piece_of, self._chunks, shapes, range(len(shapes)), pure=False)
            self._pieces = self._wait_for(lambda: self._client.gather(found), None)

    def _layout(self, runs: list[int]) -> tuple[Layout, list[list[int]]]:
        """The layout of all blocks, as many for each worker; and the chunk that each block of a worker begins
        with."""
        stored = [sum(piece.stored for piece in self._pieces[start:end]) for start, end in pairwise(runs)]
        least = min(end - start for start, end in pairwise(runs))
        count = min(max(-(-max(stored) // sources.BLOCK_VALUES), 1), least)
        borders, of_blocks, begins = [0], [], []
        for start, end in pairwise(runs):
            cuts = _even([piece.stored for piece in self._pieces[start:end]], count)
            begins.append(cuts)
            for a, b in pairwise(cuts):
                borders.append(self._rows[start + b])
                of_blocks.append(sum(piece.stored for piece in self._pieces[start + a : start + b]))
        return Layout(borders, of_blocks, self.dtype, self._pieces[0].sparse), begins

    def _results(self, parts: list[Any], addresses: list[str]) -> list[Any]:
        """What the parts give, once all are done."""
        open_parts, results = dict(enumerate(parts)), [None] * len(parts)
        while open_parts:
            ended = [rank for rank, part in open_parts.items() if part.status not in ("pending",)]
            for rank in ended:
                part = open_parts.pop(rank)
                if part.status in ("lost", "cancelled"):
                    raise _WorkerLost(rank)
                results[rank] = self._wait_for(part.result, addresses)
            lost = next((result for result in results if isinstance(result, Lost)), None)
            if lost is not None:
                # The one that failed may be there, with its reason.
                part = parts[lost.rank]
                self._check(addresses)
                if part.status == "error":
                    part.result()
                raise _WorkerLost(lost.rank)
            if open_parts and not ended:
                self._check(addresses)
                time.sleep(0.02)
        return results

    # ------------------------------------------------------------------ the scheduler and its workers

    def _threads(self) -> dict[str, int]:
        """The workers that are there now, and their threads."""
        client = self._client
        try:
            found: dict[str, int] = client.sync(client.scheduler.ncores, callback_timeout=ANSWER_SECONDS)
        except Exception as error:
            address = getattr(client.scheduler, "address", "")
            raise TimeoutError(f"the Dask scheduler {address} does not answer (waited {ANSWER_SECONDS:.0f} s at most): {error or type(error).__name__}") from error
        self._asked = time.monotonic()
        return found

    _asked = 0.0

    def _check(self, addresses: list[str] | None) -> None:
        """Asks the scheduler, once a second at most, whether all these workers are still there."""
        if time.monotonic() - self._asked < 1:
            return
        there = self._threads()
        gone = next((rank for rank, address in enumerate(addresses or []) if address not in there), None)
        if gone is not None:
            raise _WorkerLost(gone)

    def _workers(self) -> list[str]:
        until = time.monotonic() + WORKER_SECONDS
        while True:
            there = sorted(self._threads())
            if there:
                return there
            if time.monotonic() > until:
                raise TimeoutError(f"the Dask scheduler {self._client.scheduler.address} has no worker (waited {WORKER_SECONDS:.0f} s)")
            time.sleep(0.2)

    def _wait_for(self, act: Callable[[], R], addresses: list[str] | None) -> R:
        """What ``act`` returns, as long as the scheduler answers and the workers are there."""
        done: list[R] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                done.append(act())
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.2)
            if thread.is_alive():
                self._check(addresses)
        if failed:
            self._refuse_killed(failed[0])
            raise failed[0]
        return done[0]

    def _refuse_killed(self, error: BaseException) -> None:
        """Dask gives a chunk up that killed several workers."""
        if type(error).__name__ == "KilledWorker":
            raise RuntimeError(f"rows of X were lost again and again, each time with the worker that computed them: {error}") from error

    def _count_losses(self, rank: int, addresses: list[str]) -> None:
        runs = self._runs(len(addresses))
        for chunk in range(runs[rank], runs[rank + 1]):
            self._losses[chunk] += 1
        worst = int(np.argmax(self._losses))
        if self._losses[worst] >= MOST_LOSSES:
            raise RuntimeError(
                f"rows {self._rows[worst]} to {self._rows[worst + 1] - 1} of X (counted from 0) were lost {MOST_LOSSES} times, each time with the worker "
                f"that had them, at last {addresses[rank]}; its log says why (mostly too little memory: give more workers, or smaller chunks)"
            )

    def _end(self, token: bytes, addresses: list[str], reason: str) -> None:
        """Ends the parts that still run. Workers that are gone need no end."""
        try:
            there = [address for address in addresses if address in self._threads()]
            if there:
                self._wait_for(lambda: self._client.run(end_all, token, reason, workers=there, on_error="ignore"), there)
        except (TimeoutError, _WorkerLost):
            return


def _even(stored: list[int], count: int) -> list[int]:
    """Where to cut into ``count`` runs of about equal sums, none of them empty."""
    sums = np.cumsum(stored)
    cuts = [0]
    for part in range(1, count):
        wanted = int(np.searchsorted(sums, sums[-1] * part / count)) + 1
        cuts.append(min(max(wanted, cuts[-1] + 1), len(stored) - count + part))
    return [*cuts, len(stored)]
