"""A corpus in parts: the same report as in one piece, whatever the parts are. No cluster is needed for these."""

import json
import unittest

import markeval

from support import TestWithModel

try:
    import pyarrow
except ImportError:
    pyarrow = None

if pyarrow is not None:
    from markeval import _clusters
    from markeval._clusters import Run, model_settings

    from clusters_support import COLUMNS, SYSTEMS, LocalEngine, on_one_machine, quietly, requests


@unittest.skipIf(pyarrow is None, "pyarrow is not installed")
class Parts(TestWithModel):
    def run_of(self, metrics, batch, columns=None, **options):
        table = pyarrow.table(columns or COLUMNS)
        settings = model_settings(model=self.model)
        return Run(LocalEngine(table), "ref", SYSTEMS, metrics, batch_size=batch, settings=settings, **options)

    def labels(self, options):
        """`group` names a column on a cluster, and to one machine with its table."""
        return {name: value for name, value in options.items() if name != "group"}

    def test_scores_are_those_of_one_piece(self):
        for batch in (1, 5, 24, 100):
            for metrics, options in requests(markeval.score, self.model):
                with self.subTest(batch=batch, metrics=metrics, options=options):
                    run = self.run_of(metrics, batch, group=options.get("group"))
                    found = quietly(_clusters.score, run, **self.labels(options))
                    self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model, **options))

    def test_comparisons_are_those_of_one_piece(self):
        for batch in (5, 24):
            for metrics, options in requests(markeval.compare, self.model):
                with self.subTest(batch=batch, metrics=metrics, options=options):
                    run = self.run_of(metrics, batch, group=options.get("group"))
                    found = quietly(_clusters.compare, run, **self.labels(options))
                    self.assertEqual(found.to_json(), on_one_machine(markeval.compare, metrics, self.model, **options))

    def test_correlations_are_those_of_one_piece(self):
        for batch in (5, 24):
            table = pyarrow.table(COLUMNS)
            metrics = ["chrf", "bertscore:idf=yes"]
            run = Run(
                LocalEngine(table), "ref", ["mine"], metrics, batch_size=batch, kept=["human", "genre"],
                settings=model_settings(model=self.model),
            )
            found = quietly(_clusters.correlate, run, "human", group="genre", ci=20)
            one = quietly(
                markeval.correlate, COLUMNS, "human", reference="ref", hypothesis="mine", metrics=metrics,
                group="genre", ci=20, model=self.model, cache="none",
            )
            self.assertEqual(found.to_json(), one.to_json())

    def test_warnings_are_those_of_one_piece(self):
        rows = 240
        columns = {
            "ref": ["a cat ."] * 100 + ["日本語"] * 140,
            "mine": ["a cat ."] * 100 + ["日本語"] * 140,
            "other": ["a dog ."] * 120 + ["" if row % 2 else "猫です" for row in range(120)],
        }
        metrics = ["bleu", "rouge1", "bertscore:idf=yes", "me:k=1"]
        one = json.loads(on_one_machine(markeval.score, metrics, self.model, columns))
        self.assertGreaterEqual(len(one["warnings"]), 8, one["warnings"])
        for batch in (7, rows):
            found = quietly(_clusters.score, self.run_of(metrics, batch, columns))
            self.assertEqual(found.to_dict()["warnings"], one["warnings"])

    def test_several_references_whose_number_varies(self):
        columns = {**COLUMNS, "ref": [[text, text[::-1]][: 1 + row // 12] for row, text in enumerate(COLUMNS["ref"])]}
        for metrics in (["bleu", "chrf", "bertscore", "me:k=1"],):
            one = on_one_machine(markeval.score, metrics, self.model, columns, ci=10)
            for batch in (5, 12, 24):
                self.assertEqual(quietly(_clusters.score, self.run_of(metrics, batch, columns), ci=10).to_json(), one)

    def test_sums_travel_where_rows_are_not_needed(self):
        def size(**options):
            return sum(map(len, self.run_of(["bleu", "chrf"], 240, many).gather({**base, **options})[0]))

        many = {name: values * 20 for name, values in COLUMNS.items()}
        base = self.run_of("chrf", 1).scorer._options()
        self.assertGreater(size(resamples=10), 3 * size())

    def test_bad_rows_are_named(self):
        columns = {**COLUMNS, "mine": [*COLUMNS["mine"][:16], None, *COLUMNS["mine"][17:]]}
        with self.assertRaisesRegex(markeval.InvalidInputError, "row 17: column 'mine' is null, expected a text"):
            _clusters.score(self.run_of("chrf", 5, columns))
        columns = {**COLUMNS, "ref": [b"good"] * 9 + [b"\xff"] + [b"good"] * 14}
        with self.assertRaisesRegex(markeval.InvalidInputError, "row 10: column 'ref' is not valid UTF-8 at byte 0"):
            _clusters.score(self.run_of("me", 5, columns))
        texts = pyarrow.array([b"good"] * 9 + [b"a\xff"] + [b"good"] * 14, pyarrow.binary()).view(pyarrow.string())
        with self.assertRaisesRegex(markeval.InvalidInputError, "row 10: column 'ref' is not valid UTF-8 at byte 1"):
            _clusters.score(self.run_of("chrf", 5, {**COLUMNS, "ref": texts}))
        columns = {**COLUMNS, "ref": list(range(24))}
        with self.assertRaisesRegex(markeval.InvalidInputError, "row 1: column 'ref' is of type int, expected a text"):
            _clusters.score(self.run_of("chrf", 5, columns))

    def test_bad_rows_may_be_skipped(self):
        bad = {3, 4, 20}
        columns = {**COLUMNS, "mine": [None if row in bad else text for row, text in enumerate(COLUMNS["mine"])]}
        good = {name: [value for row, value in enumerate(values) if row not in bad] for name, values in COLUMNS.items()}
        for metrics in (["bleu", "bertscore:idf=yes"], ["me:k=1", "chrf"]):
            found = quietly(_clusters.score, self.run_of(metrics, 2, columns, on_error="skip"))
            self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model, good))
            self.assertEqual(
                found.warnings[0],
                "3 of 24 rows skipped; the first is row 4: column 'mine' is null, expected a text",
            )
        with self.assertRaisesRegex(markeval.UsageError, "on_error 'ignore', expected 'raise' or 'skip'"):
            self.run_of("chrf", 1, on_error="ignore")

    def test_a_model_that_is_missing_on_a_worker_is_one_sentence(self):
        for metric in ("bertscore", "bertscore:idf=yes", "me"):
            settings = model_settings(model="no-such-model")
            run = Run(LocalEngine(pyarrow.table(COLUMNS)), "ref", SYSTEMS, metric, batch_size=5, settings=settings)
            with self.assertRaisesRegex(markeval.Error, "no-such-model") as raised:
                _clusters.score(run)
            self.assertNotIn("\n", str(raised.exception))

    def test_sets_that_are_too_large_for_a_worker_are_refused(self):
        import markeval._worker as worker

        real, worker.available_memory = worker.available_memory, lambda: 1000
        try:
            with self.assertRaisesRegex(markeval.InvalidInputError, "me: 72 rows of .* need .* GiB on one worker"):
                _clusters.score(self.run_of("me", 5))
        finally:
            worker.available_memory = real

    def test_a_page_has_the_scores(self):
        page = quietly(_clusters.score, self.run_of(["bleu", "bertscore", "me:k=1"], 5), page=True, ci=10).to_html()
        self.assertIn("mine", page)
        self.assertIn("bertscore", page)
        self.assertIn("other", quietly(_clusters.compare, self.run_of(["chrf"], 5), page=True).to_html())

    def test_columns_that_are_not_there(self):
        with self.assertRaisesRegex(markeval.UsageError, "no column 'hyp' in the data .columns: ref, mine"):
            Run(LocalEngine(pyarrow.table(COLUMNS)), "ref", {"mine": "hyp"}, "chrf", settings=model_settings())

    def test_one_metric_that_fails_leaves_the_others(self):
        metrics = ["chrf", "rougeWE:embeddings=/no/such/file"]
        one = on_one_machine(markeval.score, metrics, self.model)
        self.assertEqual(quietly(_clusters.score, self.run_of(metrics, 5)).to_json(), one)


if __name__ == "__main__":
    unittest.main()
