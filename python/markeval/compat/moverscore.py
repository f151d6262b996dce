"""moverscore 1.0.3, version 1, on the native engine.

The model is ``MOVERSCORE_MODEL`` of the environment when the module is imported, a name or a folder, or
:data:`model_name`, which may be set; that program's own is a BERT fine-tuned on MNLI, which has to be brought
as a Hugging Face folder. `batch_size`, `device` and `nthreads` are taken and change nothing. Not offered:
``plot_example``.
"""

import os
from typing import Dict, Iterable, List, Mapping, Sequence

from ._engine import names_the_model
from ._moverscore import check_device, mover_scores
from ._weights import idf_dict

__all__ = ["get_idf_dict", "word_mover_score"]

model_name = os.environ.get("MOVERSCORE_MODEL", "bert-base-uncased-mnli")

_WAY = "MOVERSCORE_MODEL=NAME, or markeval.compat.moverscore.model_name, takes another model"


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
    check_device("moverscore", device)
    subwords = "drop" if remove_subwords else "keep"
    metric = f"moverscore:compat=v1,n={n_gram},subwords={subwords}"
    return mover_scores(metric, model_name, refs, hyps, idf_dict_ref, idf_dict_hyp, stop_words)
