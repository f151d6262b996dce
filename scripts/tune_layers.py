#!/usr/bin/env python3
"""Chooses the default layer of a model for token-level metrics: the best mean Pearson of BERTScore F1 with the human scores
of WMT16 to English (six pairs). Never run it on WMT17: that is what the metrics are tested on.

    scripts/tune_layers.py --program build/release/markeval --wmt16 FOLDER/seglevel MODEL ...

Prints a line of src/metric/default_layers.tsv for each model. Needs the standard library only.
"""
import argparse
import csv
import json
import math
import os
import subprocess

PAIRS = ["cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en"]


def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    cov = sum((a - mx) * (b - my) for a, b in zip(x, y))
    return cov / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


def layers_of(program, model):
    config = json.load(open(os.path.join(model, "config.json"), encoding="utf-8"))
    return config.get("num_hidden_layers") or config["n_layers"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--wmt16", required=True)
    parser.add_argument("models", nargs="+", help="model folders")
    options = parser.parse_args()
    for model in options.models:
        layers = range(1, layers_of(options.program, model) + 1)
        means = [0.0] * len(layers)
        for pair in PAIRS:
            table = os.path.join(options.wmt16, pair + ".tsv")
            with open(table, encoding="utf-8", newline="\n") as file:
                human = [float(r["human"]) for r in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
            command = [options.program, "score", "-r", table + ":ref", "-s", table + ":hyp", "--model", model,
                       "--segments", "--format", "json", "--quiet"]
            for layer in layers:
                command += ["-m", f"bertscore:layer={layer}"]
            results = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["results"]
            for index, result in enumerate(results):
                means[index] += pearson(result["segments"]["f1"], human) / len(PAIRS)
        best = max(layers, key=lambda layer: means[layer - 1])
        print(os.path.basename(os.path.normpath(model)), best, "markeval", " ".join(f"{mean:.4f}" for mean in means), sep="\t",
              flush=True)


if __name__ == "__main__":
    main()
