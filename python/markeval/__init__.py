"""How good is generated text? The native engine of markeval, from Python.

>>> import markeval
>>> report = markeval.score(["a cat sat there"], ["a cat sat here"], ["chrf"])
>>> round(report[0].scores["chrf"], 1)
69.4
"""

from ._native import (
    Cancelled,
    Error,
    InputOutputError,
    InvalidInputError,
    UsageError,
    version as _version,
)
from . import models
from ._align import Alignment, align
from ._client import Client, RemoteReport
from ._metrics import metric_names, metrics
from ._results import Comparison, Correlation, MarkevalWarning, Report, Result, TokenVectors
from ._experiment import Study, experiment, studies
from ._functions import compare, correlate, embed, score
from ._scorer import Scorer, release
from ._styles import EvaluateMetric, TorchMetric
from ._training import Training, train

__version__: str = _version()

__all__ = [
    "Alignment",
    "Cancelled",
    "Client",
    "Comparison",
    "Correlation",
    "Error",
    "EvaluateMetric",
    "InputOutputError",
    "InvalidInputError",
    "MarkevalWarning",
    "RemoteReport",
    "Report",
    "Result",
    "Scorer",
    "Study",
    "TokenVectors",
    "TorchMetric",
    "Training",
    "UsageError",
    "__version__",
    "align",
    "compare",
    "correlate",
    "embed",
    "experiment",
    "metric_names",
    "metrics",
    "models",
    "release",
    "score",
    "studies",
    "train",
]
