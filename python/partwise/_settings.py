"""From the parameters of an estimator to the settings of the engine: what is valid, and what "auto" stands
for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from ._blocks import in_memory
from ._common_settings import CommonSettings
from ._input import as_factor, is_anndata
from ._targets import Targets, any_is
from ._warn import warn

__all__ = ["SettingsMixin", "seed_of", "threads_of", "warn_of_threads"]

_LOSSES = {"frobenius": "frobenius", 2: "frobenius", "kullback-leibler": "kullback-leibler", 1: "kullback-leibler"}


class SettingsMixin(CommonSettings):
    """Reads the parameters that all estimators share."""

    _spec: ClassVar[dict[str, Any]]
    _component_for_each_class: ClassVar[bool]
    _spectral_start: ClassVar[bool]
    _ignores_y: ClassVar[bool]

    @property
    def _title(self) -> str:
        return str(self._spec["title"])

    @property
    def _needs(self) -> str:
        return str(self._spec["needs"])

    def _loss(self) -> str:
        wanted = self.beta_loss
        key = wanted if isinstance(wanted, str) else (float(wanted) if isinstance(wanted, Real) else None)
        if key not in _LOSSES:
            raise ValueError(
                f"The 'beta_loss' parameter of {type(self).__name__} must be 'frobenius' (or 2) or 'kullback-leibler' "
                f"(or 1). Got {wanted!r} instead."
            )
        loss = _LOSSES[key]
        if self.solver == "cd" and loss != "frobenius":
            raise ValueError(
                f"Invalid beta_loss parameter: solver 'cd' does not handle beta_loss = {wanted!r}; the solvers 'mu' and 'auto' do"
            )
        return loss

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        wanted = self.n_components
        name = type(self).__name__
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if wanted < 1:
                raise ValueError(
                    f"The 'n_components' parameter of {name} must be an int of 1 or more, 'auto' or None. Got {wanted} instead."
                )
            classes = targets.n_classes if targets is not None and self._component_for_each_class else 0
            if wanted < classes:
                warn(
                    f"n_components={wanted} is fewer than the {classes} classes of y, and {self._title} needs a component for each: "
                    f"{classes} are used",
                )
            return max(int(wanted), classes)
        if wanted is not None and wanted != "auto":
            raise ValueError(
                f"The 'n_components' parameter of {name} must be an int of 1 or more, 'auto' or None. Got {wanted!r} instead."
            )
        if self.init == "custom" and H is not None:
            return int(np.shape(H)[0])
        if self.init == "custom" and W is not None:
            return int(np.shape(W)[1])
        if targets is not None and targets.n_classes:
            return targets.n_classes
        if wanted == "auto":
            return self._selected_rank(data, None)
        usual = self._rank_without_labels(data)
        if usual is not None:
            return usual
        raise ValueError(
            f"n_components={wanted!r} means the number of classes, but {'no sample is labelled' if targets is not None else 'there are no labels'}; "
            f"give {name}(n_components=...) a number, or 'auto' to find it, or labels as y{' with init=' + repr('labels') if self._ignores_y else ''}"
        )

    def _selected_rank(self, data: Any, document: dict[str, Any] | None, most: int = 30) -> int:
        """What ``select_rank`` answers for these data, kept as ``rank_selection_``."""
        from ._rank import select

        if self._symmetric:
            raise ValueError(f"n_components='auto' is not supported by {type(self).__name__}: give a number of components")
        missing = getattr(self, "_left_entries_out", False)
        in_memory(data, "n_components='auto'")
        if missing:
            raise ValueError("n_components='auto' is not supported with missing entries: give a number of components")
        found = select(
            data, document, self, self._loss(), (1, most), None, None, "auto", seed_of(self.random_state), threads_of(self.n_jobs),
            None if self.time_limit is None else float(self.time_limit), int(bool(self.verbose)),
        )
        self.rank_selection_ = found
        if found.stopped and len(found.rows) < 2:
            raise ValueError(
                "n_components='auto': the search was stopped before it compared two numbers; give a number of components, or a larger time_limit"
            )
        if not found.structure:
            warn(f"{type(self).__name__}: n_components='auto' found no structure, and {found.rank} is used. {found.explanation}")
        return found.rank

    def _rank_without_labels(self, data: Any) -> int | None:
        """The number of components if neither it nor labels are given; None if it is required."""
        return None

    def _settings(self, rank: int, shape: tuple[int, int], knowledge: dict[str, Any], W: Any, H: Any) -> dict[str, Any]:
        return {**self._shared_settings(rank, shape), **self._start(rank, shape, knowledge, W, H), "checkpoint": self._checkpoint()}

    def _shared_settings(self, rank: int, shape: tuple[int, int]) -> dict[str, Any]:
        """All but the start."""
        name = type(self).__name__
        alpha_H = self.alpha_W if isinstance(self.alpha_H, str) and self.alpha_H == "same" else self.alpha_H
        for what, value in (("alpha_W", self.alpha_W), ("alpha_H", alpha_H)):
            if not isinstance(value, Real) or not value >= 0 or not np.isfinite(value):
                extra = " or 'same'" if what == "alpha_H" else ""
                raise ValueError(f"The '{what}' parameter of {name} must be a finite number of 0 or more{extra}. Got {value!r} instead.")
        if not isinstance(self.l1_ratio, Real) or not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"The 'l1_ratio' parameter of {name} must be a number from 0 to 1. Got {self.l1_ratio!r} instead.")
        if not isinstance(self.tol, Real) or not 0 <= self.tol < 1:
            raise ValueError(f"The 'tol' parameter of {name} must be a number from 0 (0 = no tolerance test) to below 1. Got {self.tol!r} instead.")
        if self.shuffle:
            warn(
                f"shuffle=True has no effect: {name} visits the components in a fixed order, so that a seed gives the same bits everywhere",
            )
        return {
            "rank": rank,
            "seed": seed_of(self.random_state),
            "solver": self.solver,
            "acceleration": self.acceleration,
            "max_iterations": iterations_of(self),
            "tolerance": float(self.tol),
            "time_limit": None if self.time_limit is None else float(self.time_limit),
            "threads": threads_of(self.n_jobs),
            # It takes a product with X for each factor, as an iteration does.
            "gradient_at_end": False,
            "l1": (float(self.alpha_W * self.l1_ratio), float(alpha_H * self.l1_ratio)),
            "l2": (float(self.alpha_W * (1 - self.l1_ratio)), float(alpha_H * (1 - self.l1_ratio))),
        }

    def _checkpoint(self) -> tuple[str, float] | None:
        """Where the state of the fit is saved, and how often."""
        seconds = self.checkpoint_seconds
        if isinstance(seconds, bool) or not isinstance(seconds, Real) or not seconds >= 0:
            raise ValueError(f"The 'checkpoint_seconds' parameter of {type(self).__name__} must be a number of 0 or more. Got {seconds!r} instead.")
        if self.checkpoint is None:
            return None
        if not isinstance(self.checkpoint, (str, os.PathLike)):
            raise TypeError(f"checkpoint is {self.checkpoint!r}, but must be the path of a file, or None")
        # Absolute, since a worker of a cluster may be in another folder.
        path = os.path.abspath(os.fspath(self.checkpoint))
        if os.path.isdir(path):
            raise IsADirectoryError(f"checkpoint is the folder {path}, but must be the path of a file")
        return path, float(seconds)

    def _without_effect(self, X: Any, y: Any, targets: Targets | None, settings: dict[str, Any], known: dict[str, Any]) -> list[tuple[str, str]]:
        """Notices about parameters that have no effect here."""
        out: list[tuple[str, str]] = []
        if self.layer is not None and not is_anndata(X):
            out.append(("no-effect", f"layer={self.layer!r} has no effect: X is not an AnnData object"))
        if self.checkpoint is None and self.checkpoint_seconds != 600:
            out.append(("no-effect", f"checkpoint_seconds={self.checkpoint_seconds!r} has no effect: there is no checkpoint"))
        if isinstance(self.unlabelled, str) or self.unlabelled != -1:
            if y is None:
                out.append(("no-effect", f"unlabelled={self.unlabelled!r} has no effect: there is no y"))
            elif targets is not None and not any_is(y, self.unlabelled):
                out.append(("no-effect", f"unlabelled={self.unlabelled!r} has no effect: y does not contain it"))
        if self.l1_ratio and not any(settings["l1"]):
            out.append(("no-effect", f"l1_ratio={self.l1_ratio} has no effect: alpha_W and alpha_H are 0"))
        return out

    def _start(self, rank: int, shape: tuple[int, int], knowledge: dict[str, Any], W: Any, H: Any) -> dict[str, Any]:
        if self.init == "custom":
            if W is None and H is None:
                raise ValueError(f"init='custom' needs the start: {type(self).__name__}.fit(X, W=..., H=...), one of them or both")
            given = (("codes", W, "W"), ("components", H, "H"))
            start = [(slot, as_factor(factor, f"{what} of init='custom'", single=True)) for slot, factor, what in given if factor is not None]
            sizes = {"codes": (shape[0], rank), "components": (rank, shape[1])}
            for slot, factor in start:
                for axis, place in enumerate(("first", "second")):
                    if factor.shape[axis] != sizes[slot][axis]:
                        raise ValueError(
                            f"Array with wrong {place} dimension passed to {type(self).__name__}: the {slot} of init='custom' "
                            f"must have the shape {sizes[slot]}, but have {factor.shape}"
                        )
            return {"start": start}
        if W is not None or H is not None:
            warn(
                "When init!='custom', provided W or H are ignored. Set  init='custom' to use them as initialization.",
                RuntimeWarning,
            )
        if self.init == "nndsvd" and (self.solver == "mu" or (self.solver == "auto" and self._loss() != "frobenius")):
            warn(
                "init='nndsvd' has exact zeros, which multiplicative updates ('mu') never change; using 'nndsvda', which fills them",
            )
            return {"init": "nndsvda"}
        if self.init is not None:
            return {"init": self.init}
        classes = len(knowledge["labels"][1]) if "labels" in knowledge else 0
        guided = 0 < classes <= rank
        if guided or not self._spectral_start or rank > min(shape):
            return {"init": "auto"}
        return {"init": "nndsvda"}


def seed_of(random_state: Any) -> int:
    """A whole number is the seed of the engine itself, so that the command line with the same seed gives the
    same bits."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}, but must be a whole number of 0 or more, a RandomState or None")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads_of(n_jobs: int | None) -> int:
    """Threads for the engine; negative numbers count from the cores.

    0 means all, and one where the engine finds too little work for them. None is 0, but one inside a job of
    joblib.
    """
    if n_jobs is None:
        import joblib

        return 1 if joblib.parallel.get_active_backend()[0].nesting_level else 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}, but must be None (all cores), a number of threads of 1 or more, or -1 (all), -2 (all but one), ...")
    if n_jobs > 0:
        # The engine starts no more than the machine can use; a larger number than it can hold is all the same
        # to it.
        return min(int(n_jobs), sys.maxsize)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(cores + 1 + int(n_jobs), 1)


def warn_of_threads(notices: Iterable[tuple[str, str]], who: str) -> None:
    """Warns that n_jobs was more than the machine can use, if nothing else reports notices."""
    for code, message in notices:
        if code == "threads":
            warn(f"{who}: {message}")


#: More iterations than any fit makes; what the engine can count.
MOST_ITERATIONS = 2**31 - 1


def iterations_of(model: Any) -> int:
    """The maximum number of iterations of a model for the engine."""
    if not isinstance(model.max_iter, Integral) or not 0 <= model.max_iter <= MOST_ITERATIONS:
        raise ValueError(
            f"The 'max_iter' parameter of {type(model).__name__} must be an int of 0 or more, at most {MOST_ITERATIONS}. Got {model.max_iter!r} instead."
        )
    return int(model.max_iter)
