"""scripts/check_claims.py on a page and a study of a few lines, and on the pages of this project with figures changed at random."""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).parents[2] / 'scripts'
sys.path.insert(0, str(SCRIPTS))
import check_claims  # noqa: E402  (of the folder above)

STUDY = '''$ markeval experiment small
A study

Pearson of systems
metric       model  cs-en   mean
chrf         -      0.905  0.921
match.score  small  0.987  0.953

signature: chrf
'''
PAGE = '''The mean of `match` is .953, of `chrf:beta=2.5` .92 (again .92), with `n=2` .5.

```console
$ markeval 0.123
```
In cs-en `match` gains .082.
'''
CLAIMS = ['.953 .92 .92|small|Pearson|match.score | chrf | chrf|mean', '.5|-|setting', '.082|small|Pearson|match.score minus chrf|cs-en']


class CheckClaims(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.studies = self.root / 'docs/background/studies'
        self.studies.mkdir(parents=True)
        (self.root / 'scripts').mkdir()
        shutil.copyfile(SCRIPTS / 'check_claims.py', self.root / 'scripts/check_claims.py')
        (self.root / 'README.md').write_text(PAGE)
        (self.studies / 'small.txt').write_text(STUDY)
        self.write(CLAIMS)

    def write(self, claims):
        lines = [claim.replace(' | ', '\0').replace('|', '\t').replace('\0', ' | ') for claim in claims]
        (self.root / 'docs/background/claims.tsv').write_text('# a comment\n' + ''.join(f'README.md\t{line}\n' for line in lines))

    def check(self, *words):
        command = [sys.executable, self.root / 'scripts/check_claims.py', *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_fault(self, said):
        done = self.check()
        self.assertEqual(done.returncode, 1, said)
        self.assertIn(said, done.stdout)

    def test_cells_and_differences_of_cells_are_held(self):
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (0, '5 figures, 0 faults\n'))

    def test_a_figure_is_held_at_its_own_place(self):
        for old, new, said in (('again .92', 'again .953', 'README.md:1: .953, but claims.tsv:2 has .92'),
                               ('gains .082', 'gains', 'claims.tsv:4: .082 is not on README.md'),
                               ('gains .082', 'gains .082 or .1', 'README.md:6: .1, but claims.tsv has no more figures of this page')):
            (self.root / 'README.md').write_text(PAGE.replace(old, new))
            self.assert_fault(said)

    def test_a_page_that_is_not_in_the_list_is_a_fault(self):
        (self.root / 'docs/new.md').write_text('It has .7.\n')
        self.assert_fault('docs/new.md:1: .7, but claims.tsv has no more figures of this page')
        (self.root / 'docs/new.md').unlink()
        (self.root / 'docs/background/decisions').mkdir()
        (self.root / 'docs/background/decisions/1.md').write_text('It took 7.5 s.\n')
        self.assertEqual(self.check().returncode, 0)

    def test_a_figure_the_study_does_not_have_is_a_fault(self):
        for place, claim, said in ((0, CLAIMS[0].replace('match.score |', 'chrf |'), '.953: small has 0.921'),
                                   (0, CLAIMS[0].replace('match', 'bleu'), 'no row "bleu.score" with a column "mean"'),
                                   (0, CLAIMS[0].replace('Pearson', 'Kendall'), 'no table with "Kendall" in its title'),
                                   (0, CLAIMS[0].replace('small', 'large'), 'no file large.txt'),
                                   (1, '.5|-|?', '"?" is no reason, expected paper'),
                                   (2, CLAIMS[2].replace('match.score minus chrf', 'chrf minus match.score'), 'small has -0.0820')):
            self.write([*CLAIMS[:place], claim, *CLAIMS[place + 1:]])
            self.assert_fault(said)

    def test_figures_that_no_study_holds_are_listed(self):
        self.assertEqual(self.check('--unheld').stdout, 'README.md: a setting, an example or a version: .5\n')

    def test_align_keeps_cells_and_asks_for_new_ones(self):
        (self.root / 'README.md').write_text('A new .7. ' + PAGE)
        done = self.check('--align')
        self.assertIn('README.md: .7: "?" is no reason', done.stdout)
        self.assertIn('6 figures, 1 faults', done.stdout)

    def test_align_does_not_hide_a_figure_that_is_wrong(self):
        (self.root / 'README.md').write_text(PAGE.replace('.953', '.954'))
        self.assertIn('.954: small has 0.953', self.check('--align').stdout)

    def test_remake_tells_every_line_that_differs_and_goes_on_where_it_was(self):
        program = self.root / 'program'
        program.write_text('')
        (self.root / 'scripts/studies.sh').write_text(
            '#!/bin/sh\n[ "$6" = lost ] && exit 1\nmkdir -p "$5"\necho "$*" >> "$5/calls"\n'
            'sed "s/0.905/0.906/; s/signature: chrf/signature: chrf++/" "docs/background/studies/$7.txt" > "$5/$7.txt"\n')
        (self.root / 'scripts/studies.sh').chmod(0o755)
        (self.studies / 'other.txt').write_text(STUDY)
        done = subprocess.run([sys.executable, self.root / 'scripts/check_claims.py', '--remake', 'data', '--program', program],
                              cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        for said in ('other: 2 of 9 lines differ', 'small: 2 of 9 lines differ', 'small: "signature: chrf" is now "signature: chrf++"',
                     'small: "chrf         -      0.905  0.921" is now "chrf         -      0.906  0.921"'):
            self.assertIn(said, done.stdout)
        calls = next((self.root / 'build/claims').glob('*/calls')).read_text().splitlines()
        self.assertEqual([call.split()[-2:] for call in calls], [['--only-missing', 'other'], ['--only-missing', 'small']])


# Pages with figures of trainings that take hours: no file of docs/background/studies has them.
OF_TRAININGS = {'README.md', 'docs/how-to/from-comet.md', 'docs/how-to/train.md', 'docs/reference/metrics/trained-notes.md',
                'docs/reference/metrics/trained.md', 'docs/start/which-metric.md'}


def another(figure, random_stream):
    """The figure with one digit changed."""
    places = [place for place, letter in enumerate(figure) if letter.isdigit()]
    place = random_stream.choice(places)
    digit = random_stream.choice([digit for digit in '0123456789' if digit != figure[place]])
    return figure[:place] + digit + figure[place + 1:]


class PagesOfThisProject(unittest.TestCase):
    """What a change of one figure does, 100 times: 95 of 100 must be noticed, also after `--align`."""

    def setUp(self):
        self.random = random.Random(43)
        self.by_page = check_claims.claims()
        self.held = [(page, place) for page, claims in self.by_page.items() for place, claim in enumerate(claims) if claim.study != '-']

    def test_changed_figures_of_pages_are_noticed(self):
        texts = {page: (check_claims.ROOT / page).read_text(encoding='utf8') for page in self.by_page}
        figures = {page: list(check_claims.figures_of(text)) for page, text in texts.items()}
        noticed = 0
        for page, place in self.random.choices(self.held, k=100):
            lines, found = texts[page].splitlines(), figures[page]
            number, figure = found[place]
            before = sum(1 for line, same in found[:place] if line == number and same == figure)
            pieces = lines[number - 1].split(figure)
            lines[number - 1] = figure.join(pieces[:before + 1]) + another(figure, self.random) + figure.join(pieces[before + 1:])
            noticed += check_claims.fault_of_order(page, '\n'.join(lines), self.by_page[page]) is not None
        self.assertGreaterEqual(noticed, 95)

    def test_figures_changed_in_the_list_too_are_noticed(self):
        noticed = 0
        for page, place in self.random.choices(self.held, k=100):
            claim = self.by_page[page][place]
            noticed += check_claims.fault_of_cell(claim._replace(figure=another(claim.figure, self.random))) is not None
        self.assertGreaterEqual(noticed, 95)

    def test_what_no_study_holds_is_named_with_a_reason(self):
        unheld = [claim for claims in self.by_page.values() for claim in claims if claim.study == '-']
        self.assertEqual({claim.table for claim in unheld} - set(check_claims.UNHELD), set())
        self.assertLess(len([claim for claim in unheld if claim.page == 'docs/background/studies.md']), 50)
        found_elsewhere = {claim.page for claim in unheld if claim.table in ('training', 'made once')}
        self.assertEqual(found_elsewhere - {'docs/background/studies.md'}, OF_TRAININGS)


if __name__ == '__main__':
    unittest.main()
