"""scripts/check_claims.py on a page and a study of a few lines: what it holds, and which faults it finds."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / 'scripts/check_claims.py'
STUDY = '''$ markeval experiment small
A study

Pearson of systems
metric       model  cs-en   mean
chrf         -      0.905  0.921
match.score  small  0.987  0.953

signature: chrf
'''
PAGE = '''The mean of `match` is .953, of `chrf:beta=2.5` .92.

```console
$ markeval 0.123
```
In cs-en `match` gains .082, on average .03; -.5 is told by nobody.
'''
CLAIMS = ['.953 Pearson match.score small|mean', '.92 Pearson chrf|mean', '.082 Pearson match.score minus chrf|cs-en']


class CheckClaims(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.studies = self.root / 'docs/background/studies'
        self.studies.mkdir(parents=True)
        (self.root / 'scripts').mkdir()
        shutil.copyfile(SCRIPT, self.root / 'scripts/check_claims.py')
        (self.root / 'README.md').write_text(PAGE)
        (self.studies / 'small.txt').write_text(STUDY)

    def check(self, claims, *words):
        lines = []
        for claim in claims:
            figure, title, cell = claim.split(' ', 2)
            row, column = cell.split('|')
            lines.append('\t'.join(['README.md', figure, 'small', title, row, column]) + '\n')
        (self.root / 'docs/background/claims.tsv').write_text('# a comment\n' + ''.join(lines))
        return subprocess.run([sys.executable, self.root / 'scripts/check_claims.py', *words], capture_output=True, text=True, check=False)

    def test_cells_and_differences_of_cells_are_held(self):
        done = self.check(CLAIMS)
        self.assertEqual((done.returncode, done.stdout), (0, '3 figures, 0 faults\n'))

    def test_a_figure_the_study_or_the_page_does_not_have_is_a_fault(self):
        for claim, said in (('.953 Pearson chrf|mean', '.953: small has 0.921'), ('.954 Pearson match.score|mean', '.954: the page does not have it'),
                            ('.953 Pearson bleu|mean', 'no row "bleu" with a column "mean"'),
                            ('.953 Kendall match.score|mean', 'no table with "Kendall" in its title'),
                            ('.03 Pearson match.score minus bleu|mean', 'no row "bleu"'), ('.03 Pearson chrf minus match.score|mean', 'small has -0.0320')):
            done = self.check([claim])
            self.assertEqual(done.returncode, 1, claim)
            self.assertIn(said, done.stdout)

    def test_figures_that_no_claim_names_are_listed_without_code(self):
        done = self.check(CLAIMS, '--unheld', 'README.md')
        self.assertEqual((done.returncode, done.stdout),
                         (0, 'README.md:6: .03 -.5\nREADME.md: 2 figures that no claim names\n'))


if __name__ == '__main__':
    unittest.main()
