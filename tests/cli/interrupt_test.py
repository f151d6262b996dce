"""Ctrl-C during a long computation: progress is on the terminal, the program ends at once with exit code 130, and the
output file that was there before is untouched."""
import argparse
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--examples', required=True)
options = parser.parse_args()
examples = pathlib.Path(options.examples)

with tempfile.TemporaryDirectory() as folder:
    output = pathlib.Path(folder) / 'scores.json'
    output.write_text('older')
    try:
        terminal, child_side = pty.openpty()
    except OSError as error:  # a container without /dev/pts
        print(f'skipped: no terminal to be had ({error})')
        sys.exit(77)
    command = [*options.emulator.replace(';', ' ').split(), options.program, 'score', '-r', examples / 'reference.npy',
               '-s', examples / 'good.npy', '-m', 'prd:runs=10000', '-o', output]
    process = subprocess.Popen(command, stderr=child_side, stdout=subprocess.PIPE,
                               env={**os.environ, 'TERM': 'xterm'})
    os.close(child_side)
    talk, deadline = b'', time.monotonic() + 60
    while b'%' not in talk and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            talk += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    stdout, _ = process.communicate(timeout=60)
    took = time.monotonic() - asked
    while select.select([terminal], [], [], 0.2)[0]:
        try:
            more = os.read(terminal, 4096)
        except OSError:
            break
        if not more:
            break
        talk += more
    checks = {
        'progress is shown': b'clusters: ' in talk,
        'exit code is 130': process.returncode == 130,
        'it says so': b'markeval: stopped on request' in talk,
        'nothing on stdout': stdout == b'',
        'the older file is untouched': output.read_text() == 'older',
        'no other file is left': os.listdir(folder) == ['scores.json'],
        'it stops soon': took < 10,
    }


def code_of_interrupted(reference, system):
    """The exit code of a program that waits for `system` when Ctrl-C is pressed once; 'none' where it goes on waiting."""
    waiting = subprocess.Popen([*options.emulator.replace(';', ' ').split(), options.program, 'score', '-r', reference, '-s', system,
                                '-m', 'bleu'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5 if not options.emulator else 5)
    waiting.send_signal(signal.SIGINT)
    try:
        return waiting.wait(timeout=30)
    except subprocess.TimeoutExpired:
        waiting.kill()
        return 'none'


with tempfile.TemporaryDirectory() as folder:
    reference = pathlib.Path(folder) / 'reference.txt'
    reference.write_text('a cat\n')
    checks['one Ctrl-C ends the wait for standard input'] = code_of_interrupted(reference, '-') == 130
    pipe = pathlib.Path(folder) / 'pipe'
    os.mkfifo(pipe)
    checks['one Ctrl-C ends the wait for the writer of a pipe'] = code_of_interrupted(reference, pipe) == 130
for name, good in checks.items():
    print(f'{"ok" if good else "FAILED"}: {name}')
if not all(checks.values()):
    print(f'exit {process.returncode} after {took:.2f} s, talk {talk!r}')
sys.exit(0 if all(checks.values()) else 1)
