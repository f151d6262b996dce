"""What limits.md calls missing is not there: check_limits.py --program MARKEVAL --root PROJECT

A row of the table "Not there" must not name what a metric or a command of the program does ("alignment of documents",
where there is `markeval align`), and the commands and metrics that it names as a way out must be there."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

PAGE = 'docs/reference/limits.md'
# Of whatever text: "metrics without a reference" is no sign that the command `metrics` is missing.
WORDS_OF_ANY_TEXT = {'metrics', 'model', 'score', 'sacrebleu', 'limits', 'train'}
DEVICES = re.compile(r'--device\b')


def rows_of(text):
    """(what is missing, what is there instead) of the first table below "Not there"."""
    table = text.split('## Not there', 1)[1].split('\n## ', 1)[0]
    rows = [line.strip('| ').split(' | ') for line in table.splitlines() if line.startswith('|')]
    return rows[2:]


def faults_of(text, metrics, commands, computes_elsewhere):
    faults = []
    for missing, instead in rows_of(text):
        if missing == 'GPU' and computes_elsewhere:
            faults.append(f'{missing}: the help has --device')
        for name in missing.lower().split(', '):
            if name in metrics:
                faults.append(f'{missing}: there is the metric {name}')
        for word in re.findall(r'[A-Za-z+-]+', re.sub(r'`[^`]*`', '', missing)):
            found = [one for one in commands - WORDS_OF_ANY_TEXT if word.lower().startswith(one)]
            faults += [f'{missing}: there is `markeval {one}`' for one in found]
        for command in re.findall(r'`markeval (\w+)', instead):
            if command not in commands:
                faults.append(f'{missing}: no command {command}')
        for name in re.findall(r'`([a-z0-9+]+)`', instead):
            if name not in metrics:
                faults.append(f'{missing}: no metric {name}')
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--emulator', default='')
    parser.add_argument('--root', type=pathlib.Path, required=True)
    options = parser.parse_args()

    def ask(*words):
        command = [*filter(None, options.emulator.split(';')), options.program, *words]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    metrics = {one['name'].lower() for one in json.loads(ask('metrics', '--format', 'json'))['metrics']}
    commands = set(re.findall(r'^  (\w+)  ', ask('--help').split('Subcommands:')[-1], re.M))
    text = (options.root / PAGE).read_text()
    elsewhere = DEVICES.search(ask('score', '--help')) is not None
    faults = faults_of(text, metrics, commands, elsewhere)
    # A check that cannot fail is no check: rows that were there, and were not so.
    for wrong in ('| alignment of documents | align them first |', '| TER | - |', '| X | `markeval gone` |', '| X | `gone` |'):
        if not faults_of(text.replace('|---|---|', '|---|---|\n' + wrong, 1), metrics, commands, elsewhere):
            faults.append(f'this fault is not found: {wrong}')
    if not faults_of(text, metrics, commands, True):
        faults.append('a GPU that the help offers is not found')
    print('\n'.join(f'{PAGE}: {fault}' for fault in faults) or f'{len(rows_of(text))} rows are as they say')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
