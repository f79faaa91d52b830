"""scikit-learn's own checks, for every estimator; none is expected to fail.

Two of them hold that ``fit_transform`` is ``fit`` and ``transform`` within 1e-2. Here it is ``codes_``, the
codes of the fit with all that it knew, while ``transform`` solves without guidance
(``test_fit_transform.py``): these two run with a ``fit_transform`` that transforms, so that all else that
they look at is checked. Two compare a fit with weights and one with repeated samples, to 1e-7: these run with
a tolerance below that, and with codes in the unit of the components, whose scale is free.
"""

import numpy as np
import pytest
from conftest import sample_of
from partwise._estimators import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([sample_of(estimator) for estimator in ESTIMATORS])
def test_scikit_learn_check(estimator, check):
    if check.func.__name__ in ("check_transformer_general", "check_transformer_data_not_an_array"):
        estimator = transforming(type(estimator))(**estimator.get_params())
    if "weight_equivalence" in check.func.__name__:
        estimator = scaled(type(estimator))(tol=1e-12, max_iter=100_000)
    check(estimator)


def transforming(cls):
    """The estimator with the ``fit_transform`` that scikit-learn's checks expect."""

    def fit_transform(self, X, y=None, **fit_params):
        return self.fit(X, y, **fit_params).transform(X)

    return type(cls.__name__, (cls,), {"fit_transform": fit_transform})


def scaled(cls):
    """The estimator with codes for components of length 1."""

    def transform(self, X):
        return cls.transform(self, X) * np.linalg.norm(self.components_, axis=1)

    return type(cls.__name__, (cls,), {"transform": transform})
