"""What the tests of clusters share: rows, requests, and an engine that is this process."""

import contextlib
import os
import pickle
import signal
import tempfile
import warnings

import markeval
from markeval._clusters import Engine
from markeval._worker import flat_texts

from support import REFERENCES, SYSTEM

OTHER = ["the cat sat there .", "a dog barks", "no more", "it is yes", "x y", "the old tree"]
COLUMNS = {
    "ref": REFERENCES * 4,
    "mine": SYSTEM * 3 + REFERENCES,
    "other": OTHER * 4,
    "human": [float((7 * row) % 11) for row in range(24)],
    "genre": [("news", "talk", "")[row % 3] for row in range(24)],
}
SYSTEMS = ["mine", "other"]


class LocalEngine(Engine):
    """Batches of an Arrow table, one after the other; everything travels as bytes, as on a cluster."""

    def __init__(self, table):
        self._table = table

    def columns(self):
        return self._table.column_names

    def records(self, job, batch):
        job = pickle.loads(pickle.dumps(job))
        for begin in range(0, self._table.num_rows, batch):
            yield job(self._table.slice(begin, batch))

    def whole(self, texts, embed, score, batch, need):
        kept = list(self.records(texts, batch))
        needed = need(pickle.loads(header) for header, _ in kept)
        payloads = [payload for _, payload in kept]
        vectors = []
        if embed is not None:
            columns = [pickle.loads(payload) for payload in payloads if payload]
            distinct = list(dict.fromkeys(flat_texts(values for one in columns for values in one.values())))
            vectors = [embed(distinct[begin : begin + batch])[1] for begin in range(0, len(distinct), batch)]
        return pickle.loads(pickle.dumps(score))(payloads, vectors, needed)


class KillOnce:
    """A job that kills its process in the middle: at the first batch after `flag` was not yet there."""

    def __init__(self, job, flag):
        self.job, self.plan, self._flag = job, job.plan, flag

    def __call__(self, table):
        found = self.job(table)
        try:
            os.close(os.open(self._flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return found
        os.kill(os.getpid(), signal.SIGKILL)


@contextlib.contextmanager
def one_killed(engine):
    """While it lasts, the first worker of an engine that has scored a batch dies before it can say so."""
    real = engine.mapped
    with tempfile.TemporaryDirectory() as folder:
        flag = os.path.join(folder, "killed")
        engine.mapped = lambda self, job, *more, **named: real(self, KillOnce(job, flag), *more, **named)
        try:
            yield flag
        finally:
            engine.mapped = real


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def on_one_machine(function, metrics, model, columns=COLUMNS, **options):
    return quietly(function, "ref", SYSTEMS, metrics, table=columns, model=model, cache="none", **options).to_json()


def requests(function, model):
    """(what, a function that gives JSON of one machine, metrics and options) that must agree to the byte."""
    lexical = ["bleu", "chrf", "ter", "rouge1", "rougeL:stem=yes", "meteor", "sentbleu"]
    weighed = ["cider", "nist", "tfidf"]
    pairs = ["bertscore:idf=yes", "bertscore.f1", "moverscore", "moverscore:compat=v1"]
    sets = ["me:k=1", "prdc:k=2", "words=me:samples=word,k=1"]
    if function is markeval.compare:
        return [(pairs + lexical[:3] + sets, {}), (["chrf", "bertscore"], {"test": "randomisation", "group": "genre"})]
    return [
        (lexical, {}),
        (lexical + weighed, {"ci": 50}),
        (lexical[:3], {"segments": True, "ci": 20}),
        (pairs, {"ci": 30}),
        (pairs, {"segments": True}),
        (sets, {"ci": 10}),
        (["chrf", *pairs, *sets], {"group": "genre"}),
        (["me:samples=word,scope=segment", "bleu"], {"segments": True}),
        (["me:k=3", "fid"], {"clamp_k": True, "sample": 12}),
    ]


def run_page(word, folder):
    """Runs the examples of docs/how-to/clusters.md that import `word`, with `folder` for /data. Gives back how many."""
    import re

    import pyarrow
    import pyarrow.parquet

    from support import ROOT

    columns = {"ref": COLUMNS["ref"], "hyp1": COLUMNS["mine"], "hyp2": COLUMNS["other"]}
    pyarrow.parquet.write_table(pyarrow.table(columns), os.path.join(folder, "corpus.parquet"))
    page = (ROOT / "docs" / "how-to" / "clusters.md").read_text()
    blocks = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if f"import {word}" in block]
    for block in blocks:
        block = block.replace("/data/", folder + "/")
        quietly(exec, compile(block, "docs/how-to/clusters.md", "exec"), {})
    return len(blocks)
