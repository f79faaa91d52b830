"""Pipelines, searches and friends of scikit-learn."""

import numpy as np
import partwise as pw
import pytest
from conftest import data_for, sample_of
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_a_pipeline_hands_labels_on_and_predicts(digits):
    X, y, truth = digits
    model = make_pipeline(MinMaxScaler(), pw.CNMF(random_state=0, max_iter=50)).fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.5


def test_codes_serve_a_classifier_and_a_regression_target_is_not_taken_for_labels(digits):
    X, _, truth = digits
    model = make_pipeline(pw.NMF(10, random_state=0, max_iter=50), LogisticRegression(max_iter=500))
    assert model.fit(X, truth).score(X, truth) > 0.8
    plain = pw.NMF(3, random_state=0, max_iter=20).fit(X)
    regressed = pw.NMF(3, random_state=0, max_iter=20).fit(X, np.linspace(0, 1, len(X)))
    np.testing.assert_array_equal(plain.codes_, regressed.codes_)


def test_a_grid_search_over_components_prefers_more_of_them(digits):
    X = digits[0][:200]
    search = GridSearchCV(pw.NMF(random_state=0, max_iter=30), {"n_components": [2, 8]}, cv=2).fit(X)
    assert search.best_params_ == {"n_components": 8}


def test_a_grid_search_over_the_strength_scores_predictions(digits):
    X, y, truth = digits
    right = lambda model, X, y: (model.predict(X)[y >= 0] == y[y >= 0]).mean()  # noqa: E731
    grid = {"strength": [0.1, 10.0]}
    search = GridSearchCV(pw.WSNMF(10, random_state=0, max_iter=30), grid, scoring=right, cv=2).fit(X, truth)
    assert search.best_score_ > 0.5


def test_cross_validated_scores_are_minus_the_relative_error(digits):
    X = digits[0][:200]
    scores = cross_val_score(pw.NMF(5, random_state=0, max_iter=30), X, cv=3)
    assert scores.shape == (3,) and (-1 < scores).all() and (scores < 0).all()


def test_a_clone_has_the_parameters_and_nothing_fitted(estimator):
    X, y, _ = data_for(estimator)
    model = sample_of(estimator).set_params(random_state=3, max_iter=5).fit(X, y)
    again = clone(model)
    assert repr(again.get_params()) == repr(model.get_params()) and not hasattr(again, "components_")


def test_columns_can_go_their_own_ways():
    X = np.random.default_rng(0).random((20, 6))
    both = ColumnTransformer([("a", pw.NMF(2, random_state=0), [0, 1, 2]), ("b", "passthrough", [3, 4, 5])])
    assert both.fit_transform(X).shape == (20, 5)
    assert list(both.get_feature_names_out()) == ["a__nmf0", "a__nmf1", "b__x3", "b__x4", "b__x5"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_output_can_be_a_frame(library):
    pytest.importorskip(library)
    if library == "pandas":
        pytest.importorskip("pandas")
    X = np.random.default_rng(0).random((20, 6))
    frame = pw.NMF(2, random_state=0).set_output(transform=library).fit_transform(X)
    assert list(frame.columns) == ["nmf0", "nmf1"] and type(frame).__module__.startswith(library)


def test_the_codes_of_a_row_depend_on_nothing_but_the_row(estimator):
    X, y, _ = data_for(estimator)
    model = sample_of(estimator).set_params(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.transform(X[5:7]), model.transform(X)[5:7], rtol=1e-10, atol=1e-12)


def test_metadata_are_routed_to_the_estimator_that_asks_for_them():
    import sklearn
    from sklearn.preprocessing import FunctionTransformer

    X, y, truth = data_for(pw.GNMF)
    graph = (truth[:, None] == truth) * 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        asks = pw.GNMF(3, random_state=0, max_iter=20, tol=0).set_fit_request(graph=True)
        model = make_pipeline(FunctionTransformer(), asks).fit(X, graph=graph)
        direct = pw.GNMF(3, random_state=0, max_iter=20, tol=0).fit(X, graph=graph)
        np.testing.assert_array_equal(model[-1].codes_, direct.codes_)
        with pytest.raises(TypeError, match="graph"):
            make_pipeline(FunctionTransformer(), pw.GNMF(3).set_fit_request(graph=False)).fit(X, graph=graph)
        # A reference of the samples is split with them, one of the components is not.
        references = {"codes_reference": np.eye(3)[truth], "components_reference": direct.components_}
        asks = pw.WSNMF(3, random_state=0, max_iter=20, tol=0).set_fit_request(codes_reference=True, components_reference=True)
        scores = cross_val_score(asks, X, params=references, cv=3, error_score="raise")
        assert scores.shape == (3,) and np.isfinite(scores).all()
        search = GridSearchCV(asks, {"strength": [0.1, 10.0]}, cv=3, error_score="raise").fit(X, **references)
        assert search.best_params_["strength"] in (0.1, 10.0)
