"""Promise: names decide. What a table says of a sample or a feature goes to the one of that name, in any
order of rows and columns, to the bit; what can't be matched is refused with the nearest name; numbers that
may be names are never resolved in silence."""

import warnings

import numpy as np
import pandas as pd
import partwise as pw
import polars as pl
import pytest
import scipy.sparse as sp
from partwise import EntryWeights, FeatureWeights, Graph, Guidance, GuidedNMF, KnownEntries, KnownFeatures, Labels, Links, Memberships, References, SampleWeights, Sets, Topic

N, D = 18, 6
SAMPLES = [f"s{i}" for i in range(N)]
FEATURES = ["ball", "goal", "court", "judge", "team", "law"]
QUICK = {"random_state": 0, "max_iter": 20, "tol": 0.0}


def numbers(shape, seed=0):
    return np.random.default_rng(seed).random(shape) + 0.1


def shuffled(count, seed):
    return np.random.default_rng(seed).permutation(count)


X = pd.DataFrame(numbers((N, 2)) @ numbers((2, D), 1) + 0.1 * numbers((N, D), 2), index=SAMPLES, columns=FEATURES)
ROWS, COLUMNS = shuffled(N, 3), shuffled(D, 4)


class LooksLikeAnnData:
    """The parts of AnnData that are used."""

    def __init__(self, frame, obs=None):
        self.X, self.layers, self.var = frame.to_numpy(), {"counts": frame.to_numpy()}, None
        self.obs = pd.DataFrame(obs or {}, index=frame.index)
        self.obs_names, self.var_names, self.shape = frame.index, frame.columns, frame.shape


def fitted(data=X, *known, model=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (model or GuidedNMF)(**{"n_components": 2, **QUICK, **parameters, **({"guidance": Guidance(*known)} if known else {})}).fit(data)


def same(one, other):
    np.testing.assert_array_equal(one.codes_, other.codes_)
    np.testing.assert_array_equal(one.components_, other.components_)


PROFILES = pd.DataFrame(numbers((2, D), 5), index=["a", "b"], columns=FEATURES)
MARKS = pd.DataFrame((numbers((N, D), 6) < 0.9).astype(float), index=SAMPLES, columns=FEATURES)
KNOWN = X * MARKS
CLASSES = pd.Series(["a", "b", None] * (N // 3), index=SAMPLES, dtype=object)
SHARES = pd.DataFrame(numbers((N, 2), 7), index=SAMPLES, columns=["a", "b"])
JOINED = pd.DataFrame(np.triu(numbers((N, N), 8) > 0.8, 1).astype(float), index=SAMPLES, columns=SAMPLES)
JOINED = JOINED + JOINED.T
WEIGHTS_OF_SAMPLES, WEIGHTS_OF_FEATURES = pd.Series(numbers(N, 9), index=SAMPLES), pd.Series(numbers(D, 10), index=FEATURES)

# Each item as made of plain arrays in the order of the data, and of tables in another order.
ITEMS = {
    "References": (lambda: References(PROFILES.to_numpy(), names=["a", "b"]), lambda: References(PROFILES.iloc[:, COLUMNS])),
    "References, polars": (lambda: References(PROFILES.to_numpy(), names=["a", "b"]), lambda: References(pl.from_pandas(PROFILES.iloc[:, COLUMNS]), names=["a", "b"])),
    "References, pyarrow": (lambda: References(PROFILES.to_numpy(), names=["a", "b"]), lambda: References(PROFILES.iloc[:, COLUMNS].convert_dtypes(dtype_backend="pyarrow"))),
    "References, AnnData": (lambda: References(PROFILES.to_numpy(), names=["a", "b"]), lambda: References(LooksLikeAnnData(PROFILES.iloc[:, COLUMNS]))),
    "FeatureWeights": (lambda: FeatureWeights(WEIGHTS_OF_FEATURES.to_numpy()), lambda: FeatureWeights(WEIGHTS_OF_FEATURES.iloc[COLUMNS])),
    "FeatureWeights, dict": (lambda: FeatureWeights([1, 1, 1, 0.5, 0, 1]), lambda: FeatureWeights({"team": 0, "judge": 0.5})),
    "SampleWeights": (lambda: SampleWeights(WEIGHTS_OF_SAMPLES.to_numpy()), lambda: SampleWeights(WEIGHTS_OF_SAMPLES.iloc[ROWS])),
    "SampleWeights, dict": (lambda: SampleWeights([1, 0.5] + [1] * (N - 2)), lambda: SampleWeights({"s1": 0.5})),
    "EntryWeights": (lambda: EntryWeights(SHARES.iloc[:, [0]].to_numpy() * MARKS.to_numpy()), lambda: EntryWeights((SHARES[["a"]].to_numpy() * MARKS).iloc[ROWS, COLUMNS])),
    "EntryWeights, polars": (lambda: EntryWeights(MARKS.to_numpy()), lambda: EntryWeights(pl.from_pandas(MARKS.iloc[:, COLUMNS]))),
    "KnownEntries": (lambda: KnownEntries(MARKS.to_numpy()), lambda: KnownEntries(MARKS.astype(bool).iloc[ROWS, COLUMNS])),
    "KnownFeatures": (lambda: KnownFeatures(MARKS.to_numpy()), lambda: KnownFeatures(MARKS.iloc[ROWS, COLUMNS])),
    "KnownFeatures, lists": (
        lambda: KnownFeatures([list(np.flatnonzero(row)) for row in MARKS.to_numpy()]),
        lambda: KnownFeatures([list(np.array(FEATURES)[row > 0][::-1]) for row in MARKS.to_numpy()]),
    ),
    "Memberships": (lambda: Memberships(SHARES.to_numpy(), ["a", "b"]), lambda: Memberships(SHARES.iloc[ROWS])),
    "Memberships of some": (
        lambda: Memberships(np.where(np.arange(N)[:, None] < 5, SHARES, np.nan), ["a", "b"]),
        lambda: Memberships(SHARES.iloc[[4, 0, 3, 1, 2]]),
    ),
    "Labels": (lambda: Labels(CLASSES.to_numpy()), lambda: Labels(CLASSES.iloc[ROWS])),
    "Labels of some": (lambda: Labels(["a", "b", *[None] * (N - 2)]), lambda: Labels(pd.Series(["b", "a"], index=["s1", "s0"]))),
    "Labels, numbers": (lambda: Labels([0, 1] * (N // 2)), lambda: Labels(pd.Series([0, 1] * (N // 2), index=SAMPLES).iloc[ROWS])),
    "Labels, dict": (lambda: Labels(["a", "b", *[None] * (N - 2)]), lambda: Labels({"s1": "b", "s0": "a"})),
    "Sets": (lambda: Sets([["a"], ["a", "b"], *[None] * (N - 2)]), lambda: Sets({"s1": ["a", "b"], "s0": ["a"]}, ["a", "b"])),
    "Sets, Series": (lambda: Sets([["a"], ["a", "b"], *[None] * (N - 2)]), lambda: Sets(pd.Series([["a", "b"], ["a"]], index=["s1", "s0"]), ["a", "b"])),
    "Links": (lambda: Links(must=[(0, 4)], cannot=[(2, 6)]), lambda: Links(must=[("s0", "s4")], cannot=[("s2", 6)])),
    "Graph": (lambda: Graph(JOINED.to_numpy()), lambda: Graph(JOINED.iloc[ROWS, shuffled(N, 11)])),
    "Topic": (lambda: Topic("a", [(0, 2.0)], forbidden=[5]), lambda: Topic("a", {"ball": 2.0}, forbidden=["law"])),
}


# polars has no names of rows.
BY_FEATURES = ("References", "FeatureWeights", "Topic", "KnownFeatures, lists", "EntryWeights, polars")
PAIRS = [(item, data) for item in ITEMS for data in ("frame", "anndata", "pyarrow", "polars") if data != "polars" or item.startswith(BY_FEATURES)]


@pytest.mark.parametrize(("item", "data"), PAIRS)
def test_the_order_of_names_changes_no_bit(item, data):
    plain, named = ITEMS[item]
    frame = KNOWN if item.startswith("Known") else X
    given = {
        "frame": lambda: frame,
        "anndata": lambda: LooksLikeAnnData(frame),
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: frame.convert_dtypes(dtype_backend="pyarrow"),
    }[data]()
    same(fitted(given, named()), fitted(frame.to_numpy(), plain()))


REFERENCES = {
    "a fitted model": (lambda: pw.NMF(2, init="custom", max_iter=0).fit(X.iloc[:, COLUMNS], W=np.ones((N, 2)), H=PROFILES.iloc[:, COLUMNS].to_numpy())),
    "a guided model with given names": lambda: GuidedNMF(2, guidance=Guidance({"part 1": ["law"]}, feature_names=list(np.array(FEATURES)[COLUMNS])), **QUICK).fit(X.to_numpy()[:, COLUMNS]),
}


@pytest.mark.parametrize("which", REFERENCES)
def test_the_features_of_a_fitted_model_are_found_by_name(which):
    model = REFERENCES[which]()
    profiles = pd.DataFrame(model.components_, columns=np.array(FEATURES)[COLUMNS])[FEATURES].to_numpy()
    same(fitted(X, References(model)), fitted(X.to_numpy(), References(profiles, names=model.component_names_)))


def start(model, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model(2, init="custom", **QUICK).fit(X, **given)


W0 = pd.DataFrame(numbers((N, 2), 12), index=SAMPLES, columns=["a", "b"])
H0 = pd.DataFrame(numbers((2, D), 13), index=["a", "b"], columns=FEATURES)


@pytest.mark.parametrize("model", [pw.NMF, pw.GNMF, pw.NsNMF, GuidedNMF], ids=lambda m: m.__name__)
def test_a_start_goes_by_the_names_of_samples_features_and_components(model):
    plain = start(model, W=W0.to_numpy(), H=H0.to_numpy())
    same(start(model, W=W0.iloc[ROWS], H=H0.iloc[:, COLUMNS]), plain)
    same(start(model, W=W0[["b", "a"]], H=H0), plain)
    same(start(model, W=W0, H=pl.from_pandas(H0.iloc[:, COLUMNS])), plain)


@pytest.mark.parametrize("model", [GuidedNMF, pw.WSNMF, pw.SCNMF, pw.WSSymNMF], ids=lambda m: m.__name__)
def test_components_of_a_start_that_are_named_for_classes_are_those_of_the_classes(model):
    data, H = (X @ X.T, W0.T) if model._symmetric else (X, H0)
    fit = model(2, init="custom", **QUICK).fit
    plain = fit(data, CLASSES, W=W0.to_numpy(), H=H.to_numpy())
    same(fit(data, CLASSES, W=W0, H=H.iloc[::-1]), plain)
    same(fit(data, CLASSES, W=W0[["b", "a"]], H=H.to_numpy()), plain)
    with pytest.raises(ValueError, match="number 1 .* is 'a', but component 1 is 'b'"):
        fit(data, CLASSES, W=W0.to_numpy(), H=H.rename(index={"a": "x", "b": "a"}))


def test_references_of_wsnmf_and_their_weights_go_by_name():
    def fit(**known):
        return pw.WSNMF(2, **QUICK).fit(X, **known)

    weights = pd.Series([3.0, 5.0], index=["a", "b"])
    plain = fit(components_reference=H0.to_numpy(), components_weight=[3.0, 5.0])
    same(fit(components_reference=H0.iloc[:, COLUMNS], components_weight=weights.iloc[::-1]), plain)
    plain = fit(codes_reference=W0.to_numpy(), codes_weight=WEIGHTS_OF_SAMPLES.to_numpy())
    same(fit(codes_reference=W0.iloc[ROWS], codes_weight=WEIGHTS_OF_SAMPLES.iloc[::-1]), plain)
    # Component j is class j.
    plain = fit(y=CLASSES.to_numpy(), components_reference=H0.to_numpy(), components_weight=[3.0, 5.0])
    same(fit(y=CLASSES, components_reference=H0.iloc[::-1], components_weight=weights), plain)
    with pytest.raises(ValueError, match="number 1 .* is 'a', but component 1 is 'b'"):
        fit(y=CLASSES, components_reference=H0.rename(index={"a": "x", "b": "a"}))


def test_solves_go_by_name():
    codes = pw.solve_codes(X.to_numpy(), H0.to_numpy())
    for data, held in ((X, H0.iloc[:, COLUMNS]), (X.iloc[:, COLUMNS], H0), (LooksLikeAnnData(X), H0.iloc[:, COLUMNS]), (pl.from_pandas(X), pl.from_pandas(H0.iloc[:, COLUMNS]))):
        np.testing.assert_allclose(pw.solve_codes(data, held), codes, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(pw.solve_components(X, W0.iloc[ROWS]), pw.solve_components(X.to_numpy(), W0.to_numpy()))
    G = W0.T @ W0
    C = X.T @ W0
    np.testing.assert_array_equal(pw.nnls(G[["b", "a"]], C[["b", "a"]]), pw.nnls(G.to_numpy(), C.to_numpy()))


@pytest.mark.parametrize("model", [pw.GNMF, pw.SemiGNMF], ids=lambda m: m.__name__)
def test_a_graph_of_an_estimator_goes_by_name(model):
    fit = model(2, **QUICK).fit
    same(fit(X, CLASSES, graph=JOINED.iloc[ROWS, shuffled(N, 14)]), fit(X, CLASSES, graph=JOINED.to_numpy()))
    same(fit(X.to_numpy(), CLASSES, graph=JOINED.iloc[:, ROWS]), fit(X, CLASSES, graph=JOINED))


def test_numbers_that_are_places_in_another_order_say_which_place_each_is_for():
    weights = pd.Series(numbers(D, 15))
    same(fitted(X.to_numpy(), FeatureWeights(weights.iloc[COLUMNS])), fitted(X.to_numpy(), FeatureWeights(weights.to_numpy())))
    # Places in order, and names beside data without any, are no names.
    same(fitted(X, FeatureWeights(weights)), fitted(X.to_numpy(), FeatureWeights(weights.to_numpy())))
    same(fitted(X.to_numpy(), FeatureWeights(weights.set_axis(FEATURES[::-1]))), fitted(X.to_numpy(), FeatureWeights(weights.to_numpy())))


def test_labels_beside_x_in_another_order_are_refused(estimator):
    labels = pd.Series([0, 1, 0] * (N // 3), index=SAMPLES)
    data = X @ X.T if estimator._symmetric else X
    # Without a start from labels some ignore y.
    fit = estimator(2, init="labels" if estimator._ignores_y else None, random_state=0, max_iter=5).fit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(data, labels)
        with pytest.raises(ValueError, match=r"y has the names of the samples of X, but in another order: .* give y.loc\[X.index\]"):
            fit(data, labels.iloc[ROWS])
        fit(data, labels.iloc[ROWS].to_numpy())


def test_similarities_whose_rows_and_columns_differ_are_refused():
    with pytest.raises(ValueError, match=r"name the same samples in one order, but row 0 .* take X\[X.index\]"):
        pw.SymNMF(2).fit((X @ X.T).iloc[:, ::-1])


def test_automatic_and_measures_refuse_another_order_too():
    labels = pd.Series(["a", "b"] * (N // 2), index=SAMPLES)
    with pytest.raises(ValueError, match="y has the names"):
        pw.automatic(X, labels.iloc[ROWS])
    with pytest.raises(ValueError, match="y_pred has the names of the samples of y_true, but in another order"):
        pw.metrics.accuracy(labels, labels.iloc[ROWS])
    assert pw.metrics.total_cut(JOINED.iloc[ROWS, ROWS], labels) == pw.metrics.total_cut(JOINED.to_numpy(), labels.to_numpy())


REFUSED = {
    "profiles misspelt": (lambda: References(PROFILES.rename(columns={"goal": "gaol"})), r"1 of the 6 features .* first 'goal' \(nearest: 'gaol'"),
    "profiles with more": (lambda: References(PROFILES.assign(umpire=1.0)), "1 of its 7 names are not features of the data, the first 'umpire'"),
    "weights misspelt": (lambda: FeatureWeights(WEIGHTS_OF_FEATURES.rename({"goal": "gaol"})), "nearest: 'gaol'"),
    "weights of some": (lambda: FeatureWeights(WEIGHTS_OF_FEATURES.iloc[:4]), "2 of the 6 features"),
    "a weight by a wrong name": (lambda: FeatureWeights({"gaol": 2.0}), r"no feature of the data is named 'gaol' \(nearest: 'goal'"),
    "a sample's weight by a wrong name": (lambda: SampleWeights({"s99": 2.0}), "no sample of the data is named 's99'"),
    "marks misspelt": (lambda: KnownEntries(MARKS.rename(columns={"goal": "gaol"})), "nearest: 'gaol'"),
    "rows missing": (lambda: EntryWeights(MARKS.iloc[2:]), "2 of the 18 samples"),
    "known features misspelt": (lambda: KnownFeatures(MARKS.rename(index={"s3": "t3"})), "'s3'"),
    "a known feature by a wrong name": (lambda: KnownFeatures([["gaol"]] * N), "nearest: 'goal'"),
    "labels of other samples": (lambda: Labels(CLASSES.rename({"s3": "t3"})), "not samples of the data, the first 't3'"),
    "a label by a wrong name": (lambda: Labels({"x3": "a"}), "nearest: 's3'"),
    "memberships of other samples": (lambda: Memberships(SHARES.rename({"s3": "t3"})), "not samples of the data, the first 't3'"),
    "a set by a wrong name": (lambda: Sets({"x3": ["a"]}), "nearest: 's3'"),
    "a link by a wrong name": (lambda: Links([("s3", "x3")]), "nearest: 's3'"),
    "a graph of others": (lambda: Graph(JOINED.rename(columns={"s3": "t3"})), "'s3'"),
    "names twice": (lambda: FeatureWeights(pd.Series(numbers(6), index=["ball", "goal", "goal", "judge", "team", "law"])), r"'goal' occurs twice \(at 1 and 2"),
    "names in another order than the index": (lambda: References(PROFILES, names=["b", "a"]), "in another order"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_matched_is_refused_with_the_nearest_names(what):
    make, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        fitted(X, make())


def test_other_entries_refuse_with_the_nearest_names_too():
    misspelt = H0.rename(columns={"goal": "gaol"})
    for act in (
        lambda: start(pw.NMF, H=misspelt),
        lambda: pw.WSNMF(2).fit(X, components_reference=misspelt),
        lambda: pw.solve_codes(X, misspelt),
    ):
        with pytest.raises(ValueError, match="first 'goal' .nearest: 'gaol'"):
            act()
    for act in (
        lambda: start(pw.NMF, W=W0.rename({"s3": "t3"})),
        lambda: pw.WSNMF(2).fit(X, codes_reference=W0.rename({"s3": "t3"})),
        lambda: pw.solve_components(X, W0.rename({"s3": "t3"})),
        lambda: pw.GNMF(2).fit(X, graph=JOINED.rename({"s3": "t3"})),
    ):
        with pytest.raises(ValueError, match="the first 's3'"):
            act()


# Names of AnnData, which need not differ.
TWICE = X.set_axis(["ball", "goal", "court", "judge", "ball", "law"], axis=1)


@pytest.mark.parametrize(
    "known", [Topic("a", ["ball"]), Topic("a", ["goal"], forbidden=["ball"]), FeatureWeights({"ball": 0}), KnownFeatures([["ball"]] * N), References(PROFILES)], ids=lambda k: type(k).__name__
)
def test_a_name_that_two_features_have_is_refused_with_both_places(known):
    message = "0 and 4" if not isinstance(known, References) else "not features of the data, the first 'team'"
    with pytest.raises(ValueError, match=message):
        # scikit-learn itself refuses a frame with such columns.
        fitted(LooksLikeAnnData(TWICE), known)


def test_numbers_that_are_names_decide_and_what_may_be_both_is_refused():
    years = X.set_axis([1990, 2000, 2010, 2020, 2, 5], axis=1)
    plain = fitted(X.to_numpy(), Topic("a", [1], forbidden=[5]))
    for seed in (2000, "2000"):
        same(fitted(years, Topic("a", [seed], forbidden=["5"])), plain)
    # A name that is its own place may be given as either.
    same(fitted(years, Topic("a", [2000], forbidden=[5])), plain)
    with pytest.raises(ValueError, match="2 is the name of feature number 4, and feature number 2 is named '2010'; .* as text, '2' or '2010'"):
        fitted(years, Topic("a", [2]))
    with pytest.raises(ValueError, match="are numbers, and 3 is not one of them"):
        fitted(years, FeatureWeights({3: 0.5}))
    same(fitted(years, FeatureWeights({"2": 0.5})), fitted(X.to_numpy(), FeatureWeights([1, 1, 1, 1, 0.5, 1])))
    people = X.set_axis(range(100, 100 + N)).set_axis([3, *range(101, 100 + N)])
    with pytest.raises(ValueError, match="are numbers, and 2 is not one of them"):
        fitted(people, Links([(2, 3)]))
    same(fitted(people, Links([("3", 104)])), fitted(X, Links([(0, 4)])))
    # The index of a part of a table is counted on, not chosen.
    part = X.reset_index(drop=True).iloc[4:]
    same(fitted(part, Links([(0, 3)])), fitted(part.to_numpy(), Links([(0, 3)])))


@pytest.mark.parametrize("method", ["transform", "predict", "score"])
def test_new_data_in_another_order_of_columns_are_refused(method):
    for make in (lambda frame: frame, LooksLikeAnnData, pl.from_pandas, lambda frame: frame.set_axis([FEATURES.index(name) * 10 + 7 for name in frame.columns], axis=1)):
        model = pw.NMF(2, **QUICK)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(make(X))
        getattr(model, method)(make(X))
        with pytest.raises(ValueError, match=r"feature names should match(.|\n)*same order"):
            getattr(model, method)(make(X.iloc[:, COLUMNS]))
        with pytest.raises(ValueError, match="names should match"):
            getattr(model, method)(make(X.rename(columns={"goal": "law", "law": "goal"})))


def test_the_names_of_the_data_come_before_those_of_the_guidance():
    other = list(np.array(FEATURES)[COLUMNS])
    model = fitted(X, Guidance({"a": ["goal"]}).topics[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        renamed = GuidedNMF(2, guidance=Guidance({"a": ["goal"]}, feature_names=other), **QUICK).fit(X)
    same(renamed, model)
    assert any("in another order; the columns of X are used" in note for note in renamed.guidance_report_.notices)


def test_the_guidance_of_a_loaded_model_goes_by_name_in_other_data(tmp_path):
    known = (References(PROFILES), FeatureWeights(WEIGHTS_OF_FEATURES), KnownFeatures(MARKS), SampleWeights(WEIGHTS_OF_SAMPLES), Links([("s0", "s4")]), Labels(CLASSES), Graph(JOINED), Topic("a", ["goal"]))
    fitted(KNOWN, *known).save(tmp_path / "m.safetensors")
    again = pw.load(tmp_path / "m.safetensors")
    moved = KNOWN.iloc[ROWS, COLUMNS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(again.set_params(**QUICK).fit(moved), fitted(moved, *known))
        with pytest.raises(ValueError, match="'gaol' .nearest: 'goal'"):
            again.fit(moved.rename(columns={"goal": "gaol"}))


def test_steering_finds_samples_and_features_by_name():
    model = fitted(X, Topic("a", ["goal"]), Topic("b"))
    one, other = model.steer(X), model.steer(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(one.move("s3", "a"), other.move(3, "a"))
        same(one.forbid("b", "law"), other.forbid("b", 5))
    for act, message in (
        (lambda: one.forbid("a", "gaol"), "no feature of the data is named 'gaol' .nearest: 'goal'"),
        (lambda: one.raise_feature("a", "zzzz"), "no feature of the data is named 'zzzz'"),
        (lambda: one.split("a", "c", ["gaol"]), "nearest: 'goal'"),
        (lambda: one.move("x3", "a"), "nearest: 's3'"),
        (lambda: model.steer(X.iloc[ROWS]), "fitted to, but row 0"),
    ):
        with pytest.raises(ValueError, match=message):
            act()


def test_tables_of_results_have_the_names_of_the_samples():
    for data in (X, LooksLikeAnnData(X)):
        model = fitted(data)
        assert list(model.to_frame("codes").index) == list(model.to_frame("memberships").index) == SAMPLES
        assert list(model.to_frame("components").columns) == FEATURES
    codes = model.to_frame("codes")
    np.testing.assert_array_equal(model.inverse_transform(codes.iloc[:, ::-1]), model.inverse_transform(model.codes_))


def test_anndata_and_numbered_columns_bring_no_false_warning(estimator):
    y = [0, 1, 0] * (N // 3)
    square = (X @ X.T) if estimator._symmetric else X
    cells = LooksLikeAnnData(square, {"kind": y})
    numbered = square.set_axis([10 * j + 7 for j in range(square.shape[1])], axis=1)
    for data, labels in ((cells, "kind"), (square, y), (numbered, y)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = estimator(2, random_state=0, max_iter=5)
            model.fit_transform(data, labels)
            model.transform(data), model.predict(data), model.score(data)
        assert not [str(one.message) for one in seen if "feature names" in str(one.message)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if estimator is pw.SSNMF:
            missing = X.mask(X < X.min(axis=None) + 0.05)
            model = estimator(2, random_state=0, max_iter=5).fit(missing, y)
            warnings.simplefilter("error", UserWarning)
            model.transform(missing)


def test_errors_about_columns_layers_and_tables_name_what_there_is():
    cells = LooksLikeAnnData(X, {"cell_type": [0, 1, 0] * (N // 3), "batch": [0] * N})
    for act in (lambda: pw.CNMF().fit(cells, "celltype"), lambda: pw.automatic(cells, "celltype")):
        with pytest.raises(KeyError, match="no column 'celltype' .nearest: 'cell_type'.*; there are: 'cell_type', 'batch'"):
            act()
    with pytest.raises(ValueError, match="valid layers: 'counts' .nearest: 'counts'"):
        pw.NMF(2, layer="count").fit(cells)
    with pytest.raises(ValueError, match="unknown table 'code'; valid: 'components', 'topics', 'samples', 'codes'"):
        fitted(X).to_frame("code")


def test_sparse_data_have_no_names():
    same(fitted(sp.csr_array(X.to_numpy()), References(PROFILES)), fitted(sp.csr_array(X.to_numpy()), References(PROFILES.to_numpy(), names=["a", "b"])))
