"""sentence-transformers' `SentenceTransformer(...).encode` on the native engine.

Any BERT-like model folder, with its own pooling and normalisation. Not offered: quantised outputs
(`precision`), prompts by name, training.
"""

import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from .._inputs import as_texts
from .._scorer import Scorer, shared_scorer
from ._engine import not_offered

__all__ = ["SentenceTransformer"]

_TOOL = "sentence_transformers"


def _refuse_others(device: Optional[str], settings: Dict[str, Any], offered: str) -> None:
    """Another device, or a setting that is not named in the signature and asks for something."""
    if device is not None and str(device) != "cpu":
        raise not_offered(_TOOL, "device", str(device), "everything is computed on the CPU")
    for name, value in settings.items():
        if value is not None and value is not False:
            raise not_offered(_TOOL, name, value, offered)


class SentenceTransformer:
    """A model that turns sentences into vectors; loaded when the first one comes."""

    def __init__(
        self,
        model_name_or_path: Union[str, "os.PathLike[str]", None] = None,
        device: Optional[str] = None,
        **settings: Any,
    ) -> None:
        if model_name_or_path is None:
            raise not_offered(_TOOL, "model_name_or_path", None, "models are made elsewhere: give a name or a folder")
        _refuse_others(device, settings, "offered: model_name_or_path and device")
        name = os.fspath(model_name_or_path)
        prefix = "sentence-transformers/"
        self._model = name[len(prefix) :] if name.startswith(prefix) else name
        self.max_seq_length: Optional[int] = None
        """In tokens; None: the model's own limit."""

    def encode(
        self,
        sentences: Union[str, Sequence[str]],
        prompt_name: Optional[str] = None,
        prompt: Optional[str] = None,
        batch_size: int = 32,
        show_progress_bar: Optional[bool] = None,
        output_value: Optional[str] = "sentence_embedding",
        precision: str = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Optional[str] = None,
        normalize_embeddings: bool = False,
        **settings: Any,
    ) -> Any:
        """One row per sentence; one vector for a single str.

        ``output_value="token_embeddings"``: a list of arrays, one row per token. ``convert_to_numpy=False``: a
        list of vectors. ``convert_to_tensor=True`` needs torch. `batch_size` is taken and not needed.
        """
        if prompt_name is not None:
            raise not_offered(_TOOL, "prompt_name", prompt_name, "give the words themselves: prompt='...'")
        if precision != "float32":
            raise not_offered(_TOOL, "precision", precision, "offered: float32")
        if output_value not in ("sentence_embedding", "token_embeddings"):
            raise not_offered(_TOOL, "output_value", output_value, "offered: sentence_embedding, token_embeddings")
        _refuse_others(device, settings, "leave it out")
        single = isinstance(sentences, str)
        texts: List[str] = [sentences] if single else as_texts(sentences, "sentences")[0]
        if prompt:
            texts = [prompt + text for text in texts]
        if output_value == "token_embeddings":
            tokens: Any = self._scorer().embed(texts, pool="none", progress=show_progress_bar or False)
            rows: List[Any] = [tokens[index] for index in range(len(texts))]
            if convert_to_tensor:
                rows = [_tensor(row) for row in rows]
            return rows[0] if single else rows
        vectors: Any = self._scorer().embed(
            texts, normalize=normalize_embeddings, progress=show_progress_bar or False
        )
        if convert_to_tensor:
            vectors = _tensor(vectors)
        elif not convert_to_numpy:
            vectors = list(vectors)
        return vectors[0] if single else vectors

    def get_sentence_embedding_dimension(self) -> int:
        return self.encode("a").shape[0]

    @staticmethod
    def similarity(embeddings1: Any, embeddings2: Any) -> np.ndarray:
        """The cosine of every pair of rows."""
        one, other = (np.atleast_2d(np.asarray(rows, dtype=np.float32)) for rows in (embeddings1, embeddings2))
        one = one / np.maximum(np.linalg.norm(one, axis=1, keepdims=True), 1e-12)
        other = other / np.maximum(np.linalg.norm(other, axis=1, keepdims=True), 1e-12)
        return one @ other.T

    def _scorer(self) -> Scorer:
        return shared_scorer(None, "cpu", model=self._model, max_length=self.max_seq_length)


def _tensor(array: np.ndarray) -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("convert_to_tensor=True needs torch, which is not installed") from None
    return torch.from_numpy(array)
