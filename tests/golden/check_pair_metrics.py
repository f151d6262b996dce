"""Compares markeval with the numbers of public tools in pair_metrics.json (made by make_pair_metrics.py), and a segment's
score with itself: in another order, with other threads, alone. Exit code 77 where the model is not on this machine."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--models', required=True, help='where models are if MARKEVAL_MODELS does not say')
options = parser.parse_args()

golden = json.loads((pathlib.Path(__file__).parent / 'pair_metrics.json').read_text(encoding='utf8'))
model = pathlib.Path(os.environ.get('MARKEVAL_MODELS', options.models)) / golden['model']
if not (model / 'model.safetensors').exists():
    print(f'skipped: no {model}')
    sys.exit(77)


def score(pairs, metrics, *more):
    """Per metric: {result: segment scores}"""
    with tempfile.TemporaryDirectory() as folder:
        sides = [pathlib.Path(folder) / name for name in ('references.txt', 'candidates.txt')]
        for path, lines in zip(sides, zip(*pairs)):
            path.write_text('\n'.join(lines) + '\n', encoding='utf8')
        command = [*options.emulator.replace(';', ' ').split(), options.program, 'score', '--format', 'json', '--segments',
                   '-r', str(sides[0]), '-s', str(sides[1]), '--model', str(model), *more]
        for metric in metrics:
            command += ['-m', metric]
        return [result['segments'] for result in
                json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)['results']]


failed, compared = 0, 0


def compare(what, found, expected, tolerance):
    global failed, compared
    compared += 1
    if not abs(found - expected) <= tolerance:
        failed += 1
        print(f'{what}: {found!r}, expected {expected!r}')


pairs = list(zip(golden['references'], golden['candidates']))
found = score(pairs, [case['metric'] for case in golden['cases']])
for case, segments in zip(golden['cases'], found, strict=True):
    for name, values in case['segments'].items():
        for number, expected in enumerate(values):
            compare(f'{case["metric"]} {name} of segment {number + 1}', segments[name][number], expected, case['tolerance'])
print(f'{compared - failed} of {compared} equal to {golden["made_by"]}')

# The same bits. idf is the one thing a segment gets from others, and an order or a thread does not change it.
metrics = ['bertscore', 'bertr', 'moverscore:idf=no,n=2', 'hmd:idf=no', 'moverscore:idf=no,aggregate=routing']
with_idf = ['bertscore:idf=yes', 'moverscore', 'moverscore:compat=v1']
together = score(pairs, metrics + with_idf, '--threads', '1')
turned = score(pairs[::-1], metrics + with_idf, '--threads', '3')
for number, pair in enumerate(pairs):
    alone = score([pair], metrics)
    for index, metric in enumerate(metrics + with_idf):
        for name, values in together[index].items():
            compare(f'{metric} {name} of segment {number + 1}, turned round', turned[index][name][-1 - number], values[number], 0)
            if index < len(metrics):
                compare(f'{metric} {name} of segment {number + 1}, alone', alone[index][name][0], values[number], 0)
print(f'{compared - failed} of {compared} as expected')
sys.exit(1 if failed or compared == 0 else 0)
