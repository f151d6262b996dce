"""score, compare, correlate and embed: the functions most programs need. Models stay loaded between calls."""

import os
from typing import Any, Iterable, Optional, Sequence, Union

from ._keywords import suggests_keywords
from ._progress import Progress
from ._results import Comparison, Correlation, Embedded, Report
from ._scorer import DEFAULT_MODEL, Metrics, Scorer, Weights, shared_scorer


def _scorer_for(
    model: Union[str, "os.PathLike[str]"],
    precision: str,
    max_length: Optional[int],
    windows: bool,
    cache: Union[None, str, "os.PathLike[str]"],
    seed: int,
    threads: Optional[int],
    device: str,
) -> Scorer:
    return shared_scorer(
        threads,
        device,
        model=model,
        precision=precision,
        max_length=max_length,
        windows=windows,
        cache=cache,
        seed=seed,
    )


@suggests_keywords
def score(
    references: Any,
    systems: Any = None,
    metrics: Optional[Metrics] = None,
    *,
    preset: Optional[str] = None,
    predictions: Any = None,
    table: Any = None,
    group: Any = None,
    source: Any = None,
    segments: bool = False,
    ci: Union[None, bool, int] = None,
    explain: bool = False,
    page: Optional[bool] = None,
    ceiling: bool = True,
    sample: Optional[int] = None,
    clamp_k: bool = False,
    compat: str = "none",
    replace_invalid: bool = False,
    keep_statistics: bool = False,
    reference_weights: Optional[Weights] = None,
    candidate_weights: Optional[Weights] = None,
    model: Union[str, "os.PathLike[str]"] = DEFAULT_MODEL,
    precision: str = "f32",
    max_length: Optional[int] = None,
    windows: bool = False,
    cache: Union[None, str, "os.PathLike[str]"] = None,
    seed: int = 12345,
    threads: Optional[int] = None,
    device: str = "cpu",
    progress: Progress = None,
) -> Report:
    """Scores what systems made against references.

    >>> import markeval
    >>> report = markeval.score(["a cat sat there"], {"mine": ["a cat sat here"]}, ["chrf", "bleu"])
    >>> round(report.score("mine", "chrf"), 1)
    69.4

    :param references: a list of texts, one per segment; a list of lists, several per segment; an array of row
        vectors (float32 and float64 in rows are not copied); a file as ``pathlib.Path("refs.tsv:ref")``; or a
        list of files or arrays. sacrebleu's lists, one for each reference, are taken too where lengths say so.
    :param systems: the same for one system, a mapping of names to them, or a frame (pandas, polars, Arrow) with a
        column for each system. ``predictions`` is the same word.
    :param metrics: ``["me:k=3", "bertscore", "chrf"]``, or with options as a mapping,
        ``{"bleu": {"lowercase": True}}``: see :func:`markeval.metrics`. None: ``bleu`` and ``chrf``.
    :param preset: metrics for a task, before those of `metrics`: ``mt``, ``summary``, ``lm``, ``quick``.
    :param table: a frame or mapping of columns; references and systems are then names of its columns:
        ``score("ref", ["mine", "other"], "bleu", table=frame)``.
    :param group: also by group, :attr:`Report.groups`: the label of every segment; with `table` the name of a
        column; of files a column of the reference's table, or ``pathlib.Path("labels.tsv:genre")``.
    :param source: shown on the page: what each segment was made from, given as `group` is.
    :param segments: also the score of every segment.
    :param ci: True for 95 % intervals from 1,000 resamples, N for N of them.
    :param explain: also what stands behind the scores: :meth:`Report.explanation`.
    :param page: keep what :meth:`Report.to_html` shows; None: in a notebook.
    :param ceiling: set metrics: also what people's own texts score, ``Report.ceilings``.
    :param sample: set metrics: so many texts or rows of every input, drawn by chance.
    :param clamp_k: let k shrink where a set has too few rows.
    :param compat: ``prdc``: open balls, as the package of that name.
    :param replace_invalid: U+FFFD for invalid UTF-8 of files instead of an error.
    :param keep_statistics: also the counts behind the scores.
    :param model: of metrics on vectors of texts, a name or a folder; `precision`, `max_length`, `windows`, `cache`,
        `seed`, `threads` and `device` as of :class:`Scorer`.
    :param progress: True, False, or a function of stage, done and total; None: a bar where a person looks.

    A metric that cannot be computed is in ``Report.errors``, and the others are there; where all fail, it raises.
    Models stay loaded for the next call; :func:`markeval.release` forgets them.
    """
    return _scorer_for(model, precision, max_length, windows, cache, seed, threads, device).score(
        references,
        systems,
        metrics,
        preset=preset,
        predictions=predictions,
        table=table,
        group=group,
        source=source,
        segments=segments,
        ci=ci,
        explain=explain,
        page=page,
        ceiling=ceiling,
        sample=sample,
        clamp_k=clamp_k,
        compat=compat,
        replace_invalid=replace_invalid,
        keep_statistics=keep_statistics,
        reference_weights=reference_weights,
        candidate_weights=candidate_weights,
        progress=progress,
    )


@suggests_keywords
def compare(
    references: Any,
    systems: Any = None,
    metrics: Optional[Metrics] = None,
    *,
    preset: Optional[str] = None,
    predictions: Any = None,
    table: Any = None,
    group: Any = None,
    test: str = "bootstrap",
    resamples: int = 0,
    correction: str = "holm",
    alpha: float = 0.05,
    page: Optional[bool] = None,
    ceiling: bool = True,
    sample: Optional[int] = None,
    clamp_k: bool = False,
    compat: str = "none",
    replace_invalid: bool = False,
    model: Union[str, "os.PathLike[str]"] = DEFAULT_MODEL,
    precision: str = "f32",
    max_length: Optional[int] = None,
    windows: bool = False,
    cache: Union[None, str, "os.PathLike[str]"] = None,
    seed: int = 12345,
    threads: Optional[int] = None,
    device: str = "cpu",
    progress: Progress = None,
) -> Comparison:
    """Which of several systems is better, and is that more than chance? The first system is the baseline.

    >>> import markeval
    >>> comparison = markeval.compare(
    ...     ["a cat sat there", "the dog ran"],
    ...     {"base": ["a cat there", "dog ran"], "mine": ["a cat sat there", "the dog ran"]},
    ...     "chrf",
    ... )
    >>> comparison.ranks["chrf.chrf"]["mine"]
    1

    Inputs as of :func:`score`.

    :param test: ``bootstrap``, ``randomisation`` or ``t``.
    :param resamples: of the test; 0: 1,000, of randomisation 10,000, of set metrics 200 splits.
    :param correction: for the number of pairs of systems: ``holm``, ``bh``, ``none``.
    :param alpha: systems whose adjusted p-value is larger share a rank.
    :param page: keep what :meth:`Comparison.to_html` shows; None: in a notebook.
    :param model: of metrics on vectors of texts, a name or a folder; `precision`, `max_length`, `windows`, `cache`,
        `seed`, `threads` and `device` as of :class:`Scorer`.
    :param progress: True, False, or a function of stage, done and total; None: a bar where a person looks.
    """
    return _scorer_for(model, precision, max_length, windows, cache, seed, threads, device).compare(
        references,
        systems,
        metrics,
        preset=preset,
        predictions=predictions,
        table=table,
        group=group,
        test=test,
        resamples=resamples,
        correction=correction,
        alpha=alpha,
        page=page,
        ceiling=ceiling,
        sample=sample,
        clamp_k=clamp_k,
        compat=compat,
        replace_invalid=replace_invalid,
        progress=progress,
    )


@suggests_keywords
def correlate(
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
    model: Union[str, "os.PathLike[str]"] = DEFAULT_MODEL,
    precision: str = "f32",
    max_length: Optional[int] = None,
    windows: bool = False,
    cache: Union[None, str, "os.PathLike[str]"] = None,
    seed: int = 12345,
    threads: Optional[int] = None,
    device: str = "cpu",
    progress: Progress = None,
) -> Correlation:
    """How well metrics agree with people.

    >>> import markeval
    >>> table = {"human": [1.0, 2.0, 3.0, 4.0], "mine": [0.1, 0.3, 0.2, 0.4]}
    >>> round(markeval.correlate(table, "human", "mine").value("mine", "pearson"), 2)
    0.8

    :param table: a file (.tsv, .csv, .jsonl, each also .gz), a mapping of names to columns, or a frame. None and
        NaN are missing values.
    :param gold: the column of human scores; several: each is a judgement of its own.
    :param predicted: columns of metric scores; and, or, `reference`, `hypothesis` and `metrics` to score texts with.
    :param all_results: all results of a metric, as precision and recall, not only its main one.
    :param pairs: instead of `gold`, for WMT's kendall-like: a table of better/worse pairs that people judged, with
        the columns segment, better and worse (systems); rows of `table` are found by `system` and `segment`.
    :param better: or every row of `table` is such a pair: the column of its better text, and `worse` of the other.
    :param group: one coefficient for each value of this column, and their mean.
    :param test: of all pairs of metrics: ``williams``, ``bootstrap``, ``perm-both``, ``none``; by default
        ``perm-both`` where the first coefficient is pearson.
    :param lower_is_better: columns where a lower score is better.
    :param ci: True for 95 % intervals of all coefficients from 1,000 bootstrap resamples, N for N of them, False for
        none; by default the first coefficient has one.
    :param level: ``system``: average the scores of each `system` first.
    :param model: of metrics on vectors of texts, a name or a folder; `precision`, `max_length`, `windows`, `cache`,
        `seed`, `threads` and `device` as of :class:`Scorer`.
    :param progress: True, False, or a function of stage, done and total; None: a bar where a person looks.
    """
    return _scorer_for(model, precision, max_length, windows, cache, seed, threads, device).correlate(
        table,
        gold,
        predicted,
        reference=reference,
        hypothesis=hypothesis,
        metrics=metrics,
        all_results=all_results,
        pairs=pairs,
        better=better,
        worse=worse,
        group=group,
        system=system,
        segment=segment,
        level=level,
        coefficients=coefficients,
        test=test,
        lower_is_better=lower_is_better,
        correction=correction,
        resamples=resamples,
        ci=ci,
        gold_threshold=gold_threshold,
        tie_threshold=tie_threshold,
        min_rows=min_rows,
        page=page,
        replace_invalid=replace_invalid,
        progress=progress,
    )


@suggests_keywords
def embed(
    texts: Sequence[str],
    *,
    layer: Optional[int] = -1,
    pool: Optional[str] = None,
    normalize: bool = False,
    model: Union[str, "os.PathLike[str]"] = DEFAULT_MODEL,
    precision: str = "f32",
    max_length: Optional[int] = None,
    windows: bool = False,
    cache: Union[None, str, "os.PathLike[str]"] = None,
    threads: Optional[int] = None,
    device: str = "cpu",
    progress: Progress = None,
) -> Embedded:
    """Texts in, one row of float32 each out: ``embed(["a cat"]).shape`` is ``(1, 384)``.

    :param layer: -1 the last, 0 the embedding output, None all of them: three dimensions.
    :param pool: ``mean``, ``cls``, ``max``; None as the model does it; ``none``: a :class:`TokenVectors`.
    :param normalize: rows to length 1.
    :param model: of metrics on vectors of texts, a name or a folder; `precision`, `max_length`, `windows`, `cache`,
        `threads` and `device` as of :class:`Scorer`.
    :param progress: True, False, or a function of stage, done and total; None: a bar where a person looks.
    """
    scorer = _scorer_for(model, precision, max_length, windows, cache, 12345, threads, device)
    return scorer.embed(texts, layer=layer, pool=pool, normalize=normalize, progress=progress)
