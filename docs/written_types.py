"""An extension of griffe: pages show what our docstrings state.

Griffe takes types for Python expressions: it writes "same-codes" as ``same - codes``, and takes the first of
several choices, as in ``{array-like, sparse matrix} of shape (n, d)``, for the default. Of an attribute of a
class it shows the docstring of its value, as in "int([x]) -> integer".
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import re
import textwrap
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
    if thing.is_class:
        _describe_fields(thing)
    for member in thing.members.values():
        if not isinstance(member, Alias):
            _visit(member, seen)


def _describe_fields(thing: Any) -> None:
    """Gives fields the docstring that stands below them in the source; fields without one are parameters,
    which the class describes."""
    plain = [name for name, member in thing.members.items() if not isinstance(member, Alias) and member.is_attribute and not _is_property(member)]
    if not plain:
        return
    described = _fields(getattr(importlib.import_module(thing.module.path), thing.name))
    for name in plain:
        if name in described:
            member = thing.members[name]
            kind, text = described[name]
            member.docstring, member.annotation, member.value = Docstring(text, parent=member), kind, None
        else:
            thing.del_member(name)


def _is_property(member: Any) -> bool:
    return "property" in member.labels


def _fields(cls: type) -> dict[str, tuple[str, str]]:
    """The type and the docstring of each field of a class that has one."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0].body  # type: ignore[attr-defined]
    except (OSError, TypeError):
        return {}
    found = {}
    for field, text in itertools.pairwise(body):
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
            found[field.target.id] = (ast.unparse(field.annotation), inspect.cleandoc(text.value.value))
    return found


def _write(docstring: Docstring) -> None:
    written = dict(_lines(docstring.value))
    for section in docstring.parsed:
        if section.kind not in _TYPED:
            continue
        for item in section.value:
            if item.name not in written:
                continue
            kind, *default = _DEFAULT.split(written[item.name].replace("``", ""), maxsplit=1)
            item.annotation = kind
            if hasattr(item, "value") and (default or section.kind is not DocstringSectionKind.attributes):
                item.value = default[0] if default else None


def _lines(text: str) -> list[tuple[str, str]]:
    """The names of a docstring with what stands behind their colons."""
    found = re.findall(r"^(\*{0,2}\w+(?:, \w+)*) : (.+)$", text, flags=re.MULTILINE)
    return [(name, kind) for names, kind in found for name in names.split(", ")]
