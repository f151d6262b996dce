"""bert_score 0.3.13 on the native engine: `score` and `BERTScorer`.

Scores are NumPy arrays of float32 where bert_score has torch tensors; ``.mean()``, slicing and plotting work
alike, and ``torch.from_numpy`` makes tensors of them. `batch_size` and `nthreads` are taken and not needed.
Where a single reference leaves no token any idf weight, bert_score gives NaN and this equal weights.
`rescale_with_baseline` knows the baselines bert_score comes with, of the layers it reads by default; for other models
and layers `baseline_path` names a file made by ``markeval baseline``.
Not offered: ``plot_example`` and devices other than the CPU.
"""

import sys
import time
import warnings
from collections import defaultdict
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .._inputs import as_texts, refuse_text
from .._results import tell
from ._baselines import known_baselines, published_baseline
from ._engine import names_the_model, not_offered, score_lists
from ._weights import engine_weights, idf_dict

__all__ = ["BERTScorer", "score"]

lang2model: Dict[str, str] = defaultdict(
    lambda: "bert-base-multilingual-cased",
    {
        "en": "roberta-large",
        "zh": "bert-base-chinese",
        "tr": "dbmdz/bert-base-turkish-cased",
        "en-sci": "allenai/scibert_scivocab_uncased",
    },
)

References = Union[Sequence[str], Sequence[Sequence[str]]]
Arrays = Tuple[np.ndarray, np.ndarray, np.ndarray]


class BERTScorer:
    """bert_score's scorer: the model is loaded once.

    `model_type` is a name or a folder. `num_layers`: None takes the layer of bert_score's own table, which
    markeval shares. bert_score refuses a model its table lacks; here all-MiniLM-L6-v2 and bge-small-en-v1.5 have
    a layer of markeval's, and of others the last one is read, with a warning.
    """

    def __init__(
        self,
        model_type: Optional[str] = None,
        num_layers: Optional[int] = None,
        batch_size: int = 64,
        nthreads: int = 4,
        all_layers: bool = False,
        idf: Union[bool, Mapping[int, float]] = False,
        idf_sents: Optional[Sequence[str]] = None,
        device: Optional[str] = None,
        lang: Optional[str] = None,
        rescale_with_baseline: bool = False,
        baseline_path: Optional[str] = None,
        use_fast_tokenizer: bool = False,
    ) -> None:
        if lang is None and model_type is None:
            raise AssertionError("Either lang or model_type should be specified")
        if rescale_with_baseline and lang is None:
            raise AssertionError("Need to specify Language when rescaling with baseline")
        if rescale_with_baseline and all_layers:
            raise not_offered("bert_score", "all_layers", True, "not together with rescale_with_baseline")
        if device is not None and str(device) != "cpu":
            raise not_offered("bert_score", "device", str(device), "everything is computed on the CPU")
        self.lang = lang
        self.idf = idf
        self.model_type = model_type if model_type is not None else lang2model[str(lang).lower()]
        self.num_layers = num_layers
        self.all_layers = all_layers
        self.rescale_with_baseline = rescale_with_baseline
        self.baseline_path = baseline_path
        if rescale_with_baseline and baseline_path is None:
            self.baseline_path = published_baseline(str(lang), self.model_type, num_layers)
            if self.baseline_path is None:
                raise not_offered(
                    "bert_score",
                    "rescale_with_baseline",
                    True,
                    f"without baseline_path for {self.model_type}"
                    f"{'' if num_layers is None else f', layer {num_layers}'} in {lang!r}: bert_score publishes "
                    f"baselines of the default layers of {', '.join(known_baselines(str(lang))) or 'no model'}; "
                    "`markeval baseline` and Scorer.baseline make such a file",
                )
        self.use_custom_baseline = baseline_path is not None
        self.use_fast_tokenizer = use_fast_tokenizer
        self.batch_size = batch_size
        self.nthreads = nthreads
        self._idf_dict: Optional[Mapping[int, float]] = idf if isinstance(idf, Mapping) else None
        self._signature = ""
        if idf_sents is not None:
            self.compute_idf(idf_sents)

    @property
    def hash(self) -> str:
        """What was computed: the engine's signature, known once something was scored."""
        if not self._signature:
            raise ValueError("the signature is known once something was scored")
        return self._signature

    @names_the_model("model_type=NAME takes another model")
    def compute_idf(self, sents: Sequence[str]) -> None:
        """Weighs tokens by how rare they are in these texts."""
        if self._idf_dict is not None:
            warnings.warn("Overwriting the previous importance weights.", stacklevel=2)
        self._idf_dict = idf_dict(sents, self.model_type)

    def score(
        self,
        cands: Sequence[str],
        refs: References,
        verbose: bool = False,
        batch_size: int = 64,
        return_hash: bool = False,
    ) -> Any:
        """(P, R, F) of every pair, or of the best of several references, and the hash where asked for."""
        if self.idf and self._idf_dict is None:
            raise AssertionError("IDF weights are not computed")
        return self._score(cands, refs, verbose, return_hash)

    @names_the_model("model_type=NAME takes another model")
    def _score(self, cands: Sequence[str], refs: References, verbose: bool, return_hash: bool) -> Any:
        texts_of_systems = as_texts(cands, "cands")[0]
        refuse_text(refs, "refs")
        if len(cands) != len(refs):
            raise AssertionError("Different number of candidates and references")
        segments = [[one] if isinstance(one, str) else as_texts(one, "refs")[0] for one in refs]
        options: Dict[str, Any] = {"model": self.model_type, "segments": True}
        if self.idf and self._idf_dict is not None:
            texts = [*texts_of_systems, *(text for segment in segments for text in segment)]
            options["reference_weights"] = engine_weights(self._idf_dict, texts, self.model_type)
        start = time.perf_counter()
        if verbose:
            print("calculating scores...")
        results = self._results(texts_of_systems, segments, options, verbose)
        if verbose:
            seconds = time.perf_counter() - start
            count = sum(map(len, segments))
            print(f"done in {seconds:.2f} seconds, {count / seconds:.2f} sentences/sec")
        self._signature = results[0]["signature"]
        columns = [
            np.stack([result["segments"][name] for result in results]).astype(np.float32)
            for name in ("precision", "recall", "f1")
        ]
        out = tuple(column if self.all_layers else column[0] for column in columns)
        return (out, self._signature) if return_hash else out

    def _results(
        self, cands: List[str], segments: List[List[str]], options: Dict[str, Any], verbose: bool
    ) -> List[Dict[str, Any]]:
        chosen = [f"idf={'yes' if self.idf else 'no'}"]
        if self.rescale_with_baseline:
            chosen.append(f"rescale={self.baseline_path}")
        layers: Iterable[Optional[int]] = [self.num_layers]
        if self.all_layers:
            layers = range(self._last_layer() + 1)
        metrics = [
            "bertscore:" + ",".join(chosen + ([] if layer is None else [f"layer={layer}"])) for layer in layers
        ]
        progress = verbose and sys.stderr is not None
        results, told = score_lists(cands, segments, metrics, options, progress=progress)
        tell([message for message in told if "no default layer is known" in message])
        return results

    def _last_layer(self) -> int:
        from ._engine import engine

        vectors = engine().embed(["a"], {"model": self.model_type, "layer": None, "cache": "none"}, None)
        return vectors["vectors"].shape[1] - 1


def score(
    cands: Sequence[str],
    refs: References,
    model_type: Optional[str] = None,
    num_layers: Optional[int] = None,
    verbose: bool = False,
    idf: Union[bool, Mapping[int, float]] = False,
    device: Optional[str] = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,
    lang: Optional[str] = None,
    return_hash: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: Optional[str] = None,
    use_fast_tokenizer: bool = False,
) -> Any:
    """bert_score's function: (P, R, F), and with `return_hash` the signature of the numbers."""
    scorer = BERTScorer(
        model_type=model_type,
        num_layers=num_layers,
        batch_size=batch_size,
        nthreads=nthreads,
        all_layers=all_layers,
        idf=idf,
        device=device,
        lang=lang,
        rescale_with_baseline=rescale_with_baseline,
        baseline_path=baseline_path,
        use_fast_tokenizer=use_fast_tokenizer,
    )
    return scorer._score(cands, refs, verbose, return_hash)
