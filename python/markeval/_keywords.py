"""The keyword arguments of the functions, written once for the functions themselves, for Scorer, Ray and Spark.

Each has its type and, as ``Annotated``, its default. A function takes them as ``**given: Unpack[Score]`` under
``@takes(Score)``: mypy and editors read the class, ``help`` and the call the signature made of it.
"""

import difflib
import functools
import inspect
import numbers
import os
from typing import Annotated, Any, Callable, Dict, Iterable, Mapping, Optional, Tuple, TypedDict, TypeVar, Union, cast, get_args

import numpy as np

from ._native import UsageError
from ._progress import Progress

DEFAULT_MODEL = "all-MiniLM-L6-v2"

File = Union[str, os.PathLike[str]]
Metrics = Union[str, Iterable[str], Mapping[str, Optional[Mapping[str, Any]]]]
Names = Union[str, Iterable[str]]
Weights = Tuple[Dict[int, float], float]
Function = TypeVar("Function", bound=Callable[..., Any])


class Encoder(TypedDict, total=False):
    model: Annotated[File, DEFAULT_MODEL]
    precision: Annotated[str, "f32"]
    max_length: Annotated[Optional[int], None]
    windows: Annotated[bool, False]
    cache: Annotated[Optional[File], None]


class Model(Encoder, total=False):
    seed: Annotated[int, 12345]


class Machine(TypedDict, total=False):
    threads: Annotated[Optional[int], None]
    device: Annotated[str, "cpu"]


class Settings(Model, Machine, total=False):
    """Keywords of Scorer."""


class Inputs(TypedDict, total=False):
    preset: Annotated[Optional[str], None]
    predictions: Annotated[Any, None]
    table: Annotated[Any, None]
    group: Annotated[Any, None]


class Sets(TypedDict, total=False):
    page: Annotated[Optional[bool], None]
    ceiling: Annotated[bool, True]
    sample: Annotated[Optional[int], None]
    clamp_k: Annotated[bool, False]
    compat: Annotated[str, "none"]


class Segments(TypedDict, total=False):
    segments: Annotated[bool, False]
    ci: Annotated[Union[None, bool, int], None]


class Test(TypedDict, total=False):
    test: Annotated[str, "bootstrap"]
    resamples: Annotated[int, 0]
    correction: Annotated[str, "holm"]
    alpha: Annotated[float, 0.05]


class Score(Inputs, Segments, Sets, total=False):
    source: Annotated[Any, None]
    explain: Annotated[bool, False]
    replace_invalid: Annotated[bool, False]
    keep_statistics: Annotated[bool, False]
    reference_weights: Annotated[Optional[Weights], None]
    candidate_weights: Annotated[Optional[Weights], None]
    progress: Annotated[Progress, None]


class Compare(Inputs, Test, Sets, total=False):
    replace_invalid: Annotated[bool, False]
    progress: Annotated[Progress, None]


class Judged(TypedDict, total=False):
    """Keywords of correlate, on one machine and on a cluster."""

    all_results: Annotated[bool, False]
    pairs: Annotated[File, ""]
    better: Annotated[str, ""]
    worse: Annotated[str, ""]
    level: Annotated[str, "segment"]
    coefficients: Annotated[Names, ("pearson", "spearman", "kendall")]
    test: Annotated[str, ""]
    lower_is_better: Annotated[Names, ()]
    correction: Annotated[str, "holm"]
    resamples: Annotated[int, 10_000]
    ci: Annotated[Union[None, bool, int], None]
    gold_threshold: Annotated[float, 25]
    tie_threshold: Annotated[Optional[float], None]
    min_rows: Annotated[Optional[int], None]
    page: Annotated[Optional[bool], None]
    replace_invalid: Annotated[bool, False]


class Columns(TypedDict, total=False):
    group: Annotated[str, ""]
    system: Annotated[str, ""]
    segment: Annotated[str, ""]


class Correlate(Columns, Judged, total=False):
    reference: Annotated[str, ""]
    hypothesis: Annotated[str, ""]
    metrics: Annotated[Optional[Metrics], None]
    progress: Annotated[Progress, None]


class Pooling(TypedDict, total=False):
    layer: Annotated[Optional[int], -1]
    pool: Annotated[Optional[str], None]
    normalize: Annotated[bool, False]


class Embed(Pooling, total=False):
    progress: Annotated[Progress, None]


class ScoreCall(Score, Settings, total=False):
    """Keywords of the function, which makes a Scorer too. The next three are alike."""


class CompareCall(Compare, Settings, total=False):
    pass


class CorrelateCall(Correlate, Settings, total=False):
    pass


class EmbedCall(Embed, Encoder, Machine, total=False):
    pass


class Experiment(Settings, total=False):
    parts: Annotated[Names, ()]
    size: Annotated[int, 0]
    repeats: Annotated[int, 5]
    max_k: Annotated[int, 40]
    best_k: Annotated[bool, False]
    level: Annotated[str, "segment"]
    texts: Annotated[str, "raw"]
    gold: Annotated[str, ""]
    reference: Annotated[str, ""]
    hypothesis: Annotated[str, ""]
    system: Annotated[str, ""]
    group: Annotated[str, ""]
    coefficient: Annotated[str, "pearson"]
    test: Annotated[str, ""]
    also: Annotated[Names, ()]
    progress: Annotated[Progress, None]


class Train(Machine, total=False):
    """None is the default of the command line."""

    group: Annotated[str, ""]
    architecture: Annotated[str, "match"]
    model: Annotated[Optional[File], None]
    epochs: Annotated[Optional[int], None]
    patience: Annotated[Optional[int], None]
    batch: Annotated[Optional[int], None]
    learning_rate: Annotated[Optional[float], None]
    dropout: Annotated[Optional[float], None]
    metrics: Annotated[Optional[Metrics], None]
    layers: Annotated[Optional[int], None]
    heads: Annotated[Optional[int], None]
    width: Annotated[Optional[int], None]
    hidden: Annotated[Optional[int], None]
    start_from: Annotated[Optional[File], None]
    recipe: Annotated[Optional[str], None]
    pieces: Annotated[Optional[str], None]
    token_vectors: Annotated[bool, False]
    max_length: Annotated[Optional[int], None]
    cache: Annotated[Optional[File], None]
    resume: Annotated[bool, False]
    force: Annotated[bool, False]
    checkpoint_every_s: Annotated[Optional[int], None]
    replace_invalid: Annotated[bool, False]
    seed: Annotated[int, 12345]
    progress: Annotated[Progress, None]


class Rows(TypedDict, total=False):
    on_error: Annotated[str, "raise"]
    batch_size: Annotated[Optional[int], None]


class Grouped(TypedDict, total=False):
    group: Annotated[Optional[str], None]


class Workers(TypedDict, total=False):
    """Processes of Ray."""

    workers: Annotated[Optional[int], None]
    cpus: Annotated[int, 1]


class Memory(Workers, total=False):
    memory: Annotated[Optional[int], None]


class PartScore(Segments, Sets, total=False):
    """Keywords of score for a corpus in parts. The next two are those of compare and correlate."""


class PartCompare(Test, Sets, total=False):
    pass


class PartCorrelate(Columns, Judged, total=False):
    pass


class ClusterScore(Grouped, PartScore, Rows, Model, total=False):
    pass


class ClusterCompare(Grouped, PartCompare, Rows, Model, total=False):
    pass


class ClusterCorrelate(PartCorrelate, Rows, total=False):
    pass


class ClusterSegments(Rows, Model, total=False):
    pass


class ClusterEmbed(Pooling, Model, total=False):
    output: Annotated[str, "vector"]
    batch_size: Annotated[Optional[int], None]


# Keywords of evaluate, bert_score, MAUVE and sacrebleu: the first of ours that a function has, or an option of a metric.
_ELSEWHERE = {
    **dict.fromkeys(("refs", "references_list", "ref_streams", "p_text"), ("references", "reference")),
    **dict.fromkeys(("cands", "candidates", "hypotheses", "hyps", "sys", "sys_stream", "q_text"), ("systems", "hypothesis")),
    **dict.fromkeys(("model_type", "model_name", "featurize_model_name"), ("model",)),
    **dict.fromkeys(("nthreads", "num_threads", "n_jobs", "paired_jobs"), ("threads",)),
    **dict.fromkeys(("max_text_length",), ("max_length",)),
    **dict.fromkeys(("device_id",), ("device",)),
    **dict.fromkeys(("n_bootstrap", "num_bootstrap", "paired_n"), ("resamples", "ci")),
    **dict.fromkeys(("lowercase", "tokenize", "tokenizer", "smooth_method", "max_order"), ('metrics="bleu:lowercase=yes,tokenize=zh"',)),
    **dict.fromkeys(("word_order", "char_order"), ('metrics="chrf:word_order=2"',)),
    **dict.fromkeys(("use_stemmer",), ('metrics="rouge1:stem=yes"',)),
    **dict.fromkeys(("rouge_types",), ('metrics=["rouge1", "rouge2", "rougeL"]',)),
    **dict.fromkeys(("idf", "num_layers", "rescale_with_baseline"), ('metrics="bertscore:idf=yes,layer=5,rescale=FILE"',)),
    **dict.fromkeys(("num_buckets", "mauve_scaling_factor"), ('metrics="prd:clusters=20"',)),
    **dict.fromkeys(("nearest_k",), ('metrics="prdc:k=5"',)),
}


def _right_word(name: str, known: list[str]) -> str:
    """What a wrong keyword stands for, or nothing."""
    for ours in _ELSEWHERE.get(name, ()):
        if ours in known:
            return f"; did you mean {ours!r}?"
        if "=" in ours and "metrics" in known:
            return f"; it is an option of a metric: {ours}"
    begun = [word for word in known if len(name) > 1 and word.startswith(name)]
    close = begun or difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of the plain type that a keyword has; all fit one that is not plain."""
    kinds = [one for one in get_args(kind) or (kind,) if one is not type(None)]
    if value is None and len(kinds) < len(get_args(kind)):
        return True
    if kind in (File, Optional[File]):
        return isinstance(value, (str, os.PathLike))
    if len(kinds) != 1 or kinds[0] not in (str, bool, int, float):
        return True
    if kinds[0] is str:
        return isinstance(value, str)
    truth = isinstance(value, (bool, np.bool_))
    if kinds[0] is bool:
        return truth
    return not truth and isinstance(value, numbers.Integral if kinds[0] is int else numbers.Real)


_PLAIN = {str: "a text", bool: "True or False", int: "a whole number", float: "a number"}


def _refuse_other_kind(name: str, value: Any, kind: Any) -> None:
    if _fits(value, kind):
        return
    kinds = [one for one in get_args(kind) or (kind,) if one is not type(None)]
    wanted = _PLAIN.get(kinds[0], "") if len(kinds) == 1 else "a text or a path"
    shown = repr(value)
    raise UsageError(f"{name} {shown[:40]}{'...' if len(shown) > 40 else ''} is of type {type(value).__name__}, expected {wanted}")


def takes(keywords: Any, **defaults: Any) -> Callable[[Function], Function]:
    """Gives the function that it decorates these keywords in place of ``**given``; some may have other `defaults`.

    The function finds all of them in `given`. A wrong one is answered with the closest right word.
    """

    def decorated(function: Function) -> Function:
        signature = inspect.signature(function)
        plain = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        more = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name, kind.__metadata__[0]), annotation=kind.__origin__
            )
            for name, kind in keywords.__annotations__.items()
        ]
        signature = signature.replace(parameters=[*plain, *more])
        known = list(signature.parameters)
        standing = {one.name: one.default for one in more}
        kinds = {one.name: one.annotation for one in more}
        spoken = function.__name__ if function.__name__ != "__init__" else function.__qualname__.partition(".")[0]

        @functools.wraps(function)
        def called(*arguments: Any, **named: Any) -> Any:
            for name in named:
                if name not in known:
                    raise TypeError(f"{spoken}() has no argument {name!r}{_right_word(name, known)}")
                if name in kinds:
                    _refuse_other_kind(name, named[name], kinds[name])
            return function(*arguments, **{**standing, **named})

        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        return cast(Function, called)

    return decorated


def taken(given: Dict[str, Any], keywords: Any) -> Dict[str, Any]:
    """Those of `given` that are `keywords`; they are taken out of it."""
    return {name: given.pop(name) for name in keywords.__annotations__ if name in given}
