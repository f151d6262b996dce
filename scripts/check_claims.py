"""Holds the figures of the pages against the files they come from.

    scripts/check_claims.py                  page <-> docs/background/studies: quick, part of the tests
    scripts/check_claims.py --unheld PAGE... the figures of these pages that no line of claims.tsv names
    scripts/check_claims.py --remake DATA    also runs every command again and compares what it prints; hours
    scripts/check_claims.py --remake DATA --only STUDY...   only these commands

docs/background/claims.tsv names for every figure its page, the study (a file of docs/background/studies), the table (words of its
title), the row (its first cells, joined by blanks) and the column. A figure is right where the value of that cell, rounded to the
figure's digits, is the figure, and the page has it. "A minus B" as row or column is the difference of two cells."""
import argparse
import collections
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
STUDIES = ROOT / 'docs/background/studies'


def tables_of(text):
    """Of a study's file: [title, columns, rows]; a table is a title, a header and rows, cells two blanks or more apart."""
    found = []
    for block in re.split(r'\n\s*\n', text):
        lines = block.split('\n')
        if len(lines) < 3 or lines[0].startswith(('$', 'signature')):
            continue
        columns = re.split(r'  +', lines[1].strip())
        rows = [re.split(r'  +', line.strip()) for line in lines[2:] if line.strip() and not line.startswith('signature:')]
        if all(len(row) <= len(columns) for row in rows):
            found.append((lines[0], columns, rows))
    return found


def cell_of(text, title, row_words, column):
    """The value of the one cell that fits, or a sentence that says why there is none."""
    tables = [table for table in tables_of(text) if title in table[0]]
    if not tables:
        return f'no table with "{title}" in its title'
    wanted = row_words.split()
    for _, columns, rows in tables:
        if column not in columns:
            continue
        for row in rows:
            if ' '.join(row).split()[:len(wanted)] == wanted and len(row) == len(columns):
                return row[columns.index(column)]
    return f'no row "{row_words}" with a column "{column}"'


def value_of(text, title, row_words, column):
    """The cell, the difference of two cells ("A minus B" as row or as column), or a sentence that says why there is none."""
    cells = [cell_of(text, title, row, name) for row in row_words.split(' minus ') for name in column.split(' minus ')]
    if len(cells) == 1:
        return cells[0]
    try:
        first, second = map(float, cells)
    except ValueError:
        return '; '.join(cells)
    return f'{first - second:.4f}'


def fits(figure, value):
    digits = len(figure.partition('.')[2])
    try:
        return abs(float(figure) - float(value)) <= 0.5 * 10 ** -digits + 1e-9
    except ValueError:
        return False


def claims():
    """Of claims.tsv: number of the line, page, figure, study, title, row, column."""
    for number, line in enumerate((ROOT / 'docs/background/claims.tsv').read_text(encoding='utf8').splitlines(), 1):
        if line and not line.startswith('#'):
            yield number, *line.split('\t')


FIGURE = re.compile(r'(?<![\w.,/@-])-?\d*\.\d+(?!\w|\.\d)')


def unheld(page):
    """Lines of a page with the figures that no claim is left for: [number, figures]. Code is left out, tests hold it."""
    left = collections.Counter(figure for _, where, figure, *_ in claims() if where == page)
    code, found = False, []
    for number, line in enumerate((ROOT / page).read_text(encoding='utf8').splitlines(), 1):
        if line.startswith('```'):
            code = not code
        figures = [] if code else FIGURE.findall(re.sub(r'`[^`]*`|\]\([^)]*\)', ' ', line))
        free = []
        for figure in figures:
            name = figure if left[figure] else figure.lstrip('-')
            if left[name]:
                left[name] -= 1
            else:
                free.append(figure)
        if free:
            found.append((number, free))
    return found


def check_pages():
    faults, checked = [], 0
    for number, page, figure, study, title, row, column in claims():
        checked += 1
        where = f'claims.tsv:{number}: {page}: {figure}'
        if not re.search(rf'(?<![\d.]){re.escape(figure)}(?!\d)', (ROOT / page).read_text(encoding='utf8')):
            faults.append(f'{where}: the page does not have it')
        file = STUDIES / f'{study}.txt'
        if not file.exists():
            faults.append(f'{where}: no file {file.name}')
            continue
        value = value_of(file.read_text(encoding='utf8'), title, row, column)
        if not fits(figure, value):
            faults.append(f'{where}: {study} has {value}')
    return faults, checked


def check_studies(data, program, names):
    """Runs the commands of the files again."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / 'scripts/studies.sh', data, '--program', program, '--out', folder, *names], check=True)
        for name in names:
            stored, made = ((place / f'{name}.txt').read_text(encoding='utf8') for place in (STUDIES, pathlib.Path(folder)))
            for old, new in itertools.zip_longest(stored.splitlines(), made.splitlines(), fillvalue=''):
                if old != new and not old.startswith('signature:'):
                    faults.append(f'{name}: "{old.strip()}" is now "{new.strip()}"')
                    break
    return faults


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--remake', metavar='DATA')
parser.add_argument('--unheld', nargs='+', metavar='PAGE')
parser.add_argument('--only', nargs='+', metavar='STUDY')
parser.add_argument('--program', default='build/release/markeval')
options = parser.parse_args()
if options.unheld:
    for page in options.unheld:
        lines = unheld(page)
        print('\n'.join([*(f'{page}:{number}: {" ".join(figures)}' for number, figures in lines),
                         f'{page}: {sum(len(figures) for _, figures in lines)} figures that no claim names']))
    sys.exit(0)
faults, checked = check_pages()
if options.remake:
    faults += check_studies(options.remake, options.program, options.only or sorted(file.stem for file in STUDIES.glob('*.txt')))
print('\n'.join([*faults, f'{checked} figures, {len(faults)} faults']))
sys.exit(1 if faults else 0)
