"""A client of `markeval serve` gives what the library in this process gives. Needs the program: $MARKEVAL_PROGRAM, else
one of build/*/markeval."""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import unittest

import markeval
import numpy as np
from support import REFERENCES, ROOT, SYSTEM, TestWithModel


def find_program():
    told = os.environ.get("MARKEVAL_PROGRAM")
    found = [pathlib.Path(told)] if told else sorted(ROOT.glob("build/*/markeval"))
    return next((str(path) for path in found if path.is_file()), None)


@unittest.skipUnless(find_program(), "no program of markeval is built")
class ClientTest(TestWithModel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        environment = {**os.environ, "MARKEVAL_TOKEN": "a-token-for-this-test"}
        words = [find_program(), "serve", "--port", "0", "--model", cls.model, "-q"]
        cls.server = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
        cls.addClassCleanup(cls.server.stderr.close)
        cls.addClassCleanup(cls.server.wait)
        cls.addClassCleanup(cls.server.terminate)
        found = re.search(r"http://\S+", cls.server.stderr.readline())
        cls.url = found[0]
        cls.client = markeval.Client(cls.url, token="a-token-for-this-test")
        cls.scorer = markeval.Scorer(model=cls.model, cache="none")

    def test_scores_are_those_of_this_process(self):
        metrics = ["bleu", "bertscore:layer=2"]
        here = self.scorer.score(REFERENCES, {"mine": SYSTEM}, metrics, segments=True)
        there = self.client.score(REFERENCES, {"mine": SYSTEM}, metrics, segments=True)
        self.assertEqual([one.to_dict() for one in there], [one.to_dict() for one in here])
        self.assertEqual(there[0].score, here[0].score)

    def test_vectors_have_the_same_bits(self):
        self.assertTrue(np.array_equal(self.client.embed(SYSTEM), self.scorer.embed(SYSTEM)))

    def test_jobs_end_with_a_report(self):
        systems = [{"name": "mine", "texts": SYSTEM}]
        name = self.client.submit("score", references=REFERENCES, systems=systems, metrics=["chrf"])
        answer = self.client.wait(name, poll=0.05)
        self.assertEqual(answer["results"][0]["scores"], self.client.score(REFERENCES, {"mine": SYSTEM}, "chrf")[0].scores)
        self.assertEqual(self.client.job(name)["state"], "done")

    def test_comparisons_and_correlations(self):
        compared = self.client.compare(REFERENCES, {"base": SYSTEM, "same": REFERENCES}, ["chrf"], resamples=50)
        self.assertIn("signature", str(compared))
        columns = {"human": [1, 2, 3, 4], "bleu": [2, 1, 4, 3]}
        self.assertIn("pearson", str(self.client.correlate(columns, "human", predicted=["bleu"])))

    def test_errors_are_those_of_the_library(self):
        with self.assertRaisesRegex(markeval.UsageError, "'blue'"):
            self.client.score(REFERENCES, SYSTEM, ["blue"])
        with self.assertRaisesRegex(markeval.InvalidInputError, "segments"):
            self.client.score(REFERENCES, SYSTEM[1:], ["bleu"])
        with self.assertRaisesRegex(markeval.InputOutputError, "token"):
            markeval.Client(self.url, token="a-wrong-token").info()
        with self.assertRaises(markeval.InputOutputError):
            markeval.Client("http://127.0.0.1:9").info()

    def test_tells_what_the_server_has(self):
        self.assertIn("max_body_mib", self.client.info()["limits"])
        self.assertIn("bleu", [metric["name"] for metric in self.client.metrics()])

    def test_the_manuals_block_runs_as_it_is_printed(self):
        page = (ROOT / "docs" / "how-to" / "serve.md").read_text()
        block = re.search(r"^```python\n(.*?)^```$", page, re.S | re.M)[1]
        url = 'Client("http://127.0.0.1:8080")'
        self.assertIn(url, block)
        block = block.replace(url, f'Client("{self.url}", token="a-token-for-this-test")')
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(block, "serve.md", "exec"), {})
        self.assertIn("chrf|", said.getvalue())


if __name__ == "__main__":
    unittest.main()
