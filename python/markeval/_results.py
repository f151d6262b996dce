"""Results as small objects."""

import json
import math
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

from . import _native
from ._html import comparison_table, folded_page, report_table
from ._metrics import main_result


_MOST_LINES = 20  # of a repr


class MarkevalWarning(UserWarning):
    """Something a user should know about the data or the numbers."""


def tell(messages: List[str]) -> None:
    """Warnings of the engine as Python's, said of the line that called into the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("markeval"):
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, MarkevalWarning, stacklevel=level)


def tell_errors(errors: List[Dict[str, str]]) -> None:
    """Metrics that have no result, said as warnings: the others are there."""
    tell([f"{error['request']} could not be computed: {error['reason']}" for error in errors])


def _sentences(written: Dict[str, Any], field: str) -> List[str]:
    return [_native.in_python(sentence) for sentence in written.get(field, [])]


def _frame(rows: Any, index: Any = None) -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame(rows, index=index)


class Result:
    """What one metric says about one system."""

    __slots__ = (
        "system",
        "metric",
        "requested",
        "scores",
        "segments",
        "intervals",
        "details",
        "signature",
        "statistics",
        "resampled",
    )

    def __init__(self, fields: Dict[str, Any]) -> None:
        self.system: str = fields["system"]
        self.metric: str = fields["metric"]
        """``me``"""
        self.requested: str = fields["requested"]
        """``me:k=3``, as asked for"""
        self.scores: Dict[str, float] = fields["scores"]
        self.segments: Dict[str, np.ndarray] = fields["segments"]
        """The score of every segment, where asked for."""
        self.intervals: Dict[str, Tuple[float, float]] = fields["intervals"]
        """Low and high of 95 %, where asked for."""
        self.details: Dict[str, Any] = fields["details"]
        """What stands behind the scores: counts, lengths, estimates."""
        self.signature: str = fields["signature"]
        """Says exactly what was computed: numbers of the same signature may be compared."""
        self.statistics: Optional[np.ndarray] = fields["statistics"]
        """Counts of every segment, of metrics that are functions of their sum, where asked for."""
        self.resampled: Dict[str, np.ndarray] = fields["resampled"]
        """The score of every resample, where asked for."""

    @property
    def score(self) -> float:
        """The main one of the scores: the F1 of ``bertscore``, ``petersen`` of ``me``; see `metrics()`."""
        main = main_result(self.metric)
        return self.scores[main] if main in self.scores else next(iter(self.scores.values()))

    def __float__(self) -> float:
        return float(self.score)

    def to_dict(self) -> Dict[str, Any]:
        """As in the command line's JSON: an infinite detail is None."""

        def finite(value: Any) -> Any:
            return None if isinstance(value, float) and not math.isfinite(value) else value

        out: Dict[str, Any] = {
            "system": self.system,
            "metric": self.metric,
            "request": self.requested,
            "scores": dict(self.scores),
            "details": {name: finite(value) for name, value in self.details.items()},
            "signature": self.signature,
        }
        if self.segments:
            out["segments"] = {name: values.tolist() for name, values in self.segments.items()}
        if self.intervals:
            out["ci"] = {name: list(interval) for name, interval in self.intervals.items()}
        return out

    def to_pandas(self) -> Any:
        """One row per segment where there are segments, else one row."""
        if self.segments:
            return _frame([dict(zip(self.segments, values)) for values in zip(*self.segments.values())])
        return _frame([self.scores])

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={value:.4f}" for name, value in self.scores.items())
        return f"<{self.system} {self.requested}: {scores}>"


class SystemResults(List[Result]):
    """All results of a system: ``report["mine"]``; ``report["mine"]["bleu"]`` is one of them."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        try:
            request = _native.find_request([result.requested for result in self], key)
        except _native.UsageError as error:
            raise KeyError(str(error)) from None
        return next(result for result in self if result.requested == request)


def _by_group(written: Dict[str, Any]) -> Dict[str, Dict[str, Dict[str, Dict[str, float]]]]:
    out: Dict[str, Dict[str, Dict[str, Dict[str, float]]]] = {}
    for group in written.get("groups", []):
        systems = out.setdefault(group["group"], {})
        for result in group["results"]:
            systems.setdefault(result["system"], {})[result["request"]] = result["scores"]
    return out


class _Written:
    """A report known by what it writes."""

    _native: Any
    _page = False
    _how_to_page = "expected a call with page=True"

    def to_dict(self) -> Dict[str, Any]:
        """What the command line writes as JSON."""
        return json.loads(self._native.json())

    def to_json(self) -> str:
        return self._native.json()

    def to_tsv(self) -> str:
        return self._native.tsv()

    def to_html(self) -> str:
        """The page that ``--report`` writes: of a call with ``page=True``, or in a notebook."""
        if not self._page:
            raise _native.UsageError(f"this report has no page, {self._how_to_page}")
        return self._native.html([])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes :meth:`to_html` to a file."""
        page = self.to_html()
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def __str__(self) -> str:
        return self._native.text().rstrip("\n")

    def __repr__(self) -> str:
        """The first lines of what print() shows."""
        lines = str(self).splitlines()
        left_out = len(lines) - _MOST_LINES
        more = [f"... {left_out} more lines: print() shows all"] if left_out > 0 else []
        return "\n".join([f"<markeval.{type(self).__name__}>", *lines[:_MOST_LINES], *more])


class Report(_Written, Sequence):
    """The results of a call, by system, then by metric, in the order asked for."""

    def __init__(self, native: _native.Report, page: bool, told: Sequence[str] = (), labels: Any = None) -> None:
        self._native = native
        self._page = page
        self._labels = labels  # the index of the input, where it has one
        self.results: List[Result] = [Result(fields) for fields in native.results()]
        self.warnings: List[str] = [*told, *native.warnings()]
        self.errors: List[Dict[str, str]] = native.errors()
        """Metrics that could not be computed, while others could: ``metric``, ``request``, ``reason``."""
        written = self.to_dict()
        self.ceilings: List[Dict[str, Any]] = written.get("ceilings", [])
        """Of set metrics: what people's own texts score (``scores``), and each system (``at_one_size``), of equally
        many texts (``texts``), against as many other texts of people."""
        self.verdicts: List[str] = _sentences(written, "verdicts")
        """What `ceilings` mean in words: which systems are farther from the reference than other people are."""
        self._unnoticed = _sentences(written, "unnoticed")
        self.groups: Dict[str, Dict[str, Dict[str, Dict[str, float]]]] = _by_group(written)
        """Of ``score(..., group=...)``: by group, then as `scores`. ``covered`` of a set metric is the share of the
        group's references that lie among the system's texts."""

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __getitem__(self, key: Any) -> Any:
        """``report[0]``; ``report["mine"]``, all results of a system; ``report["mine", "me:k=3"]``, one of them.

        A bare name, ``"me"``, serves where exactly one variant of the metric was asked for.
        """
        if isinstance(key, (int, np.integer, slice)):
            return self.results[key]
        if isinstance(key, str):
            return self._of_system(key)
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(word, str) for word in key)):
            raise KeyError(f"{key!r}, expected a number, a system, or a system and a metric")
        results = self._of_system(key[0])
        if not any(key[1] in (result.requested, result.metric) for result in results):
            for error in self.errors:
                if key[1] in (error["request"], error["metric"]):
                    raise KeyError(f"{error['request']} could not be computed: {error['reason']}")
        return results[key[1]]

    def _of_system(self, system: str) -> SystemResults:
        results = SystemResults(result for result in self.results if result.system == system)
        if not results:
            systems = ", ".join(dict.fromkeys(result.system for result in self.results))
            raise KeyError(f"no system {system!r} (systems: {systems})")
        return results

    def score(self, system: str, metric: str, result: Optional[str] = None) -> float:
        """One number: the main result of a metric, or the one named. Looked up as ``report[system, metric]``."""
        found = self[system, metric]
        if result is None:
            return found.score
        if result not in found.scores:
            raise KeyError(f"{found.requested} has no result {result!r} (results: {', '.join(found.scores)})")
        return found.scores[result]

    @property
    def scores(self) -> Dict[str, Dict[str, Dict[str, float]]]:
        """By system, metric as asked for, and name of the result."""
        out: Dict[str, Dict[str, Dict[str, float]]] = {}
        for result in self.results:
            out.setdefault(result.system, {})[result.requested] = dict(result.scores)
        return out

    @property
    def segments(self) -> Dict[str, Dict[str, Dict[str, np.ndarray]]]:
        """As `scores`, an array each; empty where not asked for."""
        out: Dict[str, Dict[str, Dict[str, np.ndarray]]] = {}
        for result in self.results:
            if result.segments:
                out.setdefault(result.system, {})[result.requested] = result.segments
        return out

    @property
    def signature(self) -> str:
        """Of all metrics, one per line."""
        return "\n".join(dict.fromkeys(result.signature for result in self.results))

    def explanation(self) -> Dict[str, Any]:
        """Which rows lie outside, which tokens met: of ``score(..., explain=True)``."""
        return json.loads(self._native.explanation_json())

    def to_pandas(self, segments: bool = False, wide: bool = False) -> Any:
        """One row per number: system, metric, result, value, and the interval where there is one.

        With `segments` one row per segment, numbered from 1. With `wide` one row per system and a column for the
        main result of each metric; with both, one row per segment with the index of the input (from 0 where it has
        none), and a column for each system and metric.
        """
        if wide:
            return self._wide_frame(segments)
        rows = []
        for result in self.results:
            place = {"system": result.system, "metric": result.requested}
            if segments:
                for name, values in result.segments.items():
                    for number, value in enumerate(values.tolist(), 1):
                        rows.append({**place, "segment": number, "result": name, "value": value})
                continue
            for name, value in result.scores.items():
                row = {**place, "result": name, "value": value}
                if name in result.intervals:
                    row["low"], row["high"] = result.intervals[name]
                rows.append(row)
        return _frame(rows)

    def _wide_frame(self, segments: bool) -> Any:
        if segments:
            columns = {
                (result.system, result.requested): result.segments[main]
                for result in self.results
                for main in [main_result(result.metric)]
                if main in result.segments
            }
            return _frame(columns, self._labels if columns else None)
        systems = list(dict.fromkeys(result.system for result in self.results))
        rows = [{result.requested: result.score for result in self._of_system(system)} for system in systems]
        frame = _frame(rows)
        frame.index = systems
        return frame

    def _repr_html_(self) -> str:
        table = report_table(
            self._native.markdown(), self.verdicts + self._unnoticed, self.signature.splitlines(), self.warnings
        )
        return table + folded_page(self.to_html()) if self._page else table


class Comparison(_Written):
    """Several systems: scores with intervals, tests against the first and among all, ranks."""

    def __init__(self, native: _native.ComparisonReport, page: bool = False, told: Sequence[str] = ()) -> None:
        self._native = native
        self._page = page
        self.warnings: List[str] = [*told, *native.warnings()]
        self.errors: List[Dict[str, str]] = native.errors()
        """As of `Report`."""
        written = self.to_dict()
        self.results: List[Dict[str, Any]] = written["results"]
        """One per metric and result: systems with score, interval, rank; pairs with difference and p-value."""
        self.ceilings: List[Dict[str, Any]] = written.get("ceilings", [])
        """As of `Report`."""
        self.verdicts: List[str] = _sentences(written, "verdicts")
        """As of `Report`."""
        self._unnoticed = _sentences(written, "unnoticed")
        self.groups: Dict[str, List[Dict[str, Any]]] = {
            group["group"]: group["results"] for group in written.get("groups", [])
        }
        """Of ``compare(..., group=...)``: by group, as `results`."""

    @property
    def scores(self) -> Dict[str, Dict[str, float]]:
        """By ``metric.result``, the metric as asked for, and system."""
        return {
            self._name(result): {one["system"]: one["score"] for one in result["systems"]}
            for result in self.results
        }

    @property
    def ranks(self) -> Dict[str, Dict[str, Optional[int]]]:
        """As `scores`; systems the test does not separate share a rank. None: a set metric gives it no rank."""
        return {
            self._name(result): {one["system"]: one["rank"] for one in result["systems"]}
            for result in self.results
        }

    @property
    def signature(self) -> str:
        return "\n".join(dict.fromkeys(result["signature"] for result in self.results))

    @staticmethod
    def _name(result: Dict[str, Any]) -> str:
        return f"{result['request']}.{result['result']}"

    def to_pandas(self, wide: bool = False) -> Any:
        """One row per metric, result and system; `wide`: one row per system, a column for each metric and result."""
        if not wide:
            return _frame(self._rows())
        scores = self.scores
        systems = list(next(iter(scores.values()))) if scores else []
        frame = _frame([{name: values[system] for name, values in scores.items()} for system in systems])
        frame.index = systems
        return frame

    def _rows(self) -> List[Dict[str, Any]]:
        """Intervals as two numbers: low and high."""
        rows = []
        for result in self.results:
            for one in result["systems"]:
                row = {"metric": result["request"], "result": result["result"]}
                for name, value in one.items():
                    if name in ("ci", "difference_ci", "rank_range"):
                        prefix = {"ci": "", "difference_ci": "difference_", "rank_range": "rank_"}[name]
                        row[prefix + "low"], row[prefix + "high"] = value or (None, None)
                    else:
                        row[name] = value
                rows.append(row)
        return rows

    def _repr_html_(self) -> str:
        table = comparison_table(
            self._native.markdown(), self.verdicts + self._unnoticed, self.results, self.warnings
        )
        return table + folded_page(self.to_html()) if self._page else table


def _flat_intervals(result: Dict[str, Any]) -> Dict[str, Any]:
    """``{"ci": {"pearson": [low, high]}}`` as two entries."""
    flat = {key: value for key, value in result.items() if key != "ci"}
    for name, interval in result.get("ci", {}).items():
        flat[f"{name}_low"], flat[f"{name}_high"] = interval or (None, None)
    return flat


class Correlation(_Written):
    """How well metrics agree with people."""

    def __init__(self, native: _native.CorrelationReport, page: bool, told: Sequence[str] = ()) -> None:
        self._native = native
        self._page = page
        self.warnings: List[str] = [*told, *native.warnings()]
        written = self.to_dict()
        self.results: List[Dict[str, Any]] = written["results"]
        """One per metric and group: n and the coefficients, None where one is not defined."""
        self.tests: List[Dict[str, Any]] = written.get("tests", [])
        self.verdicts: List[str] = _sentences(written, "verdicts")
        """Which metric agrees best, in a sentence for each column of human scores."""

    @property
    def signature(self) -> str:
        return self.to_dict()["signature"]

    def value(
        self, predicted: str, coefficient: str, group: Optional[str] = None, gold: Optional[str] = None
    ) -> Optional[float]:
        """Of a metric: in a group, or over all rows, or the mean of the groups; `gold`: of several judgements."""
        for result in self.results:
            if gold is not None and result.get("gold", gold) != gold:
                continue
            if result["predicted"] == predicted and result["group"] in ((group,) if group else ("all", "mean")):
                return result[coefficient]
        raise KeyError(f"no {coefficient} of {predicted!r}" + (f" in group {group!r}" if group else ""))

    def to_pandas(self) -> Any:
        """A row per metric and group; intervals are columns, ``pearson_low`` and ``pearson_high``."""
        return _frame([_flat_intervals(result) for result in self.results])

    def _repr_html_(self) -> str:
        signatures = [self.signature, *self.to_dict().get("metric_signatures", [])]
        table = report_table(self._native.markdown(), self.verdicts, signatures, self.warnings)
        return table + folded_page(self.to_html()) if self._page else table


class TokenVectors:
    """One row per token: text i has rows ``starts[i]`` to ``starts[i + 1]``, special tokens included."""

    __slots__ = ("vectors", "starts", "ids", "signature")

    def __init__(self, vectors: np.ndarray, starts: np.ndarray, ids: np.ndarray, signature: str) -> None:
        self.vectors = vectors
        self.starts = starts
        self.ids = ids
        self.signature = signature

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, text: int) -> np.ndarray:
        if not -len(self) <= text < len(self):
            raise IndexError(f"text {text} of {len(self)}")
        text %= len(self)
        return self.vectors[self.starts[text] : self.starts[text + 1]]


Embedded = Union[np.ndarray, TokenVectors]
