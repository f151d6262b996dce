"""Weights of tokens as bert_score and moverscore hand them around: dicts of token ids."""

import math
from collections import Counter, defaultdict
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ._engine import engine


def token_ids(texts: Sequence[str], model: str) -> List[List[int]]:
    return engine().tokenize(list(texts), {"model": model})


def idf_dict(texts: Sequence[str], model: str) -> Dict[int, float]:
    """log((texts + 1) / (texts with the token + 1)); a token in none of them: log(texts + 1)."""
    found = token_ids(texts, model)
    counts = Counter(token for ids in found for token in set(ids))
    total = len(found)
    weights: Dict[int, float] = defaultdict(_Constant(math.log(total + 1)))
    weights.update({token: math.log((total + 1) / (count + 1)) for token, count in counts.items()})
    return weights


class _Constant:
    """A default that can be pickled, as a lambda cannot."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self) -> float:
        return self.value


def engine_weights(weights: Mapping[int, float], texts: Sequence[str], model: str) -> Tuple[Dict[int, float], float]:
    """As the engine takes them. Without a default every token of the texts must be there: KeyError if not."""
    factory: Any = getattr(weights, "default_factory", None)
    listed = {int(token): float(weight) for token, weight in weights.items()}
    if factory is not None:
        return listed, float(factory())
    for ids in token_ids(texts, model):
        for token in ids:
            if token not in listed:
                raise KeyError(token)
    return listed, 0.0
