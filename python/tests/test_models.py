"""markeval.models.pull against a hub on this machine."""

import os
import pathlib
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import numpy as np

import markeval

from support import ROOT, write_tiny_model

sys.path.insert(0, str(ROOT / "tests" / "support"))
from model_hub import COMMIT, ModelHub, files_of  # noqa: E402

KEPT = {name: value for name, value in os.environ.items() if not name.lower().startswith(("markeval", "hf_", "http"))}


class Pull(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.tiny = write_tiny_model(self.folder)
        self.hub = ModelHub(files_of(self.tiny))
        self.addCleanup(self.hub.__exit__)
        self.store = self.folder / "store"
        place = {**KEPT, "MARKEVAL_MODELS": str(self.store), "MARKEVAL_CACHE": "none"}
        environment = mock.patch.dict(os.environ, place, clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    def pull(self, **options):
        return markeval.models.pull("owner/tiny", **{"endpoint": self.hub.address, **options})

    def test_brings_a_model_that_works(self):
        found = self.pull()
        self.assertEqual(found, (str(self.store / "owner" / "tiny"), COMMIT, False))
        np.testing.assert_array_equal(markeval.embed(["a cat"], model="owner/tiny"), markeval.embed(["a cat"], model=self.tiny))

    def test_a_second_pull_fetches_nothing(self):
        self.pull()
        self.hub.asked.clear()
        self.assertTrue(self.pull().already_there)
        self.assertEqual(self.hub.asked, ["/api/models/owner/tiny/revision/main"])

    def test_the_environment_names_the_hub(self):
        os.environ["HF_ENDPOINT"] = self.hub.address
        self.assertEqual(markeval.models.pull("owner/tiny").revision, COMMIT)

    def test_progress_is_told_by_files(self):
        told = []
        self.pull(progress=lambda *place: told.append(place))
        size = len(self.hub.files["model.safetensors"])
        self.assertEqual(told[-1], ("model.safetensors", size, size))

    def test_a_function_that_raises_stops_it(self):
        def stop(*_):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.pull(progress=stop)

    def test_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(markeval.InvalidInputError, "owner/tiny at revision v9: not found at http"):
            self.pull(revision="v9")
        with self.assertRaisesRegex(markeval.UsageError, "model 'tiny', expected OWNER/NAME"):
            markeval.models.pull("tiny", endpoint=self.hub.address)
        with self.assertRaisesRegex(markeval.InputOutputError, "cannot reach http://127.0.0.1:9: no connection"):
            self.pull(endpoint="http://127.0.0.1:9")
        self.assertTrue(issubclass(markeval.InputOutputError, markeval.Error))

    def test_files_without_a_checksum_are_taken_only_when_told(self):
        self.hub.checksums = False
        with self.assertRaisesRegex(markeval.InvalidInputError, "lists no checksum of"):
            self.pull()
        self.assertFalse((self.store / "owner").exists())
        self.assertFalse(self.pull(no_checksum=True).already_there)

    def test_a_token_is_not_sent_in_the_open(self):
        os.environ["HF_TOKEN"] = "secret"
        with self.assertWarnsRegex(markeval.MarkevalWarning, "HF_TOKEN is not sent") as caught:
            self.pull()
        self.assertEqual(caught.filename, __file__)

    def test_it_is_silent_otherwise(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.pull()


if __name__ == "__main__":
    unittest.main()
