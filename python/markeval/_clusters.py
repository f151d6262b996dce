"""A corpus on a cluster: what the driver does, whichever engine carries rows and records.

Workers score batches of rows; the driver puts what they found together and makes the report with the code one machine
uses. Metrics that look at all texts at once are scored by one worker, with vectors that all workers made.
"""

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from . import _native
from ._inputs import group_options, metric_list, name_list, table_columns
from ._keywords import Metrics, Model, Names, PartCompare, PartCorrelate, PartScore, Test, taken, takes
from ._metrics import all_lexical
from ._results import Comparison, Correlation, Report, tell, tell_errors
from ._scorer import Scorer, correlate_options, score_options
from ._worker import CountPart, EmbedTexts, Job, KeepTexts, Plan, Record, ScorePart, ScoreWhole

if TYPE_CHECKING:
    from typing_extensions import Unpack

MEMORY_FACTOR = 2.2  # vectors as they came, once more as rows of a set, and what the counting needs


class Engine:
    """What an engine of clusters can do: a few lines for Ray, a few for Spark."""

    def columns(self) -> List[str]:
        raise NotImplementedError

    def records(self, job: Job, batch: int) -> Iterator[Record]:
        """The records of all batches, in the order of the rows."""
        raise NotImplementedError

    def whole(
        self,
        texts: KeepTexts,
        embed: Optional[EmbedTexts],
        score: ScoreWhole,
        batch: int,
        need: Callable[[Iterable[Dict[str, Any]]], int],
    ) -> Record:
        """`texts` of all batches; vectors of the distinct ones, where `embed` is given; then `score` on one worker.

        `need` is told the headers of `texts`, raises where the cluster cannot do it, and gives the bytes it takes.
        """
        raise NotImplementedError


class Skipped:
    """Rows with something else than texts: an error, or counted and left out."""

    def __init__(self, on_error: str) -> None:
        if on_error not in ("raise", "skip"):
            raise _native.UsageError(f"on_error {on_error!r}, expected 'raise' or 'skip'")
        self._on_error = on_error
        self._rows = 0
        self._count = 0
        self._first = ""

    def look_at(self, header: Mapping[str, Any]) -> None:
        """Raises what went wrong on a worker, and for bad rows where they are an error."""
        if "error" in header:
            kind, message, host = header["error"]
            raise getattr(_native, kind, _native.Error)(f"worker on {host}: {message}")
        for place, fault in header.get("bad", ()):
            text = f"row {self._rows + place + 1}: {fault}"
            if self._on_error == "raise":
                raise _native.InvalidInputError(text)
            self._first = self._first or text
            self._count += 1
        self._rows += header.get("given", 0)

    def told(self) -> List[str]:
        if self._count == 0:
            return []
        rows = "row" if self._count == 1 else "rows"
        return [f"{self._count} of {self._rows} {rows} skipped; the first is {self._first}"]


def system_columns(systems: Any) -> Dict[str, str]:
    """``{"mine": "hyp"}``, ``["hyp"]`` or ``"hyp"``: names of systems and their columns."""
    if isinstance(systems, Mapping):
        return {str(name): str(column) for name, column in systems.items()}
    return {name: name for name in name_list(systems)}


def require_columns(known: Sequence[str], wanted: Iterable[str]) -> None:
    for name in wanted:
        if name not in known:
            raise _native.UsageError(f"no column {name!r} in the data (columns: {', '.join(known)})")


class Run:
    """One request on one engine."""

    def __init__(
        self,
        engine: Engine,
        references: Union[str, Sequence[str]],
        systems: Any,
        metrics: Metrics,
        *,
        on_error: str = "raise",
        batch_size: Optional[int] = None,
        threads: int = 1,
        group: Optional[str] = None,
        kept: Sequence[str] = (),
        settings: Mapping[str, Any],
    ) -> None:
        self.engine = engine
        self.scorer = Scorer(threads=threads, **settings)
        self.metrics = metric_list(metrics)
        self.on_error = on_error
        Skipped(on_error)
        self.plan = Plan(
            self.scorer._settings,
            name_list(references),
            system_columns(systems),
            self.metrics,
            group=group,
            kept=list(kept),
            threads=threads,
        )
        require_columns(engine.columns(), self.plan.columns())
        # A task of an engine costs some ten milliseconds, a row of lexical metrics about as many microseconds.
        self.batch = batch_size or (65536 if all_lexical(self.metrics) else 1024)
        self.others: Dict[str, List[Any]] = {}
        self.told: List[str] = []

    def _read(self, job: Job, keep: bool) -> List[bytes]:
        skipped = Skipped(self.on_error)
        payloads, others = [], self.others
        for packed, payload in self.engine.records(job, self.batch):
            header = pickle.loads(packed)
            skipped.look_at(header)
            if payload:
                payloads.append(payload)
            if keep:
                for name, values in header["others"].items():
                    others.setdefault(name, []).extend(values)
        self.told = skipped.told()
        if not payloads:
            raise _native.InvalidInputError("the data have no rows with texts")
        return payloads

    def count(self, plans: Sequence[Mapping[str, Any]]) -> None:
        """Document counts of all parts, where a metric weighs tokens by them."""
        if any(plan["counts_tokens"] for plan in plans):
            self.plan.counts = _native.merge_counts(self._read(CountPart(self.plan), False))

    def gather(self, options: Dict[str, Any], comparison: Optional[Dict[str, Any]] = None) -> List[List[bytes]]:
        """What the workers found: one list of parts, or one for each way metrics are scored."""
        plans = _native.plan_parts(self.metrics)
        self.plan.options, self.plan.comparison = options, comparison
        self.count(plans)
        whole = [plan for plan in plans if plan["whole"]]
        parts = [plan["metric"] for plan in plans if not plan["whole"]]
        gathered = []
        kept = bool(self.plan.kept or self.plan.group)
        if parts or kept:
            # Labels of groups come with the parts; a part needs no more than to keep its rows for them.
            rows = {**options, "keep_statistics": True} if self.plan.group else options
            plan = self._variant(parts or [_native.METRIC_OF_LABELS], rows)
            found = self._read(ScorePart(plan), kept)
            if parts:
                gathered.append(found)
        if whole:
            labels = {"groups": self.labels()} if self.plan.group else {}
            gathered.append([self._score_whole(whole, self._variant([one["metric"] for one in whole], {**options, **labels}))])
        return gathered

    def labels(self) -> List[str]:
        return [str(label) for label in self.others[self.plan.group or ""]]

    def _variant(self, metrics: List[str], options: Dict[str, Any]) -> Plan:
        plan = replace(self.plan, metrics=metrics, options=options)
        if "compat" in options and not any(options["compat"] in one["compats"] for one in _native.plan_parts(metrics)):
            plan.options = {**options, "compat": "none"}  # it changes nothing here
        return plan

    def _score_whole(self, plans: Sequence[Mapping[str, Any]], plan: Plan) -> bytes:
        vectors = [one for one in plans if one["needs_vectors"]]
        layers = max((one["layers_of_words"] for one in vectors), default=0)
        scored = replace(plan, group=None, kept=[])
        bare = replace(scored, comparison=None)
        compat = self.scorer._options(compat=plan.options.get("compat", "none"))
        of_sets = replace(bare, metrics=[one["metric"] for one in vectors], options=compat)
        needed = {"bytes": 0}

        def need(headers: Iterable[Dict[str, Any]]) -> int:
            skipped = Skipped(self.on_error)
            rows = width = memory = 0
            for header in headers:
                skipped.look_at(header)
                rows += header.get("vectors", 0)
                width = header.get("width", width)
                memory = max(memory, header.get("memory", 0))
            self.told = skipped.told()
            needed["bytes"] = int(rows * width * 4 * MEMORY_FACTOR)
            if needed["bytes"] > memory > 0:
                raise _too_little(plan.metrics, rows, width, needed["bytes"], memory)
            return needed["bytes"]

        embed = EmbedTexts(of_sets) if vectors else None
        packed, part = self.engine.whole(
            KeepTexts(bare, layers, bool(vectors)), embed, ScoreWhole(scored), self.batch, need
        )
        header = pickle.loads(packed)
        Skipped("raise").look_at(header)
        if not part:
            raise _too_little(plan.metrics, 0, 0, needed["bytes"], header.get("memory", 0))
        return part


def prepare_segments(run: Run) -> None:
    """What workers need to score segments one batch at a time. Raises for metrics that need all texts at once."""
    plans = _native.plan_parts(run.metrics)
    for plan in plans:
        if plan["whole"]:
            raise _native.UsageError(f"{plan['metric']} looks at all texts at once, expected a metric of segments")
    run.plan.options = run.scorer._options()
    run.count(plans)


def _too_little(metrics: Sequence[str], rows: int, width: int, need: int, memory: int) -> Exception:
    vectors = f"{rows} rows of {width} numbers" if rows else "the rows"
    return _native.InvalidInputError(
        f"{', '.join(metrics)}: {vectors} need {need / 2**30:.1f} GiB on one worker, but the largest has "
        f"{memory / 2**30:.1f} GiB free; sample=N draws N texts of every input"
    )


@takes(PartScore, page=False)
def score(run: Run, **given: "Unpack[PartScore]") -> Report:
    page = bool(given["page"])
    options = run.scorer._options(**score_options(given, page))
    gathered = run.gather(options)
    options = {**options, "gathered": gathered, **_labels(run)}
    report = Report(run.scorer._engine().score(*run.plan.names(), run.metrics, options, None, False), page, run.told)
    tell(report.warnings)
    tell_errors(report.errors)
    return report


@takes(PartCompare, page=False)
def compare(run: Run, **given: "Unpack[PartCompare]") -> Comparison:
    asked: Dict[str, Any] = dict(given)
    how, page = taken(asked, Test), bool(given["page"])
    options = run.scorer._options(**score_options(asked, page))
    gathered = run.gather(options, how)
    options = {**options, "gathered": gathered, **_labels(run)}
    native = run.scorer._engine().compare(*run.plan.names(), run.metrics, options, how, None)
    comparison = Comparison(native, page, run.told)
    tell(comparison.warnings)
    tell_errors(comparison.errors)
    return comparison


def _labels(run: Run) -> Dict[str, Any]:
    return group_options(run.labels(), None) if run.plan.group else {}


@takes(PartCorrelate, page=False)
def correlate(run: Run, gold: Names, predicted: Optional[Names] = None, **given: "Unpack[PartCorrelate]") -> Correlation:
    """Texts are scored by the workers; the columns of numbers and labels come to the driver."""
    columns, golds, page = name_list(predicted or ()), name_list(gold), bool(given["page"])
    gathered = run.gather(run.scorer._options(segments=True))
    [reference], [hypothesis] = run.plan.references, run.plan.systems.values()
    texts = {"reference": reference, "hypothesis": hypothesis, "metrics": run.metrics}
    options = run.scorer._options(
        **correlate_options({**given, **texts}, golds, columns, page), table="table", gathered=gathered
    )
    labels = [label for label in (given["group"], given["system"], given["segment"]) if label]
    memory = table_columns(run.others, [*golds, *columns], labels)
    native = run.scorer._engine().correlate(memory, options, None)
    found = Correlation(native, page)
    tell([*run.told, *native.warnings()])
    return found


@takes(Model, cache="none")
def model_settings(**given: "Unpack[Model]") -> Dict[str, Any]:
    """The settings of a :class:`Scorer` that travel. Workers keep no cache unless told a folder of theirs."""
    return dict(given)
