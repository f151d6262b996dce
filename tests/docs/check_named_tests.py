"""Checks that every test docs/background/security.md names is there: check_named_tests.py --root PROJECT
A name in a table's column "held by" is `Suite.Test` of a C++ source, `folder.name` of a case or of add_test, or `module.test_name`
of python/tests."""
import argparse
import pathlib
import re
import sys

parser = argparse.ArgumentParser()
parser.add_argument('--root', required=True)
root = pathlib.Path(parser.parse_args().root)
known = {f'cli.{case.stem}' for case in (root / 'tests/cli').glob('*.case')}
for source in (root / 'tests').rglob('*.cpp'):
    text = source.read_text()
    known |= {f'{suite}.{name}' for suite, name in re.findall(r'^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)', text, re.M)}
    if source.parent.name == 'fuzz':
        known.add(f'fuzz.{source.stem}')
for lists in (root / 'tests').rglob('CMakeLists.txt'):
    text = lists.read_text()
    known |= set(re.findall(r'add_test\(NAME ([\w.]+)', text))
    for names in re.findall(r'foreach\(name ([\w ]+)\)', text):
        known |= {f'{lists.parent.name}.{name}' for name in names.split()}
for module in (root / 'python/tests').glob('test_*.py'):
    known |= {f'{module.stem}.{name}' for name in re.findall(r'def (test_\w+)', module.read_text())}

named, column = [], None
for line in (root / 'docs/background/security.md').read_text().splitlines():
    cells = [cell.strip() for cell in line.strip().strip('|').split('|')] if line.startswith('|') else []
    if not cells:
        column = None
    elif 'held by' in cells:
        column = cells.index('held by')
    elif column is not None:
        named += re.findall(r'`([^`]+)`', cells[column])
missing = [name for name in named if name not in known]
for name in missing:
    print(f'docs/background/security.md names {name}, which is no test')
print(f'{len(named)} tests named')
sys.exit(bool(missing) or len(named) < 30)
