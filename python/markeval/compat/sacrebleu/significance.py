"""Paired tests of several systems against the first: bootstrap and approximate randomisation."""

import json
import os
import random
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._engine import as_segments, engine, not_offered
from .metrics.base import Metric, Signature


class Result:
    """`score`; `p_value` against the baseline; `mean` and `ci` (half width) of the resamples."""

    def __init__(
        self,
        score: float,
        p_value: Optional[float] = None,
        mean: Optional[float] = None,
        ci: Optional[float] = None,
    ) -> None:
        self.score = score
        self.p_value = p_value
        self.mean = mean
        self.ci = ci

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.__dict__.items())


def estimate_ci(scores: np.ndarray) -> Tuple[float, float]:
    """Mean and half width of the 95 % interval."""
    scores = np.sort(scores)
    cut = len(scores) // 40
    return scores.mean(), 0.5 * (scores[len(scores) - cut - 1] - scores[cut])


class PairedTest:
    """sacrebleu's test of named systems, the first the baseline; a call gives signatures and scores.

    `n_jobs` is taken and not needed: the engine uses all cores. Not offered: ``n_ar_confidence`` other than -1.
    """

    _DEFAULT_SAMPLES = {"ar": 10000, "bs": 1000}

    def __init__(
        self,
        named_systems: List[Tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric],
        references: Optional[Sequence[Sequence[str]]],
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise AssertionError(f"Unknown test type {test_type!r}")
        if n_ar_confidence != -1:
            raise not_offered("sacrebleu", "n_ar_confidence", n_ar_confidence, "offered: -1")
        seed = os.environ.get("SACREBLEU_SEED", "12345")
        self._seed = None if seed.lower() == "none" else int(seed)
        self.test_type = test_type
        self.n_jobs = n_jobs
        self.references = references
        self.named_systems = named_systems
        self.metrics = metrics
        self.n_ar_confidence = n_ar_confidence
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_systems = len(named_systems) - 1

    def __call__(self) -> Tuple[Dict[str, Signature], Dict[str, List[Any]]]:
        scores: Dict[str, List[Any]] = {"System": [name for name, _ in self.named_systems]}
        signatures: Dict[str, Signature] = {}
        for name, metric in self.metrics.items():
            scores[name] = self._test(metric)
            signature = metric.get_signature()
            signature.update(self.test_type, self.n_samples)
            signature.update("seed", "none" if self._seed is None else str(self._seed))
            signatures[name] = signature
        return signatures, scores

    def _test(self, metric: Metric) -> List[Result]:
        segments = metric._by_segment(self.references) if self.references else metric._ref_cache
        if segments is None:
            raise RuntimeError("No references provided and the cache is empty.")
        seed = random.SystemRandom().getrandbits(63) if self._seed is None else self._seed
        systems = [(f"{number}", (list(lines), None)) for number, (_, lines) in enumerate(self.named_systems)]
        bootstrap = self.test_type == "bs"
        compared = json.loads(
            engine()
            .compare(
                [("references", as_segments(segments))],
                systems,
                [metric.engine_metric()],
                {"seed": seed},
                {
                    "test": "bootstrap" if bootstrap else "randomisation",
                    "resamples": self.n_samples,
                    "correction": "none",
                },
                None,
            )
            .json()
        )["results"][0]
        results = []
        for entry in compared["systems"]:
            result = Result(entry["score"], entry.get("p_value"))
            if entry.get("difference") == 0 and result.p_value == 1:
                # The same in every segment: no resample has a larger difference, so sacrebleu's p is the smallest there is.
                result.p_value = 1 / (self.n_samples + 1)
            if bootstrap:
                result.mean, result.ci = entry["mean"], entry["half_width"]
            results.append(result)
        return results
