"""Tokenizers: the default one, and the interface for others."""

import abc
from typing import List

from ..._native import metric_words


class Tokenizer(abc.ABC):
    @abc.abstractmethod
    def tokenize(self, text: str) -> List[str]:
        """The words of a text."""


class DefaultTokenizer(Tokenizer):
    """Runs of a-z and 0-9 after lower-casing, stemmed where asked for."""

    def __init__(self, use_stemmer: bool = False) -> None:
        self.use_stemmer = use_stemmer
        self._metric = f"rouge1:stem={'yes' if use_stemmer else 'no'}"

    def tokenize(self, text: str) -> List[str]:
        return metric_words(self._metric, text)
