"""Models on this machine."""

import os
from typing import List, NamedTuple, Union

from . import _native
from ._progress import Progress, watched
from ._results import tell

__all__ = ["Converted", "Model", "Pulled", "convert", "list", "pull"]


def __dir__() -> List[str]:
    return __all__


class Pulled(NamedTuple):
    """What :func:`pull` brought."""

    folder: str
    revision: str  #: the commit
    already_there: bool  #: nothing had to be fetched


def pull(
    name: str = "all-MiniLM-L6-v2",
    *,
    revision: str = "main",
    endpoint: str = "",
    no_checksum: bool = False,
    progress: Progress = None,
) -> Pulled:
    """Fetches a model from the Hugging Face hub, as ``markeval model pull`` does.

    >>> import markeval
    >>> markeval.models.pull("FacebookAI/roberta-large").folder  # doctest: +SKIP
    '/home/me/.local/share/markeval/models/FacebookAI/roberta-large'

    Every file is checked, and the model appears when all of them are there. What an interrupted pull has brought is
    kept for the next one. Where the model is there already, the hub is only asked for its commit.

    :param name: ``OWNER/NAME`` on the hub, or the default model, ``all-MiniLM-L6-v2``.
    :param revision: branch, tag or commit.
    :param endpoint: another hub; by default ``$HF_ENDPOINT``, else ``https://huggingface.co``.
    :param no_checksum: take files the hub lists without a checksum as they come.
    :param progress: as of :func:`markeval.score`; the stages are the names of files, counted in bytes.
    """
    pulled = watched(
        progress, lambda watching: _native.pull_model(name, revision, endpoint, no_checksum, watching)
    )
    tell(pulled.warnings)
    return Pulled(pulled.folder, pulled.revision, pulled.already_there)


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


class Model(NamedTuple):
    """A model on this machine."""

    name: str
    architecture: str
    layers: int
    weight_bytes: int
    signature: str


def list() -> List[Model]:
    """The models that can be named, as ``markeval model list`` shows them; damaged ones are left out.

    >>> import markeval
    >>> [model.name for model in markeval.models.list()]  # doctest: +SKIP
    ['all-MiniLM-L6-v2']
    """
    return [Model(*fields) for fields in _native.list_models()]
