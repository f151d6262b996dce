"""markeval on a Spark cluster: score, compare, correlate, embed on a DataFrame, with the digits of one machine.

>>> import markeval.spark                                                                      # doctest: +SKIP
>>> frame = spark.read.parquet("corpus/")                                                      # doctest: +SKIP
>>> markeval.spark.score(frame, references="ref", systems={"mine": "hyp"}, metrics=["bleu"])   # doctest: +SKIP
"""

import pickle
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

try:
    import pyspark
    from pyspark.sql import functions
    from pyspark.sql.types import ArrayType, DoubleType, FloatType, StructField, StructType
except ImportError:
    raise ImportError("markeval.spark needs pyspark, which is not installed: pip install 'markeval[spark]'") from None

import pyarrow
import pyarrow.ipc

from . import _clusters
from ._clusters import Engine, Run, model_settings
from ._inputs import name_list
from ._keywords import ClusterCompare, ClusterCorrelate, ClusterEmbed, ClusterScore, ClusterSegments, Metrics, Model, Names, Pooling, Rows, taken, takes
from ._metrics import all_lexical
from ._results import Comparison, Correlation, Report
from ._worker import (
    EmbedColumn,
    EmbedTexts,
    Job,
    KeepTexts,
    Plan,
    Record,
    ScoreWhole,
    SegmentScores,
    segment_columns,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["compare", "correlate", "embed", "score", "score_segments"]

_RECORDS = "part int, batch int, header binary, payload binary"
_TASKS_OF_A_WORKER = 4  # so that one slow worker does not keep the others waiting
_VECTORS = -1  # the `part` of vectors; those of texts are numbers of partitions


def _record_table(part: int, batch: int, record: Record) -> pyarrow.RecordBatch:
    columns = [
        pyarrow.array([part], pyarrow.int32()),
        pyarrow.array([batch], pyarrow.int32()),
        pyarrow.array([record[0]], pyarrow.binary()),
        pyarrow.array([record[1]], pyarrow.binary()),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, ["part", "batch", "header", "payload"])


def _partition() -> int:
    """Which one this task works on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def _rebatched(batches: Iterable[pyarrow.RecordBatch], size: int) -> Iterator[pyarrow.Table]:
    """Spark's batches have the size of its settings; ours have `size` rows, the last of a partition fewer."""
    held: List[pyarrow.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        while rows >= size:
            table = pyarrow.Table.from_batches(held)
            yield table.slice(0, size)
            held, rows = table.slice(size).to_batches(), rows - size
    if rows:
        yield pyarrow.Table.from_batches(held)


class _OnBatches:
    """Calls a job with every batch of a partition, its columns called `names`; records are numbered."""

    def __init__(self, job: Callable[[Any], Any], size: int, records: bool, names: List[str]) -> None:
        self._job, self._size, self._records, self._names = job, size, records, names

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        part = _partition()
        for number, plain in enumerate(_rebatched(batches, self._size)):
            table = plain.rename_columns(self._names)
            if self._records:
                yield _record_table(part, number, self._job(table))
            else:
                yield from self._job(table).combine_chunks().to_batches()


class _AsRecords:
    """Puts every batch of a partition into a record, which any worker may score."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for number, table in enumerate(_rebatched(batches, self._size)):
            packed = pyarrow.BufferOutputStream()
            with pyarrow.ipc.new_stream(packed, table.schema) as stream:
                stream.write_table(table)
            yield _record_table(_partition(), number, (b"", packed.getvalue().to_pybytes()))


class _OnRecords:
    """Calls a job with the batch in every record; what it finds has the record's numbers."""

    def __init__(self, job: Callable[[Any], Any], names: List[str]) -> None:
        self._job, self._names = job, names

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                table = pyarrow.ipc.open_stream(row["payload"]).read_all().rename_columns(self._names)
                yield _record_table(row["part"], row["batch"], self._job(table))


class _OnTexts:
    """Embeds the distinct texts of a partition."""

    def __init__(self, embed: EmbedTexts, size: int) -> None:
        self._embed, self._size = embed, size

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for number, table in enumerate(_rebatched(batches, self._size)):
            yield _record_table(_VECTORS, number, self._embed(table.column(0).to_pylist()))


class _OnAll:
    """Scores everything that was gathered in one partition."""

    def __init__(self, score: ScoreWhole, need: int) -> None:
        self._score, self._need = score, need

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        rows = [row for batch in batches for row in batch.to_pylist()]
        for row in rows:
            if "error" in pickle.loads(row["header"]):
                yield _record_table(0, 0, (row["header"], b""))
                return
        rows.sort(key=lambda row: (row["part"], row["batch"]))
        texts = [row["payload"] for row in rows if row["part"] != _VECTORS]
        vectors = [row["payload"] for row in rows if row["part"] == _VECTORS]
        yield _record_table(0, 0, self._score(texts, vectors, self._need))


class _Spark(Engine):
    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def columns(self) -> List[str]:
        return list(self._frame.columns)

    def threads(self) -> int:
        """The CPUs of a task."""
        return int(self._frame.sparkSession.conf.get("spark.task.cpus", "1"))

    def _plain(self, columns: Sequence[str]) -> Tuple[Any, List[str]]:
        """Some columns (all where none is named) and their names."""
        # Spark takes the dot of "my.column" for a field of a struct: quoted here, renamed for mapInArrow.
        rows = self._frame.select(*(f"`{name}`" for name in columns)) if columns else self._frame
        return rows.toDF(*(f"c{number}" for number in range(len(rows.columns)))), list(rows.columns)

    def mapped(self, job: Callable[[Any], Any], batch: int, schema: Any = _RECORDS, columns: Sequence[str] = ()) -> Any:
        plain, names = self._plain(columns)
        return plain.mapInArrow(_OnBatches(job, batch, schema is _RECORDS, names), schema)

    def _spread(self, job: Job, batch: int) -> Any:
        """As `mapped`, by all workers: Spark reads a file of one row group in one task, however long its texts take."""
        plain, names = self._plain(job.plan.columns())
        try:
            workers = self._frame.sparkSession.sparkContext.defaultParallelism
        except AttributeError:  # Spark Connect does not tell
            workers = 16
        return (
            plain.mapInArrow(_AsRecords(batch), _RECORDS)
            .repartition(_TASKS_OF_A_WORKER * workers)
            .mapInArrow(_OnRecords(job, names), _RECORDS)
        )

    def records(self, job: Job, batch: int) -> Iterator[Record]:
        if all_lexical(job.plan.metrics):
            found = self.mapped(job, batch, columns=job.plan.columns())
        else:
            found = self._spread(job, batch)
        for row in sorted(found.collect(), key=lambda row: (row["part"], row["batch"])):
            yield bytes(row["header"]), bytes(row["payload"])

    def whole(
        self,
        texts: KeepTexts,
        embed: Optional[EmbedTexts],
        score: ScoreWhole,
        batch: int,
        need: Callable[[Iterable[Dict[str, Any]]], int],
    ) -> Record:
        kept = self.mapped(texts, batch, columns=texts.plan.columns()).persist(pyspark.StorageLevel.MEMORY_AND_DISK)
        try:
            headers = kept.select("part", "batch", "header").collect()
            headers.sort(key=lambda row: (row["part"], row["batch"]))
            needed = need(pickle.loads(bytes(row["header"])) for row in headers)
            gathered = kept
            if embed is not None:
                gathered = kept.union(self._distinct_texts(texts.plan, embed, batch))
            one = gathered.repartition(1).mapInArrow(_OnAll(score, needed), _RECORDS).collect()[0]
            return bytes(one["header"]), bytes(one["payload"])
        finally:
            kept.unpersist()

    def _distinct_texts(self, plan: Plan, embed: EmbedTexts, batch: int) -> Any:
        """Every distinct text once, spread over the workers, and its vectors."""
        lists = []
        for name in dict.fromkeys(plan.text_columns()):
            column = functions.col(f"`{name}`")
            of_lists = isinstance(self._frame.schema[name].dataType, ArrayType)
            texts = column if of_lists else functions.array(column)
            lists.append(functions.transform(texts, lambda text: text.cast("string")))
        texts = self._frame.select(functions.explode(functions.concat(*lists)).alias("text"))
        return texts.dropna().distinct().mapInArrow(_OnTexts(embed, batch), _RECORDS)


def _run(
    frame: Any,
    references: Union[str, Sequence[str]],
    systems: Any,
    metrics: Metrics,
    given: Dict[str, Any],
    kept: Sequence[str] = (),
    group: Optional[str] = None,
) -> Run:
    """Takes what the run needs out of `given`; what is left is for the report."""
    engine = _Spark(frame)
    return Run(
        engine,
        references,
        systems,
        metrics,
        threads=engine.threads(),
        kept=kept,
        group=group,
        settings=model_settings(**taken(given, Model)),
        **taken(given, Rows),
    )


@takes(ClusterScore, page=False, cache="none")
def score(
    frame: Any, references: Union[str, Sequence[str]], systems: Any, metrics: Metrics, **given: "Unpack[ClusterScore]"
) -> Report:
    """Scores columns of a DataFrame, and gives the report :func:`markeval.score` would give of its rows.

    :param frame: a DataFrame. The order of its rows, as ``frame.collect()`` gives them, is that of the segments.
    :param references: a column of texts or of lists of texts, or several columns.
    :param systems: ``{"mine": "hyp"}``, names and their columns; or columns.
    :param group: a column of labels: also by group.
    :param on_error: ``raise`` names the first row that holds no text; ``skip`` leaves such rows out and counts them.
    :param batch_size: rows of a batch. No digit depends on it, nor on the number of partitions.
    :param model: `model`, `precision`, `max_length`, `windows`, `seed`, `cache` as of :class:`markeval.Scorer`. The
        model is a name or a folder that every worker finds.

    The other parameters are those of :func:`markeval.score`. A worker has as many threads as ``spark.task.cpus``.
    """
    keywords: Dict[str, Any] = dict(given)
    run = _run(frame, references, systems, metrics, keywords, group=keywords.pop("group"))
    return _clusters.score(run, **keywords)


@takes(ClusterCompare, page=False, cache="none")
def compare(
    frame: Any, references: Union[str, Sequence[str]], systems: Any, metrics: Metrics, **given: "Unpack[ClusterCompare]"
) -> Comparison:
    """Which of several systems is better: :func:`markeval.compare` on a DataFrame. Parameters as of :func:`score`."""
    keywords: Dict[str, Any] = dict(given)
    run = _run(frame, references, systems, metrics, keywords, group=keywords.pop("group"))
    return _clusters.compare(run, **keywords)


@takes(ClusterCorrelate, page=False)
def correlate(
    frame: Any,
    gold: str,
    predicted: Optional[Names] = None,
    *,
    reference: str,
    hypothesis: str,
    metrics: Metrics,
    model: Optional[Mapping[str, Any]] = None,
    **given: "Unpack[ClusterCorrelate]",
) -> Correlation:
    """How well metrics agree with people: :func:`markeval.correlate` on a DataFrame whose texts the workers score.

    :param model: ``{"model": ..., "precision": ...}``, settings as of :func:`score`.
    :param more: the other parameters of :func:`markeval.correlate`.
    """
    keywords: Dict[str, Any] = {**given, **(model or {})}
    columns = name_list(predicted or ())
    kept = [name for name in (gold, *columns, given["group"], given["system"], given["segment"]) if name]
    run = _run(frame, reference, [hypothesis], metrics, keywords, kept)
    return _clusters.correlate(run, gold, columns, **keywords)


@takes(ClusterSegments, cache="none")
def score_segments(
    frame: Any, references: Union[str, Sequence[str]], systems: Any, metrics: Metrics, **given: "Unpack[ClusterSegments]"
) -> Any:
    """The frame with a column more for each system, metric and result, ``mine.chrf.chrf``. Nothing is collected.

    With ``on_error="skip"`` rows without texts have null scores.
    """
    run = _run(frame, references, systems, metrics, dict(given))
    _clusters.prepare_segments(run)
    names = [".".join(one) for one in segment_columns(run.plan)]
    schema = StructType([*frame.schema.fields, *(StructField(name, DoubleType()) for name in names)])
    engine: Any = run.engine
    return engine.mapped(SegmentScores(run.plan, given["on_error"]), run.batch, schema)


@takes(ClusterEmbed, cache="none")
def embed(frame: Any, column: str, **given: "Unpack[ClusterEmbed]") -> Any:
    """The frame with the vectors of a column of texts as a column more, `output`. Nothing is collected."""
    keywords: Dict[str, Any] = {**given, "batch_size": given["batch_size"] or 1024}
    arguments = taken(keywords, Pooling)
    run = _run(frame, column, [column], "chrf", keywords)
    schema = StructType([*frame.schema.fields, StructField(given["output"], ArrayType(FloatType(), False))])
    engine: Any = run.engine
    return engine.mapped(EmbedColumn(run.plan, column, given["output"], arguments), run.batch, schema)
