"""The baselines bert_score 0.3.13 comes with, of the layers it reads by default."""

import atexit
import os
import shutil
import tempfile
from typing import Dict, List, Optional, Tuple

_TABLE = os.path.join(os.path.dirname(__file__), "bert_score_baselines.tsv")
_folder: Optional[str] = None


def _rows() -> Dict[Tuple[str, str], List[str]]:
    with open(_TABLE, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {(row[0], row[1]): row[2:] for row in lines[1:]}


def _named(model: str) -> str:
    """``roberta-large`` of a hub's name with its owner, or of a folder."""
    return os.path.basename(os.path.normpath(model))


def published_baseline(lang: str, model: str, layer: Optional[int]) -> Optional[str]:
    """A file with the baseline of a language and a model, for ``bertscore:rescale=FILE``; None: none is known."""
    global _folder
    for (known_lang, known_model), (known_layer, *values) in _rows().items():
        if known_lang != lang.lower() or _named(known_model) != _named(model):
            continue
        if layer is not None and str(layer) != known_layer:
            return None
        if _folder is None:
            _folder = tempfile.mkdtemp(prefix="markeval_baselines_")
            atexit.register(shutil.rmtree, _folder, ignore_errors=True)
        path = os.path.join(_folder, f"{known_lang}_{_named(known_model)}.tsv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"LAYER,P,R,F\n{known_layer},{','.join(values)}\n")
        return path
    return None


def known_baselines(lang: str) -> List[str]:
    """The models of a language that have one."""
    return [model for known, model in _rows() if known == lang.lower()]
