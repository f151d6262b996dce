"""bertscore against PyPI bert_score 0.3.13, moverscore compat=v1 and v2 against the published programs, on WMT17.

    python tests/parity/pair.py --program build/release/markeval --model MODEL_FOLDER --wmt17 FOLDER/seglevel \\
        --moverscore UNPACKED_SDIST [--pairs de-en ...] [--only bertscore|moverscore]

Needs bert_score, torch, transformers, numpy < 2, pyemd 1.0 and the source archive of PyPI moverscore 1.0.3. Fails where a
score differs by more than 5e-6 (bertscore) or 2e-4 (moverscore, whose solver rounds to 1e-6), or where a correlation with the human
scores is off the table below by more than 0.001. v2 takes roots of float32 rounding errors where words are equal: where the two texts
are, its own answers with batches of 64 and of 1, with one thread and with two, are up to 3e-4 apart, and the nearest one is compared.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

PAIRS = ["cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en"]
# Pearson with the human scores, all-MiniLM-L6-v2, made with the public tools.
TABLE = {
    "bertscore:layer=6 f1": [.596, .618, .746, .667, .687, .638, .647],
    "bertscore:layer=6 recall": [.591, .602, .711, .643, .670, .621, .654],
    "moverscore:compat=v1 moverscore": [.572, .639, .740, .634, .688, .643, .662],
    "moverscore:compat=v1,n=2 moverscore": [.603, .651, .746, .648, .702, .661, .669],
}


def read(folder, pair):
    with open(os.path.join(folder, pair + ".tsv"), encoding="utf-8", newline="\n") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [r["ref"] for r in rows], [r["hyp"] for r in rows], np.array([float(r["human"]) for r in rows])


def markeval(program, model, refs, hyps, metrics):
    """{(metric, result): segment scores}"""
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("ref.txt", refs), ("hyp.txt", hyps)):
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
                file.write("\n".join(lines) + "\n")
        command = [program, "score", "-r", os.path.join(folder, "ref.txt"), "-s", os.path.join(folder, "hyp.txt"),
                   "--model", model, "--segments", "--format", "json", "--quiet"]
        for metric in metrics:
            command += ["-m", metric]
        results = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["results"]
    return {(metric, name): np.array(values) for metric, found in zip(metrics, results)
            for name, values in found["segments"].items()}


class Check:
    def __init__(self):
        self.failed = False

    def __call__(self, what, value, limit):
        bad = not value <= limit
        self.failed |= bad
        print(f"{'FAIL' if bad else 'ok  '} {what}: {value:.3g} (limit {limit:g})", flush=True)


def check_bertscore(options, data, check):
    import bert_score
    refs = [text for pair in options.pairs for text in data[pair][0]]
    hyps = [text for pair in options.pairs for text in data[pair][1]]
    metrics = [f"bertscore:layer={layer},idf={idf}" for idf in ("no", "yes") for layer in range(1, 7)]
    ours = markeval(options.program, options.model, refs, hyps, metrics)
    for idf in ("no", "yes"):
        theirs = bert_score.score(hyps, refs, model_type=options.model, num_layers=6, all_layers=True, idf=idf == "yes",
                                  device="cpu", nthreads=0, batch_size=64)
        for layer in range(1, 7):
            worst = max(np.abs(ours[(f"bertscore:layer={layer},idf={idf}", name)] - values[layer].numpy()).max()
                        for name, values in zip(("precision", "recall", "f1"), theirs))
            check(f"bertscore layer {layer}, idf {idf}, {len(refs)} segments: largest difference of P, R, F1", worst, 5e-6)


def check_moverscore(options, data, check):
    import mover_peer
    import torch
    compared = (("moverscore:compat=v1", "v1", 1), ("moverscore:compat=v1,n=2", "v1", 2), ("moverscore:compat=v2", "v2", 1))
    compared = [row for row in compared if row[1] in options.versions]
    for pair in options.pairs:
        refs, hyps, _ = data[pair]
        ours = markeval(options.program, options.model, refs, hyps, list(dict.fromkeys(row[0] for row in compared)))
        for metric, version, n in compared:
            peer = mover_peer.Peer(options.moverscore, version, options.model, refs, hyps, n)
            mine = ours[(metric, "moverscore")]
            off = np.abs(mine - peer.scores(range(len(refs)), 64))
            note = ""
            equal = [i for i in range(len(refs)) if refs[i] == hyps[i]] if version == "v2" else []
            if equal:
                note = f" ({len(equal)} of equal texts, as published {off[equal].max():.3g})"
                for threads in (1, 2):
                    torch.set_num_threads(threads)
                    off[equal] = np.minimum(off[equal], np.abs(mine[equal] - peer.scores(equal, 1)))
            check(f"{metric}, {pair}, {len(refs)} segments{note}: largest difference", off.max(), 2e-4)


def check_table(options, data, check):
    for pair in options.pairs:
        refs, hyps, human = data[pair]
        names = [name.split(" ") for name in TABLE]
        ours = markeval(options.program, options.model, refs, hyps, list(dict.fromkeys(metric for metric, _ in names)))
        for metric, result in names:
            found = np.corrcoef(ours[(metric, result)], human)[0, 1]
            expected = TABLE[f"{metric} {result}"][PAIRS.index(pair)]
            check(f"{metric} {result}, {pair}: Pearson {found:.4f}, table {expected:.3f}, off by",
                  abs(round(found, 3) - expected), 0.001 + 1e-9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--wmt17", required=True)
    parser.add_argument("--moverscore")
    parser.add_argument("--pairs", nargs="+", default=PAIRS, choices=PAIRS)
    parser.add_argument("--limit", type=int, help="first segments of each pair; the table needs them all")
    parser.add_argument("--versions", nargs="+", default=["v1", "v2"], choices=["v1", "v2"], help="of moverscore")
    parser.add_argument("--only", nargs="+", default=["table", "bertscore", "moverscore"])
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    data = {pair: tuple(part[:options.limit] for part in read(options.wmt17, pair)) for pair in options.pairs}
    check = Check()
    if "table" in options.only:
        check_table(options, data, check)
    if "bertscore" in options.only:
        check_bertscore(options, data, check)
    if "moverscore" in options.only:
        check_moverscore(options, data, check)
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
