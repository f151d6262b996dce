"""What workers of a cluster do with a batch of rows: jobs that travel there, records that come back.

A record is a header, small and read by the driver, and a payload, bytes that the engine carries to whoever needs
them. A job never raises for what is wrong with rows or models: the header says it, and the driver raises one sentence.
"""

import os
import pickle
import socket
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union

from ._inputs import ArrowTexts, arrow_texts, text_source
from ._native import Error, plan_parts
from ._scorer import Scorer, shared_scorer

Record = Tuple[bytes, bytes]



@dataclass
class Plan:
    """What is to be scored: the same for all workers."""

    settings: Dict[str, Any]
    references: List[str]
    systems: Dict[str, str]
    metrics: List[str] = field(default_factory=list)
    options: Dict[str, Any] = field(default_factory=dict)
    comparison: Optional[Dict[str, Any]] = None
    group: Optional[str] = None
    kept: List[str] = field(default_factory=list)  # columns that come back as they are
    counts: bytes = b""
    threads: int = 1

    def scorer(self) -> Scorer:
        return shared_scorer(self.threads, self.settings["device"], **self.settings_of_model())

    def settings_of_model(self) -> Dict[str, Any]:
        return {name: value for name, value in self.settings.items() if name not in ("threads", "device", "metrics")}

    def text_columns(self) -> List[str]:
        return [*self.references, *self.systems.values()]

    def other_columns(self) -> List[str]:
        return [*self.kept, *([self.group] if self.group else [])]

    def columns(self) -> List[str]:
        """All that workers read, each once."""
        return list(dict.fromkeys([*self.text_columns(), *self.other_columns()]))

    def inputs(self, columns: Mapping[str, Any]) -> Tuple[Any, Any]:
        """References and systems, as the engine takes them, of columns of texts."""
        references = [(name, text_source(columns[name], name)) for name in self.references]
        systems = [(name, text_source(columns[column], name)) for name, column in self.systems.items()]
        return references, systems

    def names(self) -> Tuple[List[Any], List[Any]]:
        """References and systems without texts: what stands in for them where parts are put together."""
        nothing: Any = ([], None)
        return [(name, nothing) for name in self.references], [(name, nothing) for name in self.systems]


def _fault(value: Any, lists: bool) -> Optional[str]:
    """Why a value is no text; None where it is one."""
    if value is None:
        return "is null"
    if isinstance(value, bytes):
        try:
            value.decode()
        except UnicodeDecodeError as error:
            return f"is not valid UTF-8 at byte {error.start}"
        return None
    if isinstance(value, str):
        return None
    if lists and isinstance(value, (list, tuple)):
        if not value:
            return "is a list without texts"
        faults = [_fault(one, False) for one in value]
        return next((f"holds a text that {fault}" for fault in faults if fault), None)
    return f"is of type {type(value).__name__}"


def _text(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return [_text(one) for one in value] if isinstance(value, (list, tuple)) else value


def _values(column: Any) -> List[Any]:
    """The values of an Arrow column.

    A column of text with bytes that are not UTF-8 (a Parquet file may hold them) comes as bytes, for `_fault` to say.
    """
    import pyarrow

    try:
        values: List[Any] = column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast(pyarrow.large_binary()).to_pylist()
    return values


class Rows:
    """The good rows of a batch, column by column, and what was wrong with the others."""

    def __init__(self, plan: Plan, table: Any) -> None:
        self._given = {name: table.column(name) for name in dict.fromkeys(plan.text_columns())}
        self.others: Dict[str, List[Any]] = {name: table.column(name).to_pylist() for name in plan.other_columns()}
        self.given = table.num_rows
        self.good: Sequence[int] = range(self.given)
        self.bad: List[Tuple[int, str]] = []
        # Most batches need no look at each value, and no Python object of it: their columns hold nothing else than texts.
        texts = {name: arrow_texts(column) for name, column in self._given.items()}
        self.columns: Mapping[str, Union[None, ArrowTexts, List[Any]]] = texts
        if not all(texts.values()):
            self._leave_out_bad_rows(set(plan.references))

    def lists(self) -> Dict[str, List[Any]]:
        """The columns as lists of str, or of lists of str."""
        return {
            name: self._given[name].to_pylist() if isinstance(values, ArrowTexts) else values or []
            for name, values in self.columns.items()
        }

    def _leave_out_bad_rows(self, lists: Set[str]) -> None:
        columns = {name: _values(column) for name, column in self._given.items()}
        self.good = good = []
        for row in range(self.given):
            faults = ((name, _fault(values[row], name in lists)) for name, values in columns.items())
            first = next(((name, fault) for name, fault in faults if fault is not None), None)
            if first is None:
                good.append(row)
            else:
                self.bad.append((row, f"column '{first[0]}' {first[1]}, expected a text"))
        self.columns = {name: [_text(values[row]) for row in good] for name, values in columns.items()}
        self.others = {name: [values[row] for row in good] for name, values in self.others.items()}


def available_memory() -> int:
    """Bytes a process of this machine may still take: of the machine, or of its container."""
    found = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":", 1) for line in file)
        found = int(lines["MemAvailable"].split()[0]) * 1024
        with open("/sys/fs/cgroup/memory.max") as limit, open("/sys/fs/cgroup/memory.current") as used:
            found = min(found, int(limit.read()) - int(used.read()))
    except (OSError, KeyError, ValueError):
        pass
    return found


def _told(error: Error) -> Tuple[str, str, str]:
    """An error as a header carries it."""
    return type(error).__name__, str(error), socket.gethostname()


class Job:
    """Does one thing with a batch (an Arrow table). Made on the driver, called on workers."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __call__(self, table: Any) -> Record:
        rows = Rows(self.plan, table)
        header: Dict[str, Any] = {"given": rows.given, "bad": rows.bad, "others": rows.others}
        payload = b""
        try:
            if rows.good:
                payload = self.work(rows, header)
        except Error as error:
            header["error"] = _told(error)
        return pickle.dumps(header), payload

    def work(self, rows: Rows, header: Dict[str, Any]) -> bytes:
        raise NotImplementedError


class ScorePart(Job):
    """Statistics and scores of the segments."""

    def work(self, rows: Rows, header: Dict[str, Any]) -> bytes:
        plan = self.plan
        return plan.scorer()._engine().score_part(
            *plan.inputs(rows.columns), plan.metrics, plan.options, plan.comparison, plan.counts, []
        )


class CountPart(Job):
    """In how many texts each token stands: what idf is made of."""

    def work(self, rows: Rows, header: Dict[str, Any]) -> bytes:
        plan = self.plan
        return plan.scorer()._engine().count_part(*plan.inputs(rows.columns), plan.metrics, plan.options)


class KeepTexts(Job):
    """The texts themselves, for a worker that scores all of them; and how many rows of vectors they make."""

    def __init__(self, plan: Plan, layers_of_words: int, vectors: bool) -> None:
        super().__init__(plan)
        self.layers_of_words, self.vectors = layers_of_words, vectors

    def work(self, rows: Rows, header: Dict[str, Any]) -> bytes:
        scorer = self.plan.scorer()
        header["memory"] = available_memory()
        columns = rows.lists()
        if self.vectors:
            texts = flat_texts(columns.values())
            header["width"] = int(scorer.embed(["a"]).shape[1])
            header["vectors"] = len(texts)
            if self.layers_of_words:
                header["vectors"] = sum(len(ids) for ids in scorer.tokenize(texts)) * self.layers_of_words
        return pickle.dumps(columns)


def flat_texts(columns: Iterable[Sequence[Any]]) -> List[str]:
    """The texts of columns, each of which may hold lists of them."""
    return [text for values in columns for one in values for text in ([one] if isinstance(one, str) else one)]


class EmbedTexts:
    """Vectors of distinct texts: a list of str in, a record out."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __call__(self, texts: List[str]) -> Record:
        try:
            payload = self.plan.scorer()._engine().embed_part(texts, self.plan.metrics, self.plan.options)
        except Error as error:
            return pickle.dumps({"error": _told(error)}), b""
        return pickle.dumps({}), payload


class ScoreWhole:
    """Scores all texts at once, with the vectors others made of them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __call__(self, texts: Iterable[bytes], vectors: Sequence[bytes], need: int) -> Record:
        plan = self.plan
        header: Dict[str, Any] = {}
        columns: Dict[str, List[Any]] = {}
        if need > available_memory():
            header["memory"] = available_memory()
            return pickle.dumps(header), b""
        for payload in texts:
            if payload:
                for name, values in pickle.loads(payload).items():
                    columns.setdefault(name, []).extend(values)
        inputs = plan.inputs(columns)
        try:
            part = plan.scorer()._engine().score_part(
                *inputs, plan.metrics, plan.options, plan.comparison, plan.counts, list(vectors)
            )
        except Error as error:
            header["error"] = _told(error)
            part = b""
        return pickle.dumps(header), part


class SegmentScores:
    """A batch with a column more for each system, metric and result: ``mine.chrf.chrf``."""

    def __init__(self, plan: Plan, on_error: str) -> None:
        self.plan, self.on_error = plan, on_error

    def __call__(self, table: Any) -> Any:
        import pyarrow

        plan = self.plan
        rows = Rows(plan, table)
        if rows.bad and self.on_error == "raise":
            raise ValueError(f"row {rows.bad[0][0] + 1} of a batch: {rows.bad[0][1]}")
        scores: Dict[Tuple[str, str, str], Any] = {}
        if rows.good:
            engine = plan.scorer()._engine()
            options = {**plan.options, "segments": True}
            part = engine.score_part(*plan.inputs(rows.columns), plan.metrics, options, None, plan.counts, [])
            report = engine.score(*plan.names(), plan.metrics, {**options, "gathered": [[part]]}, None, False)
            for result in report.results():
                for name, values in result["segments"].items():
                    scores[result["system"], result["requested"], name] = values
        for system, metric, name in segment_columns(plan):
            column: List[Optional[float]] = [None] * rows.given  # a bad row has no score
            for row, value in zip(rows.good, scores.get((system, metric, name), ())):
                column[row] = float(value)
            table = table.append_column(f"{system}.{metric}.{name}", pyarrow.array(column, pyarrow.float64()))
        return table


def segment_columns(plan: Plan) -> List[Tuple[str, str, str]]:
    """System, metric and result of every column of :class:`SegmentScores`, known before anything is scored."""
    plans = plan_parts(plan.metrics)
    return [(system, one["name"], name) for system in plan.systems for one in plans for name in one["results"]]


class EmbedColumn:
    """A batch with the vectors of a column of texts as a column more."""

    def __init__(self, plan: Plan, column: str, output: str, arguments: Dict[str, Any]) -> None:
        self.plan, self.column, self.output, self.arguments = plan, column, output, arguments

    def __call__(self, table: Any) -> Any:
        import pyarrow

        rows = Rows(self.plan, table)
        if rows.bad:
            raise ValueError(f"row {rows.bad[0][0] + 1} of a batch: {rows.bad[0][1]}")
        if rows.given == 0:
            values = pyarrow.array([], pyarrow.list_(pyarrow.float32()))
        else:
            vectors = self.plan.scorer().embed(rows.lists()[self.column], **self.arguments)
            values = pyarrow.array(list(vectors), pyarrow.list_(pyarrow.float32()))
        return table.append_column(self.output, values)
