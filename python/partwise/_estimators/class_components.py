"""Several components for each class of y."""

from __future__ import annotations

from typing import Any

from .._base import Factorization
from .._targets import Targets

__all__ = ["ClassComponents"]


class ClassComponents(Factorization):
    """A factorization in which each class of y owns ``components_per_class`` components, the first ones."""

    components_per_class: int

    def _knowledge(self, data: Any, targets: Targets | None) -> tuple[Any, dict[str, Any]]:
        data, knowledge = super()._knowledge(data, targets)
        if self.components_per_class > 1 and (targets is None or targets.codes is None):
            raise ValueError("components_per_class above 1 needs one label per sample")
        return data, knowledge

    def _rank(self, data: Any, targets: Targets | None, W: Any, H: Any, knowledge: dict[str, Any]) -> int:
        owned = targets.n_classes * self.components_per_class if targets is not None else 0
        return max(super()._rank(data, targets, W, H, knowledge), owned)

    def _owners(self, knowledge: dict[str, Any]) -> list[str]:
        return super()._owners(knowledge) if self.components_per_class == 1 else []

    def _class_names_of_components(self) -> Any:
        if self.components_per_class == 1 or self._targets_ is None:
            return super()._class_names_of_components()
        owners = [name for name in self._targets_.names for _ in range(self.components_per_class)]
        # No class has the name of a free component, whatever it is called.
        return [*owners, *[""] * (self.n_components_ - len(owners))]

    def _clusters(self, codes: Any) -> Any:
        p = self.components_per_class
        if p == 1 or self._targets_ is None:
            return super()._clusters(codes)
        return self._clusters_of([list(range(c * p, (c + 1) * p)) for c in range(self._targets_.n_classes)], codes)
