"""Reads the document of a model file, and checks every field."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

__all__ = ["Document"]

_MISSING = object()


class Document:
    """The JSON of a model file, or a part of it. An error is a ValueError that names the file, the field and
    what is valid."""

    def __init__(self, path: Any, fields: Any, place: str = "") -> None:
        self._path, self._place = path, place
        if not isinstance(fields, dict):
            raise ValueError(f"{path}: {place or 'the document'} is {_short(fields)}, but must be an object")
        self.fields: dict[str, Any] = fields

    def fail(self, name: str, valid: str) -> NoReturn:
        """Refuses a field."""
        value = self.fields.get(name, _MISSING)
        found = "is missing" if value is _MISSING else f"is {_short(value)}"
        raise ValueError(f"{self._path}: the field {self._at(name)} {found}, but must be {valid}")

    def _at(self, name: str) -> str:
        return f"{self._place}.{name}" if self._place else name

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.fields.get(name) is not None

    def part(self, name: str, *, optional: bool = False) -> Document:
        """A part of the document; an empty one where it may be absent."""
        value = self.fields.get(name)
        if value is None and optional:
            return Document(self._path, {}, self._at(name))
        if not isinstance(value, dict):
            self.fail(name, "an object")
        return Document(self._path, value, self._at(name))

    def text(self, name: str, default: str | None = None, *, valid: Any = None) -> str:
        """Text, one of ``valid`` where these are given."""
        value = self.fields.get(name, _MISSING if default is None else default)
        if not isinstance(value, str):
            self.fail(name, "text" if valid is None else f"one of {', '.join(valid)}")
        if valid is not None and value not in valid:
            self.fail(name, f"one of {', '.join(valid)}")
        return value

    def texts(self, name: str, length: int | None = None) -> list[str]:
        """A list of texts."""
        value = self.fields.get(name)
        right = isinstance(value, list) and all(isinstance(part, str) for part in value) and length in (None, len(value))
        if not isinstance(value, list) or not right:
            self.fail(name, f"a list of {'texts' if length is None else f'{length} texts'}")
        return value

    def whole(self, name: str, default: int | None = None, *, least: int = 0, most: int = 2**63 - 1) -> int:
        """A whole number from ``least`` to ``most``."""
        value = self.fields.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.fail(name, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str, default: float | None = None, *, null: float | None = None, least: float = -math.inf) -> float:
        """A number of at least ``least``; ``null`` is what null stands for."""
        value = self.fields.get(name, default)
        if value is None and null is not None and name in self.fields:
            return null
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not value >= least:
            self.fail(name, "a number" if least == -math.inf else f"a number of {least:g} or more")
        return float(value)

    def numbers(self, name: str, length: int, *, least: float = -math.inf) -> list[float]:
        """A list of finite numbers."""
        value = self.fields.get(name)
        valid = f"a list of {length} finite numbers" + ("" if least == -math.inf else f" of {least:g} or more")
        if not isinstance(value, list) or len(value) != length:
            self.fail(name, valid)
        for part in value:
            if not isinstance(part, (int, float)) or isinstance(part, bool) or not least <= part < math.inf:
                self.fail(name, valid)
        return [float(part) for part in value]

    def wholes(self, name: str, *, least: int = 0, most: int) -> Any:
        """An array of whole numbers from ``least`` to ``most``."""
        value = self.fields.get(name)
        right = isinstance(value, list) and all(isinstance(part, int) and not isinstance(part, bool) and least <= part <= most for part in value)
        if not isinstance(value, list) or not right:
            self.fail(name, f"a list of whole numbers from {least} to {most}")
        return np.array(value, dtype=int)

    def items(self, name: str) -> list[Document]:
        """A list of objects."""
        value = self.fields.get(name)
        if not isinstance(value, list):
            self.fail(name, "a list of objects")
        return [Document(self._path, part, f"{self._at(name)}[{at}]") for at, part in enumerate(value)]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
