"""Transport cost and plan against POT's exact solver (ot.emd) on random problems.

    python tests/parity/transport.py build/release/tests/parity/transport_tool [--problems 10000] [--largest 200]

Needs numpy and POT. Fails where a cost differs by more than 1e-9 relatively, or a plan is not feasible to 1e-12.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import ot


def random_problem(rng, largest):
    """Sizes up to `largest`; masses random, equal or partly zero; costs random, from points, or with many ties."""
    m, n = rng.integers(1, largest + 1, 2)
    kind = rng.integers(4)
    a, b = rng.random(m) + 1e-3, rng.random(n) + 1e-3
    if kind == 1:
        a, b = np.ones(m), np.ones(n)
    if kind == 2 and m > 2 and n > 2:
        a[: m // 3] = 0
        b[: n // 3] = 0
    a, b = a / a.sum(), b / b.sum()
    if kind == 3:
        cost = rng.integers(0, 5, (m, n)).astype(float)
    elif kind == 0:
        cost = rng.random((m, n))
    else:
        x, y = rng.normal(size=(m, 16)), rng.normal(size=(n, 16))
        cost = ((x[:, None] - y[None]) ** 2).sum(-1)
    return a, b, np.ascontiguousarray(cost)


def write(path, problems):
    with open(path, "wb") as out:
        for a, b, cost in problems:
            out.write(np.array(cost.shape, np.int32).tobytes() + a.tobytes() + b.tobytes() + cost.tobytes())


def solve(tool, problems, repeats=1):
    """(cost, seconds, plan) of each problem by markeval's solver."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = os.path.join(folder, "in"), os.path.join(folder, "out")
        write(given, problems)
        subprocess.run([tool, given, found, str(repeats)], check=True)
        values = np.fromfile(found)
    results, at = [], 0
    for _, _, cost in problems:
        results.append((values[at], values[at + 1], values[at + 2 : at + 2 + cost.size].reshape(cost.shape)))
        at += 2 + cost.size
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--problems", type=int, default=10000)
    parser.add_argument("--largest", type=int, default=200)
    options = parser.parse_args()
    rng = np.random.default_rng(12345)
    worst_cost = worst_plan = 0.0
    done = 0
    while done < options.problems:
        problems = [random_problem(rng, options.largest) for _ in range(min(250, options.problems - done))]
        for (a, b, cost), (ours, _, plan) in zip(problems, solve(options.tool, problems)):
            theirs = (ot.emd(a, b, cost, numItermax=10_000_000) * cost).sum()
            worst_cost = max(worst_cost, abs(ours - theirs) / max(abs(theirs), 1e-6 * cost.max(), 1e-300))
            worst_plan = max(worst_plan, abs(plan.sum(1) - a).max(), abs(plan.sum(0) - b).max(),
                             abs((plan * cost).sum() - ours) / max(abs(ours), 1e-300) if ours else 0, -plan.min())
        done += len(problems)
    print(f"{done} problems up to {options.largest} x {options.largest}: largest relative cost difference "
          f"{worst_cost:.2e} (limit 1e-9), plan off by at most {worst_plan:.2e} (limit 1e-12); POT {ot.__version__}")
    return 0 if worst_cost <= 1e-9 and worst_plan <= 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
