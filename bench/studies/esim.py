"""ESIM learned from WMT16 as in Mathur et al. 2019 (TrainS): systems of WMT17, and the paper's example sentences.

    python3 bench/studies/esim.py --program build/release/markeval --models models --data DATA --work FOLDER [--jobs 4] [--threads 4]
        [--seed 1] [--recipes tuned published] [--on-systems tuned] [--pairs ...]

Trains with bench/studies/trained.py in --work/training (the recipe of the paper, and ours), then scores every line of every system with
the networks, `match` and untrained metrics, a pair of languages at a time, --jobs of them side by side, then the sentences of Tables 6
and 7 beside all pairs of WMT15: the paper calls a score HIGH or LOW without a limit, here it is HIGH above the median of WMT15. What is
finished in --work is not made again. --finished makes nothing and prints what is there. DATA: docs/reference/data.md."""
import argparse
import bisect
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))
from studies import papers_rows  # noqa: E402

PAIRS = ['cs-en', 'de-en', 'fi-en', 'lv-en', 'ru-en', 'tr-en', 'zh-en']
MODEL = 'all-MiniLM-L6-v2'
UNTRAINED = ['match', 'bertr', 'bertscore', 'chrf']
SENTENCES = ['bertr', 'match', 'sentbleu:tokenize=intl,lowercase=yes']
# Of Tables 6 and 7, in the order of the file; two sentences share a label where the paper prints one for both.
PRINTED = ['HIGH HIGH LOW', 'HIGH HIGH LOW', 'HIGH LOW LOW', 'HIGH LOW LOW', 'LOW LOW LOW', 'LOW LOW HIGH', 'LOW LOW HIGH', 'LOW HIGH HIGH',
           'HIGH LOW LOW', 'HIGH HIGH HIGH', 'HIGH HIGH HIGH']

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--models', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--work', required=True, type=pathlib.Path)
parser.add_argument('--seed', type=int, default=1)
parser.add_argument('--recipes', nargs='+', default=['tuned', 'published'])
parser.add_argument('--on-systems', nargs='+', default=['tuned'], metavar='RECIPE', help='the networks that score systems')
parser.add_argument('--pairs', nargs='+', default=PAIRS)
parser.add_argument('--jobs', type=int, default=1, help='trainings, then pairs of languages at a time')
parser.add_argument('--threads', type=int, default=2, help='of each')
parser.add_argument('--epochs', type=int, default=8)
parser.add_argument('--limit', type=int, help='pairs to learn from of each pair of languages: to try the script')
parser.add_argument('--finished', action='store_true')
options = parser.parse_args()
TRAINING = options.work / 'training'


def network(recipe):
    return TRAINING / f'S_{recipe}_{MODEL}_all_esim_{options.seed}'


def markeval(file, *words):
    """The program's answer as JSON, kept in `file`."""
    if not file.exists():
        if options.finished:
            sys.exit(f'{file}: not there yet')
        environment = {**os.environ, 'MARKEVAL_MODELS': options.models}
        subprocess.run([options.program, *map(str, words), '-q', '--cache', 'none', '--threads', str(options.threads), '--format', 'json',
                        '-o', f'{file}.part'], check=True, env=environment)
        pathlib.Path(f'{file}.part').replace(file)
    return json.loads(file.read_text(encoding='utf8'))


def weights(recipes):
    return [f'esim:weights={network(recipe)}' for recipe in recipes]


def systems_of(pair):
    return markeval(options.work / f'systems.{pair}.json', 'experiment', 'wmt17', '--data', options.data, '--level', 'system', '--part',
                    pair, '-m', *weights(options.on_systems), *UNTRAINED)


def train():
    limit = ['--limit', str(options.limit)] if options.limit else []
    subprocess.run([sys.executable, ROOT / 'bench/studies/trained.py', '--program', options.program, '--models', options.models, '--data',
                    options.data, '--work', TRAINING, '--rows', *(f'S/{recipe}/{MODEL}/all/esim' for recipe in options.recipes),
                    '--seeds', str(options.seed), '--epochs', f'esim={options.epochs}', '--jobs', str(options.jobs), '--threads',
                    str(options.threads), *limit], check=True, stdout=subprocess.DEVNULL)


def named(request):
    """`esim:weights=FOLDER` by the recipe of the network."""
    return re.sub(rf'esim:weights=\S*/S_([a-z]+)_{MODEL}_all_esim_\d+', r'esim:\1', request)


def show(title, columns, rows, left):
    lines = [columns, *([cell if isinstance(cell, str) else '-' if cell is None else f'{cell:.3f}' for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f'\n{title}')
    for line in lines:
        print('  '.join(cell.ljust(width) if place < left else cell.rjust(width)
                        for place, (cell, width) in enumerate(zip(line, widths))).rstrip())


def mean(by_pair, pairs):
    return statistics.fmean(by_pair[pair] for pair in pairs) if set(pairs) <= set(by_pair) else None


def show_systems():
    values, marks = {}, {}
    pairs = [pair for pair in options.pairs if (options.work / f'systems.{pair}.json').exists()]
    for pair in pairs:
        tables = {table['name']: table for table in systems_of(pair)['tables']}
        for row in tables['wmt17-system']['rows']:
            if row[2] == 'markeval':
                values.setdefault(named(row[0]), {})[pair] = row[3]
        for row in tables['wmt17-system-not-outperformed']['rows']:
            marks.setdefault(named(row[0]), {})[pair] = row[2] if row[2] is not None else '-'
    columns = ['metric', 'model', 'source', *pairs, 'mean']
    wanted = {row[0]: row for row in papers_rows('wmt17-system', [*pairs, 'mean']) if row[2].startswith('Mathur')}
    show('Pearson with direct assessment, systems of each pair', columns,
         [[name, MODEL, 'markeval', *(of.get(pair) for pair in pairs), mean(of, pairs)] for name, of in values.items()]
         + list(wanted.values()), 3)
    show('Not outperformed by any other (williams, one-sided p at most 0.05; no mark below 6 rows)', ['metric', *pairs],
         [[name, *(of.get(pair) for pair in pairs)] for name, of in marks.items()], 1)


def show_segments():
    columns = ['network', *PAIRS, 'mean']
    rows = [[f'esim:{recipe}', *json.loads((network(recipe) / 'wmt17.json').read_text())] for recipe in options.recipes
            if (network(recipe) / 'wmt17.json').exists()]
    show(f'Pearson with direct assessment, segments of each pair (WMT17), seed {options.seed}', columns, rows, 1)


def show_sentences():
    def scores(file, table, reference, system):
        answer = markeval(options.work / file, 'score', '-r', f'{table}:{reference}', '-s', f'{table}:{system}', '--segments', '-m',
                          *weights(options.recipes), *SENTENCES)
        return {named(result['request']): next(iter(result['segments'].values())) for result in answer['results']}

    examples = scores('examples.json', ROOT / 'examples/mathur-2019.tsv', 'ref', 'sys')
    wmt15 = scores('wmt15.json', TRAINING / 'wmt15.tsv', 'ref', 'hyp')
    rows = []
    for number, printed in enumerate(PRINTED):
        row = [str(number + 1), *printed.split()]
        for name, values in examples.items():
            share = bisect.bisect(sorted(wmt15[name]), values[number]) / len(wmt15[name])
            row += [values[number], 'HIGH' if share > 0.5 else 'LOW']
        rows.append(row)
    columns = ['sentence', 'paper ESIM', 'BERTR', 'sentBLEU', *(cell for name in examples for cell in (name, f'{name} is'))]
    show('Sentences of Tables 6 (1 to 5, good) and 7 (6 to 11, bad): scores, HIGH above the median of WMT15', columns, rows, 4)


if not options.finished:
    options.work.mkdir(parents=True, exist_ok=True)
    train()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(systems_of, sorted(options.pairs, key=lambda pair: pair not in ('de-en', 'tr-en', 'zh-en', 'ru-en'))))
print('ESIM learned from the 3,360 pairs of WMT16, the epoch chosen on WMT15 (Mathur et al. 2019)')
show_segments()
if not options.finished or (options.work / 'examples.json').exists():
    show_sentences()
show_systems()
