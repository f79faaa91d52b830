"""Promise: seeds by word work in the programs that text users write: in a Pipeline after a vectorizer, in a
grid search over it, with a vectorizer in the guidance; and where no names can be found, the error shows the
line to write."""

import numpy as np
import partwise as pw
import pytest
from partwise import Guidance, GuidedNMF, Topic
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TEXTS = ["hockey goal ice team", "goal team hockey season", "space orbit moon nasa", "moon orbit launch nasa", "ice hockey", "launch space", ""] * 3
TRUTH = ["sport", "sport", "space", "space", "sport", "space", None] * 3
SEEDS = {"sport": ["hockey"], "space": ["moon"]}


def guided(*known, **parameters):
    return GuidedNMF(guidance=Guidance(SEEDS, *known, **parameters), random_state=0, tol=1e-3)


def is_right(model):
    return list(model.predict(TEXTS)) == TRUTH and model[-1].top_features(1)["sport"][0][0] == "hockey"


def test_seeds_are_words_after_a_vectorizer(tmp_path):
    assert is_right(make_pipeline(TfidfVectorizer(), guided()).fit(TEXTS))
    assert is_right(make_pipeline(CountVectorizer(), Normalizer(), guided()).fit(TEXTS))
    for _ in range(2):  # the second time from the cache
        assert is_right(Pipeline([("words", TfidfVectorizer()), ("unit", Normalizer()), ("topics", guided())], memory=str(tmp_path)).fit(TEXTS))
    nested = make_pipeline(TfidfVectorizer(), make_pipeline(Normalizer(), guided())).fit(TEXTS)
    assert list(nested.predict(TEXTS)) == TRUTH
    before_another = make_pipeline(TfidfVectorizer(), guided(), LogisticRegression()).fit(TEXTS[:6], TRUTH[:6])
    assert list(before_another.predict(TEXTS[:6])) == TRUTH[:6]
    assert list(before_another[:-1].get_feature_names_out()) == ["sport", "space"]


def test_a_column_of_texts_gives_its_words_under_its_name():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"text": TEXTS, "other": 0})
    columns = ColumnTransformer([("words", TfidfVectorizer(), "text")])
    model = make_pipeline(columns, GuidedNMF(guidance=Guidance({"sport": ["words__hockey"], "space": ["words__moon"]}), random_state=0, tol=1e-3))
    assert list(model.fit(table).predict(table)) == TRUTH


@pytest.mark.parametrize(("named", "jobs"), [(False, None), (True, None), (True, 2)], ids=["step before", "vectorizer in the guidance", "processes"])
def test_a_grid_search_copies_the_pipeline_and_finds_the_words(jobs, named):
    vectorizer = TfidfVectorizer()
    model = make_pipeline(vectorizer, guided(feature_names=vectorizer if named else None))
    folds = KFold(3, shuffle=True, random_state=0)
    grid = {"guidednmf__strength": [0.5, 0.9], "tfidfvectorizer__sublinear_tf": [True, False]}
    search = GridSearchCV(model, grid, cv=folds, error_score="raise", n_jobs=jobs).fit(TEXTS, TRUTH)
    assert search.best_score_ > 0.8 and is_right(search.best_estimator_)


def test_a_vectorizer_in_the_guidance_is_asked_when_the_fit_begins():
    vectorizer = TfidfVectorizer()
    model = guided(feature_names=vectorizer)
    copied = clone(model)
    X = vectorizer.fit_transform(TEXTS)
    by_list = guided(feature_names=vectorizer.get_feature_names_out()).fit(X)
    for each in (model, copied, clone(make_pipeline(Normalizer(), model))[-1]):
        np.testing.assert_array_equal(each.fit(X).codes_, by_list.codes_)
    assert copied.guidance.feature_names is vectorizer
    assert list(model.to_frame().columns) == list(vectorizer.get_feature_names_out())


def test_a_model_file_holds_the_words_in_place_of_the_vectorizer(tmp_path):
    model = make_pipeline(TfidfVectorizer(), guided(feature_names=TfidfVectorizer())).fit(TEXTS)
    model[-1].save(tmp_path / "model.safetensors")
    again = pw.load(tmp_path / "model.safetensors")
    assert again.top_features(3) == model[-1].top_features(3)
    X = model[0].transform(TEXTS)
    assert list(again.predict(X)) == TRUTH
    np.testing.assert_allclose(clone(again).fit(X).components_, model[-1].components_)


def test_plain_nmf_shows_words_too():
    topics = make_pipeline(TfidfVectorizer(), pw.NMF(2, random_state=0)).fit(TEXTS)[-1]
    assert {top[0][0] for top in topics.top_features(1).values()} <= set(" ".join(TEXTS).split())
    vectorizer = TfidfVectorizer()
    alone = pw.NMF(2, random_state=0).fit(vectorizer.fit_transform(TEXTS))
    assert alone.top_features(3, feature_names=vectorizer) == topics.top_features(3)
    assert list(alone.to_frame(feature_names=vectorizer).columns) == list(vectorizer.get_feature_names_out())


def test_steps_without_names_leave_numbers():
    X = np.random.default_rng(0).random((12, 4))
    for step in (MinMaxScaler(), FunctionTransformer()):
        model = make_pipeline(step, pw.NMF(2, random_state=0)).fit(X)[-1]
        assert set(dict(model.top_features(4)["part 1"])) == {"x0", "x1", "x2", "x3"}


def test_without_names_the_error_shows_the_line_to_write():
    X = TfidfVectorizer().fit_transform(TEXTS)
    with pytest.raises(ValueError, match=r"the seed 'hockey' of topic 'sport' .* Guidance\(..., feature_names=vectorizer\)"):
        guided().fit(X)
    with pytest.raises(ValueError, match="the forbidden feature 'moon' of topic 'sport' needs the names"):
        GuidedNMF(guidance=Guidance(Topic("sport", [0], forbidden=["moon"]))).fit(X)
    with pytest.raises(ValueError, match="feature_names is a TfidfVectorizer that is not fitted"):
        guided(feature_names=TfidfVectorizer()).fit(X)
