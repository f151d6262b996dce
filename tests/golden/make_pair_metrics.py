"""Makes pair_metrics.json with public tools on sentences of our own and all-MiniLM-L6-v2:

    python3 make_pair_metrics.py bertscore MODEL_FOLDER > part.json
    python3 make_pair_metrics.py moverscore MODEL_FOLDER UNPACKED_SDIST part.json > pair_metrics.json

Two steps, because the two tools do not live with the same numpy. Needs what tests/parity/pair.py needs; only checking (check_pair_metrics.py) is part of the tests."""
import importlib.metadata
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'parity'))

PAIRS = [
    ('The old fisherman mended his nets before sunrise.', 'Before dawn the elderly fisherman repaired his net.'),
    ('Prices rose by 3.5 percent, more than anyone had expected.', 'Prices went up 3.5%, which was a surprise to everyone.'),
    ('She left the keys on the kitchen table.', 'She left the keys on the kitchen table.'),
    ('Nobody answered the telephone.', 'A brass band marched down the narrow street, followed by children.'),
    ('The unforgettable counterrevolutionaries reconvened.', 'Those memorable counter-revolutionaries met again!'),
    ("It wasn't raining; the roofs were wet with dew.", 'It was not rain: dew had made the roofs wet.'),
]


def bertscore_cases(model):
    import bert_score
    cases = []
    for idf in ('no', 'yes'):
        found = bert_score.score(candidates, references, model_type=model, num_layers=6, all_layers=True, idf=idf == 'yes',
                                 device='cpu', nthreads=0)
        for layer in (0, 2, 6):
            cases.append({'metric': f'bertscore:layer={layer},idf={idf}', 'tolerance': 5e-6, 'segments': {
                name: values[layer].tolist() for name, values in zip(('precision', 'recall', 'f1'), found)}})
    return cases


def moverscore_cases(model, folder):
    import mover_peer
    cases = []
    for metric, version, n in (('moverscore:compat=v1', 'v1', 1), ('moverscore:compat=v1,n=2', 'v1', 2), ('moverscore:compat=v2', 'v2', 1)):
        scores = mover_peer.Peer(folder, version, model, references, candidates, n).scores(range(len(references)), 64)
        tolerance = 5e-4 if version == 'v2' else 2e-4  # one of the pairs has equal texts: v2 takes roots of rounding errors there
        cases.append({'metric': metric, 'tolerance': tolerance, 'segments': {'moverscore': scores.tolist()}})
    return cases


references, candidates = (list(side) for side in zip(*PAIRS))
tool, model, *more = sys.argv[1:]
if tool == 'bertscore':
    cases, names, made_by = bertscore_cases(model), ('bert-score', 'torch', 'transformers'), ''
else:
    folder, part = more
    cases, names = moverscore_cases(model, folder), ('pyemd',)
    earlier = json.loads(pathlib.Path(part).read_text(encoding='utf8'))
    cases, made_by = earlier['cases'] + cases, earlier['made_by'] + ', moverscore 1.0.3, '
versions = ', '.join(f'{name} {importlib.metadata.version(name)}' for name in names)
json.dump({'made_by': made_by + versions, 'model': 'all-MiniLM-L6-v2', 'references': references, 'candidates': candidates,
           'cases': cases}, sys.stdout, indent=1)
print()
