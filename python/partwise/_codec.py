"""Values of Python as JSON and matrices, and back with the type that they had: what a model file holds of an
estimator."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._targets import array_of, unmasked

__all__ = ["Decoder", "Encoder", "SavedModel"]

# Arrays of up to so many entries stay in the document; larger ones become matrices.
_SMALL = 64
_EXACT = 2**53
_DTYPES = {"float16", "float32", "float64", "bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
_CLASSES = {"float": float, "int": int, "bool": bool, **{name: getattr(np, name) for name in ("float16", "float32", "float64")}}


class SavedModel:
    """What references need of a fitted model of another package that was given as profiles."""

    def __init__(self, components: Any, component_names: Any, feature_names: Any) -> None:
        self.components_ = components
        self.component_names_ = component_names
        self.n_features_in_ = components.shape[1]
        if feature_names is not None:
            self.feature_names_in_ = feature_names


_PACKAGE = __name__.rpartition(".")[0]


def _own_class(value: Any) -> str | None:
    """"_module.Class" of an object of this package, but of an estimator."""
    cls = type(value)
    module = cls.__module__
    if not module.startswith(f"{_PACKAGE}.") or hasattr(value, "get_params") or not hasattr(value, "__dict__"):
        return None
    return f"{module.removeprefix(_PACKAGE + '.')}.{cls.__qualname__}"


def _class_named(name: str) -> Any:
    """The class of that name in a module of this package that is in use, or None."""
    module, _, cls = name.rpartition(".")
    found = getattr(sys.modules.get(f"{_PACKAGE}.{module}"), cls, None)
    right = isinstance(found, type) and found.__module__ == f"{_PACKAGE}.{module}" and not hasattr(found, "get_params")
    return found if right and "__dict__" in dir(found) else None


class Encoder:
    """Makes JSON of values; large arrays become ``matrices``, named pairs."""

    def __init__(self) -> None:
        self.matrices: list[tuple[str, Any]] = []

    def encode(self, value: Any, what: str) -> Any:
        """JSON for a value; ``what`` names it in errors."""
        if isinstance(value, np.generic):
            return {"type": "scalar", "of": self._array(np.asarray(value), what)}
        if value is None or isinstance(value, (bool, str)):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, int):
            return value if abs(value) < _EXACT else {"type": "int", "value": str(value)}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"type": "float", "value": str(value)}
        if isinstance(value, list):
            return [self.encode(part, what) for part in value]
        if isinstance(value, tuple):
            # Named tuples too: what a file holds is read by place.
            return {"type": "tuple", "items": [self.encode(part, what) for part in value]}
        if isinstance(value, Mapping):
            return {"type": "dict", "items": [[self.encode(key, what), self.encode(part, what)] for key, part in value.items()]}
        if isinstance(value, np.dtype):
            return {"type": "dtype", "name": self._dtype(value, what)}
        if isinstance(value, type) and value in _CLASSES.values():
            return {"type": "class", "name": next(name for name, known in _CLASSES.items() if known is value)}
        return self._collection(value, what)

    def _collection(self, value: Any, what: str) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            return self._array(unmasked(value), what)
        if isinstance(value, np.ndarray):
            return self._array(value, what)
        if sp.issparse(value):
            return self._sparse(value, what)
        library = type(value).__module__.partition(".")[0]
        if library in ("pandas", "polars") and hasattr(value, "columns"):
            return self._frame(value, library, what)
        if library == "pandas" and hasattr(value, "index") and hasattr(value, "to_numpy"):
            return {
                "type": "series",
                "values": self._array(value.to_numpy(), what),
                "index": self._array(value.index.to_numpy(), what),
                "name": self.encode(value.name, what),
            }
        name = _own_class(value)
        if name is not None:
            computed = {field for field in vars(value) if isinstance(getattr(type(value), field, None), cached_property)}
            fields = {field: self.encode(part, f"{what}, {field}") for field, part in vars(value).items() if field not in computed}
            return {"type": "object", "class": name, "fields": fields}
        if type(value).__module__.startswith(f"{_PACKAGE}.") and hasattr(value, "get_params"):
            return {"type": "estimator", "class": type(value).__name__, "values": self.encode(vars(value), what)}
        if hasattr(value, "components_") and hasattr(value, "component_names_"):
            names = getattr(value, "feature_names_in_", None)
            parts = (np.asarray(value.components_), np.asarray(value.component_names_, dtype=object), names)
            return {"type": "fitted model", "parts": [self.encode(part, what) for part in parts]}
        if any(hasattr(value, name) for name in ("__array__", "__array_interface__", "to_numpy")):
            return self._array(array_of(value), what)
        if isinstance(value, range):
            return self.encode(list(value), what)
        raise ValueError(
            f"{what} is {value!r}, which a model file cannot contain; valid are numbers, texts, None, arrays, sparse matrices, tables, and "
            "lists, tuples and dicts of them. pickle or joblib can save any object"
        )

    def _dtype(self, dtype: Any, what: str) -> str:
        if dtype.kind in "mM":
            return str(dtype)
        if dtype.kind in "UST":
            return f"U{max(dtype.itemsize // 4, 1)}" if dtype.kind == "U" else "U"
        if dtype.kind == "O":
            return "object"
        if dtype.name not in _DTYPES:
            raise ValueError(f"{what} has the type {dtype}, which a model file cannot contain; valid: {', '.join(sorted(_DTYPES))}, text")
        return str(dtype.name)

    def _array(self, array: Any, what: str) -> Any:
        line = {"type": "array", "dtype": self._dtype(array.dtype, what), "shape": list(array.shape)}
        kind = array.dtype.kind
        if kind in "OUST":
            flat = array.ravel().tolist()
            return {**line, "values": [self.encode(part.decode() if isinstance(part, bytes) else part, what) for part in flat]}
        numbers = array.view(np.int64) if kind in "mM" else array
        if kind == "f":
            fits, stored = True, np.float32 if array.dtype.itemsize <= 4 else np.float64
        else:
            fits, stored = bool(array.size == 0 or (kind not in "mM" and abs(int(numbers.min())) <= _EXACT and int(numbers.max()) <= _EXACT)), np.float64
        if array.size <= _SMALL or not fits:
            return {**line, "values": [self.encode(part, what) for part in numbers.ravel().tolist()]}
        name = f"python/{len(self.matrices)}"
        self.matrices.append((name, np.ascontiguousarray(numbers.reshape(1, -1), dtype=stored)))
        return {**line, "matrix": name}

    def _sparse(self, matrix: Any, what: str) -> Any:
        rows = matrix.tocsr()
        parts = {part: self._array(np.asarray(getattr(rows, part)), what) for part in ("data", "indices", "indptr")}
        return {"type": "sparse", "format": matrix.format, "is_array": type(matrix).__name__.endswith("_array"), "shape": list(rows.shape), **parts}

    def _frame(self, table: Any, library: str, what: str) -> Any:
        columns = [np.asarray(table[name].to_numpy()) for name in table.columns] if library == "polars" else [
            table.iloc[:, at].to_numpy() for at in range(table.shape[1])
        ]
        return {
            "type": "frame",
            "library": library,
            "columns": [self.encode(name, what) for name in table.columns],
            "index": self._array(table.index.to_numpy(), what) if library == "pandas" else None,
            "values": [self._array(column, what) for column in columns],
        }


class Decoder:
    """Makes values of JSON and ``matrices`` by name. Every fault is a ValueError that begins with the
    place."""

    def __init__(self, matrices: Mapping[str, Any]) -> None:
        self.matrices = matrices

    def decode(self, given: Any, what: str) -> Any:
        """The value of JSON; ``what`` names it in errors."""
        if given is None or isinstance(given, (bool, str, int, float)):
            return given
        if isinstance(given, list):
            return [self.decode(part, what) for part in given]
        kind = given.get("type") if isinstance(given, dict) else None
        reads = {
            "scalar": self._scalar,
            "int": self._int,
            "float": self._float,
            "tuple": self._tuple,
            "dict": self._dict,
            "dtype": self._dtype,
            "class": self._class,
            "array": self._array,
            "sparse": self._sparse,
            "frame": self._frame,
            "series": self._series,
            "object": self._object,
            "fitted model": self._model,
            "estimator": self._estimator,
        }
        if not isinstance(kind, str) or kind not in reads:
            raise ValueError(f"{what}: {kind!r} is not a type of a stored value; valid: {', '.join(reads)}")
        try:
            return reads[kind](given, what)
        except ValueError as error:
            raise error if str(error).startswith(what) else ValueError(f"{what}: {error}") from None
        except (KeyError, TypeError, AttributeError, IndexError, OverflowError, NotImplementedError) as error:
            raise ValueError(f"{what}: the stored {kind} is damaged ({type(error).__name__}: {error})") from None

    def _scalar(self, given: dict[str, Any], what: str) -> Any:
        array = self._array(_dict(given["of"], what), what)
        if array.shape != ():
            raise ValueError(f"{what}: a scalar of the shape {array.shape}")
        return array[()]

    def _int(self, given: dict[str, Any], what: str) -> int:
        return int(_text(given["value"], what))

    def _float(self, given: dict[str, Any], what: str) -> float:
        return float(_text(given["value"], what))

    def _tuple(self, given: dict[str, Any], what: str) -> tuple[Any, ...]:
        return tuple(self.decode(part, what) for part in _list(given["items"], what))

    def _dict(self, given: dict[str, Any], what: str) -> dict[Any, Any]:
        return {self.decode(key, what): self.decode(part, what) for key, part in _list(given["items"], what)}

    def _dtype(self, given: dict[str, Any], what: str) -> Any:
        name = _text(given["name"], what)
        if name not in _DTYPES:
            raise ValueError(f"{what}: unknown type {name!r}; valid: {', '.join(sorted(_DTYPES))}")
        return np.dtype(name)

    def _class(self, given: dict[str, Any], what: str) -> Any:
        name = _text(given["name"], what)
        if name not in _CLASSES:
            raise ValueError(f"{what}: unknown type {name!r}; valid: {', '.join(_CLASSES)}")
        return _CLASSES[name]

    def _array(self, given: dict[str, Any], what: str) -> Any:
        name, shape = _text(given["dtype"], what), _shape(given["shape"], what)
        if "matrix" in given:
            matrix = self.matrices.get(_text(given["matrix"], what))
            if matrix is None:
                raise ValueError(f"{what}: the file has no matrix {given['matrix']!r}")
            values: Any = np.asarray(matrix).ravel()
        else:
            values = [self.decode(part, what) for part in _list(given["values"], what)]
        if math.prod(shape) != len(values):
            raise ValueError(f"{what}: the shape {shape} does not match {len(values)} values")
        if name == "object":
            out = np.empty(len(values), dtype=object)
            for at, value in enumerate(values):
                out[at] = value
            return out.reshape(shape)
        if name.startswith("U"):
            texts = [_text(value, what) for value in values]
            widest, wanted = max(map(len, texts), default=1), name[1:]
            width = int(wanted) if wanted.isdigit() and int(wanted) <= widest + 1000 else widest
            return np.array(texts, dtype=f"U{max(width, widest, 1)}").reshape(shape)
        if name.startswith(("datetime64", "timedelta64")):
            return np.array(values, dtype=np.int64).view(np.dtype(name)).reshape(shape)
        dtype = self._dtype({"name": name}, what)
        return _numbers(values, dtype, what).reshape(shape)

    def _sparse(self, given: dict[str, Any], what: str) -> Any:
        shape = _shape(given["shape"], what)
        if len(shape) != 2:
            raise ValueError(f"{what}: a sparse matrix of the shape {shape}")
        data, indices, indptr = (self._array(_dict(given[part], what), what) for part in ("data", "indices", "indptr"))
        if len(indptr) != shape[0] + 1 or indptr.dtype.kind != "i" or indices.dtype.kind != "i" or data.ndim != 1:
            raise ValueError(f"{what}: {len(indptr)} row offsets for {shape[0]} rows of a sparse matrix")
        if indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
            raise ValueError(f"{what}: the row offsets of a sparse matrix are not ascending from 0 to its {len(indices)} entries")
        if len(data) != len(indices) or (len(indices) and (indices.min() < 0 or indices.max() >= shape[1])):
            raise ValueError(f"{what}: the columns of a sparse matrix are not from 0 to {shape[1] - 1}, one per entry")
        rows = sp.csr_array((data, indices, indptr), shape=shape)
        if not given["is_array"]:
            rows = sp.csr_matrix(rows)
        wanted = _text(given["format"], what)
        if wanted not in ("csr", "csc", "coo", "lil", "dok"):
            wanted = "csr"
        return rows if wanted == "csr" else rows.asformat(wanted)

    def _frame(self, given: dict[str, Any], what: str) -> Any:
        columns = [self.decode(name, what) for name in _list(given["columns"], what)]
        values = [self._array(_dict(column, what), what) for column in _list(given["values"], what)]
        if len(columns) != len(values) or len({len(column) for column in values}) > 1:
            raise ValueError(f"{what}: {len(values)} columns with {len(columns)} names, or of several lengths")
        library = self._library(given["library"], what)
        if given["library"] == "polars":
            return library.DataFrame(dict(zip(columns, values, strict=True)))
        frame = library.DataFrame(dict(enumerate(values)), index=self._array(_dict(given["index"], what), what))
        frame.columns = columns
        return frame

    def _series(self, given: dict[str, Any], what: str) -> Any:
        values, index = (self._array(_dict(given[part], what), what) for part in ("values", "index"))
        return self._library("pandas", what).Series(values, index=index, name=self.decode(given["name"], what))

    def _library(self, name: Any, what: str) -> Any:
        if name not in ("pandas", "polars"):
            raise ValueError(f"{what}: unknown table library {name!r}; valid: 'pandas', 'polars'")
        try:
            return sys.modules.get(name) or importlib.import_module(name)
        except ImportError:
            raise ValueError(f"{what}: the file contains a table of {name}, which is not installed: pip install {name}") from None

    def _object(self, given: dict[str, Any], what: str) -> Any:
        name = _text(given["class"], what)
        cls = _class_named(name)
        if cls is None:
            raise ValueError(f"{what}: unknown kind of object {name!r}; valid are items of guidance, reports and the like")
        fields = {key: self.decode(part, f"{what}, {key}") for key, part in _dict(given["fields"], what).items()}
        if hasattr(cls, "_of_older"):
            fields = cls._of_older(fields)
        expected = _fields_of(cls)
        lacking = [field for field in expected if field not in fields]
        if lacking:
            raise ValueError(f"{what}: the stored {name} has no {', '.join(lacking)}")
        out = cls.__new__(cls)
        out.__dict__.update(fields)
        return out

    def _estimator(self, given: dict[str, Any], what: str) -> Any:
        """A fitted model that references came from."""
        from ._estimators import ESTIMATORS

        by_name = {estimator.__name__: estimator for estimator in ESTIMATORS}
        name, values = _text(given["class"], what), self.decode(given["values"], what)
        if name not in by_name:
            raise ValueError(f"{what}: unknown estimator {name!r}; valid: {', '.join(by_name)}")
        components = values.get("components_")
        if not isinstance(components, np.ndarray) or components.ndim != 2 or len(values.get("component_names_", [])) != len(components):
            raise ValueError(f"{what}: the stored model needs components (k, d) and k names")
        model = by_name[name]()
        model.__dict__.update(values)
        return model

    def _model(self, given: dict[str, Any], what: str) -> SavedModel:
        components, names, features = (self.decode(part, what) for part in _list(given["parts"], what))
        if not isinstance(components, np.ndarray) or components.ndim != 2 or len(names) != len(components):
            raise ValueError(f"{what}: the stored model needs components (k, d) and k names")
        return SavedModel(components, names, features)


def _fields_of(cls: type) -> list[str]:
    """The attributes that an object of the class always has."""
    if hasattr(cls, "__dataclass_fields__"):
        return [name for name, field in cls.__dataclass_fields__.items() if "ClassVar" not in str(field.type)]
    made = {"Guidance": ["items", "topics", "notes", "strength", "feature_names"], "GuidanceReport": ["findings", "agreement", "parts", "notices", "topics"]}
    return made.get(cls.__name__, [])


def _numbers(values: Any, dtype: Any, what: str) -> Any:
    wrong = [] if isinstance(values, np.ndarray) else [v for v in values if isinstance(v, str) or not isinstance(v, (bool, int, float))]
    if wrong:
        raise ValueError(f"{what}: {wrong[0]!r} is not a number")
    if isinstance(values, np.ndarray) and dtype.kind in "biu" and not (np.isfinite(values).all() and (values == np.floor(values)).all()):
        raise ValueError(f"{what}: entries of the type {dtype} must be whole numbers")
    if dtype.kind in "iu" and len(values):
        limits = np.iinfo(dtype)
        low, high = (values.min(), values.max()) if isinstance(values, np.ndarray) else (min(values), max(values))
        if not limits.min <= low <= high <= limits.max:
            raise ValueError(f"{what}: entries of the type {dtype} must be from {limits.min} to {limits.max}")
    return np.array(values, dtype=dtype)


def _shape(given: Any, what: str) -> tuple[int, ...]:
    if not isinstance(given, list) or not all(isinstance(side, int) and not isinstance(side, bool) and side >= 0 for side in given) or len(given) > 32:
        raise ValueError(f"{what}: {given!r} is not a shape (a list of whole numbers of 0 or more)")
    return tuple(given)


def _text(given: Any, what: str) -> str:
    if not isinstance(given, str):
        raise ValueError(f"{what}: {given!r} must be text")
    return given


def _list(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise ValueError(f"{what}: {given!r} must be a list")
    return given


def _dict(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ValueError(f"{what}: {given!r} must be an object")
    return given
