"""Score, Signature and Metric as sacrebleu has them; what is counted is counted by the engine."""

import json
import logging
import os
import random
import statistics
from collections.abc import Sequence as AbstractSequence
from typing import Any, Dict, List, Optional, Sequence, Type

from ..._engine import score_lists
from ..version import __version__

sacrelogger = logging.getLogger("sacrebleu")


class Score:
    """A number with a name, and with mean and half width of its 95 % interval after resampling."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """``BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ...)``, only the number, or JSON."""
        number = f"{self.score:.{width}f}"
        fields: Dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
        if self._mean > 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {half}"
            number += f" ({interval})"
            if is_json:
                fields.update(confidence_mean=float(mean), confidence_var=float(half), confidence=interval)
        if score_only:
            return number
        line = f"{self.name}|{signature}" if signature else self.name
        line += f" = {number}"
        if self._verbose:
            line += f" {self._verbose}"
            fields["verbose_score"] = self._verbose
        if not is_json:
            return line
        for pair in signature.split("|"):
            key, value = pair.split(":")
            fields[key] = value
        return json.dumps(fields, indent=1, ensure_ascii=False)

    def estimate_ci(self, scores: Sequence["Score"]) -> None:
        """Mean and interval from the scores of resamples."""
        self._set_ci([one.score for one in scores])

    def _set_ci(self, scores: Sequence[float]) -> None:
        ordered = sorted(scores)
        cut = len(ordered) // 40
        self._ci = 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])
        self._mean = statistics.mean(ordered)

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """What was computed: ``nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...``."""

    def __init__(self, args: Dict[str, Any]) -> None:
        self._abbr = {
            "version": "v",
            "nrefs": "#",
            "test": "t",
            "lang": "l",
            "subset": "S",
            "origlang": "o",
            "bs": "bs",
            "ar": "ar",
            "seed": "rs",
        }
        if "num_refs" not in args:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        self.info: Dict[str, Any] = {
            "version": __version__,
            "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
        }

    def format(self, short: bool = False) -> str:
        """Pairs with the version at the end; `short` abbreviates the names."""
        pairs = []
        for name in [*(name for name in self.info if name != "version"), "version"]:
            value = self.info[name]
            if value is None:
                continue
            if isinstance(value, bool):
                value = "yes" if value else "no"
            pairs.append(f"{self._abbr[name] if short else name}:{value}")
        return "|".join(pairs)

    def update(self, key: str, value: Any) -> None:
        self.info[key] = value

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


class Metric:
    """What BLEU, CHRF and TER share."""

    _SIGNATURE_TYPE: Type[Signature] = Signature
    _engine_result = ""  # the name of the score in the engine's results

    def __init__(self, references: Optional[Sequence[Sequence[Optional[str]]]] = None) -> None:
        self._force = True  # BLEU alone looks for text that is tokenised already
        self.n_bootstrap: Optional[int] = None
        self.seed: Optional[str] = None
        self._ref_cache: Optional[List[List[str]]] = None
        if references is not None:
            self._ref_cache = self._by_segment(references)

    def engine_metric(self) -> str:
        """The metric as the engine calls it: ``bleu:tokenize=13a``."""
        raise NotImplementedError

    def _score_of(self, result: Dict[str, Any]) -> Any:
        raise NotImplementedError

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Optional[Sequence[Sequence[Optional[str]]]],
        n_bootstrap: int = 1,
    ) -> Any:
        """Of a corpus against streams of references; None: those the metric was made with.

        A reference that is None is left out of its segment. `n_bootstrap` > 1 adds an interval.
        """
        self._check_corpus(hypotheses, references)
        segments = self._by_segment(references) if references else self._ref_cache
        if segments is None:
            raise RuntimeError("No references provided and the cache is empty.")
        options: Dict[str, Any] = {}
        if n_bootstrap > 1:
            seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
            self.n_bootstrap, self.seed = n_bootstrap, seed
            options = {
                "resamples": n_bootstrap,
                "keep_statistics": True,
                "seed": random.SystemRandom().getrandbits(63) if seed == "none" else int(seed),
            }
        return self._scored(list(hypotheses), segments, options)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Of one sentence against one reference or more."""
        self._check_sentence(hypothesis, references)
        return self._scored([hypothesis], self._by_segment([[one] for one in references]), {})

    def get_signature(self) -> Signature:
        """Known once something was scored, since it names the number of references."""
        return self._SIGNATURE_TYPE(self.__dict__)

    def _scored(self, hypotheses: List[str], segments: List[List[str]], options: Dict[str, Any]) -> Any:
        results, _ = score_lists(hypotheses, segments, [self.engine_metric()], options)
        if not self._force and sum(line.endswith(" .") for line in hypotheses) >= 100:
            sacrelogger.warning("That's 100 lines that end in a tokenized period ('.')")
            sacrelogger.warning(
                "It looks like you forgot to detokenize your test data, which may hurt your score."
            )
            sacrelogger.warning(
                "If you insist your data is detokenized, or don't care, you can suppress this message with the "
                "`force` parameter."
            )
        score = self._score_of(results[0])
        if options:
            score._set_ci(results[0]["resampled"][self._engine_result].tolist())
        return score

    def _by_segment(self, references: Sequence[Sequence[Optional[str]]]) -> List[List[str]]:
        if references and isinstance(references[0], str):
            self._fail("the references are a list of texts, expected a list of such lists: [references]")
        lengths = {len(stream) for stream in references}
        if len(lengths) > 1:
            raise ValueError(
                f"{type(self).__name__}: reference streams of {sorted(lengths)} lines, expected the same number"
            )
        segments = [[line for line in lines if line is not None] for lines in zip(*references)]
        counts = {len(lines) for lines in segments}
        self.num_refs = counts.pop() if len(counts) == 1 else -1
        return segments

    def _fail(self, message: str) -> None:
        raise TypeError(f"{type(self).__name__}: {message}")

    def _check_sentence(self, hyp: Any, refs: Any) -> None:
        if not isinstance(hyp, str):
            self._fail("The argument `hyp` should be a string.")
        if isinstance(refs, str) or not isinstance(refs, AbstractSequence):
            self._fail("The argument `refs` should be a sequence of strings.")
        if not isinstance(refs[0], str) and refs[0] is not None:
            self._fail("Each element of `refs` should be a string.")

    def _check_corpus(self, hyps: Any, refs: Any) -> None:
        if not isinstance(hyps, AbstractSequence):
            self._fail("`hyps` should be a sequence of strings.")
        if any(line is None for line in hyps):
            self._fail("Undefined line in hypotheses stream!")
        if hyps and not isinstance(hyps[0], str):
            self._fail("Each element of `hyps` should be a string.")
        if refs is None:
            return
        if not isinstance(refs, AbstractSequence):
            self._fail("`refs` should be a sequence of sequence of strings.")
        if not isinstance(refs[0], AbstractSequence):
            self._fail("Each element of `refs` should be a sequence of strings.")
        if not isinstance(refs[0][0], str) and refs[0][0] is not None:
            self._fail("`refs` should be a sequence of sequence of strings.")


def yes(value: bool) -> str:
    """A truth value as an option of the engine."""
    return "yes" if value else "no"
