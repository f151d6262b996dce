"""scripts/make_data.py: downloads in the shape they are published in, with texts of our own, become a folder that
`markeval experiment` reads; what is not as published is refused in one sentence."""
import argparse
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
options, others = parser.parse_known_args()
SCRIPT = pathlib.Path(__file__).parents[2] / 'scripts' / 'make_data.py'
MARKEVAL = [*options.emulator.replace(';', ' ').split(), os.path.abspath(options.program)]
PAIRS = 'cs-en de-en fi-en lv-en ru-en tr-en zh-en en-ru en-zh'.split()
WORDS = 'the small boat came home late after rain'.split()
SENTENCES = [' '.join(WORDS[start:] + WORDS[:start]) for start in range(len(WORDS))]


def pack(tar, name, text):
    data = text if isinstance(text, bytes) else text.encode()
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def wmt17_package(path):
    texts = io.BytesIO()
    segments, systems = ['LP DATA SYSTEM SID HUMAN'], ['LP HUMAN SYSTEM']
    with tarfile.open(fileobj=texts, mode='w:gz') as tar:
        for pair in PAIRS:
            source, target = pair.split('-')
            top = 'wmt17-metrics-task-no-hybrids/wmt17-submitted-data/txt'
            pack(tar, f'{top}/references/newstest2017-{source}{target}-ref.{target}', '\n'.join(SENTENCES) + '\n')
            for number, system in enumerate(('good.1', 'middle.2', 'bad.3')):
                lines = [' '.join(line.split()[number * 2:]) for line in SENTENCES]
                pack(tar, f'{top}/system-outputs/newstest2017/{pair}/newstest2017.{system}.{pair}', '\n'.join(lines) + '\n')
                systems.append(f'{pair} {1 - number} {system}')
            for line in range(len(SENTENCES)):
                segments.append(f'{pair} newstest2017 {("good.1", "gone.4+middle.2", "bad.3")[line % 3]} {line + 1} {1 - line % 3 + line / 100}')
            segments.append(f'{pair} newstest2017 gone.4 1 0.5')
    with tarfile.open(path, 'w:gz') as tar:
        pack(tar, 'wmt17-metrics-task-package/input/wmt17-metrics-task-no-hybrids.tgz', texts.getvalue())
        pack(tar, 'wmt17-metrics-task-package/manual-evaluation/DA-seglevel.csv', '\n'.join(segments) + '\n')
        pack(tar, 'wmt17-metrics-task-package/manual-evaluation/DA-syslevel.csv', '\n'.join(systems) + '\n')


class Runs:
    def __init__(self, word):
        self.word = word

    def __reduce__(self):
        return os.mkdir, (self.word,)


class MakeData(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.data = self.folder / 'data'

    def make(self, *downloads, good=True):
        done = subprocess.run([sys.executable, SCRIPT, self.data, *downloads], capture_output=True, text=True)
        self.assertEqual(done.returncode == 0, good, done.stderr)
        return done.stderr

    def table(self, *words):
        """What the study prints."""
        done = subprocess.run([*MARKEVAL, 'experiment', *words, '--data', self.data, '-q', '--format', 'json'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def pickled(self, place, value):
        path = self.folder / place / 'data.pkl'
        path.parent.mkdir(parents=True)
        path.write_bytes(pickle.dumps(value))
        return path

    def test_wmt17(self):
        wmt17_package(self.folder / 'wmt17-metrics-task-package.tgz')
        told = self.make(self.folder / 'wmt17-metrics-task-package.tgz')
        self.assertIn('cs-en: 1 judged segments left out', told)
        self.assertIn('chrf', self.table('wmt17', '-m', 'chrf'))
        self.assertIn('chrf', self.table('wmt17', '--part', 'en-ru', '-m', 'chrf'))
        self.assertIn('chrf', self.table('wmt17', '--level', 'system', '-m', 'chrf'))

    def test_summaries(self):
        summaries = [{'summ_id': name, 'pyr_score': number / 10, 'responsiveness': number, 'text': SENTENCES[:number + 1]}
                     for number, name in enumerate(('1', '2', '3', 'A'), 1)]
        topics = {f'D0{topic}': {'references': [{'id': 'r', 'text': SENTENCES}], 'annotations': summaries} for topic in range(2)}
        for year in ('08', '09'):
            (self.folder / f'tac.{year}.mds.gen.resp-pyr.json').write_text(json.dumps(topics))
        self.make(*self.folder.glob('tac*'))
        self.assertIn('rouge1', self.table('tac', '-m', 'rouge1'))

    def test_utterances_and_pairs(self):
        rows = {number: {'src': 's', 'sys_summ': ' '.join(line.split()[number % 4:]), 'ref_summs': [line], 'scores':
                         {name: number % 4 + number / 10 for name in ('informativeness', 'naturalness', 'quality')}}
                for number, line in enumerate(SENTENCES)}
        self.make(*(self.pickled(f'D2T/{name}', rows) for name in ('BAGEL', 'SFHOT', 'SFRES')))
        self.assertIn('chrf', self.table('data-to-text', '-m', 'chrf'))
        pairs = {number: {'src': 's', 'ref': line, 'better': {'sys': line}, 'worse': {'sys': 'no'}} for number, line in enumerate(SENTENCES)}
        self.make(*(self.pickled(f'WMT/{name}', pairs) for name in ('gu-en', 'kk-en', 'lt-en')))
        self.assertIn('chrf', self.table('wmt19', '-m', 'chrf'))

    def test_sentences_and_words(self):
        with zipfile.ZipFile(self.folder / 'multinli_1.0.zip', 'w') as archive:
            for part in ('train', 'dev_matched'):
                lines = [json.dumps({'genre': 'travel', 'sentence1': f'{line} {part}', 'sentence2': f'{line}\ttwo'}) for line in SENTENCES]
                archive.writestr(f'multinli_1.0/multinli_1.0_{part}.jsonl', '\n'.join(lines))
        with zipfile.ZipFile(self.folder / 'glove.6B.zip', 'w') as archive:
            archive.writestr('glove.6B.100d.txt', 'boat ' + ' '.join(['0.5'] * 100) + '\n')
        self.make(*self.folder.glob('*.zip'))
        made = sorted(str(path.relative_to(self.data)) for path in self.data.rglob('*.gz'))
        self.assertEqual(made, ['glove/glove.subset.100d.txt.gz', 'mnli/mnli_dev_matched.tsv.gz', 'mnli/mnli_train_subset.tsv.gz'])
        bytes_before = [(self.data / path).read_bytes() for path in made]
        self.make(*self.folder.glob('*.zip'))
        self.assertEqual(bytes_before, [(self.data / path).read_bytes() for path in made])

    def test_what_is_not_as_published(self):
        made = self.folder / 'made_by_a_pickle'
        told = self.make(self.pickled('D2T/BAGEL', {0: Runs(str(made))}), good=False)
        self.assertIn('expected dictionaries, lists, texts and numbers only', told)
        self.assertFalse(made.exists())
        (self.folder / 'multinli_1.0.zip').write_bytes(b'no zip')
        self.assertIn('not as published', self.make(self.folder / 'multinli_1.0.zip', good=False))
        with tarfile.open(self.folder / 'wmt17-metrics-task-package.tgz', 'w:gz'):
            pass
        self.assertIn('has no manual-evaluation/DA-seglevel.csv', self.make(self.folder / 'wmt17-metrics-task-package.tgz', good=False))
        self.assertIn('unknown download', self.make(self.folder / 'other.zip', good=False))
        self.assertIn('No such file', self.make(self.folder / 'glove.6B.zip', good=False))
        self.assertIn("not as published (KeyError('better'))", self.make(self.pickled('WMT/gu-en', {0: {'src': 's', 'ref': 'r'}}), good=False))
        self.assertFalse([path for path in self.data.rglob('*') if path.is_file()])


unittest.main(argv=[sys.argv[0], *others])
