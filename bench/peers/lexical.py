"""Times the lexical metrics against the public tools: one thread each, interleaved, results compared before they count.

Usage: lexical.py PYTHON [--program MARKEVAL] [--shared FOLDER] [--rounds 3] [--systems 11] [--ter-lines 300] [--only NAME ...]
PYTHON has sacrebleu 2.6.0, rouge-score 0.1.2 and this markeval (`PYTHON -m pip install .`).
Work: newstest2017 de-en, 11 systems x 3,004 lines, or the first of them, as many as --systems says; TER the first 300 lines.

Three comparisons, each in seconds of CPU time, which other programs on the machine disturb less than the clock; median of the
rounds, and the spread:
  commands        `markeval score` against the command `sacrebleu`, from the start of the process to its end, files read by both
  calls           markeval.Scorer against the classes of the public tool, in one warm process, on lists of texts in memory
  command : call  our whole command against their call alone
The public tool prepares references once for all systems where it can. Paired tests: ours tests all 55 pairs and makes the
intervals, the public tool tests 10 pairs. The command of rouge-score does other work (intervals, or a file of all lines) and is
not timed."""
import argparse
import gc
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
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument('python')
parser.add_argument('--program', default=ROOT / 'build/release/markeval')
parser.add_argument('--shared', default=os.environ.get('MARKEVAL_SHARED', ROOT.parent / 'shared'))
parser.add_argument('--rounds', type=int, default=3)
parser.add_argument('--systems', type=int, default=11)
parser.add_argument('--ter-lines', type=int, default=300)
parser.add_argument('--only', nargs='*', default=[])
arguments = parser.parse_args()
if pathlib.Path(sys.executable).absolute() != pathlib.Path(arguments.python).absolute():
    os.execv(arguments.python, [arguments.python, *sys.argv])

import logging  # noqa: E402
import warnings  # noqa: E402

import markeval  # noqa: E402
from rouge_score import rouge_scorer  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402
from sacrebleu.significance import PairedTest  # noqa: E402

logging.disable(logging.WARNING)
warnings.simplefilter('ignore', markeval.MarkevalWarning)  # 1,000 resamples are few for 55 pairs

SCORER = markeval.Scorer(threads=1)
SACREBLEU = [arguments.python, '-m', 'sacrebleu', '--width', '14', '--format', 'json']


def load():
    path = pathlib.Path(arguments.shared) / 'data/wmt17/newstest2017_raw/de-en.tsv.gz'
    rows = [line.rstrip('\n').split('\t') for line in gzip.open(path, 'rt', encoding='utf-8', newline='\n')]
    # One system's first text starts with a byte order mark, which is no text where it starts a file.
    header, rows = rows[0], [[field.lstrip('\ufeff') for field in row] for row in rows[1:]]
    return [row[2] for row in rows], {name: [row[c] for row in rows] for c, name in enumerate(header) if c > 2}


class Job(typing.NamedTuple):
    """One kind of work. `words` are those of the command sacrebleu, and `call` is the public tool's call."""
    metric: str
    key: str
    words: list
    call: typing.Callable
    test: dict = {}


def sacrebleu_call(make):
    def call(reference, systems):
        metric = make(references=[reference])
        return [metric.corpus_score(system, None).score for system in systems.values()]
    return call


def rouge_call(reference, systems):
    scorer = rouge_scorer.RougeScorer(['rougeL'])
    result = []
    for system in systems.values():
        scores = [scorer.score(target, text)['rougeL'].fmeasure for target, text in zip(reference, system)]
        result.append(sum(scores) / len(scores))
    return result


def paired_call(test, samples):
    def call(reference, systems):
        metrics = {'BLEU': BLEU(references=[reference])}
        _, results = PairedTest(list(systems.items()), metrics, None, test_type=test, n_samples=samples)()
        return [result.p_value for result in results['BLEU'][1:]]
    return call


JOBS = {
    'bleu': Job('bleu', 'bleu', ['-m', 'bleu'], sacrebleu_call(BLEU)),
    'chrf': Job('chrf', 'chrf', ['-m', 'chrf'], sacrebleu_call(CHRF)),
    'chrf++': Job('chrf++', 'chrf++', ['-m', 'chrf', '--chrf-word-order', '2'], sacrebleu_call(lambda **k: CHRF(word_order=2, **k))),
    'rougeL': Job('rougeL', 'f1', [], rouge_call),
    'ter': Job('ter', 'ter', ['-m', 'ter'], sacrebleu_call(TER)),
    'paired bootstrap': Job('bleu', 'bleu', ['-m', 'bleu', '--paired-bs'], paired_call('bs', 1000),
                            {'test': 'bootstrap', 'resamples': 1000}),
    'paired randomisation': Job('bleu', 'bleu', ['-m', 'bleu', '--paired-ar'], paired_call('ar', 10000),
                                {'test': 'randomisation', 'resamples': 10000})}


def our_numbers(job, report):
    """Of markeval's JSON, which its command prints and its call has too."""
    if job.test:
        return [system['p_value'] for system in report['results'][0]['systems'][1:]]
    return [result['scores'][job.key] for result in report['results']]


def their_numbers(job, out):
    """Of sacrebleu's JSON, which has another form for one system, several systems, and a test."""
    if isinstance(out, dict):
        return [out['score']]
    values = [next(value for key, value in system.items() if key != 'system') for system in out]
    return [value['p_value'] for value in values[1:]] if job.test else [float(value) for value in values]


def run_command(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(done.stdout)


def run_call(call, reference, systems):
    # New strings: one that was used before may keep what was made of it.
    def new(texts):
        return [str(text.encode(), 'utf-8') for text in texts]
    reference, systems = new(reference), {name: new(texts) for name, texts in systems.items()}
    gc.collect()  # what earlier calls left is not this call's to clear away
    start = time.process_time()
    result = call(reference, systems)
    return time.process_time() - start, result


def our_call(job, reference, systems):
    report = (SCORER.compare(reference, systems, job.metric, **job.test) if job.test else
              SCORER.score(reference, systems, job.metric))
    return our_numbers(job, report.to_dict())


def commands(job, folder, reference, systems):
    """Ours, and theirs where there is one."""
    def write(name, texts):
        path = pathlib.Path(folder) / name
        path.write_text('\n'.join(texts) + '\n', encoding='utf-8', newline='\n')
        return str(path)
    files = [write(name, texts) for name, texts in {'reference': reference, **systems}.items()]
    ours = [arguments.program, 'compare' if job.test else 'score', *files, '-m', job.metric, '--threads', '1', '--format', 'json', '--quiet']
    for option, value in job.test.items():
        ours += ['--' + option, str(value)]
    return ours, [*SACREBLEU, files[0], '-i', *files[1:], *job.words] if job.words else None


def measure(name, job, reference, systems):
    """Seconds by who and how, each a list with a number for every round."""
    seconds = {'our command': [], 'their command': [], 'our call': [], 'their call': []}
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = commands(job, folder, reference, systems)
        for _ in range(arguments.rounds):
            numbers = {}

            def note(who, spent, found):
                seconds[who].append(spent)
                numbers[who] = found
            spent, out = run_command(ours)
            note('our command', spent, our_numbers(job, out))
            if theirs:
                spent, out = run_command(theirs)
                note('their command', spent, their_numbers(job, out))
            note('our call', *run_call(lambda r, s: our_call(job, r, s), reference, systems))
            note('their call', *run_call(job.call, reference, systems))
            for who, found in numbers.items():
                if any(abs(a - b) > 1e-9 for a, b in zip(found, numbers['our command'], strict=True)):
                    sys.exit(f'{name}: {who} says {found}, our command {numbers["our command"]}')
    return seconds


def shown(seconds):
    return f'{statistics.median(seconds):.4f} [{min(seconds):.4f} - {max(seconds):.4f}]'


def main():
    reference, systems = load()
    print(f'{platform.machine()}, one thread, CPU seconds, median of {arguments.rounds} rounds [least - most]')
    for name in arguments.only or [name for name in JOBS if arguments.systems > 1 or not JOBS[name].test]:
        lines = arguments.ter_lines if name == 'ter' else len(reference)
        chosen = {system: texts[:lines] for system, texts in list(systems.items())[:arguments.systems]}
        seconds = measure(name, JOBS[name], reference[:lines], chosen)
        print(f'{name}: systems {len(chosen)}, lines {lines}')
        for title, ours, theirs in (('commands', 'our command', 'their command'), ('calls', 'our call', 'their call'),
                                    ('command : call', 'our command', 'their call')):
            if seconds[theirs]:
                times = statistics.median(seconds[theirs]) / statistics.median(seconds[ours])
                print(f'  {title:16}{shown(seconds[ours])}, public tool {shown(seconds[theirs])}: {times:.0f} times as fast', flush=True)


if __name__ == '__main__':
    main()
