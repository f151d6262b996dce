"""rouge-score 0.1.2 on the native engine.

``from markeval.compat.rouge_score import rouge_scorer, scoring`` or ``RougeScorer`` itself. Not offered: the
file tools (``rouge_score.io``, ``rouge_score.rouge``).
"""

from . import rouge_scorer, scoring, tokenize, tokenizers
from .rouge_scorer import RougeScorer

__all__ = ["RougeScorer", "rouge_scorer", "scoring", "tokenize", "tokenizers"]
