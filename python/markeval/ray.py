"""markeval on a Ray cluster: score, compare, correlate, embed on a ``ray.data.Dataset``, with the digits of one machine.

>>> import markeval.ray                                                                      # doctest: +SKIP
>>> data = ray.data.read_parquet("corpus/")                                                  # doctest: +SKIP
>>> markeval.ray.score(data, references="ref", systems={"mine": "hyp"}, metrics=["bleu"])    # doctest: +SKIP
"""

import pickle
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

try:
    import ray
    import ray.data
except ImportError:
    raise ImportError("markeval.ray needs Ray, which is not installed: pip install 'markeval[ray]'") from None

import pyarrow

from . import _clusters
from ._clusters import Engine, Run, model_settings
from ._inputs import name_list
from ._keywords import ClusterCompare, ClusterCorrelate, ClusterEmbed, ClusterScore, ClusterSegments, Memory, Metrics, Model, Names, Pooling, Rows, Workers, taken, takes
from ._results import Comparison, Correlation, Report, tell
from ._worker import EmbedColumn, EmbedTexts, Job, KeepTexts, Record, ScoreWhole, SegmentScores, flat_texts

if TYPE_CHECKING:
    from typing_extensions import Unpack

_BYTES_OF_A_ROW = 256  # two sentences or so; blocks need not be batches, only many
_BYTES_AHEAD = 2 * 128 * 2**20

__all__ = ["compare", "correlate", "embed", "score", "score_segments"]

# Of Ray's two readers of Parquet the newer one gives the row groups of more than 128 MiB out of order, also where it is
# told to keep it: the digits of intervals and the numbers of rows would be others than on one machine.
ray.data.DataContext.get_current().use_datasource_v2 = False


def _on_batch(table: pyarrow.Table, job: Callable[[Any], Any], records: bool) -> pyarrow.Table:
    """What a task of Ray Data does with a batch. The process keeps its model for the tasks that follow."""
    if not records:
        return job(table)
    header, payload = job(table)
    return pyarrow.table({"header": [header], "payload": [payload]})


class _Ray(Engine):
    def __init__(
        self, dataset: Any, workers: Optional[int], cpus: int, memory: Optional[int] = None
    ) -> None:
        self._dataset, self._cpus, self._memory = dataset, cpus, memory
        if dataset.context.use_datasource_v2:
            tell(
                [
                    "this dataset was made before markeval.ray was imported: if it reads Parquet files of more than 128 MiB,"
                    " their rows come in another order; import markeval.ray before read_parquet"
                ]
            )
        self._workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)) // cpus)

    def columns(self) -> List[str]:
        return list(self._dataset.schema().names)

    def mapped(self, job: Callable[[Any], Any], batch: int, records: bool = True, columns: Sequence[str] = ()) -> Any:
        rows = self._dataset.select_columns(list(columns)) if columns else self._dataset
        # Tasks, not actors: actors hold their CPUs, and on a small cluster none is left to read the files.
        found = rows.map_batches(
            _on_batch,
            fn_kwargs={"job": job, "records": records},
            batch_format="pyarrow",
            batch_size=batch,
            zero_copy_batch=True,
            num_cpus=self._cpus,
            compute=ray.data.TaskPoolStrategy(size=self._workers),
        )
        context = found.context
        context.execution_options.preserve_order = True
        # Ray reads blocks of 128 MiB: a small corpus is one of them, for one worker, and a last large one keeps the
        # others waiting.
        context.target_max_block_size = batch * _BYTES_OF_A_ROW
        # A task that reads may be two of Ray's blocks ahead, then it waits and keeps its CPU: as many bytes in ours.
        context._max_num_blocks_in_streaming_gen_buffer = max(2, _BYTES_AHEAD // context.target_max_block_size)
        return found

    def records(self, job: Job, batch: int) -> Iterator[Record]:
        found = self.mapped(job, batch, columns=job.plan.columns())
        # Ray would cut what it reads of a small corpus into 200 blocks; it asks this context, not that of the dataset.
        context = ray.data.DataContext.get_current()
        least, context.read_op_min_num_blocks = context.read_op_min_num_blocks, 1
        try:
            rows = iter(found.iter_rows())
            first = list(islice(rows, 1))
        finally:
            context.read_op_min_num_blocks = least
        for row in chain(first, rows):
            yield row["header"], row["payload"]

    def whole(
        self,
        texts: KeepTexts,
        embed: Optional[EmbedTexts],
        score: ScoreWhole,
        batch: int,
        need: Callable[[Iterable[Dict[str, Any]]], int],
    ) -> Record:
        kept = self.mapped(texts, batch, columns=texts.plan.columns()).materialize()
        blocks = kept.to_arrow_refs()
        look = ray.remote(_headers).options(num_cpus=0)
        needed = need(header for some in ray.get([look.remote(block) for block in blocks]) for header in some)
        vectors: List[Any] = []
        if embed is not None:
            split = ray.remote(_distinct_chunks).options(num_cpus=self._cpus, num_returns="streaming")
            chunks = list(split.remote(blocks, batch))
            work = ray.remote(_embedded).options(num_cpus=self._cpus, num_returns=2, max_retries=-1)
            pairs = [work.remote(embed, chunk) for chunk in chunks]
            for header in ray.get([pair[0] for pair in pairs]):
                found = pickle.loads(header)
                if "error" in found:
                    return header, b""
            vectors = [pair[1] for pair in pairs]
        one = ray.remote(_scored_whole).options(num_cpus=self._cpus, memory=self._memory, max_retries=-1)
        return ray.get(one.remote(score, needed, len(blocks), *blocks, *vectors))


def _headers(block: Any) -> List[Dict[str, Any]]:
    return [pickle.loads(header) for header in block.column("header").to_pylist()]


def _distinct_chunks(blocks: List[Any], size: int) -> Iterator[List[str]]:
    """Every distinct text once, in lists that workers embed."""
    seen: Dict[str, None] = {}
    for block in blocks:
        for payload in ray.get(block).column("payload").to_pylist():
            if payload:
                seen.update(dict.fromkeys(flat_texts(pickle.loads(payload).values())))
    texts = list(seen)
    for begin in range(0, len(texts), size):
        yield texts[begin : begin + size]


def _embedded(embed: EmbedTexts, texts: List[str]) -> Record:
    return embed(texts)


def _scored_whole(score: ScoreWhole, need: int, count: int, *given: Any) -> Record:
    texts = (payload for block in given[:count] for payload in block.column("payload").to_pylist())
    return score(texts, given[count:], need)


class RayScore(ClusterScore, Memory, total=False):
    pass


class RayCompare(ClusterCompare, Memory, total=False):
    pass


class RayCorrelate(ClusterCorrelate, Workers, total=False):
    pass


class RaySegments(ClusterSegments, Workers, total=False):
    pass


class RayEmbed(ClusterEmbed, Workers, total=False):
    pass


def _run(
    dataset: Any,
    references: Union[str, Sequence[str]],
    systems: Any,
    metrics: Metrics,
    given: Dict[str, Any],
    kept: Sequence[str] = (),
    group: Optional[str] = None,
) -> Run:
    """Takes what the run needs out of `given`; what is left is for the report."""
    workers = taken(given, Memory)
    return Run(
        _Ray(dataset, **workers),
        references,
        systems,
        metrics,
        threads=workers["cpus"],
        kept=kept,
        group=group,
        settings=model_settings(**taken(given, Model)),
        **taken(given, Rows),
    )


@takes(RayScore, page=False, cache="none")
def score(
    dataset: Any, references: Union[str, Sequence[str]], systems: Any, metrics: Metrics, **given: "Unpack[RayScore]"
) -> Report:
    """Scores columns of a dataset, and gives the report :func:`markeval.score` would give of its rows.

    :param dataset: a ``ray.data.Dataset``; its order is the order of the segments.
    :param references: a column of texts or of lists of texts, or several columns.
    :param systems: ``{"mine": "hyp"}``, names and their columns; or columns.
    :param group: a column of labels: also by group.
    :param on_error: ``raise`` names the first row that holds no text; ``skip`` leaves such rows out and counts them.
    :param workers: processes at most; None: as many as the cluster's CPUs allow.
    :param cpus: of each worker, and so its threads.
    :param memory: bytes that the one worker asks Ray for that scores set metrics.
    :param batch_size: rows of a batch. No digit depends on it, nor on `workers` and `cpus`.
    :param model: `model`, `precision`, `max_length`, `windows`, `seed`, `cache` as of :class:`markeval.Scorer`. The
        model is a name or a folder that every worker finds.

    The other parameters are those of :func:`markeval.score`.
    """
    keywords: Dict[str, Any] = dict(given)
    run = _run(dataset, references, systems, metrics, keywords, group=keywords.pop("group"))
    return _clusters.score(run, **keywords)


@takes(RayCompare, page=False, cache="none")
def compare(
    dataset: Any, references: Union[str, Sequence[str]], systems: Any, metrics: Metrics, **given: "Unpack[RayCompare]"
) -> Comparison:
    """Which of several systems is better: :func:`markeval.compare` on a dataset. Parameters as of :func:`score`."""
    keywords: Dict[str, Any] = dict(given)
    run = _run(dataset, references, systems, metrics, keywords, group=keywords.pop("group"))
    return _clusters.compare(run, **keywords)


@takes(RayCorrelate, page=False)
def correlate(
    dataset: Any,
    gold: str,
    predicted: Optional[Names] = None,
    *,
    reference: str,
    hypothesis: str,
    metrics: Metrics,
    model: Optional[Mapping[str, Any]] = None,
    **given: "Unpack[RayCorrelate]",
) -> Correlation:
    """How well metrics agree with people: :func:`markeval.correlate` on a dataset whose texts the workers score.

    :param model: ``{"model": ..., "precision": ...}``, settings as of :func:`score`.
    :param more: the other parameters of :func:`markeval.correlate`.
    """
    keywords: Dict[str, Any] = {**given, **(model or {})}
    columns = name_list(predicted or ())
    kept = [name for name in (gold, *columns, given["group"], given["system"], given["segment"]) if name]
    run = _run(dataset, reference, [hypothesis], metrics, keywords, kept)
    return _clusters.correlate(run, gold, columns, **keywords)


@takes(RaySegments, cache="none")
def score_segments(
    dataset: Any, references: Union[str, Sequence[str]], systems: Any, metrics: Metrics, **given: "Unpack[RaySegments]"
) -> Any:
    """The dataset with a column more for each system, metric and result, ``mine.chrf.chrf``. Nothing is collected.

    With ``on_error="skip"`` rows without texts have null scores.
    """
    run = _run(dataset, references, systems, metrics, dict(given))
    _clusters.prepare_segments(run)
    engine: Any = run.engine
    return engine.mapped(SegmentScores(run.plan, given["on_error"]), run.batch, records=False)


@takes(RayEmbed, cache="none")
def embed(dataset: Any, column: str, **given: "Unpack[RayEmbed]") -> Any:
    """The dataset with the vectors of a column of texts as a column more, `output`. Nothing is collected."""
    keywords: Dict[str, Any] = {**given, "batch_size": given["batch_size"] or 1024}
    arguments = taken(keywords, Pooling)
    run = _run(dataset, column, [column], "chrf", keywords)
    engine: Any = run.engine
    return engine.mapped(EmbedColumn(run.plan, column, given["output"], arguments), run.batch, records=False)
