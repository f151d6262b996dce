"""markeval.align and markeval.models.convert: the functions of the command line, from Python."""

import pathlib
import shutil
import tempfile
import unittest

import numpy as np

import markeval

from support import ROOT, write_tiny_model

REFERENCE = ["The boat left at dawn.", "Nobody saw it again.", "The sea was calm."]
TEXT = ["The boat left at dawn. Nobody has seen", "it again. The sea was very calm."]
CUT = ["The boat left at dawn.", "Nobody has seen it again.", "The sea was very calm."]


class Align(unittest.TestCase):
    def test_cuts_lists_of_texts(self):
        found = markeval.align(REFERENCE, TEXT)
        self.assertEqual(found.lines, CUT)
        self.assertEqual(found.edits, 3)
        self.assertAlmostEqual(found.error_rate, 3 / 13)

    def test_cuts_files_and_any_sequence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ref.txt"
            path.write_text("".join(line + "\n" for line in REFERENCE))
            self.assertEqual(markeval.align(path, tuple(TEXT)).lines, CUT)

    def test_options_count(self):
        self.assertEqual(markeval.align(["ab", "cd"], ["abcd"], unit="character").lines, ["ab", "cd"])
        self.assertEqual(markeval.align(["A b", "c"], ["a B C"], ignore_case=True).edits, 0)
        self.assertEqual(markeval.align(["A b", "c"], ["a B C"]).edits, 3)

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(TypeError, "text is a str, expected a list of texts or a pathlib.Path"):
            markeval.align(REFERENCE, "one text")
        with self.assertRaisesRegex(markeval.UsageError, "unknown unit 'words'.*word"):
            markeval.align(REFERENCE, TEXT, unit="words")
        with self.assertRaisesRegex(markeval.InvalidInputError, "^reference: no lines to align to"):
            markeval.align([], TEXT)
        with self.assertRaisesRegex(markeval.InvalidInputError, "^text: no words to align"):
            markeval.align(REFERENCE, [" "])
        with self.assertRaisesRegex(markeval.InputOutputError, "nowhere.txt"):
            markeval.align(pathlib.Path("nowhere.txt"), TEXT)


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_writes_a_model_that_gives_the_same_vectors(self):
        tiny = pathlib.Path(write_tiny_model(self.folder))
        found = markeval.models.convert(tiny, self.folder / "new")
        self.assertEqual(found.folder, str(self.folder / "new"))
        self.assertGreater(found.tensors, 30)
        np.testing.assert_array_equal(
            markeval.embed(["a cat"], model=self.folder / "new", cache="none"),
            markeval.embed(["a cat"], model=tiny, cache="none"),
        )

    def test_a_folder_that_is_there_is_refused(self):
        model = ROOT / "tests" / "encoder" / "models" / "bert"
        with self.assertRaisesRegex(markeval.UsageError, "is there already"):
            markeval.models.convert(model, self.folder)


if __name__ == "__main__":
    unittest.main()
