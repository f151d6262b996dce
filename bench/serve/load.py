"""How many requests markeval serve answers. Starts the server itself, and is a second process on the same machine: the figures are what
both reach together.

    load.py --program build/release/markeval                    lexical requests and bertscore of a pair, 1, 16 and 256 clients
    load.py --program build/release/markeval --batching         the same bertscore requests one at a time and in common batches, by turns
    load.py --program build/release/markeval --overload         ten times what it can serve, for a minute, and jobs meanwhile

No two requests have the same texts, and nothing is cached. Some answers are compared with those the server gives afterwards, when nobody
else asks. Beside answers per second stands what an answer cost: milliseconds of CPU time of the server, which other programs on the
machine change less than they change the clock."""
import argparse
import collections
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--model', default='all-MiniLM-L6-v2')
parser.add_argument('--precision', default='f32', help='of the encoder: f32 or bf16')
parser.add_argument('--threads', type=int, default=0, help='of the server (all cores)')
parser.add_argument('--clients', type=int, nargs='+', default=[1, 16, 256])
parser.add_argument('--seconds', type=float, default=10, help='of every measurement')
parser.add_argument('--processes', type=int, default=1, help='that the clients share; a process of Python asks a few thousand times a second at most')
parser.add_argument('--rounds', type=int, default=3, help='of --batching')
what = parser.add_mutually_exclusive_group()
what.add_argument('--batching', action='store_true')
what.add_argument('--overload', action='store_true')
options = parser.parse_args()
KINDS = {'words': ['bleu', 'chrf'], 'pairs': ['bertscore']}
WORDS = ('river winter paper music garden window teacher island market silver engine letter bridge corner summer forest kitchen doctor '
         'mountain harbour village station painter captain library factory orchard castle airport theatre').split()
CROWD = 640  # clients
JSON = {'Content-Type': 'application/json'}
numbers = itertools.count()


def request_of(metrics):
    """A pair of sentences of about 15 words that nobody has asked about."""
    number = next(numbers)
    name = ' '.join(WORDS[number // len(WORDS) ** place % len(WORDS)] for place in range(4))
    return {'precision': options.precision, 'references': [f'The committee will publish its report on the {name} next month.'], 'metrics': metrics,
            'systems': [{'name': 'mine', 'texts': [f'Next month a report on the {name} is published by them.']}]}


class Server:
    def __init__(self, *words):
        threads = ['--threads', str(options.threads)] if options.threads else []
        self.process = subprocess.Popen([options.program, 'serve', '--port', '0', '-q', '--preload', '--model', options.model,
                                         '--max-connections', '900', *threads, *map(str, words)], stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r'serving at http://127\.0\.0\.1:(\d+)', line)
        if not found:
            raise SystemExit(f'no server: {line}')
        self.port = int(found[1])
        while self.ask('GET', '/ready')[0] != 200:
            time.sleep(0.1)

    def connect(self):
        return http.client.HTTPConnection('127.0.0.1', self.port, timeout=90)

    def ask(self, method, path, body=None, connection=None, headers=JSON):
        """Status and text."""
        used = connection or self.connect()
        used.request(method, path, body, headers)
        answer = used.getresponse()
        status, text = answer.status, answer.read().decode()
        if connection is None:
            used.close()
        return status, text

    def cpu_seconds(self):
        fields = pathlib.Path(f'/proc/{self.process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def memory_mib(self):
        status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        return int(re.search(r'VmRSS:\s*(\d+)', status)[1]) / 1024

    def counters(self):
        """Of /metrics, by name."""
        lines = [line.rsplit(' ', 1) for line in self.ask('GET', '/metrics')[1].splitlines() if not line.startswith('#')]
        return {name: float(value) for name, value in lines}

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


class Load:
    """Clients that ask for the same metrics, each on a connection of its own, until they are told to stop. With `interval` each of them
    asks once in so many seconds, whatever it is answered; without it, as soon as it has its answer."""

    def __init__(self, server, metrics, clients, interval=None):
        self.server, self.metrics, self.interval = server, metrics, interval
        self.times, self.statuses, self.answers = [], [], {}  # what threads may add to
        self.running, self.cpu, self.began, self.clients = True, server.cpu_seconds(), time.monotonic(), clients
        self.threads = [threading.Thread(target=self.client) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def client(self):
        connection = self.server.connect()
        turn = time.monotonic() + random.random() * (self.interval or 0)
        while self.running:
            if self.interval:
                time.sleep(max(0, turn - time.monotonic()))
                turn += self.interval
            body = json.dumps(request_of(self.metrics))
            began = time.monotonic()
            try:
                status, text = self.server.ask('POST', '/v1/score', body, connection)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                status, text = type(error).__name__, ''
            self.statuses.append(status)
            if status == 200:
                self.times.append(time.monotonic() - began)
                self.answers[body] = text
            elif not self.interval:
                time.sleep(0.05)
        connection.close()

    def stop(self):
        self.running = False
        for thread in self.threads:
            thread.join()
        self.seconds = time.monotonic() - self.began
        self.per_second = len(self.times) / self.seconds
        self.cpu_ms = 1000 * (self.server.cpu_seconds() - self.cpu) / max(1, len(self.times))
        self.times.sort()

    def share(self, part):
        """Milliseconds in which this part of the answers came."""
        return self.times[min(len(self.times) - 1, int(part * len(self.times)))] * 1000 if self.times else float('nan')

    def check(self):
        """Answers among neighbours are those without them."""
        for body in random.sample(sorted(self.answers), min(20, len(self.answers))):
            found = self.server.ask('POST', '/v1/score', body)
            assert found == (200, self.answers[body]), f'another answer than among neighbours: {body}'

    def line(self, name):
        refused = len(self.statuses) - len(self.times)
        return (f'{name:14} {self.clients:7} {self.per_second:10.1f} {self.share(0.5):8.1f} ms {self.share(0.99):8.1f} ms '
                f'{self.cpu_ms:8.2f} ms {refused:8}')


HEAD = 'kind           clients  answers/s     50 %        99 %       CPU/answer  refused'


def part_of_load(server, metrics, clients, index, results):
    """In a process of its own, with numbers of its own."""
    global numbers
    numbers = itertools.count(random.randrange(10 ** 5) * 100 + index, 100)
    load = Load(server, metrics, clients)
    time.sleep(options.seconds)
    load.stop()
    results.put((load.times, load.statuses, dict(random.sample(sorted(load.answers.items()), min(20, len(load.answers))))))


def measure(server, name, metrics, clients):
    """The clients are in processes of their own; their answers are put together here."""
    load = Load(server, metrics, 0)
    load.clients, results, parts = clients, multiprocessing.Queue(), min(clients, options.processes)
    shares = [clients // parts + (index < clients % parts) for index in range(parts)]
    workers = [multiprocessing.Process(target=part_of_load, args=(server, metrics, share, index, results)) for index, share in enumerate(shares)]
    for worker in workers:
        worker.start()
    for times, statuses, answers in [results.get() for _ in workers]:
        load.times += times
        load.statuses += statuses
        load.answers.update(answers)
    for worker in workers:
        worker.join()
    load.stop()
    load.check()
    print(load.line(name), flush=True)
    return load


def batching():
    """Both servers run all the time, one is asked at a time, by turns: what else the machine does falls on both."""
    servers = {'one at a time': Server('--max-together', 1, '--max-queue', 1000), 'common batches': Server('--max-queue', 1000)}
    print(HEAD)
    for clients in options.clients:
        rates, costs = {name: [] for name in servers}, {name: [] for name in servers}
        for _ in range(options.rounds):
            for name, server in servers.items():
                load = measure(server, name, KINDS['pairs'], clients)
                rates[name].append(load.per_second)
                costs[name].append(load.cpu_ms)
        middle = {name: (sorted(rates[name])[options.rounds // 2], sorted(costs[name])[options.rounds // 2]) for name in servers}
        one, many = middle.values()
        print(f'{clients} clients, medians of {options.rounds}: {one[0]:.1f} and {many[0]:.1f} answers/s, {many[0] / one[0]:.2f} times as many; '
              f'{one[1]:.2f} and {many[1]:.2f} ms of CPU each', flush=True)
    counts = servers['common batches'].counters()
    print(f'requests in a batch, on average: {counts["markeval_batch_requests_sum"] / counts["markeval_batch_requests_count"]:.1f}')
    for server in servers.values():
        server.stop()


def flood(server, interval, seconds):
    """In a process of its own, lest its threads keep the one that looks on from looking."""
    load = Load(server, KINDS['pairs'], CROWD, interval)
    time.sleep(seconds)
    load.stop()
    print(load.line('ten times'))
    print(f'asked {len(load.statuses) / load.seconds:.0f} times a second; statuses: {dict(collections.Counter(load.statuses))}', flush=True)


def overload():
    """As many requests as it can serve; then, for a minute, ten times as many a second, while jobs are posted."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server('--jobs', pathlib.Path(folder, 'jobs.sqlite'))
        print(HEAD)
        before = measure(server, 'before', KINDS['pairs'], 64)
        taken, refused, memory, waited = [], 0, [], []
        crowd = multiprocessing.Process(target=flood, args=(server, CROWD / (10 * before.per_second), max(60, options.seconds)))
        crowd.start()
        while crowd.is_alive():
            body = json.dumps({'kind': 'score', 'request': request_of(['bleu', 'chrf'])})
            began = time.monotonic()
            status, text = server.ask('POST', '/v1/jobs', body)
            waited.append(time.monotonic() - began)
            if status == 202:
                taken.append((json.loads(text)['id'], body))
            else:
                refused += 1
            memory.append(server.memory_mib())
            crowd.join(0.2)
        began = time.monotonic()
        status, _ = server.ask('POST', '/v1/score', json.dumps(request_of(KINDS['pairs'])))
        print(f'the first request afterwards: {status} after {1000 * (time.monotonic() - began):.0f} ms')
        measure(server, 'after', KINDS['pairs'], 64)
        quarter = len(memory) // 4
        print(f'memory: {max(memory[:quarter]):.0f} MiB at most in the first quarter of the minute, {max(memory[-quarter:]):.0f} in the last')
        lost = wrong = 0
        for name, body in taken:
            status, text = server.ask('GET', f'/v1/jobs/{name}/result')
            lost += status != 200
            wrong += status == 200 and text != server.ask('POST', '/v1/score', json.dumps(json.loads(body)['request']))[1]
        print(f'jobs posted meanwhile: {len(taken)} taken, {refused} refused, {lost} lost, {wrong} wrong; the slowest was taken after '
              f'{1000 * max(waited):.0f} ms')
        print(f'the server stops with {server.stop()}')


print(f'{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the run; model {options.model}')
if options.batching:
    batching()
elif options.overload:
    overload()
else:
    server = Server()
    print(HEAD)
    for kind, metrics in KINDS.items():
        for count in options.clients:
            measure(server, kind, metrics, count)
    server.stop()
