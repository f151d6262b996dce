"""Odd names of files and folders, in every place where a command takes one: the program ends with a sentence of its own,
never with 'unexpected failure', a signal or a wait for a pipe."""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
options = parser.parse_args()
start = [*options.emulator.replace(';', ' ').split(), options.program]

COMMANDS = [
    'score -r NAME -s good.txt -m chrf', 'score -r good.txt -s NAME -m bleu', 'score -r good.txt -s good.txt -m NAME',
    'score -r good.txt -s good.txt -m chrf --group NAME', 'score -r good.txt -s good.txt -m chrf -o NAME',
    'score -r good.txt -s good.txt -m chrf --report NAME', 'score -r good.txt -s good.txt -m chrf --report page.html --source NAME',
    'score -r good.txt -s good.txt -m bertscore --model NAME', 'score -r good.txt -s good.txt -m bertscore --cache NAME',
    'score -r good.txt -s good.txt -m moverscore:vectors=NAME', 'score -r good.txt -s good.txt -m match:weights=NAME',
    'score -r NAME.npy -s NAME.npy -m me', 'score -r NAME:text -s good.txt -m chrf', 'compare -r good.txt -s good.txt NAME -m chrf',
    'correlate NAME --human score -m chrf', 'align NAME good.txt', 'align good.txt NAME', 'embed NAME -o out.npy', 'embed good.txt -o NAME',
    'embed good.txt -o out.npy --model NAME', 'model info NAME', 'model verify NAME', 'model convert NAME other', 'baseline NAME -o out.tsv',
    'train --train NAME -o trained', 'train --train table.tsv -o NAME', 'train --train table.tsv --arch blend -o NAME --resume',
    'experiment own --data NAME', 'experiment k --data NAME', 'model list --format json',
]


def names(folder):
    """Bytes, as a shell would give them."""
    long = b'x' * 255
    (folder / 'file').write_text('a cat\n')
    os.symlink('nowhere', folder / 'dangling')
    os.symlink('loop', folder / 'loop')
    os.mkfifo(folder / 'pipe')
    (folder / 'empty').mkdir()
    os.mkdir(bytes(folder) + b'/bad\xff\xfename')
    pathlib.Path(os.fsdecode(bytes(folder) + b'/bad\xff\xfename/config.json')).write_text('{"model_type": "bert"}')
    pathlib.Path(os.fsdecode(bytes(folder) + b'/text\xff.txt')).write_text('a cat\n')
    yield from (b'x' * 256, long + b'/y', b'/'.join([b'd' * 200] * 25), b'bad\xff\xfe', b'bad\xff\xfename', b'text\xff.txt', b'dangling',
                b'dangling/below', b'loop', b'loop/below', b'file/below', b'empty', b'empty/', b'', b' ', b'.', b'..', b'/', b'-x', b'a\nb',
                b'\x1b[31mred', b'\xe2\x80\xaeevil', b'pipe/x', b'/dev/null/x', b'/proc/self/mem', b'/proc/self/fd/99', b'nul,l=:,')


failed, ran = [], 0
with tempfile.TemporaryDirectory() as path:
    folder = pathlib.Path(path)
    (folder / 'good.txt').write_text('a cat sat\nthe dog ran\n')
    (folder / 'table.tsv').write_text('score\ttext\treference\n1\ta cat\ta dog\n2\tthe cat\tthe dog\n')
    environment = {**os.environ, 'MARKEVAL_CACHE': 'none', 'MARKEVAL_MODELS': path, 'HOME': path}
    odd = list(names(folder))
    pick = os.environ.get('MARKEVAL_NAMES_ALL')  # else every command has a third of the names, by turns
    for number, (command, name) in enumerate(itertools.product(COMMANDS, odd)):
        if not pick and (number + number // len(odd)) % 3:
            continue
        words = [os.fsencode(word).replace(b'NAME', name) for word in command.split()]
        try:
            done = subprocess.run([*map(os.fsencode, start), *words], cwd=path, env=environment, capture_output=True, timeout=60,
                                  stdin=subprocess.DEVNULL)
            bad = done.returncode not in (0, 1, 2) or b'unexpected failure' in done.stderr + done.stdout
            what = f'exit {done.returncode}: {done.stderr[-300:]!r}'
        except subprocess.TimeoutExpired:
            bad, what = True, 'no end'
        ran += 1
        if bad:
            failed.append(f'{command} with {name[:40]!r}: {what}')
print('\n'.join(failed))
print(f'{ran} runs, {len(failed)} went wrong')
sys.exit(1 if failed else 0)
