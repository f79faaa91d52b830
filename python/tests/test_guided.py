"""Promise: what Rust's guidance promises holds in Python, and guidance comes in the forms that people have it
in."""

import copy
import json
import os
import pickle
import re
import subprocess
import warnings
from pathlib import Path

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from partwise import ConsensusNMF, EntryWeights, FeatureWeights, Graph, Guidance, GuidedNMF, KnownEntries, KnownFeatures, Labels, Links, Memberships, References, SampleWeights, Sets, Topic, raw, select_rank
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
TOPICS, WORDS = 10, 6
NAMES = [f"topic {t}" for t in range(TOPICS)]


def planted(n=200, noise=0.1, seed=0):
    """Documents of one topic each; the words of topic t are 6t..6t+6."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % TOPICS
    r = rng.random((n, TOPICS * WORDS))
    own = np.arange(TOPICS * WORDS) // WORDS == topic[:, None]
    X = np.where(own, np.where(r < 0.7, 1 + r, 0.0), (r < noise) * 1.0)
    return X, topic, [f"word{f}" for f in range(TOPICS * WORDS)]


def fitted(X, *known, y=None, n_components=None, feature_names=None, **settings):
    guidance = Guidance(*known, feature_names=feature_names)
    return GuidedNMF(n_components, guidance=guidance, random_state=0, **settings).fit(X, y)


def test_seeds_find_the_columns_of_a_frame_and_topics_keep_order_and_names():
    pd = pytest.importorskip("pandas")
    X, topic, words = planted()
    frame = pd.DataFrame(X, columns=words)
    order = [3, 0, 9, 5, 1, 2, 4, 6, 7, 8]
    model = fitted(frame, {NAMES[t]: [words[WORDS * t]] for t in order})
    assert list(model.component_names_) == list(model.topics_) == [NAMES[t] for t in order]
    assert (model.labels_ == np.array(NAMES)[topic]).mean() > 0.9
    assert model.guidance_report_.counts["followed"] == TOPICS
    by_names = fitted(X, {NAMES[t]: [words[WORDS * t]] for t in order}, feature_names=words)
    by_number = fitted(X, {NAMES[t]: [WORDS * t] for t in order})
    np.testing.assert_array_equal(model.codes_, by_names.codes_)
    np.testing.assert_array_equal(model.codes_, by_number.codes_)


def test_every_way_to_write_topics_means_the_same():
    X, _, words = planted()
    ways = [
        {"a": ["word0", "word7"], "b": [("word12", 2.0)]},
        {"a": np.array(["word0", "word7"]), "b": {"word12": 2.0}},
        [Topic("a", ["word0", 7]), Topic("b", {"word12": 2.0})],
    ]
    codes = [fitted(X, way, feature_names=words).codes_ for way in ways]
    for other in codes[1:]:
        np.testing.assert_array_equal(codes[0], other)
    assert list(fitted(X, [["word0", "word7"], ["word12"]], feature_names=words).topics_) == ["topic 1", "topic 2"]
    flat = fitted(X, ["word0", "word12"], feature_names=words)
    assert list(flat.topics_) == ["word0", "word12"]
    assert any("flat list" in note for note in flat.guidance_report_.notices)


def test_words_of_two_topics_unknown_words_and_forbidden_words():
    X, _, words = planted(seed=6)
    topics = [Topic("sea", ["word0", "word7", "nowhere"]), Topic("sky", ["word7"], forbidden=["word3"]), Topic("void", ["neither", "nor"])]
    with pytest.warns(UserWarning, match="nowhere|neither"):
        model = fitted(X, topics, n_components=12, feature_names=words)
    assert list(model.component_names_[:4]) == ["sea", "sky", "void", "part 4"]
    assert model.components_[1, 3] == 0
    assert model.guidance_report_.counts["no support"] == 3
    codes = [code for code, _ in model.notices_]
    assert codes.count("unknown-feature") == 3 and codes.count("seeds-without-match") == 1
    used = model.components_[:, 7] * np.linalg.norm(model.codes_, axis=0)
    assert used[:2].sum() > 0.9 * used.sum()


def test_a_topic_that_another_component_took_is_weak_and_says_why():
    # Topic 9 has 12 documents, the others 40; four components are too few for ten topics.
    rng = np.random.default_rng(0)
    topic = np.where(np.arange(372) < 360, np.arange(372) % 9, 9)
    own = np.arange(60) // 6 == topic[:, None]
    X = np.where(own & (rng.random(own.shape) < 0.7) | (rng.random(own.shape) < 0.01), 1 + rng.random(own.shape), 0)
    levels = {}
    for strength in (0.9, 0.0):
        report = fitted(X, [Topic("small", [54, 55], strength=strength)], n_components=4).guidance_report_
        (verdict,) = report.topics
        levels[strength] = verdict.level
        assert verdict.message.startswith(f'"small" is {verdict.level}: ') and 0 <= verdict.numbers["quality"] <= 1
        assert (verdict.message in repr(report)) == (verdict.level != "good")
        assert list(report.to_frame("topics")["level"]) == [verdict.level]
    # At its seeds it has the documents that hold them, and others that have no component.
    assert levels == {0.9: "fair", 0.0: "weak"}
    assert verdict.verdict == "not followed" and verdict.taken_by in ("part 2", "part 3", "part 4")
    with pytest.raises(ValueError, match='"findings", "topics" or "components"'):
        report.to_frame("words")


def test_weak_topics_are_a_warning_at_the_line_of_the_user():
    rng = np.random.default_rng(0)
    topic = np.where(np.arange(372) < 360, np.arange(372) % 9, 9)
    own = np.arange(60) // 6 == topic[:, None]
    X = np.where(own & (rng.random(own.shape) < 0.7) | (rng.random(own.shape) < 0.01), 1 + rng.random(own.shape), 0)
    with pytest.warns(UserWarning, match="GuidedNMF: a topic is weak: 'small'; print.model.guidance_report_. says why") as seen:
        fitted(X, [Topic("small", [54, 55], strength=0.0)], n_components=4)
    assert len(seen) == 1 and seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        fitted(X, [Topic("small", [54, 55])], n_components=4)


def test_a_misspelt_seed_brings_the_nearest_word():
    X, _, _ = planted(seed=6)
    for words, given, near in ((["hockey"], "hokey", "hockey"), (["t__hockey"], "hockey", "t__hockey"), (["t__hockey", "Hocket"], "hockey", "Hocket")):
        names = [*words, *(f"{j:03}" for j in range(X.shape[1] - len(words)))]
        with pytest.warns(UserWarning, match=f'"{given}" of topic "sport" is not a feature .nearest: "{near}".; it is left out'):
            fitted(X, {"sport": [given, "001"]}, n_components=3, feature_names=names)


def test_unknown_seeds_are_warnings_wherever_many_fits_follow():
    pd = pytest.importorskip("pandas")
    X, _, words = planted(seed=6)
    guidance = Guidance({"sport": [words[0], words[1] + "x"], "music": ["piano"]})
    said = [
        f'the seed "{words[1]}x" of topic "sport" is not a feature .nearest: "{words[1]}".; it is left out',
        'the seed "piano" of topic "music" is not a feature; it is left out',
        'none of the seeds of topic "music" is a feature, so the topic is not guided',
    ]
    model = GuidedNMF(4, guidance=guidance, max_iter=3)
    table = pd.DataFrame(X, columns=words)
    for name, run in {
        "GuidedNMF.sweep": lambda: model.sweep(table, scales=[1.0]),
        "ConsensusNMF": lambda: ConsensusNMF(4, estimator=model, n_restarts=2).fit(table),
        "select_rank": lambda: select_rank(table, guidance=guidance, max_components=5, n_splits=2, n_restarts=1),
    }.items():
        with pytest.warns(UserWarning) as seen:
            run()
        for part in said:
            assert sum(re.search(f"^{name}: {part}", str(warning.message)) is not None for warning in seen) == 1, (name, part, [str(w.message) for w in seen])


def test_forbidden_words_are_in_the_report():
    X, _, words = planted()
    report = fitted(X, [Topic("a", [words[0]], forbidden=[words[6]])], n_components=10, feature_names=words).guidance_report_
    (finding,) = [finding for finding in report if finding.kind == "forbidden"]
    assert finding.verdict == "followed" and finding.message == '"word6" is kept out of "a", as you asked'


def test_empty_lists_are_no_advice():
    X, _, _ = planted(40)
    start = {"W": np.random.default_rng(0).random((40, 3)), "H": np.random.default_rng(1).random((3, 60))}
    nothing = Guidance({"a": []}, Links(), Labels([-1] * 40), Labels(["a"] * 40, strength=0))
    ours = GuidedNMF(3, guidance=nothing, init="custom", max_iter=5).fit(X, **start)
    bare = GuidedNMF(3, init="custom", max_iter=5).fit(X, **start)
    np.testing.assert_array_equal(ours.codes_, bare.codes_)
    np.testing.assert_array_equal(ours.components_, bare.components_)


def test_ten_topics_take_every_row_and_keep_the_labelled_ones():
    X, topic, _ = planted(700, seed=3)
    y = np.full(700, -1)
    for t in range(TOPICS):
        y[np.flatnonzero(topic == t)[: 1 if t == 9 else 4]] = t
    y[40:43] = topic[40:43]
    assert (y >= 0).sum() == 40 and (y == 9).sum() == 1
    model = GuidedNMF(strength=1, random_state=0).fit(X, y)
    assert model.n_components_ == TOPICS and (model.codes_.max(axis=1) > 0).all()
    np.testing.assert_array_equal(model.labels_[y >= 0], y[y >= 0])
    assert (model.labels_ == topic)[y < 0].mean() > 0.9


def test_cannot_links_are_kept_and_contradictions_named():
    X = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    for seed in range(100):
        links = Links(cannot=[(0, 2), (1, 2)], strength=1)
        model = GuidedNMF(2, guidance=Guidance(links), random_state=seed).fit(X)
        assert model.labels_[0] != model.labels_[2] != model.labels_[1]
        assert model.guidance_report_.agreement == 1
    with pytest.raises(ValueError, match="samples 0 and 2.*cannot-link|cannot-link.*samples 0 and 2"):
        fitted(X, Links(must=[(0, 2)], cannot=[(0, 2), (1, 2)], strength=1), n_components=2)


def test_a_document_with_two_seeded_topics_gets_both():
    X, _, _ = planted(noise=0.05, seed=4)
    place = np.arange(TOPICS * WORDS) // WORDS
    X[0] = (place == 2) | (place == 5)
    shares = fitted(X, [[WORDS * t] for t in range(TOPICS)]).memberships()[0]
    assert shares[2] > 0.35 and shares[5] > 0.35


def test_the_order_of_items_changes_no_bit():
    X, topic, _ = planted(60)
    y = np.where(np.arange(60) < 20, topic, -1)
    items = [
        Labels([NAMES[t] if t >= 0 else None for t in y], strength=0.7),
        Links(must=[(20, 30)], cannot=[(21, 32)]),
        Graph(),
        References(np.kron(np.eye(TOPICS)[:1], np.ones((1, WORDS))), ["extra"]),
        SampleWeights(np.linspace(1, 2, 60)),
        FeatureWeights(np.linspace(0, 2, X.shape[1])),
        Sets({40: [NAMES[0], NAMES[1]]}),
        Memberships(np.where(np.arange(60)[:, None] == 50, [[0.5, 0.5]], np.nan), NAMES[:2]),
    ]
    first = fitted(X, NAMES_ONLY, *items, max_iter=15)
    for order in ([7, 6, 5, 4, 3, 2, 1, 0], [3, 0, 6, 1, 7, 5, 2, 4]):
        again = fitted(X, *(items[at] for at in order), NAMES_ONLY, max_iter=15)
        np.testing.assert_array_equal(first.codes_, again.codes_)
        np.testing.assert_array_equal(first.components_, again.components_)
    assert list(first.component_names_) == [*NAMES, "extra"]


NAMES_ONLY = {name: [] for name in NAMES}


def test_y_is_one_more_item():
    X, topic, _ = planted(60)
    y = np.where(np.arange(60) < 20, topic, -1)
    by_y = GuidedNMF(random_state=0).fit(X, y)
    by_item = fitted(X, {str(t): [] for t in range(TOPICS)}, Labels(y))
    np.testing.assert_array_equal(by_y.codes_, by_item.codes_)
    assert (by_y.predict(X) == topic).mean() > 0.9 and list(by_y.classes_) == list(range(TOPICS))
    wide = GuidedNMF(components_per_class=2, random_state=0).fit(X, y)
    assert wide.n_components_ == 20 and wide.topics_["1"] == [2, 3] and list(wide.component_names_[2:4]) == ["1 1", "1 2"]
    assert (wide.labels_[:20] == y[:20]).mean() > 0.9
    sets = np.zeros((60, TOPICS))
    sets[np.arange(20), topic[:20]] = 1
    sets[0, 3] = 1
    assert {f.kind for f in GuidedNMF(random_state=0).fit(X, sets).guidance_report_} == {"set"}
    soft = np.full((60, TOPICS), np.nan)
    soft[:20] = 0.9 * sets[:20] + 0.01
    assert {f.kind for f in GuidedNMF(random_state=0).fit(X, soft).guidance_report_} == {"membership"}


def test_labels_as_the_same_codes_tie_rows_and_raw_weights_are_taken():
    X, topic, _ = planted(60)
    y = np.where(np.arange(60) < 20, topic, -1)
    model = GuidedNMF(label_rule="same-codes", random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.codes_[:10], model.codes_[10:20])
    weak, strong = (fitted(X, Graph(strength=raw(weight)), n_components=4).codes_ for weight in (0.1, 100))
    spread = [codes.std(axis=0).sum() / codes.mean(axis=0).sum() for codes in (weak, strong)]
    assert spread[1] < spread[0]


def test_the_report_the_suggestions_and_the_sweep():
    X, topic, _ = planted(300, seed=8)
    at = np.arange(300)
    wrong = (at < 100) & (at % 10 == at // 10 % 10)
    y = np.where(at < 100, np.where(wrong, topic + 3, topic) % TOPICS, -1)
    model = GuidedNMF(random_state=0).fit(X, y)
    report = model.guidance_report_
    assert len(report) == 100 and sum(report.counts.values()) == 100
    found = {f.samples[0] for f in report if f.data == "surprising"}
    # One wrong label of each ten, all of them found.
    assert wrong.sum() == 10 and set(np.flatnonzero(wrong)) <= found
    assert all(f.numbers["margin"] < 0 for f in report if f.samples[0] in np.flatnonzero(wrong))
    pd = pytest.importorskip("pandas")
    frame = report.to_frame()
    assert isinstance(frame, pd.DataFrame) and list(frame["verdict"]) == [f.verdict for f in report]
    suggestions = model.suggest(5)
    assert len(suggestions) == 5 and all(y[s.sample] < 0 and 0 <= s.doubt <= 1 for s in suggestions)
    assert set(suggestions[0].between) <= set(model.component_names_)
    # A quarter of the labels is wrong, so that following them costs.
    X, topic, _ = planted(seed=8, noise=0.3)
    y = np.where(np.arange(200) % 4 == 0, topic + 5, topic) % TOPICS
    points = model.sweep(X, y, scales=[0, 0.05, 10])
    assert points["relative_error"][0] < points["relative_error"][2] and points["agreement"][0] < points["agreement"][2] > 0.99
    pytest.importorskip("matplotlib")
    assert len(model.plot_guidance().get_yticklabels()) == TOPICS


def test_auto_searches_the_least_strength_that_is_followed():
    X, topic, _ = planted(seed=2, noise=0.3)
    y = np.where(np.arange(200) < 100, (topic + 5 * (np.arange(200) % 4 == 0)) % TOPICS, -1)
    model = GuidedNMF(strength="auto", random_state=0).fit(X, y)
    search = model.strength_search_
    tried = dict(zip(search["scales"], search["agreement"], strict=True))
    assert tried[search["scale"]] >= 0.95 and len(tried) > 1
    assert model.guidance_report_.agreement >= 0.95
    assert GuidedNMF(random_state=0).fit(X, y).strength_search_ is None


def test_it_is_copied_pickled_saved_and_searched(tmp_path):
    X, topic, words = planted(60)
    y = np.where(np.arange(60) < 30, topic, -1)
    guidance = Guidance({"8": [words[48]], "0": [words[0]]}, Links(must=[(31, 41)]), feature_names=words)
    model = GuidedNMF(12, guidance=guidance, random_state=0).fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.codes_, model.codes_)
        assert other.guidance_report_ == model.guidance_report_
    model.save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    assert isinstance(again, GuidedNMF)
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.topics_ == model.topics_ and again.guidance_report_ == model.guidance_report_ and again.suggest(3) == model.suggest(3)
    refitted = clone(again).fit(X, y)
    np.testing.assert_array_equal(refitted.codes_, model.codes_)
    search = GridSearchCV(make_pipeline(MaxAbsScaler(), GuidedNMF(random_state=0)), {"guidednmf__strength": [0.1, 0.9]}, cv=3)
    assert search.fit(X, topic).best_params_["guidednmf__strength"] in (0.1, 0.9)


def ratings():
    """Of rank 2 exactly, and which half of it is known."""
    rng = np.random.default_rng(3)
    full = rng.gamma(1.0, size=(40, 2)) @ rng.gamma(1.0, size=(2, 30))
    return full, rng.random(full.shape) < 0.5


@pytest.mark.parametrize("way", ["zeros of sparse", "mask", "lists", "marks", "weights"])
def test_what_is_not_known_comes_back(way, tmp_path):
    full, known = ratings()
    left = np.where(known, full, 0.0)
    data = {"zeros of sparse": sp.csr_array(left), "weights": np.where(known, full, 7.0)}.get(way, left)
    item = {
        "zeros of sparse": KnownFeatures(),
        "mask": KnownFeatures(known),
        "lists": KnownFeatures([list(np.flatnonzero(row)) for row in known]),
        "marks": KnownEntries(known),
        "weights": EntryWeights(known),
    }[way]
    model = GuidedNMF(2, guidance=Guidance(item), random_state=0, tol=1e-9, max_iter=2000).fit(data)
    np.testing.assert_allclose(model.codes_ @ model.components_, full, atol=0.02 * full.max())
    model.save(tmp_path / "model.safetensors")
    anew = clone(pw.load(tmp_path / "model.safetensors")).fit(data)
    np.testing.assert_array_equal(anew.codes_, model.codes_)


def test_faults_of_known_features_are_named():
    full, known = ratings()
    for item, words in [
        (KnownFeatures(known[:, :3]), "(40, 30)"),
        (KnownFeatures([[0]]), "40 samples"),
        (KnownFeatures([[30]] * 40), "below 30"),
        (KnownFeatures(known), "missing entries are stored as 0"),
        (EntryWeights(-full), "0 or more"),
    ]:
        with pytest.raises(ValueError, match=re.escape(words)):
            GuidedNMF(2, guidance=Guidance(item)).fit(full)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_features_count_as_much_as_is_said(loss, tmp_path):
    X, _, _ = planted(40)
    weights = np.where(np.arange(X.shape[1]) % 3 == 0, 0.0, 2.0)
    model = GuidedNMF(3, guidance=Guidance(FeatureWeights(weights)), beta_loss=loss, random_state=0, max_iter=50).fit(X)
    product = model.codes_ @ model.components_
    if loss == "frobenius":
        expected = np.sqrt((weights * (X - product) ** 2).sum() / (weights * X**2).sum())
        np.testing.assert_allclose(model.relative_error_, expected, rtol=1e-6)
    assert (model.components_[:, weights == 0] == 0).all()
    # What stands in an ignored feature changes no code; the file keeps the weights.
    other = np.where(weights == 0, 7.0, X)
    model.save(tmp_path / "model.safetensors")
    for fitted in (model, pw.load(tmp_path / "model.safetensors")):
        np.testing.assert_array_equal(fitted.transform(other), model.transform(X))
    with pytest.raises(ValueError, match="FeatureWeights"):
        GuidedNMF(3, guidance=Guidance(FeatureWeights(weights[:5]))).fit(X)


def everything_known():
    """Data, and a guidance with an item of each kind."""
    X, topic, words = planted(60)
    y = [NAMES[t] if i < 20 else None for i, t in enumerate(topic)]
    known = np.ones_like(X)
    known[59, 3] = 0
    X[59, 3] = 0
    items = [
        Labels(y, strength=0.7),
        Links(must=[(20, 30)], cannot=[(21, 32)]),
        Graph(n_neighbors=3),
        References(np.kron(np.eye(TOPICS)[:1], np.ones((1, WORDS))), ["extra"], strength=0.3),
        SampleWeights(np.linspace(1, 2, 60)),
        Sets({40: [NAMES[0], NAMES[1]]}),
        Memberships(np.where(np.arange(60)[:, None] == 50, [[0.5, 0.5]], np.nan), NAMES[:2], strength=0.2),
        KnownEntries(known),
    ]
    topics = [Topic(NAMES[3], [words[18], (20, 2.0)], forbidden=[words[0]], strength=0.5), Topic("void", components=2)]
    return X, Guidance(topics, *items, feature_names=words)


def test_a_model_file_holds_the_guidance_whole(tmp_path):
    X, guidance = everything_known()
    model = GuidedNMF(14, guidance=guidance, random_state=0, max_iter=15).fit(X)
    model.save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    assert [topic.name for topic in again.guidance.topics] == [topic.name for topic in guidance.topics]
    assert sorted(type(item).__name__ for item in again.guidance.items) == sorted(type(item).__name__ for item in guidance.items)
    anew = clone(again).fit(X)
    np.testing.assert_array_equal(anew.codes_, model.codes_)
    np.testing.assert_array_equal(anew.components_, model.components_)
    assert anew.guidance_report_ == model.guidance_report_
    assert again.guidance.topics[0].seeds == [("word18", 1.0), (20, 2.0)]
    searched = GuidedNMF(strength="auto", random_state=0, max_iter=15).fit(X, np.where(np.arange(60) < 20, np.arange(60) % 10, -1))
    searched.save(tmp_path / "searched.safetensors")
    found = pw.load(tmp_path / "searched.safetensors")
    assert found.guidance is None and found.strength_search_["scale"] == searched.strength_search_["scale"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Guidance(["a", ["b"]]), "mixes seeds with other entries"),
        (lambda: Guidance([Topic("a"), Topic("a")]), "two topics are named 'a'"),
        (lambda: Guidance(strength=2.0), "from 0 \\(ignored\\) to 1 \\(held exactly\\)"),
        (lambda: fitted(planted(20)[0], {"a": [("w", -1)]}), "topic 'a': the weight of 'w' is -1"),
        (lambda: fitted(planted(20)[0], Links(must=[(0, 20)]), n_components=2), r"\(0, 20\) of must must be a pair of samples"),
        (lambda: fitted(planted(20)[0], Sets([["a"]])), "there are 1 sets for 20 samples"),
        (lambda: fitted(planted(20)[0], Labels([0] * 20, rule="same")), "valid: 'components', 'same-codes', 'view'"),
        (lambda: fitted(planted(20)[0], Memberships(np.ones((20, 2)))), "Memberships need names="),
        (lambda: fitted(planted(20)[0], NAMES_ONLY, n_components=3), "at least 10"),
        (lambda: fitted(planted(20)[0], Graph(np.eye(3)), n_components=3), r"must have the shape \(20, 20\), but has \(3, 3\)"),
    ],
)
def test_faults_say_what_and_where(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_command_line_gives_the_same_bits(tmp_path):
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    found = [path for path in (target / "debug" / "partwise", target / "release" / "partwise") if path.exists()]
    assert found, "the command line isn't built: run cargo build -p partwise-cli"
    X, topic, _ = planted(60)
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.csv").write_text("index,label\n" + "".join(f"{i},{NAMES[topic[i]]}\n" for i in range(20)))
    (tmp_path / "guidance.toml").write_text(
        'labels = { file = "y.csv", strength = 0.7 }\nlinks = { must = [[20, 30]], cannot = [[21, 32]] }\ngraph = { neighbours = 5 }\n'
        'sample_weights = [' + ", ".join(["1"] * 30 + ["2"] * 30) + ']\n[[topics]]\nname = "topic 4"\nseeds = [24, { word = 25, weight = 2 }]\nforbidden = [0]\n'
    )
    arguments = ["fit", tmp_path / "x.npy", "--method", "guided", "--guidance", tmp_path / "guidance.toml", "-k", 11, "--seed", 4, "--max-iter", 15]
    subprocess.run([found[0], *map(str, arguments), "--out", tmp_path / "out", "--quiet"], check=True, capture_output=True, text=True)
    labels = Labels([NAMES[t] if i < 20 else None for i, t in enumerate(topic)], strength=0.7)
    items = [labels, Links([(20, 30)], [(21, 32)]), Graph(), SampleWeights([1] * 30 + [2] * 30)]
    guidance = Guidance([Topic("topic 4", [24, (25, 2)], forbidden=[0])], *items)
    model = GuidedNMF(11, guidance=guidance, random_state=4, max_iter=15).fit(X)
    theirs = pw.load(tmp_path / "out" / "model.safetensors")
    np.testing.assert_array_equal(theirs.codes_, model.codes_)
    np.testing.assert_array_equal(theirs.components_, model.components_)
    assert theirs.topics_ == model.topics_ and theirs.objective_ == model.objective_
    # The command line's model holds the guidance: a fit by it gives the bits once more.
    anew = GuidedNMF(11, guidance=theirs.guidance, random_state=4, max_iter=15).fit(X)
    np.testing.assert_array_equal(anew.codes_, model.codes_)
    # And it knows from Python's model which samples are labelled.
    model.save(tmp_path / "model.safetensors")
    told = subprocess.run([found[0], "suggest", tmp_path / "model.safetensors", "--count", "5", "--json"], check=True, capture_output=True, text=True)
    assert [(s["sample"], tuple(s["between"])) for s in json.loads(told.stdout)] == [(s.sample, s.between) for s in model.suggest(5)]


def test_several_components_a_class_are_those_of_the_command_line(tmp_path):
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    found = [path for path in (target / "debug" / "partwise", target / "release" / "partwise") if path.exists()]
    X, topic, _ = planted(60)
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.csv").write_text("index,label\n" + "".join(f"{i},{NAMES[topic[i]]}\n" for i in range(30)))
    topics = "".join(f'[[topics]]\nname = "{name}"\ncomponents = 2\n' for name in NAMES)
    (tmp_path / "guidance.toml").write_text('labels = "y.csv"\n' + topics)
    arguments = ["fit", tmp_path / "x.npy", "--method", "guided", "--guidance", tmp_path / "guidance.toml", "--seed", 4, "--max-iter", 15]
    subprocess.run([found[0], *map(str, arguments), "--out", tmp_path / "out", "--quiet"], check=True, capture_output=True, text=True)
    theirs = pw.load(tmp_path / "out" / "model.safetensors")
    y = [NAMES[t] if i < 30 else None for i, t in enumerate(topic)]
    model = GuidedNMF(components_per_class=2, random_state=4, max_iter=15).fit(X, y)
    np.testing.assert_array_equal(theirs.codes_, model.codes_)
    np.testing.assert_array_equal(theirs.components_, model.components_)
    assert theirs.topics_ == model.topics_ and list(theirs.component_names_) == list(model.component_names_)


def test_last_months_model_keeps_the_topics_of_this_month():
    X, topic, _ = planted(100)
    names = [NAMES[t] for t in (3, 1, 2, 0, 4, 5, 6, 7, 8, 9)]
    last = fitted(X, {name: [WORDS * NAMES.index(name)] for name in names})
    right = []
    for seed in range(9, 14):
        more, truth, _ = planted(100, seed=seed)
        now = fitted(more, References(last), n_components=11)
        assert list(now.component_names_) == [*names, "part 11"]
        right.append((now.labels_ == np.array(NAMES)[truth]).mean())
    assert np.mean(right) > 0.9
    held = fitted(more, References(last, strength=1), n_components=11)
    np.testing.assert_allclose(held.components_[:10], last.components_, rtol=1e-12)


def test_automatic_finds_classes_and_says_why(digits):
    X, y, truth = (part[:300] for part in digits)
    names = np.array(list("abcdefghij"), dtype=object)
    found = pw.automatic(X, [names[label] if label >= 0 else None for label in y])
    assert (found.labels == names[truth])[y < 0].mean() > 0.7
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1)
    np.testing.assert_allclose(sum(c["weight"] for c in found.candidates), 1)
    assert list(found.classes) == list(names) and len(found.readings) == 6 and found.hidden == 20
    assert [r["refinement"] for r in found.refinements] == ["neighbours' vote", "neighbours among discriminants", "Gaussian mixture", "discriminants of the labels"] and max(r["weight"] for r in found.refinements) == 1
    again = pw.automatic(X, y, n_jobs=1)
    np.testing.assert_array_equal(again.memberships, found.memberships)
    with pytest.raises(ValueError, match="at least two"):
        pw.automatic(X, np.where(y == 0, 0, -1))
