"""Frames of pandas, polars and Arrow in; wide and long frames out."""

import unittest
import warnings

import markeval

REFERENCES = ["a cat sat there", "the dog ran away", "it rains"]
FIRST = ["a cat sat here", "a dog ran away", "it rained"]
SECOND = ["the cat", "the dog ran away", "rain"]
COLUMNS = {"ref": REFERENCES, "first": FIRST, "second": SECOND}


def frames():
    """Those that are installed, by name."""
    found = {"mapping": COLUMNS}
    try:
        import pandas

        found["pandas"] = pandas.DataFrame(COLUMNS)
    except ImportError:
        pass
    try:
        import polars

        found["polars"] = polars.DataFrame(COLUMNS)
    except ImportError:
        pass
    try:
        import pyarrow

        found["arrow"] = pyarrow.table(COLUMNS)
    except ImportError:
        pass
    return found


class Inputs(unittest.TestCase):
    def setUp(self):
        self.expected = markeval.score(REFERENCES, {"first": FIRST, "second": SECOND}, "chrf").scores

    def test_columns_by_name(self):
        for name, table in frames().items():
            with self.subTest(name):
                report = markeval.score("ref", ["first", "second"], "chrf", table=table)
                self.assertEqual(report.scores, self.expected)

    def test_a_frame_of_systems(self):
        for name, table in frames().items():
            if name == "mapping":
                continue
            with self.subTest(name):
                chosen = table.select(["first", "second"]) if hasattr(table, "select") else table[["first", "second"]]
                self.assertEqual(markeval.score(table["ref"], chosen, "chrf").scores, self.expected)

    def test_a_missing_text_is_named_by_its_row(self):
        for name, table in frames().items():
            if name != "pandas":
                continue
            column = table["first"].copy()
            column.iloc[1] = float("nan")
            with self.assertRaisesRegex(markeval.InvalidInputError, r"system: text 2 \(index 1\) is missing"):
                markeval.score(REFERENCES, column, "chrf")

    def test_a_frame_as_references_is_told_which_column(self):
        for name, table in frames().items():
            if name == "mapping":
                continue
            with self.subTest(name), self.assertRaisesRegex(TypeError, "expected one column"):
                markeval.score(table, FIRST, "chrf")

    def test_a_missing_column_names_those_there(self):
        for name, table in frames().items():
            with self.subTest(name), self.assertRaisesRegex(markeval.UsageError, "columns: ref, first, second"):
                markeval.score("refs", "first", "chrf", table=table)

    def test_correlate_takes_every_frame(self):
        numbers = {"human": [1.0, 2.0, 3.0, 5.0], "mine": [0.1, 0.3, 0.2, 0.4]}
        expected = markeval.correlate(numbers, "human", "mine").value("mine", "pearson")
        try:
            import polars
        except ImportError:
            self.skipTest("polars is not installed")
        found = markeval.correlate(polars.DataFrame(numbers), "human", "mine").value("mine", "pearson")
        self.assertEqual(found, expected)


class ArrowColumns(unittest.TestCase):
    """Texts are read where Arrow keeps them: in chunks, slices, with offsets of either width."""

    def setUp(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        self.pyarrow = pyarrow
        self.texts = ["", "Grüße, 世界", "a cat sat there", "", "the dog ran away"]
        self.systems = ["a", "Grüße", "a cat", "", "the dog ran"]

    def scores(self, references, systems):
        return markeval.score(references, {"mine": systems}, ["bleu", "chrf"], segments=True).to_json()

    def test_layouts_change_nothing(self):
        pyarrow = self.pyarrow
        expected = self.scores(self.texts, self.systems)
        narrow, wide = pyarrow.string(), pyarrow.large_string()
        layouts = {
            "narrow": lambda texts: pyarrow.array(texts, narrow),
            "wide": lambda texts: pyarrow.array(texts, wide),
            "slice": lambda texts: pyarrow.array(["before", *texts, "after"], narrow).slice(1, len(texts)),
            "chunks": lambda texts: pyarrow.chunked_array([texts[:2], [], texts[2:]], narrow),
            "slice of chunks": lambda texts: pyarrow.chunked_array([["x", *texts[:1]], texts[1:]], wide).slice(1),
            "dictionary": lambda texts: pyarrow.array(texts, narrow).dictionary_encode(),
        }
        for name, made in layouts.items():
            with self.subTest(name):
                self.assertEqual(self.scores(made(self.texts), made(self.systems)), expected)

    def test_texts_that_are_all_empty(self):
        empty = self.pyarrow.array(["", ""])
        self.assertEqual(self.scores(empty, empty), self.scores(["", ""], ["", ""]))

    def test_a_null_is_named(self):
        with self.assertRaisesRegex(markeval.InvalidInputError, "mine: text 2 is missing"):
            self.scores(["a", "b"], self.pyarrow.array(["a", None]))

    def test_a_column_without_rows_is_named(self):
        with self.assertRaisesRegex(markeval.InvalidInputError, "no texts"):
            self.scores(self.pyarrow.array([], "string"), self.pyarrow.array([], "string"))


class Outputs(unittest.TestCase):
    def setUp(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        systems = {"first": FIRST, "second": SECOND}
        self.report = markeval.score(REFERENCES, systems, ["chrf", "rouge1"], segments=True)
        self.comparison = markeval.compare(REFERENCES, systems, "chrf", page=True)

    def test_wide_has_a_row_per_system(self):
        frame = self.report.to_pandas(wide=True)
        self.assertEqual((list(frame.index), list(frame.columns)), (["first", "second"], ["chrf", "rouge1"]))
        self.assertEqual(frame.loc["first", "chrf"], self.report.score("first", "chrf"))

    def test_wide_segments_have_the_index_of_the_input(self):
        frame = self.report.to_pandas(segments=True, wide=True)
        self.assertEqual(list(frame.index), [0, 1, 2])
        self.assertEqual(frame["first", "rouge1"].tolist(), self.report["first", "rouge1"].segments["f1"].tolist())

    def test_intervals_of_a_comparison_are_two_columns(self):
        frame = self.comparison.to_pandas()
        self.assertTrue({"low", "high", "difference_low", "difference_high"} <= set(frame.columns))
        self.assertEqual(list(self.comparison.to_pandas(wide=True).index), ["first", "second"])

    def test_a_comparison_has_a_page_and_tables(self):
        self.assertTrue(self.comparison.to_html().startswith("<!DOCTYPE html>"))
        self.assertIn(">p adjusted</th>", self.comparison._repr_html_())

    def test_marks_of_a_comparison_are_explained(self):
        systems = {"base": FIRST * 20, "mine": REFERENCES * 20, "bad": ["x", "y", "z"] * 20}
        shown = markeval.compare(REFERENCES * 20, systems, ["chrf", "ter"], resamples=200)._repr_html_()
        self.assertIn("<p>* better, † worse than base (p adjusted &lt;= 0.05, and the interval leaves out 0)</p><p>↓ lower is better</p>", shown)
        self.assertNotIn("\\*", shown)
        self.assertNotIn("**", shown)  # the best number is bold with its star, too
        self.assertRegex(shown, r"<b>[0-9.]+</b> \*</td>")
        self.assertNotIn("better than", self.comparison._repr_html_())

    def test_metrics_are_a_table(self):
        self.assertIn(">bleu</td>", markeval.metrics()._repr_html_())
        self.assertEqual([one["name"] for one in markeval.metrics("bleu", "chrf")], ["bleu", "chrf"])
        with self.assertRaisesRegex(markeval.UsageError, "unknown metric 'blue'"):
            markeval.metrics("blue")


class Index(unittest.TestCase):
    """Rows of a frame have labels: results keep them, and rows of other labels are not paired."""

    def setUp(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        self.pandas = pandas
        self.frame = pandas.DataFrame(COLUMNS, index=["x", "z", "y"])

    def index_of(self, *inputs, **more):
        frame = markeval.score(*inputs, "chrf", segments=True, **more).to_pandas(segments=True, wide=True)
        return list(frame.index)

    def test_wide_segments_keep_it(self):
        frame = self.frame
        for inputs, more in [
            ((frame["ref"], frame[["first"]]), {}),
            ((REFERENCES, frame["first"]), {}),
            ((frame["ref"], {"first": FIRST}), {}),
            (("ref", ["first", "second"]), {"table": frame}),
            (("ref", ["first"]), {"table": dict(frame.items())}),
        ]:
            with self.subTest(more):
                self.assertEqual(self.index_of(*inputs, **more), ["x", "z", "y"])
        odd = self.pandas.DataFrame(COLUMNS)[lambda one: one.index % 2 == 0]
        self.assertEqual(self.index_of(odd["ref"], odd[["first"]]), [0, 2])

    def test_another_order_is_an_error(self):
        frame, ordered = self.frame, self.frame.sort_index()
        told = "references and systems have the same index in another order; sort one, or pass lists"
        for systems in (ordered["first"], ordered[["first", "second"]]):
            with self.assertRaisesRegex(markeval.InvalidInputError, told):
                markeval.score(frame["ref"], systems, "chrf")
        with self.assertRaisesRegex(markeval.InvalidInputError, "references and 'mine' have the same index"):
            markeval.compare(frame["ref"], {"base": FIRST, "mine": ordered["first"]}, "chrf")
        with self.assertRaisesRegex(markeval.InvalidInputError, "'ref' and 'first' have the same index"):
            markeval.score("ref", "first", "chrf", table={"ref": frame["ref"], "first": ordered["first"]})
        with self.assertRaisesRegex(markeval.InvalidInputError, "references and group have the same index"):
            markeval.score(frame["ref"], frame["first"], "chrf", group=ordered["second"])
        numbers = self.pandas.Series([1.0, 2.0, 3.0])
        with self.assertRaisesRegex(markeval.InvalidInputError, "'human' and 'mine' have the same index"):
            markeval.correlate({"human": numbers, "mine": numbers[::-1]}, "human", "mine")
        self.assertTrue(markeval.score(frame["ref"], list(ordered["first"]), "chrf"))

    def test_other_labels_are_an_error(self):
        told = "different labels in their index .z and w in row 2.; select the same rows"
        with self.assertRaisesRegex(markeval.InvalidInputError, told):
            markeval.score(self.frame["ref"], self.pandas.Series(FIRST, ["x", "w", "y"]), "chrf")

    def test_plain_indexes_and_sets_are_not_paired_by_label(self):
        pandas = self.pandas
        self.assertEqual(self.index_of(pandas.Series(REFERENCES), pandas.Series(FIRST)), [0, 1, 2])
        index = pandas.Index([0, 1, 2], dtype="int64")
        self.assertEqual(self.index_of(pandas.Series(REFERENCES, index), pandas.Series(FIRST)), [0, 1, 2])
        from markeval._index import common_index
        from markeval._metrics import pairs_rows

        self.assertFalse(pairs_rows(["me:k=3", "mine=prdc", "prdc.density"]))
        self.assertTrue(pairs_rows(["me:samples=word,scope=segment"]) and pairs_rows(["me", "chrf"]))
        rows = [("references", self.frame["ref"]), ("systems", self.frame["first"][::-1])]
        self.assertEqual(list(common_index(rows, paired=False)), ["x", "z", "y"])


class Groups(unittest.TestCase):
    LABELS = ["pets", "pets", "weather"]

    def test_labels_in_memory_or_a_column(self):
        systems = {"first": FIRST, "second": SECOND}
        report = markeval.score(REFERENCES, systems, "chrf", group=self.LABELS)
        alone = markeval.score(REFERENCES[:2], {name: texts[:2] for name, texts in systems.items()}, "chrf")
        self.assertEqual(list(report.groups), ["pets", "weather"])
        for system in systems:
            self.assertAlmostEqual(
                report.groups["pets"][system]["chrf"]["chrf"], alone.score(system, "chrf"), places=10
            )
        for name, table in frames().items():
            if name != "mapping":
                continue
            with self.subTest(name):
                named = {**table, "topic": self.LABELS}
                again = markeval.score("ref", ["first", "second"], "chrf", table=named, group="topic")
                self.assertEqual(again.groups, report.groups)

    def test_comparisons_have_them_too(self):
        found = markeval.compare(REFERENCES, {"a": FIRST, "b": SECOND}, "chrf", group=self.LABELS, resamples=50)
        self.assertEqual([one["request"] for one in found.groups["weather"]], ["chrf"])
        self.assertIn("By group: 2 pets, 1 weather", str(found))

    def test_as_many_labels_as_segments(self):
        with self.assertRaisesRegex(markeval.InvalidInputError, "2 labels but the reference has 3 segments"):
            markeval.score(REFERENCES, {"a": FIRST}, "chrf", group=["x", "y"])


class Errors(unittest.TestCase):
    def test_one_metric_that_fails_leaves_the_others(self):
        import numpy as np

        rows = np.random.default_rng(1).standard_normal((120, 4)).astype(np.float32)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            report = markeval.score(rows[:60], rows[60:], ["me:k=60", "me"])
        self.assertEqual([one["request"] for one in report.errors], ["me:k=60"])
        self.assertTrue(any("me:k=60 could not be computed" in str(one.message) for one in told))
        self.assertGreater(report.score("system", "me"), 0)
        with self.assertRaisesRegex(KeyError, "could not be computed: k = 60"):
            report["system", "me:k=60"]
        self.assertEqual(report.ceilings[0]["system_rows"], 30)
        self.assertIn(report.ceilings[0]["is_ceiling"], (True, False))


if __name__ == "__main__":
    unittest.main()
