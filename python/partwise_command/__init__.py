"""The command ``partwise``.

It is a package of its own, and it loads the native module of ``partwise`` alone: to import ``partwise`` is to
import NumPy, SciPy and scikit-learn, and ``partwise --help`` should not wait for them.
"""

import importlib.util
import signal
import sys
from importlib.machinery import PathFinder
from types import ModuleType

NATIVE = "partwise._native"


def native_module() -> ModuleType:
    """The native module of ``partwise``, without the package around it."""
    if NATIVE in sys.modules:
        return sys.modules[NATIVE]
    package = importlib.util.find_spec("partwise")
    spec = PathFinder.find_spec(NATIVE, package.submodule_search_locations if package else None)
    if spec is None or spec.loader is None:
        raise ImportError("the package partwise is not installed as a whole; install it again", name=NATIVE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Runs the command line with the arguments of the process, and ends the process with its exit code."""
    if sys.argv[1:2] == ["fit"] and not {"-h", "--help"} & set(sys.argv):
        from .cluster import asks_for_dask, run

        asked = asks_for_dask(sys.argv[1:])
        if asked is not None:
            sys.exit(run(*asked))
    # The command line listens to Ctrl-C itself: Python's KeyboardInterrupt would come on top.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(native_module().command_line(["partwise", *sys.argv[1:]]))
