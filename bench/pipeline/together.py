"""What several metrics cost in one run, against the dearest of them alone.

    python3 bench/pipeline/together.py --program build/release/markeval --reference REF --system HYP \\
        [--metrics bertscore me:samples=word esim:weights=FOLDER] [--rounds 5] [--threads 2] [--at-most 1.15]

Metrics of one run share the states of every text, so all of them together should cost little more than the dearest one.
First every metric runs alone, unmeasured, and then all of them together: the scores must be the same. Then each alone and
all together run by turns. The ratio is that of the medians, once of the time that passed and once of CPU seconds, which say
more on a busy machine. No cache. Standard library only."""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(options, metrics):
    """Seconds, CPU seconds, and the score of every result."""
    begin, before = time.perf_counter(), cpu_of_children()
    done = subprocess.run([options.program, 'score', '-r', options.reference, '-s', options.system, '-m', *metrics, '--quiet',
                           '--format', 'json', '--cache', 'none', '--threads', str(options.threads)], capture_output=True,
                          text=True, check=False)
    seconds, cpu = time.perf_counter() - begin, cpu_of_children() - before
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    results = json.loads(done.stdout)['results']
    return seconds, cpu, {(one['request'], one['system']): one['scores'] for one in results}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', required=True)
    parser.add_argument('--reference', required=True)
    parser.add_argument('--system', required=True)
    parser.add_argument('--metrics', nargs='+', default=['bertscore', 'me:samples=word'])
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--at-most', type=float, metavar='RATIO', help='exit 1 where the ratio of CPU seconds is above')
    options = parser.parse_args()

    sides = {metric: [metric] for metric in options.metrics}
    alone = {}
    for metric in options.metrics:
        alone.update(run(options, [metric])[2])
    if run(options, options.metrics)[2] != alone:
        sys.exit('the scores of one run are not those of single runs')
    sides['all together'] = options.metrics
    times = {side: [] for side in sides}
    for number in range(options.rounds):
        for side in sides if number % 2 == 0 else reversed(sides):
            times[side].append(run(options, sides[side])[:2])
    print(f'{options.threads} threads, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds; the same scores alone and together')
    ratios = []
    for place, what in ((0, 'seconds'), (1, 'CPU seconds')):
        medians = {side: statistics.median(pair[place] for pair in pairs) for side, pairs in times.items()}
        dearest = max(options.metrics, key=medians.get)
        ratios.append(medians['all together'] / medians[dearest])
        print(f'{what}: ' + ', '.join(f'{side} {value:.2f}' for side, value in medians.items()))
        print(f'{what}, all together / {dearest}: {ratios[-1]:.3f}')
    sys.exit(1 if options.at_most and ratios[-1] > options.at_most else 0)


main()
