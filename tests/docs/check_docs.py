"""Reruns the commands shown in the documentation: check_docs.py --program MARKEVAL --root PROJECT [--update]

A ```console block in README.md or docs/ holds `$ command` lines, each followed by its output; they are run in a folder
that holds examples/. A line '...' stands for any lines left out. --update rewrites what differs. What needs the default
model is skipped, and said so, where it is neither under $MARKEVAL_MODELS nor where `make demo` puts it (find_models.py)."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'cli'))
from find_models import MODEL, models  # noqa: E402
from run_cases import matches, said_everywhere  # noqa: E402

TEXT_METRICS = re.compile(r'-[rs] \S+\.txt.* -m (me|impar|prdc|prd|fid|bertscore|bertr|moverscore|hmd)\b')
MOVES_ON = re.compile(r'^\$ (?:.*[;&] *)?cd ')  # not "(cd x && ...)", which comes back
BLOCK = re.compile(r'^```console\n(.*?)^```$', re.S | re.M)


def needs_model(block):
    return f'model:{MODEL}@' in block or TEXT_METRICS.search(block) is not None


def run(command, program, emulator, root):
    with tempfile.TemporaryDirectory(prefix='markeval_docs_') as folder:
        folder = pathlib.Path(folder)
        (folder / 'examples').symlink_to(root / 'examples')
        (folder / 'bin').mkdir()
        wrapper = folder / 'bin' / 'markeval'
        wrapper.write_text(f'#!/bin/sh\nexec {emulator} "{program}" "$@"\n')
        wrapper.chmod(0o755)
        environment = {**os.environ, 'PATH': f'{folder / "bin"}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8',
                       'MARKEVAL_MODELS': str(models(root) or 'nowhere'), 'MARKEVAL_CACHE': 'none'}
        result = subprocess.run(['bash', '-c', command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        return said_everywhere(result.stdout)


def stays_in_its_folder(block):
    """Commands are pasted one after the other into one shell: one that leaves its folder breaks the next ones."""
    return not any(MOVES_ON.match(line) for line in block.splitlines())


def remake(block, arguments):
    """The block as it should read, and whether it reads like that already."""
    lines, good, steps = block.splitlines(), True, []
    for line in lines:
        if line.startswith('$ '):
            steps.append((line, []))
        else:
            steps[-1][1].append(line)
    result = []
    for command, expected in steps:
        found = run(command[2:], arguments.program, arguments.emulator.replace(';', ' '), arguments.root)
        same = matches(expected, found)
        good = good and same
        result += [command, *(expected if same else found)]
    return '\n'.join(result) + '\n', good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--emulator', default='')
    parser.add_argument('--root', required=True, type=pathlib.Path)
    parser.add_argument('--update', action='store_true')
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    arguments.root = arguments.root.resolve()
    assert stays_in_its_folder('$ (cd x && ls)\n') and not stays_in_its_folder('$ cd x && ls\n')
    failed, blocks, skipped = 0, 0, 0
    has_model = models(arguments.root) is not None
    for path in [arguments.root / 'README.md', *sorted((arguments.root / 'docs').rglob('*.md'))]:
        text = path.read_text()
        for match in BLOCK.finditer(text):
            if needs_model(match[1]) and not has_model:
                skipped += 1
                continue
            blocks += 1
            if not stays_in_its_folder(match[1]):
                failed += 1
                print(f'{path.relative_to(arguments.root)} leaves the folder of the next command:\n{match[1]}')
            block, good = remake(match[1], arguments)
            if good:
                continue
            if arguments.update:
                path.write_text(path.read_text().replace(match[1], block))
                print(f'{path.relative_to(arguments.root)}: updated')
            else:
                failed += 1
                print(f'{path.relative_to(arguments.root)} shows\n{match[1]}but it is\n{block}')
    if skipped:
        print(f'{skipped} blocks skipped: {MODEL} is not on this machine')
    print(f'{blocks - failed} of {blocks} blocks show what the program prints')
    sys.exit(1 if failed or blocks == 0 else 0)


if __name__ == '__main__':
    main()
