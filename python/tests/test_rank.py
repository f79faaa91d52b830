"""The number of components that the data support."""

import numpy as np
import pytest
import scipy.sparse as sp

from sklearn.base import clone

from partwise import NMF, Guidance, GuidedNMF, NsNMF, SymNMF, Topic, load, select_rank


def planted(k, seed=0):
    rng = np.random.default_rng(seed)
    parts = rng.dirichlet(np.full(30, 0.2), size=k)
    return rng.poisson(200 * rng.dirichlet(np.full(k, 0.3), size=60) @ parts)


QUICK = {"max_components": 6, "n_splits": 4, "n_restarts": 1}


def test_planted_parts_are_found_in_every_format():
    X = planted(3)
    found = select_rank(X, **QUICK)
    assert (found.rank, found.holdout, found.loss, found.structure) == (3, "thinning", "kullback-leibler", True)
    assert found.explanation.startswith("3 components")
    assert [row["rank"] for row in found.rows] == sorted(row["rank"] for row in found.rows)
    for other in (sp.csr_matrix(X), X.astype(np.float32), 0.5 * X):
        assert select_rank(other, **QUICK).rank == 3
    assert select_rank(X, n_jobs=1, **QUICK) == found


def test_the_table_is_a_data_frame():
    pytest.importorskip("pandas")
    found = select_rank(planted(2), **QUICK)
    assert list(found.table.columns) == ["error", "excess", "excess_error", "replication"]
    assert found.table.index.name == "rank"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_restarts": 0}, "n_restarts is 0"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"max_components": 0}, "max_components is 0"),
        ({"n_splits": 1}, "n_splits is 1, but must be 2 or more"),
        ({"min_components": 7, "max_components": 6}, "min_components is 7, but must be from 1 to max_components, which is 6"),
        ({"holdout": "rows"}, "holdout"),
        ({"beta_loss": "itakura"}, "loss"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_what_is_not_valid_is_refused(settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        select_rank(planted(2), **{**QUICK, **settings})


@pytest.mark.parametrize(("X", "words"), [
    (np.zeros((20, 10)), "every entry is 0"),
    (np.ones((2, 10)), "4 or more samples"),
    (np.random.default_rng(0).random((20, 10)), "not counts"),
])
def test_data_without_an_answer_are_refused(X, words):
    with pytest.raises(ValueError, match=words):
        select_rank(X, holdout="thinning" if X.min() > 0 else "auto", **QUICK)


def test_a_search_that_takes_too_long_answers_by_what_it_tried():
    found = select_rank(planted(3), time_limit=1e-9, **QUICK)
    assert found.stopped and len(found.rows) == 1 and "stopped" in found.explanation


def test_progress_and_the_answer_are_shown(capsys):
    select_rank(planted(2), verbose=1, **QUICK)
    shown = capsys.readouterr()
    assert "rank: 2 components" in shown.out


def test_auto_finds_the_number_of_components():
    X = planted(3)
    model = NMF("auto", random_state=0, max_iter=50)
    assert clone(model).get_params()["n_components"] == "auto"
    model.fit(X)
    assert model.n_components_ == 3 == model.rank_selection_.rank
    assert any(kind == "selected-rank" and "3 components" in text for kind, text in model.notices_)
    assert NsNMF("auto", smoothing=0.1, random_state=0, max_iter=50).fit(X).n_components_ == 3
    # A number leaves nothing of it, and None is what it was.
    assert not hasattr(model.set_params(n_components=2).fit(X), "rank_selection_")
    assert NMF(random_state=0, max_iter=5).fit(X[:, :5]).n_components_ == 5
    with pytest.raises(ValueError, match="'auto' to find it"):
        NsNMF().fit(X)
    with pytest.raises(ValueError, match="not supported by SymNMF"):
        SymNMF("auto").fit(X.T @ X)


def test_auto_is_the_number_of_classes_where_labels_are_given():
    X, y = planted(3), np.full(60, -1)
    y[:4] = [0, 0, 1, 1]
    model = NMF("auto", init="labels", random_state=0, max_iter=20).fit(X, y)
    assert model.n_components_ == 2 and not hasattr(model, "rank_selection_")


def test_auto_warns_where_there_is_no_structure(tmp_path):
    X = np.random.default_rng(1).poisson(4, size=(60, 30))
    with pytest.warns(UserWarning, match="found no structure, and 1 is used"):
        model = NMF("auto", random_state=0, max_iter=20).fit(X)
    assert model.n_components_ == 1
    model.save(tmp_path / "model.safetensors")
    assert load(tmp_path / "model.safetensors").n_components_ == 1


def guided_parts(seed=0):
    """Counts of 4 parts over blocks of features; the samples are mostly of one part each."""
    rng = np.random.default_rng(seed)
    parts = rng.dirichlet(np.full(40, 0.15), size=4)
    main = np.arange(120) % 4
    shares = 0.85 * np.eye(4)[main] + 0.15 * rng.dirichlet(np.ones(4), size=120)
    return rng.poisson(300 * shares @ parts), main


def test_free_components_are_counted_beside_the_named_ones():
    X, main = guided_parts()
    y = np.full(120, -1)
    for part in (0, 1):
        y[np.flatnonzero(main == part)[:6]] = part
    found = select_rank(X, y, max_components=7, n_splits=4, n_restarts=1)
    assert (found.rank, found.n_named) == (4, 2), found
    assert "2 named, 2 free" in found.explanation and "hidden labels" in found.explanation
    row = next(row for row in found.rows if row["rank"] == 4)
    assert row["hidden_labels_found"] > 0.7 and 0 <= row["drift_of_named"] < 1
    assert GuidedNMF("auto", random_state=0).fit(X, y).n_components_ == 4
    with pytest.raises(ValueError, match="the guidance names so many"):
        select_rank(X, y, max_components=1)


def test_labels_of_which_none_can_be_hidden_say_nothing_of_agreement():
    X, main = guided_parts()
    y = np.full(120, -1)
    y[[np.flatnonzero(main == 0)[0], np.flatnonzero(main == 1)[0]]] = [0, 1]
    found = select_rank(X, y, max_components=5, n_splits=3, n_restarts=1)
    assert all(row["hidden_labels_found"] is None for row in found.rows)
    assert "no label could be hidden" in found.explanation


def test_a_topic_that_holds_two_parts_wants_to_be_two():
    X, main = guided_parts()
    y = np.where(main < 2, 0, -1)
    y[main == 2] = 1
    found = select_rank(X, y, max_components=4, n_splits=4, n_restarts=1)
    assert found.topic_in_two in (None, "0")
    seeds = Guidance(topics=[Topic("first", seeds=[int(np.argmax(X[main == 0].sum(axis=0)))])])
    assert select_rank(X, guidance=seeds, max_components=6, n_splits=4, n_restarts=1).n_named == 1
