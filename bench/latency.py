#!/usr/bin/env python3
"""What single calls cost: a tiny fit, one new row, many new rows, one iteration of text, the import. Partwise
beside scikit-learn.

    python bench/latency.py [rounds]

Each line has the least CPU and the least wall milliseconds of a call, of rounds that take turns, on one
thread.
"""
import os

for _v in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_v, "1")

import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.decomposition import NMF as SklearnNMF

import partwise
import workloads as wl

warnings.simplefilter("ignore")


def ours(k, **more):
    return partwise.NMF(k, init="random", random_state=0, n_jobs=1, **more)


def theirs(k, **more):
    return SklearnNMF(k, init="random", random_state=0, **more)


def least(calls, rounds):
    """The least (CPU, wall) milliseconds of each call."""
    found = [(float("inf"), float("inf"))] * len(calls)
    for _ in range(rounds):
        for at, call in enumerate(calls):
            cpu, wall = time.process_time(), time.perf_counter()
            call()
            took = (time.process_time() - cpu, time.perf_counter() - wall)
            found[at] = tuple(min(old, 1e3 * new) for old, new in zip(found[at], took))
    return found


def line(name, calls, rounds):
    (cpu, wall), (cpu_sk, wall_sk) = least(calls, rounds)
    print("%-40s Partwise %9.3f (%9.3f)   scikit-learn %9.3f (%9.3f)   ratio %5.2f" % (name, cpu, wall, cpu_sk, wall_sk, cpu / cpu_sk), flush=True)


def import_ms(statements, rounds):
    """The least CPU milliseconds of each import after NumPy, SciPy and the base of scikit-learn, in turn."""
    code = "import time, numpy, scipy.sparse, sklearn.base, sklearn.utils.validation; b = time.process_time(); %s; print(time.process_time() - b)"
    # Compiled modules are kept, as they are of an installed package.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = lambda statement: float(subprocess.run([sys.executable, "-c", code % statement], check=True, capture_output=True, text=True, env=kept).stdout)
    found = [float("inf")] * len(statements)
    for _ in range(rounds + 1):
        found = [min(least, 1e3 * run(statement)) for least, statement in zip(found, statements)]
    return found


def sparse_start(rounds):
    """One iteration of sparse text (1.6 million values, k = 20) from a given start."""
    X = wl.gen_text(18000, 50000, 60, 104, 13)[1]
    mean = float(X.data.sum() / (X.shape[0] * X.shape[1]))
    W, H = wl.init(dict(mean=mean, m=X.shape[0], n=X.shape[1]), 20, 0)
    for kind in (np.float32, np.float64):
        data, codes, components = X.astype(kind), W.astype(kind), H.astype(kind)
        made = lambda cls: cls(20, init="custom", max_iter=1, tol=0, **({"n_jobs": 1} if cls is partwise.NMF else {}))
        fits = [lambda cls=cls: made(cls).fit_transform(data, W=codes.copy(), H=components.copy()) for cls in (partwise.NMF, SklearnNMF)]
        line("text 18,000 x 50,000, 1 iteration, %s" % np.dtype(kind), fits, max(rounds // 2, 2))


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("CPU (wall) milliseconds, the least of %d" % rounds)
    X = wl.generate("TINY")["TINY"]
    for iterations in (1, 200):
        of = lambda make: lambda: make(5, max_iter=iterations, tol=0).fit_transform(X)
        line("fit 100 x 50, k = 5, %d iterations" % iterations, [of(ours), of(theirs)], rounds)
    fitted = [make(5, max_iter=50).fit(X) for make in (ours, theirs)]
    line("transform of 1 row of 50, k = 5", [lambda m=m: m.transform(X[:1]) for m in fitted], rounds)
    many = np.tile(X, (1000, 1))
    line("transform of 100,000 rows of 50, k = 5", [lambda m=m: m.transform(many) for m in fitted], max(rounds // 5, 2))
    text = wl.gen_text(2000, 5000, 20, 60, 24)[1]
    fitted = [make(20, max_iter=20).fit(text) for make in (ours, theirs)]
    line("transform of 1 text, 5,000 words, k = 20", [lambda m=m: m.transform(text[:1]) for m in fitted], rounds)
    sparse_start(rounds)
    statements = ["import partwise", "from partwise import NMF", "from partwise import *", "from sklearn.decomposition import NMF"]
    for statement, milliseconds in zip(statements, import_ms(statements, max(rounds // 4, 2))):
        print("%-40s %9.1f" % (statement, milliseconds), flush=True)


if __name__ == "__main__":
    main()
