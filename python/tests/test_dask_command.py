"""``partwise fit --dask``: the command on the workers of a Dask cluster."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

COMMAND = [sys.executable, "-m", "partwise"]


def partwise(folder, arguments, program=COMMAND):
    return subprocess.run([*program, *arguments.split()], cwd=folder, capture_output=True, text=True, timeout=240)


def result(folder, out):
    return [np.load(folder / out / f"{name}.npy") for name in ("codes", "components")], json.loads((folder / out / "run.json").read_text())["result"]


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(0)
    X = np.floor(random.random((400, 4)) @ random.random((4, 30)) * 5 * (random.random((400, 30)) < 0.5))
    np.save(tmp_path / "x.npy", X)
    assert partwise(tmp_path, "convert x.npy x.pwx --block-values 1500").returncode == 0
    return tmp_path


@pytest.fixture(scope="module")
def workers():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


FIT = "fit x.pwx -k 4 --max-iter 40 --tol 0"


def test_the_workers_of_a_cluster_fit_a_file_together(folder, workers):
    alone, shared = partwise(folder, f"{FIT} --memory 1GB --out alone"), partwise(folder, f"{FIT} --out shared --dask {workers.scheduler_address}")
    assert alone.returncode == 0 and shared.returncode == 0, shared.stderr
    (ours, of_one), (found, of_two) = result(folder, "shared"), result(folder, "alone")
    assert of_one["objective"] == pytest.approx(of_two["objective"], rel=1e-10)
    assert all(np.allclose(a, b, rtol=1e-6, atol=1e-9) for a, b in zip(ours, found, strict=True))
    # The first worker prints, as if it ran alone.
    assert "for 2 processes, in each of which" in shared.stdout + shared.stderr
    assert "result: shared" in shared.stdout + shared.stderr


def test_without_an_address_the_workers_are_on_this_machine(folder):
    pytest.importorskip("distributed")
    done = partwise(folder, f"{FIT} --quiet --out shared --dask")
    assert done.returncode == 0, done.stderr
    assert (folder / "shared" / "codes.npy").exists()


def test_a_file_of_cells_is_read_by_the_workers(folder, workers):
    anndata = pytest.importorskip("anndata")
    import scipy.sparse as sp

    anndata.AnnData(sp.csr_matrix(np.load(folder / "x.npy"))).write_h5ad(folder / "x.h5ad")
    assert partwise(folder, "fit x.h5ad -k 4 --max-iter 40 --tol 0 --memory 1GB --out alone --quiet").returncode == 0
    done = partwise(folder, f"fit x.h5ad -k 4 --max-iter 40 --tol 0 --quiet --out shared --dask {workers.scheduler_address}")
    assert done.returncode == 0, done.stderr
    assert result(folder, "shared")[1]["objective"] == pytest.approx(result(folder, "alone")[1]["objective"], rel=1e-10)


def test_what_cannot_run_is_refused_by_the_first_worker(folder, workers):
    for arguments, said in [
        ("fit x.npy -k 4 --out none", "share the row blocks"),
        ("fit x.pwx -k 4 --method symnmf --out none", "data that are read in blocks"),
        ("fit x.pwx -k 4 --nothing", "--nothing"),
    ]:
        done = partwise(folder, f"{arguments} --dask {workers.scheduler_address}")
        assert done.returncode == 2 and said in done.stderr, (arguments, done)
        assert not (folder / "none").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_a_fit_whose_worker_is_killed_goes_on_from_its_checkpoint(folder, workers):
    from distributed import Client

    checkpoint, killed = folder / "shared.checkpoint", []

    def kill():
        until = time.monotonic() + 60
        while not checkpoint.exists() and time.monotonic() < until:
            time.sleep(0.01)
        with Client(workers) as client:
            pids = client.run(os.getpid)
            killed.append(sorted(pids.items())[-1][1])
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    fit = "fit x.pwx -k 4 --max-iter 5000 --tol 0"
    done = partwise(folder, f"{fit} --out shared --checkpoint 0.05 --dask {workers.scheduler_address}")
    thread.join()
    assert done.returncode == 0, done.stderr
    assert killed and "the fit starts again with those that are there" in done.stderr
    assert "resumed from" in done.stdout + done.stderr
    assert partwise(folder, f"{fit} --memory 1GB --quiet --out alone").returncode == 0
    assert result(folder, "shared")[1]["objective"] == pytest.approx(result(folder, "alone")[1]["objective"], rel=1e-6)


def test_a_scheduler_that_is_not_there_is_named(folder):
    pytest.importorskip("distributed")
    began = time.monotonic()
    done = partwise(folder, "fit x.pwx -k 2 --out none --dask=tcp://127.0.0.1:9")
    assert done.returncode == 2 and "the Dask scheduler tcp://127.0.0.1:9 does not answer" in done.stderr, done
    assert time.monotonic() - began < 30


def test_without_dask_the_message_says_what_to_install(folder):
    script = "import sys; sys.modules['distributed'] = None; from partwise_command import main; main()"
    done = partwise(folder, "fit x.pwx -k 2 --out none --dask", [sys.executable, "-c", script])
    assert done.returncode == 2 and 'pip install "partwise[dask]"' in done.stderr
