"""One small adapter per contender.

A Python contender subclasses Adapter and implements fit(); it runs inside a child
process of peers.py (its own interpreter when `python` names one).  A contender that
is another program (R, a command line tool) subclasses External and implements
iter_run() / traj_run() itself.

To add a contender: write the class, decorate it with @register.  `supports(case)`
returns None when it can run the case, else the reason why not.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse as sp

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


# ------------------------------------------------------------------ scikit-learn
class Sklearn(Adapter):
    solver = "cd"

    def version(self):
        import sklearn
        return "scikit-learn " + sklearn.__version__

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import warnings
        from sklearn.decomposition import non_negative_factorization as nnf
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            W, H, _ = nnf(X, W=W0.copy(), H=H0.copy(), n_components=k, init="custom",
                          solver=self.solver, tol=0.0, max_iter=n_iter,
                          beta_loss="kullback-leibler" if case["loss"] == "kl" else "frobenius")
        return W, H


@register
class SkCd64(Sklearn):
    name, title = "sk-cd-f64", "scikit-learn NMF, cd, float64"


@register
class SkCd32(Sklearn):
    name, title, dtype = "sk-cd-f32", "scikit-learn NMF, cd, float32", np.float32


@register
class SkMu64(Sklearn):
    name, title, solver, losses = "sk-mu-f64", "scikit-learn NMF, mu, float64", "mu", ("fro", "kl")


@register
class SkMu32(Sklearn):
    name, title, solver, losses = "sk-mu-f32", "scikit-learn NMF, mu, float32", "mu", ("fro", "kl")
    dtype = np.float32


class SkMiniBatch(Adapter):
    losses = ("fro", "kl")
    any_symmetric = False
    version = Sklearn.version

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import warnings
        from sklearn.decomposition import MiniBatchNMF
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mb = MiniBatchNMF(n_components=k, init="custom", batch_size=1024, tol=0.0,
                              max_no_improvement=None, max_iter=n_iter, random_state=seed,
                              beta_loss="kullback-leibler" if case["loss"] == "kl" else "frobenius")
            W = mb.fit_transform(X, W=W0.copy(), H=H0.copy())
        return W, mb.components_


@register
class SkMb64(SkMiniBatch):
    name, title = "sk-mb-f64", "scikit-learn MiniBatchNMF (batch 1024), float64"


@register
class SkMb32(SkMiniBatch):
    name, title, dtype = "sk-mb-f32", "scikit-learn MiniBatchNMF (batch 1024), float32", np.float32


# ------------------------------------------------------------------ nimfa, tsnmf, nmf_rs, scm2cpp
class Nimfa(Adapter):
    python = "np1"          # nimfa 1.4.0 breaks on numpy >= 2 (np.mat removed)
    any_symmetric = False
    which = "Nmf"

    def version(self):
        from importlib.metadata import version
        return "nimfa " + version("nimfa")

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import warnings
        warnings.simplefilter("ignore")
        import nimfa
        kw = dict(W=W0.copy(), H=H0.copy(), rank=k, max_iter=n_iter)
        if sp.issparse(X):
            kw["W"], kw["H"] = sp.csr_matrix(kw["W"]), sp.csr_matrix(kw["H"])
        if self.which == "Nmf":
            m = nimfa.Nmf(X, update="euclidean", objective="fro", **kw)
        else:
            m = nimfa.Lsnmf(X, min_residuals=0.0, **kw)
        f = m()
        W, H = f.basis(), f.coef()
        dense = lambda a: a.toarray() if sp.issparse(a) else np.asarray(a)
        return dense(W), dense(H)


@register
class NimfaMu(Nimfa):
    name, title = "nimfa-mu", "nimfa Nmf (Euclidean MU)"


@register
class NimfaLs(Nimfa):
    name, title, which = "nimfa-lsnmf", "nimfa Lsnmf (projected gradient ALS)", "Lsnmf"


@register
class TsNmf(Adapter):
    name, title = "tsnmf", "tsnmf without labels (MU)"
    any_symmetric = False

    def version(self):
        from importlib.metadata import version
        return "tsnmf " + version("tsnmf")

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import contextlib
        import io
        from tsnmf.tsnmf import topic_supervised_factorization as f
        with contextlib.redirect_stdout(io.StringIO()):
            out = f(X, W=W0.copy(), H=H0.copy(), n_components=k, labels=[[] for _ in range(X.shape[0])],
                    init="random", tol=0.0, max_iter=n_iter, random_state=seed)
        return out[0], out[1]


class NmfRs(Adapter):
    kinds = ("dense",)
    any_symmetric = False
    method = "lee"

    def version(self):
        from importlib.metadata import version
        return "nmf-rs " + version("nmf-rs")

    def setup(self, threads):
        import nmf_rs
        nmf_rs.set_num_threads(threads)

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import nmf_rs
        r = nmf_rs.nmf(X, k, self.method, W0=W0, H0=H0, max_iter=n_iter)
        W = r.W
        d = getattr(r, "d", None)
        return (W if d is None else W * np.asarray(d)), r.H


for _m in ("lee", "hals", "ehals"):
    register(type("NmfRs_" + _m, (NmfRs,), dict(
        name="nmf-rs-" + _m, title="nmf-rs (Rust), " + _m, method=_m)))


@register
class Scm2cpp(Adapter):
    name, title = "scm2cpp-cd", "scm2cpp-learn CDNMF (generated C++)"
    kinds = ("dense",)
    any_symmetric = False

    def version(self):
        from importlib.metadata import version
        return "scm2cpp-learn " + version("scm2cpp-learn")

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        from scm2cpp_learn import CDNMF
        m = CDNMF(k, init="custom", tol=0.0, max_iter=n_iter)
        W = m.fit_transform(X, W=W0, H=H0)
        return W, m.components_


# ------------------------------------------------------------------ torch-based
class Torchy(Adapter):
    python = "torch"
    kinds = ("dense",)
    any_symmetric = False
    dtype = np.float32

    def setup(self, threads):
        import torch
        torch.set_num_threads(threads)
        self.threads = threads


class NmfTorch(Torchy):
    custom_init = False
    min_iter = 10            # 0.1.1 fails below 10 iterations (its loss is first set there)
    algo = "hals"

    def version(self):
        import torch
        from importlib.metadata import version
        return "nmf-torch %s, torch %s" % (version("nmf-torch"), torch.__version__)

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import nmf
        A, B, _ = nmf.run_nmf(X, n_components=k, init="random", algo=self.algo, mode="batch",
                              tol=0.0, n_jobs=self.threads, random_state=seed,
                              batch_max_iter=n_iter, fp_precision="float")
        return np.asarray(A), np.asarray(B)


for _m in ("mu", "hals", "halsvar", "bpp"):
    register(type("NmfTorch_" + _m, (NmfTorch,), dict(
        name="nmf-torch-" + _m, title="nmf-torch %s, float32" % _m, algo=_m)))


@register
class TorchNmf(Torchy):
    name, title = "torchnmf", "torchnmf (MU through autograd), float32"

    def version(self):
        import torch
        import torchnmf
        return "torchnmf %s, torch %s" % (torchnmf.__version__, torch.__version__)

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        import torch
        from torchnmf.nmf import NMF
        V = torch.from_numpy(X)
        net = NMF(W=torch.from_numpy(np.ascontiguousarray(H0.T)), H=torch.from_numpy(W0.copy()))
        net.fit(V, beta=2, tol=0, max_iter=n_iter)
        return net.H.detach().numpy(), net.W.detach().numpy().T


@register
class SsNmf(Torchy):
    name, title, dtype = "ssnmf", "ssnmf model 1 (numpy MU), float64", np.float64

    def version(self):
        return "ssnmf 1.0.3"

    def fit(self, X, W0, H0, k, n_iter, seed, case):
        from ssnmf import SSNMF
        m = SSNMF(X, k, A=W0.copy(), S=H0.copy(), modelNum=1)
        m.mult(numiters=n_iter)
        return m.A, m.S


# ------------------------------------------------------------------ other programs
class External(Adapter):
    external = True

    def iter_run(self, work, case_name, case, seed, threads, reps, secs):
        raise NotImplementedError

    def traj_run(self, work, case_name, case, seed, threads, rungs, cap):
        raise NotImplementedError


class RPeer(External):
    """RcppML through rcppml.R (same directory); rlib = environment variable with the library."""
    custom_init = False
    variant = "03"
    options = ""
    rlib = None

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
        return Adapter.supports(self, case)

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


# ------------------------------------------------------------------ Partwise
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


for _s, _l in (("auto", ("fro", "kl")), ("mu", ("fro",)), ("bpp", ("fro",)), ("nesterov", ("fro",))):
    for _t, _d in (("f64", np.float64), ("f32", np.float32)):
        _n = "partwise-" + ("" if _s == "auto" else _s + "-") + _t
        register(type(_n.replace("-", "_"), (Partwise,), dict(
            name=_n, title="Partwise, solver %s, float%s" % (_s, _t[1:]), solver=_s, losses=_l, dtype=_d)))


class PartwiseCli(External):
    """The command line (NMF_BENCH_PARTWISE, else `partwise` of the path), with its own random start; the seconds of run.json."""
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
