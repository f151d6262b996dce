"""scripts/studies.sh with a program of two lines in place of markeval: what is made, what is left, what fails."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
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

    def test_match_is_left_out_where_the_program_has_no_head_for_the_model(self):
        out, _ = self.run_script('--model', 'small', 'tac')
        self.assertNotIn('match', (out / 'tac.txt').read_text())
        out, _ = self.run_script('--model', 'folder/bge-small-en-v1.5', 'tac')
        self.assertIn('-m match:multi=mean bertscore:multi=mean', (out / 'tac.txt').read_text())
        _, done = self.run_script('--model', 'small', 'match-wmt19')
        self.assertIn('match-wmt19: the program has no head of match for small', done.stderr)
        out, _ = self.run_script('--model', 'bge-small-en-v1.5', 'match-wmt19')
        self.assertIn('-m match --model bge-small-en-v1.5', (out / 'match-wmt19.txt').read_text())

    def test_ctrl_c_leaves_no_part_of_a_file_and_only_missing_goes_on(self):
        started = self.path / 'started'
        self.program(f'case "$*" in *k-sweep*) echo half; touch {started}; exec sleep 60;; esac; echo "made with $*"')
        out = self.path / 'out'
        command = [sys.executable, SCRIPT, str(self.path), '--program', self.path / 'program', '--out', out, '--only-missing']
        running = subprocess.Popen([*command, 'wmt19', 'k-sweep'], stderr=subprocess.PIPE, text=True, start_new_session=True)
        while not started.exists():
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGINT)
        said = running.communicate(timeout=30)[1]
        self.assertEqual(running.returncode, 1)
        self.assertIn('stopped; the same command with --only-missing goes on', said)
        self.assertNotIn('Traceback', said)
        self.assertEqual([file.name for file in out.iterdir()], ['wmt19.txt'])
        self.program('echo "made again"')
        done = subprocess.run([*command, 'wmt19', 'k-sweep'], capture_output=True, text=True, check=True)
        self.assertIn('1 of 2 studies to make', done.stderr)
        self.assertIn('made with', (out / 'wmt19.txt').read_text())
        self.assertIn('made again', (out / 'k-sweep.txt').read_text())

    def test_a_script_runs_with_the_program_and_the_data_that_are_named(self):
        (self.path / 'coco').mkdir()
        (self.path / 'coco/coco2015_human_and_metrics.tsv').write_text(
            'team\tM1\tM2\tc5_METEOR\tc5_SPICE\n' + ''.join(f'team {n}\t{n}\t{n}\t{n}\t{n}\n' for n in range(3)))
        values = ', '.join(f'{{"predicted": "{name}", "gold": "{gold}", "pearson": 0.25}}'
                           for name in ('c5_METEOR', 'c5_SPICE') for gold in ('M1', 'M2'))
        self.program(f"echo '{{\"results\": [{values}]}}'")
        out, done = self.run_script('captions-of-coco')
        self.assertEqual(done.returncode, 0, done.stderr)
        made = (out / 'captions-of-coco.txt').read_text()
        self.assertTrue(made.startswith('$ python3 bench/studies/captions_of_coco.py --program build/release/markeval --data data\n'))
        self.assertRegex(made, r'(?m)^METEOR +3  0\.250')
        self.assertIn('--data data --model small --without match\n', self.run_script('--list', '--model', 'small')[1].stdout)
        _, done = self.run_script('--model', 'small', 'captions-of-coco')
        self.assertIn('captions-of-coco: a script with a model of its own', done.stderr)

    def test_word_vectors_are_those_of_the_data(self):
        self.program('echo "$*" >&2')
        _, done = self.run_script('static')
        self.assertIn(f'-m moverscore:embeddings={self.path}/glove/', done.stderr)

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
