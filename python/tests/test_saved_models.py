"""A saved model is the model: every attribute and every parameter comes back, and a damaged file is refused
in words."""

import copy
import json
import pickle
import random
import struct
import warnings
from dataclasses import fields, is_dataclass
from pathlib import Path

import joblib
import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from conftest import data_for
from partwise import (
    EntryWeights,
    FeatureWeights,
    Graph,
    Guidance,
    GuidedNMF,
    KnownEntries,
    KnownFeatures,
    Labels,
    Links,
    Memberships,
    References,
    SampleWeights,
    Sets,
    Topic,
    raw,
)
from partwise._estimators import ESTIMATORS
from sklearn.base import BaseEstimator, clone

pytestmark = pytest.mark.filterwarnings("ignore")

MODELS = Path(__file__).parent / "models"


def different(one, other, place="model"):
    """Where two values differ, in type or in value; None where they are the same."""
    if type(one) is not type(other):
        return f"{place}: {type(one).__name__} and {type(other).__name__}"
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"{place}: {one.dtype}{one.shape} and {other.dtype}{other.shape}"
        if one.dtype == object:
            return next(filter(None, (different(a, b, place) for a, b in zip(one.ravel(), other.ravel(), strict=True))), None)
        return None if np.array_equal(one, other, equal_nan=one.dtype.kind in "fmM") else f"{place}: other values"
    if sp.issparse(one):
        return different(one.toarray(), other.toarray(), place)
    if isinstance(one, dict):
        if list(one) != list(other):
            return f"{place}: keys {list(one)} and {list(other)}"
        return next(filter(None, (different(one[key], other[key], f"{place}[{key!r}]") for key in one)), None)
    if isinstance(one, (list, tuple)):
        if len(one) != len(other):
            return f"{place}: {len(one)} and {len(other)} entries"
        return next(filter(None, (different(a, b, f"{place}[{at}]") for at, (a, b) in enumerate(zip(one, other, strict=True)))), None)
    if hasattr(one, "equals"):
        return None if one.equals(other) else f"{place}: other tables"
    if hasattr(one, "__dict__") and type(one).__module__.startswith("partwise") and not isinstance(one, type):
        return different(dict(sorted(vars(one).items())), dict(sorted(vars(other).items())), place)
    return None if one == other or (one != one and other != other) else f"{place}: {one!r} and {other!r}"


def same_model(model, again, X):
    """Asserts that two fitted models are one: parameters, everything that the fit left, and every answer."""
    assert type(model) is type(again)
    # The guidance as the engine took it is no attribute for users, and its arrays may have another type.
    private = {"_fitted_guidance"}
    mine, theirs = ({name: value for name, value in sorted(vars(each).items()) if name not in private} for each in (model, again))
    assert different(mine, theirs) is None
    assert different(model.get_params(), again.get_params()) is None
    with np.errstate(all="ignore"):
        for ask in (
            lambda m: m.transform(X),
            lambda m: m.predict(X),
            lambda m: m.predict_names(X),
            lambda m: m.predict_names(),
            lambda m: m.score(X),
            lambda m: m.memberships(),
            lambda m: m.memberships(of="sum"),
            lambda m: m.top_features(3),
            lambda m: m.top_samples(3),
            lambda m: m.get_feature_names_out(),
            lambda m: m.inverse_transform(m.codes_),
        ):
            assert different(ask(model), ask(again)) is None


def fits():
    """Every estimator with every kind of y that it takes, and its own settings."""
    rng = np.random.default_rng(0)
    out = {}
    for estimator in ESTIMATORS:
        X, y, _ = data_for(estimator)
        few = {"random_state": 0, "max_iter": 8, "tol": 0}
        soft = np.full((24, 3), np.nan)
        soft[y >= 0] = 0.1
        soft[y >= 0, y[y >= 0]] = 0.8
        several = np.full((24, 3), np.nan)
        several[y >= 0] = np.eye(3)[y[y >= 0]]
        several[np.flatnonzero(y >= 0)[0], :2] = 1
        kinds = {
            "numbers": y,
            "texts": np.array([None if label < 0 else ["é", "β c", "01"][label] for label in y], dtype=object),
            "text numbers": [None if label < 0 else f"0{label}" for label in y],
            "truth values": np.array([None if label < 0 else bool(label) for label in y], dtype=object),
            "large numbers": np.where(y < 0, -1, y + 2**60 + 1),
            "floats": np.where(y < 0, np.nan, y),
            "soft": soft,
            "several": several,
            "none": None,
        }
        for what, target in kinds.items():
            def make(X=X, y=target, estimator=estimator, few=few):
                return estimator(3, **few).fit(X, y), X

            out[f"{estimator.__name__}, {what}"] = make
        out[f"{estimator.__name__}, single precision"] = lambda X=X, y=y, e=estimator, few=few: (e(3, dtype="float32", **few).fit(X, y), X)
        out[f"{estimator.__name__}, sparse"] = lambda X=X, y=y, e=estimator, few=few: (e(3, **few).fit(sp.csr_array(X), y), X)
        out[f"{estimator.__name__}, penalties"] = lambda X=X, y=y, e=estimator, few=few: (e(3, alpha_W=0.1, l1_ratio=0.5, **few).fit(X, y), X)
        out[f"{estimator.__name__}, Kullback-Leibler"] = lambda X=X, y=y, e=estimator, few=few: (e(3, beta_loss="kullback-leibler", **few).fit(X, y), X)
        if "components_per_class" in estimator._get_param_names():
            out[f"{estimator.__name__}, two a class"] = lambda X=X, y=y, e=estimator, few=few: (e(7, components_per_class=2, **few).fit(X, y), X)
        if "strength_unit" in estimator._get_param_names():
            out[f"{estimator.__name__}, raw"] = lambda X=X, y=y, e=estimator, few=few: (e(3, strength_unit="raw", **few).fit(X, y), X)
    X, y, _ = data_for(pw.NMF)
    few = {"random_state": 0, "max_iter": 8, "tol": 0}
    empty = X.copy()
    empty[5] = 0
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    left = np.where(rng.random(X.shape) < 0.8, X, 0)
    left[:, 11] = 0
    ring = sp.csr_array((np.arange(1.0, 25), (np.arange(24), (np.arange(24) + 1) % 24)), shape=(24, 24))
    names = [f"w{j}" for j in range(12)]
    earlier = pw.NMF(2, random_state=1, max_iter=5, tol=0).fit(X)
    items = {
        "labels": [Labels(np.where(y < 0, np.nan, y)), Labels(["a", None] * 12, strength=0.3)],
        "raw labels": [Labels(["a", None] * 12, strength=raw(0.3))],
        "ties": [Labels(np.where(y < 0, np.nan, y), rule="same-codes")],
        "sets": [Sets({3: ["a", "b"]}, ["a", "b"]), Sets([["a"]] + [None] * 23, strength=0.5)],
        "memberships": [Memberships(np.where(np.arange(24)[:, None] < 4, [[0.5, 0.5]], np.nan), ["a", "b"])],
        "references": [References(np.ones((1, 12)), ["a"], strength=1), References(earlier, strength="auto")],
        "links": [Links(must=[(0, 1), (2, 3)], cannot=[(0, 9)])],
        "a graph": [Graph(n_neighbors=3)],
        "a given graph": [Graph(ring + ring.T, strength=0.4)],
        "weights": [SampleWeights(np.arange(24)), FeatureWeights(list(range(1, 13)))],
        "known entries": [KnownEntries(left > 0)],
        "known features": [KnownFeatures([list(range(11))] * 24)],
        "weights of entries": [EntryWeights(sp.csr_array(rng.random(X.shape)))],
        "topics": [{"s": [0], "l": [("w4", 2.0)]}, Topic("w", {"w8": 3, 9: 1.5}, forbidden=["w0", 1], components=2, strength=0.5)],
    }
    for what, known in items.items():
        for strength in (None, 0.2, "auto"):
            def guided(what=what, known=known, strength=strength):
                guidance = Guidance(*known, feature_names=names, strength=strength)
                data = left if "known" in what else X
                return GuidedNMF(6, guidance=guidance, **few).fit(data), data

            out[f"guidance: {what}, strength {strength}"] = guided
    out |= {
        "images": lambda: (pw.NTF(2, image_shape=(np.int64(3), 4), **few).fit(X), X),
        "a row of zeros": lambda: (pw.GNMF(3, **few).fit(empty), empty),
        "unknown entries": lambda: (pw.SSNMF(3, **few).fit(holes, y), holes),
        "a graph that is given": lambda: (pw.GNMF(3, **few).fit(X, graph=ring + ring.T), X),
        "references": lambda: (pw.WSNMF(3, **few).fit(X, codes_reference=np.eye(3)[[0, 1, 2] * 8], components_reference=np.ones((2, 12))), X),
        "a start that is given": lambda: (pw.NMF(3, init="custom", **few).fit(X, W=rng.random((24, 3)), H=rng.random((3, 12))), X),
        "labels like unknown": lambda: (pw.CNMF(random_state=0, tol=0.5).fit(X, ["?", "a"] * 12), X),
        "a marker": lambda: (pw.CNMF(unlabelled=np.int64(9), **few).fit(X, np.where(y < 0, 9, y)), X),
        "dates": lambda: (pw.NMF(2, **few).fit(X, np.array(["2020-01-01", "NaT"] * 12, dtype="datetime64[D]")), X),
        "no iteration": lambda: (pw.NMF(3, random_state=0, max_iter=0).fit(X), X),
        "one component": lambda: (pw.NMF(1, **few).fit(X), X),
    }
    return out


FITS = fits()


@pytest.mark.parametrize("what", FITS)
def test_a_model_from_a_file_is_the_model(what, tmp_path):
    try:
        model, X = FITS[what]()
    except ValueError as error:
        # Refused: the estimator takes no such y, loss or penalty.
        assert str(error)
        return
    model.save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    same_model(model, again, X)
    # What was loaded can be saved again, and gives the same file.
    again.save(tmp_path / "again.safetensors")
    same_model(model, pw.load(tmp_path / "again.safetensors"), X)


@pytest.mark.parametrize("what", [what for what in FITS if "guidance" in what or what.endswith("numbers")])
def test_the_next_fit_of_a_loaded_model_is_that_of_the_model(what, tmp_path):
    model, X = FITS[what]()
    y = data_for(type(model))[1] if type(model) is not GuidedNMF else None
    model.save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    one, other = (clone(each).fit(X, y) for each in (model, again))
    np.testing.assert_array_equal(one.codes_, other.codes_)
    np.testing.assert_array_equal(one.components_, other.components_)


@pytest.mark.parametrize("what", [what for what in FITS if what.endswith(("texts", "several", "topics, strength None"))])
def test_pickles_joblib_and_copies_are_the_model(what, tmp_path):
    try:
        model, X = FITS[what]()
    except ValueError:
        return
    joblib.dump(model, tmp_path / "joblib")
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model), joblib.load(tmp_path / "joblib")):
        same_model(model, again, X)
    assert different(clone(model).get_params(), model.get_params()) is None or model.get_params()["guidance"] is not None


PARAMETERS = {
    "n_components": [np.int64(4), np.uint8(4), 4],
    "tol": [np.float32(0.25), np.float64(0.25), 0],
    "max_iter": [np.int32(17), 17],
    "random_state": [np.int64(7), None, 3],
    "alpha_W": [np.float32(0.5), 0.5, 1],
    "alpha_H": ["same", np.float16(0.25)],
    "l1_ratio": [np.float16(0.5)],
    "n_jobs": [np.int64(1), None],
    "verbose": [np.bool_(False), False, 0],
    "dtype": [np.float32, "float32", np.dtype("float64"), None],
    "beta_loss": [np.str_("frobenius"), 2, np.int64(2), 2.0],
    "unlabelled": [np.int64(-1), "none", np.float64(9)],
    "time_limit": [np.float64(30), None],
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_of_every_type_come_back_with_their_type(name, tmp_path):
    X, y, _ = data_for(pw.NMF)
    for value in PARAMETERS[name]:
        model = pw.NMF(**{"n_components": 3, "random_state": 0, "max_iter": 5, name: value}).fit(X, y)
        model.save(tmp_path / "model.safetensors")
        assert different(pw.load(tmp_path / "model.safetensors").get_params(), model.get_params()) is None


def test_names_of_features_come_back(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y, _ = data_for(pw.CNMF)
    for names in ([f"é {j}" for j in range(12)], list(range(12)), [f"{j}.5" for j in range(12)]):
        model = pw.CNMF(random_state=0, max_iter=5).fit(pd.DataFrame(X, columns=names), y)
        model.save(tmp_path / "model.safetensors")
        same_model(model, pw.load(tmp_path / "model.safetensors"), pd.DataFrame(X, columns=names))


def test_guidance_from_tables_comes_back(tmp_path):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    X, y, _ = data_for(pw.CNMF)
    texts = [None if label < 0 else "abc"[label] for label in y]
    frame = pd.DataFrame(np.ones((2, 12)), index=["a", "b"], columns=[f"w{j}" for j in range(12)])
    data = pd.DataFrame(X, columns=frame.columns)
    for column in (pd.Series(texts), pd.Series(texts, dtype="category"), pl.Series(texts), pa.array(texts), np.ma.masked_array(y, y < 0)):
        guidance = Guidance(Labels(column), References(frame))
        model = GuidedNMF(5, guidance=guidance, random_state=0, max_iter=5).fit(data)
        model.save(tmp_path / "model.safetensors")
        again = clone(pw.load(tmp_path / "model.safetensors")).fit(data)
        np.testing.assert_array_equal(again.codes_, model.codes_)
        assert list(again.component_names_) == list(model.component_names_)


def test_what_a_file_cannot_hold_is_refused_or_named_when_it_is_saved(tmp_path):
    X, y, _ = data_for(pw.NMF)
    path = tmp_path / "model.safetensors"
    for state in (np.random.RandomState(0), np.random.default_rng(0)):
        model = pw.NMF(2, max_iter=2, tol=0).fit(X).set_params(random_state=state)
        with pytest.raises(ValueError, match="random_state is .* cannot contain, .* a whole number"):
            model.save(path)
        assert not path.exists()
    model = pw.NMF(2, max_iter=2, tol=0, callback=lambda iteration: None).fit(X)
    with pytest.warns(UserWarning, match="cannot contain the callback") as seen:
        model.save(path)
    assert seen[0].filename == __file__ and pw.load(path).callback is None
    model = pw.NMF(2, max_iter=2, tol=0).fit(X)
    model.note_ = object()
    with pytest.raises(ValueError, match="note_ is <object .* valid are numbers, texts"):
        model.save(path)


def test_a_folder_of_the_command_line_and_an_absent_file(tmp_path):
    X, _, _ = data_for(pw.NMF)
    model = pw.NMF(2, random_state=0, max_iter=2, tol=0).fit(X)
    model.save(tmp_path / "model.safetensors")
    same_model(model, pw.load(tmp_path), X)
    same_model(model, pw.load(str(tmp_path)), X)
    with pytest.raises(FileNotFoundError):
        pw.load(tmp_path / "none.safetensors")


# ---------------------------------------------------------------------- models of version 0.1.0


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.safetensors")), ids=lambda path: path.stem)
def test_models_of_version_0_1_0_load(path, tmp_path):
    expected = json.loads((MODELS / "expected.json").read_text())[path.stem]
    model = pw.load(path)
    assert type(model).__name__ == expected["estimator"]
    assert [str(label) for label in model.labels_] == expected["labels"]
    X = np.array(expected["new"])
    np.testing.assert_allclose(model.transform(X), expected["codes"], rtol=1e-12)
    assert [str(label) for label in model.predict(X)] == expected["predicted"]
    model.save(tmp_path / "again.safetensors")
    same_model(model, pw.load(tmp_path / "again.safetensors"), X)


# ---------------------------------------------------------------------- damaged files


def parts_of(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    return header, json.loads(header["__metadata__"]["partwise"]), data[8 + size :]


def written(path, header, document, tail):
    header = {**header, "__metadata__": {"partwise": json.dumps(document)}}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + tail)


ODD = [None, True, False, 0, -1, 1, 3, 2**31, 2**63, -(2**63), 10**30, 0.5, -2.5, 1e308, "", "x", "-1", [], [1], [[]], {}, {"type": "array"}, ["a", None], {"kind": "max"}, [0] * 50]


def places(value, at=()):
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*at, key))
    elif isinstance(value, list):
        for index in range(min(len(value), 6)):
            yield from places(value[index], (*at, index))


def mutated(document, where, how, odd):
    out = copy.deepcopy(document)
    if not where:
        return odd
    holder = out
    for step in where[:-1]:
        holder = holder[step]
    if how == "drop":
        del holder[where[-1]]
    elif how == "twice" and isinstance(holder, list):
        holder.append(holder[where[-1]])
    else:
        holder[where[-1]] = odd
    return out


def tries(path, X):
    """Loads; a model that loads also answers, or says why not."""
    try:
        model = pw.load(path)
    except ValueError as error:
        assert str(path) in str(error), error
        return False
    # How many threads a machine can start is not the question here.
    model.n_jobs = 1
    for ask in (model.transform, model.predict, model.predict_names, model.score, lambda X: model.memberships(), lambda X: model.top_features(2), lambda X: repr(model)):
        try:
            ask(X)
        except ValueError as error:
            assert str(error)
    return True


DAMAGED = ["GuidedNMF, texts", "guidance: topics, strength auto", "GNMF, numbers", "NTF, soft", "WSNMF, soft", "SSNMF, several", "NMF, none", *(f"file {path.stem}" for path in sorted(MODELS.glob("*.safetensors")))]


@pytest.mark.parametrize(("recorded", "layer"), [("counts", "counts"), ("layers/counts", "counts"), ("raw/X", "raw"), ("X", None), (None, None)])
def test_the_layer_of_the_command_line_is_that_of_the_model(recorded, layer, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes((MODELS / "command-line-cnmf.safetensors").read_bytes())
    header, document, tail = parts_of(path)
    written(path, header, {**document, "data": {**document["data"], "layer": recorded}}, tail)
    assert pw.load(path).layer == layer


def test_rows_without_names_bring_no_warning_to_a_model_of_the_command_line(tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "model.safetensors"
    path.write_bytes((MODELS / "command-line-nmf-tfidf.safetensors").read_bytes())
    header, document, tail = parts_of(path)
    names = [f"word{j}" for j in range(document["data"]["features"])]
    written(path, header, {**document, "feature_names": names}, tail)
    model = pw.load(path)
    rows = np.ones((2, len(names)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = model.predict(rows)
        model.save(tmp_path / "again.safetensors")
        for each in (model, pw.load(tmp_path / "again.safetensors")):
            for given in (rows, sp.csr_array(rows), pd.DataFrame(rows, columns=names)):
                np.testing.assert_array_equal(each.predict(given), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(rows, columns=names[::-1]))


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_document_is_refused_in_words(what, tmp_path):
    path = tmp_path / "model.safetensors"
    if what.startswith("file "):
        path.write_bytes((MODELS / f"{what[5:]}.safetensors").read_bytes())
        model = pw.load(path)
        X = np.ones((2, model.n_features_in_))
    else:
        try:
            model, X = FITS[what]()
        except ValueError:
            return
        model.save(path)
    header, document, tail = parts_of(path)
    rng = random.Random(what)
    everywhere = [place for place in places(document) if place]
    refused = 0
    for _ in range(400):
        changed = document
        for _ in range(rng.choice([1, 1, 1, 2])):
            where = rng.choice(everywhere)
            try:
                changed = mutated(changed, where, rng.choice(["drop", "twice", "set", "set", "set"]), rng.choice(ODD))
            except (KeyError, IndexError, TypeError):
                continue
        written(path, header, changed, tail)
        refused += not tries(path, X)
    assert refused > 100


def test_damaged_bytes_are_refused_in_words(tmp_path):
    model, X = FITS["GuidedNMF, texts"]()
    path = tmp_path / "model.safetensors"
    model.save(path)
    whole = path.read_bytes()
    rng = random.Random(7)
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            how = rng.random()
            at = rng.randrange(len(data))
            if how < 0.5:
                data[at] = rng.randrange(256)
            elif how < 0.7:
                del data[at : at + rng.randrange(1, 40)]
            elif how < 0.85:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
            else:
                del data[at:]
            if not data:
                data = bytearray(b"{")
        path.write_bytes(bytes(data))
        tries(path, X)


def test_a_number_in_a_document_takes_no_memory(tmp_path):
    model, X = FITS["CNMF, numbers"]()
    path = tmp_path / "model.safetensors"
    model.save(path)
    header, document, tail = parts_of(path)
    for place in (("data", "samples"), ("data", "features"), ("settings", "rank")):
        changed = copy.deepcopy(document)
        changed.pop("python")
        changed[place[0]][place[1]] = 10**15
        written(path, header, changed, tail)
        with pytest.raises(ValueError, match=rf"model.safetensors: .*{place[0]}.{place[1]}.*1000000000000000.*must be"):
            pw.load(path)


def test_every_class_that_a_file_may_hold_is_no_estimator():
    from partwise._codec import _class_named

    assert _class_named("_targets.Targets") is not None
    for name in ("_guided.GuidedNMF", "_base.Factorization", "os.system", "_files.json", "_codec.np", "nowhere.Thing", "Targets"):
        assert _class_named(name) is None
    assert is_dataclass(_class_named("_targets.Targets")) and fields(_class_named("_targets.Targets"))
    assert not issubclass(_class_named("_guidance.guidance.Guidance"), BaseEstimator)
