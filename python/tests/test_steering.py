"""Promise: each steering action does what it says, keeps what was known and the other topics, says what moved
all the same, and is undone to the bit; what to label next is doubtful."""

import copy
import pickle

import numpy as np
import partwise as pw
import pytest
from partwise import Guidance, GuidedNMF, Labels, Topic
from sklearn.base import clone

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
WORDS = 5
NAMES = [f"word{f}" for f in range(4 * WORDS)]


def documents(seed=0):
    """Four planted topics of five words each; the last 20 documents are half of topic 0, half of topic 1."""
    rng = np.random.default_rng(seed)
    topic = np.arange(120) % 4
    place = np.arange(4 * WORDS) // WORDS
    own = np.where(np.arange(120)[:, None] < 100, place == topic[:, None], place < 2)
    return np.where(own, 0.5 + rng.random(own.shape), 0.3 * (rng.random(own.shape) < 0.05)), topic


def begun(n_components=4, topics=("a", "b", "c", "d"), **settings):
    X, topic = documents()
    guidance = Guidance({name: [NAMES[WORDS * t]] for t, name in enumerate(topics)}, feature_names=NAMES)
    model = GuidedNMF(n_components, guidance=guidance, random_state=0, n_jobs=1, **settings).fit(X)
    return X, topic, model


def named(model):
    return model.predict_names()


def test_a_free_part_is_renamed_and_stays_what_it_was():
    X, topic, model = begun(topics=("a", "b", "c"))
    steering = model.steer(X)
    assert steering.topics == ["a", "b", "c", "part 4"]
    after = steering.rename("part 4", "d")
    assert list(after.component_names_) == ["a", "b", "c", "d"] and list(after.topics_) == ["a", "b", "c", "d"]
    assert (named(after)[:100] == np.array(list("abcd"))[topic[:100]]).all()
    assert [t.name for t in after.guidance.topics] == ["a", "b", "c", "d"] and after.n_features_in_ == 20


def test_merged_topics_are_one_and_split_ones_are_two_again():
    X, topic, model = begun()
    steering = model.steer(X)
    merged = steering.merge("a", "b")
    assert list(merged.component_names_) == ["a", "c", "d"] and merged.components_.shape == (3, 20)
    assert set(named(merged)[:100][topic[:100] < 2]) == {"a"}
    split = steering.split("a", "b", seeds=[NAMES[WORDS]])
    assert list(split.component_names_) == ["a", "b", "c", "d"]
    assert (named(split)[:100] == np.array(list("abcd"))[topic[:100]]).all()
    assert steering.depth == 2


def test_a_deleted_topic_leaves_its_samples_to_others():
    X, _, model = begun()
    after = model.steer(X).delete("d")
    assert list(after.component_names_) == ["a", "b", "c"] and set(named(after)) <= {"a", "b", "c"}


def test_a_moved_sample_stays_where_it_was_put():
    X, _, model = begun()
    steering = model.steer(X)
    after = steering.move(0, "c")
    assert named(after)[0] == "c" and named(model)[0] == "a"
    assert after.codes_[0, [0, 1, 3]].max() == 0
    assert named(steering.rename("c", "sea"))[0] == "sea"


def test_raised_features_grow_and_forbidden_ones_are_zero():
    X, _, model = begun()
    steering = model.steer(X)
    share = lambda m, f, j: m.components_[j, f] * np.linalg.norm(m.codes_[:, j])  # noqa: E731
    raised = steering.raise_feature("a", NAMES[6], by=4.0)
    assert share(raised, 6, 0) > share(model, 6, 0)
    assert steering.forbid("b", 7).components_[1, 7] == 0
    assert steering.forbid("b", NAMES[8]).components_[1, [7, 8]].max() == 0


def test_a_pinned_topic_keeps_its_profile_through_further_actions():
    X, _, model = begun()
    steering = model.steer(X)
    before = steering.pin("a").components_[0]
    after = steering.delete("d").components_[0]
    np.testing.assert_allclose(after / np.linalg.norm(after), before / np.linalg.norm(before), rtol=1e-6, atol=1e-9)


def test_undo_gives_the_same_bits_and_errors_change_nothing():
    X, _, model = begun()
    steering = model.steer(X)
    first = steering.merge("a", "b")
    steering.delete("d")
    with pytest.raises(ValueError, match='unknown topic "nowhere"; valid: a, c'):
        steering.delete("nowhere")
    with pytest.raises(ValueError, match="there is already a topic"):
        steering.rename("a", "c")
    with pytest.raises(ValueError, match="sample 120 must be a whole number from 0 to 119"):
        steering.move(120, "a")
    with pytest.raises(TypeError, match="is not a feature"):
        steering.forbid("a", 1.5)
    assert steering.depth == 2 and steering.undo() and steering.model is first
    assert steering.undo() and steering.model is model and not steering.undo()
    again = steering.merge("a", "b")
    np.testing.assert_array_equal(again.codes_, first.codes_)


def test_everything_known_stays_in_force_and_a_steered_model_is_a_model(tmp_path):
    X, topic = documents()
    y = np.where(np.arange(120) < 40, topic, -1)
    guidance = Guidance(Topic("3", [NAMES[15]]), Labels([None] * 50 + ["0"] + [None] * 69), feature_names=NAMES)
    model = GuidedNMF(guidance=guidance, random_state=0).fit(X, y)
    after = model.steer(X).forbid("3", NAMES[0])
    assert {"labels"} <= {type(item).__name__.lower() for item in after.guidance.items}
    kinds = [finding.kind for finding in after.guidance_report_]
    assert kinds.count("label") == 41 and kinds.count("seed") == 1
    # 40 of y and one of an item are known: none of them is suggested.
    assert not {s.sample for s in after.suggest(79)} & {*range(40), 50}
    for other in (pickle.loads(pickle.dumps(after)), copy.deepcopy(after)):
        np.testing.assert_array_equal(other.transform(X), after.transform(X))
    after.save(tmp_path / "steered.safetensors")
    loaded = pw.load(tmp_path / "steered.safetensors")
    np.testing.assert_array_equal(loaded.steer(X).rename("0", "zero").codes_, after.steer(X).rename("0", "zero").codes_)
    # Its guidance holds all: a fit anew, from a start of its own, follows it too.
    anew = clone(after).fit(X)
    assert anew.components_[list(anew.component_names_).index("3"), 0] == 0
    assert (named(anew)[:40] == y[:40].astype(str)).mean() > 0.9


def crowded():
    """Six planted topics, but four components: whatever an action frees, the others could use."""
    rng = np.random.default_rng(1)
    topic = np.arange(180) % 6
    own = np.repeat(topic, 30).reshape(180, 30) == np.arange(30) // 5
    X = np.where(own, (0.5 + rng.random(own.shape)) * (1 + 0.1 * topic[:, None]), 0.4 * (rng.random(own.shape) < 0.08))
    return X, GuidedNMF(4, guidance=Guidance({"a": [0]}), random_state=0, n_jobs=1, tol=1e-4).fit(X)


@pytest.mark.parametrize("action", [("merge", "part 2", "part 3"), ("delete", "part 4")])
def test_the_topics_that_an_action_does_not_name_stay(action):
    X, model = crowded()
    name, *topics = action
    worst = {}
    for others in ("tied", "fixed", "free"):
        steering = model.steer(X, others=others)
        after = getattr(steering, name)(*topics)
        worst[others] = min(change.cosine for change in steering.changes.topics if not change.named)
        for change in steering.changes.topics:
            assert change.samples == sum(after.predict_names() == change.topic)
        if others == "fixed":
            np.testing.assert_array_equal(after.components_[0], model.components_[0])
    assert worst["fixed"] > 0.999999 and worst["tied"] > 0.95 and worst["free"] < worst["tied"]
    with pytest.raises(ValueError, match="others is 'loose'"):
        model.steer(X, others="loose")


def test_steering_says_what_else_moved():
    pd = pytest.importorskip("pandas")
    X, model = crowded()
    steering = model.steer(X)
    assert steering.changes is None and "0 actions" in repr(steering)
    steering.delete("part 4")
    changes = steering.changes
    assert changes.action == "delete" and 0 <= changes.moved <= 1
    assert "1 action>" in repr(steering) and "of the samples of the other topics moved" in repr(steering)
    assert isinstance(changes.to_frame(), pd.DataFrame) and list(changes.to_frame()["topic"]) == ["a", "part 2", "part 3"]
    steering.rename("part 2", "sea")
    assert all(change.cosine == pytest.approx(1.0) for change in steering.changes.topics) and steering.changes.moved == 0
    assert steering.undo() and steering.changes is changes


def test_a_steered_model_predicts_the_labels_of_the_user():
    X, topic = documents()
    y = np.where(np.arange(120) < 40, topic + 5, -1)
    steering = GuidedNMF(random_state=0, spread="off").fit(X, y).steer(X)
    assert set(steering.forbid("5", 19).predict(X)) == {5, 6, 7, 8}
    assert set(steering.rename("5", "50").predict(X)) == {50, 6, 7, 8}
    merged = steering.merge("50", "6")
    assert set(merged.predict(X)) == set(merged.labels_) == {50, 7, 8} and set(merged.classes_) == {50, 7, 8}
    assert set(steering.delete("8").predict(X)) == {50, 7}
    moved = steering.move(2, "50")
    assert moved.labels_[2] == 50 and set(moved.predict_names()) == {"50", "7"}
    named = GuidedNMF(random_state=0, spread="off").fit(X, np.where(y < 0, None, np.array(list("abcd"))[topic])).steer(X)
    assert set(named.rename("a", "sea").predict(X)) == {"sea", "b", "c", "d"}
    assert set(named.merge("sea", "b").predict(X)) == {"sea", "c", "d"}


def test_words_that_are_no_features_are_refused_with_near_names():
    X, _, model = begun()
    steering = model.steer(X)
    for act in (lambda: steering.forbid("a", "words1"), lambda: steering.raise_feature("a", "words1"), lambda: steering.split("a", "new", ["words1"])):
        with pytest.raises(ValueError, match="no feature of the data is named 'words1'.*'word1"):
            act()
    assert steering.depth == 0


def test_other_data_are_refused():
    X, _, model = begun()
    with pytest.raises(ValueError, match="X has 100 samples, but the model was fitted to 120"):
        model.steer(X[:100])
    with pytest.raises(ValueError, match="X has 19 features"):
        model.steer(X[:, 1:])


def test_an_action_is_stopped_and_watched_like_a_fit():
    X, _, model = begun()
    seen = []
    model.callback = lambda it: seen.append(it.number)
    model.steer(X).delete("d")
    assert seen[:2] == [0, 1]


def test_what_to_label_next_is_between_two_parts():
    X, _, model = begun()
    suggested = model.suggest(8)
    # The last 20 documents are of two topics; what is much like them is not asked for again.
    assert suggested[0].sample >= 100 and suggested[0].doubt > 0.8
    assert all(set(s.between) == {"a", "b"} for s in suggested if s.sample >= 100)
    pairs = model.suggest_links(5)
    assert len(pairs) == 5 and all(0 <= p.closeness <= 1 + 1e-12 and p.samples[0] < p.samples[1] for p in pairs)
    assert sum(min(p.samples) >= 100 for p in pairs) >= 4
    assert model.suggest(0) == model.suggest_links(0) == []
    with pytest.raises(ValueError, match="n is -1"):
        model.suggest_links(-1)


WRONG_TYPES = {
    "two new topics": (lambda s: s.split("a", ["e", "f"]), r"split: new is \['e', 'f'\], but must be one name .text.; several features"),
    "no list of seeds": (lambda s: s.split("a", "e", 2.5), "split: seeds is 2.5, but must be a list of features"),
    "a number to split": (lambda s: s.split(0, "e", ["word0"]), "split: topic is 0, but must be one name .text.; topics: 'a', 'b', 'c', 'd'"),
    "a number to rename": (lambda s: s.rename(0, "e"), "rename: topic is 0, but must be one name"),
    "a list as a name": (lambda s: s.rename("a", ["e"]), "rename: to is .'e'., but must be one name"),
    "a list to merge": (lambda s: s.merge("a", ["b", "c"]), "merge: gone is .'b', 'c'., but must be one name"),
    "none to keep": (lambda s: s.merge(None, "b"), "merge: keep is None, but must be one name"),
    "a list to delete": (lambda s: s.delete(["a"]), "delete: topic is .'a'., but must be one name"),
    "a number to move to": (lambda s: s.move(3, 1), "move: to is 1, but must be one name"),
    "a text as weight": (lambda s: s.raise_feature("a", 3, "much"), "raise_feature: by is 'much', but must be a number"),
    "a number to raise": (lambda s: s.raise_feature(1, 3), "raise: topic is 1, but must be one name"),
    "a number to forbid": (lambda s: s.forbid(1, 3), "forbid: topic is 1, but must be one name"),
    "a number to pin": (lambda s: s.pin(1), "pin: topic is 1, but must be one name"),
}


@pytest.fixture(scope="module")
def steering():
    X, _, model = begun()
    return model.steer(X)


@pytest.mark.parametrize("what", WRONG_TYPES)
def test_arguments_of_a_wrong_type_are_refused_in_words(what, steering):
    act, message = WRONG_TYPES[what]
    with pytest.raises(TypeError, match=message):
        act(steering)
    assert steering.depth == 0 and steering.topics == ["a", "b", "c", "d"]
