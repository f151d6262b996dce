"""align: a text with other lines than its reference, cut into the reference's lines."""

import os
from typing import Any, List, NamedTuple

from . import _native


class Alignment(NamedTuple):
    """What :func:`markeval.align` gives back."""

    lines: List[str]  #: one for each line of the reference; some may be empty
    edits: int  #: words (or characters) inserted, left out or replaced
    error_rate: float  #: edits per word (or character) of the reference


def _source(given: Any, name: str) -> Any:
    if isinstance(given, os.PathLike):
        return os.fspath(given)
    if isinstance(given, str):
        raise TypeError(f"{name} is a str, expected a list of texts or a pathlib.Path; [{name}] is one text")
    return list(given)


def align(
    reference: Any,
    text: Any,
    *,
    unit: str = "word",
    ignore_case: bool = False,
    replace_invalid: bool = False,
) -> Alignment:
    """Cuts a text (speech translation, documents of language models) into the lines of its reference.

    >>> import markeval
    >>> markeval.align(["The boat left.", "Nobody saw it."], ["The boat left. Nobody has", "seen it."]).lines
    ['The boat left.', 'Nobody has seen it.']

    The cuts are those of the smallest word error rate of all lines together, as ``markeval align`` finds them.

    :param reference: a list of texts, or a file as ``pathlib.Path("refs.txt")``.
    :param text: the same; where its lines end does not matter.
    :param unit: ``word``, or ``character`` for scripts without blanks.
    :param ignore_case: compare words without their case; the lines keep it.
    :param replace_invalid: U+FFFD for invalid UTF-8 of files instead of an error.
    """
    found = _native.align(_source(reference, "reference"), _source(text, "text"), unit, ignore_case, replace_invalid)
    return Alignment(found.lines, found.edits, found.error_rate)
