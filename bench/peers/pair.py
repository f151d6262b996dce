"""Time of bertscore and moverscore on the 560 WMT17 de-en segments: markeval against bert_score and the published MoverScore.

    python bench/peers/pair.py --program build/release/markeval --model MODEL_FOLDER --wmt17 FOLDER/seglevel \\
        --moverscore UNPACKED_SDIST [--rounds 3] [--only bertscore|moverscore] [--precision f32|bf16]

Verifies the scores (tests/parity/pair.py), then times the two sides alternately, all cores each: a whole markeval process,
model loading included, against the peer's call in a process that has its model loaded already.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "parity"))
import pair as parity


def markeval_seconds(options, refs, hyps, metric):
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("ref.txt", refs), ("hyp.txt", hyps)):
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
                file.write("\n".join(lines) + "\n")
        command = [options.program, "score", "-r", os.path.join(folder, "ref.txt"), "-s", os.path.join(folder, "hyp.txt"),
                   "--model", options.model, "-m", metric, "--quiet", "--precision", options.precision]
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start


def compare(name, options, refs, hyps, metric, peer, column, limit):
    ours = parity.markeval(options.program, options.model, refs, hyps, [metric])[(metric, column)]
    worst = np.abs(ours - peer()).max()
    assert worst <= limit, (name, worst)
    mine, theirs = [], []
    for _ in range(options.rounds):
        mine.append(markeval_seconds(options, refs, hyps, metric))
        start = time.perf_counter()
        peer()
        theirs.append(time.perf_counter() - start)
    a, b = np.median(mine), np.median(theirs)
    print(f"{metric}: markeval {a:.2f} s ({min(mine):.2f} to {max(mine):.2f}), {name} {b:.2f} s "
          f"({min(theirs):.2f} to {max(theirs):.2f}), {b / a:.2f} times; largest difference {worst:.1e}; "
          f"{os.cpu_count()} cores, {options.precision}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--wmt17", required=True)
    parser.add_argument("--moverscore")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--precision", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--only", nargs="+", default=["bertscore", "moverscore"])
    options = parser.parse_args()
    refs, hyps, _ = (part[:options.limit] for part in parity.read(options.wmt17, "de-en"))
    if "bertscore" in options.only:
        import bert_score
        scorer = bert_score.BERTScorer(model_type=options.model, num_layers=6, device="cpu", batch_size=64, nthreads=0)
        compare("bert_score", options, refs, hyps, "bertscore:layer=6", lambda: scorer.score(hyps, refs)[2].numpy(), "f1", 5e-6)
    if "moverscore" in options.only:
        import mover_peer
        program = mover_peer.load(options.moverscore, "v1", options.model)

        def peer():
            idf_ref, idf_hyp = program["get_idf_dict"](refs), program["get_idf_dict"](hyps)
            return np.array(program["word_mover_score"](refs, hyps, idf_ref, idf_hyp, stop_words=[], n_gram=1,
                                                        remove_subwords=True, batch_size=64, device="cpu"))
        compare("moverscore v1", options, refs, hyps, "moverscore:compat=v1", peer, "moverscore", 2e-4)


if __name__ == "__main__":
    main()
