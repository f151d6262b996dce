"""Two builds of markeval by turns: the same command with either, round after round, and the ratio of their times.

    python3 bench/by_turns.py --old OTHER/markeval --new build/release/markeval --rounds 11 -- \\
        embed LINES -o {out} --model MODEL_FOLDER --cache none --threads 1 --quiet

A ratio above 1 says the new one is faster. It is the median over rounds of old / new, each round being two neighbouring
runs, in one order and then in the other; so a machine that gets slower in the meantime takes from both. {out} becomes a
file of its own for each program. Standard library only.

--command-of takes one of two ready commands instead of the words after --:
    encoder   sentence vectors of the lines given by --lines with --model: text in, vectors out, no cache
    product   the same, twelve lines joined to one text, so that products are nearly all the work
Kernels alone: build bench/kernels in both trees, and give the two programs and no words:
    python3 bench/by_turns.py --old OLD/bench_gemm --new NEW/bench_gemm --rounds 5

First both run once, unmeasured, and must end with 0; --same asks for equal bytes in {out} or on standard output too.
CPU seconds are those of the process with its threads: on a busy machine they say more than the time that passed."""
import argparse
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

JOINED = 12  # lines of one long text: about the 256 tokens that all-MiniLM-L6-v2 reads


def processor():
    for line in pathlib.Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            return line.partition(':')[2].strip()
    return platform.machine()


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(program, words, out):
    """Seconds, CPU seconds and what was printed."""
    begin, before = time.perf_counter(), cpu_of_children()
    done = subprocess.run([program, *(word.replace('{out}', str(out)) for word in words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    seconds, cpu = time.perf_counter() - begin, cpu_of_children() - before
    if done.returncode != 0:
        sys.exit(f'{program}: ended with {done.returncode}: {done.stderr.decode(errors="replace").strip()}')
    return seconds, cpu, done.stdout


def ready_command(options, folder):
    """The words of --command-of, and the file it reads."""
    if not options.lines or not options.model:
        sys.exit('--command-of needs --lines and --model')
    lines = [line for line in options.lines.read_text(encoding='utf8').splitlines() if line.strip()][:options.texts]
    if options.command_of == 'product':
        lines = [' '.join(lines[start:start + JOINED]) for start in range(0, len(lines), JOINED)]
    texts = folder / 'texts.txt'
    texts.write_text('\n'.join(lines) + '\n', encoding='utf8')
    return ['embed', str(texts), '-o', '{out}', '--model', options.model, '--cache', 'none', '--threads',
            str(options.threads), '--quiet']


def summary(name, times):
    low, _, high = statistics.quantiles(times, n=4) if len(times) > 1 else (times[0],) * 3
    return f'{name}: median {statistics.median(times):.3f} s, middle half {low:.3f} to {high:.3f} s'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--old', required=True, help='a program')
    parser.add_argument('--new', required=True, help='the one that should not be slower')
    parser.add_argument('--rounds', type=int, default=11)
    parser.add_argument('--same', action='store_true', help='fail where the two programs give different bytes')
    parser.add_argument('--at-least', type=float, metavar='RATIO', help='exit 1 where old / new is below')
    parser.add_argument('--command-of', choices=['encoder', 'product'])
    parser.add_argument('--lines', type=pathlib.Path, help='for --command-of: a text a line')
    parser.add_argument('--texts', type=int, default=1000, help='for --command-of: how many of the lines')
    parser.add_argument('--model', help='for --command-of: a folder')
    parser.add_argument('--threads', type=int, default=2, help='for --command-of')
    parser.add_argument('words', nargs='*', help='the command, after --')
    options = parser.parse_args()
    if bool(options.words) and bool(options.command_of):
        parser.error('--command-of brings its own words')

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = ready_command(options, folder) if options.command_of else options.words
        sides = {'old': options.old, 'new': options.new}
        outs = {side: folder / f'{side}.out' for side in sides}
        results = {}
        for side, program in sides.items():
            printed = run(program, words, outs[side])[2]
            results[side] = outs[side].read_bytes() if outs[side].exists() else printed
        equal = results['old'] == results['new']
        if options.same and not equal:
            sys.exit('the two programs give different bytes')

        wall, cpu = {'old': [], 'new': []}, {'old': [], 'new': []}
        for number in range(options.rounds):
            for side in ('old', 'new') if number % 2 == 0 else ('new', 'old'):
                seconds, cpu_seconds, _ = run(sides[side], words, outs[side])
                wall[side].append(seconds)
                cpu[side].append(cpu_seconds)
    print(f'{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {options.rounds} rounds of: {" ".join(words)}')
    print(f'results: {"the same bytes" if equal else "different bytes"}')
    ratios = {}
    for what, times in (('time', wall), ('CPU time', cpu)):
        ratios[what] = statistics.median(old / new for old, new in zip(times['old'], times['new']))
        print(summary(f'{what} old', times['old']))
        print(summary(f'{what} new', times['new']))
        print(f'{what} old / new: {ratios[what]:.3f}')
    sys.exit(1 if options.at_least and ratios['time'] < options.at_least else 0)


main()
