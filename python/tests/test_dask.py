"""A Dask array on a cluster: the result is that of data in memory, also when workers are lost."""

import inspect
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import partwise
import pytest
import scipy.sparse as sp
from partwise import NMF, GuidedNMF, RowBlocks, WSNMF
from partwise._registry import METHODS

pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
from partwise._blocks import cluster as cluster_module  # noqa: E402
from partwise._blocks import sources  # noqa: E402

SETTINGS = {"n_components": 4, "random_state": 0, "max_iter": 30, "tol": 0}


def matrix(n=400, d=30):
    random = np.random.default_rng(0)
    X = random.random((n, 4)) @ random.random((4, d)) + 0.1 * random.random((n, d))
    X[X < 0.6] = 0
    return X


def lazy(X, sparse=False, chunk=25):
    """A Dask array in chunks of rows and columns, or of sparse rows."""
    import dask.array

    array = dask.array.from_array(X, chunks=(chunk, 20))
    return array.rechunk({1: -1}).map_blocks(sp.csr_array) if sparse else array


@pytest.fixture(scope="module")
def workers():
    with distributed.LocalCluster(n_workers=4, processes=True, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def client(workers):
    workers.scale(4)
    with distributed.Client(workers) as client:
        client.wait_for_workers(4, timeout=60)
        yield client


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_VALUES", 1500)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_workers_give_the_result_of_data_in_memory(client, monkeypatch, small_blocks, count):
    original = cluster_module.SharedBlocks._workers
    monkeypatch.setattr(cluster_module.SharedBlocks, "_workers", lambda shared: original(shared)[:count])
    X = matrix()
    for array in (lazy(X), lazy(X, sparse=True)):
        for loss in ("frobenius", "kullback-leibler"):
            settings = {**SETTINGS, "beta_loss": loss}
            whole, shared = NMF(**settings).fit(X), NMF(**settings).fit(array)
            assert shared.objective_ == pytest.approx(whole.objective_, rel=1e-10)
            np.testing.assert_allclose(shared.codes_, whole.codes_, rtol=1e-6, atol=1e-6)
            assert f"{count} worker" in shared.notices_[-1][1]
    assert len(shared.history_["objective"]) == 31


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_every_method_that_takes_row_blocks_runs_on_the_workers(client, small_blocks, loss):
    X = matrix(160, 20)
    y = np.where(np.arange(160) % 5, -1, np.arange(160) % 2)
    for spec in METHODS.values():
        make = getattr(partwise, spec["estimator"])
        if not spec["in_blocks"] or loss not in spec["losses"]:
            continue
        known = {"graph": sp.csr_array(np.eye(160, k=1) + np.eye(160, k=-1))} if "graph" in inspect.signature(make.fit).parameters else {}
        settings = {"n_components": 3, "random_state": 0, "max_iter": 5, "tol": 0, "beta_loss": loss}
        whole, shared = (make(**settings).fit(data, y, **known) for data in (_streamed(X), lazy(X, chunk=20)))
        assert shared.objective_ == pytest.approx(whole.objective_, rel=1e-10), spec["name"]
        np.testing.assert_allclose(shared.components_, whole.components_, rtol=1e-6, atol=1e-8, err_msg=spec["name"])


def test_labels_and_guidance_reach_the_workers(client, small_blocks):
    X = matrix()
    y = np.where(np.arange(400) % 5, -1, np.arange(400) % 2)
    for make in (WSNMF, GuidedNMF):
        settings = {"random_state": 0, "max_iter": 20, "tol": 0}
        whole, shared = (make(**settings).fit(data, y) for data in (_streamed(X), lazy(X)))
        assert shared.objective_ == pytest.approx(whole.objective_, rel=1e-10)
        assert (shared.labels_ == whole.labels_).all()
        np.testing.assert_allclose(shared.transform(lazy(X)), whole.transform(X), rtol=1e-6, atol=1e-8)


def _streamed(X):
    return RowBlocks(lambda: iter([X]), shape=X.shape)


def test_faults_have_the_errors_of_data_in_memory(client, small_blocks):
    X = matrix()
    X[130, 7] = -2
    with pytest.raises(ValueError, match="Negative values in data passed to NMF.*row 130, column 7"):
        NMF(2).fit(lazy(X))

    def fails(block):
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        NMF(2).fit(lazy(matrix()).map_blocks(fails, dtype=float, meta=np.empty((0, 0))))
    with pytest.raises(ValueError, match="callback is not supported with X on a Dask cluster"):
        NMF(2, callback=lambda iteration: False).fit(lazy(matrix()))


def busy():
    """Whether a part of a fit runs on this worker; its process."""
    from partwise._blocks import worker

    return os.getpid() if worker._connected else None


def kill_one(client, how_often=1, seen=()):
    """Kills a worker that is in the middle of a fit, as a machine does that runs out of memory."""

    def act():
        for _ in range(how_often):
            found = {}
            while not found:
                found = {address: pid for address, pid in client.run(busy, on_error="ignore").items() if pid and pid not in killed}
                time.sleep(0.05)
            time.sleep(0.3)
            pid = found[max(found)]
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    killed = list(seen)
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread, killed


def test_chunks_are_computed_by_workers_only(client, small_blocks):
    here = os.getpid()

    def elsewhere(block):
        assert os.getpid() != here
        return block

    X = matrix()
    shared = NMF(**SETTINGS).fit(lazy(X).map_blocks(elsewhere, dtype=X.dtype, meta=np.empty((0, 0))))
    assert shared.objective_ == pytest.approx(NMF(**SETTINGS).fit(X).objective_, rel=1e-10)


@pytest.mark.skipif(sys.platform == "win32", reason="uses a signal")
def test_an_interrupted_fit_leaves_no_worker_at_work(client, small_blocks):
    def interrupt(signum, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            NMF(**{**SETTINGS, "max_iter": 10_000_000}).fit(lazy(matrix()))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    until = time.monotonic() + 10
    while any(client.run(busy).values()):
        assert time.monotonic() < until
        time.sleep(0.1)
    # The cluster is as it was.
    assert NMF(**SETTINGS).fit(lazy(matrix())).n_iter_ == 30


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_a_fit_whose_worker_is_killed_ends_at_the_same_optimum(client, small_blocks):
    X = matrix()
    settings = {**SETTINGS, "max_iter": 4000}
    whole = NMF(**settings).fit(_streamed(X))
    thread, killed = kill_one(client)
    began = time.monotonic()
    shared = NMF(**settings).fit(lazy(X))
    thread.join(5)
    assert len(killed) == 1, "no worker was killed in the middle of the fit"
    assert "after 1 restart because workers were lost" in shared.notices_[-1][1]
    assert shared.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert time.monotonic() - began < 60


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_a_fit_whose_worker_is_killed_goes_on_from_its_checkpoint(client, small_blocks, tmp_path):
    X = matrix()
    settings = {**SETTINGS, "max_iter": 4000}
    whole = NMF(**settings).fit(_streamed(X))
    thread, killed = kill_one(client)
    path = tmp_path / "state"
    shared = NMF(**settings, checkpoint=path, checkpoint_seconds=0.01).fit(lazy(X))
    thread.join(5)
    assert len(killed) == 1, "no worker was killed in the middle of the fit"
    assert ("resumed", f"the fit went on from the checkpoint {path}") in shared.notices_
    assert shared.n_iter_ == 4000 and shared.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_rows_that_are_lost_three_times_are_named(client, small_blocks, monkeypatch):
    original = cluster_module.SharedBlocks._workers
    monkeypatch.setattr(cluster_module.SharedBlocks, "_workers", lambda shared: original(shared)[:1])
    thread, killed = kill_one(client, 3)
    with pytest.raises(RuntimeError, match=r"rows 0 to 24 of X \(counted from 0\) were lost 3 times, each time with the worker"):
        NMF(**{**SETTINGS, "max_iter": 1_000_000}).fit(lazy(matrix()))
    thread.join(5)
    assert len(killed) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process with a signal")
def test_a_scheduler_that_does_not_answer_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster_module, "ANSWER_SECONDS", 2.0)
    place = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(place), "--host", "127.0.0.1"]
    scheduler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while not place.exists() and time.monotonic() < until:
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(place), timeout=10) as client:
            monkeypatch.setattr(cluster_module, "WORKER_SECONDS", 1.0)
            with pytest.raises(TimeoutError, match="has no worker"):
                NMF(2).fit(lazy(matrix()))
            scheduler.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            with pytest.raises(TimeoutError, match=f"the Dask scheduler {client.scheduler.address} does not answer"):
                NMF(2).fit(lazy(matrix()))
            assert time.monotonic() - began < 30
            scheduler.send_signal(signal.SIGCONT)
    finally:
        scheduler.kill()
        scheduler.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_graph_stays_small_and_the_memory_of_the_client_flat(client, monkeypatch):
    import dask.array
    import cloudpickle

    graphs, resident, done = [], [], threading.Event()
    submitted = distributed.Client._graph_to_futures

    def measured(self, graph, *arguments, **options):
        graphs.append(len(cloudpickle.dumps(graph)))
        return submitted(self, graph, *arguments, **options)

    def watch():
        while not done.wait(0.02):
            with open("/proc/self/statm") as file:
                resident.append(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))

    monkeypatch.setattr(distributed.Client, "_graph_to_futures", measured)

    def part(block_info=None):
        return np.random.default_rng(block_info[None]["chunk-location"][0]).random((500, 1000))

    # 160 MB, made by the workers.
    X = dask.array.map_blocks(part, chunks=((500,) * 40, (1000,)), dtype=float, meta=np.empty((0, 0)))
    thread = threading.Thread(target=watch)
    thread.start()
    model = NMF(4, random_state=0, max_iter=3, tol=0).fit(X)
    done.set()
    thread.join()
    assert model.codes_.shape == (20000, 4)
    assert graphs and max(graphs) < 1_000_000
    assert max(resident) - resident[0] < 40e6, f"{(max(resident) - resident[0]) / 1e6:.0f} MB more"
