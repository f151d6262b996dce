"""How many requests markeval serve answers: load.py --port N [--clients 1 16 256] [--seconds 10]

Asks a server that runs already, over kept connections, with requests of one kind: words (bleu and chrf of a pair of
sentences) or pairs (bertscore of a pair). No two requests have the same texts. Some answers are compared with those the
server gives afterwards, when nobody else asks. The clients are threads of this
Python program, on the same machine: the figures are what both reach together."""
import argparse
import http.client
import itertools
import json
import os
import random
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument('--port', type=int, required=True)
parser.add_argument('--clients', type=int, nargs='+', default=[1, 16, 256])
parser.add_argument('--seconds', type=float, default=10)
options = parser.parse_args()
KINDS = {'words': ['bleu', 'chrf'], 'pairs': ['bertscore']}
WORDS = 'river winter paper music garden window teacher island market silver engine letter bridge corner summer'.split()
numbers = itertools.count()


def body_of(metrics):
    """A pair of sentences of about 15 words that nobody has asked about."""
    number = next(numbers)
    name = ' '.join(WORDS[number // len(WORDS) ** place % len(WORDS)] for place in range(4))
    return json.dumps({'references': [f'The committee will publish its report on the {name} next month.'], 'metrics': metrics,
                       'systems': [{'name': 'mine', 'texts': [f'Next month a report on the {name} is published by them.']}]})


def ask(connection, body):
    connection.request('POST', '/v1/score', body, {'Content-Type': 'application/json'})
    answer = connection.getresponse()
    return answer.status, answer.read()


def client(metrics, end, times, refused, answers):
    connection = http.client.HTTPConnection('127.0.0.1', options.port, timeout=60)
    while time.monotonic() < end:
        body = body_of(metrics)
        began = time.monotonic()
        try:
            status, text = ask(connection, body)
        except (OSError, http.client.HTTPException):
            connection.close()
            refused.append(0)
            continue
        if status == 200:
            times.append(time.monotonic() - began)
            answers[body] = text
        else:
            refused.append(status)
            time.sleep(0.05)
    connection.close()


print(f'{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the run')
print('kind   clients  answers/s   50 %      99 %      refused')
for kind, metrics in KINDS.items():
    for count in options.clients:
        times, refused, answers = [], [], {}
        end = time.monotonic() + options.seconds
        threads = [threading.Thread(target=client, args=(metrics, end, times, refused, answers)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = http.client.HTTPConnection('127.0.0.1', options.port, timeout=60)
        for body in random.sample(sorted(answers), min(20, len(answers))):
            assert ask(alone, body) == (200, answers[body]), f'another answer than among neighbours: {body}'
        alone.close()
        times.sort()
        at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1000 if times else float('nan')
        print(f'{kind:6} {count:7} {len(times) / options.seconds:10.1f} {at(0.5):8.1f} ms {at(0.99):7.1f} ms {len(refused):7}', flush=True)
