"""Inputs that would give a wrong number in silence are refused, or told about."""

import pathlib
import tempfile
import unittest
import warnings

import markeval
import numpy as np
from support import write_tiny_model


class Refused(unittest.TestCase):
    def expect(self, kind, message, *arguments, **options):
        with self.assertRaisesRegex(kind, message):
            markeval.score(*arguments, **options)

    def test_masked_rows(self):
        rows = np.ma.array(np.ones((4, 3), np.float32))
        markeval.score(rows, rows * 2, "fid", ceiling=False)  # nothing is masked
        rows[1, 2] = np.ma.masked
        self.expect(markeval.InvalidInputError, "reference: 1 masked value, expected none", rows, np.ones((4, 3), np.float32), "fid")

    def test_a_set_of_texts(self):
        self.expect(TypeError, "system: a set has no order, expected a list of texts", ["a", "b"], {"a", "b"}, "chrf")
        self.expect(TypeError, "reference: a frozenset has no order", frozenset("ab"), ["a", "b"], "chrf")

    def test_missing_texts(self):
        self.expect(markeval.InvalidInputError, "system: text 2 is missing .nan.", ["a", "b"], ["a", float("nan")], "chrf")

    def test_an_array_that_turns_into_another_shape(self):
        class Odd:
            ndim = 2

            def __array__(self, dtype=None, copy=None):
                return np.ones(3, np.float32)

        self.expect(markeval.InvalidInputError, "expected rows of vectors: two dimensions", Odd(), Odd(), "fid")

    def test_as_many_references_as_segments_are_told_about(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            markeval.score([["a", "b"], ["c", "d"]], ["a", "c"], "chrf")
        self.assertTrue(any("taken as one list for each segment" in str(one.message) for one in told), told)

    def test_sets_masks_and_gaps_wherever_texts_are_taken(self):
        texts, masked = ["a b", "c d"], np.ma.array(["x", "y"], mask=[True, False])
        for name in ("group", "source"):
            options = {"page": True} if name == "source" else {}
            for value, kind, message in (
                ({"x", "y"}, TypeError, f"{name}: a set has no order"),
                (masked, markeval.InvalidInputError, f"{name}: 1 masked value"),
                (["x", None], markeval.InvalidInputError, f"{name}: text 2 is missing .None."),
                (["x", float("nan")], markeval.InvalidInputError, f"{name}: text 2 is missing .nan."),
            ):
                with self.subTest(name, value=value):
                    self.expect(kind, message, texts, texts, "chrf", **{name: value}, **options)
        self.expect(TypeError, "reference: segment 2: a set has no order", [["a"], {"b"}], texts, "chrf")
        table = {"h": [1.0, 2, 3], "p": [3.0, 2, 1], "t": ["a", "b", "c"]}
        for column, kind, message in (
            ({"t": {"a", "b", "c"}}, TypeError, "column 't': a set has no order"),
            ({"p": {1.0, 2.0, 3.0}}, TypeError, "column 'p': a set has no order"),
            ({"t": np.ma.array(["x", "y", "z"], mask=[1, 0, 0])}, markeval.InvalidInputError, "column 't': 1 masked value"),
            ({"t": ["a", None, "c"]}, markeval.InvalidInputError, "column 't': text 2 is missing"),
        ):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                markeval.correlate({**table, **column}, "h", "p", group="t")
        with self.assertRaisesRegex(TypeError, "table: ndarray, expected a frame or a mapping"):
            markeval.correlate(np.ones((3, 2)), "h", "p")

    def test_drop_ins_take_no_sets_and_masks(self):
        from markeval.compat import bert_score, prdc, sentence_transformers

        rows = np.ma.array(np.ones((4, 3), np.float32))
        rows[1, 2] = np.ma.masked
        with self.assertRaisesRegex(markeval.InvalidInputError, "fake_features: 1 masked value"):
            prdc.compute_prdc(np.ones((4, 3)), rows, 2)
        with tempfile.TemporaryDirectory() as folder:
            model = write_tiny_model(folder)
            with self.assertRaisesRegex(TypeError, "cands: a set has no order"):
                bert_score.score({"a", "b"}, ["a", "b"], model_type=model)
            with self.assertRaisesRegex(TypeError, "refs: a set has no order"):
                bert_score.score(["a", "b"], {"a", "b"}, model_type=model)
            with self.assertRaisesRegex(TypeError, "sentences: a set has no order"):
                sentence_transformers.SentenceTransformer(model).encode({"a", "b"})

    def test_keywords_of_another_type(self):
        for message, options in (
            ("device 0 is of type int, expected a text", {"device": 0}),
            ("threads '2' is of type str, expected a whole number", {"threads": "2"}),
            ("threads True is of type bool", {"threads": True}),
            ("seed 1.5 is of type float, expected a whole number", {"seed": 1.5}),
            ("model 5 is of type int, expected a text or a path", {"model": 5}),
            ("cache 5 is of type int, expected a text or a path", {"cache": 5}),
            ("windows 1 is of type int, expected True or False", {"windows": 1}),
            ("precision None is of type NoneType, expected a text", {"precision": None}),
        ):
            with self.subTest(message), self.assertRaisesRegex(markeval.UsageError, message):
                markeval.Scorer(**options)
        markeval.Scorer(threads=np.int64(1), cache=None, max_length=np.int32(4), windows=np.bool_(True))
        with self.assertRaisesRegex(markeval.UsageError, "alpha 'x' is of type str, expected a number"):
            markeval.compare(["a"], {"a": ["a"], "b": ["b"]}, "chrf", alpha="x")

    def test_settings(self):
        for message, options in (("threads 5000, expected 1 to 4096", {"threads": 5000}), ("model '', expected a name", {"model": ""})):
            with self.subTest(message), self.assertRaisesRegex(markeval.UsageError, message):
                markeval.Scorer(**options)
        self.expect(markeval.UsageError, "model ''", ["a"], ["a"], "chrf", model="")
        self.expect(markeval.UsageError, "unknown preset 'mtt'", ["a"], ["a"], preset="mtt")
        with self.assertRaisesRegex(markeval.UsageError, "expected http://HOST:PORT"):
            markeval.Client("file:///etc")


class Chosen(unittest.TestCase):
    def test_metrics_of_a_preset_and_those_of_none(self):
        report = markeval.score(["a cat sat"], {"mine": ["a cat sits"]})
        self.assertEqual(list(report.scores["mine"]), ["bleu", "chrf"])
        comparison = markeval.compare(["a cat", "b"], {"a": ["a", "b"], "b": ["a cat", "b"]}, "ter", preset="quick")
        self.assertEqual([result["request"] for result in comparison.results], ["bleu", "chrf", "ter"])

    def test_names_that_are_no_utf8(self):
        for systems in ({"\ud800": ["a c"]}, pathlib.Path("/tmp/\udcff.txt")):
            with self.assertRaisesRegex(markeval.UsageError, "expected text that can be written as UTF-8"):
                markeval.score(["a b"], systems, "chrf")
        columns = {"h": [1.0, 2, 3], "p": [1.0, 2, 3]}
        with self.assertRaisesRegex(markeval.UsageError, "column '.ud800', expected text"):
            markeval.correlate({**columns, "\ud800": [1.0, 2, 3]}, "h", "p")
        with self.assertRaisesRegex(markeval.InvalidInputError, "column 'p' holds '1000"):
            markeval.correlate({"h": [1, 2, 3], "p": [10**400, 1, 2]}, "h", "p")

    def test_two_columns_of_one_name(self):
        class Frame:
            """As pandas has it: a name that two columns have gives a frame, and a frame is a list of names."""

            columns = ["a", "a"]

            def __getitem__(self, name):
                return self

            def __iter__(self):
                return iter(self.columns)

        for references, systems, table in (("a", ["a"], Frame()), (["a", "a"], Frame(), None)):
            with self.assertRaisesRegex(markeval.InvalidInputError, "two columns are named 'a'"):
                markeval.score(references, systems, "chrf", table=table)

    def test_presets_fit_the_model(self):
        with tempfile.TemporaryDirectory() as folder:
            report = markeval.score(["a cat"], {"mine": ["a cat"]}, preset="mt", model=write_tiny_model(folder))
        self.assertEqual(list(report.scores["mine"]), ["bleu", "chrf", "bertscore"])

    def test_results_by_system_and_metric(self):
        report = markeval.score(["a cat sat"], {"mine": ["a cat sits"]}, ["bleu", "chrf"])
        self.assertEqual(report["mine"]["chrf"].score, report.score("mine", "chrf"))
        self.assertEqual(float(report["mine"][1]), report.score("mine", "chrf"))
        with self.assertRaisesRegex(KeyError, "ter"):
            report["mine"]["ter"]

    def test_messages_name_keywords(self):
        words = markeval._native.in_python
        for said, expected in [
            ("a smaller k or --clamp-k helps", "a smaller k or clamp_k=True helps"),
            ("add -m fid:samples=word.", "add the metric fid:samples=word."),
            ("needs --system COLUMN and --segment COLUMN", "needs system=COLUMN and segment=COLUMN"),
            ("--test perm-both makes one", "test='perm-both' makes one"),
            ("fewer (--ci 1000, --resamples 1000)", "fewer (ci=1000, resamples=1000)"),
            ("--long window reads them whole", "windows=True reads them whole"),
            ("scores of single texts are --segments", "scores of single texts are segments=True"),
            ("add --lower-is-better ppl; its", "add lower_is_better='ppl'; its"),
            ("(markeval embed --pool none does)", "(markeval embed --pool none does)"),
            ("a text -- with dashes --", "a text -- with dashes --"),
        ]:
            self.assertEqual(words(said), expected)
        with self.assertRaisesRegex(markeval.InvalidInputError, "clamp_k=True"):
            markeval.score(np.eye(3, dtype="float32"), np.eye(3, dtype="float32"), "me:k=5")

    def test_models_has_only_what_is_for_users(self):
        self.assertEqual(sorted(dir(markeval.models)), ["Converted", "Model", "Pulled", "convert", "list", "pull"])
        self.assertIsInstance(markeval.models.list(), list)

    def test_a_notebook_has_one_small_table(self):
        systems = {"one": ["a cat sat here", "a dog ran"], "two": ["the | cat", "the dog ran away"]}
        references = ["a cat sat there", "the dog ran away"]
        for result in (markeval.score(references, systems, ["chrf", "bleu"], page=True), markeval.compare(references, systems, page=True)):
            html = result._repr_html_()
            self.assertLess(len(html), 40_000)
            self.assertEqual(html.partition("<details")[0].count("<table>"), 1)
            self.assertIn('<td style="text-align:left">one</td>', html)
            self.assertIn('<th style="text-align:right">chrf</th>', html)
            self.assertIn("<summary>Report page</summary>", html)


if __name__ == "__main__":
    unittest.main()
