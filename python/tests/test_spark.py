"""markeval.spark on real Spark: two threads of one process, or the master SPARK_MASTER names; a worker is killed."""

import os
import pickle
import unittest

import markeval

from clusters_support import COLUMNS, SameAsOneMachine, on_one_machine, quietly
from support import TestWithModel

try:
    import pyspark
    from pyspark.sql import SparkSession

    import markeval.spark
    from markeval._worker import Plan
except ImportError:
    pyspark = None


class FirstTextAndTask:
    """Says of a batch what its first text is, and in which task it was."""

    def __init__(self, plan):
        self.plan = plan

    def __call__(self, table):
        from pyspark import TaskContext

        return pickle.dumps((table.column("ref")[0].as_py(), TaskContext.get().partitionId())), b""


@unittest.skipIf(pyspark is None, "pyspark is not installed")
class OnSpark(SameAsOneMachine, TestWithModel):
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
        cls.engine, cls.engine_class = markeval.spark, markeval.spark._Spark
        cls.data = cls.data_of(COLUMNS)

    @classmethod
    def data_of(cls, columns):
        rows = list(zip(*columns.values()))
        types = {"human": "double"}
        schema = ", ".join(f"{name} {types.get(name, 'string')}" for name in columns)
        return cls.spark.createDataFrame(cls.spark.sparkContext.parallelize(rows, 4), schema)

    @staticmethod
    def rows_of(found):
        return found.collect()

    def test_names_of_columns_may_have_dots(self):
        frame = self.data.withColumnRenamed("mine", "mine.1")
        for metrics in (["chrf"], ["me:k=1"]):
            found = quietly(markeval.spark.score, frame, "ref", {"mine": "mine.1", "other": "other"}, metrics, model=self.model)
            self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model))

    def test_all_workers_share_one_partition(self):
        frame = self.data.coalesce(1)
        found = markeval.spark._Spark(frame)
        job = FirstTextAndTask(Plan({}, ["ref"], {"mine": "mine"}, ["bertscore"]))
        batches = [pickle.loads(header) for header, _ in found.records(job, 4)]
        self.assertEqual([first for first, _ in batches], COLUMNS["ref"][::4])  # in order
        self.assertGreater(len({task for _, task in batches}), 1)
        for metrics in (["bertscore:idf=yes"], ["bleu", "moverscore"]):
            found = quietly(markeval.spark.score, frame, "ref", ["mine", "other"], metrics, model=self.model, batch_size=4)
            self.assertEqual(found.to_json(), on_one_machine(markeval.score, metrics, self.model))

    def test_the_examples_of_the_page(self):
        self.assertEqual(self.run_the_page(), 2)


if __name__ == "__main__":
    unittest.main()
