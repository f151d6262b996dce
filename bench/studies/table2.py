"""Mark-Evaluate's Table 2 for one pair of WMT17: words as samples in corpus scope, five rows a word (one per layer), every system
against the references. Times embedding and geometry apart and tells the peak of resident memory.

Usage: table2.py --data FOLDER [--program MARKEVAL] [--pair tr-en] [--model all-MiniLM-L6-v2] [--cache FOLDER] [-m METRIC ...]
FOLDER as docs/reference/data.md says. The first run encodes all texts into the cache and scores segment by segment, which takes next to no
geometry; the second reads the same vectors from the cache and compares whole sets: its time is geometry and reading. The cache
takes about 600 MB a system; without --cache it is made for the run and removed afterwards."""
import argparse
import os
import subprocess
import sys
import tempfile
import time


def run(arguments, cache, metrics):
    command = [arguments.program, 'experiment', 'wmt17', '--level', 'system', '--part', arguments.pair, '--data', arguments.data,
               '--model', arguments.model, '--cache', cache, '--quiet']
    for metric in metrics:
        command += ['-m', metric]
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={'MARKEVAL_CACHE_SIZE': '64G', **os.environ})
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f'{" ".join(command)}: exit {child.returncode}')
    return out, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default='build/release/markeval')
    parser.add_argument('--data', required=True)
    parser.add_argument('--pair', default='tr-en')
    parser.add_argument('--model', default='all-MiniLM-L6-v2')
    parser.add_argument('--cache')
    parser.add_argument('-m', '--metric', action='append', help='of whole sets; me:samples=word where none is given')
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = arguments.cache or temporary
        print(f'{"":12}{"wall s":>10}{"CPU s":>10}{"peak MiB":>10}')
        row = '{:12}{:10.1f}{:10.1f}{:10.0f}'
        _, *figures = run(arguments, cache, ['me:samples=word,scope=segment'])
        print(row.format('embedding', *figures), flush=True)
        out, *figures = run(arguments, cache, arguments.metric or ['me:samples=word'])
        print(row.format('geometry', *figures))
        print(out)


if __name__ == '__main__':
    main()
