"""Runs the own unit tests of sacrebleu and rouge-score against the drop-ins.

    python python/tests/peers/unit_tests.py [--folder DIR]

Fetches the two source packages with pip into DIR (a temporary folder by default), takes the tests out of them,
and runs them in a process where `import sacrebleu` and `import rouge_score` give the drop-ins. Needs markeval,
pytest, absl-py and six. Prints how many pass, and every test that does not, with the reason known for it; exits
1 where one fails without a reason. The packages themselves are neither installed nor imported.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

PACKAGES = {"sacrebleu": "2.6.0", "rouge_score": "0.1.2"}

# What is not offered: a pattern of test names, and why.
NOT_OFFERED = [
    (r"test_api\.py", "test sets and their files (sacrebleu.utils, sacrebleu.dataset)"),
    (r"test_dataset\.py", "test sets and their files (sacrebleu.utils, sacrebleu.dataset)"),
    (r"io_test\.py", "file tools (rouge_score.io)"),
    (r"test(LcsTable|UnionLcs|SummaryLevelLcs)$", "Python internals of rouge_scorer.py"),
    (r"scoring_test\.py.*test(MultipleRougeTypes|ConfidenceIntervals.*)$", "its texts are not in the source package"),
    (r"rouge_scorer_test\.py.*(Large|AgainstRouge155.*)$", "its texts are not in the source package"),
    (r"testRougeLSumSentenceSplitting$", "split_summaries needs nltk and its data, as it does there"),
]

CONFTEST = """
import importlib, importlib.util, pkgutil, sys, types


class NotOffered(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing()


class Thing:
    def _refuse(self, *_, **__):
        raise NotImplementedError("not offered")

    __getattr__ = __call__ = __iter__ = __getitem__ = _refuse


def put(name, module):
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)


for name in ("sacrebleu", "rouge_score"):
    package = importlib.import_module("markeval.compat." + name)
    put(name, package)
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        put(name + found.name[len(package.__name__):], importlib.import_module(found.name))
for name in ("sacrebleu.utils", "sacrebleu.dataset", "rouge_score.io"):
    put(name, NotOffered(name))
spec = importlib.util.spec_from_file_location("rouge_score.test_util", %(test_util)r)
test_util = importlib.util.module_from_spec(spec)
spec.loader.exec_module(test_util)
put("rouge_score.test_util", test_util)
"""


def fetch(folder):
    for name, version in PACKAGES.items():
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", name.replace("_", "-"),
             "--dest", str(folder), f"{name.replace('_', '-')}=={version}"],
            check=True,
        )
        archive = next(folder.glob(f"{name}-{version}.tar.gz"))
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)


def lay_out(folder):
    """The tests alone: beside their packages they would import those."""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(folder / f"sacrebleu-{PACKAGES['sacrebleu']}" / "test", run / "test")
    rouge = folder / f"rouge_score-{PACKAGES['rouge_score']}" / "rouge_score"
    (run / "rouge").mkdir()
    for test in rouge.glob("*_test.py"):
        shutil.copy(test, run / "rouge")
    data = rouge / "testdata"  # the source package has none; every test opens these, few read them
    data.mkdir(exist_ok=True)
    for name in ("target", "prediction", "target_large", "prediction_large"):
        (data / f"{name}.txt").touch()
    (run / "conftest.py").write_text(CONFTEST % {"test_util": str(rouge / "test_util.py")})
    return run


def reason(test):
    return next((why for pattern, why in NOT_OFFERED if re.search(pattern, test)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=None)
    arguments = parser.parse_args()
    folder = arguments.folder or pathlib.Path(tempfile.mkdtemp(prefix="peer-tests-"))
    folder.mkdir(parents=True, exist_ok=True)
    fetch(folder)
    run = lay_out(folder)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-o", "addopts=",
         "-o", "python_files=test_*.py *_test.py", "--rootdir", str(run), "test", "rouge"],
        cwd=run, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    outcomes = {"PASSED": [], "FAILED": [], "ERROR": []}
    for line in done.stdout.splitlines():
        match = re.match(r"(PASSED|FAILED|ERROR) (.+?)(?: - .*)?$", line)
        if match:
            outcomes[match[1]].append(match[2])
    unexplained = []
    for package, place in (("sacrebleu", "test/"), ("rouge_score", "rouge/")):
        passed = [one for one in outcomes["PASSED"] if one.startswith(place)]
        others = [one for one in outcomes["FAILED"] + outcomes["ERROR"] if one.startswith(place)]
        print(f"{package} {PACKAGES[package]}: {len(passed)} pass, {len(others)} do not")
        by_reason = {}
        for test in others:
            by_reason.setdefault(reason(test) or "NO REASON KNOWN", []).append(test)
        for why, tests in by_reason.items():
            names = dict.fromkeys(test.split("::")[-1].split("[")[0] for test in tests)
            print(f"  {len(tests)}: {why}: {', '.join(names)}")
        unexplained += by_reason.get("NO REASON KNOWN", [])
    if not outcomes["PASSED"] or unexplained:
        print(done.stdout[-6000:])
        print(done.stderr[-2000:])
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
