"""Why is BERTR on systems below the paper's? Layers, precision and recall, texts, and single systems, one after the other.

    python3 bench/studies/bertr_systems.py --program build/release/markeval --data DATA [--lines 300] [--pairs zh-en tr-en]
        [--texts raw tok] [--model NAME] [-m METRIC ...]

Pearson of WMT17 systems with people (Mathur et al. 2019, Table 3) on the first lines of each system. "without one" are the least and
the greatest Pearson where one system is left out, and the system whose absence gives the greatest. DATA: docs/reference/data.md."""
import argparse
import gzip
import json
import pathlib
import statistics
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--pairs', nargs='+', default=['zh-en', 'tr-en'])
parser.add_argument('--texts', nargs='+', default=['raw', 'tok'])
parser.add_argument('--lines', type=int, default=300)
parser.add_argument('--model', default='all-MiniLM-L6-v2')
parser.add_argument('-m', '--metric', nargs='+',
                    default=[*(f'bertr:layer={layer}' for layer in range(1, 7)), 'bertscore:layer=6', 'bertscore', 'match', 'character'])
options = parser.parse_args()


def judged(pair):
    lines = (options.data / 'wmt17/DA-syslevel.csv').read_text(encoding='utf8').splitlines()
    return {system: float(human) for of, human, system in map(str.split, lines[1:]) if of == pair}


def texts(kind, pair):
    """By the name of a column: its first lines."""
    with gzip.open(options.data / f'wmt17/newstest2017_{kind}/{pair}.tsv.gz', 'rt', encoding='utf8') as file:
        names = next(file).rstrip('\n').split('\t')
        rows = [line.rstrip('\n').split('\t') for _, line in zip(range(options.lines), file)]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def scores(kind, pair, human):
    """By metric and result: by system, higher is better."""
    columns = texts(kind, pair)
    with tempfile.TemporaryDirectory() as folder:
        def write(name):
            (pathlib.Path(folder) / f'{name}.txt').write_text('\n'.join(columns[name]) + '\n', encoding='utf8')
            return f'{folder}/{name}.txt'
        words = [options.program, 'score', '-q', '--format', 'json', '--model', options.model, '-r', write('ref')]
        for system in sorted(set(human) & set(columns)):
            words += ['-s', write(system)]
        done = subprocess.run([*words, '-m', *options.metric], check=True, stdout=subprocess.PIPE, text=True)
    found = {}
    for result in json.loads(done.stdout)['results']:
        for name, value in result['scores'].items():
            label = result['request'] + ('' if name == result['metric'] else f'.{name}')
            found.setdefault(label, {})[result['system']] = -value if result['metric'] == 'character' else value
    return found


def pearson(human, by_system):
    names = sorted(by_system)
    return statistics.correlation([human[name] for name in names], [by_system[name] for name in names])


print(f'\nPearson with direct assessment of systems, the first {options.lines} lines')
print(f'{"pair":6} {"texts":5}  {"systems":>7}  {"metric":28}  {"pearson":>7}  without one')
for pair in options.pairs:
    human = judged(pair)
    for kind in options.texts:
        for label, by_system in scores(kind, pair, human).items():
            fewer = sorted((pearson(human, {other: by_system[other] for other in by_system if other != one}), one) for one in by_system)
            print(f'{pair:6} {kind:5}  {len(by_system):7}  {label:28}  {pearson(human, by_system):7.3f}  {fewer[0][0]:.3f} to '
                  f'{fewer[-1][0]:.3f} ({fewer[-1][1]})', flush=True)
