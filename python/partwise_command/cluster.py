"""``partwise fit ... --dask``: the command in one process on each worker of a Dask cluster.

Each worker starts the command as a process of its own, which reads its blocks of the file; the processes are
connected by TCP and fit together. The first of them prints and writes the result. What it prints comes here.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

__all__ = ["asks_for_dask", "run"]

ANSWER_SECONDS = 15.0
"""How long to wait for an answer of the scheduler, and for its first worker."""
CONNECT_SECONDS = 60.0
"""How long the processes wait for each other."""
MOST_RESTARTS = 3
"""So often a fit starts again because a worker was lost."""

# The processes that were started on this worker, by the token of the run and the address of the worker.
_started: dict[tuple[str, str], subprocess.Popen[bytes]] = {}


def asks_for_dask(arguments: list[str]) -> tuple[str | None, list[str]] | None:
    """The address of the scheduler (None: a cluster on this machine) and the other arguments; None where
    these do not ask for Dask."""
    for at, argument in enumerate(arguments):
        if argument == "--":
            return None
        if argument.startswith("--dask="):
            return argument.removeprefix("--dask="), [*arguments[:at], *arguments[at + 1 :]]
        if argument == "--dask":
            following = arguments[at + 1 : at + 2]
            if following and "://" in following[0]:
                return following[0], [*arguments[:at], *arguments[at + 2 :]]
            return None, [*arguments[:at], *arguments[at + 1 :]]
    return None


def run(address: str | None, arguments: list[str]) -> int:
    """Runs the command on the workers; its exit code."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return _fail('--dask needs the packages dask and distributed: pip install "partwise[dask]"')
    try:
        if address is None:
            cluster = LocalCluster(threads_per_worker=1, dashboard_address=":0")
            with cluster, Client(cluster) as client:
                return _Run(client, arguments).result()
        with Client(address, timeout=ANSWER_SECONDS) as client:
            return _Run(client, arguments).result()
    except OSError as error:
        place = "on this machine" if address is None else address
        return _fail(f"the Dask scheduler {place} does not answer (waited {ANSWER_SECONDS:.0f} s at most): {error}")


def _fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


class _WorkerLost(Exception):
    """A worker is gone."""


class _Run:
    """One run of the command."""

    def __init__(self, client: Any, arguments: list[str]) -> None:
        self._client, self._arguments = client, arguments
        self._interrupts, self._shown = 0, 0

    def result(self) -> int:
        """The exit code. Where a worker is lost the fit starts again with the others, from its checkpoint if
        there is one."""
        restarts = 0
        while True:
            workers = self._workers()
            if not workers:
                return _fail(f"the Dask scheduler {self._client.scheduler.address} has no worker (waited {ANSWER_SECONDS:.0f} s)")
            token = secrets.token_hex(16)
            self._shown = 0
            self._client.subscribe_topic(_topic(token), self._show)
            try:
                return self._together(token, workers)
            except _WorkerLost as lost:
                self._end(token, workers)
                if self._interrupts or restarts == MOST_RESTARTS:
                    return _fail(f"{lost}, and the fit has ended")
                restarts += 1
                print(f"note: {lost}; the fit starts again with those that are there", file=sys.stderr)
                kept = any(argument.split("=")[0] == "--checkpoint" for argument in self._arguments)
                if kept and "--resume" not in self._arguments:
                    self._arguments = [*self._arguments, "--resume"]
            except BaseException:
                self._end(token, workers)
                raise
            finally:
                self._client.unsubscribe_topic(_topic(token))

    def _workers(self) -> list[str]:
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            found = sorted(self._client.nthreads())
            if found or time.monotonic() > until:
                return found
            time.sleep(0.2)

    def _together(self, token: str, workers: list[str]) -> int:
        listening = self._client.run(start, token, os.getcwd(), workers=workers, on_error="return")
        for worker in workers:
            found = listening.get(worker)
            if isinstance(found, Exception) and not isinstance(found, OSError):
                raise found
            if not isinstance(found, str):
                raise _WorkerLost(f"the worker {worker} was lost, or cannot start the command ({found})")
        places = [listening[worker] for worker in workers]
        hosts = [urlsplit(worker).hostname for worker in workers]
        parts = [
            self._client.submit(
                take_part, token, rank, places, self._arguments, hosts.count(hosts[rank]),
                workers=[worker], allow_other_workers=False, pure=False, retries=0, priority=10, key=f"partwise-{token}-{rank}",
            )
            for rank, worker in enumerate(workers)
        ]
        self._wait(token, parts, workers)
        ended = [part.result() for part in parts]
        first = ended[0]
        # Its last lines may still be on their way.
        until = time.monotonic() + ANSWER_SECONDS
        while self._shown < first.lines and time.monotonic() < until:
            time.sleep(0.02)
        failed = next((other for other in ended[1:] if other.code not in (0, first.code)), None)
        if failed is not None:
            sys.stderr.write(failed.errors)
        return first.code or (failed.code if failed is not None else 0)

    def _show(self, event: tuple[float, Any]) -> None:
        """What the first process has printed."""
        message = event[1]
        stream = sys.stdout if message["stream"] == "out" else sys.stderr
        stream.write(message["text"])
        stream.flush()
        self._shown += 1

    def _wait(self, token: str, parts: list[Any], workers: list[str]) -> None:
        """Until all parts have ended. Ctrl-C ends the first one, which writes what it has; a second one ends
        all at once."""
        while True:
            try:
                while any(part.status == "pending" for part in parts):
                    time.sleep(0.1)
                    there = self._client.nthreads()
                    gone = next((worker for worker in workers if worker not in there), None)
                    if gone is not None:
                        raise _WorkerLost(f"the worker {gone} was lost")
                lost = next((worker for part, worker in zip(parts, workers, strict=True) if part.status in ("lost", "cancelled")), None)
                if lost is not None:
                    raise _WorkerLost(f"the worker {lost} was lost")
                return
            except KeyboardInterrupt:
                self._interrupts += 1
                if self._interrupts > 1:
                    raise
                self._client.run(interrupt, token, workers=workers[:1], on_error="ignore")

    def _end(self, token: str, workers: list[str]) -> None:
        there = [worker for worker in workers if worker in self._client.nthreads()]
        if there:
            self._client.run(end, token, workers=there, on_error="ignore")


def _topic(token: str) -> str:
    return f"partwise-{token}"


# ------------------------------------------------------------------ on a worker


@dataclass(frozen=True)
class Ended:
    """How the command ended on a worker."""

    code: int
    lines: int
    """How many lines it printed."""
    errors: str
    """Those of its standard error."""


def start(token: str, folder: str, dask_worker: Any) -> str:
    """Starts the command, which waits to be told its part; where it listens for the others."""
    host = urlsplit(dask_worker.address).hostname or "127.0.0.1"
    program = [sys.executable, "-m", "partwise_command.share", host]
    process = subprocess.Popen(program, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _started[token, dask_worker.address] = process
    assert process.stdout is not None
    line = process.stdout.readline().decode().strip()
    if not line.isdigit():
        assert process.stderr is not None
        raise OSError(f"the command could not be started: {process.stderr.read().decode(errors='replace')}")
    return f"[{host}]:{line}" if ":" in host else f"{host}:{line}"


def take_part(token: str, rank: int, places: list[str], arguments: list[str], on_this_machine: int) -> Ended:
    """Runs the command together with the others."""
    from distributed import get_worker

    worker = get_worker()
    process = _started[token, worker.address]
    assert process.stdin is not None
    part = {"rank": rank, "places": places, "token": token, "arguments": arguments, "on_this_machine": on_this_machine, "seconds": CONNECT_SECONDS}
    process.stdin.write(json.dumps(part).encode() + b"\n")
    process.stdin.flush()
    said: list[tuple[str, str]] = []

    def show(stream: str, text: str) -> None:
        said.append((stream, text))
        if rank == 0:
            worker.log_event(_topic(token), {"stream": stream, "text": text})

    threads = [threading.Thread(target=_pump, args=(getattr(process, f"std{stream}"), stream, show)) for stream in ("out", "err")]
    for thread in threads:
        thread.start()
    code = process.wait()
    for thread in threads:
        thread.join()
    _started.pop((token, worker.address), None)
    return Ended(code, len(said), "".join(text for stream, text in said if stream == "err"))


def _pump(pipe: Any, stream: str, show: Callable[[str, str], None]) -> None:
    for line in pipe:
        show(stream, line.decode(errors="replace"))


def interrupt(token: str, dask_worker: Any) -> None:
    """Ctrl-C for the command on this worker."""
    process = _started.get((token, dask_worker.address))
    if process is not None:
        process.send_signal(signal.SIGINT)


def end(token: str, dask_worker: Any) -> None:
    """Ends the command on this worker at once."""
    process = _started.pop((token, dask_worker.address), None)
    if process is not None:
        process.kill()
