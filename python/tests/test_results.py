import html
import json
import unittest

import markeval
import numpy as np
from markeval._progress import Bar

from support import REFERENCES, SYSTEM, TestWithModel

try:
    import pandas
except ImportError:
    pandas = None


class Results(TestWithModel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.report = markeval.score(
            REFERENCES, {"a": SYSTEM, "<b>": REFERENCES[::-1]}, ["chrf", "rouge1"], segments=True, ci=50
        )

    def test_dict_json_and_tsv_are_the_command_lines(self):
        self.assertEqual(self.report.to_dict(), json.loads(self.report.to_json()))
        self.assertEqual(self.report.to_tsv().splitlines()[0].split("\t")[0], "system")
        written = self.report.to_dict()["results"][0]
        self.assertEqual(written, self.report[0].to_dict())

    def test_text_is_the_command_lines(self):
        self.assertTrue(str(self.report).endswith("\n\n2 signatures: report.signature has them"), str(self.report))
        self.assertIn("chrf|", self.report.signature)

    def test_no_such_result_is_a_key_error(self):
        with self.assertRaises(KeyError):
            self.report["a", "bleu"]

    def test_html_shows_tables_and_escapes_names(self):
        shown = self.report._repr_html_()
        self.assertEqual(shown.count("<table>"), 1)
        self.assertIn("&lt;b&gt;", shown)
        self.assertNotIn('text-align:left"><b>', shown)  # the best number is bold, a name never
        self.assertNotIn("iframe", shown)

    def test_systems_beside_people_come_first_with_a_caption(self):
        rows = np.random.default_rng(1).normal(size=(100, 8)).astype(np.float32)
        shown = markeval.score(rows[:50], {"mine": rows[50:]}, ["me", "fid"])._repr_html_()
        self.assertLess(shown.index("<p>Beside people: 25 rows of each"), shown.index("<p>Whole sets: "))

    def test_intervals_stand_behind_the_numbers(self):
        self.assertRegex(self.report._repr_html_(), r"<td[^>]*>(<b>)?[0-9.]+(</b>)? \[[0-9.]+, [0-9.]+\]</td>")

    def test_why_no_number_stands_beside_people_is_said_once(self):
        rows = np.random.default_rng(1).normal(size=(60, 8)).astype(np.float32)
        report = markeval.score(rows[:30], {"mine": rows[30:]}, ["me", "fid"])
        why = (
            "me and fid are not compared with people's own texts: this needs 40 rows or more in the reference and in "
            "each system, and the reference has 30."
        )
        self.assertEqual(report.verdicts, [why])
        self.assertEqual(report._repr_html_().count(html.escape(why)), 1)
        self.assertIn(why, str(report))
        self.assertEqual(report.ceilings, [])

    def test_a_repr_is_short(self):
        report = markeval.score(["a b"] * 100, ["a c"] * 100, "chrf", segments=True)
        lines = repr(report).splitlines()
        self.assertEqual((lines[0], len(lines)), ("<markeval.Report>", 22))
        self.assertRegex(lines[-1], r"^\.\.\. \d+ more lines: print\(\) shows all$")
        self.assertIn(str(markeval.score("a b".split(), "a c".split(), "chrf")), repr(markeval.score("a b".split(), "a c".split(), "chrf")))

    def test_a_page_is_framed_with_its_pictures(self):
        report = markeval.score(REFERENCES, SYSTEM, ["chrf", "bertscore:layer=2"], page=True, model=self.model)
        self.assertIn("<svg", report.to_html())
        self.assertIn("<iframe data-page=", report._repr_html_())  # packed: under 40 kB
        self.assertLess(len(report._repr_html_()), 40_000)
        self.assertFalse(report[0].segments)
        with self.assertRaisesRegex(markeval.UsageError, "expected a call with page=True"):
            self.report.save(f"{self._folder.name}/x.html")

    def test_source_texts_stand_on_the_page(self):
        table = {"de": ["eine Katze"], "en": ["a cat"], "mine": ["the cat"]}
        of_column = markeval.score("en", "mine", "chrf", table=table, source="de", page=True)
        of_list = markeval.score(["a cat"], ["the cat"], "chrf", source=["eine Katze"], page=True)
        for report in (of_column, of_list):
            self.assertIn('"sources":["eine Katze"]', report.to_html())
        with self.assertRaisesRegex(markeval.InvalidInputError, "2 source texts, expected 1"):
            markeval.score(["a cat"], ["the cat"], "chrf", source=["eine Katze", "zwei"], page=True)

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        frame = self.report.to_pandas()
        self.assertEqual(list(frame.columns), ["system", "metric", "result", "value", "low", "high"])
        self.assertEqual(len(frame), 8)
        self.assertEqual(len(self.report.to_pandas(segments=True)), 8 * len(REFERENCES))
        self.assertEqual(list(self.report[1].to_pandas().columns), ["precision", "recall", "f1"])

    def test_without_pandas_the_error_says_so(self):
        import sys

        saved = sys.modules.get("pandas")
        sys.modules["pandas"] = None
        try:
            with self.assertRaisesRegex(ImportError, "needs pandas"):
                self.report.to_pandas()
        finally:
            if saved is None:
                del sys.modules["pandas"]
            else:
                sys.modules["pandas"] = saved


class Comparing(unittest.TestCase):
    def test_ranks_and_p_values(self):
        many = REFERENCES * 10
        comparison = markeval.compare(many, {"base": SYSTEM * 10, "worse": [t[::-1] for t in many]}, ["chrf"])
        self.assertEqual(comparison.ranks, {"chrf.chrf": {"base": 1, "worse": 2}})
        self.assertLess(comparison.results[0]["systems"][1]["p_value"], 0.05)
        self.assertIn("test:bootstrap", comparison.signature)
        self.assertIn("chrf", comparison._repr_html_())

    def test_one_system_is_too_few(self):
        with self.assertRaisesRegex(markeval.UsageError, "only one system to compare"):
            markeval.compare(REFERENCES, SYSTEM, "bleu")


class Correlating(unittest.TestCase):
    TABLE = {"human": [1, 2, 3, 4, None, 6], "m": [2, 1, 4, 3, 9, 8], "lp": ["a", "a", "a", "b", "b", "b"]}

    def test_columns_in_memory(self):
        correlation = markeval.correlate(self.TABLE, "human", "m", coefficients="pearson")
        complete = [(h, m) for h, m in zip(self.TABLE["human"], self.TABLE["m"]) if h is not None]
        self.assertAlmostEqual(correlation.value("m", "pearson"), np.corrcoef(*zip(*complete))[0, 1])
        self.assertEqual(correlation.warnings, ["m: 1 of 6 rows left out, a value is missing"])

    def test_intervals_hold_the_coefficient(self):
        gold = [float(i % 7) for i in range(40)]
        mine = [value + (i % 3) for i, value in enumerate(gold)]
        found = markeval.correlate({"human": gold, "mine": mine}, "human", "mine", ci=200).results[0]
        low, high = found["ci"]["pearson"]
        self.assertLess(low, found["pearson"])
        self.assertGreater(high, found["pearson"])

    def test_better_worse_pairs_stand_in_place_of_human_scores(self):
        table = {"ref": ["a b c", "a b c", "d e"], "good": ["a b c", "x", "d e"], "bad": ["a b", "a b c", "q"], "src": ["1", "1", "2"]}
        correlation = markeval.correlate(
            table, reference="ref", better="good", worse="bad", segment="src", metrics="chrf", ci=100
        )
        self.assertAlmostEqual(correlation.value("chrf", "kendall-like"), 1 / 3)
        self.assertEqual(correlation.results[0]["ci"]["kendall-like"], [0, 1])

    def test_a_notebook_has_the_table_of_the_text(self):
        shown = markeval.correlate({**self.TABLE, "ppl": [3, 2, 2, 1, 0, 0]}, "human", ["m", "ppl"], lower_is_better="ppl")._repr_html_()
        self.assertIn(">metric</th>", shown)
        self.assertIn("<p>Lower is better for ppl: the order and the tests turn the sign.</p>", shown)
        self.assertNotIn("pearson_low", shown)

    def test_groups_have_their_own_and_a_mean(self):
        correlation = markeval.correlate(self.TABLE, "human", ["m"], group="lp")
        self.assertEqual([row["group"] for row in correlation.results], ["a", "b", "mean"])
        self.assertAlmostEqual(correlation.value("m", "pearson", "b"), 1)

    def test_texts_of_a_table_are_scored(self):
        table = {"human": [1, 2, 3, 4, 5, 6], "ref": REFERENCES, "hyp": SYSTEM}
        correlation = markeval.correlate(table, "human", reference="ref", hypothesis="hyp", metrics="chrf", page=True)
        self.assertIsNotNone(correlation.value("chrf", "kendall"))
        self.assertIn("<svg", correlation.to_html())

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_a_frame_is_a_table(self):
        frame = pandas.DataFrame(self.TABLE)
        of_frame = markeval.correlate(frame, "human", "m")
        self.assertEqual(of_frame.to_dict(), markeval.correlate(self.TABLE, "human", "m").to_dict())
        self.assertEqual(len(of_frame.to_pandas()), 1)
        self.assertIn("pearson_low", of_frame.to_pandas().columns)
        self.assertIn(html.escape(of_frame.verdicts[0]), of_frame._repr_html_())

    def test_errors_name_the_column(self):
        with self.assertRaisesRegex(markeval.UsageError, "table: no column 'n'"):
            markeval.correlate(self.TABLE, "human", "n")
        with self.assertRaisesRegex(markeval.InvalidInputError, "column 'lp' holds 'a', expected a number"):
            markeval.correlate(self.TABLE, "human", "lp")


class Embedding(TestWithModel):
    def test_rows_are_float32_and_not_copied(self):
        vectors = markeval.embed(SYSTEM, model=self.model, cache="none")
        self.assertEqual((vectors.dtype, vectors.shape[0]), (np.float32, 6))
        self.assertFalse(vectors.flags.owndata)  # the engine's memory
        vectors += 1  # and ours to write

    def test_all_layers_and_tokens(self):
        layers = markeval.embed(["ab", "c"], model=self.model, layer=None, cache="none")
        self.assertEqual(layers.shape[:2], (2, 3))
        tokens = markeval.embed(["ab", "c"], model=self.model, pool="none", cache="none")
        self.assertEqual(len(tokens), 2)
        self.assertEqual(tokens[0].shape[0], 4)
        scorer = markeval.Scorer(model=self.model)
        self.assertEqual(scorer.tokenize(["ab", "c"]), [tokens.ids[:4].tolist(), tokens.ids[4:].tolist()])
        with self.assertRaises(IndexError):
            tokens[2]

    def test_lengths_are_one_where_asked_for(self):
        vectors = markeval.embed(SYSTEM, model=self.model, normalize=True, cache="none")
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)

    def test_a_single_text_is_an_error(self):
        with self.assertRaisesRegex(TypeError, "texts: a single str"):
            markeval.embed("text", model=self.model)

    def test_a_baseline_has_every_layer(self):
        table = markeval.Scorer(model=self.model).baseline(REFERENCES, pairs=20)
        self.assertEqual(len(table.splitlines()), 4)


class ProgressBar(unittest.TestCase):
    def test_writes_over_itself_and_goes_away(self):
        import io

        stream = io.StringIO()
        bar = Bar(stream, wait_seconds=0)
        bar("pairs", 1, 4)
        bar("pairs", 4, 4)
        bar.close()
        lines = stream.getvalue().split("\r")
        self.assertEqual(lines[1], "pairs [######..................] 25 %")
        self.assertEqual(lines[3].strip(), "")
        self.assertNotIn("\n", stream.getvalue())

    def test_short_work_shows_nothing(self):
        import io

        stream = io.StringIO()
        bar = Bar(stream)
        bar("pairs", 1, 4)
        bar.close()
        self.assertEqual(stream.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
