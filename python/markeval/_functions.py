"""score, compare, correlate and embed: the functions most programs need. Models stay loaded between calls."""

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Tuple

from ._keywords import CompareCall, CorrelateCall, EmbedCall, Metrics, Names, ScoreCall, Settings, taken, takes
from ._results import Comparison, Correlation, Embedded, Report
from ._scorer import Scorer, shared_scorer

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _scorer_for(given: Mapping[str, Any]) -> Tuple[Scorer, Dict[str, Any]]:
    """A scorer with the settings among `given`, and what is left of them."""
    keywords = dict(given)
    return shared_scorer(**taken(keywords, Settings)), keywords


@takes(ScoreCall)
def score(references: Any, systems: Any = None, metrics: Optional[Metrics] = None, **given: "Unpack[ScoreCall]") -> Report:
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
    scorer, keywords = _scorer_for(given)
    return scorer.score(references, systems, metrics, **keywords)


@takes(CompareCall)
def compare(references: Any, systems: Any = None, metrics: Optional[Metrics] = None, **given: "Unpack[CompareCall]") -> Comparison:
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
    scorer, keywords = _scorer_for(given)
    return scorer.compare(references, systems, metrics, **keywords)


@takes(CorrelateCall)
def correlate(table: Any, gold: Names = "", predicted: Optional[Names] = None, **given: "Unpack[CorrelateCall]") -> Correlation:
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
    scorer, keywords = _scorer_for(given)
    return scorer.correlate(table, gold, predicted, **keywords)


@takes(EmbedCall)
def embed(texts: Sequence[str], **given: "Unpack[EmbedCall]") -> Embedded:
    """Texts in, one row of float32 each out: ``embed(["a cat"]).shape`` is ``(1, 384)``.

    :param layer: -1 the last, 0 the embedding output, None all of them: three dimensions.
    :param pool: ``mean``, ``cls``, ``max``; None as the model does it; ``none``: a :class:`TokenVectors`.
    :param normalize: rows to length 1.
    :param model: of metrics on vectors of texts, a name or a folder; `precision`, `max_length`, `windows`, `cache`,
        `threads` and `device` as of :class:`Scorer`.
    :param progress: True, False, or a function of stage, done and total; None: a bar where a person looks.
    """
    scorer, keywords = _scorer_for(given)
    return scorer.embed(texts, **keywords)
