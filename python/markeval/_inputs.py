"""What users hand over, told apart: files, texts, vectors."""

import os
from collections.abc import Mapping
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._native import InvalidInputError, UsageError

Texts = Tuple[List[str], Optional[List[int]]]
Inputs = List[Tuple[str, Any]]


def is_path(value: Any) -> bool:
    return isinstance(value, os.PathLike)


def is_rows(value: Any) -> bool:
    """Numbers in two dimensions: an array, or what turns into one without copying (a tensor, a frame)."""
    if not (isinstance(value, np.ndarray) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")):
        return False
    return getattr(value, "ndim", 0) == 2


def as_rows(value: Any, name: str) -> np.ndarray:
    """float32 and float64 in rows are taken as they are; half precision and other layouts are copied."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        raise InvalidInputError(f"{name}: {array.dtype} values, expected float32, float64 or float16")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise InvalidInputError(f"{name}: {array.dtype} values, expected float32, float64 or float16")
    return np.ascontiguousarray(array)


def _refuse_text(value: Any, what: str) -> None:
    if isinstance(value, (str, bytes)):
        raise TypeError(
            f"{what}: a single {type(value).__name__}, expected a list of texts "
            "(a file is given as pathlib.Path('FILE'))"
        )


def as_texts(value: Any, what: str) -> Texts:
    """A list of texts; or of lists of texts, several for one segment."""
    _refuse_text(value, what)
    texts = value.tolist() if isinstance(value, np.ndarray) else list(value)
    if not any(isinstance(text, (list, tuple)) for text in texts):
        return texts, None
    flat: List[str] = []
    starts = [0]
    for index, segment in enumerate(texts):
        listed = [segment] if isinstance(segment, str) else list(segment)
        if not listed:
            raise InvalidInputError(f"{what}: segment {index + 1} has no text, expected at least one")
        flat.extend(listed)
        starts.append(len(flat))
    return flat, starts


def _several(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and (is_path(value[0]) or is_rows(value[0]))


def _source(value: Any, name: str) -> Any:
    if is_path(value):
        return os.fspath(value)
    if is_rows(value):
        return as_rows(value, name)
    return as_texts(value, name)


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
        return [(str(name), _source(one, str(name))) for name, one in systems.items()]
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
            "systems: lists of texts inside a list; several systems are given by name: {'mine': [...], ...}"
        )
    return [("system", source)]


def metric_list(metrics: Any) -> List[str]:
    if isinstance(metrics, str):
        return [metrics]
    listed = list(metrics)
    for metric in listed:
        if not isinstance(metric, str):
            raise TypeError(f"metrics: {metric!r} is of type {type(metric).__name__}, expected str")
    return listed


def table_columns(table: Any, numbers: Sequence[str], texts: Sequence[str]) -> List[Tuple[Any, ...]]:
    """(name, numbers, texts, starts) of the columns of a mapping or a frame, each of the kind it is used as."""
    columns: List[Tuple[Any, ...]] = []
    for name in table:
        values = table[name]
        values = values.tolist() if hasattr(values, "tolist") else list(values)
        if name in texts:
            flat, starts = as_texts(values, f"column '{name}'")
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
    except (TypeError, ValueError):
        raise InvalidInputError(f"column '{column}' holds {value!r}, expected a number") from None
