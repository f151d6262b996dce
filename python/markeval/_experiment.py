"""experiment: the studies of the papers, remade."""

import os
from typing import Any, Iterable, List, Optional, Union

from . import _native
from ._inputs import metric_list, name_list
from ._progress import Progress, watched
from ._results import _Written, tell
from ._scorer import DEFAULT_MODEL, Metrics


class Study(_Written):
    """Tables of a study: ``str(study)``, ``to_dict()``, ``to_tsv()``."""

    _how_to_page = "`markeval experiment --report` writes one"

    def __init__(self, native: _native.StudyReport) -> None:
        self._native = native
        self.warnings: List[str] = native.warnings()


def studies() -> List[str]:
    """The names :func:`experiment` knows: ``k-sweep``, ``mode-collapse``, ..."""
    return _native.study_names()


def experiment(
    study: str,
    data: Union[str, "os.PathLike[str]"],
    metrics: Optional[Metrics] = None,
    *,
    parts: Union[str, Iterable[str]] = (),
    size: int = 0,
    repeats: int = 5,
    max_k: int = 40,
    best_k: bool = False,
    level: str = "segment",
    texts: str = "raw",
    gold: str = "",
    reference: str = "",
    hypothesis: str = "",
    system: str = "",
    group: str = "",
    coefficient: str = "pearson",
    test: str = "",
    also: Union[str, Iterable[str]] = (),
    seed: int = 12345,
    model: Union[str, "os.PathLike[str]"] = DEFAULT_MODEL,
    precision: str = "f32",
    max_length: Optional[int] = None,
    windows: bool = False,
    cache: Union[None, str, "os.PathLike[str]"] = None,
    threads: Optional[int] = None,
    device: str = "cpu",
    progress: Progress = None,
) -> Study:
    """Remakes a study of the papers with the model at hand, as ``markeval experiment`` does.

    :param study: one of :func:`studies`.
    :param data: the folder that holds ``mnli/``, ``wmt17/``, ``wmt19_darr/``, ``tac/``, ``d2t/``: see
        docs/reference/data.md; of ``own`` a table or a folder: see docs/how-to/own-study.md.
    :param metrics: those of the study where None.
    :param parts: ``cs-en`` of wmt17, ``lt-en`` of wmt19, ``2008`` of tac, ``BAGEL`` of data-to-text; none: all.
    :param size: sentences of a set; 0: as in the paper.
    :param texts: of ``wmt17``: ``raw``, or ``tokenised`` as in the papers.
    :param gold: of ``own``: the column of human scores; `reference`, `hypothesis`, `system`, `group` likewise.
    :param coefficient: of ``own``: what agreement is; `test` decides what is outperformed.
    :param also: models with rows of their own beside `model`.
    """
    options: Any = {
        "study": study,
        "data": os.fspath(data),
        "metrics": [] if metrics is None else metric_list(metrics),
        "parts": name_list(parts),
        "size": size,
        "repeats": repeats,
        "max_k": max_k,
        "best_k": best_k,
        "level": level,
        "texts": texts,
        "gold": gold,
        "reference": reference,
        "hypothesis": hypothesis,
        "system": system,
        "group": group,
        "coefficient": coefficient,
        "test": test,
        "also": name_list(also),
        "seed": seed,
        "model": os.fspath(model),
        "precision": precision,
        "max_length": max_length or 0,
        "windows": windows,
        "cache": "" if cache is None else os.fspath(cache),
    }
    native = watched(progress, lambda watching: _native.experiment(options, threads or 0, device, watching))
    found = Study(native)
    tell(found.warnings)
    return found
