"""What the tests of clusters share: rows, requests, and an engine that is this process."""

import contextlib
import io
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
    mapped, records = engine.mapped, engine.records
    with tempfile.TemporaryDirectory() as folder:
        flag = os.path.join(folder, "killed")
        engine.mapped = lambda self, job, *more, **named: mapped(self, KillOnce(job, flag), *more, **named)
        engine.records = lambda self, job, batch: records(self, KillOnce(job, flag), batch)
        try:
            yield flag
        finally:
            engine.mapped, engine.records = mapped, records


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


class SameAsOneMachine:
    """Tests that every engine must pass. A class of an engine has `engine`, the module; `engine_class`, what carries
    batches in it; `data`, COLUMNS as it has them; and data_of() and rows_of(), which go there and back."""

    def on_engine(self, function, metrics, data=None, **options):
        data = self.data if data is None else data
        return quietly(function, data, "ref", SYSTEMS, metrics, model=self.model, batch_size=5, **options)

    def test_scores_are_those_of_one_machine(self):
        for metrics, options in (requests(markeval.score, self.model)[number] for number in (1, 3, 5, 6)):
            with self.subTest(metrics=metrics):
                found = self.on_engine(self.engine.score, metrics, **options)
                self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model, **options))

    def test_comparisons_are_those_of_one_machine(self):
        metrics, options = requests(markeval.compare, self.model)[0]
        found = self.on_engine(self.engine.compare, metrics, **options)
        self.assertEqual(found.to_json(), on_one_machine(markeval.compare, metrics, self.model, **options))

    def test_a_killed_worker_changes_no_byte(self):
        for metrics in (["bleu", "bertscore:idf=yes"], ["me:k=1"]):
            one = on_one_machine(markeval.score, metrics, self.model, ci=20)
            with one_killed(self.engine_class) as flag:
                found = self.on_engine(self.engine.score, metrics, ci=20)
                self.assertTrue(os.path.exists(flag))
            self.assertEqual(found.to_json(), one)

    def test_correlations_are_those_of_one_machine(self):
        found = quietly(
            self.engine.correlate, self.data, "human", reference="ref", hypothesis="mine", metrics=["chrf"],
            group="genre", batch_size=5,
        )
        one = quietly(
            markeval.correlate, COLUMNS, "human", reference="ref", hypothesis="mine", metrics=["chrf"], group="genre"
        )
        self.assertEqual(found.to_json(), one.to_json())

    def test_segment_scores_stay_with_their_columns(self):
        metrics = ["chrf", "bertscore.f1:idf=yes"]
        found = self.rows_of(self.on_engine(self.engine.score_segments, metrics))
        report = quietly(
            markeval.score, "ref", SYSTEMS, metrics, table=COLUMNS, segments=True, model=self.model, cache="none"
        )
        self.assertEqual([row["human"] for row in found], COLUMNS["human"])
        for name, key in (("mine.chrf.chrf", "chrf"), ("mine.bertscore.f1:idf=yes.f1", metrics[1])):
            values = report["mine", key].segments[name.rpartition(".")[2]].tolist()
            self.assertEqual([row[name] for row in found], values)
        with self.assertRaisesRegex(markeval.UsageError, "me looks at all texts at once"):
            self.on_engine(self.engine.score_segments, ["me"])

    def test_vectors_are_those_of_one_machine(self):
        found = self.rows_of(self.engine.embed(self.data, "ref", model=self.model, batch_size=5))
        one = markeval.embed(COLUMNS["ref"], model=self.model, cache="none")
        self.assertEqual([list(row["vector"]) for row in found], one.tolist())

    def test_a_bad_row_is_named(self):
        columns = {**COLUMNS, "mine": [*COLUMNS["mine"][:16], None, *COLUMNS["mine"][17:]]}
        with self.assertRaisesRegex(markeval.InvalidInputError, "^row 17: column 'mine' is null, expected a text$"):
            self.on_engine(self.engine.score, "chrf", self.data_of(columns))

    def test_a_model_that_is_missing_is_one_sentence(self):
        for metric in ("bertscore", "me"):
            with self.assertRaisesRegex(markeval.Error, "no-such-model"):
                self.engine.score(self.data, "ref", SYSTEMS, metric, model="no-such-model")

    def run_the_page(self):
        """How many examples of the page there are for this engine. What they print has chrf in it."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            count = run_page(self.engine.__name__, folder)
        self.assertIn("chrf", printed.getvalue())
        return count
