"""bench/studies/words_of_systems.py with a program in place of markeval that answers with made-up agreements."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
# Agreement of `me` with three pairs by K = 1, 2, 3: alone cs-en would take 3, de-en 1 and ru-en 2.
PROGRAM = r'''#!/usr/bin/env python3
import json, sys
words = sys.argv
pair, file = words[words.index('--part') + 1], words[words.index('-o') + 1]
by_k = {'cs-en': [.5, .6, .7], 'de-en': [.9, .3, .1], 'ru-en': [.4, .8, .6]}[pair]
name = 'me:samples=word'
tables = []
if name in words:
    tables = [{'name': 'wmt17-system', 'title': '', 'columns': [], 'rows': [[name + '.petersen', 'm', 'markeval', by_k[0], by_k[0]]]},
              {'name': f'wmt17-system-{pair}-me-by-k', 'title': f'{name} by K, {pair}', 'columns': ['k', 'petersen'],
               'rows': [[k + 1, value] for k, value in enumerate(by_k)]}]
json.dump({'tables': tables, 'signatures': ['me|k:1']}, open(file, 'w'))
'''


class WordsOfSystems(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / 'program').write_text(PROGRAM)
        (self.path / 'program').chmod(0o755)

    def run_script(self, *words):
        command = [sys.executable, ROOT / 'bench/studies/words_of_systems.py', '--program', self.path / 'program', '--data', self.path,
                   '--work', self.path / 'work', '--pairs', 'cs-en', 'de-en', 'ru-en', '--parts', 'corpus', *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def row(self, out, title, name):
        block = next(block for block in out.split('\n\n') if block.lstrip().startswith(title))
        return re.split('  +', next(line for line in block.split('\n') if line.startswith(name)))[3:]

    def test_each_pair_has_the_k_of_the_others(self):
        out = self.run_script()
        name = 'me:samples=word.petersen'
        self.assertEqual(self.row(out, 'Pearson', name), ['0.500', '0.900', '0.400', '0.600'])
        self.assertEqual(self.row(out, 'Mean over the pairs by K', name), ['0.600', '0.567', '0.467'])
        self.assertEqual(self.row(out, 'Each pair with its own', name), ['0.700', '0.900', '0.800', '0.800', '3 1 2'])
        # The others of cs-en have .65 .55 .35, of de-en .45 .7 .65, of ru-en .7 .45 .4.
        self.assertEqual(self.row(out, 'Each pair with the K', name), ['0.500', '0.300', '0.400', '0.400', '1 2 1'])

    def test_what_is_made_is_not_made_again(self):
        first = self.run_script()
        (self.path / 'program').write_text('#!/bin/sh\nexit 1\n')
        self.assertEqual(self.run_script(), first)
        self.assertEqual(self.run_script('--finished'), first)


if __name__ == '__main__':
    unittest.main()
