"""A server whose allocations fail by chance, a few in turn, while clients ask for all it does: it is never gone, its answers
have a status, and afterwards it ends in order.
    python3 tests/faults/server.py --program build/release/markeval --library build/release/tests/faults/libfaults.so
        --encoder tests/encoder/models/bert [--kind malloc] [--chance 1500] [--seconds 8]"""
import argparse
import collections
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'serve'))
import running
from running import Server, folder_with_models

parser = argparse.ArgumentParser()
parser.add_argument('--library', required=True)
parser.add_argument('--seconds', type=float, default=8)
parser.add_argument('--clients', type=int, default=4)
parser.add_argument('--kind', default='malloc', help='malloc, mmap or thread')
parser.add_argument('--chance', type=int, default=1500, help='one call in so many')
options = parser.parse_args(running.others)
TWO = ['a cat sat', 'the dog ran']
SCORE = {'references': TWO, 'systems': {'mine': ['a cat sits', 'a dog ran'], 'other': TWO}, 'metrics': ['bleu', 'chrf'], 'segments': True, 'ci': 50}
MODEL = {'references': TWO, 'systems': {'mine': ['a cat sits', 'a dog ran']}, 'metrics': ['bertscore:layer=1', 'me:k=1']}
TABLE = {'columns': {'human': [.1, .5, .3, .9, .2], 'm': [1, 3, 2, 5, 4], 'n': [2, 3, 1, 5, 4]}, 'gold': 'human', 'predicted': ['m', 'n']}
ASKED = [('GET', path, None) for path in ('/health', '/info', '/metrics', '/v1/metrics', '/v1/models', '/openapi.json', '/docs', '/', '/none')] + [
    ('POST', '/v1/score', SCORE), ('POST', '/v1/score', MODEL), ('POST', '/v1/score', {**SCORE, 'metrics': ['nothing']}), ('POST', '/v1/compare', SCORE),
    ('POST', '/v1/correlate', TABLE), ('POST', '/v1/embeddings', {'input': TWO}), ('POST', '/v1/texts', {'name': 'a.tsv', 'content': 'a\tb\nx\ty\n'}),
    ('POST', '/v1/score', '[{"a":' * 40), ('POST', '/v1/jobs', {'kind': 'score', 'request': SCORE}), ('POST', '/v1/jobs', {'kind': 'compare', 'request': SCORE}),
    ('POST', '/v1/jobs', {'kind': 'correlate', 'request': TABLE}), ('POST', '/v1/jobs', {'kind': 'embeddings', 'request': {'input': TWO}})]
found = collections.Counter()


def follow(server, draw, job):
    for path in ('', '/events', '/result', '/table'):
        found[server.ask('GET', f'/v1/jobs/{job}{path}', timeout=60)[0]] += 1
    if draw.random() < .5:
        server.ask('DELETE', f'/v1/jobs/{job}', timeout=60)


def client(server, seed, end):
    draw = random.Random(seed)
    while time.monotonic() < end and server.process.poll() is None:
        method, path, body = draw.choice(ASKED)
        try:
            status, _, text = server.ask(method, path, body, timeout=60)
            found[status] += 1
            if status == 202:
                follow(server, draw, json.loads(text)['id'])
        except (OSError, running.http.client.HTTPException) as error:
            found[type(error).__name__] += 1


def main():
    with folder_with_models():
        os.environ |= {'LD_PRELOAD': os.path.abspath(options.library), 'MARKEVAL_FAULT': f'{options.kind}:1/{options.chance}'}
        server = Server('-q')
        del os.environ['LD_PRELOAD']
        with server:
            server.process.send_signal(signal.SIGUSR2)
            end = time.monotonic() + options.seconds
            clients = [threading.Thread(target=client, args=(server, seed, end)) for seed in range(options.clients)]
            for one in clients:
                one.start()
            for one in clients:
                one.join()
            gone = server.process.poll()
            stopped = server.stop() if gone is None else None
    print(', '.join(f'{count} x {what}' for what, count in found.most_common()))
    running.check('the server was there to the end', gone is None, f'exit {gone}: {server.lines[-3:]}')
    running.check('it ended in order', stopped == 0, f'exit {stopped}: {server.lines[-3:]}')
    running.check('some were refused', found[422] + found[503] > 0)
    running.check('some were answered', found[200] > 0)
    sys.exit(running.failures > 0)


main()
