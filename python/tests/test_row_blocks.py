"""X in row blocks: lazy data give the results of data in memory, and the same errors."""

import importlib
import importlib.util
import inspect
import subprocess
import sys
import textwrap

import numpy as np
import partwise
import pytest
import scipy.sparse as sp
from partwise import NMF, RowBlocks
from partwise._blocks import sources
from partwise._registry import METHODS

KINDS = {}


def kind(*packages):
    """Registers a function that makes lazy data of a matrix, and says whether they are sparse."""

    def decorated(make):
        KINDS[make.__name__] = (packages, make)
        return make

    return decorated


class Made:
    """The protocol: a shape, and blocks that can be had again."""

    def __init__(self, X):
        self.X, self.shape, self.passes = X, X.shape, 0

    def row_blocks(self):
        self.passes += 1
        for start in range(0, self.shape[0], 17):
            yield self.X[start : start + 17]


@kind()
def protocol_dense(X, folder):
    return Made(X)


@kind()
def protocol_sparse(X, folder):
    return Made(sp.csr_array(X))


@kind()
def function(X, folder):
    return RowBlocks(Made(X).row_blocks, shape=X.shape)


@kind()
def sequence(X, folder):
    return RowBlocks([sp.csr_array(X[:50]), sp.csc_array(X[50:70]), X[70:]], shape=X.shape, cache="1 MB")


@kind()
def memory_map(X, folder):
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r")


@kind()
def pwx(X, folder):
    np.save(folder / "x.npy", X)
    convert = [sys.executable, "-m", "partwise", "convert", folder / "x.npy", folder / "x.pwx", "--block-values", "700"]
    subprocess.run(convert, check=True, capture_output=True)
    return RowBlocks(folder / "x.pwx")


@kind("h5py")
def hdf5(X, folder):
    import h5py

    file = h5py.File(folder / "x.h5", "w")
    return file.create_dataset("x", data=X, chunks=(10, 7))


@kind("zarr")
def zarr_array(X, folder):
    import zarr

    array = zarr.create_array(folder / "x.zarr", shape=X.shape, chunks=(10, 7), dtype=X.dtype)
    array[:] = X
    return array


@kind("anndata", "h5py")
def backed_dense(X, folder):
    return backed(X, folder)


@kind("anndata", "h5py")
def backed_sparse(X, folder):
    return backed(sp.csr_matrix(X), folder)


@kind("anndata", "h5py")
def backed_matrix(X, folder):
    return backed(sp.csr_matrix(X), folder).X


@kind("anndata", "h5py")
def file_of_cells(X, folder):
    backed(sp.csr_matrix(X), folder).file.close()
    return RowBlocks(folder / "x.h5ad")


@kind("anndata", "h5py", "dask", "xarray")
def lazy_anndata(X, folder):
    from anndata.experimental import read_lazy

    backed(sp.csr_matrix(X), folder)
    return read_lazy(folder / "x.h5ad")


@kind("dask")
def dask_dense(X, folder):
    import dask.array

    return dask.array.from_array(X, chunks=(13, 9)) * 1.0


@kind("dask")
def dask_sparse(X, folder):
    import dask.array

    return dask.array.from_array(X, chunks=(13, X.shape[1])).map_blocks(sp.csr_array)


def backed(X, folder):
    import anndata

    data = anndata.AnnData(X)
    data.var_names = [f"gene {j}" for j in range(X.shape[1])]
    data.obs["kind"] = np.where(np.arange(X.shape[0]) % 2, "odd", "even")
    data.write_h5ad(folder / "x.h5ad")
    return anndata.read_h5ad(folder / "x.h5ad", backed="r")


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_VALUES", 700)


def matrix(n=150, d=20, rank=3, dtype=np.float64):
    random = np.random.default_rng(0)
    X = random.random((n, rank)) @ random.random((rank, d)) + 0.1 * random.random((n, d))
    X[X < 0.5] = 0
    X[5] = 0
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", KINDS)
def test_lazy_data_give_the_result_of_data_in_memory(name, dtype, tmp_path, small_blocks):
    packages, make = KINDS[name]
    for package in packages:
        pytest.importorskip(package)
    X = matrix(dtype=dtype)
    lazy = make(X, tmp_path)
    settings = {"n_components": 3, "random_state": 0, "max_iter": 25, "tol": 0}
    near = 1e-10 if dtype == "float64" else 1e-5
    whole, streamed = NMF(**settings).fit(X), NMF(**settings).fit(lazy)
    assert streamed.objective_ == pytest.approx(whole.objective_, rel=near)
    assert streamed.components_.dtype == streamed.codes_.dtype == np.dtype(dtype)
    np.testing.assert_allclose(streamed.components_, whole.components_, rtol=1e3 * near, atol=1e3 * near)
    assert any(code == "row-blocks" and "it was read in" in text for code, text in streamed.notices_)
    assert streamed._empty_rows.tolist() == whole._empty_rows.tolist()
    assert 5 in streamed._empty_rows
    # The codes of a row depend on that row only: the same bits.
    np.testing.assert_array_equal(whole.transform(_without_names(lazy)), whole.transform(X) if _dense(name) else whole.transform(sp.csr_array(X)))
    assert whole.score(_without_names(lazy)) == pytest.approx(whole.score(X), rel=max(near, 1e-6))


def _dense(name):
    return name in ("protocol_dense", "function", "memory_map", "pwx", "hdf5", "zarr_array", "backed_dense", "dask_dense")


def _without_names(lazy):
    return lazy.X if hasattr(lazy, "obs") else lazy


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("spec", METHODS.values(), ids=METHODS)
def test_every_method_takes_row_blocks_or_is_refused_with_the_list(spec, loss, small_blocks):
    X = matrix()
    make = getattr(partwise, spec["estimator"])
    y = np.where(np.arange(150) % 5, -1, np.arange(150) % 2)
    parameters = {"random_state": 0, "max_iter": 5, "tol": 0, "beta_loss": loss, "n_components": 3}
    takes_graph = hasattr(make, "fit") and "graph" in inspect.signature(make.fit).parameters
    known = {"graph": sp.csr_array(np.eye(150, k=1) + np.eye(150, k=-1))} if takes_graph else {}
    model = make(**{name: value for name, value in parameters.items() if name in make().get_params()})
    lazy = Made(X)
    if not spec["in_blocks"]:
        with pytest.raises(ValueError, match=f"{spec['estimator']} needs all of X in memory.*NMF, .*GuidedNMF"):
            model.fit(lazy, y)
        return
    if loss not in spec["losses"]:
        return
    whole = make(**model.get_params()).fit(X, y, **known).objective_
    assert model.fit(lazy, y, **known).objective_ == pytest.approx(whole, rel=1e-10)


def test_what_needs_all_of_x_is_refused_by_name(small_blocks):
    lazy = Made(matrix())
    y = np.where(np.arange(150) % 5, -1, np.arange(150) % 2)
    with pytest.raises(ValueError, match="n_components='auto' needs all of X in memory"):
        NMF("auto").fit(lazy)
    with pytest.raises(ValueError, match="graph of the nearest neighbours .*needs all of X"):
        partwise.GNMF(3).fit(lazy)
    with pytest.raises(ValueError, match="FewLabelClassifier needs all of X in memory"):
        partwise.FewLabelClassifier().fit(lazy, y)
    with pytest.raises(ValueError, match="select_rank needs all of X"):
        partwise.select_rank(lazy)
    with pytest.raises(ValueError, match="compare needs all of X"):
        partwise.compare(lazy, y)
    with pytest.raises(ValueError, match="labels cannot be spread: .* needs all of the data in memory"):
        partwise.GuidedNMF(spread="on").fit(lazy, y)
    model = partwise.GuidedNMF(random_state=0).fit(lazy, y)
    assert any("labels guide only the samples that have one" in text for _, text in model.notices_)


def faulty(change):
    X = matrix()

    def blocks():
        for start in range(0, 150, 30):
            yield change(start, X[start : start + 30].copy())

    return RowBlocks(blocks, shape=X.shape)


def entry(value):
    def change(start, block):
        if start == 60:
            block[3, 7] = value
        return block

    return change


def test_faults_have_the_errors_of_data_in_memory(small_blocks):
    X = matrix()
    for value in (-1.0, np.nan, np.inf):
        X[63, 7] = value
        with pytest.raises(ValueError) as in_memory:
            NMF(2).fit(X)
        with pytest.raises(ValueError) as in_blocks:
            NMF(2).fit(faulty(entry(value)))
        assert str(in_blocks.value) == str(in_memory.value)
    model = NMF(2, random_state=0, max_iter=5, tol=0).fit(matrix())
    with pytest.raises(ValueError, match=r"in rows 60 to 89 of X, .*Negative values in data.* row 3, column 7"):
        model.transform(faulty(entry(-1.0)))
    with pytest.raises(ValueError, match=r"block 2 of X has the shape \(30, 19\), but must have any number of rows and 20 columns"):
        NMF(2).fit(faulty(lambda start, block: block[:, :19] if start == 60 else block))
    with pytest.raises(TypeError, match="block 2 of X has the type <U1, but must hold real numbers"):
        NMF(2).fit(faulty(lambda start, block: np.full(block.shape, "a") if start == 60 else block))
    with pytest.raises(ValueError, match=r"the blocks of X have 149 rows together, but its shape is \(150, 20\)"):
        NMF(2).fit(faulty(lambda start, block: block[1:] if start == 60 else block))
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        NMF(2).fit(RowBlocks(lambda: iter([]), shape=(0, 3)))


def test_blocks_that_change_or_end_between_passes_are_refused(small_blocks):
    passes = []

    def changes(start, block):
        passes.extend([start] if start == 0 else [])
        return block * (1 + (len(passes) > 3 and start == 60))

    with pytest.raises(ValueError, match=r"block 2 of the data \(rows 60 to 89, counted from 0\) changed"):
        NMF(2, tol=0).fit(faulty(changes))
    X = matrix()
    with pytest.raises(TypeError, match="an iterator, which gives its blocks only once"):
        RowBlocks((X[i : i + 30] for i in range(0, 150, 30)), shape=X.shape)
    once = (X[i : i + 30] for i in range(0, 150, 30))
    with pytest.raises(ValueError, match="gave only 0 of its 5 blocks when it was read again"):
        NMF(2).fit(RowBlocks(lambda: once, shape=X.shape))


def test_what_a_source_raises_comes_through_with_its_place(small_blocks):
    calls = []

    def fails(start, block):
        calls.append(start)
        if len(calls) > 12 and start == 60:
            raise OSError("the disk is gone")
        return block

    with pytest.raises(OSError, match="the disk is gone") as raised:
        NMF(2, tol=0).fit(faulty(fails))
    if sys.version_info >= (3, 11):
        assert "rows 60 to 89 of X" in raised.value.__notes__[0]


def test_row_blocks_say_what_they_take():
    X = matrix()
    with pytest.raises(TypeError, match="in memory: give it to the estimator itself"):
        RowBlocks(X)
    with pytest.raises(TypeError, match=r"give the blocks of the file: RowBlocks\('counts.pwx'\)"):
        NMF(2).fit("counts.pwx")
    with pytest.raises(TypeError, match="the source is 5; row blocks come from backed AnnData, Dask arrays"):
        RowBlocks(5)
    with pytest.raises(TypeError, match=r"needs shape=\(n, d\)"):
        RowBlocks(lambda: [X])
    with pytest.raises(ValueError, match="cache is '2 apples', but must be a number of bytes, or a text as '500MB' or '2GB'"):
        RowBlocks(lambda: [X], shape=X.shape, cache="2 apples")
    with pytest.raises(ValueError, match="columns has 2 names"):
        RowBlocks(lambda: [X], shape=X.shape, columns=["a", "b"])
    named = RowBlocks(lambda: [X], shape=X.shape, columns=[f"word {j}" for j in range(20)])
    model = NMF(2, random_state=0, max_iter=5, tol=0).fit(named)
    assert model.feature_names_in_.tolist()[:2] == ["word 0", "word 1"]
    assert repr(named) == "RowBlocks(150 x 20, row blocks)"
    assert sum(len(block) for block in named.row_blocks()) == 150


def test_a_cache_changes_how_often_blocks_are_read_and_no_bit(tmp_path, small_blocks, monkeypatch):
    lazy, read, counts, found = memory_map(matrix(), tmp_path), [], [], []
    original = sources.Sliced.read
    monkeypatch.setattr(sources.Sliced, "read", lambda source, block: read.append(block) or original(source, block))
    for cache in (0, "14 kB", "1 MB"):
        read.clear()
        found.append(NMF(3, random_state=0, max_iter=10, tol=0).fit(RowBlocks(lazy, cache=cache)))
        counts.append(len(read))
    assert counts[0] > counts[1] > counts[2] == 5
    assert "memory hold blocks" in found[1].notices_[-1][1]
    np.testing.assert_array_equal(found[0].components_, found[1].components_)
    np.testing.assert_array_equal(found[0].components_, found[2].components_)


def test_labels_and_names_of_backed_anndata_are_used(tmp_path, small_blocks):
    pytest.importorskip("anndata")
    data = backed(sp.csr_matrix(matrix()), tmp_path)
    model = partwise.WSNMF(random_state=0, max_iter=20, tol=0).fit(data, "kind")
    assert model.classes_.tolist() == ["even", "odd"]
    assert model.feature_names_in_[3] == "gene 3"
    whole = partwise.WSNMF(random_state=0, max_iter=20, tol=0).fit(data.to_memory(), "kind")
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-10)
    assert (model.predict(data) == whole.predict(data.to_memory())).all()


def test_columns_of_a_backed_matrix_are_refused_with_the_way_out(tmp_path):
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(sp.csc_matrix(matrix())).write_h5ad(tmp_path / "x.h5ad")
    with pytest.raises(ValueError, match=r"by columns \(CSC\).*partwise convert"):
        NMF(2).fit(anndata.read_h5ad(tmp_path / "x.h5ad", backed="r"))


@pytest.mark.skipif(sys.platform != "linux", reason="counts the peak of resident memory as Linux does")
def test_memory_stays_well_below_the_data():
    code = """
        import resource
        import numpy as np
        from partwise import NMF, RowBlocks

        def blocks():
            for seed in range(60):
                yield np.random.default_rng(seed).random((2500, 400), dtype=np.float32)

        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        model = NMF(3, random_state=0, init="random", max_iter=2, tol=0)
        NMF(3, random_state=0, init="random", max_iter=1, tol=0).fit(np.random.rand(50, 400).astype(np.float32))
        before = peak()
        model.fit(RowBlocks(blocks, shape=(150_000, 400)))
        print(before, peak())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True, text=True)
    before, after = map(float, done.stdout.split())
    # X has 240 MB.
    assert after - before < 120, (before, after)


def test_packages_that_lazy_data_come_from_are_named_when_they_are_missing():
    wanted = {package for packages, _ in KINDS.values() for package in packages}
    missing = sorted(package for package in wanted if importlib.util.find_spec(package) is None)
    if missing:
        pytest.skip(f"not tested, since they are not installed: {', '.join(missing)}")
