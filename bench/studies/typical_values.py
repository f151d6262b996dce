"""What metrics on pairs of texts give a good system, a poor one and wrong text: the table of docs/start/scores.md.

    python3 bench/studies/typical_values.py --program build/release/markeval --data DATA [--threads N]

The 3,004 news sentences of newstest2017, German to English: online-B, which people ranked first of eleven systems, online-F, which they
ranked last, and the reference of the next line (of the last line: the first). One reference. DATA: docs/reference/data.md."""
import argparse
import gzip
import json
import pathlib
import subprocess
import tempfile

METRICS = ['bleu', 'sentbleu', 'chrf', 'chrf++', 'ter', 'character', 'nist', 'meteor:tokenize=13a,wordnet=none', 'cider', 'tfidf', 'rouge1',
           'rouge2', 'rougeL', 'rougeSU4', 'bertscore', 'bertr', 'moverscore', 'hmd', 'match']
F1 = 'f1'  # of those with several results

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--model', default='all-MiniLM-L6-v2')
parser.add_argument('--without', nargs='+', default=[], help='metrics to leave out')
parser.add_argument('--threads', help='all cores where it is not given')
options = parser.parse_args()

with gzip.open(options.data / 'wmt17/newstest2017_raw/de-en.tsv.gz', 'rt', encoding='utf8') as file:
    names = next(file).rstrip('\n').split('\t')
    rows = [dict(zip(names, line.rstrip('\n').split('\t'))) for line in file]
references = [row['ref'] for row in rows]
systems = {'good': [row['online-B.0'] for row in rows], 'poor': [row['online-F.0'] for row in rows],
           'wrong': references[1:] + references[:1]}
with tempfile.TemporaryDirectory() as folder:
    for name, texts in {'reference': references, **systems}.items():
        (pathlib.Path(folder) / f'{name}.txt').write_text('\n'.join(texts) + '\n', encoding='utf8')
    words = [options.program, 'score', '-q', '--format', 'json', '--model', options.model, '-r', f'{folder}/reference.txt']
    if options.threads:
        words += ['--threads', options.threads]
    for name in systems:
        words += ['-s', f'{folder}/{name}.txt']
    done = subprocess.run([*words, '-m', *(metric for metric in METRICS if metric.partition(':')[0] not in options.without)], check=True, stdout=subprocess.PIPE, text=True)
values = {}
for result in json.loads(done.stdout)['results']:
    scores = result['scores']
    values.setdefault(result['request'], {})[result['system']] = scores[F1] if F1 in scores else next(iter(scores.values()))
print(f'Metrics on pairs of texts: newstest2017, German to English, {len(rows)} lines\n')
print('Main results')
cells = [['metric', *systems], *([metric, *(f'{of[name]:.4f}' for name in systems)] for metric, of in values.items())]
widths = [max(map(len, column)) for column in zip(*cells)]
for row in cells:
    print('  '.join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]))
