"""The progress of a fit: what a callback receives; with ``verbose`` a bar (if tqdm is installed) or lines."""

from __future__ import annotations

import warnings
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
    """Shows the iterations of a fit when ``verbose`` is 1 or more: a bar that is drawn at most twice a
    second, and is full at the end, however few of the allowed iterations the fit needed."""

    def __init__(self, name: str, max_iter: int, verbose: int) -> None:
        self.shows = bool(verbose)
        self._name = name
        self._max_iter = max_iter
        self._bar: Any = None
        self._last: Iteration | None = None

    def __enter__(self) -> Progress:
        if self.shows:
            self._bar = _bar(self._name, self._max_iter)
        return self

    def update(self, iteration: Iteration) -> None:
        """One iteration is done."""
        if not self.shows:
            return
        self._last = iteration
        if self._bar is not None:
            self._bar.set_postfix(objective=f"{iteration.objective:.6g}", refresh=False)
            self._bar.update(iteration.number - self._bar.n)
        elif iteration.number % 10 == 0:
            print(f"{self._name}: iteration {iteration.number}, objective {iteration.objective:.6g}, {iteration.elapsed:.2f} s")

    def phase(self, name: str, done: float, elapsed: float) -> None:
        """A phase of the classifier before the fit begins."""
        if not self.shows:
            return
        if self._bar is not None:
            self._bar.set_postfix_str(f"{name}, {100 * done:.0f} % done")
        else:
            print(f"{self._name}: {name}, {100 * done:.0f} % done, {elapsed:.1f} s")

    def __exit__(self, *_: Any) -> None:
        if self._bar is None:
            return
        if self._last is not None:
            done, begun = max(self._last.number, 1), self._bar.start_t
            if hasattr(self._bar, "container"):
                # A widget keeps its own length.
                self._bar.reset(done)
                self._bar.start_t = begun
            self._bar.n = self._bar.total = done
        self._bar.close()


def _bar(name: str, total: int, bar_format: str | None = None) -> Any:
    """A bar of tqdm: a widget in notebooks that can show it, else text; None without tqdm."""
    try:
        from tqdm import TqdmWarning

        with warnings.catch_warnings():
            # A notebook without ipywidgets gets a text bar, which needs no warning.
            warnings.simplefilter("ignore", TqdmWarning)
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=name, unit="it", mininterval=0.5, bar_format=bar_format)


class PhaseProgress:
    """Shows the phases of a fit when ``verbose`` is 1 or more."""

    def __init__(self, name: str, verbose: int) -> None:
        self.shows = bool(verbose)
        self._name = name
        self._bar: Any = None

    def __enter__(self) -> PhaseProgress:
        if self.shows:
            self._bar = _bar(self._name, 100, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}")
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
