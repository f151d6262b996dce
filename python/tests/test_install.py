"""The lines of progress that `pip install .` prints, without a build."""

import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

from support import ROOT


def backend():
    """packaging/build_backend.py, on a scikit-build-core that builds nothing."""
    made = types.ModuleType("scikit_build_core.build")
    made.build_wheel = made.build_editable = lambda folder: f"{folder}/a.whl"
    package = types.ModuleType("scikit_build_core")
    package.build = made
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "packaging" / "build_backend.py")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, {"scikit_build_core": package, "scikit_build_core.build": made}):
        spec.loader.exec_module(module)
    return module


class Progress(unittest.TestCase):
    def test_lines_tell_steps_and_time(self):
        module, ended, shown = backend(), threading.Event(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            module.FOLDER, module.SECONDS_BETWEEN_LINES = pathlib.Path(folder), 0.01
            (module.FOLDER / ".ninja_log").write_text("of an earlier build\n")
            asked = []

            def steps():
                asked.append(1)
                with open(module.FOLDER / ".ninja_log", "a", encoding="ascii") as log:
                    log.write("a step\n" * {1: 1, 3: 8, 4: 11}.get(len(asked), 0))
                if len(asked) == 7:
                    ended.set()
                return 100

            module.steps_in_all = steps
            module.show_progress(shown, ended)
        lines = shown.getvalue().split("\n")
        self.assertRegex(lines[1], "^markeval: compiling on [0-9]+ cores")
        self.assertEqual(lines[2:4], ["markeval: 1 of 100 steps", "markeval: 9 of 100 steps"])
        self.assertRegex(lines[4], "^markeval: 20 of 100 steps, about [0-9]+ min left")
        self.assertEqual(lines[5:], [""], "a step that takes long is told once")

    def test_without_a_terminal_the_build_runs_alone(self):
        module = backend()
        with mock.patch.object(module, "open", side_effect=OSError, create=True):
            self.assertEqual(module.build_wheel(os.sep), "//a.whl")


if __name__ == "__main__":
    unittest.main()
