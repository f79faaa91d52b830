"""Tables as people write them, and model files that lie: what the readers promise holds from Python too."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise
from partwise.datasets import load_file

X = np.array([[5, 1, 0.5], [4, 1, 0], [0.25, 1, 3], [0, 2, 6]])


def rows(*names: str) -> str:
    return "".join(",".join([*([name] if name else []), *map(str, row)]) + "\n" for name, row in zip(names or [""] * 4, X))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,a,b,c\n" + rows("101", "7", "33", "4"), "row names"),
        (",a,b,c\n" + rows("101", "7", "33", "4"), None),
        ("1990,1991,1992\n" + rows(), "header"),
        ("0,1,2\n" + rows(), "header"),
        ("a,b,c\r\n" + rows().replace("\n", "\r\n"), None),
        ("a;b;c\n" + rows().replace(",", ";").replace(".", ","), "decimal commas"),
    ],
)
def test_a_table_holds_its_numbers_and_notes_say_how_it_was_read(tmp_path: Path, text: str, told: str | None) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    found = load_file(path)
    np.testing.assert_array_equal(found.data, X)
    assert (told is None) == (not found.notes) and all(told in note for note in found.notes[:1])


def test_header_and_row_names_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1990,1991\n1,2\n3,4\n")
    assert load_file(path, header=False).data.shape == (3, 2)
    assert load_file(path, header=True, row_names=True).data.shape == (2, 1)
    assert load_file(path, header=True, row_names=True).row_names == ["1", "3"]


def test_a_missing_label_of_a_column_is_none(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,kind\n1,u\n2,NA\n3,-1\n4,\n5,None\n")
    assert list(load_file(path, label_column="kind").target) == ["u", None, None, None, None]


def damaged(path: Path, change: Any) -> None:
    """Writes a model file again after a change of its document and its data."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8 : 8 + length]), bytearray(raw[8 + length :])
    document = json.loads(header["__metadata__"]["partwise"])
    change(document, data)
    header["__metadata__"]["partwise"] = json.dumps(document)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(data))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("settings", None),
        ("settings.method", 3),
        ("settings.rank", 99),
        ("settings.loss", "taxicab"),
        ("component_names", ["a"]),
        ("feature_names", [1, 2, 3]),
        ("data.samples", 10**15),
        ("data.samples", "4"),
        ("encoding", None),
        ("encoding.ridge", "x"),
        ("result", []),
        ("result.iterations", -1),
        ("history", [[1]]),
        ("history_columns", None),
        ("guidance.labels", {"class_names": ["a"], "samples": [99], "classes": [0]}),
        ("guidance.labels", {"class_names": ["a"], "samples": [0], "classes": [7]}),
        ("python", 3),
    ],
)
def test_a_field_that_lies_is_named_when_a_model_is_loaded(tmp_path: Path, field: str, value: Any) -> None:
    path = tmp_path / "m.safetensors"
    partwise.NMF(2, random_state=0, max_iter=5, tol=0.5).fit(X).save(path)
    partwise.load(path)

    def change(document: dict[str, Any], _: bytearray) -> None:
        *keys, last = field.split(".")
        for key in keys:
            document = document[key]
        document[last] = value

    damaged(path, change)
    with pytest.raises(ValueError, match=field.split(".")[0]) as error:
        partwise.load(path)
    assert "m.safetensors" in str(error.value) and "must be" in str(error.value) or "taxicab" in str(error.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_a_model_with_impossible_factors_is_not_loaded(tmp_path: Path, value: float) -> None:
    path = tmp_path / "m.safetensors"
    partwise.NMF(2, random_state=0, max_iter=5, tol=0.5).fit(X).save(path)

    def change(_: dict[str, Any], data: bytearray) -> None:
        data[:8] = struct.pack("<d", value)

    damaged(path, change)
    with pytest.raises(ValueError, match="finite and 0 or more"):
        partwise.load(path)
