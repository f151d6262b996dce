"""Makes set_metrics.json with public tools on the example vectors: python3 make_set_metrics.py EXAMPLES > set_metrics.json

Needs numpy, scipy and prdc from PyPI; only checking (check_set_metrics.py) is part of the tests."""
import contextlib
import importlib.metadata
import json
import os
import pathlib
import sys

import numpy
import scipy.linalg
from prdc import compute_prdc

folder = pathlib.Path(sys.argv[1])
sets = {name: numpy.load(folder / f'{name}.npy').astype(numpy.float64) for name in ('reference', 'good', 'poor')}


def frechet(a, b):
    root = scipy.linalg.sqrtm(numpy.cov(a, rowvar=False) @ numpy.cov(b, rowvar=False))
    difference = a.mean(0) - b.mean(0)
    return float(difference @ difference + numpy.trace(numpy.cov(a, rowvar=False)) + numpy.trace(numpy.cov(b, rowvar=False))
                 - 2 * numpy.trace(root.real))


cases = []
for system in ('good', 'poor'):
    for k in (1, 3, 5, 10):
        with open(os.devnull, 'w', encoding='utf8') as silence, contextlib.redirect_stdout(silence):
            scores = compute_prdc(sets['reference'], sets[system], nearest_k=k)
        cases.append({'system': system, 'metric': f'prdc:ball=open,k={k}', 'tolerance': 1e-15,
                      'scores': {name: float(value) for name, value in scores.items()}})
    cases.append({'system': system, 'metric': 'fid', 'tolerance': 1e-9, 'scores': {'fid': frechet(sets['reference'], sets[system])}})
versions = ', '.join(f'{name} {importlib.metadata.version(name)}' for name in ('prdc', 'numpy', 'scipy', 'scikit-learn'))
json.dump({'made_by': versions, 'cases': cases}, sys.stdout, indent=1)
print()
