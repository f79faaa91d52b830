"""The package itself: doctests, documentation, the stub of the native module, its registries."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import partwise
import pytest
from partwise import _native
from partwise._estimators import ESTIMATORS

MODULES = ["partwise", *(m.name for m in pkgutil.walk_packages(partwise.__path__, "partwise.") if m.name != "partwise._native")]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    tests = doctest.DocTestFinder(exclude_empty=True).find(module)
    # NumPy 1 shows scalars without their type: examples show neither.
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failed = [test.name for test in tests if runner.run(test).failed]
    assert not failed


def test_every_method_of_the_registry_has_one_estimator_with_an_example():
    assert [e._method for e in ESTIMATORS] == [spec["name"] for spec in _native.registries()["methods"]] or {e._method for e in ESTIMATORS} == {
        spec["name"] for spec in _native.registries()["methods"]
    }
    for estimator in ESTIMATORS:
        assert ">>>" in estimator.__doc__ and "References\n" in estimator.__doc__, estimator
        assert "{" not in estimator.__doc__.replace('{"', "").split("Attributes")[0].split("Examples")[0].replace("{own}", "!"), estimator


def test_every_parameter_is_documented(estimator):
    for name in inspect.signature(estimator).parameters:
        assert f"{name} :" in estimator.__doc__ or f"{name}, " in estimator.__doc__ or f", {name} :" in estimator.__doc__, name


def test_public_names_have_docstrings():
    for module in (partwise, partwise.metrics, partwise.datasets):
        for name in module.__all__:
            thing = getattr(module, name)
            assert isinstance(thing, str) or inspect.getdoc(thing), name


def test_imported_helpers_are_no_public_names():
    for module in (partwise.datasets, partwise.metrics, partwise.tl):
        assert dir(module) == sorted(module.__all__)
    public = {name for name, value in vars(partwise).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public <= set(partwise.__all__)


def test_the_stub_says_what_the_native_module_has():
    stub = ast.parse((Path(partwise.__file__).parent / "_native.pyi").read_text())
    functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    values = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_D") and not node.target.id.startswith("_R") and node.target.id != "_Path"}
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    real = {name for name in dir(_native) if not name.startswith("__") or name == "__version__"}
    assert set(functions) | set(classes) | values == real
    for name, node in classes.items():
        members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)} - {"__init__"}
        assert members == {member for member in dir(getattr(_native, name)) if not member.startswith("__")}, name
    for name, node in functions.items():
        arguments = [a.arg for a in node.args.args + node.args.kwonlyargs]
        assert arguments == list(inspect.signature(getattr(_native, name)).parameters), name


def test_the_package_is_typed_and_needs_three_packages_only():
    assert (Path(partwise.__file__).parent / "py.typed").exists()
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = [line for line in requires("partwise") or [] if "extra ==" not in line]
    except PackageNotFoundError:
        pytest.fail("the package isn't installed: pip install .")
    assert sorted(line.split(">")[0].strip() for line in needed) == ["numpy", "scikit-learn", "scipy"]


def test_optional_packages_are_not_imported():
    import subprocess
    import sys

    script = "import sys, partwise; print([m for m in ('pandas', 'matplotlib', 'polars', 'tqdm', 'anndata', 'dask', 'distributed', 'h5py', 'zarr') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    # scikit-learn may bring pandas in by itself; the package doesn't.
    assert done.stdout.strip() in ("[]", "['pandas']")
