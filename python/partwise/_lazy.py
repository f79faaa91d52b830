"""Names of a package that are imported when they are first asked for (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazily"]


def lazily(package: str, modules: Mapping[str, tuple[str, ...]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package, from the names that each of its modules has; a module
    without any is an attribute itself."""
    places = {name: module for module, names in modules.items() for name in names or (module,)}

    def get(name: str) -> Any:
        module = places.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(f"{package}.{module}")
        # The import of a module sets it as an attribute of its package.
        value = getattr(found, name) if modules[module] else found
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return get, names
