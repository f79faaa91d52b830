"""Promise: tables say what was found: topics with their size, words and best examples; samples with their
topic, or None; rows by the names that the data had."""

import numpy as np
import pandas as pd
import partwise as pw
import pytest
from partwise import Guidance, GuidedNMF

WORDS = ["boat", "wind", "bird"]
# Sample 1 is the shortest of the pure ones, sample 2 large but mixed, sample 5 empty.
ROWS = [[5, 1, 0], [0.5, 0.1, 0], [4, 2, 6], [0, 0.1, 3], [0, 0.2, 6.0], [0, 0, 0]]
NAMES = [f"text {i}" for i in range(6)]


@pytest.fixture(scope="module")
def model():
    guidance = Guidance({"sea": ["boat"], "sky": ["bird"]})
    return GuidedNMF(guidance=guidance, random_state=0, tol=1e-3).fit(pd.DataFrame(ROWS, index=NAMES, columns=WORDS))


def test_one_table_has_the_topics_their_size_words_and_examples(model):
    table = model.to_frame("topics", n=2)
    assert list(table.index) == ["sea", "sky", None]
    assert list(table["size"]) == [2, 3, 1] and table["share"].sum() == pytest.approx(1)
    assert table.loc["sea", "features"][0] == "boat" and table.loc["sky", "features"][0] == "bird"
    assert table.loc["sea", "examples"][0] == "text 0" and table.loc["sky", "examples"] == ["text 4", "text 2"]


def test_samples_have_their_topic_or_none(model):
    table = model.to_frame("samples", n=1, texts=["a  long\ntext " * 20, *"abcde"])
    assert list(table.index) == NAMES and list(table["topic"]) == ["sea", "sea", "sky", "sky", "sky", None]
    assert table["membership"].iloc[-1] == 0 and table["membership"].iloc[4] > 0.9
    assert list(table.index[table["is_example"]]) == ["text 0", "text 4"]
    assert len(table["text"].iloc[0]) == 80 and table["text"].iloc[0].startswith("a long text a long")
    assert model.to_frame("documents").equals(model.to_frame("samples"))
    with pytest.raises(ValueError, match="texts must be 6 texts"):
        model.to_frame("samples", texts=["a"])


def test_the_best_examples_are_large_and_pure(model):
    sky = [sample for sample, _ in model.top_samples(3)["sky"]]
    assert sky[0] == 4 and [sample for sample, _ in model.top_samples(2)["sea"]][0] == 0
    shares = dict(model.top_samples(6)["sky"])
    assert shares[4] > shares[2] and 5 not in shares and 0 not in shares


def test_tables_have_the_names_of_the_data(model):
    for what in ("codes", "memberships"):
        assert list(model.to_frame(what).index) == NAMES and list(model.to_frame(what).columns) == ["sea", "sky"]
    assert list(model.to_frame().columns) == WORDS
    bare = pw.NMF(2, random_state=0).fit(np.array(ROWS))
    assert list(bare.to_frame(feature_names=WORDS).columns) == WORDS
    assert bare.to_frame("topics").loc[None, "size"] == 1 and list(bare.to_frame("codes").index) == list(range(6))
