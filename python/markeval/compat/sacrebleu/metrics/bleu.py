"""BLEU (Papineni et al. 2002)."""

import math
from typing import Any, Dict, List, Optional, Sequence

from ...._native import metric_words
from ..._engine import not_offered
from .base import Metric, Score, Signature, sacrelogger, yes

MAX_NGRAM_ORDER = 4


class BLEUSignature(Signature):
    def __init__(self, args: Dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update(case="c", eff="e", tok="tok", smooth="s")
        smooth, default = args["smooth_method"], BLEU.SMOOTH_DEFAULTS[args["smooth_method"]]
        if default is not None:
            value = default if args["smooth_value"] is None else args["smooth_value"]
            smooth += f"[{value:.2f}]"
        self.info.update(
            {
                "case": "lc" if args["lowercase"] else "mixed",
                "eff": "yes" if args["effective_order"] else "no",
                "tok": args["tokenizer_signature"],
                "smooth": smooth,
            }
        )


class BLEUScore(Score):
    """`score`, `counts`, `totals`, `precisions` by order, `bp`, `sys_len`, `ref_len`."""

    def __init__(
        self,
        score: float,
        counts: List[int],
        totals: List[int],
        precisions: List[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str = "/".join(f"{value:.1f}" for value in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        self._verbose = (
            f"{self.prec_str} (BP = {bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {sys_len:d} ref_len = {ref_len:d})"
        )


class EngineTokenizer:
    """A tokenizer of BLEU as a function of a line."""

    def __init__(self, name: str) -> None:
        self._name = name

    def signature(self) -> str:
        return self._name

    def __call__(self, line: str) -> str:
        return " ".join(metric_words(f"bleu:tokenize={self._name}", line))


class BLEU(Metric):
    """BLEU with sacrebleu's arguments; see there what they mean."""

    SMOOTH_DEFAULTS: Dict[str, Optional[float]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZERS = ("none", "zh", "13a", "intl", "char")
    TOKENIZER_DEFAULT = "13a"
    _NOT_OFFERED = ("ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K")
    _TOKENIZER_MAP = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    _SIGNATURE_TYPE = BLEUSignature
    _engine_result = "bleu"

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: Optional[str] = None,
        smooth_method: str = "exp",
        smooth_value: Optional[float] = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Optional[Sequence[Sequence[str]]] = None,
    ) -> None:
        super().__init__(references)
        if smooth_method not in self.SMOOTH_DEFAULTS:
            raise AssertionError(f"Unknown smooth_method {smooth_method!r}")
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        best = self._TOKENIZER_MAP.get(trg_lang)
        if tokenize is not None and best is not None and tokenize != best:
            language = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}[trg_lang]
            sacrelogger.warning(f"Consider using the '{best}' or 'spm' tokenizer for {language}.")
        chosen = tokenize if tokenize is not None else best or self.TOKENIZER_DEFAULT
        if chosen in self._NOT_OFFERED:
            raise not_offered("sacrebleu", "tokenize", chosen, f"offered: {', '.join(self.TOKENIZERS)}")
        if chosen not in self.TOKENIZERS:
            raise KeyError(chosen)
        self.tokenizer = EngineTokenizer(chosen)
        self.tokenizer_signature = chosen

    def engine_metric(self) -> str:
        options = [
            f"tokenize={self.tokenizer_signature}",
            f"smooth={self.smooth_method}",
            f"lowercase={yes(self.lowercase)}",
            f"effective_order={yes(self.effective_order)}",
            f"max_order={self.max_ngram_order}",
        ]
        if self.smooth_value is not None and self.SMOOTH_DEFAULTS[self.smooth_method] is not None:
            options.append(f"smooth_value={float(self.smooth_value)!r}")
        return "bleu:" + ",".join(options)

    def _score_of(self, result: Dict[str, Any]) -> BLEUScore:
        details = result["details"]
        counts: List[Any] = [int(count) for count in details["counts"]]
        totals: List[Any] = [int(count) for count in details["totals"]]
        if self.smooth_method == "add-k" and any(counts):  # sacrebleu shows what it added
            k = 1 if self.smooth_value is None else self.smooth_value
            counts[1:] = [count + k for count in counts[1:]]
            totals[1:] = [total + k for total in totals[1:]]
        return BLEUScore(
            result["scores"]["bleu"],
            counts,
            totals,
            details["precisions"],
            details["brevity_penalty"],
            details["system_length"],
            details["reference_length"],
        )

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        if not self.effective_order:
            sacrelogger.warning("It is recommended to enable `effective_order` for sentence-level BLEU.")
        return super().sentence_score(hypothesis, references)

    @staticmethod
    def compute_bleu(
        correct: List[int],
        total: List[int],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: Optional[float] = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """The score of counts somebody else made: matches and n-grams by order, and both lengths."""
        if smooth_method not in BLEU.SMOOTH_DEFAULTS:
            raise AssertionError(f"Unknown smooth_method {smooth_method!r}")
        value = BLEU.SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
        bp = 1.0
        if sys_len < ref_len:
            bp = math.exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
        precisions = [0.0] * max_ngram_order
        if not any(correct):
            return BLEUScore(0.0, correct, total, precisions, bp, sys_len, ref_len)
        halved = 1.0
        order = max_ngram_order
        for n in range(max_ngram_order):
            if smooth_method == "add-k" and n > 0:
                correct[n] += value  # type: ignore[assignment,operator]
                total[n] += value  # type: ignore[assignment,operator]
            if total[n] == 0:
                break
            if effective_order:
                order = n + 1
            if correct[n] > 0:
                precisions[n] = 100.0 * correct[n] / total[n]
            elif smooth_method == "exp":
                halved *= 2
                precisions[n] = 100.0 / (halved * total[n])
            elif smooth_method == "floor":
                precisions[n] = 100.0 * value / total[n]  # type: ignore[operator]
        logs = [math.log(value) if value else -9999999999 for value in precisions[:order]]
        return BLEUScore(bp * math.exp(sum(logs) / order), correct, total, precisions, bp, sys_len, ref_len)
