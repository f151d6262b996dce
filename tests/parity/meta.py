"""Compares `markeval correlate` with scipy (coefficients, Williams) and with the definitions of WMT's measures written out
here by looking at every pair, on random tables with ties, missing values and groups.

Usage: meta.py --program build/release/markeval [--tables 20] [--seed 1]
Needs scipy. Prints the largest difference of each coefficient; exits 1 if one is above 1e-12 (p-values: 1e-9)."""
import argparse
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import scipy
import scipy.stats

TOLERANCE = {'williams': 1e-9}
COEFFICIENTS = ['pearson', 'spearman', 'kendall', 'kendall-c', 'kendall-like', 'accuracy']


def random_table(rng):
    rows, groups, columns = rng.choice([20, 150, 800]), rng.choice([1, 3]), rng.choice([2, 4])
    levels = rng.choice([3, 20, None])

    def draw():
        return rng.gauss(0, 1) if levels is None else rng.randrange(levels) / levels

    table = []
    for row in range(rows):
        gold = rng.choice([rng.uniform(0, 100), float(rng.randrange(101))])
        metrics = [None if rng.random() < 0.03 else gold / 50 + (c + 1) * draw() for c in range(columns)]
        table.append((f'g{row % groups}', None if rng.random() < 0.03 else gold, metrics))
    return table, columns


def write(path, table, columns):
    cell = lambda value: '' if value is None else repr(value)
    with open(path, 'w') as out:
        out.write('\t'.join(['group', 'gold'] + [f'm{c}' for c in range(columns)]) + '\n')
        for group, gold, metrics in table:
            out.write('\t'.join([group, cell(gold)] + [cell(m) for m in metrics]) + '\n')


def counts(x, y, threshold):
    """Concordant, discordant and ties of all pairs; metric values at most `threshold` apart are ties."""
    result = {'con': 0, 'dis': 0, 'gold': 0, 'metric': 0, 'both': 0}
    for (g1, m1), (g2, m2) in itertools.combinations(zip(x, y), 2):
        gold, metric = g1 == g2, abs(m1 - m2) <= threshold
        key = 'both' if gold and metric else 'gold' if gold else 'metric' if metric else (
            'con' if (g1 > g2) == (m1 > m2) else 'dis')
        result[key] += 1
    return result


def kendall_like(x, y):
    judged = [(g1 - g2) * (m1 - m2) > 0 for (g1, m1), (g2, m2) in itertools.combinations(zip(x, y), 2) if abs(g1 - g2) >= 25]
    return (2 * sum(judged) - len(judged)) / len(judged) if judged else None


def accuracy(x, y, threshold):
    c = counts(x, y, threshold)
    return (c['con'] + c['both']) / sum(c.values())


def expected(name, x, y):
    if name == 'kendall-like':
        return kendall_like(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return None
    return {'pearson': lambda: scipy.stats.pearsonr(x, y).statistic,
            'spearman': lambda: scipy.stats.spearmanr(x, y).statistic,
            'kendall': lambda: scipy.stats.kendalltau(x, y).statistic,
            'kendall-c': lambda: scipy.stats.kendalltau(x, y, variant='c').statistic}[name]()


def williams(gold, a, b):
    r1, r2, r12 = (scipy.stats.pearsonr(p, q).statistic for p, q in ((gold, a), (gold, b), (a, b)))
    n = len(gold)
    k = 1 - r1 ** 2 - r2 ** 2 - r12 ** 2 + 2 * r1 * r2 * r12
    t = (r1 - r2) * math.sqrt((n - 1) * (1 + r12)) / math.sqrt(2 * k * (n - 1) / (n - 3) + ((r1 + r2) / 2) ** 2 * (1 - r12) ** 3)
    return 2 * scipy.stats.t.sf(abs(t), n - 3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--tables', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    rng, largest, compared, wrong = random.Random(options.seed), {}, 0, 0

    def compare(what, ours, theirs):
        nonlocal compared, wrong
        compared += 1
        if theirs is not None and math.isnan(theirs):
            theirs = None
        if (ours is None) != (theirs is None):
            wrong += 1
            print(f'{what}: {ours}, expected {theirs}')
        elif ours is not None:
            largest[what] = max(largest.get(what, 0), abs(ours - theirs))

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'table.tsv'
        for number in range(options.tables):
            table, columns = random_table(rng)
            write(path, table, columns)
            small = len(table) <= 150  # every pair in Python takes its time
            names = COEFFICIENTS if small else COEFFICIENTS[:4]
            command = [options.program, 'correlate', str(path), '--gold', 'gold', '--group', 'group', '--format', 'json',
                       '--quiet', '--test', 'williams', '--correction', 'none', '--seed', str(number)]
            command += [word for c in range(columns) for word in ('--predicted', f'm{c}')]
            command += [word for name in names for word in ('--coefficient', name)]
            report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            for result in report['results']:
                if result['group'] == 'mean':
                    continue
                c = int(result['predicted'][1:])
                pairs = [(gold, metrics[c]) for group, gold, metrics in table
                         if group == result['group'] and gold is not None and metrics[c] is not None]
                x, y = [list(side) for side in zip(*pairs)]
                assert result['n'] == len(x), result
                for name in names:
                    compare(name, result[name],
                            accuracy(x, y, result['tie_threshold']) if name == 'accuracy' else expected(name, x, y))
            for test in report['tests']:
                a, b = int(test['first'][1:]), int(test['second'][1:])
                rows = [(gold, metrics[a], metrics[b]) for group, gold, metrics in table
                        if group == test['group'] and None not in (gold, metrics[a], metrics[b])]
                compare('williams', test['p_value'], williams(*zip(*rows)) if len(rows) > 3 else None)
    print(f'scipy {scipy.__version__}, {options.tables} tables, {compared} values compared')
    for what, difference in largest.items():
        over = difference > TOLERANCE.get(what, 1e-12)
        wrong += over
        print(f'{what:14} largest difference {difference:.2e}{"  TOO LARGE" if over else ""}')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
