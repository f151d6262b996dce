"""markeval.train: tables in memory, the result in score, and what is wrong."""

import json
import os
import pathlib
import random
import tempfile
import types
import unittest

import markeval
from markeval._training import Training as Trained

from support import TestWithModel


def table(count, seed):
    draw = random.Random(seed)
    rows = {"ref": [], "hyp": [], "score": [], "lp": []}
    for number in range(count):
        reference = [draw.choice("abcdefghijklmnop") for _ in range(draw.randint(4, 8))]
        kept = [draw.random() < 0.6 for _ in reference]
        rows["ref"].append(" ".join(reference))
        rows["hyp"].append(" ".join(word if keep else draw.choice("abcdefgh") for word, keep in zip(reference, kept)))
        rows["score"].append(sum(kept) / len(kept))
        rows["lp"].append(f"group {number % 2}")
    return rows


class Training(TestWithModel):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.words = dict(reference="ref", hypothesis="hyp", gold="score", model=self.model, heads=2, width=8, epochs=2,
                          cache="none", threads=2)

    def folder(self, name):
        return os.path.join(self.place.name, name)

    def test_a_table_in_memory_is_learned_from(self):
        done = markeval.train(table(64, 1), table(20, 2), group="lp", folder=self.folder("mine"), **self.words)
        self.assertEqual(done.architecture, "match")
        self.assertEqual(len(done.epochs), 2)
        report = markeval.score(["a b c", "d e f"], ["a b c", "d e x"], [done.metric], model=self.model, segments=True)
        self.assertAlmostEqual(report[0].segments["score"][0], 1, places=5)
        self.assertLess(report[0].segments["score"][1], 1)

    def test_a_blend_is_a_sum_of_other_metrics(self):
        done = markeval.train(table(64, 1), table(20, 2), reference="ref", hypothesis="hyp", gold="score", architecture="blend",
                              metrics=["chrf", "ter"], folder=self.folder("blend"))
        self.assertEqual([part["metric"] for part in done.parts], ["chrf", "ter"])
        report = markeval.score(["a b c"], {"mine": ["a b d"]}, [done.metric, "chrf"])
        self.assertEqual([result.metric for result in report.results], ["blend", "chrf"])

    def test_the_same_table_gives_the_same_bytes(self):
        for name in ("one", "two"):
            markeval.train(table(64, 1), folder=self.folder(name), **self.words)
        for file in ("model.safetensors", "config.json"):
            one, two = (pathlib.Path(self.folder(name), file).read_bytes() for name in ("one", "two"))
            self.assertEqual(one, two)

    def test_a_metric_judged_on_its_own_table_is_told(self):
        learned, other = table(64, 1), table(64, 2)
        done = markeval.train(learned, folder=self.folder("mine"), **self.words)
        columns = dict(reference="ref", hypothesis="hyp", metrics=[done.metric, "chrf"], model=self.model)
        own, new = (markeval.correlate(one, "score", **columns).warnings for one in (learned, other))
        told = f"{done.metric} learned from this table; its agreement there says nothing about new texts"
        self.assertEqual((own.count(told), [one for one in new if "learned from" in one]), (1, []))

    def test_the_way_to_use_it_is_that_of_python(self):
        text = "mine: 9 pairs\nscore with it: markeval score -r REFERENCE -s SYSTEM -m match:weights=mine\n"
        told = json.dumps({"architecture": "match", "folder": "mine", "signature": "match|head:1"})
        native = types.SimpleNamespace(json=lambda: told, text=lambda: text, warnings=list)
        line = "score with it: markeval.score(references, systems, [training.metric])"
        self.assertEqual(str(Trained(native)), "mine: 9 pairs\n" + line)
        self.assertTrue(repr(Trained(native)).endswith(line))

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(markeval.UsageError, "no column 'text'"):
            markeval.train(table(64, 1), folder=self.folder("a"), **{**self.words, "hypothesis": "text"})
        with self.assertRaisesRegex(markeval.InvalidInputError, "are in the training data too"):
            markeval.train(table(64, 1), table(64, 1), folder=self.folder("b"), **self.words)
        with self.assertRaisesRegex(markeval.InvalidInputError, "10 pairs to learn from, expected at least 32"):
            markeval.train(table(10, 1), folder=self.folder("c"), **self.words)


if __name__ == "__main__":
    unittest.main()
