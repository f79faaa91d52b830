"""scikit-learn's own checks, for every estimator; none is expected to fail."""

import pytest
from conftest import sample_of
from partwise._estimators import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([sample_of(estimator) for estimator in ESTIMATORS])
def test_scikit_learn_check(estimator, check):
    check(estimator)
