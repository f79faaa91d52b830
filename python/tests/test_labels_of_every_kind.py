"""Missing is missing, and a label keeps its type and value, whatever the labels come in."""

import warnings

import numpy as np
import partwise as pw
import pytest
from conftest import data_for
from partwise import Guidance, GuidedNMF, Labels

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MISSING = [None, np.nan, float("nan"), -1, -1.0, np.int64(-1), np.datetime64("NaT"), "NA", "N/A", "n/a", "<NA>", "nan", "NaN", "None", "null", "NULL", "NaT", "", "  ", "-1", "-1.0", "\N{MINUS SIGN}1", b"NA"]
UNCLEAR = ["?", "unknown", "Unknown", "none", "unlabelled", "unlabeled", "unassigned", "missing"]


def fitted(X, y, **settings):
    return pw.CNMF(random_state=0, max_iter=10, tol=0, **settings).fit(X, y)


def texts(missing):
    X, y, truth = data_for(pw.CNMF)
    out = np.empty(len(y), dtype=object)
    out[:] = [missing if label < 0 else "abc"[label] for label in y]
    return X, out, truth


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_every_mark_of_tables_for_nothing_known_is_no_class(missing):
    X, y, _ = texts(missing)
    want = fitted(X, texts(None)[1])
    for labels in (y, list(y)):
        model = fitted(X, labels)
        assert list(model.classes_) == ["a", "b", "c"]
        np.testing.assert_array_equal(model.codes_, want.codes_)
    guided = GuidedNMF(guidance=Guidance(Labels(y)), random_state=0, max_iter=5, tol=0).fit(X)
    assert list(guided.topics_) == ["a", "b", "c"]


@pytest.mark.parametrize("missing", [None, np.nan, -1, -1.0, "", "NA"], ids=repr)
@pytest.mark.parametrize("kind", [int, float, np.int32, np.float32, np.int64])
def test_whole_numbers_are_the_same_classes_in_every_type(missing, kind):
    X, y, _ = data_for(pw.CNMF)
    mixed = np.empty(len(y), dtype=object)
    mixed[:] = [missing if label < 0 else kind(label) for label in y]
    model, want = fitted(X, mixed), fitted(X, y)
    assert model.classes_.tolist() == [0, 1, 2] and model.classes_.dtype.kind == "i"
    np.testing.assert_array_equal(model.codes_, want.codes_)
    assert list(model.component_names_) == ["0", "1", "2"]
    assert model.labels_.dtype == want.labels_.dtype
    np.testing.assert_array_equal(model.labels_, want.labels_)


@pytest.mark.parametrize("loss", ["labels", "y"])
def test_floats_of_a_table_with_gaps_are_the_topics_that_are_named(loss):
    X, y, _ = data_for(pw.CNMF)
    gaps = np.where(y < 0, np.nan, y)
    names = [f"w{j}" for j in range(12)]
    items = [Labels(gaps)] if loss == "labels" else []
    guidance = Guidance({"0": ["w0"], "1": ["w4"]}, *items, feature_names=names)
    model = GuidedNMF(guidance=guidance, random_state=0, max_iter=5, tol=0).fit(X, gaps if loss == "y" else None)
    assert list(model.component_names_) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("given", "classes"),
    [
        ([1, "1", 1.0, "1.0", None], ["1"]),
        ([1, 1.0, None, 2.0, np.int8(2)], [1, 2]),
        (["1.0", "2.0", "", "2.", "1"], ["1", "2"]),
        (["1.0", "1.5", "", "2.0", "1.5"], ["1.0", "1.5", "2.0"]),
        (["01", "1", None, "001", "1"], ["001", "01", "1"]),
        ([True, False, None, True, np.False_], [False, True]),
        ([2**60 + 1, 2**60 + 2, None, 2**60 + 1, -1], [2**60 + 1, 2**60 + 2]),
        (["b", b"b", None, "a", np.str_("a")], ["a", "b"]),
        (np.array([True, False, True, True, False]), [False, True]),
        (np.ma.masked_array([3, 5, 3, 5, 7], [0, 0, 0, 0, 1]), [3, 5]),
        (np.array(["2020-01-01", "NaT", "2021-01-01", "NaT", "NaT"], dtype="datetime64[D]"), [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")]),
        (np.array([3, 3, 4, 4, 4], dtype=np.uint8), [3, 4]),
    ],
    ids=str,
)
def test_classes_keep_type_and_value_and_one_class_has_one_name(given, classes):
    X = np.random.default_rng(0).random((5, 4))
    model = pw.CNMF(random_state=0, max_iter=3, tol=0).fit(X, given)
    assert model.classes_.tolist() == np.array(classes).tolist()
    assert [type(part) for part in model.classes_.tolist()] == [type(part) for part in np.array(classes).tolist()]


def test_columns_of_pandas_polars_and_pyarrow_are_read_alike():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    X, y, _ = data_for(pw.CNMF)
    names = [None if label < 0 else "abc"[label] for label in y]
    large = [None if label < 0 else 2**60 + 1 + int(label) for label in y]
    flags = [None if label < 0 else bool(label) for label in y]
    for given, classes in ((names, ["a", "b", "c"]), (large, [2**60 + 1 + j for j in range(3)]), (flags, [False, True])):
        kind = {"a": "string"}.get(classes[0], "boolean" if classes == [False, True] else "Int64")
        columns = {
            "list": given,
            "Series of objects": pd.Series(given, dtype=object),
            "nullable Series": pd.Series(given, dtype=kind),
            "Categorical": pd.Categorical(given),
            "polars": pl.Series(given),
            "pyarrow": pa.array(given),
            "pyarrow, chunked": pa.chunked_array([given[:5], given[5:]]),
        }
        if given is names:
            columns |= {"polars categorical": pl.Series(given, dtype=pl.Categorical), "dictionary": pa.array(given).dictionary_encode()}
        for what, column in columns.items():
            model = fitted(X, column)
            assert model.classes_.tolist() == classes, what
            np.testing.assert_array_equal(model.codes_, fitted(X, given).codes_)
    table = {"x": np.where(y == 0, 1.0, 0.0), "z": np.where(y == 1, 1.0, 0.0)}
    for frame in (pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        assert fitted(X, frame).classes_.tolist() == ["x", "z"]


def test_memberships_take_the_same_marks_for_what_is_not_known():
    X, y, _ = data_for(pw.SSNMF)
    soft = np.full((len(y), 3), np.nan)
    soft[y >= 0] = 0.1
    soft[y >= 0, y[y >= 0]] = 0.8
    want = pw.SSNMF(random_state=0, max_iter=5, tol=0).fit(X, soft)
    for mark in (None, "NA", -1, "", "nan"):
        other = soft.astype(object)
        other[np.isnan(soft)] = mark
        np.testing.assert_array_equal(pw.SSNMF(random_state=0, max_iter=5, tol=0).fit(X, other).codes_, want.codes_)
    with pytest.raises(ValueError, match="memberships .* must be numbers"):
        pw.SSNMF().fit(X, np.full((len(y), 3), "much"))


@pytest.mark.parametrize("mark", UNCLEAR)
def test_a_label_that_looks_like_unknown_is_named(mark):
    X, y, _ = texts(mark)
    with pytest.warns(UserWarning, match=f"the label '{mark.replace('?', chr(92) + '?')}' of y was read as a class"):
        model = fitted(X, y)
    assert mark in model.classes_ and "unclear-labels" in [code for code, _ in model.notices_]
    with pytest.warns(UserWarning, match="was read as a class"):
        GuidedNMF(guidance=Guidance(Labels(y)), random_state=0, max_iter=2, tol=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(pw.CNMF(random_state=0, max_iter=0, unlabelled=mark).fit(X, y).classes_) == ["a", "b", "c"]


def test_a_column_of_observations_that_is_not_there_is_named():
    pd = pytest.importorskip("pandas")

    class Annotated:
        def __init__(self, X):
            self.X, self.layers = X, {}
            self.obs = pd.DataFrame({"celltype": ["a", "b", "NA", None] * 6, "batch": range(24)})
            self.var = pd.DataFrame(index=[f"g{j}" for j in range(12)])
            self.var_names, self.obs_names = self.var.index, self.obs.index
            self.shape = X.shape

    data = Annotated(data_for(pw.CNMF)[0])
    assert list(fitted(data, "celltype").classes_) == ["a", "b"]
    for find in (lambda: fitted(data, "celtype"), lambda: pw.automatic(data, "celtype")):
        with pytest.raises(KeyError, match="'celltype', 'batch'"):
            find()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, -2] * 8, "sample 2 has label -2"),
        ([0.5, 1, None] * 8, "label 0.5"),
        ([0, 1, {}] * 8, "several types"),
        ([0, np.inf, 1] * 8, "infinity"),
        ([1e300, 2.0, 1.0] * 8, r"below 2\*\*63"),
        ([2**70, 1, 1] * 8, r"below 2\*\*63"),
        ([1j, 1, 0] * 8, "Complex"),
    ],
)
def test_what_is_no_label_is_refused_with_its_place(y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fitted(data_for(pw.CNMF)[0], y)
