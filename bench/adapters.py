"""One small adapter per contender.

A Python contender subclasses Adapter and implements fit(); it runs inside a child
process of peers.py (its own interpreter when `python` names one).  A contender that
is another program (R, a command line tool) subclasses External and implements
iter_run() / traj_run() itself.

To add a contender: write the class in one of adapters_*.py and decorate it with @register.  `supports(case)`
returns None when it can run the case, else the reason why not.
"""
import os
import re
import resource
import subprocess
import tempfile
import time

import numpy as np

import workloads as wl

REGISTRY = {}


def register(cls):
    REGISTRY[cls.name] = cls()
    return cls


class Adapter:
    name = "?"
    title = ""
    dtype = np.float64
    python = "main"          # which interpreter: see peers.py --python NAME=PATH
    custom_init = True       # takes W0, H0
    losses = ("fro",)
    kinds = ("dense", "sparse")
    symmetric = False        # a method made for symmetric input only
    any_symmetric = True     # also worth running on the SYM cases
    min_iter = 1             # smallest iteration count it can run
    external = False

    def supports(self, case):
        if case["loss"] not in self.losses:
            return "loss " + case["loss"]
        if case["kind"] not in self.kinds:
            return case["kind"] + " input"
        if self.symmetric and not case.get("sym"):
            return "symmetric only"
        if case.get("sym") and not (self.symmetric or self.any_symmetric):
            return "no symmetric method"
        if case.get("one_factor") and not self.symmetric:
            return "two factors"
        return None

    def version(self):
        return ""

    def setup(self, threads):
        """Once per child process, before any data is loaded."""

    def prepare(self, X, case):
        """Data in the contender's own form; not timed."""
        return X.astype(self.dtype, copy=False)

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        """-> W, H after exactly n_iter iterations (outer iterations/epochs)."""
        raise NotImplementedError


class External(Adapter):
    external = True

    def iter_run(self, work, case_name, case, seed, threads, reps, secs):
        raise NotImplementedError

    def traj_run(self, work, case_name, case, seed, threads, rungs, cap):
        raise NotImplementedError


class Cli(External):
    """Generic command line contender.

    Subclass with `template`, a command with {data} {k} {iters} {seed} {threads} {w0} {h0} {out};
    it must write {out}_W.npy and {out}_H.npy, and print a line "seconds: S" with the time
    of the factorization alone (else the whole run is counted).
    """
    template = None
    suffix = ".npy"

    def one(self, work, case, n_iter, seed, threads):
        mt = wl.meta(work, case["data"])
        with tempfile.TemporaryDirectory(dir=work) as d:
            W0, H0 = wl.init(mt, case["k"], seed, case.get("sym"))
            np.save(os.path.join(d, "W0.npy"), W0)
            np.save(os.path.join(d, "H0.npy"), H0)
            cmd = self.template.format(
                data=os.path.join(work, case["data"] + (".mtx" if mt["sparse"] else ".npy")),
                k=case["k"], iters=n_iter, seed=seed, threads=threads,
                w0=os.path.join(d, "W0.npy"), h0=os.path.join(d, "H0.npy"), out=os.path.join(d, "o"))
            r0 = resource.getrusage(resource.RUSAGE_CHILDREN)
            t0 = time.perf_counter()
            p = subprocess.run(cmd, shell=True, stdout=subprocess.PIPE, text=True, check=True)
            wall = time.perf_counter() - t0
            r1 = resource.getrusage(resource.RUSAGE_CHILDREN)
            s = re.findall(r"seconds:\s*([\d.e+-]+)", p.stdout)
            W = np.load(os.path.join(d, "o_W.npy"))
            H = np.load(os.path.join(d, "o_H.npy"))
        cpu = r1.ru_utime + r1.ru_stime - r0.ru_utime - r0.ru_stime
        return (float(s[-1]) if s else wall), cpu, r1.ru_maxrss / 1024.0, W, H

    def iter_run(self, work, case_name, case, seed, threads, reps, secs):
        rows = []
        for _ in range(reps):
            w1, c1, _, _, _ = self.one(work, case, 3, seed, threads)
            w2, c2, rss, _, _ = self.one(work, case, 13, seed, threads)
            rows.append(dict(wall=(w2 - w1) / 10, cpu=(c2 - c1) / 10, peak=rss, base=0, n1=3, n2=13))
        return rows

    def traj_run(self, work, case_name, case, seed, threads, rungs, cap):
        X, mt = wl.load(work, case["data"]), wl.meta(work, case["data"])
        rows = []
        for n in rungs:
            w, c, _, W, H = self.one(work, case, n, seed, threads)
            rows.append(dict(n=n, wall=w, cpu=c, err=wl.error(case, X, mt, W, H)))
            if w * 1.5 > cap:
                break
        return rows


# The contenders register themselves.
import adapters_partwise  # noqa: E402,F401
import adapters_programs  # noqa: E402,F401
import adapters_python  # noqa: E402,F401
