"""The package itself: doctests, documentation, the stub of the native module, its registries."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import partwise
import pytest
from partwise import _estimators, _guidance, _native
from partwise._estimators import ESTIMATORS
from partwise._factory import WRITTEN

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


def loaded_by(statement: str) -> set[str]:
    """The modules of the package that a new program loads by a statement."""
    script = f"import sys; {statement}; print(*(name for name in sys.modules if name.startswith('partwise')))"
    return set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split())


def test_a_program_loads_only_what_it_asks_for():
    assert not loaded_by("import partwise") & {"partwise._base", "partwise._estimators.plain", "partwise._guidance.items", "partwise.datasets"}
    one = loaded_by("from partwise import NMF")
    assert "partwise._estimators.plain" in one
    assert not one & {"partwise._guided", "partwise._files", "partwise._report", "partwise._estimators.tied"}


@pytest.mark.parametrize("package", [partwise, _estimators, _guidance], ids=lambda package: package.__name__)
def test_every_name_is_there_when_it_is_asked_for(package):
    assert set(package.__all__) <= set(dir(package))
    assert all(getattr(package, name) is getattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'Nothing'"):
        package.Nothing  # noqa: B018
    loaded_by(f"from {package.__name__} import *; {'; '.join(package.__all__)}")


def test_names_for_type_checkers_are_those_of_a_running_program():
    """Those in ``if TYPE_CHECKING`` of the packages, which no program runs."""
    for package in (partwise, _guidance):
        source = ast.parse(Path(package.__file__).read_text())
        block = next(node for node in source.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        for node in (node for node in block.body if isinstance(node, ast.ImportFrom)):
            module = importlib.import_module("." * node.level + (node.module or ""), package.__name__)
            for name in (alias.name for alias in node.names if alias.name != "*"):
                assert getattr(package, name) is getattr(module, name)
        written = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names} - {"*"}
        rest = {*_estimators.__all__, *_guidance.__all__} if package is partwise else set()
        assert written | rest | {"__version__"} == set(package.__all__) | {"__version__"}


def test_every_class_of_an_estimator_is_found():
    assert set(ESTIMATORS) >= set(WRITTEN.values())
    for module in _estimators._MODULES:
        importlib.import_module(f"partwise.{module}")
    assert set(WRITTEN) == set(_estimators._WRITTEN_IN)
    found = {path.stem for path in Path(_estimators.__file__).parent.glob("*.py") if "@estimator" in path.read_text()}
    assert found == {name.rpartition(".")[2] for name in _estimators._MODULES} - {"_guided"}


def test_optional_packages_are_not_imported():
    script = "import sys; from partwise import *; print([m for m in ('pandas', 'matplotlib', 'polars', 'tqdm', 'anndata', 'dask', 'distributed', 'h5py', 'zarr') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    # scikit-learn may bring pandas in by itself; the package doesn't.
    assert done.stdout.strip() in ("[]", "['pandas']")
