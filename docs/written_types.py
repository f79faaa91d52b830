"""An extension of griffe: pages show the type and the default of a parameter as its docstring states them.

Griffe takes types for Python expressions: it writes "same-codes" as ``same - codes``, and takes the first of
several choices, as in ``{array-like, sparse matrix} of shape (n, d)``, for the default.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Alias, Docstring, DocstringSectionKind, Extension, Object

_DEFAULT = re.compile(r",\s+default\s*[=:]?\s*")
_TYPED = (DocstringSectionKind.parameters, DocstringSectionKind.attributes, DocstringSectionKind.other_parameters)


class WrittenTypes(Extension):
    """See the module."""

    def on_package(self, *, pkg: Any, **_: Any) -> None:
        seen: set[int] = set()
        _visit(pkg, seen)


def _visit(thing: Object, seen: set[int]) -> None:
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if thing.docstring is not None:
        _write(thing.docstring)
    for member in thing.members.values():
        if not isinstance(member, Alias):
            _visit(member, seen)


def _write(docstring: Docstring) -> None:
    written = dict(_lines(docstring.value))
    for section in docstring.parsed:
        if section.kind not in _TYPED:
            continue
        for item in section.value:
            if item.name not in written:
                continue
            kind, *default = _DEFAULT.split(written[item.name], maxsplit=1)
            item.annotation = kind
            if hasattr(item, "value") and (default or section.kind is not DocstringSectionKind.attributes):
                item.value = default[0] if default else None


def _lines(text: str) -> list[tuple[str, str]]:
    """The names of a docstring with what stands behind their colons."""
    found = re.findall(r"^(\*{0,2}\w+(?:, \w+)*) : (.+)$", text, flags=re.M)
    return [(name, kind) for names, kind in found for name in names.split(", ")]
