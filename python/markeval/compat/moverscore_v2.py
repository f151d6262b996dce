"""moverscore 1.0.3, version 2, on the native engine.

The model is ``MOVERSCORE_MODEL`` of the environment when the module is imported, a name or a folder, else
distilbert-base-uncased; :data:`model_name` may be set. As in that program `n_gram` and `remove_subwords` change
nothing, and neither do `batch_size`, `device` and `nthreads` here. Not offered: ``plot_example``.
"""

import os
from typing import Dict, Iterable, List, Mapping, Sequence

from ._engine import names_the_model
from ._moverscore import check_device, mover_scores
from ._weights import idf_dict

__all__ = ["get_idf_dict", "word_mover_score"]

model_name = os.environ.get("MOVERSCORE_MODEL", "distilbert-base-uncased")

_WAY = "MOVERSCORE_MODEL=NAME, or markeval.compat.moverscore_v2.model_name, takes another model"


@names_the_model(_WAY)
def get_idf_dict(arr: Sequence[str], nthreads: int = 4) -> Dict[int, float]:
    """What tokens weigh, by how rare they are in these texts."""
    return idf_dict(arr, model_name)


@names_the_model(_WAY)
def word_mover_score(
    refs: Sequence[str],
    hyps: Sequence[str],
    idf_dict_ref: Mapping[int, float],
    idf_dict_hyp: Mapping[int, float],
    stop_words: Iterable[str] = (),
    n_gram: int = 1,
    remove_subwords: bool = True,
    batch_size: int = 256,
    device: str = "cuda:0",
) -> List[float]:
    """The score of every pair."""
    check_device("moverscore_v2", device)
    metric = "moverscore:compat=v2"
    return mover_scores(metric, model_name, refs, hyps, idf_dict_ref, idf_dict_hyp, stop_words)
