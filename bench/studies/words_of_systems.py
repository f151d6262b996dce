"""Tables 2 and 6 of Mark-Evaluate: words as samples, all systems of five pairs of WMT17, over whole corpora and by segment.

    python3 bench/studies/words_of_systems.py --program build/release/markeval --data DATA --work FOLDER [--jobs 5] [--threads 3]
        [--pairs cs-en ...] [--max-k 3] [--prd-lines 600]

Runs `markeval experiment wmt17 --level system --texts tokenised` pair by pair, --jobs at a time, and keeps each answer in --work: a run
that was stopped goes on where it was. Each pair has a cache of its own there while it runs (half a gigabyte a system), so its texts are
encoded once. Prints Pearson with people at the default K beside the papers', by K, and with the K that the other pairs choose.
PRD over corpora takes longest by far, so it has the first --prd-lines of every system (0: all) and one clustering instead of ten.
--finished runs nothing and prints what is there. DATA: docs/reference/data.md."""
import argparse
import concurrent.futures
import gzip
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'scripts'))
from studies import papers_rows  # noqa: E402

PAIRS = ['cs-en', 'de-en', 'ru-en', 'tr-en', 'zh-en']
# What is asked for in one run. A part is kept when it is done, so the dear ones come last.
PARTS = {
    'segment': ['me:samples=word,scope=segment', 'impar:samples=word,scope=segment', 'bertscore', 'moverscore', 'moverscore:n=2', 'bertr',
                'fid:samples=word'],
    'corpus': ['me:samples=word', 'impar:samples=word'],
    'prd-segment': ['prd:samples=word,scope=segment,clusters=20'],
    'prd-corpus': ['prd:samples=word,clusters=20,runs=1'],
}

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True)
parser.add_argument('--work', required=True, type=pathlib.Path)
parser.add_argument('--pairs', nargs='+', default=PAIRS)
parser.add_argument('--parts', nargs='+', default=list(PARTS))
parser.add_argument('--max-k', type=int, default=3)
parser.add_argument('--jobs', type=int, default=1, help='pairs at a time')
parser.add_argument('--threads', type=int, default=2, help='of each')
parser.add_argument('--prd-lines', type=int, default=600)
parser.add_argument('--finished', action='store_true')
parser.add_argument('--model', default='all-MiniLM-L6-v2')
options = parser.parse_args()


def first_lines(folder, pair):
    """A folder of data with the first lines of every system."""
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was stopped
    (folder / 'wmt17/newstest2017_tok').mkdir(parents=True)
    shutil.copy(pathlib.Path(options.data, 'wmt17/DA-syslevel.csv'), folder / 'wmt17')
    with gzip.open(pathlib.Path(options.data, f'wmt17/newstest2017_tok/{pair}.tsv.gz'), 'rt', encoding='utf8', newline='\n') as lines:
        kept = list(itertools.islice(lines, options.prd_lines + 1))
    (folder / f'wmt17/newstest2017_tok/{pair}.tsv').write_text(''.join(kept), encoding='utf8', newline='\n')
    return folder


def make(pair):
    """All answers of one pair that are not there yet, one after the other."""
    missing = [part for part in options.parts if not (options.work / f'{pair}.{part}.json').exists()]
    cache = options.work / f'cache-{pair}'
    for part in missing:
        file = options.work / f'{pair}.{part}.json'
        folder = options.work / f'first-{pair}'
        data = first_lines(folder, pair) if part == 'prd-corpus' and options.prd_lines else options.data
        subprocess.run([options.program, 'experiment', 'wmt17', '--data', data, '--level', 'system', '--texts', 'tokenised',
                        '--part', pair, '-m', *PARTS[part], '--best-k', '--max-k', str(options.max_k), '--cache', str(cache), '--model', options.model,
                        '--threads', str(options.threads), '-q', '--format', 'json', '-o', f'{file}.part'],
                       check=True, env={'MARKEVAL_CACHE_SIZE': '64G', **os.environ})
        pathlib.Path(f'{file}.part').replace(file)
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(cache, ignore_errors=True)


def table_of(answer, word):
    return next((table for table in answer['tables'] if word in table['name']), {'rows': [], 'columns': []})


def read(found, answer, pair, note):
    """Takes in one answer: by name of a result and a note, its Pearson with the pair, and the same by K."""
    for row in table_of(answer, 'wmt17-system')['rows']:
        if row[2] == 'markeval':
            found.setdefault(row[0] + note, {'default': {}, 'by-k': {}})['default'][pair] = row[3]
    for table in answer['tables']:
        if not table['name'].endswith('-by-k'):
            continue
        metric = table['title'].partition(' by K')[0]
        for place, result in enumerate(table['columns'][1:], 1):
            found[f'{metric}.{result}']['by-k'][pair] = [row[place] for row in table['rows']]


def mean(values):
    return None if not values or any(value is None for value in values) else sum(values) / len(values)


def first_drop(line):
    """K where agreement first drops after it, from 1, as the program has it."""
    best = 0
    while best + 1 < len(line) and line[best + 1] is not None and (line[best] is None or line[best + 1] >= line[best]):
        best += 1
    return best + 1


def mean_line(by_k, pairs):
    return [mean([by_k[pair][k] for pair in pairs]) for k in range(min(len(by_k[pair]) for pair in pairs))]


def show(title, columns, rows):
    lines = [columns, *([cell if isinstance(cell, str) else '-' if cell is None else f'{cell:.3f}' for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f'\n{title}')
    for line in lines:
        print('  '.join(cell.ljust(width) if place < 3 else cell.rjust(width)
                        for place, (cell, width) in enumerate(zip(line, widths))).rstrip())


if not options.finished:
    options.work.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(make, options.pairs))
results, signatures = {}, []
for pair in options.pairs:
    for part in PARTS:
        file = options.work / f'{pair}.{part}.json'
        if file.exists():
            answer = json.loads(file.read_text(encoding='utf8'))
            read(results, answer, pair, f' ({options.prd_lines} lines)' if part == 'prd-corpus' and options.prd_lines else '')
            signatures += [signature for signature in answer['signatures'] if signature not in signatures]
LABELS = ['metric', 'model', 'source']
OURS = [pathlib.Path(options.model).name, 'markeval']


def over_pairs(name, values):
    return [name, *OURS, *(values.get(pair) for pair in options.pairs), mean([values.get(pair) for pair in options.pairs])]


print('Words of whole corpora and of segments, tokenised texts (WMT17 metrics task; Mark-Evaluate, Tables 2 and 6)')
columns = [*LABELS, *options.pairs, 'mean']
ours = [over_pairs(name, found['default']) for name, found in results.items()]
show('Pearson with direct assessment, systems of each pair, default K', columns,
     ours + [row for row in papers_rows('wmt17-system', [*options.pairs, 'mean']) if not row[2].startswith('Mathur')])
searched = {name: found['by-k'] for name, found in results.items() if set(found['by-k']) == set(options.pairs)}
show('Mean over the pairs by K', [*LABELS, *(str(k + 1) for k in range(options.max_k))],
     [[name, *OURS, *mean_line(by_k, options.pairs)] for name, by_k in searched.items()])
own, others = [], []
for name, by_k in searched.items():
    at = {pair: first_drop(by_k[pair]) for pair in options.pairs}
    own.append([*over_pairs(name, {pair: by_k[pair][k - 1] for pair, k in at.items()}), ' '.join(map(str, at.values()))])
    at = {pair: first_drop(mean_line(by_k, [other for other in options.pairs if other != pair])) for pair in options.pairs}
    others.append([*over_pairs(name, {pair: by_k[pair][k - 1] for pair, k in at.items()}), ' '.join(map(str, at.values()))])
show('Each pair with its own best K, as the paper chose it', [*columns, 'k of each pair'], own)
if len(options.pairs) > 2:
    show('Each pair with the K that the mean over the other pairs chooses', [*columns, 'k of each pair'], others)
print()
for signature in signatures:
    print(f'signature: {signature}')
