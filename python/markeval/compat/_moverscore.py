"""What moverscore and moverscore_v2 share."""

from typing import Any, Dict, Iterable, List, Mapping, Sequence

from ._engine import WordFile, not_offered, score_lists
from ._weights import engine_weights


def mover_scores(
    metric: str,
    model: str,
    refs: Sequence[str],
    hyps: Sequence[str],
    idf_dict_ref: Mapping[int, float],
    idf_dict_hyp: Mapping[int, float],
    stop_words: Iterable[str],
) -> List[float]:
    if isinstance(refs, str) or isinstance(hyps, str):
        raise TypeError("refs and hyps are lists of texts")
    if len(refs) != len(hyps):
        raise ValueError(f"{len(refs)} references but {len(hyps)} hypotheses, expected the same number")
    options: Dict[str, Any] = {
        "model": model,
        "segments": True,
        "reference_weights": engine_weights(idf_dict_ref, refs, model),
        "candidate_weights": engine_weights(idf_dict_hyp, hyps, model),
    }
    words = list(stop_words)
    segments = [[text] for text in refs]
    if not words:
        results, _ = score_lists(list(hyps), segments, [metric], options)
    else:
        with WordFile(words) as path:
            results, _ = score_lists(list(hyps), segments, [f"{metric},stopwords={path}"], options)
    return results[0]["segments"]["moverscore"].tolist()


def check_device(tool: str, device: str) -> None:
    """The drop-ins compute on the CPU; a GPU that a program asks for by default is no reason to fail."""
    if not device.startswith(("cpu", "cuda")):
        raise not_offered(tool, "device", device, "everything is computed on the CPU")
