"""Promise: the package brings the command ``partwise``, which is the command line itself."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import partwise as pw
import partwise_command
import pytest

COMMAND = [sys.executable, "-m", "partwise_command"]
# Far more than an answer takes on a busy machine, far less than the work would.
LIMIT = 60


def partwise(*arguments, **options):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, timeout=LIMIT, **options)


def test_pip_makes_the_command():
    (entry,) = entry_points(group="console_scripts", name="partwise")
    assert entry.load() is partwise_command.main


def test_the_command_does_not_wait_for_numpy():
    script = (
        "import sys, partwise_command\n"
        "sys.argv = ['partwise', '--version']\n"
        "try:\n    partwise_command.main()\n"
        "except SystemExit as end:\n    print(end.code, [m for m in ('numpy', 'scipy', 'sklearn', 'partwise') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"partwise {pw.__version__}", "0 []"]


def test_results_and_exit_codes_are_those_of_the_command_line(tmp_path):
    X = np.random.default_rng(0).random((30, 8))
    np.save(tmp_path / "x.npy", X)
    done = partwise("fit", "x.npy", "-k", 3, "--init", "random", "--seed", 1, "--out", "out", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    model = pw.NMF(3, init="random", random_state=1).fit(X)
    np.testing.assert_array_equal(pw.load(tmp_path / "out" / "model.safetensors").codes_, model.codes_)
    refused = partwise("fit", "none.npy", "-k", 3, cwd=tmp_path)
    assert refused.returncode == 2 and b"none.npy" in refused.stderr and b"Traceback" not in refused.stderr
    misspelt = partwise("fti")
    assert misspelt.returncode == 2 and b"fti" in misspelt.stderr and b"Traceback" not in misspelt.stderr
    package = subprocess.run([sys.executable, "-m", "partwise", "--version"], capture_output=True, text=True)
    assert (package.returncode, package.stdout) == (0, f"partwise {pw.__version__}\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only there a file name can be any bytes")
def test_any_file_name_reaches_the_command_line(tmp_path):
    name = os.fsdecode(b"t\xe4belle \xc3\xa4.csv")
    (tmp_path / name).write_text("a,b\n1,2\n3,1\n2,2\n")
    done = partwise("fit", name, "-k", 1, "--out", "out", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def signals_caught(process):
    """The signals that the process handles, as Linux reports them."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("SigCgt:")), 16)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux when the process listens to signals")
def test_ctrl_c_writes_the_result_so_far_and_python_does_not_interfere(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random((400, 60)))
    long = [*COMMAND, "fit", "x.npy", "-k", "4", "--tol", "0", "--max-iter", "100000000", "--out", "out"]
    process = subprocess.Popen(long, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    began = time.monotonic()
    # Python leaves SIGTERM alone: once it is caught, the command line is listening.
    while not signals_caught(process) & 1 << (signal.SIGTERM - 1) and time.monotonic() - began < LIMIT:
        time.sleep(0.01)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors and b"KeyboardInterrupt" not in errors
    assert json.loads((tmp_path / "out" / "run.json").read_text())["result"]["iterations"] > 0


@pytest.mark.skipif(os.name != "posix", reason="needs a shell and its pipes")
def test_a_closed_pipe_ends_the_command_quietly():
    script = f"'{sys.executable}' -m partwise_command methods; echo $? >&2"
    done = subprocess.run(["sh", "-c", f"({script}) | true"], capture_output=True, text=True, timeout=LIMIT)
    # 0 where the pipe took all of it before its reader had gone.
    assert done.stderr.strip() in ("141", "0")


def test_the_citation_is_the_same_in_both(tmp_path):
    for spec in pw._native.registries()["methods"]:
        printed = partwise("cite", spec["name"], text=True, encoding="utf-8").stdout
        assert printed.rstrip("\n") == pw.cite(spec["name"]), spec["name"]
    assert partwise("cite", text=True).stdout.rstrip("\n") == pw.cite()
    assert pw.cite(pw.GNMF) == pw.cite("gnmf") == pw.cite(pw.GNMF(3))
    with pytest.raises(ValueError, match="ws-nmf"):
        pw.cite("nfm")
    with pytest.raises(TypeError, match="the name of a method"):
        pw.cite(3)
