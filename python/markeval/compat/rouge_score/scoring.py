"""Scores and their aggregation."""

import abc
import collections
from typing import Any, Dict, List, NamedTuple

import numpy as np


class Score(NamedTuple):
    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    low: Any
    mid: Any
    high: Any


class BaseScorer(abc.ABC):
    @abc.abstractmethod
    def score(self, target: str, prediction: str) -> Dict[str, Score]:
        """The scores of a prediction by their names."""


class BootstrapAggregator:
    """Means of scores with intervals from resampling, drawn by `numpy.random` as rouge-score does."""

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ValueError("confidence_interval must be in range [0, 1]")
        if n_samples <= 0:
            raise ValueError("n_samples must be positive")
        self._n_samples = n_samples
        self._confidence_interval = confidence_interval
        self._scores: Dict[str, List[Any]] = collections.defaultdict(list)

    def add_scores(self, scores: Dict[str, Any]) -> None:
        for name, score in scores.items():
            self._scores[name].append(score)

    def aggregate(self) -> Dict[str, AggregateScore]:
        result = {}
        for name, scores in self._scores.items():
            bounds = self._bootstrap_resample(np.vstack(tuple(scores)))
            result[name] = AggregateScore(*(type(scores[0])(*bounds[row]) for row in range(3)))
        return result

    def _bootstrap_resample(self, matrix: np.ndarray) -> np.ndarray:
        """Low, mean and high of every column."""
        rows = matrix.shape[0]
        means = np.zeros((self._n_samples, matrix.shape[1]))
        for sample in range(self._n_samples):
            drawn = np.random.choice(np.arange(rows), size=rows)
            means[sample] = np.mean(matrix[drawn], axis=0)
        tail = (1 - self._confidence_interval) / 2
        bounds = np.zeros((3, matrix.shape[1]))
        bounds[1] = np.mean(matrix, axis=0)
        bounds[[0, 2]] = np.percentile(means, [100 * tail, 100 * (1 - tail)], axis=0)
        return bounds


def fmeasure(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0
