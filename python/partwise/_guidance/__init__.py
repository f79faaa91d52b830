"""What you know, as values: ``Guidance`` with items of any kind."""

from . import items
from .guidance import Guidance
from .items import *  # noqa: F403
from .strength import raw
from .topics import Topic

__all__ = ["Guidance", "Topic", "raw"]
__all__ += items.__all__
