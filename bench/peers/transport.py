"""Time per transport problem: markeval's solver against ot.emd2, the two sides interleaved, one thread each.

    python bench/peers/transport.py build/release/tests/parity/transport_tool [--rounds 7]
        [--program build/release/markeval --model MODEL_FOLDER --table de-en.tsv]

Verifies every cost, then times (CPU time of the thread, so that a busy machine shows less). Problems of fixed sizes: squared distances of random unit vectors around shared topics, as
token vectors are, with random masses. With --table also the problems moverscore solves for its columns ref and hyp, n = 1
and 2: power means of the model's last five layers, words without their continuation pieces and punctuation, idf masses.
"""
import argparse
import os
import string
import subprocess
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
import ot

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "parity"))
from transport import solve


def random_problem(rng, m, n):
    topics = rng.normal(size=(30, 64))
    x, y = (topics[rng.integers(0, 30, k)] + 0.6 * rng.normal(size=(k, 64)) for k in (m, n))
    x, y = (p / np.linalg.norm(p, axis=1, keepdims=True) for p in (x, y))
    a, b = rng.random(m), rng.random(n)
    return a / a.sum(), b / b.sum(), ((x[:, None] - y[None]) ** 2).sum(-1)


def texts_of(options, column, folder):
    """Per segment: token ids and power means of the kept tokens."""
    out = os.path.join(folder, column + ".npy")
    subprocess.run([options.program, "embed", f"{options.table}:{column}", "--model", options.model, "--layer", "all",
                    "--pool", "none", "-o", out, "--cache", "none", "--quiet"], check=True)
    layers = np.load(out)[:, -5:].astype(np.float64)
    layers /= np.linalg.norm(layers, axis=2, keepdims=True)
    vectors = np.concatenate([layers.min(1), layers.mean(1), layers.max(1)], axis=1)
    texts = []
    with open(out[:-4] + ".tokens.tsv", encoding="utf-8") as file:
        next(file)
        for line in file:
            row, segment, token, piece = line.rstrip("\n").split("\t")
            while len(texts) < int(segment):
                texts.append([])
            if not piece.startswith("##") and piece not in string.punctuation and piece not in ("[CLS]", "[SEP]"):
                texts[int(segment) - 1].append((int(token), vectors[int(row)]))
    return texts


def moverscore_problems(refs, hyps, n):
    counts = {}
    for text in refs:
        for token in {token for token, _ in text}:
            counts[token] = counts.get(token, 0) + 1

    def side(text):
        weights = np.array([np.log((len(refs) + 1) / (counts.get(token, 0) + 1)) for token, _ in text])
        vectors = np.array([vector for _, vector in text])
        size = min(n, len(text))
        spans = [slice(at, at + size) for at in range(len(text) - size + 1)]
        rows = np.array([weights[span] @ vectors[span] for span in spans])
        masses = np.array([weights[span].sum() for span in spans])
        return masses / masses.sum(), rows / np.linalg.norm(rows, axis=1, keepdims=True)

    problems = []
    for ref, hyp in zip(refs, hyps):
        if not ref or not hyp:
            continue
        (a, x), (b, y) = side(ref), side(hyp)
        problems.append((a, b, np.maximum(2 - 2 * x @ y.T, 0)))
    return problems


def compare(tool, what, problems, rounds):
    for (a, b, cost), (ours, _, _) in zip(problems, solve(tool, problems)):
        theirs = ot.emd2(a, b, cost)
        assert abs(ours - theirs) <= 1e-9 * max(theirs, 1e-6), (ours, theirs)
    ours_s, theirs_s = [], []
    for _ in range(rounds):
        ours_s.append([seconds for _, seconds, _ in solve(tool, problems)])
        theirs_s.append([])
        for a, b, cost in problems:
            start = time.thread_time()
            ot.emd2(a, b, cost)
            theirs_s[-1].append(time.thread_time() - start)
    ours, theirs = (1e6 * np.median(seconds, axis=0).mean() for seconds in (ours_s, theirs_s))
    print(f"{what:>31} {ours:12.1f} {theirs:11.1f} {theirs / ours:6.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--program")
    parser.add_argument("--model")
    parser.add_argument("--table")
    options = parser.parse_args()
    rng = np.random.default_rng(12345)
    print(f"{'problems':>31} {'markeval us':>12} {'ot.emd2 us':>11} {'times':>6}   (each problem's median of {options.rounds} rounds, mean over problems; POT {ot.__version__})")
    if options.table:
        with tempfile.TemporaryDirectory() as folder:
            refs, hyps = (texts_of(options, column, folder) for column in ("ref", "hyp"))
        for n in (1, 2):
            problems = moverscore_problems(refs, hyps, n)
            rows = np.mean([cost.shape for _, _, cost in problems], axis=0)
            compare(options.tool, f"{len(problems)} of moverscore n={n}, {rows[0]:.0f} x {rows[1]:.0f}", problems, options.rounds)
    for m, n in ((20, 20), (20, 30), (30, 30), (40, 30), (40, 40)):
        compare(options.tool, f"100 of {m} x {n}", [random_problem(rng, m, n) for _ in range(100)], options.rounds)


if __name__ == "__main__":
    main()
