#!/usr/bin/env python3
"""Writes the manual page and the completions of bash, zsh and fish: shell_files.py --output FOLDER PROGRAM [WORD ...]

All of it comes from the program's own `--help` and `metrics`, so it cannot say anything the program does not. PROGRAM with
its WORDs is the command that runs markeval (an emulator before it, where one is needed). `cmake --install` calls this."""
import argparse
import json
import pathlib
import re
import subprocess

import shell_completions

COLUMN = 30  # where --help begins to describe an option


def ask(program, *words):
    return subprocess.run([*program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def entries(lines):
    """[(names, text)] of a section of --help; a long name has its text on the next line."""
    found = []
    for line in lines:
        if line.startswith(' ' * COLUMN):
            found[-1][1] += (' ' if found[-1][1] else '') + line.strip()
        elif len(line) > COLUMN and line[COLUMN - 1] == ' ':
            found.append([line[:COLUMN].strip(), line[COLUMN:].strip()])
        else:
            found.append([line.strip(), ''])
    return [tuple(entry) for entry in found]


def option(names, text):
    """`-s,--system [NAME=]FILE ...` in parts: flags, what follows, whether several may follow."""
    flags, _, value = names.partition(' ')
    several = value.endswith('...')
    return {'flags': flags.split(','), 'value': value.removesuffix('...').strip(), 'several': several, 'text': text}


def read_help(program, *words):
    """One command: title, usage, positionals, options, subcommands, and what stands below."""
    lines = ask(program, *words, '--help').splitlines()
    command = {'name': ' '.join(words), 'title': lines[0], 'usage': '', 'below': [], 'positionals': [], 'options': [],
               'subcommands': []}
    section, last = None, []
    for line in lines[1:]:
        if line.startswith('Usage: '):
            command['usage'] = line[len('Usage: '):]
        elif line in ('Positionals:', 'Options:', 'Subcommands:'):
            section, last = line[:-1].lower(), []
            command[section] = last
        elif section and line.startswith('  ') and not command['below']:
            last.append(line)
        elif line or command['below']:
            command['below'].append(line)
    for name in ('positionals', 'options', 'subcommands'):
        command[name] = entries(command[name])
    command['options'] = [option(*entry) for entry in command['options']]
    return command


def read_program(program):
    """The program itself, its commands with theirs, its metrics and version."""
    main = read_help(program)
    commands = []
    for name, _ in main['subcommands']:
        command = read_help(program, name)
        commands.append(command)
        commands += [read_help(program, name, inner) for inner, _ in command['subcommands']]
    metrics = json.loads(ask(program, 'metrics', '--format', 'json'))
    return main, commands, metrics


def roff(text):
    """Text as troff reads it."""
    text = text.replace('\\', '\\e').replace('-', '\\-').replace("'", '\\(aq').replace('`', '\\(ga')
    return re.sub(r'^\.', '\\&.', text)


def roff_options(command):
    lines = []
    for names, text in command['positionals']:
        lines += ['.TP', f'.I {roff(names)}', roff(text)]
    for item in command['options']:
        value = f' \\fI{roff(item["value"])}\\fR' if item['value'] else ''
        more = ' ...' if item['several'] else ''
        lines += ['.TP', ', '.join(f'\\fB{roff(flag)}\\fR' for flag in item['flags']) + value + more, roff(item['text'])]
    return lines


def manual(main, commands, metrics):
    version = metrics['markeval']
    lines = [f'.TH MARKEVAL 1 "" "markeval {version}" "User Commands"', '.SH NAME',
             'markeval \\- ' + roff(main['title'].partition(': ')[2]), '.SH SYNOPSIS',
             '.B markeval', '.I COMMAND', '[\\fIOPTIONS\\fR]', '.SH DESCRIPTION',
             roff('Compares what a system wrote with what people wrote, and prints scores. Every score has a signature that '
                  'lists all settings behind it. Results go to standard output, warnings and progress to standard error.'),
             '.SH COMMANDS']
    for name, text in main['subcommands']:
        lines += ['.TP', f'.B {roff(name)}', roff(text)]
    for command in commands:
        lines += [f'.SH "MARKEVAL {roff(command["name"].upper())}"', roff(command['title']) + '.', '.PP',
                  '.B ' + roff(command['usage'])]
        lines += roff_options(command)
        below = '\n'.join(command['below']).strip()
        if below and below != '\n'.join(main['below']).strip():
            lines += ['.PP', '.nf', *(roff(line) for line in below.splitlines()), '.fi']
    lines += ['.SH METRICS', roff('Named after -m, with options after a colon: me:k=3,samples=word.')]
    for metric in metrics['metrics']:
        lines += ['.TP', f'.B {roff(metric["name"])}',
                  roff(f'{metric["summary"]}; {metric["better"]} is better. Results: {", ".join(metric["results"])}.')]
        for item in metric['options']:
            choices = '|'.join(map(str, item.get('choices', [])))
            lines += ['.br', f'\\fI{roff(item["name"])}\\fR {roff(f"({choices}): " if choices else "")}{roff(item["meaning"])}']
    lines += ['.SH "EXIT STATUS"', '.TP', '0', 'Done.', '.TP', '1', 'Failed; the message says why.', '.TP', '2',
              'Wrong usage.', '.TP', '130', 'Stopped by Ctrl\\-C.', '.SH ENVIRONMENT']
    for name, text in (('MARKEVAL_MODELS', 'Folders with models, before ~/.local/share/markeval/models.'),
                       ('MARKEVAL_CACHE', 'Folder of the cache of vectors, or none (~/.cache/markeval).'),
                       ('MARKEVAL_CACHE_SIZE', 'How large it may become (4G).'),
                       ('MARKEVAL_ISA', 'Instruction set to use instead of the best one.'),
                       ('HF_ENDPOINT, HF_TOKEN', 'Hub of markeval model pull, and the token for gated models.')):
        lines += ['.TP', f'.B {roff(name)}', roff(text)]
    lines += ['.PP', roff('Those of limits are printed by markeval limits.')]
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--output', required=True, type=pathlib.Path)
    parser.add_argument('program', nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    program = read_program(arguments.program)
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, text in (('markeval.1', manual(*program)), ('markeval', shell_completions.bash(*program)),
                       ('_markeval', shell_completions.zsh(*program)), ('markeval.fish', shell_completions.fish(*program))):
        (arguments.output / name).write_text(text)


if __name__ == '__main__':
    main()
