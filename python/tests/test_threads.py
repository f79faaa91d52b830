"""Promise: no value of n_jobs harms the machine; too many threads are limited with a warning in every
estimator and function."""

import warnings

import numpy as np
import pytest

import partwise as pw
from partwise._settings import SettingsMixin

TOO_MANY = (100_000, 4_294_967_296, 18_446_744_073_709_551_615, 10**30)
X = np.random.default_rng(0).random((12, 8)) + np.repeat(np.eye(2), 6, axis=0).repeat(4, axis=1)
Y = np.array([0, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1])


def estimators() -> list[type]:
    """Every public estimator that takes n_jobs."""
    public = [getattr(pw, name) for name in pw.__all__]
    return [kind for kind in public if isinstance(kind, type) and issubclass(kind, SettingsMixin) and hasattr(kind, "_method")]


def test_there_are_estimators_to_try() -> None:
    assert len(estimators()) >= 8


@pytest.mark.parametrize("kind", estimators())
@pytest.mark.parametrize("n_jobs", TOO_MANY)
def test_estimators_limit_threads_and_say_so(kind: type, n_jobs: int) -> None:
    model = kind(n_components=2, max_iter=2, n_jobs=n_jobs, random_state=0)
    few = kind(n_components=2, max_iter=2, n_jobs=1, random_state=0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            few.fit(np.abs(X @ X.T) if "Sym" in kind.__name__ else X, Y)
    except ValueError:
        pytest.skip(f"{kind.__name__} needs more than rows and labels")
    with pytest.warns(UserWarning, match=r"threads were asked for, but at most \d+ are started"):
        model.fit(np.abs(X @ X.T) if "Sym" in kind.__name__ else X, Y)
    assert any(code == "threads" for code, _ in model.notices_)
    np.testing.assert_array_equal(model.codes_, few.codes_)


@pytest.mark.parametrize("n_jobs", TOO_MANY)
def test_functions_and_transform_limit_threads_and_say_so(n_jobs: int) -> None:
    model = pw.NMF(2, n_jobs=1, max_iter=5, tol=0).fit(X)
    expected = model.transform(X)
    model.set_params(n_jobs=n_jobs)
    for work in (
        lambda: model.transform(X),
        lambda: pw.solve_codes(X, model.components_, n_jobs=n_jobs),
        lambda: pw.solve_components(X, model.codes_, n_jobs=n_jobs),
        lambda: pw.automatic(X, Y, n_jobs=n_jobs),
    ):
        with pytest.warns(UserWarning, match="threads were asked for"):
            work()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(model.transform(X), expected)


@pytest.mark.parametrize("n_jobs", [-1, -2, -1000, -(10**30), 1, 3, None])
def test_usual_numbers_say_nothing(n_jobs: int | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pw.NMF(2, n_jobs=n_jobs, max_iter=0).fit(X)
