"""Partwise: the Python module and the command line."""
import json
import os
import resource
import shutil
import subprocess
import tempfile

import numpy as np
import scipy.sparse as sp

import workloads as wl
from adapters import Adapter, External, register


class Partwise(Adapter):
    """The Python module, with the start of the other contenders."""
    solver = "auto"

    def version(self):
        import partwise
        return "partwise " + partwise.__version__

    def setup(self, threads):
        self.threads = threads

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import warnings
        from partwise import NMF
        loss = "kullback-leibler" if case["loss"] == "kl" else "frobenius"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = NMF(k, init="custom", solver=self.solver, beta_loss=loss, tol=0.0, max_iter=n_iter,
                    n_jobs=self.threads).fit(X, W=W0, H=H0)
        return m.codes_, m.components_


for _s, _l in (("auto", ("fro", "kl")), ("mu", ("fro",)), ("bpp", ("fro",)), ("nesterov", ("fro",)), ("newton", ("kl",))):
    for _t, _d in (("f64", np.float64), ("f32", np.float32)):
        _n = "partwise-" + ("" if _s == "auto" else _s + "-") + _t
        register(type(_n.replace("-", "_"), (Partwise,), dict(
            name=_n, title="Partwise, solver %s, float%s" % (_s, _t[1:]), solver=_s, losses=_l, dtype=_d)))


class PartwiseSym(Partwise):
    """One factor for symmetric data, from the same start."""
    symmetric = True

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import warnings
        from partwise import SymNMF
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = SymNMF(k, init="custom", tol=0.0, max_iter=n_iter, n_jobs=self.threads).fit(X, W=W0)
        return m.codes_, m.codes_.T


for _t, _d in (("f64", np.float64), ("f32", np.float32)):
    register(type("PartwiseSym_" + _t, (PartwiseSym,), dict(
        name="partwise-sym-" + _t, title="Partwise, SymNMF, float" + _t[1:], dtype=_d)))


class PartwiseCli(External):
    """The command line (NMF_BENCH_PARTWISE, else `partwise` of the path), with its own random start; the
    seconds of run.json."""
    custom_init = False
    losses = ("fro", "kl")

    def supports(self, case):
        if not shutil.which(self.program()):
            return "no partwise command; set NMF_BENCH_PARTWISE"
        return Adapter.supports(self, case)

    @staticmethod
    def program():
        return os.environ.get("NMF_BENCH_PARTWISE") or "partwise"

    def data(self, work, case):
        mt = wl.meta(work, case["data"])
        if not mt["sparse"]:
            return os.path.join(work, case["data"] + ".npy")
        f = os.path.join(work, case["data"] + ".npz")
        if not os.path.exists(f):
            sp.save_npz(f, wl.load(work, case["data"]), compressed=False)
        return f

    def one(self, work, case, n_iter, seed, threads):
        with tempfile.TemporaryDirectory(dir=work) as d:
            out = os.path.join(d, "o")
            cmd = [self.program(), "fit", self.data(work, case), "--method", "nmf", "-k", str(case["k"]), "--init", "random",
                   "--seed", str(seed), "--tol", "0", "--max-iter", str(n_iter), "--threads", str(threads), "--quiet",
                   "--dtype", "f32" if self.dtype == np.float32 else "f64", "--out", out]
            if case["loss"] == "kl":
                cmd += ["--loss", "kullback-leibler"]
            r0 = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(cmd, stdout=subprocess.PIPE, check=True)
            r1 = resource.getrusage(resource.RUSAGE_CHILDREN)
            run = json.load(open(os.path.join(out, "run.json")))
            W, H = np.load(os.path.join(out, "codes.npy")), np.load(os.path.join(out, "components.npy"))
        cpu = r1.ru_utime + r1.ru_stime - r0.ru_utime - r0.ru_stime
        return run, cpu, r1.ru_maxrss / 1024.0, W, H

    def iter_run(self, work, case_name, case, seed, threads, reps, secs):
        rows = []
        for _ in range(reps):
            a, c1, _, _, _ = self.one(work, case, 3, seed, threads)
            b, c2, rss, _, _ = self.one(work, case, 23, seed, threads)
            rows.append(dict(wall=(self.seconds(b) - self.seconds(a)) / 20, cpu=(c2 - c1) / 20, peak=rss, base=0, n1=3, n2=23,
                             ver="partwise " + b["versions"]["partwise"]))
        return rows

    @staticmethod
    def seconds(run):
        return run["seconds"]["fit"]

    def traj_run(self, work, case_name, case, seed, threads, rungs, cap):
        X, mt = wl.load(work, case["data"]), wl.meta(work, case["data"])
        rows, last = [], 0.0
        for i, n in enumerate(rungs):
            if i and last * n / rungs[i - 1] > cap:
                break
            run, c, _, W, H = self.one(work, case, n, seed, threads)
            last = self.seconds(run)
            rows.append(dict(n=n, wall=last, cpu=last if threads == 1 else c, err=wl.error(case, X, mt, W, H)))
        return rows


for _t, _d in (("f64", np.float64), ("f32", np.float32)):
    register(type("PartwiseCli_" + _t, (PartwiseCli,), dict(
        name="partwise-cli-" + _t, title="Partwise, command line, float" + _t[1:], dtype=_d)))
