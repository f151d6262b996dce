"""Models on this machine."""

import os
from typing import NamedTuple, Union

from . import _native

__all__ = ["Converted", "convert"]


class Converted(NamedTuple):
    """What :func:`convert` wrote."""

    folder: str
    tensors: int
    weight_bytes: int


def convert(model: Union[str, "os.PathLike[str]"], to: Union[str, "os.PathLike[str]"]) -> Converted:
    """Writes a model of any format markeval reads as ``config.json``, ``model.safetensors`` and tokenizer files.

    >>> import markeval
    >>> markeval.models.convert("old-bert", "new-bert").tensors  # doctest: +SKIP
    199

    :param model: a name or a folder, as of :func:`markeval.score`.
    :param to: a folder that does not exist yet; it appears whole or not at all.
    """
    written = _native.convert_model(os.fspath(model), os.fspath(to))
    return Converted(written.folder, written.tensors, written.weight_bytes)
