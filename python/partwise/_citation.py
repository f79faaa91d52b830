"""What to cite."""

from __future__ import annotations

from typing import Any

from . import _native
from ._registry import METHODS, quoted

__all__ = ["cite"]


def cite(method: Any = None) -> str:
    """BibTeX entries for work that uses Partwise.

    Parameters
    ----------
    method : str, estimator or None, default=None
        The method whose publications are cited too: its name, as ``partwise methods`` lists it, an estimator
        or its class. None cites Partwise alone.

    Returns
    -------
    entries : str
        The entry of Partwise, then those of the publications of the method.

    Examples
    --------
    >>> import partwise
    >>> print(partwise.cite("cnmf"))  # doctest: +ELLIPSIS
    @misc{partwise,
      title   = {Partwise: ...
    @inproceedings{liu2010nonnegative,
    ...
    >>> partwise.cite(partwise.CNMF()) == partwise.cite("cnmf")
    True
    """
    name = getattr(method, "_method", method)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"method must be the name of a method ({quoted(list(METHODS))}), an estimator or None, not {method!r}")
    return _native.cite(name)
