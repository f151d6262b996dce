"""scripts/studies.sh with a program of two lines in place of markeval: what is made, what is left, what fails."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / 'scripts/studies.py'


class StudiesScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        # The studies "layers" fail, as they do with a model of six layers.
        self.program('case "$*" in *layers=*) echo "no layer 8" >&2; exit 2;; esac; echo "made with $*"')

    def program(self, body):
        file = self.path / 'program'
        file.write_text(f'#!/bin/sh\n{body}\n')
        file.chmod(0o755)

    def run_script(self, *words):
        out = self.path / 'out'
        command = [sys.executable, SCRIPT, str(self.path), '--program', self.path / 'program', '--out', out, *words]
        return out, subprocess.run(command, capture_output=True, text=True, check=False)

    def test_goes_on_after_a_study_that_fails_and_names_it(self):
        out, done = self.run_script('--model', 'small', 'layers', 'wmt19')
        self.assertEqual(done.returncode, 1)
        self.assertIn('not made: layers', done.stderr)
        self.assertNotIn('Traceback', done.stderr)
        self.assertFalse((out / 'layers.txt').exists())
        self.assertIn('$ markeval experiment wmt19 --data data --model small\nmade with experiment wmt19 --data data --model small',
                      (out / 'wmt19.txt').read_text())
        self.assertRegex((out / 'times.tsv').read_text(), r'^wmt19\t\d+\n$')

    def test_only_missing_leaves_what_the_same_command_made(self):
        self.run_script('--model', 'small', 'wmt19')
        self.program('echo "made again"')
        out, done = self.run_script('--model', 'small', '--only-missing', 'wmt19', 'k-sweep')
        self.assertIn('1 of 2 studies to make', done.stderr)
        self.assertNotIn('again', (out / 'wmt19.txt').read_text())
        self.assertIn('again', (out / 'k-sweep.txt').read_text())
        out, done = self.run_script('--model', 'other', '--only-missing', 'wmt19')
        self.assertIn('again', (out / 'wmt19.txt').read_text(), 'another model is another command')

    def test_the_list_has_the_seconds_each_took_with_a_model(self):
        out, _ = self.run_script('--model', 'small', 'wmt19')
        seconds = (out / 'times.tsv').read_text().split()[1]
        _, done = self.run_script('--list', '--model', 'small')
        self.assertRegex(done.stdout, rf'(?m)^wmt19 +{seconds} s  markeval experiment wmt19 --data data --model small$')
        self.assertRegex(done.stdout, r'(?m)^k-sweep +markeval')

    def test_a_model_takes_the_place_of_those_a_study_names(self):
        out, _ = self.run_script('--model', 'small', 'word-swap-bge', 'data-to-text')
        self.assertNotIn('bge', (out / 'word-swap-bge.txt').read_text())
        self.assertNotIn('bge', (out / 'data-to-text.txt').read_text())

    def test_the_files_have_the_papers_rows_that_the_program_has(self):
        out = self.path / 'out'
        shutil.copytree(ROOT / 'docs/background/studies', out)
        _, done = self.run_script('--papers')
        self.assertEqual(done.returncode, 0, done.stderr)
        changed = [file.name for file in out.glob('*.txt')
                   if file.read_text(encoding='utf8') != (ROOT / 'docs/background/studies' / file.name).read_text(encoding='utf8')]
        self.assertEqual(changed, [], 'scripts/studies.sh --papers mends them')


if __name__ == '__main__':
    unittest.main()
