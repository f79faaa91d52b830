"""The stub of the estimators for type checkers and editors; their parameters come from the registry.

    python python/tests/estimator_stub.py

rewrites it.
"""

from __future__ import annotations

from pathlib import Path

from partwise._estimators import ESTIMATORS

PATH = Path(__file__).parents[1] / "partwise" / "_estimators" / "__init__.pyi"

HEAD = '''"""The estimators, for type checkers and editors. Written by python/tests/estimator_stub.py."""

import os
from collections.abc import Callable
from typing import Any

from .. import _guided
from .._base import Factorization
from .._guidance import Guidance
from .._guidance.strength import Strength
from .._progress import Iteration
from . import class_components, graphs, images, plain, references, symmetric, tied, views
'''


def stub() -> str:
    """The stub: a class for each estimator, with its parameters as attributes and in ``__init__``."""
    names = ", ".join(f'"{each.__name__}"' for each in ESTIMATORS)
    parts = [HEAD, f"__all__ = [{names}]\n\nESTIMATORS: tuple[type[Factorization], ...]\n"]
    return "\n".join([*parts, *map(_class, ESTIMATORS)])


def _class(estimator: type) -> str:
    # A class of its own is the base here: its methods need not be repeated.
    written = estimator.__module__.startswith("partwise._")
    bases = [estimator] if written else list(estimator.__bases__)
    listed = ", ".join(f"{base.__module__.rpartition('.')[2]}.{base.__name__}".removeprefix("_base.") for base in bases)
    parameters = list(estimator._parameters.values())
    own = [parameter for parameter in parameters if not any(parameter.name in vars(base) for base in estimator.__mro__)]
    first, *rest = (f"{each.name}: {each.annotation} = {shown(each.default)}" for each in parameters)
    lines = [f"class {estimator.__name__}({listed}):"]
    lines += [f"    {each.name}: {each.annotation}" for each in own]
    lines += ["    def __init__(", "        self,", f"        {first},", "        *,", *(f"        {each}," for each in rest), "    ) -> None: ..."]
    return "\n".join(lines) + "\n"


def shown(default: object) -> str:
    """A default as Python source."""
    return f'"{default}"' if isinstance(default, str) else repr(default)


if __name__ == "__main__":
    PATH.write_text(stub())
    print(f"written: {PATH}")
