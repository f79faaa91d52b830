"""Names of features that the steps before an estimator in a Pipeline make.

scikit-learn hands a step the data only, without names where these are sparse. Pipelines, copies of them in
a grid search, and seeds by word need the names, so the Pipeline that is calling is asked for them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import NotFittedError

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

__all__ = ["makes_names", "names_made_by", "names_of_steps_before"]


def makes_names(given: Any) -> bool:
    """Whether this is a transformer that says what its columns are called, such as a vectorizer."""
    return hasattr(given, "get_feature_names_out") and not isinstance(given, type)


def names_made_by(transformer: Any, inputs: Any = None) -> list[str] | None:
    """The names of the columns that a fitted transformer makes; None where it knows none of its own.

    Raises
    ------
    NotFittedError
        Before its fit.
    """
    try:
        found = transformer.get_feature_names_out() if inputs is None else transformer.get_feature_names_out(inputs)
    except (AttributeError, ValueError) as error:
        if isinstance(error, NotFittedError):
            raise
        # A step without names, or one that needs those of its input.
        return None
    names = [str(name) for name in found]
    return None if names == [f"x{at}" for at in range(len(names))] else names


def names_of_steps_before(model: Any) -> list[str] | None:
    """The names of the columns of X, if a Pipeline is just fitting ``model`` as one of its steps."""
    # Its import takes long. Where nobody has imported it, there is no Pipeline.
    module = sys.modules.get("sklearn.pipeline")
    if module is None:
        return None
    places: list[tuple[Pipeline, int]] = []
    step, frame = model, sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        caller = frame.f_locals.get("self")
        if not isinstance(caller, module.Pipeline) or caller is step:
            continue
        at = next((at for at, (_, part) in enumerate(caller.steps) if part is step), None)
        if at is not None:
            places.append((caller, at))
            step = caller
    names = None
    for pipeline, at in reversed(places):
        if at:
            try:
                names = names_made_by(pipeline[:at], names)
            except NotFittedError:
                return None
    return names
