"""Promise: what the caller hands over stays as it was, to the bit and with its flags, and memory that can't
be written is enough."""

import copy
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import partwise as pw
import polars as pl
import pytest
import scipy.sparse as sp
from conftest import data_for
from partwise import EntryWeights, FeatureWeights, Graph, Guidance, GuidedNMF, KnownEntries, KnownFeatures, Labels, Links, Memberships, References, SampleWeights, Sets

N, D = 20, 8
QUICK = {"random_state": 0, "max_iter": 6, "tol": 0.0}


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).random(shape) + 0.05


def still(array):
    """The array as memory that can't be written."""
    array.flags.writeable = False
    return array


def messy(A, kind=sp.csr_matrix):
    """CSR that can't be written, with unsorted columns, entries in two parts, and zeros that are stored."""
    indptr, indices, values = [0], [], []
    for row in A:
        for j in np.flatnonzero(row)[::-1]:
            indices += [j, j]
            values += [row[j] * 0.25, row[j] * 0.75]
        free = np.flatnonzero(row == 0)
        if len(free):
            indices.append(free[0])
            values.append(0.0)
        indptr.append(len(indices))
    parts = (still(np.array(values)), still(np.array(indices, dtype=np.int32)), still(np.array(indptr, dtype=np.int32)))
    return kind(parts, shape=A.shape)


def locked(A):
    """A sparse matrix whose parts can't be written."""
    for part in ("data", "indices", "indptr", "row", "col"):
        if hasattr(A, part):
            still(getattr(A, part))
    return A


def swapped(A):
    return still(A.astype(A.dtype.newbyteorder()))


def mapped(A, folder):
    path = folder / f"{abs(hash(A.tobytes()))}.npy"
    np.save(path, A)
    return np.load(path, mmap_mode="r")


DENSE = {
    "read-only": lambda A, _: still(A.copy()),
    "Fortran": lambda A, _: still(np.asfortranarray(A)),
    "strided": lambda A, _: still(np.repeat(A, 2, axis=0))[::2],
    "backwards": lambda A, _: still(np.ascontiguousarray(A[::-1]))[::-1],
    "byte-swapped": lambda A, _: swapped(A),
    "memory map": mapped,
    "frame": lambda A, _: pd.DataFrame(A.copy()) if A.ndim == 2 else pd.Series(A.copy()),
    "polars": lambda A, _: pl.DataFrame(A.copy()) if A.ndim == 2 else pl.Series(A.copy()),
}
SPARSE = {
    "csr": lambda A, _: locked(sp.csr_matrix(A)),
    "csr array": lambda A, _: locked(sp.csr_array(A)),
    "csc": lambda A, _: locked(sp.csc_matrix(A)),
    "coo": lambda A, _: locked(sp.coo_array(A)),
    "messy": lambda A, _: messy(A),
    "messy array": lambda A, _: messy(A, sp.csr_array),
}
KINDS = {**DENSE, **SPARSE}


def state(given):
    """Everything that the caller can see of what was given."""
    if sp.issparse(given):
        # Not by its properties: they note in it what they find.
        return {name: (value.dtype, value.copy(), value.flags.writeable) if isinstance(value, np.ndarray) else copy.deepcopy(value) for name, value in vars(given).items()}
    if isinstance(given, (pd.DataFrame, pd.Series)):
        return given.copy(deep=True)
    if isinstance(given, (pl.DataFrame, pl.Series)):
        return given.clone()
    return given.dtype, np.array(given), given.flags.writeable, given.strides


def equal(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, (pd.DataFrame, pd.Series, pl.DataFrame, pl.Series)):
        return one.equals(other)
    return one == other


def watched(act, *given):
    """What an act gives, if it leaves everything that it was given as it was."""
    before = [state(one) for one in given]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = act(*given)
    for one, kept in zip(given, before, strict=True):
        assert equal(kept, state(one)), f"{type(one).__name__} was changed"
    return found


def close(one, other):
    np.testing.assert_allclose(np.asarray(one, dtype=float), np.asarray(other, dtype=float), rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_data_of_every_estimator(estimator, kind, tmp_path):
    A, y, _ = data_for(estimator)
    make = estimator(3, **QUICK)

    def act(data, labels):
        model = make.fit(data, labels)
        return model.codes_, model.transform(data), model.score(data), model.predict(data)

    found = watched(act, KINDS[kind](A, tmp_path), still(y.copy()))
    for one, other in zip(found, act(A.copy(), y.copy()), strict=True):
        close(one, other)


MARKS = (numbers(N, D, seed=1) < 0.8).astype(float)
GRAPH = np.triu((numbers(N, N, seed=2) > 0.8) * numbers(N, N, seed=3), 1)
GRAPH = GRAPH + GRAPH.T
LABELS = np.array([0, 1, -1, -1, 0] * (N // 5))
# Each item, its value, and the data beside it.
ITEMS = {
    "References": (lambda v: References(v, names=["a", "b"]), numbers(2, D, seed=4)),
    "KnownEntries": (KnownEntries, MARKS),
    "KnownFeatures": (KnownFeatures, MARKS),
    "EntryWeights": (EntryWeights, MARKS * numbers(N, D, seed=5)),
    "Memberships": (lambda v: Memberships(v, names=["a", "b"]), numbers(N, 2, seed=6)),
    "Graph": (Graph, GRAPH),
    "SampleWeights": (SampleWeights, numbers(N, seed=7)),
    "FeatureWeights": (FeatureWeights, numbers(D, seed=8)),
    "Labels": (Labels, LABELS),
}
# Zeros that are stored are known features, so these are another mask: test_known_features_of_sparse_data has
# them.
CASES = [
    (item, kind)
    for item, (_, value) in ITEMS.items()
    for kind in KINDS
    if (value.ndim == 2 or kind in DENSE) and not (item == "KnownFeatures" and kind.startswith("messy"))
]


@pytest.mark.parametrize(("item", "kind"), CASES)
def test_every_item_of_guidance(item, kind, tmp_path):
    make, value = ITEMS[item]
    X = numbers(N, D) * MARKS

    def act(given, data):
        model = GuidedNMF(3, guidance=Guidance(make(given)), **QUICK).fit(data)
        return model.codes_, model.sweep(data, scales=[1.0])["relative_error"]

    found = watched(act, KINDS[kind](value, tmp_path), still(X.copy()))
    for one, other in zip(found, act(value.copy(), X), strict=True):
        close(one, other)


@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize("of", ["the data's own zeros", "itself", "another"])
def test_known_features_of_sparse_data(kind, of, tmp_path):
    X = numbers(N, D) * MARKS
    data = SPARSE[kind](X, tmp_path)
    plain = GuidedNMF(2, guidance=Guidance(KnownFeatures(MARKS)), **QUICK).fit(X)
    if of == "the data's own zeros":
        model = watched(lambda A: GuidedNMF(2, guidance=Guidance(KnownFeatures()), **QUICK).fit(A), data)
        close(model.codes_, plain.codes_)
    elif of == "itself":
        # A zero that is stored is a value.
        stored = np.zeros((N, D), dtype=bool)
        coo = sp.coo_array(data.copy())
        stored[coo.coords] = True
        plain = GuidedNMF(2, guidance=Guidance(KnownFeatures(stored)), **QUICK).fit(X)
        model = watched(lambda A: GuidedNMF(2, guidance=Guidance(KnownFeatures(A)), **QUICK).fit(A), data)
        close(model.codes_, plain.codes_)
    else:
        model = watched(lambda A, K: GuidedNMF(2, guidance=Guidance(KnownFeatures(K)), **QUICK).fit(A), data, locked(sp.csr_array(MARKS)))
        close(model.codes_, plain.codes_)


@pytest.mark.parametrize("kind", DENSE)
def test_starts_references_and_solves(kind, tmp_path):
    X, W, H = numbers(N, D), numbers(N, 2, seed=9), numbers(2, D, seed=10)
    weights = numbers(2, seed=11)

    def make(A):
        return DENSE[kind](A, tmp_path)

    for act, given in (
        (lambda X, W, H: pw.NMF(2, init="custom", **QUICK).fit_transform(X, W=W, H=H), (X, W, H)),
        (lambda X, H, w: pw.WSNMF(2, **QUICK).fit(X, components_reference=H, components_weight=w).codes_, (X, H, weights)),
        (lambda X, W: pw.WSNMF(2, **QUICK).fit(X, codes_reference=W).codes_, (X, W)),
        (pw.solve_codes, (X, H)),
        (pw.solve_components, (X, W)),
        (pw.nnls, (H @ H.T, X @ H.T)),
        (lambda codes, data: pw.NMF(2, **QUICK).fit(data).inverse_transform(codes), (W, X)),
    ):
        close(watched(act, *map(make, given)), act(*given))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", [pw.GNMF, pw.SemiGNMF], ids=lambda m: m.__name__)
def test_graphs_of_estimators(model, kind, tmp_path):
    X = numbers(N, D)
    fit = model(2, **QUICK).fit
    graph = KINDS[kind](GRAPH, tmp_path)
    found = watched(lambda g: fit(X, LABELS, graph=g).codes_, graph)
    close(found, fit(X, LABELS, graph=GRAPH.copy()).codes_)
    if isinstance(graph, sp.csr_array):
        # What the model keeps is its own.
        assert not np.shares_memory(fit(X, LABELS, graph=graph).graph_.data, graph.data)


@pytest.mark.parametrize("kind", KINDS)
def test_automatic_steering_measures_and_plots(kind, tmp_path):
    X = numbers(N, D) + np.kron(np.eye(2), np.ones((N // 2, D // 2)))
    make = KINDS[kind]
    watched(lambda A, y: pw.automatic(A, y, n_jobs=1), make(X, tmp_path), still(np.where(LABELS >= 0, np.arange(N) // (N // 2), -1)))
    data = make(X, tmp_path)
    model = watched(lambda A: GuidedNMF(2, guidance=Guidance({"a": [0]}, Links([(0, 1)]), Sets({2: ["a"]})), **QUICK).fit(A), data)
    steering = watched(model.steer, data)
    watched(lambda A: steering.rename("a", "b"), data)
    truth, found = still(np.arange(N) % 2), still(np.arange(N) % 3)
    watched(pw.metrics.accuracy, truth, found)
    watched(pw.metrics.total_cut, make(GRAPH, tmp_path), found)
    watched(pw.metrics.f_scores, still(np.eye(3)), still(np.eye(3)))
    watched(pw.metrics.sparseness, still(X.copy()))
    kept = model.components_.copy(), model.codes_.copy()
    model.plot_components(), model.plot_memberships(), model.plot_guidance(), model.suggest(2), model.to_frame("codes")
    assert np.array_equal(kept[0], model.components_) and np.array_equal(kept[1], model.codes_)


RATINGS = """
import resource, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, scipy.sparse as sp
from partwise import Guidance, GuidedNMF, KnownFeatures
rng = np.random.default_rng(0)
n, d, stored = 8000, 3000, 800000
R = sp.csr_matrix((rng.integers(1, 6, stored).astype(float), (rng.integers(0, n, stored), rng.integers(0, d, stored))), shape=(n, d))
size = R.data.nbytes + R.indices.nbytes + R.indptr.nbytes
guidance = {"plain": None, "zeros": Guidance(KnownFeatures()), "itself": Guidance(KnownFeatures(R))}[sys.argv[1]]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
GuidedNMF(6, guidance=guidance, random_state=0, max_iter=2, n_jobs=1).fit(R)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / size)
"""


def test_known_features_cost_about_the_size_of_the_matrix():
    taken = {what: float(subprocess.run([sys.executable, "-c", RATINGS, what], capture_output=True, text=True, check=True).stdout) for what in ("plain", "zeros", "itself")}
    assert taken["zeros"] - taken["plain"] < 3, taken
    assert taken["itself"] - taken["plain"] < 3, taken


def test_known_features_come_back_from_a_model_file_as_they_were(tmp_path):
    X = numbers(N, D) * MARKS
    model = GuidedNMF(2, guidance=Guidance(KnownFeatures(MARKS)), **QUICK).fit(X)
    model.save(tmp_path / "m.safetensors")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = pw.load(tmp_path / "m.safetensors").set_params(**QUICK).fit(X)
    close(again.codes_, model.codes_)
