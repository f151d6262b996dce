"""Writes golden/compat.json: what the public tools say about texts of our own, for test_compat.py.

    python make_golden.py > ../golden/compat.json     (with sacrebleu, rouge-score and prdc installed)
"""

import contextlib
import importlib.metadata
import io
import json
import os

import numpy as np
import prdc
import sacrebleu
from rouge_score import rouge_scorer
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

HYPOTHESES = [
    "The old bridge was closed for repairs on Monday.",
    "She didn't expect that many visitors, did she?",
    "A small fire (quickly put out) caused 3.5% losses.",
    "We will meet again - maybe - in spring.",
    "Nobody heard the bell ring twice.",
    "",
]
REFERENCES = [
    [
        "On Monday the old bridge was closed for repair.",
        "She hadn't expected so many visitors, had she?",
        "A small fire, quickly put out, caused losses of 3.5%.",
        "Maybe we will meet again in spring.",
        "Nobody heard the bell ringing twice.",
        "Nothing was said.",
    ],
    [
        "The old bridge was shut on Monday for repairs.",
        "She did not expect that many guests, did she?",
        "A little fire caused 3.5% of losses & was put out.",
        "We'll see each other again, perhaps next spring.",
        "The bell rang twice but nobody heard it.",
        None,
    ],
]
BLEU_OPTIONS = [
    {},
    {"lowercase": True},
    {"tokenize": "intl"},
    {"tokenize": "char"},
    {"tokenize": "none", "smooth_method": "floor"},
    {"smooth_method": "add-k", "smooth_value": 2},
    {"smooth_method": "none", "max_ngram_order": 2},
    {"effective_order": True, "trg_lang": "zh"},
]
CHRF_OPTIONS = [{}, {"word_order": 2}, {"beta": 1, "lowercase": True}, {"whitespace": True}, {"eps_smoothing": True}]
TER_OPTIONS = [{}, {"normalized": True}, {"no_punct": True}, {"case_sensitive": True}, {"normalized": True, "asian_support": True}]
ROUGE_TYPES = ["rouge1", "rouge2", "rouge3", "rouge5", "rougeL", "rougeLsum"]


def described(metric, options):
    made = metric(**options)
    corpus = made.corpus_score(HYPOTHESES, REFERENCES)
    out = {"options": options, "text": corpus.format(width=6), "signature": str(made.get_signature()), "short": made.get_signature().format(short=True)}
    out["fields"] = {name: value for name, value in vars(corpus).items() if not name.startswith("_")}
    resampled = made.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=100)
    out["mean"], out["ci"] = float(resampled._mean), float(resampled._ci)
    out["signature_resampled"] = str(made.get_signature())
    out["sentences"] = [
        made.sentence_score(line, [r for r in refs if r is not None]).score for line, *refs in zip(HYPOTHESES, *REFERENCES)
    ]
    return out


def main():
    os.environ.pop("SACREBLEU_SEED", None)
    versions = {name: importlib.metadata.version(name) for name in ("sacrebleu", "rouge-score", "prdc")}
    golden = {"made_by": versions, "hypotheses": HYPOTHESES, "references": REFERENCES}
    golden["bleu"] = [described(BLEU, options) for options in BLEU_OPTIONS]
    golden["chrf"] = [described(CHRF, options) for options in CHRF_OPTIONS]
    golden["ter"] = [described(TER, options) for options in TER_OPTIONS]
    golden["functions"] = {
        "corpus_bleu": sacrebleu.corpus_bleu(HYPOTHESES, REFERENCES).score,
        "raw_corpus_bleu": sacrebleu.raw_corpus_bleu(HYPOTHESES, REFERENCES).score,
        "corpus_chrf": sacrebleu.corpus_chrf(HYPOTHESES, REFERENCES).score,
        "corpus_ter": sacrebleu.corpus_ter(HYPOTHESES, REFERENCES).score,
    }
    systems = [("base", HYPOTHESES), ("other", REFERENCES[0]), ("upper", [line.upper() for line in HYPOTHESES])]
    golden["paired"] = {}
    for test_type in ("bs", "ar"):
        metrics = {"BLEU": BLEU(references=REFERENCES), "TER": TER(references=REFERENCES)}
        _, scores = PairedTest(systems, metrics, references=None, test_type=test_type, n_samples=200)()
        golden["paired"][test_type] = {
            name: [{key: None if value is None else float(value) for key, value in vars(result).items()} for result in scores[name]]
            for name in metrics
        }
    golden["rouge"] = []
    for stem in (False, True):
        scorer = rouge_scorer.RougeScorer(ROUGE_TYPES, use_stemmer=stem)
        for line, reference in zip(HYPOTHESES, REFERENCES[0]):
            texts = [text.replace(", ", ",\n") for text in (reference, line)]
            golden["rouge"].append({"stem": stem, "texts": texts, "scores": scorer.score(*texts)})
    rng = np.random.default_rng(7)
    golden["prdc"] = []
    for k in (1, 3, 5):
        seed = int(rng.integers(1000))
        draw = np.random.default_rng(seed)
        real, fake = draw.integers(-4, 5, size=(60, 3)).astype(float), draw.integers(-4, 5, size=(50, 3)).astype(float)
        with contextlib.redirect_stdout(io.StringIO()):
            found = prdc.compute_prdc(real, fake, k)
        golden["prdc"].append({"seed": seed, "k": k, "scores": {name: float(value) for name, value in found.items()}})
    print(json.dumps(golden, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
