"""What all drop-ins share: the module's engine, without the warnings that the tools they stand for do not give."""

import contextlib
import os
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from .. import _native
from .._metrics import all_lexical
from .._progress import watched
from .._scorer import shared_scorer


def not_offered(tool: str, argument: str, value: Any, instead: str) -> NotImplementedError:
    """For an argument, or a value of it, that a drop-in has not got."""
    return NotImplementedError(f"markeval.compat.{tool}: {argument}={value!r} is not offered; {instead}")


@contextlib.contextmanager
def names_the_model(way: str) -> Iterator[None]:
    """Adds to "model 'x' is not on this machine" how to get one, and the drop-in's own way to name it."""
    try:
        yield
    except _native.UsageError as error:
        if "is not on this machine" not in str(error):
            raise
        pull = "" if "markeval model pull" in str(error) else "; 'markeval model pull OWNER/NAME' fetches one"
        raise _native.UsageError(f"{error}{pull}; {way}") from None


def engine(threads: Optional[int] = None) -> _native.Evaluator:
    return shared_scorer(threads, "cpu")._engine()


def as_segments(references: Sequence[Sequence[str]]) -> Tuple[List[str], List[int]]:
    """Lists of references, one per segment, as the engine takes them."""
    lines: List[str] = []
    starts = [0]
    for segment in references:
        lines.extend(segment)
        starts.append(len(lines))
    return lines, starts


def score_lists(
    hypotheses: List[str],
    references: Sequence[Sequence[str]],
    metrics: List[str],
    options: Dict[str, Any],
    threads: Optional[int] = None,
    progress: Any = False,
) -> Tuple[List[Dict[str, Any]], List[str]]:
    """The results of one system by metric, and the engine's warnings."""
    report = watched(
        progress,
        lambda watching: engine(threads).score(
            [("references", as_segments(references))],
            [("hypotheses", (hypotheses, None))],
            metrics,
            options,
            watching,
            all_lexical(metrics),
        ),
    )
    return report.results(), report.warnings()


class WordFile:
    """A list of words as the file that an option of a metric wants."""

    def __init__(self, words: Sequence[str]) -> None:
        handle, self.path = tempfile.mkstemp(suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(word + "\n" for word in words)

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: Any) -> None:
        os.unlink(self.path)
