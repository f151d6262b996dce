"""Metrics one feeds piece by piece: the ways of Hugging Face's `evaluate` and of `torchmetrics`, without
either."""

from typing import Any, Dict, List, Optional

import numpy as np

from ._inputs import is_rows
from ._results import Report
from ._scorer import Scorer, shared_scorer


class _Collector:
    """Predictions and references, texts or rows of vectors, in the order they came."""

    def __init__(self, metrics: List[str], scorer: Optional[Scorer], settings: Dict[str, Any]) -> None:
        self._metrics = metrics
        if scorer is not None and settings:
            raise TypeError(f"{next(iter(settings))} belongs to the scorer, which is given")
        threads, device = settings.pop("threads", None), settings.pop("device", "cpu")
        self._scorer = scorer if scorer is not None else shared_scorer(threads, device, **settings)
        self._predictions: List[Any] = []
        self._references: List[Any] = []

    def _add(self, predictions: Any, references: Any) -> None:
        if is_rows(predictions) or is_rows(references):
            self._predictions.append(np.asarray(predictions))
            self._references.append(np.asarray(references))
            return
        for name, value in (("predictions", predictions), ("references", references)):
            if isinstance(value, str):
                raise TypeError(f"{name}: a single str, expected a list of texts")
        predictions, references = list(predictions), list(references)
        if len(predictions) != len(references):
            raise ValueError(
                f"{len(predictions)} predictions but {len(references)} references, expected the same number"
            )
        self._predictions.extend(predictions)
        self._references.extend(references)

    def _clear(self) -> None:
        self._predictions = []
        self._references = []

    def _score(self, **options: Any) -> Report:
        if not self._predictions:
            raise ValueError("nothing to compute: no predictions were added")
        predictions: Any = self._predictions
        references: Any = self._references
        if isinstance(predictions[0], np.ndarray):
            predictions, references = np.concatenate(predictions), np.concatenate(references)
        return self._scorer.score(references, predictions, self._metrics, **options)


# What evaluate calls by another name, or gives several of.
_OF_EVALUATE = {"sacrebleu": ["bleu"], "rouge": ["rouge1.f1", "rouge2.f1", "rougeL.f1", "rougeLsum.f1"]}


class EvaluateMetric(_Collector):
    """A metric as `evaluate.load` gives them: add, add_batch, compute, which forgets what was added. ``sacrebleu``
    is ``bleu``, and ``rouge`` has four F1 scores by the names of `evaluate`.

    >>> chrf = EvaluateMetric("chrf")
    >>> chrf.add(prediction="a cat sat here", reference="a cat sat there")
    >>> sorted(chrf.compute())
    ['chrf', 'signature']
    """

    def __init__(self, metric: str, *, scorer: Optional[Scorer] = None, **settings: Any) -> None:
        super().__init__(_OF_EVALUATE.get(metric, [metric]), scorer, settings)
        self.name = metric

    def add(self, *, prediction: Any, reference: Any) -> None:
        """One text (the reference may be a list of them), or one vector."""
        if isinstance(prediction, str):
            self._add([prediction], [reference])
        else:
            self._add(np.asarray(prediction)[None, :], np.asarray(reference)[None, :])

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        self._add(predictions, references)

    def compute(
        self, *, predictions: Any = None, references: Any = None, lang: str = "en", **options: Any
    ) -> Dict[str, Any]:
        """The scores by name and their signature; with ``segments=True`` arrays under ``segments``.

        :param lang: of `evaluate`'s ``bertscore``. Here a model is chosen by ``model=`` of the metric; the default
            model reads English.
        """
        if lang != "en":
            raise ValueError(f"lang={lang!r}: name a model that reads it, EvaluateMetric({self.name!r}, model=...)")
        if (predictions is None) != (references is None):
            raise ValueError("predictions and references go together, one of them is missing")
        if predictions is not None:
            self._add(predictions, references)
        try:
            report = self._score(**options)
        finally:
            self._clear()
        if len(report) > 1:
            scores = {one.requested.partition(".")[0]: next(iter(one.scores.values())) for one in report}
            return {**scores, "signature": [one.signature for one in report]}
        result = report[0]
        out: Dict[str, Any] = {**result.scores, "signature": result.signature}
        if result.segments:
            out["segments"] = result.segments
        return out


class TorchMetric(_Collector):
    """A metric as torchmetrics has them: update, compute, reset; a call gives the score of its batch.

    >>> chrf = TorchMetric("chrf")
    >>> chrf.update(["a cat sat here"], ["a cat sat there"])
    >>> round(chrf.compute(), 1)
    69.4
    """

    def __init__(self, metric: str, *, scorer: Optional[Scorer] = None, **settings: Any) -> None:
        super().__init__([metric], scorer, settings)
        self.metric = metric

    def update(self, preds: Any, target: Any) -> None:
        self._add(preds, target)

    def compute(self) -> Any:
        """The score, or a dict of them where the metric has several."""
        return _plain(self._score())

    def reset(self) -> None:
        self._clear()

    def forward(self, preds: Any, target: Any) -> Any:
        """Adds a batch, and gives the score of that batch alone."""
        self._add(preds, target)
        return _plain(self._scorer.score(target, preds, self._metrics))

    __call__ = forward

    def merge_state(self, incoming: "TorchMetric") -> None:
        """Adds what another metric has collected, say in another process."""
        self._predictions.extend(incoming._predictions)
        self._references.extend(incoming._references)

    def clone(self) -> "TorchMetric":
        """Another with the same settings and what was added so far."""
        other = TorchMetric(self.metric, scorer=self._scorer)
        other.merge_state(self)
        return other


def _plain(report: Report) -> Any:
    scores = report[0].scores
    return next(iter(scores.values())) if len(scores) == 1 else dict(scores)
