"""``python -m partwise_command`` is the command ``partwise``."""

from . import main

main()
