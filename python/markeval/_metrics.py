"""What can be computed."""

import functools
import json
from typing import Any, Dict, Iterable, List

from . import _native


@functools.lru_cache(maxsize=1)
def _table() -> Dict[str, Dict[str, Any]]:
    listed = json.loads(_native.metrics_json())["metrics"]
    return {entry["name"]: entry for entry in listed}


def metric_names() -> List[str]:
    """The names :func:`markeval.score` knows: ``me``, ``bertscore``, ``bleu``, ..."""
    return list(_table())


def metrics() -> List[Dict[str, Any]]:
    """All about the metrics: name, kind, results and the main one, options with their defaults, paper."""
    return json.loads(_native.metrics_json())["metrics"]


def main_result(name: str) -> str:
    """The result a metric is known by where one number must do."""
    return _table()[name]["main"]


def all_lexical(names: Iterable[str]) -> bool:
    """Whether all these metrics count words and characters and need no model."""
    table = _table()
    return all(table.get(name.partition(":")[0], {}).get("kind") == "lexical" for name in names)
