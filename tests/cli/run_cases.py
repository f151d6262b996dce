"""Runs command line cases: run_cases.py --program MARKEVAL [--emulator CMD] --examples FOLDER [--update] CASE...

A case is a text file: comment lines (#), command lines ($ ...) run by bash in a fresh folder that holds the example
vectors and texts and the faulty files of make_inputs.py, then what is expected:

    [stdout]
    ...lines; a line that is just '...' stands for any number of lines, '[...]' inside a line for any text
    [stderr]
    ...
    [exit] 0

A section that is missing must be empty; a missing exit code is 0."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import make_inputs


def parse(text):
    comments, commands, sections, code, current = [], [], {'stdout': [], 'stderr': []}, 0, None
    for line in text.splitlines():
        if line in ('[stdout]', '[stderr]'):
            current = sections[line[1:-1]]
        elif line.startswith('[exit] '):
            code = int(line[7:])
        elif current is not None:
            current.append(line)
        elif line.startswith('$ '):
            commands.append(line[2:])
        elif line.startswith('#'):
            comments.append(line)
        elif line:
            raise SystemExit(f'what is this line for? {line}')
    return comments, commands, sections, code


def matches(expected, found):
    pattern = ''
    for line in expected:
        if line == '...':
            pattern += r'(?:[^\n]*\n)*'
        else:
            pattern += '[^\n]*'.join(re.escape(part) for part in line.split('[...]')) + '\n'
    return re.fullmatch(pattern, ''.join(line + '\n' for line in found)) is not None


def said_everywhere(output):
    """Its lines, but the one that says how long the work will take: that is said on slow machines only."""
    return [line for line in output.splitlines() if not line.endswith(' takes half of that')]


def run(commands, program, emulator, examples):
    with tempfile.TemporaryDirectory(prefix='markeval_case_') as folder:
        folder = pathlib.Path(folder)
        tools, work = folder / 'bin', folder / 'work'
        tools.mkdir()
        work.mkdir()
        wrapper = tools / 'markeval'
        wrapper.write_text(f'#!/bin/sh\nexec {emulator} "{program}" "$@"\n')
        wrapper.chmod(0o755)
        for path in sorted(pathlib.Path(examples).iterdir()):
            if path.suffix in ('.npy', '.txt'):
                shutil.copy(path, work)
        make_inputs.write_all(work)
        environment = {**os.environ, 'PATH': f'{tools}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8'}
        return subprocess.run(['bash', '-c', '\n'.join(commands)], cwd=work, env=environment, capture_output=True,
                              text=True, timeout=120, check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--emulator', default='')
    parser.add_argument('--examples', required=True)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('cases', nargs='+')
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    failed = 0
    for case in map(pathlib.Path, options.cases):
        comments, commands, sections, code = parse(case.read_text())
        result = run(commands, program, options.emulator.replace(';', ' '), options.examples)
        found = {'stdout': result.stdout.splitlines(), 'stderr': said_everywhere(result.stderr)}
        good = result.returncode == code and all(matches(sections[name], found[name]) for name in found)
        if good:
            continue
        if options.update:
            lines = comments + ['$ ' + command for command in commands]
            for name, text in found.items():
                keep = sections[name] if matches(sections[name], text) else text
                lines += [f'[{name}]', *keep] if keep else []
            lines += [f'[exit] {result.returncode}'] if result.returncode else []
            case.write_text('\n'.join(lines) + '\n')
            print(f'{case.name}: updated')
            continue
        failed += 1
        print(f'{case.name}: expected exit {code}, {sections}\nfound exit {result.returncode}, {found}')
        print('--- stdout\n' + result.stdout + '--- stderr\n' + result.stderr)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
