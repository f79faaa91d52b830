"""What a fit leaves: attributes, the classes of components, the report."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ._targets import Targets

__all__ = ["FittedMixin"]

# Factors beside codes and components whose name in the engine is that of something else here.
_FURTHER = {"labels": "label_components"}


class FittedMixin:
    """Keeps the results of the engine as attributes."""

    _method: ClassVar[str]
    _symmetric: ClassVar[bool]
    _clusters: Any
    _largest_class: Any
    _component_classes_of: Any

    def _keep(self, done: dict[str, Any], targets: Targets | None, settings: dict[str, Any]) -> None:
        self.components_ = done["components"]
        self.codes_ = done["codes"]
        self.n_components_ = self.components_.shape[0]
        self.n_iter_ = done["iterations"]
        self.objective_ = done["objective"]
        self.relative_error_ = done["relative_error"]
        self.reconstruction_err_ = _reconstruction_error(done)
        if self._symmetric:
            self.symmetric_error_ = done["symmetric_error"]
        self.kkt_ = done["kkt"]
        self.stop_reason_ = done["stop"]
        self.history_ = {
            "iteration": np.arange(len(done["objectives"])),
            "objective": done["objectives"],
            "kkt": done["kkts"],
            "elapsed": done["seconds"],
        }
        self.notices_ = list(done["notices"])
        self.component_names_ = np.array(done["component_names"], dtype=object)
        self._shares_of = done.get("shares_of") or ("length" if done["loss"] == "frobenius" else "sum")
        for slot, factor in done["further"].items():
            setattr(self, _FURTHER.get(slot.replace(" ", "_"), slot.replace(" ", "_")) + "_", factor)
        self._encoding = {key: done[key] for key in ("ridge", "linear", "smoothing", "feature_weights", "loss")}
        used = ("loss", "solver", "init", "first")
        self._resolved = {"method": self._method, **settings, **{key: done[key] for key in used}}
        for name in ("start", "gradient_at_end"):
            self._resolved.pop(name, None)
        self._targets_ = targets
        if targets is not None:
            self.classes_ = targets.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        clusters = self._clusters(None)
        self._component_classes = _component_classes(self._class_names_of_components(), clusters, targets)
        self.labels_ = self._largest_class(clusters)
        self._parts = dict(done["parts"])
        self.guidance_report_ = self._report(done, targets)

    def _class_names_of_components(self) -> Any:
        """For each component the name that a class would have."""
        return self.component_names_

    def _report(self, done: dict[str, Any], targets: Targets | None) -> dict[str, Any]:
        report: dict[str, Any] = {"parts": dict(done["parts"]), "notices": [message for _, message in done["notices"]]}
        if targets is None:
            return report
        labelled = targets.labelled
        report["n_labelled"] = int(labelled.sum())
        report["classes"] = {name: int(count) for name, count in zip(targets.names, _counts(targets), strict=True)}
        if targets.codes is not None and labelled.any():
            guessed = self._component_classes_of(self._clusters(None))
            report["agreement"] = float((guessed[labelled] == targets.codes[labelled]).mean())
        return report


def _reconstruction_error(done: dict[str, Any]) -> float:
    """As scikit-learn states it: the Frobenius norm of X - WH, or the square root of twice the divergence."""
    loss, unit = done["loss_value"], done.get("objective_unit", 1.0)
    # The loss of data whose squares leave the range is that of the data divided by a number.
    return float(np.sqrt(loss) * unit if done["loss"] == "frobenius" else np.sqrt(2 * loss * unit))


def _counts(targets: Targets) -> Any:
    if targets.codes is not None:
        return np.bincount(targets.codes[targets.codes >= 0], minlength=targets.n_classes)
    return (targets.memberships > 0).sum(axis=0)


def _component_classes(names: Any, clusters: Any, targets: Targets | None) -> Any:
    """The class of each component as a position in ``classes_``, -1 for none: by its name if the fit gave it
    one, otherwise the class of most labelled samples in it."""
    if targets is None:
        return None
    k = len(names)
    by_name = {name: at for at, name in enumerate(targets.names)}
    found = np.array([by_name.get(name, -1) for name in names], dtype=int)
    if (found >= 0).any() or targets.codes is None:
        return found
    for j in range(k):
        members = targets.codes[(clusters == j) & (targets.codes >= 0)]
        if len(members):
            found[j] = np.bincount(members).argmax()
    return found
