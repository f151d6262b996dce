"""The README examples of the public tools, run with the tools and, the import line changed, with the drop-ins.

    python readme_examples.py --model FOLDER [--mover-python PYTHON --mover FOLDER] [--texts FILE.tsv]

Needs an interpreter with sacrebleu, rouge-score, prdc, bert_score and sentence-transformers beside markeval. Models are not fetched:
BERTScore and MoverScore run both ways on the model folder given (bert_score's README has no program in it; this
is the call of its demo). moverscore's own code runs in an interpreter with pyemd 1.0, out of its unpacked source
package (tests/parity/mover_peer.py says how). Texts: a table with the columns ref and hyp, or a few of our own.
Prints the largest difference of every example.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]

REFERENCES = ["The museum opens at nine on weekdays.", "She sold the house she had built herself.", "Prices fell sharply in the last quarter."]
TRANSLATIONS = ["On weekdays the museum opens at nine o'clock.", "She sold the house that she built.", "In the last quarter the prices dropped a lot."]

SACREBLEU = """
from sacrebleu.metrics import BLEU, CHRF, TER
refs = [ # First set of references
         ['The dog bit the man.', 'It was not unexpected.', 'The man bit him first.'],
         # Second set of references
         ['The dog had bit the man.', 'No one was surprised.', 'The man had bitten the dog.'],
       ]
sys = ['The dog bit the man.', "It wasn't surprising.", 'The man had just bitten him.']
bleu = BLEU()
score = bleu.corpus_score(sys, refs)
chrf = CHRF()
found = [score.score, *score.precisions, score.bp, chrf.corpus_score(sys, refs).score]
shown = [str(score), str(bleu.get_signature()).rpartition("|")[0]]
"""
SACREBLEU_VARIABLE = SACREBLEU.replace("['The dog bit the man.', 'It was", "['', 'It was")
SACREBLEU_FUNCTIONS = """
import sacrebleu
refs = [['The dog bit the man.', 'It was not unexpected.', 'The man bit him first.'],
        ['The dog had bit the man.', 'No one was surprised.', 'The man had bitten the dog.']]
sys = ['The dog bit the man.', "It wasn't surprising.", 'The man had just bitten him.']
found = [sacrebleu.corpus_bleu(sys, refs).score]
shown = [str(sacrebleu.corpus_bleu(sys, refs))]
"""
ROUGE = """
from rouge_score import rouge_scorer
scorer = rouge_scorer.RougeScorer(['rouge1', 'rougeL'], use_stemmer=True)
scores = scorer.score('The quick brown fox jumps over the lazy dog',
                      'The quick brown dog jumps on the log.')
found = [value for score in scores.values() for value in score]
shown = list(scores)
"""
PRDC = """
import numpy as np
from prdc import compute_prdc
np.random.seed(0)
num_real_samples = num_fake_samples = {samples}
feature_dim = {columns}
nearest_k = 5
real_features = np.random.normal(loc=0.0, scale=1.0,
                                 size=[num_real_samples, feature_dim])
fake_features = np.random.normal(loc=0.0, scale=1.0,
                                 size=[num_fake_samples, feature_dim])
metrics = compute_prdc(real_features=real_features,
                       fake_features=fake_features,
                       nearest_k=nearest_k)
found = list(metrics.values())
shown = list(metrics)
"""
BERT_SCORE = """
from bert_score import score
P, R, F1 = score(cands, refs, model_type=model, num_layers=4, verbose=True)
with_idf = score(cands, refs, model_type=model, num_layers=4, idf=True)
several = score(cands, [[a, b] for a, b in zip(refs, refs[::-1])], model_type=model, num_layers=4)
found = [float(value) for list_of in (P, R, F1, *with_idf, *several) for value in list_of] + [float(F1.mean())]
shown = []
"""
BERT_SCORER = """
from bert_score import BERTScorer
scorer = BERTScorer(model_type=model, num_layers=3, idf=True, idf_sents=refs)
P, R, F1 = scorer.score(cands[:50], refs[:50])
found = [float(value) for list_of in (P, R, F1) for value in list_of]
shown = []
"""
SENTENCES = """
from sentence_transformers import SentenceTransformer
encoder = SentenceTransformer(model)
embeddings = encoder.encode(refs)
found = embeddings.ravel().tolist()
shown = [embeddings.shape, embeddings.dtype]
"""
MOVERSCORE = """
from {module} import get_idf_dict, word_mover_score
from collections import defaultdict
idf_dict_hyp = get_idf_dict(translations) # idf_dict_hyp = defaultdict(lambda: 1.)
idf_dict_ref = get_idf_dict(references) # idf_dict_ref = defaultdict(lambda: 1.)
scores = word_mover_score(references, translations, idf_dict_ref, idf_dict_hyp, \\
                          stop_words=[], n_gram=1, remove_subwords=True)
equal = defaultdict(lambda: 1.)
found = list(scores) + list(word_mover_score(references, translations, equal, equal))
shown = []
"""
# The authors' program for the same calls.
MOVER_PEER = """
import json, sys
from collections import defaultdict
sys.path.insert(0, {parity!r})
import mover_peer
given = json.load(sys.stdin)
program = mover_peer.load({folder!r}, {version!r}, {model!r})
if {version!r} == "v2":
    mover_peer.in_double(program)
refs, hyps = given["references"], given["translations"]
idf_hyp, idf_ref = program["get_idf_dict"](hyps), program["get_idf_dict"](refs)
call = lambda a, b: [float(x) for x in program["word_mover_score"](refs, hyps, a, b, stop_words=[], n_gram=1, remove_subwords=True, batch_size=64, device="cpu")]
equal = defaultdict(lambda: 1.)
print(json.dumps(call(idf_ref, idf_hyp) + call(equal, equal)))
"""


def run(program, names):
    space = dict(names)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program, "README", "exec"), space)
    return np.array(space["found"], dtype=float), space["shown"]


def changed(program):
    """The same program with only its import line changed."""
    for name in ("sacrebleu", "rouge_score", "prdc", "bert_score", "sentence_transformers", "moverscore_v2", "moverscore"):
        program = program.replace(f"from {name} ", f"from markeval.compat.{name} ")
        program = program.replace(f"from {name}.", f"from markeval.compat.{name}.")
        program = program.replace(f"import {name}\n", f"from markeval.compat import {name}\n")
    return program


def report(name, theirs, ours):
    if theirs[1] != ours[1]:
        print(f"{name}: NOT THE SAME WORDS: {theirs[1]} and {ours[1]}")
        return False
    difference = float(np.abs(theirs[0] - ours[0]).max())
    print(f"{name}: {theirs[0].size} numbers, largest difference {difference:.1e}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--mover-python")
    parser.add_argument("--mover", help="folder of the unpacked moverscore 1.0.3")
    parser.add_argument("--texts", help="a table with the columns ref and hyp")
    parser.add_argument("--most", type=int, default=200, help="rows of the table")
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--columns", type=int, default=1000)
    arguments = parser.parse_args()
    references, translations = REFERENCES, TRANSLATIONS
    if arguments.texts:
        with open(arguments.texts, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[: arguments.most]
        references, translations = [row["ref"] for row in rows], [row["hyp"] for row in rows]
    names = {"model": arguments.model, "refs": references, "cands": translations}
    good = True
    examples = {
        "sacrebleu": SACREBLEU,
        "sacrebleu, variable references": SACREBLEU_VARIABLE,
        "sacrebleu, functions": SACREBLEU_FUNCTIONS,
        "rouge_score": ROUGE,
        "prdc": PRDC.format(samples=arguments.samples, columns=arguments.columns),
        "bert_score.score": BERT_SCORE,
        "bert_score.BERTScorer": BERT_SCORER,
        "sentence_transformers": SENTENCES,
    }
    for name, program in examples.items():
        good = report(name, run(program, names), run(changed(program), names)) and good
    os.environ["MOVERSCORE_MODEL"] = arguments.model
    for version, module in (("v1", "moverscore"), ("v2", "moverscore_v2")):
        if not arguments.mover:
            print(f"{module}: not compared, no --mover")
            continue
        texts = {"references": references, "translations": translations}
        peer = MOVER_PEER.format(
            parity=str(ROOT / "tests" / "parity"), folder=arguments.mover, version=version, model=arguments.model
        )
        done = subprocess.run(
            [arguments.mover_python or sys.executable, "-c", peer], input=json.dumps(texts), capture_output=True, text=True
        )
        if done.returncode != 0:
            print(f"{module}: {done.stderr.strip().splitlines()[-1]}")
            good = False
            continue
        theirs = np.array(json.loads(done.stdout.splitlines()[-1])), []
        good = report(module, theirs, run(changed(MOVERSCORE.format(module=module)), texts)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
