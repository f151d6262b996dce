"""sacrebleu 2.6.0 on the native engine: BLEU, chrF, TER, their functions, classes, signatures, paired tests.

Not offered: test sets (``-t``, ``download_test_set`` and what reads them) and tokenizers that need models or
dictionaries (ja-mecab, ko-mecab, spm, flores101, flores200, spBLEU-1K). Numbers of lines that differ are an
error here, where sacrebleu leaves the rest out without a word.
"""

from . import compat, metrics, significance
from .compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from .metrics import BLEU, CHRF, TER
from .version import __version__

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "__version__",
    "compat",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "metrics",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "significance",
]
