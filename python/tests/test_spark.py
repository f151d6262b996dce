"""markeval.spark on real Spark: two threads of one process, or the master SPARK_MASTER names; a worker is killed."""

import contextlib
import io
import os
import tempfile
import unittest

import markeval

from support import TestWithModel

try:
    import pyspark
    from pyspark.sql import SparkSession

    import markeval.spark
except ImportError:
    pyspark = None

if pyspark is not None:
    from clusters_support import COLUMNS, SYSTEMS, on_one_machine, one_killed, quietly, requests, run_page


@unittest.skipIf(pyspark is None, "pyspark is not installed")
class OnSpark(TestWithModel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # local[2, 4]: a task may fail three times, as on a cluster.
        builder = SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[2,4]"))
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "3",
            "spark.executor.cores": "1",
            "spark.executor.memory": "1g",
            "spark.driver.host": "localhost",
        }.items():
            builder = builder.config(name, value)
        cls.spark = builder.getOrCreate()
        cls.addClassCleanup(cls.spark.stop)
        cls.frame = cls.frame_of(COLUMNS)

    @classmethod
    def frame_of(cls, columns):
        rows = list(zip(*columns.values()))
        types = {"human": "double"}
        schema = ", ".join(f"{name} {types.get(name, 'string')}" for name in columns)
        return cls.spark.createDataFrame(cls.spark.sparkContext.parallelize(rows, 4), schema)

    def on_spark(self, function, metrics, frame=None, **options):
        data = self.frame if frame is None else frame
        return quietly(function, data, "ref", SYSTEMS, metrics, model=self.model, batch_size=5, **options)

    def test_scores_are_those_of_one_machine(self):
        for metrics, options in (requests(markeval.score, self.model)[number] for number in (1, 3, 5, 6)):
            with self.subTest(metrics=metrics):
                found = self.on_spark(markeval.spark.score, metrics, **options)
                self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model, **options))

    def test_comparisons_are_those_of_one_machine(self):
        metrics, options = requests(markeval.compare, self.model)[0]
        found = self.on_spark(markeval.spark.compare, metrics, **options)
        self.assertEqual(found.to_json(), on_one_machine(markeval.compare, metrics, self.model, **options))

    def test_a_killed_worker_changes_no_byte(self):
        for metrics in (["bleu", "bertscore:idf=yes"], ["me:k=1"]):
            one = on_one_machine(markeval.score, metrics, self.model, ci=20)
            with one_killed(markeval.spark._Spark) as flag:
                found = self.on_spark(markeval.spark.score, metrics, ci=20)
                self.assertTrue(os.path.exists(flag))
            self.assertEqual(found.to_json(), one)

    def test_correlations_are_those_of_one_machine(self):
        found = quietly(
            markeval.spark.correlate, self.frame, "human", reference="ref", hypothesis="mine", metrics=["chrf"],
            group="genre", batch_size=5,
        )
        one = quietly(
            markeval.correlate, COLUMNS, "human", reference="ref", hypothesis="mine", metrics=["chrf"], group="genre"
        )
        self.assertEqual(found.to_json(), one.to_json())

    def test_segment_scores_stay_a_frame_with_its_columns(self):
        metrics = ["chrf", "bertscore.f1:idf=yes"]
        found = self.on_spark(markeval.spark.score_segments, metrics).collect()
        report = quietly(
            markeval.score, "ref", SYSTEMS, metrics, table=COLUMNS, segments=True, model=self.model, cache="none"
        )
        self.assertEqual([row["human"] for row in found], COLUMNS["human"])
        for name, key in (("mine.chrf.chrf", "chrf"), ("mine.bertscore.f1:idf=yes.f1", metrics[1])):
            values = report["mine", key].segments[name.rpartition(".")[2]].tolist()
            self.assertEqual([row[name] for row in found], values)

    def test_vectors_are_those_of_one_machine(self):
        found = markeval.spark.embed(self.frame, "ref", model=self.model, batch_size=5).collect()
        one = markeval.embed(COLUMNS["ref"], model=self.model, cache="none")
        self.assertEqual([list(row["vector"]) for row in found], one.tolist())

    def test_names_of_columns_may_have_dots(self):
        frame = self.frame.withColumnRenamed("mine", "mine.1")
        for metrics in (["chrf"], ["me:k=1"]):
            found = quietly(markeval.spark.score, frame, "ref", {"mine": "mine.1", "other": "other"}, metrics, model=self.model)
            self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model))

    def test_a_bad_row_is_named(self):
        columns = {**COLUMNS, "mine": [*COLUMNS["mine"][:16], None, *COLUMNS["mine"][17:]]}
        with self.assertRaisesRegex(markeval.InvalidInputError, "^row 17: column 'mine' is null, expected a text$"):
            self.on_spark(markeval.spark.score, "chrf", self.frame_of(columns))

    def test_a_model_that_is_missing_is_one_sentence(self):
        for metric in ("bertscore", "me"):
            with self.assertRaisesRegex(markeval.Error, "no-such-model"):
                markeval.spark.score(self.frame, "ref", SYSTEMS, metric, model="no-such-model")

    def test_the_examples_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(run_page("markeval.spark", folder), 2)
        self.assertIn("chrf", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
