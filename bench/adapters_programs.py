"""R packages and PLANC."""
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time

import numpy as np

import workloads as wl
from adapters import External, register


class RPeer(External):
    """RcppML through rcppml.R (same directory); rlib = environment variable with the library."""
    custom_init = False
    variant = "03"
    options = ""
    rlib = None

    def supports(self, case):
        if not shutil.which("Rscript"):
            return "no Rscript"
        if self.rlib and not os.environ.get(self.rlib):
            return self.rlib + " unset"
        return External.supports(self, case)

    def run_r(self, mode, work, case_name, case, seed, threads, extra):
        here = os.path.dirname(os.path.abspath(__file__))
        out = tempfile.mkdtemp(prefix="rpeer", dir=work)
        mt = wl.meta(work, case["data"])
        W0, H0 = wl.init(mt, case["k"], seed, case.get("sym"))
        H0.T.tofile(os.path.join(out, "H0.bin"))
        W0.T.tofile(os.path.join(out, "W0.bin"))
        args = dict(mode=mode, work=work, data=case["data"], sparse=int(mt["sparse"]), m=mt["m"],
                    n=mt["n"], k=case["k"], seed=seed, threads=threads, out=out,
                    variant=self.variant, options=self.options, loss=case["loss"],
                    sym=int(bool(case.get("sym") and self.symmetric)), **extra)
        env = dict(os.environ)
        lib = os.environ.get(self.rlib or "", "")
        if lib:
            args["rlib"] = lib
        p = subprocess.Popen(["Rscript", "--vanilla", os.path.join(here, "rcppml.R")] +
                             ["%s=%s" % kv for kv in args.items()],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        so, se = p.communicate()
        rows = [json.loads(l[2:]) for l in so.splitlines() if l.startswith("@@")]
        if p.returncode or not rows:
            shutil.rmtree(out)
            raise RuntimeError("Rscript failed: " + se[-600:])
        return out, mt, rows

    def iter_run(self, work, case_name, case, seed, threads, reps, secs):
        out, mt, rows = self.run_r("iter", work, case_name, case, seed, threads, dict(reps=reps, secs=secs))
        shutil.rmtree(out)
        return rows

    def traj_run(self, work, case_name, case, seed, threads, rungs, cap):
        out, mt, rows = self.run_r("traj", work, case_name, case, seed, threads,
                                   dict(rungs=",".join(map(str, rungs)), cap=cap))
        X = wl.load(work, case["data"])
        k = case["k"]
        for r in rows:
            if "file" in r:
                f = r.pop("file")
                # R side holds features x k and k x samples, column-major
                H = np.fromfile(os.path.join(out, f + "_w.bin")).reshape(k, mt["n"])
                W = np.fromfile(os.path.join(out, f + "_h.bin")).reshape(mt["m"], k)
                d = np.fromfile(os.path.join(out, f + "_d.bin"))
                r["err"] = wl.error(case, X, mt, W * d, H)
        shutil.rmtree(out)
        return rows


@register
class RcppML03(RPeer):
    name, title = "rcppml-0.3", "RcppML 0.3.7 (Debian), float64"
    any_symmetric = False


class RcppML1(RPeer):
    variant, rlib, custom_init = "1", "NMF_BENCH_RLIB_RCPPML1", True


for _n, _o, _l in (("rcppml-1", "", None), ("rcppml-1-cd", "cd", None), ("rcppml-1-chol", "cholesky", None),
                   ("rcppml-1n", "", "NMF_BENCH_RLIB_RCPPML1_NATIVE"),
                   ("rcppml-1n-cd", "cd", "NMF_BENCH_RLIB_RCPPML1_NATIVE")):
    _d = dict(name=_n, title="RcppML 1.0.0%s%s, float32" % (
        " native build" if _l else "", ", solver " + _o if _o else ""), options=_o, any_symmetric=False)
    if _l:
        _d["rlib"] = _l
    register(type("R_" + _n, (RcppML1,), _d))


@register
class RcppML1Sym(RcppML1):
    name, title, symmetric = "rcppml-1-sym", "RcppML 1.0.0, symmetric=TRUE, float32", True


@register
class RcppML1SymNative(RcppML1Sym):
    name, title, rlib = "rcppml-1n-sym", "RcppML 1.0.0 native build, symmetric=TRUE, float32", "NMF_BENCH_RLIB_RCPPML1_NATIVE"


@register
class RcppML1Kl(RcppML1):
    name, title, losses = "rcppml-1-kl", "RcppML 1.0.0, loss gp without dispersion (KL by IRLS)", ("kl",)
    any_symmetric = False


@register
class RNmfLee(RPeer):
    name, title, variant, kinds = "rnmf-lee", "R package NMF, lee", "NMF", ("dense",)
    options, custom_init, any_symmetric = "lee", True, False


class Planc(External):
    """PLANC's nmf / distnmf drivers; NMF_BENCH_PLANC = build directory with the four drivers."""
    custom_init = False
    algo = 2
    ranks = 0          # 0: shared memory driver; else MPI ranks
    whole = False      # its per-iteration lines do not cover the iteration: use the total
    any_symmetric = False

    def version(self):
        return "PLANC 0.8.2 (system OpenBLAS)"

    def supports(self, case):
        if not os.environ.get("NMF_BENCH_PLANC"):
            return "NMF_BENCH_PLANC unset"
        return External.supports(self, case)

    def command(self, work, case, n_iter, out, threads, seed=None):
        sparse = case["kind"] == "sparse"
        mt = wl.meta(work, case["data"])
        kind = "sparse" if sparse else "dense"
        root = os.environ["NMF_BENCH_PLANC"]
        ext = "coo" if sparse else "arma"
        exp = wl.export_coo if sparse else wl.export_arma
        if self.ranks:
            stem = os.path.join(work, case["data"] + ".dist%d." % self.ranks)
            if sparse:                      # one text file per rank, named by its grid position
                rows = [mt["m"] // self.ranks + (i < mt["m"] % self.ranks) for i in range(self.ranks)]
                at = 0
                for i, r in enumerate(rows):
                    if not os.path.exists(stem + "%d_0" % i):
                        exp(work, case["data"], rows=(at, at + r), path=stem + "%d_0" % i)
                    at += r
            elif not os.path.exists(stem):  # one headerless column-major file read through MPI-IO
                wl.load(work, case["data"]).T.tofile(stem)
            exe = os.path.join(root, kind + "_distnmf", kind + "_distnmf")
            cmd = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-np", str(self.ranks), exe,
                   "-i", stem, "-d", "%d %d" % (mt["m"], mt["n"]), "-p", "%d 1" % self.ranks,
                   "-e", "1"] + (["--unpartitioned", "0"] if sparse else [])
        else:
            # the driver takes a path for a file only when it ends in "rand"
            f = os.path.join(work, case["data"] + "." + ext + ".rand")
            if not os.path.exists(f):
                exp(work, case["data"], path=f)
            exe = os.path.join(root, kind + "_nmf", kind + "_nmf")
            cmd = [exe, "-i", f]
            if self.symmetric:
                cmd += ["-d", "%d %d" % (mt["m"], mt["n"]), "--symm", "0"]
        cmd += ["-a", str(self.algo), "-k", str(case["k"]), "-t", str(n_iter)]
        if seed is not None and not self.ranks:
            cmd += ["--seed", str(1000 + 37 * seed)]
        if out:
            cmd += ["-o", out]
        env = dict(os.environ)
        t = str(max(1, threads // self.ranks)) if self.ranks else str(threads)
        env["OMP_NUM_THREADS"] = env["OPENBLAS_NUM_THREADS"] = t
        return cmd, env

    def call(self, work, case, n_iter, threads, seed=None, out=None):
        cmd, env = self.command(work, case, n_iter, out, threads, seed)
        r0 = resource.getrusage(resource.RUSAGE_CHILDREN)
        t0 = time.perf_counter()
        p = subprocess.run(cmd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wall = time.perf_counter() - t0
        r1 = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = r1.ru_utime + r1.ru_stime - r0.ru_utime - r0.ru_stime
        if p.returncode:
            raise RuntimeError("planc failed: " + p.stdout[-500:])
        return p.stdout, wall, cpu, r1.ru_maxrss / 1024.0

    @staticmethod
    def parse(text):
        """per-iteration seconds (without the error evaluation) and relative errors."""
        its = [float(x) for x in re.findall(r"Completed It \(\d+/\d+\) time\s*=\s*([\d.e+-]+)", text)]
        err = [float(x) for x in re.findall(r"relative error\s*::\s*([\d.e+-]+)", text)]
        if not its:                          # distnmf: cumulative times; no error after iteration 0
            cum = [float(x) for x in re.findall(r"completed it=\d+::taken::([\d.e+-]+)", text)]
            its = [float(x) for x in np.diff([0.0] + cum)]
            err = [err[0] + 1.0] + err if err else err
        total = re.findall(r"time taken:+\s*([\d.e+-]+)", text)
        return its, err, float(total[-1]) if total else None

    def iter_run(self, work, case_name, case, seed, threads, reps, secs):
        rows = []
        lo = 3
        its = self.parse(self.call(work, case, lo, threads, seed)[0])[0]
        hi = lo + int(min(max(secs / max(its[-1], 1e-4), 4), 200))
        for _ in range(reps):
            txt, w1, c1, _ = self.call(work, case, lo, threads, seed)
            txt, w2, c2, rss = self.call(work, case, hi, threads, seed)
            its, err, total = self.parse(txt)
            row = dict(wall=(w2 - w1) / (hi - lo), cpu=(c2 - c1) / (hi - lo), peak=rss, base=0,
                       n1=lo, n2=hi)
            if len(its) == hi:
                row["wall_with_error"] = row["wall"]
                row["wall"] = float(np.mean(its[lo:]))
            rows.append(row)
        return rows

    def traj_run(self, work, case_name, case, seed, threads, rungs, cap):
        txt, w, c, _ = self.call(work, case, 2, threads, seed)
        its, err, total = self.parse(txt)
        per = max(its[-1] if its else 0.001, 1e-4)
        n = int(max(2, min(rungs[-1], cap / per)))
        txt, w, c, rss = self.call(work, case, n, threads, seed)
        its, err, total = self.parse(txt)
        if len(its) < len(err) or self.whole:
            its = [total / len(err)] * len(err)
        t = np.cumsum(its)
        keep = [r for r in rungs if r <= len(err)]
        share = c / w                        # CPU seconds per wall second of the whole process
        return [dict(n=r, wall=float(t[r - 1]), cpu=float(t[r - 1]) * share, err=err[r - 1],
                     peak=rss) for r in keep]


for _n, _a in (("mu", 0), ("hals", 1), ("bpp", 2), ("aoadmm", 4)):
    register(type("Planc_" + _n, (Planc,), dict(
        name="planc-" + _n, title="PLANC nmf (shared memory), " + _n, algo=_a)))
for _n, _a in (("hals", 1), ("bpp", 2)):
    register(type("PlancMpi_" + _n, (Planc,), dict(
        name="planc-mpi2-" + _n, title="PLANC distnmf, 2 MPI ranks, " + _n, algo=_a, ranks=2)))
for _n, _a in (("bpp", 2), ("gnsym", 7)):
    register(type("PlancSym_" + _n, (Planc,), dict(
        name="planc-sym-" + _n, title="PLANC nmf, symmetric, " + _n, algo=_a, symmetric=True,
        whole=_n == "gnsym")))
