"""What can be computed."""

import functools
import json
from typing import Any, Dict, Iterable, List

from . import _native
from ._html import rows_table


@functools.lru_cache(maxsize=1)
def _table() -> Dict[str, Dict[str, Any]]:
    listed = json.loads(_native.metrics_json())["metrics"]
    return {entry["name"]: entry for entry in listed}


def metric_names() -> List[str]:
    """The names :func:`markeval.score` knows: ``me``, ``bertscore``, ``bleu``, ..."""
    return list(_table())


class MetricList(List[Dict[str, Any]]):
    """A list of what there is to know about metrics; a table in a notebook."""

    def __repr__(self) -> str:
        width = max((len(entry["name"]) for entry in self), default=0)
        return "\n".join(f"{entry['name']:<{width}}  {entry['summary']}" for entry in self)

    def _repr_html_(self) -> str:
        return rows_table(
            [
                {
                    "name": entry["name"],
                    "what": entry["summary"],
                    "kind": entry["kind"],
                    "main result": entry["main"],
                    "better": entry["better"],
                    "options": ", ".join(option["name"] for option in entry["options"]),
                }
                for entry in self
            ]
        )


def metrics(*names: str) -> MetricList:
    """All about the metrics: name, kind, results and the main one, options with their defaults, paper.

    >>> import markeval
    >>> [option["name"] for option in markeval.metrics("chrf")[0]["options"]][:2]
    ['char_order', 'word_order']
    """
    found = MetricList(json.loads(_native.metrics_json())["metrics"])
    for name in names:
        if name not in _table():
            raise _native.UsageError(f"unknown metric {name!r} (metrics: {', '.join(_table())})")
    return MetricList(entry for entry in found if not names or entry["name"] in names)


def main_result(name: str) -> str:
    """The result a metric is known by where one number must do."""
    return _table()[name]["main"]


def all_lexical(names: Iterable[str]) -> bool:
    """Whether all these metrics count words and characters and need no model."""
    table = _table()
    return all(table.get(name.partition(":")[0], {}).get("kind") == "lexical" for name in names)


def _name(request: str) -> str:
    """``me`` of ``mine=me:k=3`` and of ``me.petersen``"""
    return request.partition(":")[0].rpartition("=")[2].partition(".")[0]


def pairs_rows(requests: Iterable[str]) -> bool:
    """Whether one of these metrics compares a text with the reference in the same row; set metrics do not."""
    table = _table()
    return any(table.get(_name(one), {}).get("kind") != "set" or "scope=segment" in one for one in requests)


def is_preset(word: str) -> bool:
    """``mt``, which is no metric"""
    if _name(word) in _table():
        return False
    try:
        return bool(_native.preset_metrics(word, ""))
    except _native.UsageError:
        return False
