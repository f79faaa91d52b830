"""The progress of a fit: what a callback receives; with ``verbose`` a bar (if tqdm is installed) or lines."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Iteration", "PhaseProgress", "Progress"]


class Iteration(NamedTuple):
    """What a ``callback`` receives after each iteration."""

    number: int
    """0 for the start, then 1, 2, ..."""
    objective: float
    """The objective, from the quantities of the updates."""
    kkt: float | None
    """The norm of the projected gradient at the start of this iteration; None for the start."""
    elapsed: float
    """Seconds since the loop began."""


class Progress:
    """Shows the iterations of a fit when ``verbose`` is 1 or more."""

    def __init__(self, name: str, max_iter: int, verbose: int) -> None:
        self.shows = bool(verbose)
        self._name = name
        self._max_iter = max_iter
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self.shows:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return self
            self._bar = tqdm(total=self._max_iter, desc=self._name, unit="it")
        return self

    def update(self, iteration: Iteration) -> None:
        """One iteration is done."""
        if not self.shows:
            return
        if self._bar is not None:
            self._bar.n = iteration.number
            self._bar.set_postfix(objective=f"{iteration.objective:.6g}")
        elif iteration.number % 10 == 0:
            print(f"{self._name}: iteration {iteration.number}, objective {iteration.objective:.6g}, {iteration.elapsed:.2f} s")

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()


class PhaseProgress:
    """Shows the phases of a fit when ``verbose`` is 1 or more."""

    def __init__(self, name: str, verbose: int) -> None:
        self.shows = bool(verbose)
        self._name = name
        self._bar: Any = None

    def __enter__(self) -> PhaseProgress:
        if self.shows:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return self
            self._bar = tqdm(total=100, desc=self._name, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}")
        return self

    def update(self, phase: str, done: float, elapsed: float) -> None:
        """A phase begins."""
        if not self.shows:
            return
        if self._bar is not None:
            self._bar.n = round(100 * done)
            self._bar.set_postfix_str(phase)
        else:
            print(f"{self._name}: {phase}, {100 * done:.0f} % done, {elapsed:.1f} s")

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self._bar is not None:
            if kind is None:
                self._bar.n = 100
                self._bar.set_postfix_str("")
            self._bar.close()
