"""The number of components that the data support."""

import numpy as np
import pytest
import scipy.sparse as sp

from partwise import select_rank


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
        ({"max_components": 0}, "max_components is 0"),
        ({"n_splits": 1}, "number of splits"),
        ({"min_components": 7, "max_components": 6}, "from 1 to the greatest k"),
        ({"holdout": "rows"}, "holdout"),
        ({"beta_loss": "itakura"}, "loss"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_what_is_not_valid_is_refused(settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        select_rank(planted(2), **{**QUICK, **settings})
