"""Holds the figures of the pages against the files they come from.

    scripts/check_claims.py              pages, claims.tsv and docs/background/studies: quick, part of the tests
    scripts/check_claims.py --unheld     the figures that no study holds, and why
    scripts/check_claims.py --align      after a page was edited: puts claims.tsv in the order of the pages
    scripts/check_claims.py --remake DATA [--only STUDY...]
                                         also runs the commands again and compares all they print; hours. What is made lies in
                                         build/claims; stopped with Ctrl-C, the same command with the same program goes on

docs/background/claims.tsv has the figures of the pages, in their order: page, figures, study (a file of docs/background/studies), the
table (words of its title), the row (its first cells, joined by blanks), the column. Several figures of a line may share a line there;
table, row or column are then one for all, or one for each with " | " between. So a figure that is changed, added or moved on a page is
a fault, wherever else the same figure stands. A figure is right where the value of its cell, rounded to the figure's digits, is the
figure. "A minus B" as row or column is the difference of two cells. "-" as study and a word of UNHELD in place of the table: no study
has the figure."""
import argparse
import collections
import difflib
import functools
import hashlib
import itertools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
STUDIES = ROOT / 'docs/background/studies'
CLAIMS = ROOT / 'docs/background/claims.tsv'
Claim = collections.namedtuple('Claim', 'line page figure study table row column')

UNHELD = {'paper': 'a figure of a paper', 'training': 'of trainings that take hours, whose output is not kept',
          'sum': 'worked out from the figures beside it', 'made once': 'found once, by no study',
          'setting': 'a setting, an example or a version', 'measured': 'a time or a size'}
# Pages that tell times and sizes of one day, or what was decided then.
WITHOUT_CLAIMS = ('docs/background/decisions/', 'docs/background/performance.md', 'docs/background/security.md')


def pages():
    for path in sorted([*ROOT.glob('docs/**/*.md'), ROOT / 'README.md', *ROOT.glob('heads/*/README.md')]):
        if not (page := path.relative_to(ROOT).as_posix()).startswith(WITHOUT_CLAIMS):
            yield page


FIGURE = re.compile(r'(?<![\w.,/@-])-?\d*\.\d+(?!\w|\.\d)')


def figures_of(text):
    """Number of the line and figure, in order. Code is left out, other tests hold it."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('```'):
            code = not code
        if not code:
            for figure in FIGURE.findall(re.sub(r'`[^`]*`|\]\([^)]*\)', ' ', line)):
                yield number, figure


def claims():
    """Every figure of claims.tsv by page."""
    by_page = collections.defaultdict(list)
    for number, line in enumerate(CLAIMS.read_text(encoding='utf8').splitlines(), 1):
        if line and not line.startswith('#'):
            page, figures, study, *cell = line.split('\t')
            figures = figures.split()
            parts = [(words.split(' | ') * len(figures))[:len(figures)] if ' | ' not in words else words.split(' | ') for words in cell]
            parts += [[''] * len(figures)] * (3 - len(parts))
            by_page[page] += [Claim(number, page, figure, study, *where) for figure, *where in zip(figures, *parts, strict=True)]
    return by_page


def written(claims_of_pages):
    """claims.tsv again: neighbours of one study share a line where only the row or only the column differs."""
    lines = []
    for page, of_page in claims_of_pages.items():
        for _, group in itertools.groupby(of_page, key=lambda claim: (claim.line, claim.study, claim.table)):
            while group := list(group):
                size = next((size for size in range(len(group), 1, -1)
                             if len({claim.row for claim in group[:size]}) == 1 or len({claim.column for claim in group[:size]}) == 1), 1)
                first, group = group[:size], group[size:]
                cell = [' | '.join(words) if len(set(words)) > 1 else words[0] for words in list(zip(*first))[4:]]
                lines.append('\t'.join([page, ' '.join(claim.figure for claim in first), first[0].study, *cell]).rstrip('\t'))
    return lines


@functools.cache
def tables_of(study):
    """Of a study's file: [title, columns, rows]; a table is a title, a header and rows, cells two blanks or more apart."""
    found = []
    for block in re.split(r'\n\s*\n', (STUDIES / f'{study}.txt').read_text(encoding='utf8')):
        lines = block.split('\n')
        if len(lines) < 3 or lines[0].startswith(('$', 'signature')):
            continue
        columns = re.split(r'  +', lines[1].strip())
        rows = [re.split(r'  +', line.strip()) for line in lines[2:] if line.strip() and not line.startswith('signature:')]
        if all(len(row) <= len(columns) for row in rows):
            found.append((lines[0], columns, rows))
    return found


def cell_of(study, title, row_words, column):
    """The value of the one cell that fits, or a sentence that says why there is none."""
    tables = [table for table in tables_of(study) if title in table[0]]
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


def value_of(study, title, row_words, column):
    """The cell, the difference of two cells ("A minus B" as row or as column), or a sentence that says why there is none."""
    cells = [cell_of(study, title, row, name) for row in row_words.split(' minus ') for name in column.split(' minus ')]
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


def fault_of_cell(claim):
    if claim.study == '-':
        return None if claim.table in UNHELD else f'"{claim.table}" is no reason, expected {", ".join(UNHELD)}'
    if not (STUDIES / f'{claim.study}.txt').exists():
        return f'no file {claim.study}.txt'
    value = value_of(*claim[3:])
    return None if fits(claim.figure, value) else f'{claim.study} has {value}'


def fault_of_order(page, text, of_page):
    """Where the figures of a page and of claims.tsv first differ."""
    for found, claim in itertools.zip_longest(figures_of(text), of_page):
        if found is None:
            return f'claims.tsv:{claim.line}: {claim.figure} is not on {page}'
        if claim is None or found[1] != claim.figure:
            claimed = f'claims.tsv:{claim.line} has {claim.figure}' if claim else 'claims.tsv has no more figures of this page'
            return f'{page}:{found[0]}: {found[1]}, but {claimed} (scripts/check_claims.py --align)'
    return None


def check_pages():
    by_page, faults = claims(), []
    for page in sorted({*by_page, *pages()}):
        file = ROOT / page
        if fault := fault_of_order(page, file.read_text(encoding='utf8') if file.exists() else '', by_page[page]):
            faults.append(fault)
        for claim in by_page[page]:
            if fault := fault_of_cell(claim):
                faults.append(f'claims.tsv:{claim.line}: {page}: {claim.figure}: {fault}')
    return faults, sum(map(len, by_page.values()))


def align():
    """A figure takes the cell it had; one in the place of another takes that one's; where it is new its cell is to be written."""
    by_page, aligned = claims(), {}
    for page in pages():
        found, old = list(figures_of((ROOT / page).read_text(encoding='utf8'))), by_page[page]
        figures, lines = [figure for _, figure in found], [number for number, _ in found]
        aligned[page], free = [], collections.defaultdict(list)
        steps = difflib.SequenceMatcher(None, [claim.figure for claim in old], figures, autojunk=False).get_opcodes()
        for kind, a, b, c, d in steps:
            for claim in old[a:b]:
                if kind != 'equal' and b - a != d - c:
                    free[claim.figure].append(claim)
        for kind, a, b, c, d in steps:
            for place in range(c, d):
                claim = old[a + place - c] if b - a == d - c else (free[figures[place]] or [Claim(0, page, '', '-', '?', '', '')]).pop(0)
                aligned[page].append(claim._replace(line=lines[place], figure=figures[place]))
    head = itertools.takewhile(lambda line: line.startswith('#'), CLAIMS.read_text(encoding='utf8').splitlines())
    CLAIMS.write_text('\n'.join([*head, *written(aligned), '']), encoding='utf8')


def remake(data, program, names):
    """Runs the commands of the files again, each by itself, and compares every line with what is stored, signatures too."""
    faults = []
    folder = ROOT / 'build/claims' / hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()[:8]
    for name in names:
        subprocess.run([ROOT / 'scripts/studies.sh', data, '--program', program, '--out', folder, '--only-missing', name], check=False)
        made = folder / f'{name}.txt'
        if not made.exists():
            faults.append(f'{name}: not made')
            continue
        lines = [file.read_text(encoding='utf8').splitlines() for file in (STUDIES / f'{name}.txt', made)]
        differ = [(old, new) for old, new in itertools.zip_longest(*lines, fillvalue='') if old != new]
        faults += [f'{name}: "{old.strip()}" is now "{new.strip()}"' for old, new in differ[:3]]
        if differ[3:]:
            faults.append(f'{name}: and {len(differ) - 3} more lines')
        print(f'{name}: {len(differ)} of {len(lines[0])} lines differ', flush=True)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--remake', metavar='DATA')
    parser.add_argument('--only', nargs='+', metavar='STUDY')
    parser.add_argument('--program', default='build/release/markeval')
    parser.add_argument('--unheld', action='store_true')
    parser.add_argument('--align', action='store_true')
    options = parser.parse_args()
    if options.align:
        align()
    if options.unheld:
        unheld = [claim for of_page in claims().values() for claim in of_page if claim.study == '-']
        for (page, table), group in itertools.groupby(unheld, key=lambda claim: (claim.page, claim.table)):
            print(f'{page}: {UNHELD.get(table, table)}: {" ".join(claim.figure for claim in group)}')
        return 0
    faults, checked = check_pages()
    if options.remake:
        faults += remake(options.remake, options.program, options.only or sorted(file.stem for file in STUDIES.glob('*.txt')))
    print('\n'.join([*faults, f'{checked} figures, {len(faults)} faults']))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
