"""scikit-learn's own checks, for every estimator; none is expected to fail.

Two of them hold that ``fit_transform`` is ``fit`` and ``transform`` within 1e-2. Here it is ``codes_``, the
codes of the fit with all that it knew, while ``transform`` solves without guidance
(``test_fit_transform.py``): these two run with a ``fit_transform`` that transforms, so that all else that
they look at is checked.
"""

import pytest
from conftest import sample_of
from partwise._estimators import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([sample_of(estimator) for estimator in ESTIMATORS])
def test_scikit_learn_check(estimator, check):
    if check.func.__name__ in ("check_transformer_general", "check_transformer_data_not_an_array"):
        estimator = transforming(type(estimator))(**estimator.get_params())
    check(estimator)


def transforming(cls):
    """The estimator with the ``fit_transform`` that scikit-learn's checks expect."""

    def fit_transform(self, X, y=None, **fit_params):
        return self.fit(X, y, **fit_params).transform(X)

    return type(cls.__name__, (cls,), {"fit_transform": fit_transform})
