"""markeval.ray on a real cluster of this machine: two workers, one of them killed."""

import contextlib
import io
import os
import tempfile
import unittest
import warnings

import markeval

from support import TestWithModel

try:
    import ray
    import ray.data

    import markeval.ray
except ImportError:
    ray = None

if ray is not None:
    from clusters_support import COLUMNS, SYSTEMS, on_one_machine, one_killed, quietly, requests, run_page


@unittest.skipIf(ray is None, "Ray is not installed")
class OnRay(TestWithModel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        warnings.simplefilter("ignore")
        ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        cls.addClassCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False
        cls.dataset = cls.dataset_of(COLUMNS)

    @staticmethod
    def dataset_of(columns):
        names = list(columns)
        rows = [dict(zip(names, values)) for values in zip(*columns.values())]
        return ray.data.from_items(rows, override_num_blocks=4)

    def on_ray(self, function, metrics, dataset=None, **options):
        data = self.dataset if dataset is None else dataset
        return quietly(function, data, "ref", SYSTEMS, metrics, model=self.model, batch_size=5, **options)

    def test_scores_are_those_of_one_machine(self):
        for metrics, options in (requests(markeval.score, self.model)[number] for number in (1, 3, 5, 6)):
            with self.subTest(metrics=metrics):
                found = self.on_ray(markeval.ray.score, metrics, **options)
                self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model, **options))

    def test_comparisons_are_those_of_one_machine(self):
        metrics, options = requests(markeval.compare, self.model)[0]
        found = self.on_ray(markeval.ray.compare, metrics, **options)
        self.assertEqual(found.to_json(), on_one_machine(markeval.compare, metrics, self.model, **options))

    def test_a_killed_worker_changes_no_byte(self):
        for metrics in (["bleu", "bertscore:idf=yes"], ["me:k=1"]):
            one = on_one_machine(markeval.score, metrics, self.model, ci=20)
            with one_killed(markeval.ray._Ray) as flag:
                found = self.on_ray(markeval.ray.score, metrics, ci=20)
                self.assertTrue(os.path.exists(flag))
            self.assertEqual(found.to_json(), one)

    def test_correlations_are_those_of_one_machine(self):
        found = quietly(
            markeval.ray.correlate, self.dataset, "human", reference="ref", hypothesis="mine", metrics=["chrf"],
            group="genre", batch_size=5,
        )
        one = quietly(
            markeval.correlate, COLUMNS, "human", reference="ref", hypothesis="mine", metrics=["chrf"], group="genre"
        )
        self.assertEqual(found.to_json(), one.to_json())

    def test_segment_scores_stay_a_dataset_with_its_columns(self):
        metrics = ["chrf", "bertscore.f1:idf=yes"]
        found = self.on_ray(markeval.ray.score_segments, metrics).take_all()
        report = quietly(
            markeval.score, "ref", SYSTEMS, metrics, table=COLUMNS, segments=True, model=self.model, cache="none"
        )
        self.assertEqual([row["human"] for row in found], COLUMNS["human"])
        for name, key in (("mine.chrf.chrf", "chrf"), ("mine.bertscore.f1:idf=yes.f1", metrics[1])):
            values = report["mine", key].segments[name.rpartition(".")[2]].tolist()
            self.assertEqual([row[name] for row in found], values)
        with self.assertRaisesRegex(markeval.UsageError, "me looks at all texts at once"):
            self.on_ray(markeval.ray.score_segments, ["me"])

    def test_vectors_are_those_of_one_machine(self):
        found = markeval.ray.embed(self.dataset, "ref", model=self.model, batch_size=5).take_all()
        one = markeval.embed(COLUMNS["ref"], model=self.model, cache="none")
        self.assertEqual([list(row["vector"]) for row in found], one.tolist())

    def test_a_bad_row_is_named(self):
        columns = {**COLUMNS, "mine": [*COLUMNS["mine"][:16], None, *COLUMNS["mine"][17:]]}
        with self.assertRaisesRegex(markeval.InvalidInputError, "^row 17: column 'mine' is null, expected a text$"):
            self.on_ray(markeval.ray.score, "chrf", self.dataset_of(columns))

    def test_a_model_that_is_missing_is_one_sentence(self):
        for metric in ("bertscore", "me"):
            with self.assertRaisesRegex(markeval.Error, "no-such-model"):
                markeval.ray.score(self.dataset, "ref", SYSTEMS, metric, model="no-such-model")

    def test_the_examples_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(run_page("markeval.ray", folder), 3)
        self.assertIn("chrf", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
