"""RougeScorer: rouge1 to rouge9, rougeL, rougeLsum."""

import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._engine import score_lists
from . import scoring, tokenizers


class RougeScorer(scoring.BaseScorer):
    """Scores of a prediction against one target or the best of several.

    With a tokenizer of one's own the engine counts that tokenizer's words. `split_summaries` needs nltk, as it
    does there.
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Optional[Any] = None,
    ) -> None:
        self.rouge_types = rouge_types
        self._use_stemmer = use_stemmer
        self._tokenizer = tokenizer if tokenizer else tokenizers.DefaultTokenizer(use_stemmer)
        self._split_summaries = split_summaries

    def score(self, target: str, prediction: str) -> Dict[str, scoring.Score]:
        """The Score of every type asked for."""
        plain = isinstance(self._tokenizer, tokenizers.DefaultTokenizer)
        asked: List[Tuple[str, str, str, str]] = []  # name, metric, target, prediction
        for name in self.rouge_types:
            metric, order = _metric_of(name)
            texts = [target, prediction]
            if name == "rougeLsum" and self._split_summaries:
                texts = [_sentences(text) for text in texts]
            if not plain or order > 2:
                texts = self._as_symbols(texts, order, name == "rougeLsum")
                metric = "rouge1" if order > 0 else metric
            elif self._tokenizer.use_stemmer:
                metric += ":stem=yes"
            asked.append((name, metric, texts[0], texts[1]))
        groups: Dict[Tuple[str, str], List[Tuple[str, str]]] = {}
        for name, metric, one, other in asked:
            groups.setdefault((one, other), []).append((name, metric))
        found: Dict[str, scoring.Score] = {}
        for (one, other), pairs in groups.items():
            metrics = list(dict.fromkeys(metric for _, metric in pairs))
            results, _ = score_lists([other], [[one]], metrics, {})
            by_metric = {result["requested"]: scoring.Score(*result["scores"].values()) for result in results}
            found.update((name, by_metric[metric]) for name, metric in pairs)
        return {name: found[name] for name in self.rouge_types}

    def score_multi(self, targets: Sequence[str], prediction: str) -> Dict[str, scoring.Score]:
        """Per type the Score of the target with the highest f-measure, the first of equals."""
        scores = [self.score(target, prediction) for target in targets]
        return {name: max((one[name] for one in scores), key=lambda s: s.fmeasure) for name in self.rouge_types}

    def _as_symbols(self, texts: List[str], order: int, by_line: bool) -> List[str]:
        """Texts in words made up for the tokens (or runs of so many of them), which the engine then counts."""
        symbols: Dict[Tuple[str, ...], str] = {}
        width = max(order, 1)
        out = []
        for text in texts:
            lines = []
            for line in text.split("\n") if by_line else [text]:
                tokens = self._tokenizer.tokenize(line) if line else []
                runs = [tuple(tokens[i : i + width]) for i in range(len(tokens) - width + 1)]
                lines.append(" ".join(symbols.setdefault(run, f"w{len(symbols)}") for run in runs))
            out.append("\n".join(lines))
        return out


def _metric_of(name: str) -> Tuple[str, int]:
    """The engine's metric and the order of its n-grams, 0 for common subsequences."""
    if name in ("rougeL", "rougeLsum"):
        return name, 0
    if not re.match(r"rouge[0-9]$", name):
        raise ValueError(f"Invalid rouge type: {name}")
    order = int(name[5:])
    if order <= 0:
        raise ValueError(f"rougen requires positive n: {name}")
    return name, order


def _sentences(text: str) -> str:
    try:
        import nltk
    except ImportError:
        raise ImportError("split_summaries=True needs nltk, which is not installed: pip install nltk") from None
    return "\n".join(sentence.replace("\n", " ") for sentence in nltk.sent_tokenize(text))
