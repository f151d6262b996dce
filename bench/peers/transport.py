"""Time per transport problem: markeval's solver against ot.emd2, the two sides interleaved, one thread each.

    python bench/peers/transport.py build/release/tests/parity/transport_tool [--rounds 7]

Verifies every cost, then times. Problems are squared distances of random unit vectors around shared topics, as token
vectors are, with random masses; the sizes are those of sentences.
"""
import argparse
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
import ot

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tests", "parity"))
from transport import solve


def sentence_problem(rng, m, n):
    topics = rng.normal(size=(30, 64))
    x, y = (topics[rng.integers(0, 30, k)] + 0.6 * rng.normal(size=(k, 64)) for k in (m, n))
    x, y = (p / np.linalg.norm(p, axis=1, keepdims=True) for p in (x, y))
    a, b = rng.random(m), rng.random(n)
    return a / a.sum(), b / b.sum(), ((x[:, None] - y[None]) ** 2).sum(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(12345)
    print(f"{'size':>9} {'markeval us':>12} {'ot.emd2 us':>11} {'times':>6}   (median of {options.rounds} rounds; POT {ot.__version__})")
    for m, n in ((20, 20), (20, 30), (30, 30), (40, 30), (40, 40)):
        problems = [sentence_problem(rng, m, n) for _ in range(100)]
        for (a, b, cost), (ours, _, _) in zip(problems, solve(options.tool, problems)):
            theirs = ot.emd2(a, b, cost)
            assert abs(ours - theirs) <= 1e-9 * theirs, (ours, theirs)
        ours_us, theirs_us = [], []
        for _ in range(options.rounds):
            ours_us.append(1e6 * np.mean([seconds for _, seconds, _ in solve(options.tool, problems, 1)]))
            start = time.perf_counter()
            for a, b, cost in problems:
                ot.emd2(a, b, cost)
            theirs_us.append(1e6 * (time.perf_counter() - start) / len(problems))
        ours, theirs = np.median(ours_us), np.median(theirs_us)
        print(f"{m:4} x {n:2} {ours:12.1f} {theirs:11.1f} {theirs / ours:6.1f}")


if __name__ == "__main__":
    main()
