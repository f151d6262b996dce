"""TER (Snover et al. 2006)."""

from typing import Any, Dict, Optional, Sequence

from ..tokenizers.tokenizer_ter import TercomTokenizer
from .base import Metric, Score, Signature, yes


class TERSignature(Signature):
    def __init__(self, args: Dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update(case="c", tok="t", norm="nr", punct="pn", asian="as")
        self.info.update(
            {
                "case": "mixed" if args["case_sensitive"] else "lc",
                "tok": args["tokenizer_signature"],
                "norm": args["normalized"],
                "punct": not args["no_punct"],
                "asian": args["asian_support"],
            }
        )


class TERScore(Score):
    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class TER(Metric):
    """TER with sacrebleu's arguments; see there what they mean."""

    _SIGNATURE_TYPE = TERSignature
    _engine_result = "ter"

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Optional[Sequence[Sequence[str]]] = None,
    ) -> None:
        super().__init__(references)
        self.no_punct = no_punct
        self.normalized = normalized
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.tokenizer = TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
        self.tokenizer_signature = self.tokenizer.signature()

    def engine_metric(self) -> str:
        return (
            f"ter:normalized={yes(self.normalized)},no_punct={yes(self.no_punct)},"
            f"asian_support={yes(self.asian_support)},case_sensitive={yes(self.case_sensitive)}"
        )

    def _score_of(self, result: Dict[str, Any]) -> TERScore:
        details = result["details"]
        return TERScore(result["scores"]["ter"], details["edits"], details["reference_length"])
