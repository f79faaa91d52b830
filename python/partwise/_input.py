"""From what users have to what the engine takes: one place for types, layouts and messages about data."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from . import _native
from ._anndata import matrix_of, with_names_of_layer
from ._blocks import Blocked, RowBlocks, SharedBlocks, refuse_blocks, refuse_path, row_blocks_of
from ._images import as_rows
from ._names import DataNames, Names, by_name, column_labels, component_order, is_anndata, names_of, nearest, row_labels
from ._precision import in_single_precision, precision
from ._registry import estimators_that_take
from ._warn import warn

__all__ = ["NoSuchColumn", "as_factor", "canonical_csr", "check_not_negative", "check_similarities", "codes_by_name", "empty_rows", "feature_lists", "is_anndata", "matrix_by_name", "numeric", "obs_column", "raise_about", "run_engine", "start_by_name", "to_native", "vector_by_name"]


class NoSuchColumn(KeyError, ValueError):
    """A column of labels that isn't there."""

    def __str__(self) -> str:
        return str(self.args[0])


def obs_column(X: Any, name: str) -> Any:
    """A column of what AnnData knows of its samples."""
    if name in X.obs:
        return X.obs[name]
    columns = [str(column) for column in getattr(X.obs, "columns", X.obs)]
    valid = ", ".join(map(repr, columns)) or "none"
    raise NoSuchColumn(f"obs of the data has no column {name!r}{nearest(name, columns)}; there are: {valid}")


def numeric(estimator: Any, X: Any, *, reset: bool, dtype: Any = None, blocks: bool = False, needed_by: str = "") -> Any:
    """X (n, d) as a C-ordered float array or CSR with checked shape and feature names; not copied where it is
    that already. A stack of images (n, height, width) becomes rows of pixels.

    With ``reset`` the estimator keeps the names of samples and features. Entries are not looked at: the
    engine checks them and says which is at fault. With ``blocks`` lazy X is ``Blocked``; without it
    is refused, as ``needed_by`` needs it in memory.
    """
    kinds = [np.float64, np.float32] if dtype is None else [precision(dtype)]
    if reset:
        for name in ("_names_are_of_a_file", "_text_ngrams"):
            vars(estimator).pop(name, None)
    elif getattr(estimator, "_text_ngrams", None) is not None:
        _refuse_texts(X, estimator._text_ngrams)
    if _is_plain(X, kinds) and (reset or _is_of_the_fit(estimator, X)):
        if reset:
            _keep_without_names(estimator, X)
        return X
    refuse_path(X)
    X = as_rows(estimator, X, reset=reset)
    single = kinds == [np.float32]
    if single:
        # Numbers of 64 bits are looked at before they are rounded.
        kinds = [np.float32, np.float64]
    how = {"accept_sparse": "csr", "dtype": kinds, "order": "C", "ensure_all_finite": False}
    matrix = X
    if is_anndata(X):
        layer = getattr(estimator, "layer", None)
        X = with_names_of_layer(X, layer)
        matrix = matrix_of(X, layer)
    shape: Any = getattr(matrix, "shape", ())
    features = names_of(X, shape).features if len(shape) == 2 else None
    lazy = row_blocks_of(matrix) if features is not None else None
    if lazy is not None and features is not None:
        return _blocked(estimator, lazy, features, names_of(X, shape), reset=reset, dtype=dtype, blocks=blocks, needed_by=needed_by)
    # Here scikit-learn sees no names, or none that it takes.
    unseen = features is not None and (is_anndata(X) or _are_no_text(features) or _were_in_a_file(estimator, features, reset))
    try:
        if unseen and features is not None:
            if not reset:
                _check_names(estimator, features)
            matrix = check_array(matrix, estimator=estimator, input_name="X", **how)
            _check_count(estimator, matrix, features, reset=reset)
        else:
            matrix = validate_data(estimator, matrix, reset=reset, **how)
    except ValueError as error:
        if not reset and "features" in str(error):
            # Data of another shape often are the wrong data altogether: what they hold is told first, as
            # scikit-learn does.
            check_array(matrix, accept_sparse="csr", input_name="X")
        raise
    if single:
        matrix = in_single_precision(matrix)
    if reset:
        estimator._names_in_ = names_of(X, matrix.shape)
    return matrix


def _blocked(estimator: Any, lazy: RowBlocks, features: Names, names: DataNames, *, reset: bool, dtype: Any, blocks: bool, needed_by: str) -> Blocked | SharedBlocks:
    """Lazy X with checked shape and feature names."""
    if not blocks or reset and not getattr(estimator, "_spec", {}).get("in_blocks", True):
        refuse_blocks(needed_by or type(estimator).__name__, lazy)
    if 0 in lazy.shape:
        what = "sample" if lazy.shape[0] == 0 else "feature"
        raise ValueError(f"Found array with 0 {what}(s) (shape={lazy.shape}) while a minimum of 1 is required by {type(estimator).__name__}.")
    if not reset:
        _check_names(estimator, features)
    _check_count(estimator, lazy, features, reset=reset)
    if reset:
        estimator._names_in_ = names
    dtype = None if dtype is None else precision(dtype)
    return (lazy._on_cluster(dtype) if reset else None) or lazy._in_precision(dtype)


def _is_plain(X: Any, kinds: list[Any]) -> bool:
    """Whether X is in memory, as the engine takes it, and has no names."""
    if type(X) is np.ndarray:
        return X.ndim == 2 and X.dtype in kinds and X.flags.c_contiguous and X.size > 0
    return type(X) in (sp.csr_array, sp.csr_matrix) and X.ndim == 2 and X.dtype in kinds and 0 not in X.shape


def _is_of_the_fit(estimator: Any, X: Any) -> bool:
    """Whether new rows without names have the features of the fit, as have most of a program that asks row by
    row."""
    return X.shape[1] == getattr(estimator, "n_features_in_", None) and not hasattr(estimator, "feature_names_in_")


def _keep_without_names(estimator: Any, X: Any) -> None:
    """What a fit keeps of data without names."""
    for name in ("feature_names_in_", "image_shape_"):
        vars(estimator).pop(name, None)
    estimator.n_features_in_ = X.shape[1]
    estimator._names_in_ = DataNames(Names(None, X.shape[0], "sample"), Names(None, X.shape[1], "feature"))


def _were_in_a_file(estimator: Any, names: Names, reset: bool) -> bool:
    """Whether rows have no names, and those of the fit were in a file of the command line: there is no table
    that the user left out."""
    return not reset and names.labels is None and getattr(estimator, "_names_are_of_a_file", False)


def _refuse_texts(X: Any, ngrams: Any) -> None:
    """Refuses texts as rows of a model that the command line fitted to counts of their words."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    listed = [X] if isinstance(X, str) else X if isinstance(X, (list, tuple)) or (kind == "O" and np.ndim(X) == 1) else []
    if kind in ("U", "T") or any(isinstance(text, str) for text in listed):
        # Runs of words are counted without the stop words between them, which the names of features do not
        # say.
        counts = "Give CountVectorizer(vocabulary=model.feature_names_in_).transform(texts), which the model scales as its fit did; or write"
        way = counts if tuple(ngrams) == (1, 1) else "Write"
        raise ValueError(
            f"X holds texts, but must hold the counts of their words. {way} on the command line: partwise transform FOLDER texts.txt --text"
        )


def _are_no_text(names: Names) -> bool:
    return names.labels is not None and not any(isinstance(label, str) for label in names.labels)


def _check_count(estimator: Any, X: Any, names: Names, *, reset: bool) -> None:
    """What ``validate_data`` does about the number and the names of features."""
    if reset:
        estimator.n_features_in_ = X.shape[1]
        if names.labels is not None and all(isinstance(label, str) for label in names.labels):
            estimator.feature_names_in_ = names.labels
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input")


def _check_names(estimator: Any, names: Names) -> None:
    """Refuses features in another order than those of the fit, or other ones."""
    fitted = Names(column_labels(estimator), names.size, "feature")
    if fitted.labels is None or names.labels is None or fitted.keys == names.keys:
        return
    at = next(j for j in range(names.size) if names.keys[j] != fitted.keys[j])
    missing = [name for name in fitted.keys if not names.has(name)]
    if missing:
        rest = f"{len(missing)} of those of the fit are not in X, the first {missing[0]!r}{nearest(missing[0], names.keys)}"
    else:
        rest = "Feature names must be in the same order as they were in fit: X has the same ones in another order, take X[model.feature_names_in_]"
    raise ValueError(
        f"The feature names should match those that were passed during fit: feature {at} (counted from 0) is "
        f"{names.keys[at]!r}, but was {fitted.keys[at]!r}. {rest}"
    )


def empty_rows(X: Any) -> Any:
    """The rows of a checked matrix without a non-zero entry."""
    if isinstance(X, (Blocked, SharedBlocks)):
        return X.zero_rows()
    if not sp.issparse(X):
        return np.flatnonzero(~np.asarray(X).any(axis=1))
    counts = np.diff(X.indptr)
    if not X.data.all():
        rows = np.repeat(np.arange(X.shape[0]), counts)
        counts = np.bincount(rows, weights=X.data != 0, minlength=X.shape[0])
    return np.flatnonzero(counts == 0)


def check_not_negative(X: Any, estimator: Any) -> None:
    """Refuses negative entries of new rows (a checked matrix) as the engine refuses those of a fit: it solves
    for the codes of any numbers."""
    values = X.data if sp.issparse(X) else X
    if values.size == 0 or values.min() >= 0:
        return
    # The least number other than NaN, which is looked for elsewhere.
    if not np.fmin.reduce(values, axis=None) < 0:
        return
    negative = values < 0
    rows, columns = np.nonzero(negative) if not sp.issparse(X) else _places_in(X, negative)
    first = np.lexsort((columns, rows))[0]
    place, count = (int(rows[first]), int(columns[first])), len(rows)
    value = np.format_float_positional(values[negative][first], trim="-")
    error: Any = ValueError(
        f"the data: {count} negative {'entry' if count == 1 else 'entries'}, the first in row {place[0]}, column {place[1]} (counted from 0): "
        f"{value}; all entries must be 0 or more"
    )
    error.kind, error.what, error.place = "negative", "the data", place
    raise_about(error, estimator)


def _places_in(X: Any, stored: Any) -> tuple[Any, Any]:
    """The rows and columns of chosen stored entries of a CSR matrix."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return rows[stored], X.indices[stored]


def run_engine(function: str, X: Any, *arguments: Any) -> dict[str, Any]:
    """A function of the engine with checked data and further arguments."""
    if isinstance(X, (Blocked, SharedBlocks)):
        return X.run(function, *arguments)
    found: dict[str, Any] = getattr(_native, function)(to_native(X), *arguments)
    return found


def to_native(X: Any) -> Any:
    """A checked matrix as the engine borrows it: the array itself, or ``((n, d), indptr, indices, values)``
    of CSR."""
    if isinstance(X, Blocked):
        return X.native
    if not sp.issparse(X):
        # A memory map or another subclass is lent as the plain array that it wraps.
        X = np.asarray(X)
        return X if X.flags.c_contiguous and X.flags.aligned else np.require(X, requirements=["C", "A"])
    values = np.require(np.asarray(X.data), requirements=["C", "A"])
    return X.shape, np.asarray(X.indptr, dtype=np.uintp), _unsigned(X.indices), values


def _unsigned(indices: Any) -> Any:
    """32-bit indices are read as unsigned without a copy; 64-bit ones are narrowed."""
    indices = np.require(np.asarray(indices), requirements=["C", "A"])
    if indices.dtype == np.int32:
        return indices.view(np.uint32)
    if indices.size and (indices.min() < 0 or indices.max() > np.iinfo(np.uint32).max):
        raise ValueError("a sparse matrix may have at most 4294967295 columns, and no negative index")
    return indices.astype(np.uint32)


def as_factor(factor: Any, what: str, *, single: bool = False) -> Any:
    """A given factor or reference as a 2-D float64 array; with ``single`` one of float32 stays so."""
    factor = _array(factor)
    if factor.ndim != 2:
        raise ValueError(f"{what} must be a 2-D array, but has {factor.ndim} dimension(s)")
    if factor.dtype.kind not in "biuf":
        raise TypeError(f"{what} must hold real numbers, but has the type {factor.dtype}")
    return np.ascontiguousarray(factor, dtype=np.float32 if single and factor.dtype == np.float32 else np.float64)


def _array(given: Any) -> Any:
    """What was given as an array; numbers that a table stores as objects, with its own mark for what is
    missing, become numbers."""
    if sp.issparse(given):
        return given.toarray()
    if is_anndata(given):
        return _array(given.X)
    array = np.asarray(given)
    if array.dtype.kind == "O" and hasattr(given, "to_numpy"):
        try:
            array = given.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return array
    return array


def matrix_by_name(given: Any, what: str, where: str, rows: Names | None = None, columns: Names | None = None, *, own: tuple[Any, Any] | None = None, fill: float | None = None, single: bool = False) -> Any:
    """A table as float64 (with ``single``, one of float32 as it is) with its rows and columns in the order of
    the data, by name where both have names.

    ``own`` are the names of its rows and columns where it doesn't hold them itself. With ``fill`` rows may be
    left out.
    """
    values = as_factor(given, what, single=single)
    own_rows, own_columns = own if own is not None else (row_labels(given), column_labels(given))
    if rows is not None:
        values = by_name(values, rows.order(own_rows, len(values), f"{where}, its rows", partial=fill is not None), 0, np.nan if fill is None else fill)
    if columns is not None:
        values = by_name(values, columns.order(own_columns, values.shape[1], f"{where}, its columns"), 1)
    return np.ascontiguousarray(values)


def vector_by_name(given: Any, where: str, names: Names, *, default: float | None = None, own: Any = None) -> Any:
    """One number for each of the named things: a vector, one with names, or (with a ``default`` for the rest)
    a dict by name."""
    if default is not None and hasattr(given, "items") and hasattr(given, "keys") and not hasattr(given, "index"):
        values = np.full(names.size, float(default))
        for name, value in given.items():
            values[names.place(name, where)] = value
        return values
    values = _array(given)
    if values.dtype.kind not in "biufO":
        raise TypeError(f"{where}: must hold real numbers, but has the type {values.dtype}")
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1:
        return values
    labels = own if own is not None else row_labels(given)
    return np.ascontiguousarray(by_name(values, names.order(labels, len(values), where), 0))


def start_by_name(W: Any, H: Any, names: DataNames, owners: list[str]) -> tuple[Any, Any]:
    """A given start in the order of the data, by name where both sides have names.

    Its components go by their own names too: those of the codes by those of the components, both by the
    ``owners`` of the fit's first components.
    """
    where = "{} of init='custom'".format
    of_codes = None if W is None else column_labels(W)
    of_components = None if H is None else row_labels(H)
    if W is not None:
        W = matrix_by_name(W, where("W"), where("W"), rows=names.samples, own=(row_labels(W), None), single=True)
    if H is not None:
        H = matrix_by_name(H, where("H"), where("H"), columns=names.features, single=True)
    if W is not None and H is not None and of_components is not None:
        components = Names(of_components, len(H), "component")
        if components.labels is not None:
            W = by_name(W, components.order(of_codes, W.shape[1], f"{where('W')}, its columns"), 1)
            of_codes = of_components
    order = component_order(of_components if of_components is not None else of_codes, owners, where("W" if H is None else "H"))
    return None if W is None else by_name(W, order, 1), None if H is None else by_name(H, order, 0)


def codes_by_name(codes: Any, component_names: Any) -> Any:
    """Codes as an array in the order of the components, where a table has their names in another order."""
    values = codes.toarray() if sp.issparse(codes) else np.asarray(codes)
    names, labels = Names(component_names, len(component_names), "component"), column_labels(codes)
    if values.ndim == 2 and labels is not None and sorted(map(str, labels)) == sorted(names.keys):
        values = by_name(values, names.order(labels, values.shape[1], "the codes"), 1)
    return values


def check_similarities(names: DataNames) -> None:
    """Refuses similarities whose rows and columns name the samples in two orders."""
    samples, features = names.samples, names.features
    if samples.labels is not None and features.labels is not None and samples.keys != features.keys and sorted(samples.keys) == sorted(features.keys):
        at = next(i for i in range(samples.size) if samples.keys[i] != features.keys[i])
        raise ValueError(
            f"the rows and the columns of the similarities must name the same samples in one order, but row {at} (counted from 0) is "
            f"{samples.keys[at]!r} and column {at} is {features.keys[at]!r}; take X[X.index]"
        )


def canonical_csr(graph: Any) -> Any:
    """A CSR array of its own in float64: columns ascending, none twice. The given matrix stays as it is, with
    its flags.

    Zeros that are stored stay stored.
    """
    if is_anndata(graph):
        graph = graph.X
    if sp.issparse(graph):
        # A plain copy of the parts: the methods of the given matrix would note in it what they find.
        rows = graph if graph.format == "csr" else graph.tocsr()
        parts = (np.array(rows.data, dtype=np.float64), np.array(rows.indices, dtype=np.int64), np.array(rows.indptr, dtype=np.int64))
        own = sp.csr_array(parts, shape=graph.shape)
    else:
        own = sp.csr_array(_array(graph).astype(np.float64))
    own.sum_duplicates()
    return own


def feature_lists(known: Any, *, zeros: bool) -> tuple[Any, Any]:
    """Which entries a sparse matrix stores, as ``(indptr, indices)`` of CSR; without ``zeros`` only those
    that are not 0."""
    rows = known if known.format == "csr" else known.tocsr()
    indptr, indices = np.asarray(rows.indptr), np.asarray(rows.indices)
    rising = np.diff(indices) > 0 if indices.size else np.zeros(0, dtype=bool)
    # The first entry of a row may be below the last one of the row before.
    begins = indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < indices.size)]
    rising[begins - 1] = True
    values = rows.data
    if not rising.all():
        rows = canonical_csr(known)
        indptr, indices, values = rows.indptr, rows.indices, rows.data
    if not zeros and (values == 0).any():
        kept = values != 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[indptr]
        indices = indices[kept]
    return indptr.astype(np.uintp), _unsigned(indices)


def raise_about(error: ValueError, estimator: Any, input_name: str = "X") -> NoReturn:
    """Raises an error of the engine in the words that scikit-learn's users know, with the feature's name
    where there is one."""
    kind = getattr(error, "kind", None)
    if kind is None or getattr(error, "what", None) != "the data":
        raise error
    rest = str(error).removeprefix("the data: ")
    name = type(estimator).__name__
    place = getattr(error, "place", None)
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and place is not None and place[1] < len(names):
        column = place[1]
        rest = rest.replace(f"column {column}", f'column {column} ("{names[column]}")', 1)
    if kind == "negative":
        message = f"Negative values in data passed to {name} (input {input_name}): {rest}"
    elif kind in ("nan", "infinite"):
        message = f"Input {input_name} contains {'NaN' if kind == 'nan' else 'infinity'}: {rest}{_way_for_missing(estimator) if kind == 'nan' else ''}"
    else:
        message = f"Input {input_name} of {name}: {rest}"
    raise ValueError(message) from error


def _way_for_missing(estimator: Any) -> str:
    """What to write where NaN marks missing entries."""
    missing = getattr(estimator, "missing", None)
    name = type(estimator).__name__
    if missing is None:
        able = estimators_that_take("known_entries", "guidance")
        return f". If NaN marks missing entries: {able} leave them out with missing='unknown'"
    if missing == "unknown":
        return ". NaN marks a missing entry in a dense X only, not in row blocks; for a sparse X give GuidedNMF Guidance(KnownFeatures(...)), and 0 in place of NaN"
    return f". If NaN marks missing entries: {name}(missing='unknown') leaves them out of the fit"
