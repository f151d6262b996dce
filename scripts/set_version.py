#!/usr/bin/env python3
"""Gives the project a new version: set_version.py VERSION [--date YYYY-MM-DD]

Changes CMakeLists.txt (where everything else takes it from), CITATION.cff, the changelog's section "Unreleased", and the
version that documents and tests show in signatures and JSON. Recorded outputs (studies) and history keep theirs."""
import argparse
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEEP = ('CHANGELOG.md', 'docs/background/studies', 'scripts/', 'src/', 'bench/')
# How a version is shown: signatures, the drop-in of sacrebleu, JSON, tests of JSON, `markeval --version`.
SHAPES = [r'(\bversion:){}\b', r'(\+markeval\.){}\b', r'("markeval": "){}"', r'(\["markeval"\], "){}"',
          r'(\{{"version", "){}"', r'^(markeval ){}$']


def replace(path, pattern, text, times=1):
    content = (ROOT / path).read_text()
    changed, count = re.subn(pattern, text, content, flags=re.M)
    if count != times:
        sys.exit(f'{path}: found {count} times what should be there {times} times: {pattern}')
    (ROOT / path).write_text(changed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('version')
    parser.add_argument('--date', default=datetime.date.today().isoformat())
    arguments = parser.parse_args()
    new = arguments.version
    if not re.fullmatch(r'\d+\.\d+\.\d+', new):
        sys.exit(f'{new}: expected MAJOR.MINOR.PATCH')
    old = re.search(r'project\(markeval VERSION ([0-9.]+)', (ROOT / 'CMakeLists.txt').read_text())[1]
    if tuple(map(int, new.split('.'))) <= tuple(map(int, old.split('.'))):
        sys.exit(f'{new}: expected a version after {old}')
    unreleased = re.search(r'^## Unreleased\n(.*?)(?=^## |\Z)', (ROOT / 'CHANGELOG.md').read_text(), re.S | re.M)
    if not unreleased or not unreleased[1].strip():
        sys.exit('CHANGELOG.md: nothing stands under "## Unreleased"')
    if new.split('.')[:2] == old.split('.')[:2] and 'Changed scores' in unreleased[1]:
        sys.exit(f'{new}: the changelog names changed scores, which a patch release may not have (docs/reference/versions.md)')
    replace('CMakeLists.txt', rf'(project\(markeval VERSION ){re.escape(old)}', rf'\g<1>{new}')
    replace('CITATION.cff', r'^version: .*$', f'version: {new}\ndate-released: {arguments.date}')
    replace('CHANGELOG.md', r'^## Unreleased$', f'## Unreleased\n\n## {new} ({arguments.date})')
    text = (ROOT / 'CITATION.cff').read_text()
    (ROOT / 'CITATION.cff').write_text(re.sub(r'(date-released: .*\n)date-released: .*\n', r'\1', text))
    shapes = [re.compile(shape.format(re.escape(old)), re.M) for shape in SHAPES]
    for name in subprocess.check_output(['git', 'ls-files'], cwd=ROOT, text=True).splitlines():
        path = ROOT / name
        if name.startswith(KEEP) or not path.is_file():
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        changed = text
        for shape in shapes:
            changed = shape.sub(lambda match: match[0].replace(old, new), changed)
        if changed != text:
            path.write_text(changed)
    print(f'{old} -> {new}')


if __name__ == '__main__':
    main()
