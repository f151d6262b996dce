"""Why is BERTR on systems below the paper's? Layers, precision and recall, texts, pooling, and single systems, one after the other.

    python3 bench/studies/bertr_systems.py --program build/release/markeval --data DATA [--lines 300] [--pairs zh-en tr-en]
        [--texts raw tok] [--model NAME] [-m METRIC ...]

Pearson of WMT17 systems with people (Mathur et al. 2019, Table 3) on the first lines of each system. "without one" are the least and
the greatest Pearson where one system is left out, and the system whose absence gives the greatest. A system's score is the mean of its
segments, as in the paper; --pooled also takes all words of all references together (segments weighted by the words of their reference),
the median segment, and the mean of the segments' ranks. DATA: docs/reference/data.md."""
import argparse
import gzip
import json
import operator
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
parser.add_argument('--without', nargs='+', default=[], help='metrics to leave out')
parser.add_argument('--pooled', nargs='*', default=[], metavar='METRIC', help='of these, as bertr:layer=6.recall')
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
        words = [options.program, 'score', '-q', '--format', 'json', *(['--segments'] if options.pooled else []), '--model', options.model, '-r', write('ref')]
        for system in sorted(set(human) & set(columns)):
            words += ['-s', write(system)]
        kept = [metric for metric in options.metric if metric.partition(':')[0] not in options.without]
        done = subprocess.run([*words, '-m', *kept], check=True, stdout=subprocess.PIPE, text=True)
    found, segments = {}, {}
    for result in json.loads(done.stdout)['results']:
        for name, value in result['scores'].items():
            label = result['request'] + ('' if name == result['metric'] else f'.{name}')
            found.setdefault(label, {})[result['system']] = -value if result['metric'] == 'character' else value
            if label in options.pooled:
                segments.setdefault(label, {})[result['system']] = result['segments'][name]
    for label, by_system in segments.items():
        found.update(pooled(label, by_system, [len(text.split()) for text in columns['ref']]))
    return found


def pooled(label, by_system, words):
    """Other ways from segments to a system."""
    ranks = {system: [] for system in by_system}
    for of_line in zip(*by_system.values()):
        for system, value in zip(by_system, of_line):
            ranks[system].append(sum(other < value for other in of_line) + sum(other == value for other in of_line) / 2)
    return {f'{label}, all words': {system: sum(map(operator.mul, values, words)) / sum(words) for system, values in by_system.items()},
            f'{label}, median': {system: statistics.median(values) for system, values in by_system.items()},
            f'{label}, ranks': {system: statistics.fmean(values) for system, values in ranks.items()}}


def pearson(human, by_system):
    names = sorted(by_system)
    return statistics.correlation([human[name] for name in names], [by_system[name] for name in names])


print(f'\nPearson with direct assessment of systems, the first {options.lines} lines')
print(f'{"pair":6} {"texts":5}  {"systems":>7}  {"metric":32}  {"pearson":>7}  without one')
for pair in options.pairs:
    human = judged(pair)
    for kind in options.texts:
        for label, by_system in scores(kind, pair, human).items():
            fewer = sorted((pearson(human, {other: by_system[other] for other in by_system if other != one}), one) for one in by_system)
            print(f'{pair:6} {kind:5}  {len(by_system):7}  {label:32}  {pearson(human, by_system):7.3f}  {fewer[0][0]:.3f} to '
                  f'{fewer[-1][0]:.3f} ({fewer[-1][1]})', flush=True)
