"""Judged tables in memory: written as files to learn from, and known again where a metric is judged."""

import hashlib
import json
import pathlib
import re
from typing import Any, Iterator, List, Sequence

from . import _native
from ._index import common_index, mapping_columns
from ._inputs import _number, _values, frame_columns


def table_lines(table: Any, columns: Sequence[str], gold: str) -> Iterator[bytes]:
    """A line of JSON for each row, the same bytes for the same table."""
    known = frame_columns(table) or [str(name) for name in table]
    missing = [name for name in columns if name not in known]
    if missing:
        raise _native.UsageError(f"no column {missing[0]!r} (columns: {', '.join(known)})")
    common_index(mapping_columns(table, columns))
    lists = []
    for name in columns:
        values = _values(table[name])
        lists.append([_number(value, name) for value in values] if name == gold else values)
    for row in zip(*lists):
        yield (json.dumps(dict(zip(columns, row)), ensure_ascii=False) + "\n").encode()


def _trained_on(metric: str) -> List[str]:
    """The checksums of the tables behind ``match:weights=FOLDER``."""
    folder = re.search(r"[:,]weights=([^,]+)", metric)
    try:
        config = json.loads((pathlib.Path(folder[1]) / "config.json").read_bytes()) if folder else {}
        return [one["sha256"] for one in config["training"]["train"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # the engine says what is wrong with a folder


def learned_from(table: Any, reference: str, hypothesis: str, golds: Sequence[str], metrics: Sequence[str]) -> List[str]:
    """A warning for each metric that :func:`markeval.train` made of these columns of this table."""
    trained = {metric: _trained_on(metric) for metric in metrics}
    if not any(trained.values()):
        return []
    hashes = set()
    for gold in golds:
        digest = hashlib.sha256()
        for line in table_lines(table, [reference, hypothesis, gold], gold):
            digest.update(line)
        hashes.add(digest.hexdigest())
    return [
        f"{metric} learned from this table; its agreement there says nothing about new texts"
        for metric, found in trained.items()
        if hashes.intersection(found)
    ]
