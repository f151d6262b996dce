"""markeval.ray on a real cluster of this machine: two workers, one of them killed."""

import unittest
import warnings

from clusters_support import COLUMNS, SameAsOneMachine
from support import TestWithModel

try:
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

    def test_the_examples_of_the_page(self):
        self.assertEqual(self.run_the_page(), 3)


if __name__ == "__main__":
    unittest.main()
