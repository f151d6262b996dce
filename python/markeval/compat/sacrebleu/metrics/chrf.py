"""chrF (Popovic 2015) and chrF++ (Popovic 2017)."""

from typing import Any, Dict, Optional, Sequence

from .base import Metric, Score, Signature, yes


class CHRFSignature(Signature):
    def __init__(self, args: Dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update(case="c", eff="e", nc="nc", nw="nw", space="s")
        self.info.update(
            {
                "case": "lc" if args["lowercase"] else "mixed",
                "eff": "no" if args["eps_smoothing"] else "yes",
                "nc": args["char_order"],
                "nw": args["word_order"],
                "space": "yes" if args["whitespace"] else "no",
            }
        )


class CHRFScore(Score):
    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order


class CHRF(Metric):
    """chrF with sacrebleu's arguments; see there what they mean."""

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2
    _SIGNATURE_TYPE = CHRFSignature
    _engine_result = "chrf"

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Optional[Sequence[Sequence[str]]] = None,
    ) -> None:
        super().__init__(references)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing

    def engine_metric(self) -> str:
        return (
            f"chrf:char_order={self.char_order},word_order={self.word_order},beta={self.beta},"
            f"lowercase={yes(self.lowercase)},whitespace={yes(self.whitespace)},"
            f"eps_smoothing={yes(self.eps_smoothing)}"
        )

    def _score_of(self, result: Dict[str, Any]) -> CHRFScore:
        return CHRFScore(result["scores"]["chrf"], self.char_order, self.word_order, self.beta)
