"""The build backend of `pip install .`: scikit-build-core's, with lines of progress on the terminal.

pip keeps to itself what a build prints, and this one compiles for minutes. So the lines go to the terminal
directly; without one nothing is printed."""

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

from scikit_build_core.build import *  # noqa: F401,F403
from scikit_build_core import build as _backend

FOLDER = pathlib.Path("build") / sys.implementation.cache_tag  # build-dir of pyproject.toml
SECONDS_BETWEEN_LINES = 15
SHARE_TO_ESTIMATE = 0.2  # of the steps; the time left is not told before


def minutes(seconds):
    return f"{max(1, round(seconds / 60))} min"


def steps_done(since):
    """Lines that ninja has added to its log."""
    log = FOLDER / ".ninja_log"
    return len(log.read_bytes()[since:].splitlines()) if log.exists() else 0


def steps_in_all():
    """Commands that make the module; 0 while CMake has not written them, and without ninja."""
    ninja = shutil.which("ninja")
    if ninja is None or not (FOLDER / "build.ninja").exists():
        return 0
    listed = subprocess.run([ninja, "-C", FOLDER, "-t", "commands", "_native"], capture_output=True, check=False)
    return len(listed.stdout.splitlines())


def show_progress(terminal, ended):
    log = FOLDER / ".ninja_log"
    before, start = log.stat().st_size if log.exists() else 0, time.monotonic()
    cores = len(os.sched_getaffinity(0))
    print(f"\nmarkeval: compiling on {cores} cores, some minutes; -v shows every step", file=terminal, flush=True)
    told = 0
    while not ended.wait(SECONDS_BETWEEN_LINES):
        done, total = steps_done(before), steps_in_all()
        if not told < done < total:  # a long step adds no line
            continue
        told = done
        line = f"markeval: {done} of {total} steps"
        if done >= SHARE_TO_ESTIMATE * total:  # the first steps are the short ones
            left = minutes((time.monotonic() - start) / done * (total - done))
            line += f", about {left} left"
        print(line, file=terminal, flush=True)


def with_progress(build):
    def run(*arguments, **settings):
        try:
            terminal = open("/dev/tty", "w", encoding="ascii")
        except OSError:
            return build(*arguments, **settings)
        ended = threading.Event()
        thread = threading.Thread(target=show_progress, args=(terminal, ended), daemon=True)
        thread.start()
        try:
            return build(*arguments, **settings)
        finally:
            ended.set()
            thread.join()
            terminal.close()

    return run


build_wheel = with_progress(_backend.build_wheel)
build_editable = with_progress(_backend.build_editable)
