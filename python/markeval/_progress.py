"""A bar that shows up when work takes long, where a person looks, and goes away when it is done."""

import sys
import time
from typing import Any, Callable, Optional, Union

Progress = Union[None, bool, Callable[[str, int, int], object]]

WAIT_SECONDS = 1.0  # shorter work shows nothing
WIDTH = 24


def in_notebook() -> bool:
    """Whether results are shown by a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """Calls write `stage [####....] 40 %` over and over on one line of a stream."""

    def __init__(self, stream: Any, wait_seconds: float = WAIT_SECONDS) -> None:
        self._stream = stream
        self._start = time.monotonic() + wait_seconds
        self._shown = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() < self._start:
            return
        line = stage
        if total > 0:
            filled = WIDTH * done // total
            line += f" [{'#' * filled}{'.' * (WIDTH - filled)}] {100 * done // total} %"
        self._write(line)
        self._shown = len(line)

    def close(self) -> None:
        if self._shown:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()
            self._shown = 0

    def _write(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._shown))
        self._stream.flush()


class NotebookBar(Bar):
    """The same bar as an output of the cell that is taken away when the work is done."""

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        super().__init__(None, wait_seconds)
        self._handle: Any = None

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)
            self._handle = None

    def _write(self, line: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

        text = {"text/plain": line}
        if self._handle is None:
            self._handle = display(text, raw=True, display_id=True)
        else:
            self._handle.update(text, raw=True)


def watcher(progress: Progress) -> Optional[Callable[[str, int, int], object]]:
    """None: a bar in a notebook and at an interactive prompt. True, False: always, never. Or a function."""
    if callable(progress):
        return progress
    if progress is None:
        interactive = hasattr(sys, "ps1") and sys.stderr is not None and sys.stderr.isatty()
        progress = in_notebook() or interactive
    if progress and in_notebook():
        return NotebookBar()
    return Bar(sys.stderr) if progress and sys.stderr is not None else None


def finish(watching: Optional[Callable[[str, int, int], object]]) -> None:
    if isinstance(watching, Bar):
        watching.close()


def watched(progress: Progress, work: Callable[[Any], Any]) -> Any:
    """What `work` gives back; it is told whom to tell how far it is."""
    watching = watcher(progress)
    try:
        return work(watching)
    finally:
        finish(watching)
