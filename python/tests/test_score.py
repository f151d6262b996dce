import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import markeval
import numpy as np

from support import EXAMPLES, REFERENCES, SYSTEM, TestWithModel


def rows(seed, count, dtype=np.float32):
    return np.random.default_rng(seed).normal(size=(count, 8)).astype(dtype)


class ScoringTexts(TestWithModel):
    def test_results_come_by_system_then_by_metric(self):
        report = markeval.score(REFERENCES, {"a": SYSTEM, "b": REFERENCES[::-1]}, ["bleu", "chrf"])
        self.assertEqual([(r.system, r.metric) for r in report], [("a", "bleu"), ("a", "chrf"), ("b", "bleu"), ("b", "chrf")])
        self.assertGreater(report["a", "chrf"].score, report["b", "chrf"].score)
        self.assertTrue(report["a", "bleu"].signature.startswith("bleu|nrefs:1|case:mixed|"))
        self.assertEqual(report.scores["a"]["bleu"], report[0].scores)

    def test_texts_score_as_the_files_they_would_be(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, texts in (("refs.txt", REFERENCES), ("mine.txt", SYSTEM)):
                files.append(pathlib.Path(folder) / name)
                files[-1].write_text("".join(text + "\n" for text in texts))
            metrics = ["bleu", "ter", "bertscore:layer=2", "me:samples=word"]
            settings = dict(model=self.model, cache="none", segments=True)
            by_file = markeval.score(files[0], files[1], metrics, **settings)
            in_memory = markeval.score(REFERENCES, {"mine": SYSTEM}, metrics, **settings)
            self.assertEqual(by_file.to_dict(), in_memory.to_dict())

    def test_segments_are_arrays_and_their_mean_is_the_score(self):
        result = markeval.score(REFERENCES, SYSTEM, "rouge1", segments=True)[0]
        self.assertEqual(result.segments["f1"].shape, (6,))
        self.assertAlmostEqual(result.segments["f1"].mean(), result.scores["f1"], places=12)

    def test_several_references_per_segment_may_vary(self):
        several = [[one, "other words"] if i % 2 else [one] for i, one in enumerate(REFERENCES)]
        report = markeval.score(several, REFERENCES, "chrf")
        self.assertAlmostEqual(report[0].scores["chrf"], 100)
        self.assertIn("nrefs:var", report[0].signature)

    def test_intervals_hold_the_score(self):
        result = markeval.score(REFERENCES, SYSTEM, "chrf", ci=200)[0]
        low, high = result.intervals["chrf"]
        self.assertLess(low, result.scores["chrf"])
        self.assertGreater(high, result.scores["chrf"])

    def test_a_scorer_keeps_its_settings(self):
        scorer = markeval.Scorer(["bertscore:layer=1"], model=self.model, threads=1)
        one = scorer.score(REFERENCES, SYSTEM)
        self.assertEqual(one.to_dict(), pickle.loads(pickle.dumps(scorer)).score(REFERENCES, SYSTEM).to_dict())
        self.assertIn("model:tiny@", one.signature)

    def test_given_weights_are_used(self):
        scorer = markeval.Scorer(model=self.model)
        plain = scorer.score(REFERENCES, SYSTEM, "bertscore:layer=2")
        equal = scorer.score(REFERENCES, SYSTEM, "bertscore:layer=2,idf=yes", reference_weights=({}, 1.0))
        self.assertEqual(plain[0].scores, equal[0].scores)

    def test_progress_is_told(self):
        told = []
        texts = [f"{word} {number}" for number in range(40) for word in ("a cat", "the dog", "x y z")]
        markeval.Scorer(model=self.model, threads=1).score(
            texts, texts[::-1], "bertscore:layer=2", progress=lambda *place: told.append(place)
        )
        self.assertTrue(told)
        self.assertEqual(told[-1], ("encoding", 120, 120))

    def test_what_progress_raises_ends_the_call(self):
        def fail(*_):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            markeval.Scorer(model=self.model).score(REFERENCES, SYSTEM, "bertscore:layer=2", progress=fail)

    def test_what_a_user_should_know_is_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report = markeval.score(["a", ""], ["a", "b"], "chrf")
        self.assertEqual(report.warnings, ["reference: 1 of 2 lines are empty"])
        self.assertEqual(caught[0].category, markeval.MarkevalWarning)
        self.assertEqual(pathlib.Path(caught[0].filename).name, "test_score.py")


class ScoringVectors(unittest.TestCase):
    def test_float32_and_float64_are_not_copied(self):
        from markeval._inputs import as_rows

        for dtype in (np.float32, np.float64):
            array = rows(1, 5, dtype)
            self.assertTrue(np.shares_memory(as_rows(array, "x"), array))

    def test_types_and_layouts_give_the_same(self):
        one, other = rows(1, 60, np.float16), rows(2, 50, np.float16)
        plain = markeval.score(one.astype(np.float32), other.astype(np.float64), ["me", "prdc", "fid"])
        turned = markeval.score(np.asfortranarray(one), other[::1], ["me", "prdc", "fid"])
        self.assertEqual([r.scores for r in plain], [r.scores for r in turned])

    def test_arrays_score_as_their_files(self):
        names = ("reference", "good")
        arrays = [np.load(EXAMPLES / f"{name}.npy") for name in names]
        by_file = markeval.score(EXAMPLES / "reference.npy", EXAMPLES / "good.npy", "me:k=3")
        in_memory = markeval.score(arrays[0], {"good": arrays[1]}, "me:k=3")
        self.assertEqual(by_file.to_dict(), in_memory.to_dict())

    def test_several_references_are_their_union(self):
        first, second, mine = rows(1, 30), rows(2, 40), rows(3, 20)
        parts = markeval.score([first, second], mine, "me")
        whole = markeval.score(np.concatenate([first, second]), mine, "me")
        self.assertEqual(parts[0].scores, whole[0].scores)

    def test_explanations_name_rows(self):
        report = markeval.score(rows(1, 30), rows(2, 30) + 5, "me", explain=True)
        self.assertTrue(report.explanation())


class Errors(TestWithModel):
    def expect(self, kind, words, *arguments, **options):
        with self.assertRaises(kind) as caught:
            markeval.score(*arguments, **options)
        self.assertIn(words, str(caught.exception))

    def test_say_what_the_command_line_says(self):
        self.expect(markeval.UsageError, "unknown metric 'blue'; did you mean 'bleu'?", ["a"], ["a"], "blue")
        self.expect(markeval.UsageError, "'mt' is a preset: preset='mt'", ["a"], ["a"], ["chrf", "mt"])
        self.expect(ValueError, "unknown metric 'blue'", ["a"], ["a"], "blue")
        self.expect(markeval.InvalidInputError, "system has 2 segments but reference has 1", ["a"], ["a", "b"], "bleu")
        self.expect(OSError, "nope.txt: cannot open: No such file", pathlib.Path("nope.txt"), ["a"], "bleu")
        self.expect(markeval.UsageError, "model 'nope' is not on this machine", ["a"], ["a"], "bertscore", model="nope")
        self.assertEqual([one.metric for one in markeval.score(["a"], ["a"], []).results], ["bleu", "chrf"])
        self.expect(markeval.InvalidInputError, "system: text 2 is not valid UTF-8", ["a", "b"], ["a", "\ud800"], "bleu")
        self.expect(markeval.InputOutputError, "device cuda is not available", ["a"], ["a"], "bleu", device="cuda")

    def test_of_fields_are_those_of_the_command_line(self):
        table = {"human": [1, 2, 3, 4], "m": [1, 3, 2, 4]}
        for wrong, words in (
            ({"min_rows": 0}, "min_rows is 0, expected a whole number from 2"),
            ({"resamples": 0}, "resamples is 0, expected a whole number from 1"),
            ({"level": "x"}, "unknown level 'x'; known: segment, system"),
            ({"gold_threshold": -1.0}, "gold_threshold is -1, expected a number of 0 or more"),
        ):
            with self.assertRaises(markeval.UsageError) as caught:
                markeval.correlate(table, "human", "m", **wrong)
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(markeval.UsageError, "max_k is 0, expected a whole number from 1"):
            markeval.experiment("own", data="nowhere.tsv", max_k=0)
        with self.assertRaisesRegex(markeval.UsageError, "train is empty, expected TABLE"):
            markeval.train([""], folder="out", reference="ref", hypothesis="hyp", gold="human")
        self.expect(markeval.UsageError, "max_length is 2, expected a whole number from 3", ["a"], ["a"], "bleu", max_length=2)
        self.expect(TypeError, "reference_weights cannot be 2147483648", ["a"], ["a"], "bleu", reference_weights=2**31)
        weights = ({2**31: 1.0}, 1.0)
        self.expect(TypeError, "a token of reference_weights cannot be 2147483648", ["a"], ["a"], "bleu", reference_weights=weights)

    def test_of_python_name_the_argument(self):
        self.expect(TypeError, "reference: a single str, expected a list of texts", "a", ["a"], "bleu")
        self.expect(TypeError, "system: text 1 is of type int, expected str", ["a"], [1], "bleu")
        self.expect(markeval.UsageError, "seed 'x' is of type str, expected a whole number", ["a"], ["a"], "bleu", seed="x")
        self.expect(markeval.InvalidInputError, "several systems are given by name", ["a"], [["a"], ["b"]], "bleu")
        self.expect(markeval.InvalidInputError, "reference: int64 values", np.ones((3, 2), int), np.ones((3, 2)), "me")
        self.expect(markeval.InvalidInputError, "reference: segment 2 has no text", [["a"], []], ["a", "b"], "bleu")
        self.expect(markeval.UsageError, "threads 0, expected 1 to 4096", ["a"], ["a"], "bleu", threads=0)
        self.expect(markeval.UsageError, "no system given", ["a"], {}, "bleu")
        with self.assertRaises(TypeError):
            markeval.score(["a"], ["a"], "bleu", no_such_option=1)


class Importing(unittest.TestCase):
    def test_brings_numpy_and_nothing_else(self):
        program = (
            "import sys, markeval, markeval.compat.sacrebleu, markeval.compat.bert_score, markeval.compat.rouge_score\n"
            "heavy = {'torch', 'transformers', 'pandas', 'scipy', 'nltk', 'sacrebleu', 'matplotlib'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_metrics_are_listed(self):
        self.assertIn("bertscore", markeval.metric_names())
        self.assertEqual(markeval.metrics()[0]["name"], "me")
        self.assertEqual(markeval.__version__, markeval.score(["a"], ["a"], "chrf").to_dict()["markeval"])


if __name__ == "__main__":
    unittest.main()
