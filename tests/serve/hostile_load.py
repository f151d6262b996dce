"""A server with little memory under hostile load: it is never gone, and every request is answered or refused. Long: not part of
the suite.
    python3 tests/serve/hostile_load.py --program build/release/markeval --encoder tests/encoder/models/bert --seconds 600"""
import argparse
import collections
import http.client
import json
import random
import resource
import socket
import sys
import threading
import time

import running
from running import Server, folder_with_models

parser = argparse.ArgumentParser()
parser.add_argument('--seconds', type=float, default=600)
parser.add_argument('--clients', type=int, default=8)
parser.add_argument('--address-space-kib', type=int, default=1_200_000)
options, _ = parser.parse_known_args(running.others)
WORDS = 'a cat sat on the mat while some dog barked at another one'.split()


def text(draw, words=12):
    return ' '.join(draw.choice(WORDS) for _ in range(words))


def texts(draw, count, words=12):
    return [text(draw, words) for _ in range(count)]


def small(draw):
    return '/v1/score', {'references': ['a cat sat'], 'systems': {'mine': ['a cat sits']}, 'metrics': ['bleu', 'chrf']}


def encoded(draw):
    count = draw.choice([1, 3, 200])
    return '/v1/score', {'references': texts(draw, count), 'systems': {'mine': texts(draw, count)}, 'metrics': ['bertscore:layer=1', 'me']}


def vectors(draw):
    return '/v1/embeddings', {'input': texts(draw, draw.choice([1, 2000]), draw.choice([3, 100]))}


def bomb(draw):
    inner = draw.choice([b'[],', b'{},', b'0,', b'"",', b'[[]],', b'{"a":[]},'])
    return '/v1/score', b'{"references":[' + inner * (draw.choice([1, 20, 60]) * 1_000_000 // len(inner)) + b'[]]}'


def deep(draw):
    return '/v1/score', b'[' * draw.choice([90, 200, 5_000_000])


def many_systems(draw):
    count = draw.choice([30, 100, 600, 3000])
    return draw.choice(['/v1/compare', '/v1/score']), {'references': ['a b', 'c'], 'systems': {f's{i}': ['a b', 'd'] for i in range(count)},
                                                       'metrics': ['bleu', 'rougeL']}


def many_scores(draw):
    count = draw.choice([100, 10_000])
    return '/v1/score', {'references': ['a b'] * count, 'systems': {'mine': ['a c'] * count}, 'segments': True,
                         'metrics': [f'v{i}=chrf:word_order={i % 7}' for i in range(draw.choice([3, 500]))]}


def resampled(draw):
    return '/v1/score', {'references': texts(draw, 50), 'systems': {f's{i}': texts(draw, 50) for i in range(draw.choice([1, 70]))}, 'metrics': ['bleu', 'chrf'],
                         'ci': draw.choice([1000, 10_000_000])}


def table(draw):
    rows = draw.choice([50, 3000])
    columns = {name: [draw.random() for _ in range(rows)] for name in ('human', *(f'm{i}' for i in range(draw.choice([2, 30]))))}
    return '/v1/correlate', {'columns': columns, 'gold': 'human', 'predicted': [name for name in columns if name != 'human'],
                             'test': draw.choice(['bootstrap', 'perm-both', 'williams']), 'coefficients': [draw.choice(['pearson', 'kendall', 'accuracy']) if rows < 100 else 'pearson'],
                             'resamples': draw.choice([1000, 10_000_000])}


def grouped(draw):
    """Labels of segments: few texts, many groups, intervals in each."""
    count, labels = draw.choice([100, 3000]), draw.choice([2, 100, 2000])
    return '/v1/score', {'references': texts(draw, count), 'systems': {f's{i}': texts(draw, count) for i in range(draw.choice([1, 30]))},
                         'metrics': ['bleu', 'chrf', 'rouge1'], 'group': [f'g{i % labels}' for i in range(count)], 'ci': draw.choice([2, 1000, 100_000])}


def grouped_table(draw):
    rows, columns = 3000, draw.choice([2, 40])
    data = {name: [draw.random() for _ in range(rows)] for name in ('human', *(f'm{i}' for i in range(columns)))}
    return '/v1/correlate', {'columns': {**data, 'label': [f'g{i % draw.choice([3, 1000])}' for i in range(rows)]}, 'gold': 'human',
                             'predicted': [f'm{i}' for i in range(columns)], 'group': 'label', 'coefficients': ['pearson', 'kendall']}


def many_metrics(draw):
    """Each keeps rows of its own of every token; and some of them have sixteen power means."""
    count = draw.choice([5, 100, 1500])
    means = '+'.join(str(i) for i in range(1, draw.choice([3, 17, 400])))
    return '/v1/score', {'references': texts(draw, 50), 'systems': {'mine': texts(draw, 50)},
                         'metrics': [f'v{i}=moverscore:layers=1,exponents={means}' for i in range(count)]}


def large_text(draw):
    return '/v1/score', {'references': ['x ' * draw.choice([1000, 5_000_000])], 'systems': {'mine': ['y ' * draw.choice([1000, 5_000_000])]},
                         'metrics': [draw.choice(['bleu', 'chrf', 'ter', 'rougeL'])]}


def job(draw):
    path, body = draw.choice([small, encoded, many_systems, resampled, many_scores, grouped, many_metrics])(draw)
    return '/v1/jobs', {'kind': path.rpartition('/')[2], 'request': body}


KINDS = [small, small, encoded, vectors, bomb, deep, many_systems, many_scores, resampled, table, grouped, grouped_table, many_metrics,
         large_text, job]
found, lock = collections.Counter(), threading.Lock()


def tell(kind, outcome):
    with lock:
        found[kind, outcome] += 1


def post(server, draw):
    kind = draw.choice(KINDS)
    path, body = kind(draw)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=150)
    try:
        try:
            connection.request('POST', path, data, {'Content-Type': 'application/json'})
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before all was sent: the answer is there
        answer = connection.getresponse()
        content = answer.read()
        tell(kind.__name__, str(answer.status))
        if answer.status == 202 and draw.random() < .7:
            place = json.loads(content)['id']
            time.sleep(draw.uniform(0, 1))
            connection.request('DELETE', f'/v1/jobs/{place}')
            connection.getresponse().read()
    except (OSError, http.client.HTTPException) as error:
        tell(kind.__name__, f'no answer ({type(error).__name__})')
    finally:
        connection.close()


def misbehave(server, draw):
    """Bytes that are no request, half requests, clients that leave."""
    head = b'POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    data = draw.choice([draw.randbytes(200), head, head + b'Content-Length: 100000\r\n\r\nxxx', head + b'Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}',
                        head + b'Transfer-Encoding: chunked\r\n\r\nfffff\r\nabc', b'GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n' * 50])
    try:
        with socket.create_connection(('127.0.0.1', server.port), timeout=5) as client:
            client.sendall(data)
            if draw.random() < .5:
                client.recv(1000)
        tell('misbehave', 'left')
    except OSError:
        tell('misbehave', 'left')


def client(server, seed, end):
    draw = random.Random(seed)
    while time.monotonic() < end:
        misbehave(server, draw) if draw.random() < .2 else post(server, draw)


def main():
    limit = options.address_space_kib * 1024
    with folder_with_models():
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))  # the server inherits it
        server = Server('-q', '--max-seconds', '20')
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        with server:
            end = time.monotonic() + options.seconds
            clients = [threading.Thread(target=client, args=(server, seed, end)) for seed in range(options.clients)]
            for one in clients:
                one.start()
            healthy = asked = 0
            largest = 0.0
            while any(one.is_alive() for one in clients) and server.process.poll() is None:
                time.sleep(1)
                asked += 1
                try:
                    healthy += server.ask('GET', '/health', timeout=10)[0] == 200
                    largest = max(largest, server.memory_mib())
                except OSError:
                    pass
            for one in clients:
                one.join()
            gone = server.process.poll()
            after = None if gone is not None else server.ask('POST', '/v1/score', small(random)[1])[0]
            stopped = None if gone is not None else server.stop()
    for (kind, outcome), count in sorted(found.items()):
        print(f'{kind:<14} {outcome:<32} {count}')
    unanswered = sum(count for (_, outcome), count in found.items() if outcome.startswith('no answer'))
    print(f'{sum(found.values())} requests, {unanswered} without an answer; /health {healthy} of {asked}; at most {largest:.0f} MiB; server '
          + (f'gone: exit {gone}: {server.lines[-3:]}' if gone is not None else f'there, next answer {after}, exit {stopped}'))
    sys.exit(gone is not None or after != 200 or unanswered > 0)


main()
