"""Time of bertscore and moverscore on the 560 WMT17 de-en segments: markeval against bert_score and the published MoverScore.

    python bench/peers/pair.py --program build/release/markeval --model MODEL_FOLDER --wmt17 FOLDER/seglevel \\
        --moverscore UNPACKED_SDIST [--rounds 3] [--only bertscore|moverscore|together] [--precision f32|bf16]

Verifies the scores (tests/parity/pair.py), then times the two sides alternately, all cores each: a whole markeval process,
model loading included, against the peer's call in a process that has its model loaded already. Wall time, and CPU time of
all threads, which other work on the machine disturbs less. --only together: five metrics in one run against each alone.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "parity"))
import pair as parity


FIVE = ["bertscore", "bertr", "moverscore", "moverscore:n=2", "hmd"]


def markeval_seconds(options, refs, hyps, metrics):
    """(wall, CPU) of one run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("ref.txt", refs), ("hyp.txt", hyps)):
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
                file.write("\n".join(lines) + "\n")
        command = [options.program, "score", "-r", os.path.join(folder, "ref.txt"), "-s", os.path.join(folder, "hyp.txt"),
                   "--model", options.model, "--quiet", "--precision", options.precision]
        for metric in metrics:
            command += ["-m", metric]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def call_seconds(call):
    start, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - cpu


def told(values):
    return f"{np.median(values):.2f} s ({min(values):.2f} to {max(values):.2f})"


def compare(name, options, refs, hyps, metric, peer, column, limit):
    ours = parity.markeval(options.program, options.model, refs, hyps, [metric])[(metric, column)]
    worst = np.abs(ours - peer()).max()
    assert worst <= limit, (name, worst)
    mine, theirs = [], []
    for _ in range(options.rounds):
        mine.append(markeval_seconds(options, refs, hyps, [metric]))
        theirs.append(call_seconds(peer))
    for clock, a, b in zip(("wall", "CPU"), zip(*mine), zip(*theirs)):
        print(f"{metric}, {clock}: markeval {told(a)}, {name} {told(b)}, {np.median(b) / np.median(a):.2f} times; largest "
              f"difference {worst:.1e}; {len(refs)} segments, {os.cpu_count()} cores, {options.precision}", flush=True)


def together(options, refs, hyps):
    seconds = {}
    for _ in range(options.rounds):
        for metrics in [[metric] for metric in FIVE] + [FIVE]:
            seconds.setdefault(" ".join(metrics), []).append(markeval_seconds(options, refs, hyps, metrics))
    medians = {name: np.median(values, axis=0) for name, values in seconds.items()}
    for name, (wall, cpu) in medians.items():
        print(f"{name}: {wall:.2f} s wall, {cpu:.2f} s CPU")
    dearest = np.max([medians[metric] for metric in FIVE], axis=0)
    print("all five against the dearest alone: {:.2f} times wall, {:.2f} times CPU".format(*(medians[" ".join(FIVE)] / dearest)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--wmt17", required=True)
    parser.add_argument("--moverscore")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--mover-batch", type=int, default=256, help="of the published MoverScore; 256 is its own default")
    parser.add_argument("--precision", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--only", nargs="+", default=["bertscore", "moverscore"])
    options = parser.parse_args()
    refs, hyps, _ = (part[:options.limit] for part in parity.read(options.wmt17, "de-en"))
    if "bertscore" in options.only:
        import bert_score
        scorer = bert_score.BERTScorer(model_type=options.model, num_layers=6, device="cpu", batch_size=64, nthreads=0)
        compare("bert_score", options, refs, hyps, "bertscore:layer=6", lambda: scorer.score(hyps, refs)[2].numpy(), "f1", 5e-6)
    if "together" in options.only:
        together(options, refs, hyps)
    if "moverscore" in options.only:
        import mover_peer
        program = mover_peer.load(options.moverscore, "v1", options.model)

        def peer():
            idf_ref, idf_hyp = program["get_idf_dict"](refs), program["get_idf_dict"](hyps)
            return np.array(program["word_mover_score"](refs, hyps, idf_ref, idf_hyp, stop_words=[], n_gram=1, remove_subwords=True,
                                                        batch_size=options.mover_batch, device="cpu"))
        compare(f"moverscore v1 (batches of {options.mover_batch})", options, refs, hyps, "moverscore:compat=v1", peer, "moverscore", 2e-4)


if __name__ == "__main__":
    main()
