"""``python -m partwise`` is the command ``partwise``."""

from partwise_command import main

main()
