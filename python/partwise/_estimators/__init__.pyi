"""The estimators, for type checkers and editors. Written by python/tests/estimator_stub.py."""

from collections.abc import Callable
from typing import Any

from .. import _guided
from .._base import Factorization
from .._guidance import Guidance
from .._guidance.strength import Strength
from .._progress import Iteration
from . import class_components, graphs, images, plain, references, symmetric, tied, views

__all__ = ["NMF", "CNMF", "SCNMF", "NMFDC", "WSNMF", "SSNMF", "NsNMF", "NCWNMF", "NMFAlpha", "GNMF", "SemiGNMF", "SymNMF", "WSSymNMF", "NTF", "GuidedNMF"]

ESTIMATORS: tuple[type[Factorization], ...]

class NMF(plain.NMF):
    missing: str
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        missing: str = "error",
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class CNMF(tied.CNMF):
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class SCNMF(tied.SCNMF):
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class NMFDC(tied.NMFDC):
    smoothing: float
    step_rule: str
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        smoothing: float = 0.3,
        step_rule: str = "own-class",
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class WSNMF(references.WSNMF):
    strength: Strength
    anchor_scale: str
    components_per_class: int
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        strength: Strength = None,
        anchor_scale: str = "joint",
        components_per_class: int = 1,
        strength_unit: str = "relative",
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class SSNMF(views.SSNMF):
    strength: Strength
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        strength: Strength = None,
        missing: str = "unknown",
        strength_unit: str = "relative",
        label_weight: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class NsNMF(plain.NsNMF):
    smoothing: float
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        smoothing: float = 0.3,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class NCWNMF(plain.NCWNMF):
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class NMFAlpha(views.NMFAlpha):
    discriminative_weight: float
    cost: float
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        discriminative_weight: float = 1.0,
        cost: float = 1.0,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "kullback-leibler",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class GNMF(graphs.GNMF):
    strength: Strength
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        strength: Strength = None,
        n_neighbors: int = 5,
        graph_weight: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class SemiGNMF(graphs.SemiGNMF):
    strength: Strength
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        strength: Strength = None,
        n_neighbors: int = 5,
        graph_weight: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class SymNMF(symmetric.SymNMF):
    coupling: float | None
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        coupling: float | None = None,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class WSSymNMF(symmetric.WSSymNMF):
    strength: Strength
    components_per_class: int
    coupling: float | None
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        strength: Strength = None,
        components_per_class: int = 1,
        coupling: float | None = None,
        strength_unit: str = "relative",
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class NTF(images.NTF):
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        image_shape: tuple[int, int] | None = None,
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...

class GuidedNMF(_guided.GuidedNMF):
    missing: str
    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        strength: Strength = None,
        missing: str = "error",
        guidance: Guidance | None = None,
        label_rule: str = "components",
        components_per_class: int | str = 1,
        spread: str = "auto",
        init: str | None = None,
        solver: str = "auto",
        acceleration: str = "auto",
        beta_loss: str | float = "frobenius",
        tol: float = 0.0001,
        max_iter: int = 500,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callable[[Iteration], Any] | None = None,
        dtype: Any = None,
        unlabelled: Any = -1,
        layer: str | None = None,
    ) -> None: ...
