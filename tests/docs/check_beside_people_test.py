"""The committed output of bench/studies/beside_people.py keeps its rules, and the check finds lines that break them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMITTED = ROOT / 'docs/background/studies/beside-people.txt'


def check(path):
    run = subprocess.run([sys.executable, ROOT / 'bench/studies/beside_people.py', '--check', path], capture_output=True, text=True)
    return run.returncode, run.stdout


class BesidePeople(unittest.TestCase):
    def changed(self, change):
        """The check of the committed lines, one system's words changed: (fields) -> fields."""
        lines = []
        for line in COMMITTED.read_text(encoding='utf-8').splitlines():
            fields = line.split()
            lines.append(' '.join(change(fields)) if len(fields) == 10 and fields[1].isdigit() else line)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'changed.txt'
            path.write_text('\n'.join(lines), encoding='utf-8')
            return check(path)

    def test_the_committed_lines_keep_the_rules(self):
        code, output = check(COMMITTED)
        self.assertEqual(code, 0, output)

    def test_other_people_are_never_worse(self):
        code, output = self.changed(lambda row: row[:8] + ['recall', '-'] if row[3] == 'prdc' and row[5] == 'people' else row)
        self.assertEqual(code, 1)
        self.assertIn('prdc: people is called farther than people by recall', output)

    def test_no_worse_text_is_closer(self):
        code, output = self.changed(lambda row: row[:7] + ['closer', '-', 'fid'] if row[5] == 'salad' and row[3] == 'fid' else row)
        self.assertEqual(code, 1)
        self.assertIn('fid: salad is called closer than people', output)

    def test_language_models_are_found(self):
        code, output = self.changed(lambda row: row[:7] + ['alike', '-', '-'] if row[5] == 'drnn' else row)
        self.assertEqual(code, 1)
        self.assertIn('captions 300: no metric finds drnn', output)


if __name__ == '__main__':
    unittest.main()
