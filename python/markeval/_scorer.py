"""score, compare, correlate and embed, and the Scorer behind them."""

import os
import threading
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _native
from ._index import common_index, input_columns
from ._inputs import as_texts, group_options, metric_list, name_list, request_inputs, resample_count, sample_size, source_options, table_columns
from ._keywords import DEFAULT_MODEL, Compare, Correlate, Embed, Metrics, Model, Names, Score, Settings, Test, taken, takes
from ._metrics import all_lexical, is_preset, pairs_rows
from ._progress import Progress, in_notebook, watched
from ._results import Comparison, Correlation, Embedded, Report, TokenVectors, tell, tell_errors
from ._tables import learned_from

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_THREADS = 4096


class Scorer:
    """Scores with models loaded once.

    May be used by several threads at once: calls that need a model take turns, all others run side by side,
    and the scores are the same bits whoever asks and however many. Pickled (for worker processes) it carries
    its settings and loads its models anew; so does a copy in a forked process.

    :param metrics: what :meth:`score` computes where it is not told otherwise: ``["me:k=3", "bertscore"]``; None: those of the
        preset ``quick``.
    :param model: of metrics on vectors of texts, a name or a folder.
    :param threads: all cores where None.
    :param device: where arithmetic happens: ``cpu``.
    :param precision: ``f32``, or ``bf16`` where the CPU has it.
    :param max_length: in tokens; None: as many as the model takes.
    :param windows: set metrics: longer texts in overlapping windows instead of cut.
    :param cache: a folder for vectors of set metrics and `embed`; ``"none"``; None: the default one.
    :param seed: for everything random.
    """

    @takes(Settings)
    def __init__(self, metrics: Optional[Metrics] = None, **given: "Unpack[Settings]") -> None:
        threads, model = given["threads"], given["model"]
        if threads is not None and not 1 <= threads <= MOST_THREADS:
            raise _native.UsageError(f"threads {threads}, expected 1 to {MOST_THREADS}")
        self._settings: Dict[str, Any] = {"metrics": None if metrics is None else metric_list(metrics), **_plain(given)}
        self._process = os.getpid()
        self._native = _native.Evaluator(threads or 0, given["device"])

    @property
    def model(self) -> str:
        return self._settings["model"]

    @takes(Score)
    def score(
        self, references: Any, systems: Any = None, metrics: Optional[Metrics] = None, **given: "Unpack[Score]"
    ) -> Report:
        """Texts or vectors in, scores out: see :func:`markeval.score`."""
        run = _Run(self, metrics, given)
        weights = {name: run.asked.pop(name) for name in ("reference_weights", "candidate_weights")}
        options = run.options({name: weight for name, weight in weights.items() if weight is not None})
        left, right, told, labels = run.inputs(references, systems)
        native = watched(
            given["progress"],
            lambda watching: self._engine().score(left, right, run.metrics, options, watching, all_lexical(run.metrics)),
        )
        report = Report(native, run.page, told, labels)
        tell(report.warnings)
        tell_errors(report.errors)
        return report

    @takes(Compare)
    def compare(
        self, references: Any, systems: Any = None, metrics: Optional[Metrics] = None, **given: "Unpack[Compare]"
    ) -> Comparison:
        """Several systems, the first the baseline: see :func:`markeval.compare`."""
        run = _Run(self, metrics, given)
        how = taken(run.asked, Test)
        options = run.options()
        left, right, told, _ = run.inputs(references, systems)
        native = watched(
            given["progress"],
            lambda watching: self._engine().compare(left, right, run.metrics, options, how, watching),
        )
        comparison = Comparison(native, run.page, told)
        tell(comparison.warnings)
        tell_errors(comparison.errors)
        return comparison

    @takes(Correlate)
    def correlate(
        self, table: Any, gold: Names = "", predicted: Optional[Names] = None, **given: "Unpack[Correlate]"
    ) -> Correlation:
        """How well scores agree with people's: see :func:`markeval.correlate`."""
        judged = bool(os.fspath(given["pairs"]) or given["better"] or given["worse"])  # a page has no human scores to show
        page = given["page"]
        shown = in_notebook() and not judged if page is None else page
        columns = name_list(predicted) if predicted is not None else []
        golds = name_list(gold) if gold else []
        options = self._options(**correlate_options(given, golds, columns, shown))
        in_file = isinstance(table, (str, os.PathLike))
        options["table"] = os.fspath(table) if in_file else "table"
        memory, told = None, []
        if not in_file:
            label_columns = ("reference", "hypothesis", "better", "worse", "group", "system", "segment")
            texts = [options[name] for name in label_columns if options[name]]
            memory = table_columns(table, [*golds, *columns], texts)
            if given["hypothesis"]:
                told = learned_from(table, given["reference"], given["hypothesis"], golds, options["metrics"])
        report = watched(given["progress"], lambda watching: self._engine().correlate(memory, options, watching))
        correlation = Correlation(report, shown, told)
        tell(correlation.warnings)
        return correlation

    @takes(Embed)
    def embed(self, texts: Sequence[str], **given: "Unpack[Embed]") -> Embedded:
        """Texts in, vectors out: see :func:`markeval.embed`."""
        lines, starts = as_texts(texts, "texts")
        if starts is not None:
            raise TypeError("texts: lists inside a list, expected a list of texts")
        options = self._options(normalize=given["normalize"], pool=given["pool"] or "", layer=given["layer"])
        del options["seed"]
        found = watched(given["progress"], lambda watching: self._engine().embed(lines, options, watching))
        if found["truncated"]:
            tell([f"{found['truncated']} texts are longer than the model takes and were cut"])
        if found["starts"] is None:
            return found["vectors"]
        return TokenVectors(found["vectors"], found["starts"], found["ids"], found["signature"])

    def tokenize(self, texts: Sequence[str]) -> List[List[int]]:
        """The token ids of every text, special tokens included."""
        lines, starts = as_texts(texts, "texts")
        if starts is not None:
            raise TypeError("texts: lists inside a list, expected a list of texts")
        options = self._options()
        del options["seed"]
        return self._engine().tokenize(lines, options)

    def baseline(self, texts: Sequence[str], *, pairs: int = 2000, progress: Progress = None) -> str:
        """What unrelated texts score with BERTScore, per layer: the file for ``bertscore:rescale=FILE``."""
        lines, _ = as_texts(texts, "texts")
        options = self._options(pairs=pairs)
        del options["windows"]  # a baseline is of texts that fit
        return watched(progress, lambda watching: self._engine().baseline(lines, options, watching))

    def _metrics(self, metrics: Optional[Metrics], preset: Optional[str] = None) -> List[str]:
        """Those of a preset first; where nothing is asked for, those of the preset ``quick``."""
        asked = metric_list(metrics) if metrics is not None else self._settings["metrics"] or []
        for one in asked:
            if is_preset(one):
                raise _native.UsageError(f"{one!r} is a preset: preset={one!r}")
        if preset is None and asked:
            return asked
        return [*dict.fromkeys([*_native.preset_metrics(preset or "quick", self._settings["model"]), *asked])]

    def _options(self, **options: Any) -> Dict[str, Any]:
        settings = {name: self._settings[name] for name in Model.__annotations__}
        return {**settings, "max_length": settings["max_length"] or 0, "cache": settings["cache"] or "", **options}

    def _engine(self) -> _native.Evaluator:
        """After a fork the threads of the parent's engine are gone: the child makes one of its own."""
        if self._process != os.getpid():
            self._native = _native.Evaluator(self._settings["threads"] or 0, self._settings["device"])
            self._process = os.getpid()
        return self._native

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self._settings,)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._settings.items() if value is not None)
        return f"markeval.Scorer({given})"


class _Run:
    """What `score` and `compare` do alike with their keywords."""

    def __init__(self, scorer: Scorer, metrics: Optional[Metrics], given: Mapping[str, Any]) -> None:
        self._scorer = scorer
        self.asked = dict(given)
        self.metrics = scorer._metrics(metrics, self.asked.pop("preset"))
        self.page: bool = in_notebook() if given["page"] is None else given["page"]
        self._labels = {name: self.asked.pop(name) for name in ("group", "source") if name in given}
        self._predictions, self._table = self.asked.pop("predictions"), self.asked.pop("table")
        del self.asked["progress"]

    def options(self, more: Mapping[str, Any] = {}) -> Dict[str, Any]:
        """Everything but the inputs, by the names of the engine."""
        labels = group_options(self._labels["group"], self._table)
        if "source" in self._labels:
            labels.update(source_options(self._labels["source"], self._table))
        return self._scorer._options(**score_options(self.asked, self.page), **labels, **more)

    def inputs(self, references: Any, systems: Any) -> Tuple[Any, Any, List[str], Any]:
        """References, systems, what to tell about them, and the index of their rows."""
        columns = input_columns(references, self._predictions if systems is None else systems, self._table, self._labels)
        index = common_index(columns, pairs_rows(self.metrics))
        return (*request_inputs(references, systems, self._predictions, self._table), index)


def score_options(given: Mapping[str, Any], page: bool) -> Dict[str, Any]:
    """Keywords of `score` and `compare` by the names of the engine."""
    options = {**given, "page": page, "sample": sample_size(given["sample"])}
    if "ci" in options:
        options["resamples"] = resample_count(options.pop("ci"))
    return options


def correlate_options(given: Mapping[str, Any], golds: List[str], columns: List[str], page: bool) -> Dict[str, Any]:
    """Keywords of `correlate` by the names of the engine, which has defaults for what is None."""
    options = {name: value for name, value in given.items() if value is not None and name not in ("ci", "progress")}
    if given["ci"] is not None:
        options["intervals"] = resample_count(given["ci"])
    metrics = metric_list(options.pop("metrics", ()))
    names = {name: name_list(given[name]) for name in ("coefficients", "lower_is_better")}
    return {**options, **names, "gold": golds, "predicted": columns, "metrics": metrics, "page": page, "pairs": os.fspath(given["pairs"])}


def _plain(settings: Mapping[str, Any]) -> Dict[str, Any]:
    """Settings with paths as texts."""
    model, cache = os.fspath(settings["model"]), settings["cache"]
    if not model:
        raise _native.UsageError(f"model '', expected a name or a folder, as {DEFAULT_MODEL}")
    return {**settings, "model": model, "cache": None if cache is None else os.fspath(cache)}


_shared: Dict[Tuple[Optional[int], str], Scorer] = {}
_sharing = threading.Lock()


def _restored(settings: Dict[str, Any]) -> Scorer:
    return Scorer(**settings)


def shared_scorer(threads: Optional[int], device: str, **settings: Any) -> Scorer:
    """A scorer with these settings on the engine all functions of the module share."""
    with _sharing:
        shared = _shared.get((threads, device))
        if shared is None:
            shared = _shared[threads, device] = Scorer(threads=threads, device=device)
        engine, process = shared._engine(), shared._process
    scorer = Scorer.__new__(Scorer)
    scorer._settings = _plain({**shared._settings, **settings})
    scorer._native, scorer._process = engine, process
    return scorer


def release() -> None:
    """Forgets the models that `score`, `compare`, `correlate`, `embed` and the drop-ins have loaded."""
    with _sharing:
        _shared.clear()
