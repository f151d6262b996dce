"""markeval.spark on real Spark: two threads of one process, or the master SPARK_MASTER names; a worker is killed."""

import os
import unittest

import markeval

from clusters_support import COLUMNS, SameAsOneMachine, on_one_machine, quietly
from support import TestWithModel

try:
    import pyspark
    from pyspark.sql import SparkSession

    import markeval.spark
except ImportError:
    pyspark = None


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

    def test_the_examples_of_the_page(self):
        self.assertEqual(self.run_the_page(), 2)


if __name__ == "__main__":
    unittest.main()
