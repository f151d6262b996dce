"""experiment: the studies of the papers, remade."""

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import _native
from ._inputs import metric_list, name_list
from ._keywords import Experiment, File, Machine, Metrics, taken, takes
from ._progress import watched
from ._results import _Written, tell

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Study(_Written):
    """Tables of a study: ``str(study)``, ``to_dict()``, ``to_tsv()``."""

    _how_to_page = "`markeval experiment --report` writes one"

    def __init__(self, native: _native.StudyReport) -> None:
        self._native = native
        self.warnings: List[str] = native.warnings()


def studies() -> List[str]:
    """The names :func:`experiment` knows: ``k-sweep``, ``mode-collapse``, ..."""
    return _native.study_names()


@takes(Experiment)
def experiment(study: str, data: File, metrics: Optional[Metrics] = None, **given: "Unpack[Experiment]") -> Study:
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
    options: Dict[str, Any] = dict(given)
    progress, machine = options.pop("progress"), taken(options, Machine)
    options.update(
        study=study,
        data=os.fspath(data),
        metrics=[] if metrics is None else metric_list(metrics),
        parts=name_list(given["parts"]),
        also=name_list(given["also"]),
        model=os.fspath(given["model"]),
        max_length=given["max_length"] or 0,
        cache=os.fspath(given["cache"] or ""),
    )
    native = watched(
        progress, lambda watching: _native.experiment(options, machine["threads"] or 0, machine["device"], watching)
    )
    found = Study(native)
    tell(found.warnings)
    return found
