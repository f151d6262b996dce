"""The keyword arguments of the functions: all of them real, none forgotten, checked by mypy."""

import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest

import markeval
from markeval import _native

PROGRAM = '''
from typing import List
import markeval

refs: List[str] = ["a cat sat there", "the dog ran"]
report = markeval.score(refs, {"mine": ["a cat sat here", "a dog ran"]}, ["chrf", "bleu"], segments=True, ci=100)
value: float = report.score("mine", "chrf")
first: markeval.Result = report[0]
comparison = markeval.compare(refs, {"a": refs, "b": refs}, "chrf", test="randomisation", alpha=0.01)
text: str = comparison.to_html() if False else str(comparison)
names: List[str] = markeval.metric_names()
print(value, text, names, first.signature)
'''
WRONG = '''
import markeval
markeval.score(["a"], ["b"], "bleu", segmets=True)
markeval.compare(["a"], ["b"], "bleu", alpha="small")
'''

# What a field of a request is called as an argument, where that is not its own name.
# group= and source= take a column, a file, or the labels and texts themselves.
SCORE_NAMES = {"resamples": "ci", "groups": "group", "source_text": "source", "source_texts": "source"}


def parameters(function):
    return set(inspect.signature(function).parameters)


class KeywordArguments(unittest.TestCase):
    def fields(self, request):
        return set(_native.field_names(request))

    def test_functions_have_every_field_of_their_request(self):
        settings = self.fields("settings")
        score = {SCORE_NAMES.get(name, name) for name in self.fields("score")}
        self.assertLessEqual(score | settings, parameters(markeval.score))
        compare = {"group" if name == "groups" else name for name in self.fields("compare")}
        self.assertLessEqual(compare | settings, parameters(markeval.compare))
        correlate = {"ci" if name == "intervals" else name for name in self.fields("correlate")}
        self.assertLessEqual(correlate | settings, parameters(markeval.correlate))
        self.assertLessEqual(self.fields("embed") - {"input", "output", "replace_invalid"}, parameters(markeval.embed))
        self.assertLessEqual(self.fields("experiment") | settings, parameters(markeval.experiment))
        train = {"start_from" if name == "from" else name for name in self.fields("train")}
        self.assertLessEqual(train | settings, parameters(markeval.train))

    def test_no_function_takes_just_anything(self):
        for function in (markeval.score, markeval.compare, markeval.correlate, markeval.embed, markeval.train,
                         markeval.experiment):
            kinds = {one.kind for one in inspect.signature(function).parameters.values()}
            self.assertNotIn(inspect.Parameter.VAR_KEYWORD, kinds, function.__name__)

    def test_a_near_miss_names_the_argument(self):
        with self.assertRaisesRegex(TypeError, r"score\(\) has no argument 'metric'; did you mean 'metrics'\?"):
            markeval.score(["a"], ["a"], metric="chrf")
        with self.assertRaisesRegex(TypeError, "did you mean 'segments'"):
            markeval.Scorer().score(["a"], ["a"], "chrf", segment=True)
        with self.assertRaisesRegex(TypeError, "has no argument 'xyz'$"):
            markeval.compare(["a"], ["a"], xyz=1)
        with self.assertRaisesRegex(TypeError, r"Scorer\(\) has no argument 'modle'; did you mean 'model'\?"):
            markeval.Scorer(modle="x")
        with self.assertRaisesRegex(TypeError, r"experiment\(\) has no argument 'part'; did you mean 'parts'"):
            markeval.experiment("k-sweep", "data", part="a")

    def test_the_beginning_of_a_keyword_is_answered_with_it(self):
        for begun, whole in (("seg", "segments"), ("cei", "ceiling"), ("repl", "replace_invalid")):
            with self.assertRaisesRegex(TypeError, f"has no argument '{begun}'; did you mean '{whole}'"):
                markeval.score(["a"], ["a"], "chrf", **{begun: True})
        with self.assertRaisesRegex(TypeError, "has no argument 's'$"):
            markeval.score(["a"], ["a"], "chrf", s=True)

    def test_keywords_of_other_tools_are_answered_with_ours(self):
        for theirs, ours in (("cands", "systems"), ("refs", "references"), ("model_type", "model"), ("nthreads", "threads")):
            with self.assertRaisesRegex(TypeError, f"has no argument '{theirs}'; did you mean '{ours}'"):
                markeval.score(["a"], ["a"], "chrf", **{theirs: None})
        with self.assertRaisesRegex(TypeError, "has no argument 'refs'; did you mean 'reference'"):
            markeval.correlate({"a": [1.0]}, "a", "a", refs="a")
        with self.assertRaisesRegex(TypeError, 'use_stemmer.; it is an option of a metric: metrics="rouge1:stem=yes"'):
            markeval.score(["a"], ["a"], "rouge1", use_stemmer=True)

    def test_defaults_are_those_of_the_scorer(self):
        for function, method in ((markeval.score, markeval.Scorer.score), (markeval.compare, markeval.Scorer.compare),
                                 (markeval.correlate, markeval.Scorer.correlate), (markeval.embed, markeval.Scorer.embed)):
            ours = inspect.signature(function).parameters
            for name, theirs in inspect.signature(method).parameters.items():
                if name != "self":
                    self.assertEqual(ours[name].default, theirs.default, f"{function.__name__}: {name}")

    def test_help_lists_keywords_with_types_and_defaults(self):
        shown = str(inspect.signature(markeval.score))
        for part in ("segments: bool = False", "seed: int = 12345", "= 'all-MiniLM-L6-v2'"):
            self.assertIn(part, shown)
        self.assertEqual(markeval.score.__annotations__["ceiling"], bool)

    def test_functions_are_explained_with_an_example(self):
        for function in (markeval.score, markeval.compare, markeval.correlate, markeval.metrics, markeval.align,
                         markeval.models.convert, markeval.models.pull):
            self.assertIn(">>>", function.__doc__)


class Types(unittest.TestCase):
    def check(self, program):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "program.py"
            file.write_text(program)
            return subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, str(file)],
                capture_output=True, text=True, check=False)

    def test_a_small_program_is_strictly_typed(self):
        found = self.check(PROGRAM)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_a_wrong_argument_is_found(self):
        found = self.check(WRONG)
        self.assertIn('Unexpected keyword argument "segmets"', found.stdout)
        self.assertIn('incompatible type "str"; expected "float"', found.stdout)


class Program(unittest.TestCase):
    def test_the_module_is_the_command(self):
        found = subprocess.run([sys.executable, "-m", "markeval", "--version"], capture_output=True, text=True,
                               check=False)
        self.assertEqual((found.returncode, found.stdout), (0, f"markeval {markeval.__version__}\n"), found.stderr)

    def test_exit_codes_are_those_of_the_command(self):
        found = subprocess.run([sys.executable, "-m", "markeval", "scroe"], capture_output=True, text=True,
                               check=False)
        self.assertEqual(found.returncode, 2)
        self.assertIn("did you mean 'score'?", found.stderr)

    def test_a_console_script_is_installed(self):
        script = pathlib.Path(sys.executable).parent / "markeval"
        if not script.exists():
            self.skipTest("this interpreter runs the package from its source")
        found = subprocess.run([str(script), "--version"], capture_output=True, text=True, check=False)
        self.assertEqual(found.stdout, f"markeval {markeval.__version__}\n")


class Experiment(unittest.TestCase):
    def test_studies_have_names(self):
        self.assertIn("k-sweep", markeval.studies())

    def test_wrong_words_and_missing_data_are_told(self):
        with self.assertRaisesRegex(markeval.UsageError, "k-sweep"):
            markeval.experiment("k-swep", "data")
        with self.assertRaises(markeval.Error):
            markeval.experiment("k-sweep", "no-such-folder")


if __name__ == "__main__":
    unittest.main()
