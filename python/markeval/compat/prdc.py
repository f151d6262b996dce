"""prdc 0.2 on the native engine: precision, recall, density, coverage, exact to the last tie.

Nothing is printed. Rows are compared by their distance computed in double, balls are open, as there.
"""

from typing import Any, Dict

import numpy as np

from .._inputs import refuse_mask
from ._engine import engine

__all__ = ["compute_prdc"]


def _rows(features: Any, name: str) -> np.ndarray:
    refuse_mask(features, name)
    array = np.asarray(features)
    if array.ndim != 2:
        raise ValueError(f"features of {array.ndim} dimensions, expected two: samples and their columns")
    if array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def compute_prdc(real_features: Any, fake_features: Any, nearest_k: int) -> Dict[str, float]:
    """Of generated rows against real ones, with balls up to the k-th neighbour."""
    report = engine().score(
        [("real_features", _rows(real_features, "real_features"))],
        [("fake_features", _rows(fake_features, "fake_features"))],
        [f"prdc:k={nearest_k},ball=open"],
        {},
        None,
        False,
    )
    return dict(report.results()[0]["scores"])
