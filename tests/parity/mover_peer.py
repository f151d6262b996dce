"""The two public MoverScore programs with another model, on the CPU.

PyPI moverscore 1.0.3 loads its own BERT at import and asks for a GPU, so its text is taken from the package's source
archive and only the loading is replaced; everything that computes is the authors' own. One line of v2 is brought up to
their repository (commit 0459a3b): its score is 1 / (1 + cost) there, 1 - cost in the archive. Needs numpy < 2 and
pyemd 1.0, torch and transformers.
"""
import os
import re

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer


def _namespace(model_folder):
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    tokenizer.max_len = min(tokenizer.model_max_length, 512)
    model = AutoModel.from_pretrained(model_folder).eval()

    def encode(x, attention_mask):
        with torch.no_grad():
            return model(input_ids=x, attention_mask=attention_mask, output_hidden_states=True).hidden_states

    return tokenizer, encode


def _body(path, first):
    """The functions of a program from `first` on, without the plotting at the end."""
    text = open(path, encoding="utf-8").read()
    head = "from collections import Counter, defaultdict\nfrom functools import partial\nfrom itertools import chain\nimport string\nfrom math import log\nfrom multiprocessing import Pool\nimport numpy as np\nimport torch\nfrom pyemd import emd, emd_with_flow\n"
    text = text[text.index(first):]
    text = text.split("import matplotlib")[0]
    return head + text.replace("np.float)", "float)")


def load(folder, version, model_folder):
    """The program's module namespace: get_idf_dict(texts) and word_mover_score(refs, hyps, idf_ref, idf_hyp, ...)."""
    tokenizer, encode = _namespace(model_folder)
    name = {"v1": "moverscore.py", "v2": "moverscore_v2.py"}[version]
    text = _body(os.path.join(folder, name), "def truncate(tokens):")
    text = re.sub(r"def bert_encode\(.*?\n(?=def |#with)", "", text, flags=re.S)
    text = text.replace("with Pool(nthreads) as p:\n        idf_count.update(chain.from_iterable(p.map(process_partial, arr)))",
                        "idf_count.update(chain.from_iterable(map(process_partial, arr)))")
    if version == "v2":
        text = text.replace("score = 1 - np.sum(flow * dst)", "score = 1. / (1. + np.sum(flow * dst))")
    names = {"tokenizer": tokenizer, "model": None, "device": "cpu"}
    # v1 sees the blocks' outputs only; v2 takes the last of all.
    names["bert_encode"] = lambda model, x, attention_mask: encode(x, attention_mask)[1:]
    exec(compile(text, name, "exec"), names)
    return names


class Peer:
    """One of the programs with the idf tables of all texts, ready to score some."""

    def __init__(self, folder, version, model_folder, refs, hyps, n=1):
        self.program = load(folder, version, model_folder)
        self.refs, self.hyps, self.n = refs, hyps, n
        self.idf_ref, self.idf_hyp = self.program["get_idf_dict"](refs), self.program["get_idf_dict"](hyps)

    def scores(self, chosen, batch_size):
        return np.array(self.program["word_mover_score"](
            [self.refs[i] for i in chosen], [self.hyps[i] for i in chosen], self.idf_ref, self.idf_hyp, stop_words=[],
            n_gram=self.n, remove_subwords=True, batch_size=batch_size, device="cpu"))
