"""The words of a text."""

from typing import Any, List

from .._engine import not_offered
from .tokenizers import DefaultTokenizer


def tokenize(text: str, stemmer: Any) -> List[str]:
    """Without a stemmer, or with the engine's own (``True``); other stemmers are not offered."""
    if stemmer is not None and not isinstance(stemmer, bool):
        raise not_offered("rouge_score.tokenize", "stemmer", stemmer, "offered: None, and True for Porter's")
    return DefaultTokenizer(bool(stemmer)).tokenize(text)
