"""train: human-scored pairs in, a trained metric out."""

import json
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

from . import _native
from ._inputs import metric_list
from ._keywords import Machine, Train, taken, takes
from ._progress import watched
from ._results import _Written, tell
from ._tables import table_lines

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Training(_Written):
    """What :func:`markeval.train` gives back: where the metric lies, and how it learned."""

    def __init__(self, native: Any) -> None:
        self._native = native
        told = json.loads(native.json())
        self.architecture: str = told["architecture"]
        self.folder: str = told["folder"]
        self.signature: str = told["signature"]
        self.epochs: List[Dict[str, float]] = told.get("epochs", [])  # a blend has none
        self.best_epoch: int = told.get("best_epoch", 0)
        self.parts: List[Dict[str, Any]] = told.get("parts", [])  # of a blend: metric, weight, pearson
        self.warnings: List[str] = native.warnings()

    @property
    def metric(self) -> str:
        """For :func:`markeval.score`: ``match:weights=FOLDER``."""
        return f"{self.architecture}:weights={self.folder}"

    def __str__(self) -> str:
        """As on the command line, but for the line that says how to score with it."""
        lines = super().__str__().splitlines()
        scored = [place for place, line in enumerate(lines) if line.startswith("score with it: markeval score ")]
        for place in scored:
            lines[place] = "score with it: markeval.score(references, systems, [training.metric])"
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<markeval.Training {self.metric}>\n{self}"


def _as_file(table: Any, columns: Sequence[str], gold: str, place: pathlib.Path) -> str:
    """A file of the table's columns; its hash is in the result."""
    with place.open("wb") as out:
        out.writelines(table_lines(table, columns, gold))
    return os.fspath(place)


def _files(tables: Any, columns: Sequence[str], gold: str, folder: str, what: str) -> List[str]:
    several = list(tables) if isinstance(tables, (list, tuple)) else [tables]
    files = []
    for number, table in enumerate(several, 1):
        if isinstance(table, (str, os.PathLike)):
            files.append(os.fspath(table))
        else:
            files.append(_as_file(table, columns, gold, pathlib.Path(folder) / f"{what}{number}.jsonl"))
    return files


@takes(Train)
def train(
    train: Any,
    valid: Any = None,
    *,
    reference: str,
    hypothesis: str,
    gold: str,
    folder: Any,
    **given: "Unpack[Train]",
) -> Training:
    """Trains a metric on human scores, as ``markeval train`` does; the result scores as ``match:weights=FOLDER``.

    :param train: what to learn from: a file (.tsv, .csv, .jsonl, each also .gz), a mapping of names to columns, a
        pandas frame, or a list of these.
    :param valid: the same, to choose the epoch by; without it ``match`` and ``blend`` hold a tenth of the pairs out. Pairs that are in
        both are an error.
    :param reference: the column of references; `hypothesis` of texts, `gold` of their human scores.
    :param folder: where the result goes: a new folder.
    :param group: column of the validation tables; the mean of its groups' Pearson chooses the epoch.
    :param architecture: ``match``, ``blend``, ``bilstm``, ``bilstm-attention`` or ``esim``.
    :param metrics: of a blend: what it is made of.
    :param start_from: a trained model to start from instead of at random.
    :param token_vectors: learn from vectors in files beside the tables (which must be files, too), not from texts:
        ``judged.ref.npy`` for column ``ref`` of ``judged.tsv``; see docs/reference/metrics/trained.md.
    :param resume: go on from the checkpoint in `folder`; `force`: replace what is there.

    The others are those of the command line; None is its default.
    """
    chosen: Dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    progress, machine = chosen.pop("progress", None), taken(chosen, Machine)
    if "metrics" in chosen:
        chosen["metrics"] = metric_list(chosen["metrics"])
    for name in ("model", "cache", "start_from"):
        if name in chosen:
            chosen["from" if name == "start_from" else name] = os.fspath(chosen.pop(name))
    columns, group = [reference, hypothesis, gold], given["group"]
    with tempfile.TemporaryDirectory(prefix="markeval_") as place:
        chosen.update(
            reference=reference,
            hypothesis=hypothesis,
            gold=gold,
            folder=os.fspath(folder),
            train=_files(train, columns, gold, place, "train"),
            valid=[] if valid is None else _files(valid, columns + ([group] if group else []), gold, place, "valid"),
        )
        threads, device = machine.get("threads") or 0, machine["device"]
        native = watched(progress, lambda watching: _native.train(chosen, threads, device, watching))
    tell(native.warnings())
    return Training(native)
