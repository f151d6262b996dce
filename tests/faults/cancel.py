"""Stops every command at random moments, by Ctrl-C, by DELETE of a job and by SIGTERM of a server, and tells the longest
wait. Long: not part of the suite.
    python3 tests/faults/cancel.py --program build/release/markeval --moments 500
Ends with 1 where a wait was longer than --most seconds. Beside a wait by the clock stand the seconds of CPU in it, over all
threads: what is left of a wait on a machine that others use too. Only the standard library."""
import argparse
import array
import http.client
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--moments', type=int, default=500)
parser.add_argument('--most', type=float, default=1.0, help='seconds')
parser.add_argument('--model', default='all-MiniLM-L6-v2')
parser.add_argument('--longest', type=float, default=4.0, help='seconds a command is left alone at most')
parser.add_argument('--seed', type=int, default=1)
parser.add_argument('--may-refuse', action='store_true', help='leave commands out that the model is not for')
parser.add_argument('--only', default='', help='part of the name of a command')
options = parser.parse_args()
PROGRAM = os.path.abspath(options.program)
rng = random.Random(options.seed)
WORDS = [''.join(rng.choice('abcdefghijklmnop') for _ in range(rng.randint(2, 9))) for _ in range(3000)]


def sentence(words=20):
    return ' '.join(rng.choice(WORDS) for _ in range(rng.randint(words // 2, words * 2)))


def write_npy(path, rows, width):
    """float32, random."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {width}), }}".encode()
    head += b' ' * (63 - (10 + len(head)) % 64) + b'\n'
    values = array.array('f', (rng.gauss(0, 1) for _ in range(rows * width)))
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + values.tobytes())


def make_inputs(folder):
    references = [sentence() for _ in range(20000)]
    (folder / 'ref.txt').write_text('\n'.join(references) + '\n')
    for name in 'ab':
        (folder / f'{name}.txt').write_text('\n'.join(' '.join(word if rng.random() < .8 else rng.choice(WORDS) for word in line.split())
                                                     for line in references) + '\n')
    (folder / 'few.ref.txt').write_text('\n'.join(references[:300]) + '\n')
    for i in range(30):
        (folder / f'few.{i}.txt').write_text('\n'.join(' '.join(word if rng.random() < .8 else rng.choice(WORDS) for word in line.split())
                                                      for line in references[:300]) + '\n')
    (folder / 'long.txt').write_text('\n'.join(sentence(4000) for _ in range(4)) + '\n')
    (folder / 'long2.txt').write_text('\n'.join(sentence(4000) for _ in range(4)) + '\n')
    write_npy(folder / 'ref.npy', 12000, 64)
    write_npy(folder / 'sys.npy', 12000, 64)
    rows = ['human\tm1\tm2\tm3\tsystem\tsegment\tref\thyp']
    for i in range(6000):
        human = rng.random() * 100
        rows.append('\t'.join([f'{human:.3f}', *(f'{human + rng.gauss(0, 30):.3f}' for _ in range(3)), f's{i % 20}', f'g{i // 20}', sentence(), sentence()]))
    for name in ('mnli', 'lm_samples'):
        (folder / name).mkdir()
    for name in ('mnli_train_subset', 'mnli_dev_matched'):
        rows_of = [f'g{i % 5}\t{sentence()}\t{sentence()}' for i in range(2000)]
        (folder / 'mnli' / f'{name}.tsv').write_text('\n'.join(['genre\tpremise\thypothesis', *rows_of]) + '\n')
    for name in ('people', 'one', 'two'):
        (folder / 'lm_samples' / f'{name}.txt').write_text('\n'.join(sentence() for _ in range(400)) + '\n')
    (folder / 'judged.tsv').write_text('\n'.join(rows) + '\n')


def commands(folder):
    """What lasts, by name: a list of words each."""
    ref, a, b = folder / 'ref.txt', folder / 'a.txt', folder / 'b.txt'
    few, many = folder / 'few.ref.txt', [folder / f'few.{i}.txt' for i in range(30)]
    npy, judged = [folder / 'ref.npy', folder / 'sys.npy'], folder / 'judged.tsv'
    model = ['--model', options.model, '--cache', 'none']
    yield 'score lexical', ['score', ref, a, b, '-m', 'bleu', 'chrf', 'rougeL', 'meteor']
    yield 'score ter', ['score', ref, a, '-m', 'ter']
    yield 'score of long lines, letters', ['score', folder / 'long.txt', folder / 'long2.txt', '-m', 'cer', 'cder', 'rougeW', 'rougeLsum']
    yield 'score of long lines', ['score', folder / 'long.txt', folder / 'long2.txt', '-m', 'ter', 'rougeL', 'chrf']
    yield 'score --ci', ['score', ref, a, b, '-m', 'bleu', 'chrf', '--ci', '5000']
    yield 'score --ci of few segments', ['score', few, many[0], '-m', 'bleu', '--ci', '2000000']
    yield 'score bertscore', ['score', few, *many[:4], '-m', 'bertscore', *model]
    yield 'score moverscore', ['score', few, *many[:4], '-m', 'moverscore', *model]
    yield 'score match', ['score', few, *many[:4], '-m', 'match', *model]
    yield 'score sets of texts', ['score', few, *many[:2], '-m', 'me', 'me:samples=word', 'prdc', 'fid', *model]
    yield 'score sets of vectors', ['score', *npy, '-m', 'me', 'prdc', 'fid', 'impar', 'prd']
    yield 'score sets --ci', ['score', *npy, '-m', 'prdc', '--ci', '200']
    yield 'compare', ['compare', few, *many, '-m', 'bleu', 'chrf']
    yield 'compare randomisation', ['compare', ref, a, b, '-m', 'chrf', 'rougeL', '--test', 'randomisation', '--resamples', '100000']
    yield 'compare t', ['compare', few, *many, '-m', 'rougeL', '--test', 't']
    for test in ('williams', 'bootstrap', 'perm-both'):
        yield f'correlate {test}', ['correlate', judged, '--gold', 'human', '--predicted', 'm1', 'm2', 'm3', '--test', test, '--resamples', '100000']
    yield 'correlate --ci', ['correlate', judged, '--gold', 'human', '--predicted', 'm1', 'm2', 'm3', '--ci', '20000']
    yield 'correlate accuracy', ['correlate', judged, '--gold', 'human', '--predicted', 'm1', 'm2', 'm3', '--coefficient', 'accuracy']
    yield 'correlate kendall perm-both', ['correlate', judged, '--gold', 'human', '--predicted', 'm1', 'm2', '--coefficient', 'kendall', '--test',
                                          'perm-both', '--resamples', '100000']
    yield 'correlate soft-accuracy', ['correlate', judged, '--gold', 'human', '--predicted', 'm1', 'm2', 'm3', '--coefficient', 'soft-accuracy',
                                      '--system', 'system', '--segment', 'segment']
    yield 'correlate --report', ['correlate', judged, '--gold', 'human', '--ref', 'ref', '--hyp', 'hyp', '-m', 'chrf', 'ter', '--group', 'system',
                                 '--report', folder / 'page.html']
    yield 'score --segments', ['score', ref, a, b, '-m', *[f'chrf:beta={i}' for i in range(1, 13)], '--segments', '-o', folder / 'segments.tsv']
    yield 'score --segments as text', ['score', ref, a, '-m', *[f'chrf:beta={i}' for i in range(1, 13)], '--segments', '-o', folder / 'segments.txt']
    yield 'score --segments --report', ['score', ref, a, b, '-m', 'chrf', 'rouge1', 'rouge2', '--segments', '-o', folder / 'segments.json', '--report',
                                        folder / 'page.html']
    yield 'score --group', ['score', f'{judged}:ref', f'{judged}:hyp', '-m', 'chrf', 'rouge1', 'bleu', '--group', 'system', '--ci', '20000']
    yield 'score exponents', ['score', few, *many[:4], '-m', 'moverscore:exponents=' + '+'.join(f'{i}.5' for i in range(16)), *model]
    yield 'experiment own', ['experiment', 'own', '--data', judged, '--gold', 'human', '--ref', 'ref', '--hyp', 'hyp', '-m', 'chrf', 'rouge1', 'rouge2',
                             'rougeL', 'ter', '--coefficient', 'kendall', '--report', folder / 'study.html']
    yield 'experiment own, groups', ['experiment', 'own', '--data', judged, '--gold', 'human', '--ref', 'ref', '--hyp', 'hyp', '-m', 'chrf', 'rouge1',
                                     '--group', 'system', '--test', 'perm-both']
    yield 'experiment own, systems', ['experiment', 'own', '--data', judged, '--gold', 'human', '--ref', 'ref', '--hyp', 'hyp', '-m', 'chrf', 'ter',
                                      '--system', 'system', '--level', 'system']
    yield 'experiment mode-collapse', ['experiment', 'mode-collapse', '--data', folder, '--size', '100', '-m', 'me', 'prdc', *model]
    yield 'experiment k-sweep', ['experiment', 'k-sweep', '--data', folder, '--size', '300', *model]
    yield 'experiment language-generation', ['experiment', 'language-generation', '--data', folder, '--size', '100', '-m', 'me', 'fid', *model]
    yield 'baseline', ['baseline', ref, '-o', folder / 'baseline.csv', *model]
    yield 'sacrebleu', ['sacrebleu', ref, '-i', a, b, '-m', 'bleu', 'chrf', '--paired-bs']
    yield 'embed', ['embed', ref, '-o', folder / 'out.npy', *model]
    yield 'train', ['train', '--train', judged, '--gold', 'human', '--ref', 'ref', '--hyp', 'hyp', '-o', folder / 'trained', *model]
    yield 'align', ['align', ref, a, '-o', folder / 'aligned.txt']


def cpu_seconds(process):
    """So far; 0 where it is gone."""
    try:
        fields = pathlib.Path(f'/proc/{process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
    except (OSError, IndexError):
        return 0


def measured(process, end):
    """Seconds by the clock and of CPU until the process is gone, after `end` was called."""
    began, before = time.monotonic(), cpu_seconds(process)
    end()
    used = before
    while process.poll() is None and time.monotonic() - began < 120:
        used = max(used, cpu_seconds(process))
        time.sleep(.005)
    wait = time.monotonic() - began
    if process.poll() is None:
        process.kill()
        process.wait()
    return wait, used - before


def wait_after_interrupt(words, moment):
    """What Ctrl-C takes (see measured); None where the command was through before. And its exit code."""
    process = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(moment)
        return None, process.returncode
    except subprocess.TimeoutExpired:
        pass
    return measured(process, lambda: process.send_signal(signal.SIGINT)), process.returncode


class Server:
    def __init__(self):
        self.process = subprocess.Popen([PROGRAM, 'serve', '--port', '0', '--max-stop-seconds', '0', '-q'], stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r':(\d+)$', self.process.stderr.readline())[1])

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=120)
        connection.request(method, path, None if body is None else json.dumps(body), {'Content-Type': 'application/json'})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def stop(self):
        return measured(self.process, self.process.terminate)


def jobs(folder):
    lines = (folder / 'few.ref.txt').read_text().splitlines()
    systems = {f's{i}': (folder / f'few.{i}.txt').read_text().splitlines() for i in range(30)}
    table = [line.split('\t') for line in (folder / 'judged.tsv').read_text().splitlines()]
    columns = {name: [float(row[i]) for row in table[1:]] for i, name in enumerate(table[0][:4])}
    yield 'job compare', {'kind': 'compare', 'request': {'references': lines, 'systems': systems, 'metrics': ['bleu', 'chrf']}}
    yield 'job score', {'kind': 'score', 'request': {'references': lines, 'systems': systems, 'metrics': ['bertscore', 'me'], 'model': options.model}}
    yield 'job score --ci', {'kind': 'score', 'request': {'references': lines, 'systems': {'s0': systems['s0']}, 'metrics': ['bleu'], 'ci': 5_000_000}}
    yield 'job of many segments', {'kind': 'score', 'request': {'references': lines * 60, 'systems': {'s0': systems['s0'] * 60}, 'segments': True,
                                                               'metrics': [f'chrf:beta={i}' for i in range(1, 13)]}}
    yield 'job of groups', {'kind': 'score', 'request': {'references': lines, 'systems': systems, 'metrics': ['bleu', 'chrf'], 'ci': 2000,
                                                         'group': [f'g{i % 20}' for i in range(300)]}}
    yield 'job correlate', {'kind': 'correlate', 'request': {'columns': columns, 'gold': 'human', 'predicted': ['m1', 'm2', 'm3'], 'test': 'perm-both',
                                                             'coefficients': ['kendall'], 'resamples': 100000}}


def main():
    waits, missed = {}, 0

    def tell(name, wait):
        nonlocal missed
        if wait is None:
            missed += 1
        else:
            waits.setdefault(name, []).append(wait)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_inputs(folder)
        listed = [one for one in commands(folder) if options.only in one[0]]
        posted = [one for one in jobs(folder) if options.only in one[0]]
        lengths = {}
        for command, words in listed:  # a command that is through, or refuses, is not stopped
            wait, code = wait_after_interrupt(words, options.longest)
            if wait is None and code != 0 and options.may_refuse:
                print(f'left out: {command}')
                listed = [one for one in listed if one[0] != command]
                continue
            if wait is None and code != 0:
                sys.exit(f'{command}: exit {code}: {" ".join(map(str, words))}')
            lengths[command] = options.longest if wait is not None else options.longest / 4
            tell(command, wait)
        try:
            while sum(map(len, waits.values())) + missed < options.moments and (listed or posted):
                for command, words in listed:
                    tell(command, wait_after_interrupt(words, rng.uniform(0.01, lengths[command]))[0])
                for job, body in posted:
                    for way in ('DELETE', 'SIGTERM'):
                        server = Server()
                        place = '/v1/jobs/' + server.ask('POST', '/v1/jobs', body)['id']
                        time.sleep(rng.uniform(0.01, options.longest))
                        if way == 'DELETE' and 'ended' not in server.ask('GET', place):
                            began, before = time.monotonic(), cpu_seconds(server.process)
                            server.ask('DELETE', place)
                            while 'ended' not in (state := server.ask('GET', place)) and 'id' in state:
                                time.sleep(.005)
                            tell(f'{job}, {way}', (time.monotonic() - began, cpu_seconds(server.process) - before))
                        wait = server.stop()
                        if way == 'SIGTERM':
                            tell(f'{job}, {way}', wait)
        except KeyboardInterrupt:
            print('stopped; what was measured so far:')
    for command, found in sorted(waits.items(), key=lambda one: -max(one[1])[0]):
        clock = sorted(wait for wait, _ in found)
        print(f'{command:<36} {len(found):>4} moments, longest wait {clock[-1]:.2f} s (CPU {max(cpu for _, cpu in found):.2f} s), median '
              f'{clock[len(clock) // 2]:.2f} s')
    every = [one for found in waits.values() for one in found]
    longest = max(wait for wait, _ in every)
    print(f'{len(every)} moments, {missed} more came after the end; longest wait {longest:.2f} s, CPU {max(cpu for _, cpu in every):.2f} s')
    sys.exit(longest > options.most)


main()
