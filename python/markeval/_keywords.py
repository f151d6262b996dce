"""Keyword arguments that do not exist, answered with the right word."""

import difflib
import functools
import inspect
from typing import Any, Callable, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def suggests_keywords(function: Function) -> Function:
    """``score(..., metric="chrf")`` names `metrics`; the signature stays."""
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        for name in named:
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise TypeError(f"{function.__name__}() has no argument {name!r}{hint}")
        return function(*arguments, **named)

    return cast(Function, called)
