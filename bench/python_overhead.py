"""What Python costs: one fit through the package and the same fit in Rust alone, interleaved, on one thread.

    cargo build --release -p partwise-cli --example one_fit
    pip install .
    python bench/python_overhead.py target/release/examples/one_fit [rounds]

Compares CPU seconds and the most memory beyond X, and checks that the objective is the same to the last bit.
Linux only (/proc).
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SAMPLES, FEATURES, RANK, ITERATIONS = 10_000, 2_000, 20, 30

FIT = """
import json, sys, time
import numpy as np
import partwise
def memory(key):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key + ":"))
X = np.load(sys.argv[1])
model = partwise.NMF(int(sys.argv[2]), init="random", random_state=0, max_iter=int(sys.argv[3]), tol=0, n_jobs=1)
open("/proc/self/clear_refs", "w").write("5")
before, began = memory("VmRSS"), time.process_time()
model.fit(X)
print(json.dumps({"cpu": time.process_time() - began, "peak": max(memory("VmHWM") - before, 0), "objective": model.objective_}))
"""


def run(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def together(path):
    """CPU seconds per second of wall time of two fits in two threads, and of two of NumPy's sorts, which run
    at the same time."""
    import numpy as np

    import partwise

    X = np.load(path)
    settings = {"init": "random", "random_state": 0, "max_iter": 5, "tol": 0, "n_jobs": 1}
    fit = lambda: partwise.NMF(RANK, **settings).fit(X)  # noqa: E731
    sort = lambda: np.sort(X, axis=0)  # noqa: E731
    shares = []
    for work in (fit, sort):
        threads = [threading.Thread(target=work) for _ in range(2)]
        wall, cpu = time.perf_counter(), time.process_time()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shares.append((time.process_time() - cpu) / (time.perf_counter() - wall))
    return shares


def main():
    import numpy as np

    rust, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        np.save(path, np.random.default_rng(0).random((SAMPLES, FEATURES)))
        arguments = [str(path), str(RANK), str(ITERATIONS)]
        ratios, peaks = [], []
        for at in range(rounds):
            commands = {"rust": [rust, *arguments], "python": [sys.executable, "-W", "ignore", "-c", FIT, *arguments]}
            # In turn first, so that neither always finds the machine warm.
            order = list(commands) if at % 2 == 0 else list(commands)[::-1]
            found = {name: run(commands[name]) for name in order}
            assert found["rust"]["objective"] == found["python"]["objective"], found
            ratios.append(found["python"]["cpu"] / found["rust"]["cpu"])
            peaks.append((found["rust"]["peak"] / 1e6, found["python"]["peak"] / 1e6))
            print(f"round {at + 1}: Rust {found['rust']['cpu']:.3f} s, Python {found['python']['cpu']:.3f} s of CPU; "
                  f"beyond X {peaks[-1][0]:.1f} and {peaks[-1][1]:.1f} MB", flush=True)
        print(f"Python over Rust: median {np.median(ratios):.4f} (from {min(ratios):.4f} to {max(ratios):.4f})")
        fits, sorts = together(path)
        print(f"two threads: fits use {fits:.2f} cores, two of NumPy's sorts {sorts:.2f}")


if __name__ == "__main__":
    main()
