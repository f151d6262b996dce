"""The index of frames: which rows of two inputs belong together, and what the rows of results are called."""

from collections.abc import Mapping
from typing import Any, Iterable, List, Optional, Tuple

from ._native import InvalidInputError

Column = Tuple[str, Any]


def labels(value: Any) -> Any:
    """The index of a Series or frame of pandas; None of what has none, such as a list, whose ``index`` is a method."""
    index = getattr(value, "index", None)
    return index if hasattr(index, "equals") else None


def _refuse(first: Column, second: Column) -> None:
    names = f"{first[0]} and {second[0]}"
    if set(first[1]) == set(second[1]):
        what = f"{names} have the same index in another order; sort one"
    else:
        row = next(row for row, (one, other) in enumerate(zip(first[1], second[1])) if one != other)
        what = (
            f"{names} have different labels in their index ({first[1][row]} and {second[1][row]} in row {row + 1});"
            " select the same rows"
        )
    raise InvalidInputError(f"{what}, or pass lists to pair by position")


def common_index(columns: Iterable[Column], paired: bool = True) -> Any:
    """The index of the named columns; None where no column has one.

    Raises InvalidInputError where the rows are `paired` and two indexes of one length differ. Of other lengths
    the engine tells the numbers of texts.
    """
    first: Optional[Column] = None
    for name, value in columns:
        index = labels(value)
        if index is None:
            continue
        if first is None:
            first = (name, index)
        elif paired and len(index) == len(first[1]) and not first[1].equals(index):
            _refuse(first, (name, index))
    return None if first is None else first[1]


def mapping_columns(table: Any, names: Iterable[Any]) -> List[Column]:
    """The columns of these names; of a frame itself, which has one index for all."""
    if not isinstance(table, Mapping):
        return [("table", table)]
    return [(repr(name), table[name]) for name in names if isinstance(name, str) and name in table]


def _names(names: Any) -> List[Any]:
    return [names] if isinstance(names, str) or names is None else list(names)


def input_columns(references: Any, systems: Any, table: Any, others: Mapping) -> List[Column]:
    """What :func:`markeval.score` was given; `others`: labels of groups and sources, by name."""
    if table is not None:
        named = [*_names(references), *_names(systems), *(one for one in others.values() if isinstance(one, str))]
        columns = mapping_columns(table, named)
    elif isinstance(systems, Mapping):
        columns = [("references", references), *((repr(name), one) for name, one in systems.items())]
    else:
        columns = [("references", references), ("systems", systems)]
    return [*columns, *((name, one) for name, one in others.items() if not isinstance(one, str))]
