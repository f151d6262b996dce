"""``python -m markeval`` and the console script: the program that lies in the package."""

import os
import pathlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program: the same words, exit codes and signals."""
    program = pathlib.Path(__file__).parent / "program" / "markeval"
    if not program.is_file():
        sys.exit(f"markeval: {program} is not there; this package was built without the program")
    os.execv(program, ["markeval", *sys.argv[1:]])


if __name__ == "__main__":
    main()
