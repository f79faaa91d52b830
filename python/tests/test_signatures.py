"""Promise: the parameters of estimators come from the registry, and all that looks at them works as for a
class that is written out."""

import inspect
import json
import pickle
import pydoc
import typing
from collections.abc import Callable
from pathlib import Path

import numpy as np
import partwise as pw
import pytest
from conftest import data_for
from estimator_stub import PATH, stub
from partwise import _estimators, _registry
from partwise._estimators import ESTIMATORS, _bases
from partwise._factory import made
from partwise._guidance.strength import Strength
from sklearn.base import BaseEstimator, clone

# The signatures of version 0.1.0, as annotations and defaults by name.
BEFORE = json.loads((Path(__file__).parent / "signatures.json").read_text())
NAMES = {"Any": typing.Any, "Callable": Callable, "Guidance": pw.Guidance, "Iteration": pw.Iteration, "Strength": Strength}


def test_the_signature_is_that_of_before(estimator):
    before = {**BEFORE["every estimator"], **BEFORE.get(estimator.__name__, {})}
    parameters = inspect.signature(estimator).parameters
    # What is new since then has a default too.
    assert all(each.default is not inspect.Parameter.empty for each in parameters.values())
    for name, (annotation, default) in before.items():
        assert repr(parameters[name].default) == default, name
        assert parameters[name].annotation == eval(annotation, NAMES), name
    first, *rest = parameters.values()
    assert (first.name, first.kind) == ("n_components", first.POSITIONAL_OR_KEYWORD)
    assert all(each.kind == each.KEYWORD_ONLY for each in rest)


def test_every_estimator_of_before_is_there():
    assert set(BEFORE) - {"every estimator"} <= {each.__name__ for each in ESTIMATORS} <= set(pw.__all__)
    assert all(getattr(pw, each.__name__) is each for each in ESTIMATORS)


def test_scikit_learn_and_python_see_the_parameters(estimator):
    model = estimator()
    names = list(inspect.signature(estimator).parameters)
    assert list(inspect.signature(estimator.__init__).parameters) == ["self", *names]
    assert set(model.get_params()) == set(names)
    assert vars(model) == {name: each.default for name, each in inspect.signature(estimator).parameters.items()}
    assert set(typing.get_type_hints(estimator.__init__)) == {*names, "return"}
    model.set_params(max_iter=7, tol=0.25)
    assert (clone(model).max_iter, clone(model).tol, repr(model)) == (7, 0.25, f"{estimator.__name__}(max_iter=7, tol=0.25)")
    assert vars(pickle.loads(pickle.dumps(model))) == vars(model)
    assert estimator.__init__.__qualname__ == f"{estimator.__name__}.__init__"
    text = pydoc.render_doc(estimator, renderer=pydoc.plaintext)
    assert all(f"{name}: " in text for name in names)
    assert {"n_components", "fit", "transform"} <= set(dir(estimator(2)))


def test_wrong_arguments_are_refused_as_python_does(estimator):
    with pytest.raises(TypeError, match=rf"{estimator.__name__}.__init__\(\) got an unexpected keyword argument 'max_iters'"):
        estimator(max_iters=3)
    with pytest.raises(TypeError, match="too many positional arguments"):
        estimator(3, "random")
    with pytest.raises(TypeError, match="multiple values for argument 'n_components'"):
        estimator(3, n_components=3)
    with pytest.raises(AttributeError, match="tol"):
        estimator.tol  # noqa: B018


class Few(pw.NsNMF):
    """A class of a user, with parameters of its own."""

    def __init__(self, n_components=2, weight=1.0):
        super().__init__(n_components, smoothing=0.2, max_iter=3, tol=0, random_state=0)
        self.weight = weight


def test_a_subclass_may_have_parameters_of_its_own():
    X = data_for(pw.NMF)[0]
    assert Few().get_params() == {"n_components": 2, "weight": 1.0}
    model = pickle.loads(pickle.dumps(clone(Few(3)).fit(X)))
    expected = pw.NsNMF(3, smoothing=0.2, max_iter=3, tol=0, random_state=0).fit(X)
    np.testing.assert_array_equal(model.codes_, expected.codes_)
    assert isinstance(model, pw.NsNMF) and isinstance(model, BaseEstimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spec", [spec for spec in _registry.METHODS.values() if "guidance" not in spec["takes"]], ids=lambda spec: spec["name"])
def test_a_method_without_a_class_of_its_own_has_an_estimator(spec):
    written = getattr(pw, spec["estimator"])
    alone = made(spec, _bases(spec["takes"]))
    older = {"strength_unit", "label_weight", "graph_weight"}
    renamed = set(written._python_names.values())
    assert set(alone._parameters) - set(written._python_names) == set(written._parameters) - older - renamed
    assert {f"{name} : " in alone.__doc__ for name in alone._parameters} == {True}
    X, y, _ = data_for(written)
    few = {"random_state": 0, "max_iter": 5, "tol": 0}
    if spec["images"]:
        few["image_shape"] = (3, 4)
    one, other = (each(3, **few).fit(X, y) for each in (alone, written))
    np.testing.assert_array_equal(one.codes_, other.codes_)
    np.testing.assert_array_equal(one.components_, other.components_)
    # Its example runs with the method's own class in its place.
    example = "\n".join(line[4:] for line in alone.__doc__.splitlines() if line.startswith(">>> ") and "partwise" not in line)
    names = {spec["estimator"]: alone}
    exec(example.replace(".shape", ".shape == (len(X), 2) or 1 / 0"), names)


def test_a_parameter_of_a_method_needs_no_line_of_python(monkeypatch):
    spec = {**_registry.method_of("NsNMF"), "takes": ["smoothing", "sharpness"]}
    line = {**_registry.METHOD_PARAMETERS["smoothing"], "name": "sharpness", "aliases": ["edge"], "help": "How sharp.", "default": 0.125}
    monkeypatch.setitem(_registry.METHOD_PARAMETERS, "sharpness", line)
    estimator = made(spec, _bases(spec["takes"]))
    assert inspect.signature(estimator).parameters["sharpness"].default == 0.125
    assert "sharpness : float, default=0.125\n    How sharp." in estimator.__doc__
    assert clone(estimator(sharpness=0.5)).get_params()["sharpness"] == 0.5
    with pytest.raises(TypeError, match="unknown option \"sharpness\""):
        # It goes to the engine, which does not know it.
        estimator(2).fit(np.ones((4, 3)))


def test_the_stub_of_the_estimators_is_up_to_date():
    assert PATH.read_text() == stub(), "run python python/tests/estimator_stub.py to rewrite it"


def test_the_stub_has_every_estimator_of_the_package():
    assert _estimators.__all__ == [each.__name__ for each in ESTIMATORS]
