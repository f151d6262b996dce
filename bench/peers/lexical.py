"""Times the lexical metrics against the public tools: one thread each, interleaved, results compared before they count.

Usage: lexical.py PYTHON [--program MARKEVAL] [--shared FOLDER] [--rounds 3] [--systems 11] [--only NAME ...]
PYTHON has sacrebleu 2.6.0 and rouge-score 0.1.2. Work: newstest2017 de-en, 11 systems x 3,004 lines (TER: the first 300), or
the first of them, as many as --systems says.
Ours is the whole program, start and reading of files included (paired tests: all 55 pairs and the intervals, the public tool
10 pairs); the public tool's time is scoring alone, in a process that has everything in memory, references prepared once for
all systems where the tool can. Both in seconds of CPU time, which other programs on the machine disturb less than the clock;
median of the rounds, and the spread."""
import argparse
import gzip
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument('python')
parser.add_argument('--program', default=ROOT / 'build/release/markeval')
parser.add_argument('--shared', default=os.environ.get('MARKEVAL_SHARED', ROOT.parent / 'shared'))
parser.add_argument('--rounds', type=int, default=3)
parser.add_argument('--systems', type=int, default=11)
parser.add_argument('--only', nargs='*', default=[])
arguments = parser.parse_args()
if pathlib.Path(sys.executable).absolute() != pathlib.Path(arguments.python).absolute():
    os.execv(arguments.python, [arguments.python, *sys.argv])

import logging  # noqa: E402

from rouge_score import rouge_scorer  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402
from sacrebleu.significance import PairedTest  # noqa: E402

logging.disable(logging.WARNING)

RESAMPLES = {'bootstrap': '1000', 'randomisation': '10000'}  # as the public tool


def load():
    path = pathlib.Path(arguments.shared) / 'data/wmt17/newstest2017_raw/de-en.tsv.gz'
    rows = [line.rstrip('\n').split('\t') for line in gzip.open(path, 'rt', encoding='utf-8', newline='\n')]
    # One system's first text starts with a byte order mark, which is no text where it starts a file.
    header, rows = rows[0], [[field.lstrip('\ufeff') for field in row] for row in rows[1:]]
    return [row[2] for row in rows], {name: [row[c] for row in rows] for c, name in enumerate(header) if c > 2}


def sacrebleu_scores(make, reference, systems):
    metric = make(references=[reference])
    return [metric.corpus_score(system, None).score for system in systems.values()]


def rouge_scores(reference, systems):
    scorer = rouge_scorer.RougeScorer(['rougeL'])
    result = []
    for system in systems.values():
        scores = [scorer.score(target, text)['rougeL'].fmeasure for target, text in zip(reference, system)]
        result.append(sum(scores) / len(scores))
    return result


def paired(test, samples, reference, systems):
    _, results = PairedTest(list(systems.items()), {'BLEU': BLEU(references=[reference])}, None, test_type=test, n_samples=samples)()
    return [result.p_value for result in results['BLEU'][1:]]


def child_seconds(command, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main():
    reference, systems = load()
    work = {'bleu': ('bleu', 'bleu', lambda r, s: sacrebleu_scores(BLEU, r, s)),
            'chrf': ('chrf', 'chrf', lambda r, s: sacrebleu_scores(CHRF, r, s)),
            'chrf++': ('chrf++', 'chrf++', lambda r, s: sacrebleu_scores(lambda **k: CHRF(word_order=2, **k), r, s)),
            'rougeL': ('rougeL', 'f1', rouge_scores),
            'ter': ('ter', 'ter', lambda r, s: sacrebleu_scores(TER, r, s)),
            'paired bootstrap': ('bleu', 'bootstrap', lambda r, s: paired('bs', 1000, r, s)),
            'paired randomisation': ('bleu', 'randomisation', lambda r, s: paired('ar', 10000, r, s))}
    print(f'{platform.machine()}, one thread, CPU seconds, median of {arguments.rounds} rounds [least - most]')
    slow = 0
    for name in arguments.only or work:
        metric, key, theirs = work[name]
        lines = 300 if name == 'ter' else len(reference)
        refs, sys_ = reference[:lines], {s: texts[:lines] for s, texts in list(systems.items())[:arguments.systems]}
        with tempfile.TemporaryDirectory() as folder:
            def write(file, texts):
                (pathlib.Path(folder) / file).write_text('\n'.join(texts) + '\n', encoding='utf-8', newline='\n')
                return str(pathlib.Path(folder) / file)
            test = name.startswith('paired')
            command = [arguments.program, *(['compare', '--test', key, '--resamples', RESAMPLES[key]] if test else ['score']), '-r',
                       write('reference', refs), '-m', metric, '--threads', '1', '--format', 'json', '--quiet']
            for s, texts in sys_.items():
                command += ['-s', f'{s}={write(s, texts)}']
            ours_seconds, their_seconds = [], []
            for _ in range(arguments.rounds):
                seconds, out = child_seconds(command)
                results = json.loads(out)['results']
                ours = ([system['p_value'] for system in results[0]['systems'][1:]] if test else
                        [result['scores'][key] for result in results])
                ours_seconds.append(seconds)
                start = time.process_time()
                expected = theirs(refs, sys_)
                their_seconds.append(time.process_time() - start)
                if any(abs(a - b) > 1e-9 for a, b in zip(ours, expected, strict=True)):
                    sys.exit(f'{name}: {ours} but the public tool says {expected}')
        ratio = statistics.median(their_seconds) / statistics.median(ours_seconds)
        goal = 30 if name in ('bleu', 'chrf', 'chrf++', 'rougeL') else 20
        slow += ratio < goal
        print(f'{name}: {len(sys_)} systems x {lines} lines: {statistics.median(ours_seconds):.3f} '
              f'[{min(ours_seconds):.3f} - {max(ours_seconds):.3f}], public tool {statistics.median(their_seconds):.2f} '
              f'[{min(their_seconds):.2f} - {max(their_seconds):.2f}]: {ratio:.0f} times as fast (goal {goal})', flush=True)
    return 1 if slow else 0


if __name__ == '__main__':
    sys.exit(main())
