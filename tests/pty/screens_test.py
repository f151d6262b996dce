"""What a person has before them when a command has ended: screens_test.py --program MARKEVAL --root FOLDER [--update]
[SCREEN...]

Every *.screen is a command run in a terminal (a pty, drawn by the terminal emulator pyte), and the
screen as it stands at the end:

    # comment
    $ command, run by bash in a folder that holds examples/, scripts/, build/release/markeval, a tiny model bert/ and
      letters to try it on
    [columns] 80         else 100
    [keys] ^C at splits  pressed once the progress of the splits is there
    [no progress]        else the command has to show some, and nothing of that may be left on the screen
    [screen]
    ...lines, with '...' and '[...]' as in tests/cli
    [exit] 130

Without pyte, or without a pty, the test is skipped (exit 77)."""
import argparse
import fcntl
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'cli'))
from run_cases import matches  # noqa: E402

COLUMNS, ROWS = 100, 200
SECONDS = 300
# Said on slow machines only: how long it will take, and what is known before the rest is.
SLOW = re.compile(r'markeval: (\d+ splits of [^;]*; [^;]*\btenth\s+of\s+that|ready\s+so\s+far:(\n  \S.*)+)\n')


def parse(text):
    comments, command, columns, keys, progress, screen, code, current = [], '', COLUMNS, '', True, [], 0, None
    for line in text.splitlines():
        if line == '[screen]':
            current = screen
        elif line == '[no progress]':
            progress = False
        elif line.startswith('[exit] '):
            code = int(line[7:])
        elif current is not None:
            current.append(line)
        elif line.startswith('$ '):
            command = line[2:]
        elif line.startswith('[columns] '):
            columns = int(line[10:])
        elif line.startswith('[keys] '):
            keys = line[7:]
        elif line.startswith('#'):
            comments.append(line)
        elif line:
            raise SystemExit(f'what is this line for? {line}')
    return comments, command, columns, keys, progress, screen, code


def write_tables(folder):
    """judged.tsv to learn from: letters, more of the reference's for a higher score. letters.txt: many lines of them."""
    draw = random.Random(1)
    with open(folder / 'judged.tsv', 'w') as table, open(folder / 'letters.txt', 'w') as lines:
        table.write('ref\thyp\thuman\n')
        for number in range(60000):
            reference = [draw.choice('abcdefgh') for _ in range(draw.randint(2, 7))]
            kept = [draw.random() < 0.6 for _ in reference]
            text = [word if keep else draw.choice('abcdefgh') for word, keep in zip(reference, kept)]
            if number < 200:
                table.write(f'{" ".join(reference)}\t{" ".join(text)}\t{sum(kept) / len(kept):.2f}\n')
            lines.write(f'{" ".join(draw.choice("abcdefgh") for _ in range(30))}\n')
    small = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', *'abcdefgh']
    (folder / 'bert' / 'vocab.txt').write_text('\n'.join(small + [f'[unused{i}]' for i in range(64 - len(small))]) + '\n')


def run(command, columns, keys, program, root, folder):
    """The screen's lines, all bytes that were written, and the exit code."""
    import pyte
    tools, work = folder / 'bin', folder / 'work'
    tools.mkdir()
    for name in ('examples', 'scripts'):
        shutil.copytree(root / name, work / name)
    (work / 'build' / 'release').mkdir(parents=True)
    (work / 'build' / 'release' / 'markeval').symlink_to(program)
    shutil.copytree(root / 'tests' / 'encoder' / 'models' / 'bert', work / 'bert')
    write_tables(work)
    (tools / 'markeval').symlink_to(program)
    environment = {**os.environ, 'PATH': f'{tools}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8', 'TERM': 'xterm',
                   'MARKEVAL_CACHE': str(folder / 'cache')}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(work)
        os.execvpe('bash', ['bash', '-c', command], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, columns, 0, 0))
    screen = pyte.Screen(columns, ROWS)
    stream = pyte.ByteStream(screen)
    said, pressed, deadline = b'', not keys, time.monotonic() + SECONDS
    while True:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            more = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            more = b''
        if not more:
            break
        said += more
        stream.feed(more)
        if not pressed and re.search(keys.removeprefix('^C at ').encode() + rb'.*: \d+ %', said):
            os.write(terminal, b'\x03')
            pressed = True
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    lines = [line.rstrip() for line in screen.display]
    while lines and not lines[-1]:
        lines.pop()
    return SLOW.sub('', '\n'.join([*lines, ''])).splitlines(), said, code


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True, type=pathlib.Path)
    parser.add_argument('--root', required=True, type=pathlib.Path)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('screens', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    try:
        import pyte  # noqa: F401
        os.close(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))
    except (ImportError, OSError) as error:
        print(f'skipped: screens need pyte and a pty ({error}); python3 -m pip install pyte')
        sys.exit(77)
    failed = False
    for path in options.screens or sorted(pathlib.Path(__file__).parent.glob('*.screen')):
        comments, command, columns, keys, progress, expected, code = parse(path.read_text())
        with tempfile.TemporaryDirectory(prefix='markeval_screen_') as folder:
            lines, said, found = run(command, columns, keys, options.program.resolve(), options.root.resolve(), pathlib.Path(folder))
        same = matches(expected, lines) and found == code
        if options.update and not same:
            path.write_text('\n'.join([*comments, '$ ' + command,
                                       *([f'[columns] {columns}'] if columns != COLUMNS else []), *(['[keys] ' + keys] if keys else []),
                                       *([] if progress else ['[no progress]']), '[screen]', *lines,
                                       *([f'[exit] {found}'] if found else [])]) + '\n')
            continue
        good = same and (b' %' in said or not progress)
        print(f'{"ok" if good else "FAILED"}: {path.stem}')
        if good:
            continue
        failed = True
        print(f'$ {command}\nexit {found}, expected {code}; progress was {"" if b" %" in said else "not "}shown')
        print('\n'.join(['-- expected', *expected, '-- found', *lines, f'-- bytes {said[-2000:]!r}']))
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
