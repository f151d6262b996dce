"""The manual page and the completions load, and offer what they should: check_shell_files.py --root PROJECT PROGRAM [WORD ...]

bash is asked for completions as the shell would; zsh, fish and mandoc (or man) read their files where they are installed."""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BASH = '''source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _markeval; printf '%s\\n' "${COMPREPLY[@]}"'''

# What is typed, and what must be offered; `only`: nothing else.
OFFERS = [
    ('markeval sc', 'score', True),
    ('markeval ', 'compare', False),
    ('markeval score --for', '--format', True),
    ('markeval score --format ', 'latex', False),
    ('markeval compare --test r', 'randomisation', True),
    ('markeval score -m movers', 'moverscore', True),
    ('markeval score -m bleu chrf', 'chrf++', False),
    ('markeval score -r refs.txt -s here.', 'here.txt', True),
    ('markeval model pu', 'pull', True),
    ('markeval model pull --rev', '--revision', True),
    ('markeval help bertsc', 'bertscore', True),
    ('markeval metrics movers', 'moverscore', True),
    ('markeval train --arch bl', 'blend', True),
    ('markeval score --cache n', 'none', True),
    ('markeval experiment wmt17', 'wmt17', True),
    ('markeval experiment k', 'k-sweep', True),
]
# With the models of the tests on this machine: bash asks the program for their names.
MODEL_OFFER = ('markeval score --model electr', 'electra')


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def check_bash(file, folder):
    result = run('bash', '-n', file)
    faults = [f'bash -n: {result.stdout}'] if result.returncode or result.stdout else []
    (folder / 'here.txt').touch()
    for typed, wanted, only in OFFERS:
        offered = run('bash', '-c', BASH, file, *typed.split(' '), cwd=folder).stdout.split()
        if wanted not in offered or (only and offered != [wanted]):
            faults.append(f'bash, "{typed}": expected {wanted}, found {offered}')
    return faults


def check_models(file, folder, root, program):
    typed, wanted = MODEL_OFFER
    (folder / 'bin').mkdir()
    (folder / 'bin/markeval').write_text('#!/bin/sh\nexec ' + ' '.join(map(shlex.quote, program)) + ' "$@"\n')
    (folder / 'bin/markeval').chmod(0o755)
    environment = {**os.environ, 'PATH': f'{folder / "bin"}:{os.environ["PATH"]}', 'MARKEVAL_MODELS': str(root / 'tests/encoder/models')}
    offered = run('bash', '-c', BASH, file, *typed.split(' '), cwd=folder, env=environment).stdout.split()
    return [] if offered == [wanted] else [f'bash, "{typed}": expected {wanted}, found {offered}']


def check_fish(file):
    """fish offers one value after an option, and folders only where a folder may be named."""
    faults = []
    others = ('markeval score -m bleu chrf', 'markeval score --cache n')
    for typed, wanted in [(typed, wanted) for typed, wanted, _ in OFFERS if 'here' not in wanted and typed not in others]:
        script = f"source {file}; complete -C '{typed}'"
        offered = [line.split('\t')[0] for line in run('fish', '--no-config', '-c', script).stdout.splitlines()]
        if wanted not in offered:
            faults.append(f'fish, "{typed}": expected {wanted}, found {offered[:20]}')
    return faults


def check_manual(file, program):
    faults = []
    if shutil.which('mandoc'):
        found = run('mandoc', '-Tlint', '-Wwarning', file).stdout
        faults += [line for line in found.splitlines() if 'missing date' not in line]
    elif shutil.which('man') and shutil.which('groff'):
        found = run('bash', '-c', 'man --warnings -l "$0" 2>&1 >/dev/null', file).stdout
        faults += found.splitlines()
    text = re.sub(r'\\f[BIR]', '', file.read_text()).replace('\\-', '-')
    for command in ('score', 'compare', 'train', 'serve'):
        for flag in re.findall(r'^  (?:-\w,)?(--[\w-]+)', run(*program, command, '--help').stdout, re.M):
            if flag not in text:
                faults.append(f'markeval.1 lacks {flag} of {command}')
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', required=True, type=pathlib.Path)
    parser.add_argument('program', nargs='+')
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='markeval_shell_') as folder:
        folder = pathlib.Path(folder)
        made = run(sys.executable, '-B', arguments.root / 'packaging/shell_files.py', '--output', folder / 'made', *arguments.program)
        if made.returncode != 0:
            sys.exit(made.stdout)
        faults = check_bash(folder / 'made/markeval', folder)
        faults += check_models(folder / 'made/markeval', folder, arguments.root.resolve(), arguments.program)
        faults += check_manual(folder / 'made/markeval.1', arguments.program)
        tried = ['bash']
        for shell, name in (('zsh', '_markeval'), ('fish', 'markeval.fish')):
            if shutil.which(shell):
                tried.append(shell)
                result = run(shell, '-n', folder / 'made' / name)
                faults += [f'{shell} -n: {result.stdout}'] if result.returncode or result.stdout else []
        if 'fish' in tried:
            faults += check_fish(folder / 'made/markeval.fish')
    for fault in faults:
        print(fault)
    print(f'manual page and completions of {", ".join(tried)}: {len(faults)} faults')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
