"""The engine (Rust). Private: use the estimators and functions of the package."""

from collections.abc import Callable
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Dense: TypeAlias = NDArray[np.float64] | NDArray[np.float32]
_Rows: TypeAlias = tuple[tuple[int, int], NDArray[np.uintp], NDArray[np.uint32], _Dense]
_Data: TypeAlias = _Dense | _Rows | Blocks
_Path: TypeAlias = str | PathLike[str]

__version__: str
MODEL_FORMAT: int

class Blocks:
    @staticmethod
    def of_object(
        read: Callable[[int], _Dense | _Rows], borders: list[int], n_features: int, stored: list[int], kind: tuple[bool, bool], cache: float,
        processes: Processes | None = None,
    ) -> Blocks: ...
    @staticmethod
    def of_file(path: _Path, single: bool | None, cache: float, layer: str | None = None) -> Blocks: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def single(self) -> bool: ...
    @property
    def sparse(self) -> bool: ...
    @property
    def sizes(self) -> tuple[int, float, float]: ...
    @property
    def layout(self) -> tuple[list[int], list[int]]: ...
    @property
    def names(self) -> tuple[list[str] | None, list[str] | None]: ...
    def read_file(self, block: int) -> dict[str, Any]: ...
    def zero_rows(self) -> NDArray[np.uintp]: ...

class Listener:
    def __init__(self, host: str) -> None: ...
    @property
    def port(self) -> int: ...
    def connect(self, rank: int, addresses: list[str], token: bytes, seconds: float) -> Processes: ...

class Processes:
    @property
    def lost(self) -> int | None: ...
    @property
    def bytes(self) -> tuple[int, int]: ...
    def fail(self, reason: str) -> None: ...

def registries() -> dict[str, Any]: ...
def representative_samples(codes: Any, components: Any, shares_of: str, count: int) -> list[list[tuple[int, float]]]: ...
def report_page(codes: Any, components: Any, data: Any, facts: dict[str, Any], guidance: dict[str, Any] | None) -> str: ...
def check_parameters(given: dict[str, Any]) -> None: ...
def fit(
    data: _Data,
    method: str,
    loss: str,
    knowledge: dict[str, Any],
    settings: dict[str, Any],
    callback: Callable[[int, float, float | None, float], bool] | None,
) -> dict[str, Any]: ...
def fit_guided(
    data: _Data,
    guidance: dict[str, Any],
    loss: str,
    settings: dict[str, Any],
    callback: Callable[..., bool] | None,
    spread: str | None = None,
    components_per_class: str | None = None,
) -> dict[str, Any]: ...
def unknown_features(guidance: dict[str, Any]) -> list[str]: ...
def sweep(
    data: _Data,
    guidance: dict[str, Any],
    loss: str,
    settings: dict[str, Any],
    scales: list[float],
) -> list[tuple[float, float, float]]: ...
def suggest(
    codes: NDArray[np.float64],
    components: NDArray[np.float64],
    shares_of: str,
    labelled: list[int],
    count: int,
) -> list[tuple[int, float, tuple[int, int]]]: ...
def suggest_links(
    codes: NDArray[np.float64], components: NDArray[np.float64], shares_of: str, count: int
) -> list[tuple[tuple[int, int], bool, float]]: ...
def with_all_topics(guidance: dict[str, Any], rank: int) -> dict[str, Any]: ...
def steer(
    data: _Data,
    guidance: dict[str, Any],
    factors: tuple[NDArray[np.float64], NDArray[np.float64]],
    action: tuple[str, dict[str, Any]],
    others: str,
    loss: str,
    settings: dict[str, Any],
    callback: Callable[[int, float, float | None, float], bool] | None,
) -> dict[str, Any]: ...
def classify(
    data: _Data,
    labels: tuple[NDArray[np.int32], list[str]],
    class_sizes: bool | list[tuple[str, float]] | None,
    seed: int,
    threads: int,
    callback: Callable[[str, float, float], Any] | None,
) -> dict[str, Any]: ...
def predict_posteriors(
    data: _Data, parts: list[tuple[str, _Dense]], threads: int
) -> tuple[NDArray[np.float64], list[str]]: ...
def compared_methods() -> list[str]: ...
def compare(
    data: _Data,
    labels: tuple[NDArray[np.int32], list[str]],
    methods: list[str],
    draws: int,
    labels_per_class: list[int],
    rank: int | None,
    seed: int,
    threads: int,
    callback: Callable[[str, int, int, int, int], Any] | None,
) -> dict[str, Any]: ...
def consensus(
    data: _Data,
    method: str,
    loss: str,
    knowledge: dict[str, Any],
    settings: dict[str, Any],
    ranks_and_restarts: tuple[list[int], int],
    spread: str | None,
    folder: tuple[str, str] | None,
    time_limit: float | None,
    callback: Callable[[int, int, float, float], Any] | None,
) -> list[dict[str, Any]]: ...
def select_rank(
    data: _Data,
    guidance: dict[str, Any] | None,
    loss: str | None,
    settings: dict[str, Any],
    range: tuple[int, int],
    splits: int | None,
    restarts: int | None,
    holdout: str,
    time_limit: float | None,
    callback: Callable[[int, int, bool, float, float], Any] | None,
    by_arguments: bool,
) -> dict[str, Any]: ...
def encode(
    data: _Data,
    components: NDArray[np.float64],
    ridge: list[float],
    linear: list[float],
    smoothing: float,
    feature_weights: list[float] | None,
    loss: str,
    settings: dict[str, Any],
    guidance: dict[str, Any] | None = None,
) -> dict[str, Any]: ...
def solve(
    data: _Data,
    held: str,
    factor: NDArray[np.float64],
    loss: str,
    settings: dict[str, Any],
) -> dict[str, Any]: ...
def check_symmetric(matrix: NDArray[np.float64], what: str) -> None: ...
def nnls(gram: NDArray[np.float64], cross: NDArray[np.float64]) -> NDArray[np.float64]: ...
def neighbour_graph(
    data: _Data, neighbours: int
) -> tuple[NDArray[np.uintp], NDArray[np.uint32], NDArray[np.float64]]: ...
def largest_components(
    codes: NDArray[Any], sizes: list[float]
) -> NDArray[np.int64]: ...
def measure(name: str, classes: NDArray[np.int32], clusters: NDArray[np.int32]) -> float: ...
def accuracy(
    classes: NDArray[np.int32], clusters: NDArray[np.int32]
) -> tuple[float, list[tuple[int, int | None]]]: ...
def sparseness(values: NDArray[np.float64]) -> float: ...
def f_scores(
    truth: NDArray[np.bool_], predicted: NDArray[np.bool_]
) -> tuple[float, float, float]: ...
def cuts(
    sources: NDArray[np.uintp],
    targets: NDArray[np.uintp],
    weights: NDArray[np.float64],
    clusters: NDArray[np.int32],
) -> tuple[float, float]: ...
def read_table(
    path: _Path,
    *,
    format: str | None = None,
    key: str | None = None,
    label_column: str | None = None,
    n_nodes: int | None = None,
    header: bool | None = None,
    row_names: bool | None = None,
) -> dict[str, Any]: ...
def read_labels(
    path: _Path, n_samples: int, *, column: str | None = None
) -> tuple[list[str], list[list[int]]]: ...
def write_model(
    path: _Path,
    document: str,
    tensors: list[tuple[str, _Dense]],
    guidance: dict[str, Any] | None = None,
) -> None: ...
def read_model(
    path: _Path,
) -> tuple[str, dict[str, _Dense], dict[str, Any] | None, tuple[str, list[float]]]: ...
def scaled_values(data: _Data, kind: str, learned: list[float]) -> _Dense: ...
def cite(method: str | None = None) -> str: ...
def command_line(arguments: list[str]) -> int: ...
def command_line_shared(arguments: list[str], processes: Processes, on_this_machine: int) -> int: ...
def digits() -> tuple[NDArray[np.float64], NDArray[np.int32], tuple[int, int]]: ...
