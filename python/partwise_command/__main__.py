"""``python -m partwise_command`` is the command ``partwise``."""

from . import main

if __name__ == "__main__":
    main()
