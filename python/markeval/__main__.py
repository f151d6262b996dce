"""``python -m markeval`` and the console script: the command line, whose code lies in the module."""

import signal
import sys
from typing import NoReturn

from . import _native


def main() -> NoReturn:
    """The same words and exit codes as those of the program."""
    for name in (signal.SIGINT, signal.SIGPIPE):  # as a shell starts programs, and Python does not
        signal.signal(name, signal.SIG_DFL)
    sys.exit(_native.run_program(["markeval", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
