"""markeval.ray on a real cluster of this machine: two workers, one of them killed."""

import os
import tempfile
import unittest
import unittest.mock
import warnings

from clusters_support import COLUMNS, SameAsOneMachine, on_one_machine
from support import TestWithModel

import markeval

try:
    import pyarrow.parquet
    import ray
    import ray.data

    import markeval.ray
except ImportError:
    ray = None


@unittest.skipIf(ray is None, "Ray is not installed")
class OnRay(SameAsOneMachine, TestWithModel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        warnings.simplefilter("ignore")
        ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        cls.addClassCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False
        cls.engine, cls.engine_class = markeval.ray, markeval.ray._Ray
        cls.data = cls.data_of(COLUMNS)

    @staticmethod
    def data_of(columns):
        names = list(columns)
        rows = [dict(zip(names, values)) for values in zip(*columns.values())]
        return ray.data.from_items(rows, override_num_blocks=4)

    @staticmethod
    def rows_of(found):
        return found.take_all()

    def test_row_groups_of_parquet_come_in_their_order(self):
        table = pyarrow.table({name: COLUMNS[name] for name in ("ref", "mine", "other")})
        # As in a file of more than 128 MiB, for the reader of Ray that goes by it.
        small = unittest.mock.patch.dict(os.environ, RAY_DATA_PARQUET_BIN_PACKING_BYTES="400")
        with tempfile.TemporaryDirectory() as folder, small:
            pyarrow.parquet.write_table(table, f"{folder}/rows.parquet", row_group_size=2)
            data = ray.data.read_parquet(f"{folder}/rows.parquet")
            found = self.on_engine(markeval.ray.score, "chrf", data, segments=True)
        self.assertEqual(found.to_json(), on_one_machine(markeval.score, "chrf", self.model, segments=True))

    def test_a_dataset_of_the_other_reader_is_warned_of(self):
        context = ray.data.DataContext.get_current()
        with unittest.mock.patch.object(context, "use_datasource_v2", True):
            data = self.data_of(COLUMNS)
        with self.assertWarnsRegex(markeval.MarkevalWarning, "import markeval.ray before read_parquet"):
            markeval.ray.score(data, "ref", {"mine": "mine"}, "chrf")

    def test_settings_of_ray_are_left_as_they_were(self):
        context = ray.data.DataContext.get_current()
        with unittest.mock.patch.object(context, "read_op_min_num_blocks", 50):
            before = context.copy()
            self.on_engine(markeval.ray.score, "chrf")
            with self.assertRaises(markeval.InvalidInputError):
                self.on_engine(markeval.ray.score, "chrf", self.data_of({**COLUMNS, "mine": [None] * 24}))
            self.assertEqual(context, before)

    def test_the_examples_of_the_page(self):
        self.assertEqual(self.run_the_page(), 3)


if __name__ == "__main__":
    unittest.main()
