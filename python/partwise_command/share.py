"""One of the processes that run the command ``partwise`` together; see ``cluster.py``."""

import json
import os
import signal
import sys
import threading

from . import native_module


def main() -> None:
    """Listens for the others, prints the port, reads its part from standard input, and runs the command."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    native = native_module()
    listener = native.Listener(sys.argv[1])
    print(listener.port, flush=True)
    line = sys.stdin.readline()
    if not line:
        return
    part = json.loads(line)
    # Standard input ends with the worker that started this.
    threading.Thread(target=_end_with_worker, daemon=True).start()
    processes = listener.connect(part["rank"], part["places"], bytes.fromhex(part["token"]), part["seconds"])
    sys.exit(native.command_line_shared(["partwise", *part["arguments"]], processes, part["on_this_machine"]))


def _end_with_worker() -> None:
    while sys.stdin.readline():
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
