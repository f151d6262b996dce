"""score, compare, correlate and embed, and the Scorer behind them."""

import os
import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._index import common_index, input_columns
from ._inputs import as_texts, group_options, metric_list, name_list, request_inputs, resample_count, sample_size, source_options, table_columns
from ._keywords import suggests_keywords
from ._metrics import all_lexical, is_preset, pairs_rows
from ._progress import Progress, in_notebook, watched
from ._results import Comparison, Correlation, Embedded, Report, TokenVectors, tell, tell_errors
from ._tables import learned_from

DEFAULT_MODEL = "all-MiniLM-L6-v2"
MOST_THREADS = 4096

Metrics = Union[str, Iterable[str], Mapping[str, Optional[Mapping[str, Any]]]]
Weights = Tuple[Dict[int, float], float]


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

    def __init__(
        self,
        metrics: Optional[Metrics] = None,
        *,
        model: Union[str, "os.PathLike[str]"] = DEFAULT_MODEL,
        threads: Optional[int] = None,
        device: str = "cpu",
        precision: str = "f32",
        max_length: Optional[int] = None,
        windows: bool = False,
        cache: Union[None, str, "os.PathLike[str]"] = None,
        seed: int = 12345,
    ) -> None:
        if threads is not None and not 1 <= threads <= MOST_THREADS:
            raise _native.UsageError(f"threads {threads}, expected 1 to {MOST_THREADS}")
        if not os.fspath(model):
            raise _native.UsageError(f"model '', expected a name or a folder, as {DEFAULT_MODEL}")
        self._settings: Dict[str, Any] = {
            "metrics": None if metrics is None else metric_list(metrics),
            "model": os.fspath(model),
            "threads": threads,
            "device": device,
            "precision": precision,
            "max_length": max_length,
            "windows": windows,
            "cache": None if cache is None else os.fspath(cache),
            "seed": seed,
        }
        self._process = os.getpid()
        self._native = _native.Evaluator(threads or 0, device)

    @property
    def model(self) -> str:
        return self._settings["model"]

    @suggests_keywords
    def score(
        self,
        references: Any,
        systems: Any = None,
        metrics: Optional[Metrics] = None,
        *,
        preset: Optional[str] = None,
        predictions: Any = None,
        segments: bool = False,
        ci: Union[None, bool, int] = None,
        explain: bool = False,
        page: Optional[bool] = None,
        ceiling: bool = True,
        sample: Optional[int] = None,
        table: Any = None,
        group: Any = None,
        source: Any = None,
        clamp_k: bool = False,
        compat: str = "none",
        replace_invalid: bool = False,
        keep_statistics: bool = False,
        reference_weights: Optional[Weights] = None,
        candidate_weights: Optional[Weights] = None,
        progress: Progress = None,
    ) -> Report:
        """Texts or vectors in, scores out: see :func:`markeval.score`."""
        chosen = self._metrics(metrics, preset)
        shown = in_notebook() if page is None else page
        options = self._options(
            segments=segments,
            resamples=resample_count(ci),
            explain=explain,
            page=shown,
            ceiling=ceiling,
            sample=sample_size(sample),
            clamp_k=clamp_k,
            compat=compat,
            replace_invalid=replace_invalid,
            keep_statistics=keep_statistics,
            **group_options(group, table),
            **source_options(source, table),
        )
        if reference_weights is not None:
            options["reference_weights"] = reference_weights
        if candidate_weights is not None:
            options["candidate_weights"] = candidate_weights
        given = input_columns(
            references, predictions if systems is None else systems, table, {"group": group, "source": source}
        )
        labels = common_index(given, pairs_rows(chosen))
        left, right, told = request_inputs(references, systems, predictions, table)
        native = watched(
            progress,
            lambda watching: self._engine().score(left, right, chosen, options, watching, all_lexical(chosen)),
        )
        report = Report(native, shown, told, labels)
        tell(report.warnings)
        tell_errors(report.errors)
        return report

    @suggests_keywords
    def compare(
        self,
        references: Any,
        systems: Any = None,
        metrics: Optional[Metrics] = None,
        *,
        preset: Optional[str] = None,
        predictions: Any = None,
        test: str = "bootstrap",
        resamples: int = 0,
        correction: str = "holm",
        alpha: float = 0.05,
        page: Optional[bool] = None,
        ceiling: bool = True,
        sample: Optional[int] = None,
        table: Any = None,
        group: Any = None,
        clamp_k: bool = False,
        compat: str = "none",
        replace_invalid: bool = False,
        progress: Progress = None,
    ) -> Comparison:
        """Several systems, the first the baseline: see :func:`markeval.compare`."""
        chosen = self._metrics(metrics, preset)
        shown = in_notebook() if page is None else page
        options = self._options(
            page=shown,
            ceiling=ceiling,
            sample=sample_size(sample),
            clamp_k=clamp_k,
            compat=compat,
            replace_invalid=replace_invalid,
            **group_options(group, table),
        )
        how = {"test": test, "resamples": resamples, "correction": correction, "alpha": alpha}
        given = input_columns(references, predictions if systems is None else systems, table, {"group": group})
        common_index(given, pairs_rows(chosen))
        left, right, told = request_inputs(references, systems, predictions, table)
        native = watched(
            progress, lambda watching: self._engine().compare(left, right, chosen, options, how, watching)
        )
        comparison = Comparison(native, shown, told)
        tell(comparison.warnings)
        tell_errors(comparison.errors)
        return comparison

    @suggests_keywords
    def correlate(
        self,
        table: Any,
        gold: Union[str, Iterable[str]] = "",
        predicted: Union[None, str, Iterable[str]] = None,
        *,
        reference: str = "",
        hypothesis: str = "",
        metrics: Optional[Metrics] = None,
        all_results: bool = False,
        pairs: Union[str, "os.PathLike[str]"] = "",
        better: str = "",
        worse: str = "",
        group: str = "",
        system: str = "",
        segment: str = "",
        level: str = "segment",
        coefficients: Union[str, Iterable[str]] = ("pearson", "spearman", "kendall"),
        test: str = "",
        lower_is_better: Union[str, Iterable[str]] = (),
        correction: str = "holm",
        resamples: int = 10_000,
        ci: Union[None, bool, int] = None,
        gold_threshold: float = 25,
        tie_threshold: Optional[float] = None,
        min_rows: Optional[int] = None,
        page: Optional[bool] = None,
        replace_invalid: bool = False,
        progress: Progress = None,
    ) -> Correlation:
        """How well scores agree with people's: see :func:`markeval.correlate`."""
        judged = bool(os.fspath(pairs) or better or worse)  # there are no human scores for a page to show
        shown = in_notebook() and not judged if page is None else page
        columns = name_list(predicted) if predicted is not None else []
        golds = name_list(gold) if gold else []
        options = self._options(
            gold=golds,
            predicted=columns,
            reference=reference,
            hypothesis=hypothesis,
            metrics=metric_list(metrics) if metrics is not None else [],
            all_results=all_results,
            pairs=os.fspath(pairs),
            better=better,
            worse=worse,
            group=group,
            system=system,
            segment=segment,
            level=level,
            coefficients=name_list(coefficients),
            test=test,
            lower_is_better=name_list(lower_is_better),
            correction=correction,
            resamples=resamples,
            gold_threshold=gold_threshold,
            page=shown,
            replace_invalid=replace_invalid,
        )
        if ci is not None:
            options["intervals"] = resample_count(ci)
        if tie_threshold is not None:
            options["tie_threshold"] = tie_threshold
        if min_rows is not None:
            options["min_rows"] = min_rows
        if isinstance(table, (str, os.PathLike)):
            options["table"] = os.fspath(table)
            memory, told = None, []
        else:
            options["table"] = "table"
            texts = [name for name in (reference, hypothesis, better, worse, group, system, segment) if name]
            memory = table_columns(table, [*golds, *columns], texts)
            told = learned_from(table, reference, hypothesis, golds, options["metrics"]) if hypothesis else []
        report = watched(
            progress, lambda watching: self._engine().correlate(memory, options, watching)
        )
        correlation = Correlation(report, shown, told)
        tell(correlation.warnings)
        return correlation

    @suggests_keywords
    def embed(
        self,
        texts: Sequence[str],
        *,
        layer: Optional[int] = -1,
        pool: Optional[str] = None,
        normalize: bool = False,
        progress: Progress = None,
    ) -> Embedded:
        """Texts in, vectors out: see :func:`markeval.embed`."""
        lines, starts = as_texts(texts, "texts")
        if starts is not None:
            raise TypeError("texts: lists inside a list, expected a list of texts")
        options = self._options(normalize=normalize, pool=pool or "")
        del options["seed"]
        options["layer"] = layer
        found = watched(progress, lambda watching: self._engine().embed(lines, options, watching))
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
        settings = self._settings
        return {
            "model": settings["model"],
            "precision": settings["precision"],
            "max_length": settings["max_length"] or 0,
            "windows": settings["windows"],
            "cache": settings["cache"] or "",
            "seed": settings["seed"],
            **options,
        }

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
    scorer._settings = {**shared._settings, **settings}
    for name in ("model", "cache"):
        if scorer._settings[name] is not None:
            scorer._settings[name] = os.fspath(scorer._settings[name])
    if not scorer._settings["model"]:
        raise _native.UsageError(f"model '', expected a name or a folder, as {DEFAULT_MODEL}")
    scorer._native, scorer._process = engine, process
    return scorer


def release() -> None:
    """Forgets the models that `score`, `compare`, `correlate`, `embed` and the drop-ins have loaded."""
    with _sharing:
        _shared.clear()
