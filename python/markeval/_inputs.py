"""What users hand over, told apart: files, texts, vectors."""

import os
import sys
from collections.abc import Mapping, Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.ma  # here, not at its first use: a fork meanwhile would copy a held import lock

from ._index import common_index, mapping_columns
from ._native import MOST_RESAMPLES, InvalidInputError, UsageError

DEFAULT_RESAMPLES = 1000

Texts = Tuple[List[str], Optional[List[int]]]
Inputs = List[Tuple[str, Any]]


@dataclass
class ArrowTexts:
    """A column of texts where Arrow keeps it: text i is ``data[offsets[i]:offsets[i + 1]]``, valid UTF-8."""

    offsets: np.ndarray
    data: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1


def is_path(value: Any) -> bool:
    return isinstance(value, os.PathLike)


def frame_columns(value: Any) -> Optional[List[str]]:
    """The names of a frame's columns (pandas, polars, Arrow), None of what is no frame."""
    for name in ("columns", "column_names"):
        names = getattr(value, name, None)
        if names is None or callable(names) or isinstance(value, Mapping):
            continue
        listed = list(names)
        if all(isinstance(one, str) for one in listed) and hasattr(value, "__getitem__"):
            twice = sorted({one for one in listed if listed.count(one) > 1}) if len(set(listed)) < len(listed) else []
            if twice:  # such a name gives a frame, not a column
                raise InvalidInputError(f"two columns are named {twice[0]!r}, expected a name for each")
            return listed
    return None


def _utf8(text: str, what: str) -> str:
    """Half of a surrogate pair, which Python also has for bytes of file names that are no UTF-8, is refused."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} {text!r}, expected text that can be written as UTF-8") from None
    return text


def _values(column: Any) -> Any:
    """A column as a list: pandas, polars and Arrow call it differently."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return getattr(column, name)()
    return list(column)


def _is_text_frame(value: Any) -> bool:
    columns = frame_columns(value)
    if not columns:
        return False
    first = _values(value[columns[0]])
    return bool(first) and isinstance(first[0], str)


def _column_names(table: Any) -> List[Any]:
    """Of a frame or a mapping."""
    known = frame_columns(table)
    if known is None and not isinstance(table, Mapping):
        raise TypeError(f"table: {type(table).__name__}, expected a frame or a mapping of names to columns")
    return list(table) if known is None else known


def _named_columns(table: Any, names: Any, what: str) -> List[Tuple[str, Any]]:
    """Columns of a frame or a mapping, by name."""
    known = [str(name) for name in _column_names(table)]
    found = []
    for name in name_list(names):
        if name not in known:
            raise UsageError(f"{what}: no column {name!r} in the table (columns: {', '.join(known)})")
        found.append((name, table[name]))
    return found


def is_rows(value: Any) -> bool:
    """Numbers in two dimensions: an array, or what turns into one without copying (a tensor, a frame)."""
    if _is_text_frame(value):
        return False
    if not (isinstance(value, np.ndarray) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")):
        return False
    return getattr(value, "ndim", 0) == 2


def as_rows(value: Any, name: str) -> np.ndarray:
    """float32 and float64 in rows are taken as they are; half precision and other layouts are copied."""
    refuse_mask(value, name)
    array = np.asarray(value)
    if array.ndim != 2:
        raise InvalidInputError(f"{name}: an array of shape {array.shape}, expected rows of vectors: two dimensions")
    if array.dtype.kind != "f":
        raise InvalidInputError(f"{name}: {array.dtype} values, expected float32, float64 or float16")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise InvalidInputError(f"{name}: {array.dtype} values, expected float32, float64 or float16")
    return np.ascontiguousarray(array)


def refuse_mask(value: Any, what: str) -> None:
    """What is masked would be taken as if it were there."""
    masked = int(np.ma.count_masked(value)) if isinstance(value, np.ma.MaskedArray) else 0
    if masked:
        raise InvalidInputError(
            f"{what}: {masked} masked {'value' if masked == 1 else 'values'}, expected none: leave these rows out first"
        )


def _refuse_missing(texts: List[Any], column: Any, what: str) -> None:
    """NaN and None, which frames have for what is missing."""
    labels = getattr(column, "index", None)
    for place, text in enumerate(texts):
        if text is None or text != text:
            where = f"text {place + 1}"
            if labels is not None and not callable(labels):
                where += f" (index {labels[place]})"
            raise InvalidInputError(f"{what}: {where} is missing ({text}), expected a text in every row")


def refuse_text(value: Any, what: str) -> None:
    if isinstance(value, (str, bytes)):
        raise TypeError(
            f"{what}: a single {type(value).__name__}, expected a list of texts "
            "(a file is given as pathlib.Path('FILE'))"
        )
    if isinstance(value, AbstractSet):
        raise TypeError(f"{what}: a {type(value).__name__} has no order, expected a list of texts")
    refuse_mask(value, what)


def label_list(value: Any, what: str) -> List[str]:
    """A text, a number or a truth value for each segment."""
    refuse_text(value, what)
    labels = _values(value)
    _refuse_missing(labels, value, what)
    return [str(label) for label in labels]


def as_texts(value: Any, what: str) -> Texts:
    """A list of texts; or of lists of texts, several for one segment."""
    refuse_text(value, what)
    texts = _values(value)
    kinds = set(map(type, texts))  # few kinds, many texts
    if kinds & {float, type(None)}:
        _refuse_missing(texts, value, what)
    if not any(issubclass(kind, (list, tuple)) for kind in kinds):
        return texts, None
    flat: List[str] = []
    starts = [0]
    for index, segment in enumerate(texts):
        if not isinstance(segment, str):
            refuse_text(segment, f"{what}: segment {index + 1}")
        listed = [segment] if isinstance(segment, str) else list(segment)
        if not listed:
            raise InvalidInputError(f"{what}: segment {index + 1} has no text, expected at least one")
        flat.extend(listed)
        starts.append(len(flat))
    return flat, starts


def arrow_texts(column: Any) -> Optional[ArrowTexts]:
    """A column of Arrow that holds nothing else than texts, not copied unless it lies in chunks; None of others."""
    if isinstance(column, ArrowTexts):
        return column
    pyarrow: Any = sys.modules.get("pyarrow")  # who has a column of it has loaded it
    if pyarrow is None or not isinstance(column, (pyarrow.Array, pyarrow.ChunkedArray)):
        return None
    is_text = pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)
    if not is_text or column.null_count > 0 or len(column) == 0:
        return None
    try:
        column.validate(full=True)  # a Parquet file may hold bytes that are not UTF-8
    except pyarrow.ArrowInvalid:
        return None
    wide = column.cast(pyarrow.large_string())
    one = wide.combine_chunks() if isinstance(wide, pyarrow.ChunkedArray) else wide
    _, offsets, data = one.buffers()
    return ArrowTexts(
        np.frombuffer(offsets, np.int64)[one.offset : one.offset + len(one) + 1],
        np.frombuffer(data or b"", np.uint8),
    )


def text_source(value: Any, what: str) -> Tuple[Union[List[str], ArrowTexts], Optional[List[int]]]:
    """Texts as the engine takes them: those of Arrow where they are, others as lists."""
    there = arrow_texts(value)
    return as_texts(value, what) if there is None else (there, None)


def _several(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and (is_path(value[0]) or is_rows(value[0]))


def _refuse_mapping(references: Any, systems: Any) -> None:
    """A mapping of references has no meaning here, and its keys are no texts."""
    if not isinstance(references, Mapping):
        return
    names = ", ".join(repr(name) for name in list(references)[:3])
    meant = (
        "are references and systems swapped? The references come first"
        if not isinstance(systems, Mapping)
        else "names go with systems: score(references, {'mine': [...]}, ...)"
    )
    raise TypeError(
        f"references: a mapping ({names}), expected a list with a text, or a list of texts, per segment; {meant}"
    )


def _source(value: Any, name: str) -> Any:
    if is_path(value):
        return _utf8(os.fspath(value), "file")
    if is_rows(value):
        return as_rows(value, name)
    return text_source(value, name)


def _segments(inputs: Inputs) -> Optional[int]:
    """How many texts the first system has; None where that is not known yet: a file, or vectors."""
    source = inputs[0][1]
    return len(source[0]) if isinstance(source, tuple) else None


def _streams(references: Any, segments: Optional[int]) -> bool:
    """Whether these are lists as sacrebleu takes them, a whole list for the first references, and so on."""
    return (
        isinstance(references, (list, tuple))
        and segments is not None
        and 0 < len(references) != segments
        and all(isinstance(one, (list, tuple)) and len(one) == segments for one in references)
    )


def _may_be_streams(references: Any, segments: Optional[int]) -> bool:
    """As many references as segments: both ways of writing them look the same."""
    return (
        isinstance(references, (list, tuple))
        and segments is not None
        and 1 < segments == len(references)
        and all(isinstance(one, (list, tuple)) and len(one) == segments for one in references)
    )


def request_inputs(
    references: Any, systems: Any, predictions: Any, table: Any = None
) -> Tuple[Inputs, Inputs, List[str]]:
    """References and systems as the engine takes them, and what the user should be told about them."""
    if predictions is not None:
        if systems is not None:
            raise TypeError("predictions is another word for systems, expected one of them")
        systems = predictions
    if systems is None:
        raise TypeError("no systems given, expected score(references, systems, metrics)")
    if table is not None:
        columns = _named_columns(table, references, "references")
        named = _named_columns(table, systems, "systems")
        return (
            [(name, text_source(values, name)) for name, values in columns],
            [(name, text_source(values, name)) for name, values in named],
            [],
        )
    _refuse_mapping(references, systems)
    if _is_text_frame(references):
        names = frame_columns(references) or []
        raise TypeError(
            f"references: a frame with columns {', '.join(names)}, expected one column: frame[{names[0]!r}], "
            "or its name with table=frame"
        )
    if _is_text_frame(systems):
        systems = dict(_named_columns(systems, frame_columns(systems), "systems"))
    found = system_inputs(systems)
    told: List[str] = []
    if _streams(references, _segments(found)):
        count = len(references)
        told.append(
            f"references: {count} {'list' if count == 1 else 'lists'} of {len(references[0])} texts, taken as "
            "sacrebleu takes them: one list for each reference; markeval's own way is one list for each segment"
        )
        streams = [(f"reference {number}", as_texts(one, "reference")) for number, one in enumerate(references, 1)]
        return streams, found, told
    if _may_be_streams(references, _segments(found)):
        told.append(
            f"references: {len(references)} lists of as many texts, taken as one list for each segment; sacrebleu's "
            "lists, one for each reference, have the same form: list(zip(*references)) turns them"
        )
    return reference_inputs(references), found, told


def group_options(group: Any, table: Any) -> Dict[str, Any]:
    """What `group` is to the engine: a column of a file, or the labels themselves."""
    if group is None:
        return {}
    if table is not None and isinstance(group, str):
        [(_, column)] = _named_columns(table, group, "group")
        group = column
    elif isinstance(group, (str, os.PathLike)):
        return {"group": os.fspath(group)}
    return {"groups": label_list(group, "group")}


def source_options(source: Any, table: Any) -> Dict[str, Any]:
    """What `source` is to the engine: a column of a file, or the texts themselves."""
    if source is None:
        return {}
    if table is not None and isinstance(source, str):
        [(_, column)] = _named_columns(table, source, "source")
        source = column
    elif isinstance(source, (str, os.PathLike)):
        return {"source_text": os.fspath(source)}
    return {"source_texts": label_list(source, "source")}


def reference_inputs(references: Any) -> Inputs:
    """One input, or several files or arrays."""
    given = list(references) if _several(references) else [references]
    inputs = []
    for number, one in enumerate(given, 1):
        name = "reference" if len(given) == 1 else f"reference {number}"
        inputs.append(("" if is_path(one) else name, _source(one, name)))
    return inputs


def system_inputs(systems: Any) -> Inputs:
    """A mapping of names to inputs, a list of files or arrays, or one input."""
    if isinstance(systems, Mapping):
        if not systems:
            raise UsageError("no system given")
        return [(_utf8(str(name), "system"), _source(one, str(name))) for name, one in systems.items()]
    if _several(systems):
        return [
            ("" if is_path(one) else f"system{number}", _source(one, f"system{number}"))
            for number, one in enumerate(systems, 1)
        ]
    if is_path(systems):
        return [("", _source(systems, "system"))]
    source = _source(systems, "system")
    if isinstance(source, tuple) and source[1] is not None:
        raise InvalidInputError(
            "systems: lists of texts inside a list, expected a list of texts, one per segment; "
            "several systems are given by name: {'mine': [...], 'other': [...]}"
        )
    return [("system", source)]


def _option(metric: str, name: Any, value: Any) -> str:
    """``lowercase=yes`` of ``lowercase`` and True."""
    if not isinstance(name, str):
        raise TypeError(f"metrics: option {name!r} of {metric} is of type {type(name).__name__}, expected str")
    if isinstance(value, (bool, np.bool_)):
        text = "yes" if value else "no"
    elif isinstance(value, (str, int, float, np.integer, np.floating)):
        text = str(value)
    elif is_path(value):
        text = os.fspath(value)
    else:
        raise TypeError(
            f"metrics: {metric} has {name}={value!r} of type {type(value).__name__}, "
            "expected True, False, a number, a text or a path"
        )
    if "," in text:
        raise UsageError(f"metrics: {metric} has {name}={text!r}: a value cannot hold a comma")
    return f"{name}={text}"


def _request(metric: Any, options: Any) -> str:
    """``bleu:lowercase=yes`` of ``bleu`` and ``{"lowercase": True}``."""
    if not isinstance(metric, str):
        raise TypeError(f"metrics: {metric!r} is of type {type(metric).__name__}, expected str")
    if options is None:
        return metric
    if not isinstance(options, Mapping):
        raise TypeError(
            f"metrics: {metric} has options {options!r} of type {type(options).__name__}, "
            "expected a mapping: {'bleu': {'lowercase': True}}"
        )
    if not options:
        return metric
    if ":" in metric:
        raise UsageError(f"metrics: {metric!r} names options, and so does its mapping {dict(options)!r}; expected one")
    return f"{metric}:" + ",".join(_option(metric, name, value) for name, value in options.items())


def metric_list(metrics: Any) -> List[str]:
    """``"bleu"``, ``["bleu", "me:k=3"]``, or ``{"bleu": {"lowercase": True}, "me": {"k": 3}}``."""
    if isinstance(metrics, str):
        return [metrics]
    if isinstance(metrics, Mapping):
        return [_request(metric, options) for metric, options in metrics.items()]
    return [_request(metric, None) for metric in metrics]


def name_list(names: Any) -> List[str]:
    """Columns or coefficients: one name, or several."""
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is of type {type(name).__name__}, expected str")
    return listed


def resample_count(ci: Any) -> int:
    """What `ci` asks for: True is the usual number, False and None are none."""
    if ci is None or ci is False:
        return 0
    if ci is True:
        return DEFAULT_RESAMPLES
    whole = isinstance(ci, (int, np.integer))
    if not whole or ci < 0 or ci == 1 or ci > MOST_RESAMPLES:
        raise UsageError(f"ci {str(ci)!r}, expected a whole number from 2 to {MOST_RESAMPLES}")
    return int(ci)


def sample_size(sample: Any) -> int:
    """None is all; fewer than two rows are no set."""
    if sample is None:
        return 0
    if not isinstance(sample, (int, np.integer)) or isinstance(sample, bool) or sample < 2:
        raise UsageError(f"sample {sample!r}, expected a whole number of 2 or more")
    return int(sample)


def table_columns(table: Any, numbers: Sequence[str], texts: Sequence[str]) -> List[Tuple[Any, ...]]:
    """(name, numbers, texts, starts) of the columns of a mapping or a frame, each of the kind it is used as."""
    common_index(mapping_columns(table, [*numbers, *texts]))
    columns: List[Tuple[Any, ...]] = []
    for name in _column_names(table):
        _utf8(str(name), "column")
        if isinstance(table[name], AbstractSet):
            refuse_text(table[name], f"column '{name}'")
        values = _values(table[name])
        if name in texts:
            flat, starts = as_texts(table[name], f"column '{name}'")
            columns.append((str(name), None, [_text(text) for text in flat], starts))
        elif name in numbers:
            columns.append((str(name), [_number(value, name) for value in values], None, None))
        else:  # named in messages only
            columns.append((str(name), [None] * len(values), None, None))
    return columns


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _number(value: Any, column: str) -> Optional[float]:
    """None and NaN, which frames use for it, are missing values."""
    if value is None or value != value:
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"column '{column}' holds {str(value)[:40]!r}, expected a number") from None
