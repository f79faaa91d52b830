"""Nothing happens in silence: every setting of every estimator acts, is refused, or is said to have no
effect."""

import itertools
import warnings

import numpy as np
import partwise as pw
import pytest
import scipy.sparse as sp
from conftest import data_for
from partwise._estimators import ESTIMATORS
from partwise._registry import METHOD_PARAMETERS

# Two values or more of each setting that mean different things. Those of the parameters of methods come from
# the registry; what is not listed stands below with the reason.
SHARED = {
    "n_components": [3, 5],
    "init": ["random", "nndsvd", "nndsvda", "nndsvdar", "labels", "exemplars", "published"],
    "solver": ["hals", "mu", "bpp", "nesterov", "nesterov-running"],
    "acceleration": ["off", "on"],
    "beta_loss": ["frobenius", "kullback-leibler"],
    "tol": [0.5, 1e-12],
    "max_iter": [3, 30],
    "random_state": [0, 5],
    "alpha_W": [0.0, 0.3],
    "alpha_H": [0.0, 0.3],
    "l1_ratio": [0.0, 1.0],
    "shuffle": [False, True],
    "dtype": ["float64", "float32"],
    "unlabelled": [-1, 77],
    "layer": [None, "counts"],
}
NOT_TRIED = {
    "n_jobs": "the result doesn't depend on it, as promised",
    "verbose": "it shows progress",
    "callback": "it is called, and tried in test_running.py",
    "time_limit": "it acts by the clock",
    "checkpoint": "the result doesn't depend on it, as promised, and tried in test_checkpoints.py",
    "checkpoint_seconds": "it acts by the clock, and tried in test_checkpoints.py",
    "missing": "it is about NaN, and tried in test_missing_entries.py",
    "guidance": "it is what the other settings act on",
}
OWN = {
    "strength": [0.9, 0.1],
    "strength_unit": ["relative", "raw"],
    "components_per_class": [1, 2],
    "label_weight": [1.0, 0.01],
    "label_rule": ["components", "same-codes", "view"],
    "spread": ["auto", "off"],
    "n_neighbors": [5, 2],
    "graph_weight": [1.0, 0.1],
}


def values_of(parameter):
    """Values of a parameter of a method that mean different things."""
    if parameter.kind == "choice":
        return METHOD_PARAMETERS[parameter.source]["choices"]
    if parameter.kind == "size":
        return [(12, 1), (3, 4)]
    default = 1 if parameter.default is None else parameter.default
    return [default, default + 1] if parameter.kind == "whole" else [default, default / 100]


for each in ESTIMATORS:
    OWN = {**{name: values_of(found) for name, found in each._parameters.items() if found.source}, **OWN}

# Settings under which a setting can act at all.
BESIDE = {"l1_ratio": {"alpha_W": 0.2}, "tol": {"max_iter": 200}, "step_rule": {"solver": "nesterov"}, "alpha_H": {"alpha_W": 0.0}}


def mixed_data(estimator):
    rng = np.random.default_rng(1)
    X = rng.random((40, 12)) * (rng.random(12) * 3 + 0.2)
    y = np.where(np.arange(40) < 12, np.arange(40) % 3, -1)
    return (X @ X.T if estimator._symmetric else X), y


def outcome(model, X, y, **known):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, y, **known)
    said = {str(warning.message) for warning in seen if "Maximum number of iterations" not in str(warning.message)}
    return model.codes_, model.components_, said | {code for code, _ in model.notices_}


def same(one, other):
    return all(a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(one[:2], other[:2], strict=True)) and one[2] == other[2]


def silent(build, X, y, settings, **beside):
    """The pairs of values that give the same bits without a word."""
    found = []
    for setting, values in settings.items():
        results = []
        for value in values:
            given = {"random_state": 0, "max_iter": 30, "tol": 0.0, "init": "random", **BESIDE.get(setting, {}), **beside, setting: value}
            try:
                results.append((value, outcome(build(**given), X, y)))
            except (ValueError, TypeError):
                continue  # refused
        found += [f"{setting}: {a!r} and {b!r}" for (a, one), (b, other) in itertools.combinations(results, 2) if same(one, other)]
    return found


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_every_setting_acts_or_is_refused_or_is_said_to_have_no_effect(estimator, loss):
    X, y = mixed_data(estimator)
    own = {name: values for name, values in OWN.items() if name in estimator._get_param_names()}
    if estimator in (pw.WSNMF, pw.WSSymNMF):
        own["strength"] = [10.0, 0.1]
    settings = {**SHARED, **own}
    if loss != "frobenius":
        settings = {name: values for name, values in settings.items() if name != "beta_loss"}
    assert silent(lambda n_components=3, **given: estimator(n_components, **{"beta_loss": loss, **given}), X, y, settings) == []


def test_every_parameter_of_every_estimator_is_tried_or_has_a_reason_not_to_be():
    for each in ESTIMATORS:
        untold = [name for name in each._get_param_names() if name not in {**SHARED, **OWN, **NOT_TRIED}]
        assert untold == [], each


ITEMS = {
    "unknown entries": lambda X, rng: pw.KnownEntries(X > 0),
    "weights of entries": lambda X, rng: pw.EntryWeights(rng.random(X.shape)),
    "sample weights": lambda X, rng: pw.SampleWeights(rng.random(len(X))),
    "feature weights": lambda X, rng: pw.FeatureWeights(rng.random(X.shape[1])),
    "links": lambda X, rng: pw.Links(must=[(0, 20)], cannot=[(1, 21)]),
    "a graph": lambda X, rng: pw.Graph(n_neighbors=3),
    "references": lambda X, rng: pw.References(rng.random((3, X.shape[1])), ["0", "1", "2"]),
}


@pytest.mark.parametrize("item", ITEMS)
def test_settings_act_beside_every_item_of_guidance(item):
    rng = np.random.default_rng(2)
    X, y = mixed_data(pw.GuidedNMF)
    X = np.where(rng.random(X.shape) < 0.7, X, 0)
    guidance = pw.Guidance(ITEMS[item](X, rng))
    settings = {**SHARED, "strength": [0.9, 0.2], "label_rule": OWN["label_rule"]}
    assert silent(lambda n_components=3, **given: pw.GuidedNMF(n_components, guidance=guidance, **given), X, y, settings) == []


def test_what_is_given_to_fit_acts_or_is_refused_or_is_said_to_have_no_effect(estimator):
    X, y = mixed_data(estimator)
    rng = np.random.default_rng(3)
    W, H = rng.random((40, 3)) + 0.1, rng.random((3, X.shape[1])) + 0.1
    given = {"W": W, "H": H}
    if hasattr(estimator, "n_neighbors") or "n_neighbors" in estimator._get_param_names():
        ring = sp.csr_array((np.ones(40), (np.arange(40), (np.arange(40) + 1) % 40)), shape=(40, 40))
        given["graph"] = ring + ring.T
    build = lambda: estimator(3, random_state=0, max_iter=10, tol=0)  # noqa: E731
    plain = outcome(build(), X, y)
    for name, value in given.items():
        try:
            assert not same(plain, outcome(build(), X, y, **{name: value})), name
        except (ValueError, TypeError):
            continue
    if not estimator._needs_labels and estimator is not pw.WSNMF:
        labelled, free = build().fit(X, y), build().fit(X)
        acts = not np.array_equal(labelled.codes_, free.codes_)
        said = "unused-y" in [code for code, _ in labelled.notices_]
        assert said or acts or list(labelled.component_names_) != list(free.component_names_) or hasattr(labelled, "classes_"), "y"


def test_parameters_of_a_graph_that_is_given_are_said_to_have_no_effect():
    X, y = mixed_data(pw.GNMF)
    ring = sp.csr_array((np.ones(40), (np.arange(40), (np.arange(40) + 1) % 40)), shape=(40, 40))
    for estimator in (pw.GNMF, pw.SemiGNMF):
        with pytest.warns(UserWarning, match="n_neighbors=3 has no effect: the graph is given"):
            estimator(3, n_neighbors=3, random_state=0, tol=0.5).fit(X, y, graph=ring + ring.T)


def test_settings_without_effect_are_named():
    X, y, _ = data_for(pw.NMF)
    for settings, target, said in [
        ({"layer": "counts"}, None, "layer='counts' has no effect: X is not an AnnData"),
        ({"unlabelled": 99}, None, "unlabelled=99 has no effect: there is no y"),
        ({"unlabelled": "x", "init": "labels"}, y, "unlabelled='x' has no effect: y does not contain it"),
        ({"l1_ratio": 0.5}, None, "l1_ratio=0.5 has no effect: alpha_W and alpha_H are 0"),
    ]:
        with pytest.warns(UserWarning, match=said):
            model = pw.NMF(3, random_state=0, tol=0.5, **settings).fit(X, target)
        assert "no-effect" in [code for code, _ in model.notices_]
    model = pw.NMF(3, random_state=0, tol=0.5).fit(X, np.linspace(0.1, 2, len(X)))
    assert "unused-y" in [code for code, _ in model.notices_]


def test_rows_of_zeros_have_no_class_and_no_share(estimator):
    X, y, _ = data_for(estimator)
    X[5] = 0
    if estimator._symmetric:
        X[:, 5] = 0
    model = estimator(3, random_state=0, max_iter=50, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
        again = model.predict(X[[5, 0]])
    assert model.labels_[5] == -1 and model.labels_[0] != -1
    assert model.memberships()[5].sum() == 0 and model.memberships()[0].sum() == pytest.approx(1)
    assert model.predict_names()[5] is None and isinstance(model.predict_names()[0], str)
    assert again[0] == -1 and model.predict_names(X[[5]])[0] is None


def test_the_recipe_says_that_rows_of_zeros_are_given_a_class():
    X, y, _ = data_for(pw.NMF)
    X[5] = 0
    found = pw.automatic(X, y)
    assert [message for code, message in found.notices if code == "classes-of-zero-rows" and "1 unlabelled sample" in message]


def test_warnings_point_at_the_line_of_the_user():
    X, y, _ = data_for(pw.CNMF)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        pw.CNMF(random_state=0, max_iter=1, shuffle=True).fit(X, y)
        pw.CNMF(random_state=0, max_iter=1).set_output(transform="default").fit_transform(X, y[:, None])
        pw.GuidedNMF(2, random_state=0, max_iter=1, layer="x").fit_predict(X, y)
    assert len(seen) >= 5
    assert {warning.filename for warning in seen} == {__file__}
