"""Makes the golden values of tests/meta/golden with scipy and mpmath; the versions used are written into each file.

Usage: make_golden.py OUT_FOLDER"""
import itertools
import pathlib
import random
import sys

import mpmath
import numpy
import scipy
import scipy.stats

HEADER = f'# made by tests/meta/make_golden.py with scipy {scipy.__version__}, numpy {numpy.__version__}, mpmath {mpmath.__version__}\n'


def join(values):
    return ','.join(repr(float(v)) for v in values)


def cell(value):
    return '-' if value is None or numpy.isnan(value) else repr(float(value))


def vectors(rng):
    """Pairs of vectors with few, many and no ties, short and long, at several scales."""
    for rows, levels, scale, shift in itertools.product((2, 3, 5, 17, 64, 257), (2, 5, 40, None), (1.0, 1e-9, 1e6),
                                                        (0.0, 1000.0)):
        if (rows > 64 and (scale != 1.0 or shift != 0.0)) or (scale == 1e-9 and shift):
            continue  # the last: a spread of 1e-9 around 1000 is beyond scipy's own rounding
        draw = (lambda: rng.gauss(0, 1)) if levels is None else (lambda: rng.randrange(levels) / levels)
        x = [draw() for _ in range(rows)]
        y = [0.5 * a + draw() for a in x]
        yield [scale * v + shift for v in x], y



def correlations(path, rng):
    with open(path, 'w') as out:
        out.write(HEADER + 'gold\tpredicted\tpearson\tspearman\ttau_b\ttau_c\n')
        for x, y in vectors(rng):
            constant = len(set(x)) == 1 or len(set(y)) == 1
            values = [None] * 4 if constant else [
                scipy.stats.pearsonr(x, y).statistic, scipy.stats.spearmanr(x, y).statistic,
                scipy.stats.kendalltau(x, y, variant='b').statistic,
                scipy.stats.kendalltau(x, y, variant='c').statistic]
            out.write('\t'.join([join(x), join(y), *map(cell, values)]) + '\n')


def exact_upper_tail(t, degrees):
    with mpmath.workdps(50):
        t, degrees = mpmath.mpf(t), mpmath.mpf(degrees)
        half = mpmath.betainc(degrees / 2, mpmath.mpf(1) / 2, 0, degrees / (degrees + t * t), regularized=True) / 2
        return float(half if t >= 0 else 1 - half)


def student_t(path, rng):
    with open(path, 'w') as out:
        out.write(HEADER + 't\tdegrees\tscipy\tmpmath\n')
        for degrees in (1, 2, 3, 4.5, 7, 10, 30, 100, 557, 3917, 1e5, 1e6):
            for t in (0.0, 0.01, 0.3, 1.0, 1.7, 1.8, 2.5, 5.0, 12.0, 30.0, -0.4, -2.0, -6.0):
                out.write(f'{t!r}\t{float(degrees)!r}\t{float(scipy.stats.t.sf(t, degrees))!r}'
                          f'\t{exact_upper_tail(t, degrees)!r}\n')


def williams(path, rng):
    """By the formula of Williams 1959, written out here a second time, with scipy's t distribution."""
    with open(path, 'w') as out:
        out.write(HEADER + 'first\tsecond\tbetween\trows\tt\tp_value\tp_greater\n')
        for rows in (4, 5, 12, 100, 560, 3920):
            for _ in range(8):
                gold = [rng.gauss(0, 1) for _ in range(rows)]
                a = [0.6 * g + rng.gauss(0, 1) for g in gold]
                b = [0.3 * g + 0.5 * x + rng.gauss(0, 1) for g, x in zip(gold, a)]
                matrix = numpy.corrcoef([gold, a, b])
                r1, r2, r12 = matrix[0, 1], matrix[0, 2], matrix[1, 2]
                numerator = (r1 - r2) * numpy.sqrt((rows - 1) * (1 + r12))
                denominator = numpy.sqrt(2 * (rows - 1) / (rows - 3) * numpy.linalg.det(matrix)
                                         + ((r1 + r2) / 2) ** 2 * (1 - r12) ** 3)
                t = numerator / denominator
                out.write('\t'.join(repr(float(v)) for v in (r1, r2, r12, rows, t, 2 * scipy.stats.t.sf(abs(t), rows - 3),
                                                             scipy.stats.t.sf(t, rows - 3))) + '\n')


def adjusted(path, rng):
    """Benjamini and Hochberg by scipy; Holm by its definition."""
    with open(path, 'w') as out:
        out.write(HEADER + 'p_values\tholm\tbh\n')
        for count in (1, 2, 5, 20, 190):
            p = [round(rng.random() ** 3, 3) for _ in range(count)]
            order = sorted(range(count), key=lambda i: p[i])
            holm, running = [0.0] * count, 0.0
            for rank, i in enumerate(order):
                running = max(running, min(1.0, (count - rank) * p[i]))
                holm[i] = running
            out.write(f'{join(p)}\t{join(holm)}\t{join(scipy.stats.false_discovery_control(p))}\n')


def paired_t(path, rng):
    with open(path, 'w') as out:
        out.write(HEADER + 'baseline\tsystem\tp_value\tlow\thigh\n')
        for rows in (2, 3, 10, 50):
            a = [rng.gauss(0.5, 0.2) for _ in range(rows)]
            b = [x + rng.gauss(0.03, 0.1) for x in a]
            result = scipy.stats.ttest_rel(b, a)
            interval = result.confidence_interval(0.95)
            out.write(f'{join(a)}\t{join(b)}\t{join([result.pvalue])}\t{join([interval.low])}\t{join([interval.high])}\n')


def main(folder):
    folder = pathlib.Path(folder)
    for make in (correlations, student_t, williams, adjusted, paired_t):
        make(folder / f'{make.__name__}.tsv', random.Random(20240229))


if __name__ == '__main__':
    main(sys.argv[1])
