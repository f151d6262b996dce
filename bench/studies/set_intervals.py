"""How wide should the interval of a set metric be? The table of docs/background/decisions/009-intervals-of-sets.md.

    python3 bench/studies/set_intervals.py [--truth 300] [--sets 24] [--splits 40]
    python3 bench/studies/set_intervals.py --null 70 --splits 39

Both sets are drawn anew many times: the standard deviation of the score is the truth. Then, from single pairs of sets, four
estimates of it: from draws of half the rows (spread around their mean), from two disjoint halves, from four disjoint quarters, and
from the rate at which the last two differ. Prints the mean of each estimate over the truth, and its standard deviation from one pair
of sets to the next. --null N: how often two systems of one distribution are told apart, in N draws. Needs NumPy; plain formulas of the
metrics, slow."""
import argparse

import numpy as np

CASES = [(120, 120, 4, 0.7), (120, 120, 4, 0), (400, 400, 4, 0.7), (300, 100, 8, 0.5), (400, 400, 16, 0.3)]  # rows, rows, columns, shift


def squared_distances(a, b):
    return np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * a @ b.T, 0)


def radii(squared, k):
    squared = squared.copy()
    np.fill_diagonal(squared, np.inf)
    return np.partition(squared, k - 1, axis=1)[:, k - 1]


def population_score(estimate, population):
    return max(0.0, 1 - abs(estimate - population) / population) if np.isfinite(estimate) else 0.0


def capture_estimate(captured, population):
    def x_ln_x(x):
        return x * np.log(x) if x > 0 else 0.0

    def step(n):
        free = population * n - captured
        return (np.log(n + 1) - np.log(n + 1 - population) + x_ln_x(free + population) - x_ln_x(free)
                - x_ln_x(population * (n + 1)) + x_ln_x(population * n))
    low, high = population, population
    if step(low) > 0:
        reach = 1
        while step(low + reach) > 0:
            reach *= 2
        high = low + reach
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if step(middle) > 0 else (low, middle)
    return high


def frechet(reference, evaluated):
    first, second = np.cov(reference.T), np.cov(evaluated.T)
    values, vectors = np.linalg.eigh(first)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ second @ root), 0)).sum()
    return ((reference.mean(0) - evaluated.mean(0)) ** 2).sum() + np.trace(first) + np.trace(second) - 2 * roots


def scores(reference, evaluated):
    """The set metrics by the papers' formulas; Schnabel by its totals (docs/background/decisions/007-order-of-visits.md)."""
    within_r, within_e = squared_distances(reference, reference), squared_distances(evaluated, evaluated)
    between = squared_distances(reference, evaluated)
    r, e = len(reference), len(evaluated)
    population, found = r + e, {}
    for k in (1, 3, 5):
        in_r = between <= radii(within_r, k)[:, None]
        in_e = between.T <= radii(within_e, k)[:, None]
        a, b = in_r.any(0).sum(), in_e.any(0).sum()
        if k != 5:
            found[f"petersen k={k}"] = population_score((r + a) * (e + b) / (a + b) if a + b else np.inf, population)
            for name, rows, hits, covered in (("qual", e, in_e.sum(), a), ("div", r, in_r.sum(), b)):
                captured = (k + 1) * rows + hits
                recaptured = captured - (rows - covered)
                found[f"schnabel_{name} k={k}"] = population_score(captured * population / recaptured, population)
            captured = int((k + 1) * population + in_r.sum() + in_e.sum())
            found[f"capture k={k}"] = population_score(capture_estimate(captured, population), population)
        if k == 3:
            found["precision k=3"], found["recall k=3"] = a / e, b / r
        if k == 5:
            found["density k=5"], found["coverage k=5"] = in_r.sum() / (5 * e), in_r.any(1).mean()
    found["fid"] = frechet(reference, evaluated)
    return found


def study(case, options, seed=1):
    r, e, columns, shift = case
    random = np.random.default_rng(seed)

    def draw():
        return random.standard_normal((r, columns)), random.standard_normal((e, columns)) + shift
    fresh = [scores(*draw()) for _ in range(options.truth)]
    names = list(fresh[0])
    fresh = np.array([[one[name] for name in names] for one in fresh])
    truth = fresh.std(0, ddof=1)
    estimates = {"draws of a half": [], "two halves": [], "four quarters": [], "estimated rate": []}
    for _ in range(options.sets):
        reference, evaluated = draw()
        halves, quarters = [], []
        for _ in range(options.splits):
            rows_r, rows_e = random.permutation(r), random.permutation(e)

            def parts(count):
                size_r, size_e = r // count, e // count
                return [list(scores(reference[rows_r[i * size_r:(i + 1) * size_r]],
                                    evaluated[rows_e[i * size_e:(i + 1) * size_e]]).values()) for i in range(count)]
            halves.append(parts(2))
            quarters.append(parts(4))
        halves, quarters = np.array(halves), np.array(quarters)
        of_half = ((halves[:, 0] - halves[:, 1]) ** 2 / 2).mean(0)  # variance of a score of half the rows, unbiased
        of_quarter = quarters.var(1, ddof=1).mean(0)
        estimates["draws of a half"].append(halves.reshape(-1, len(names)).std(0, ddof=1))
        estimates["two halves"].append(np.sqrt(of_half / 2))
        estimates["four quarters"].append(np.sqrt(of_quarter / 4))
        estimates["estimated rate"].append(of_half / np.sqrt(np.maximum(of_quarter, 1e-30)))
    print(f"{r} + {e} rows, {columns} columns, shift {shift}: mean of the estimates over the truth (their spread)")
    print(f"{'':20}{'score':>8}{'truth':>9}" + "".join(f"{name:>18}" for name in estimates))
    for i, name in enumerate(names):
        cells = ""
        for values in estimates.values():
            ratios = np.array(values)[:, i] / truth[i] if truth[i] > 0 else np.full(1, np.nan)
            cells += f"{ratios.mean():10.2f} ({ratios.std():.2f})"
        print(f"{name:20}{fresh[:, i].mean():8.4f}{truth[i]:9.5f}{cells}", flush=True)


def null(options, rows=100, columns=4, shift=0.5, seed=3):
    """The share of p-values up to 0.05, 0.1 and 0.5 where the two systems are equally good."""
    random = np.random.default_rng(seed)
    p_values = []
    for _ in range(options.null):
        reference = random.standard_normal((rows, columns))
        systems = [random.standard_normal((rows, columns)) + shift for _ in range(2)]

        def difference(chosen):
            first, second = (scores(reference[chosen], system[chosen]) for system in systems)
            return np.array([second[name] - first[name] for name in first])
        observed = np.abs(difference(np.arange(rows)))
        deviations = []
        for _ in range(options.splits):
            order = random.permutation(rows)
            deviations.append(np.abs(difference(order[:rows // 2]) - difference(order[rows // 2:])) / 2)
        p_values.append(((np.array(deviations) >= observed).sum(0) + 1) / (options.splits + 1))
    names = list(scores(reference, systems[0]))
    print(f"{options.null} draws, {rows} rows each, {columns} columns, both systems shifted by {shift}: share of p-values up to")
    print(f"{'':20}" + "".join(f"{level:8}" for level in (0.05, 0.1, 0.5)))
    for name, values in zip(names, np.array(p_values).T):
        print(f"{name:20}" + "".join(f"{(values <= level).mean():8.3f}" for level in (0.05, 0.1, 0.5)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=int, default=300)
    parser.add_argument("--sets", type=int, default=24)
    parser.add_argument("--splits", type=int, default=40)
    parser.add_argument("--null", type=int, default=0)
    options = parser.parse_args()
    if options.null:
        return null(options)
    for case in CASES:
        study(case, options)


if __name__ == "__main__":
    main()
