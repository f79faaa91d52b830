"""``python -m partwise`` is the command ``partwise``."""

from partwise_command import main

if __name__ == "__main__":
    main()
