"""Runs the Python of README.md, docs/start/tutorial.md and docs/reference/python.md and compares what it prints.

A block of python is followed by the block of text it prints, where it prints. Blocks under a line with
"needs a model" run where all-MiniLM-L6-v2 is on the machine. With --update the text blocks are written anew.
"""

import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
import unittest
import warnings

import markeval

from support import EXAMPLES, ROOT, real_model

BLOCK = re.compile(r"```python\n(.*?)```(\n\n```text\n(.*?)```)?", re.S)
DOCUMENTS = ("README.md", "docs/start/tutorial.md", "docs/reference/python.md")


def run_document(text, with_model):
    """(expected, printed, place) of every block; one namespace for all of them, in a folder of its own."""
    names = {}
    needs_model = text.find("needs a model")
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)
        os.symlink(EXAMPLES, "examples")
        try:
            for block in BLOCK.finditer(text):
                if not with_model and 0 <= needs_model < block.start():
                    return
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    exec(compile(block[1], "document", "exec"), names)
                yield block, printed.getvalue()
        finally:
            os.chdir(here)


def updated(text):
    """The document with what its blocks print."""
    parts, end = [], 0
    for block, printed in run_document(text, True):
        parts.append(text[end : block.start()] + f"```python\n{block[1]}```")
        if printed:
            parts.append(f"\n\n```text\n{printed}```")
        end = block.end()
    return "".join(parts) + text[end:]


class Documents(unittest.TestCase):
    def test_print_what_they_say(self):
        model = real_model()
        if model:
            os.environ["MARKEVAL_MODELS"] = os.path.dirname(model)
        for name in DOCUMENTS:
            text = (ROOT / name).read_text()
            ran = 0
            for block, printed in run_document(text, model is not None):
                ran += 1
                line = text.count("\n", 0, block.start()) + 1
                with self.subTest(f"{name}:{line}"):
                    self.assertEqual(block[3] or "", printed)
            self.assertGreater(ran, 0, name)
        if model is None:
            self.skipTest("all-MiniLM-L6-v2 is not on this machine: the parts that need it were left out")

    def test_examples_in_docstrings_hold(self):
        for module in (markeval, markeval._align, markeval._styles):
            found = doctest.testmod(module)
            self.assertGreater(found.attempted, 0, module.__name__)
            self.assertEqual(found.failed, 0, module.__name__)


if __name__ == "__main__":
    if "--update" in sys.argv:
        for document in DOCUMENTS:
            (ROOT / document).write_text(updated((ROOT / document).read_text()))
    else:
        unittest.main()
