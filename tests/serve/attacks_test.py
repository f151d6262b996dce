"""What bad clients do to markeval serve: it refuses, keeps answering others, and its memory stays where it was."""
import http.client
import json
import os
import socket
import resource
import shutil
import sys
import threading
import time

import running
from running import Server, check, folder_with_models, wait_until

BODY = {'references': ['a cat sat'], 'systems': [{'name': 'mine', 'texts': ['a cat sits']}], 'metrics': ['bleu']}


def raw(server, data, timeout=60):
    """The answer to exactly these bytes, as far as it came."""
    with socket.create_connection(('127.0.0.1', server.port), timeout=timeout) as client:
        answer = b''
        try:
            client.sendall(data)
        except OSError:
            pass  # refused before all was sent
        try:
            while piece := client.recv(65536):
                answer += piece
        except OSError:
            pass
        return answer.decode(errors='replace')


def lives(server):
    status, _, text = server.ask('POST', '/v1/score', BODY)
    return status == 200 and 'bleu' in text


def attack_with_bytes(server):
    head = b'POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    for name, data, expected in [
            ('a body said to have 1 GB', head + b'Content-Length: 1073741824\r\n\r\nxxx', '413'),
            ('a body of 3 MB in chunks', head + b'Transfer-Encoding: chunked\r\n\r\n' + (b'10000\r\n' + b' ' * 65536 + b'\r\n') * 48 + b'0\r\n\r\n', '413'),
            ('a flood of headers', head + b''.join(b'H%d: x\r\n' % i for i in range(20000)) + b'\r\n', '431'),
            ('one endless header', head + b'H: ' + b'x' * 300000 + b'\r\n\r\n', '431'),
            ('one endless line', b'GET /' + b'x' * 300000, '431'),
            ('a long path', b'GET /' + b'x' * 5000 + b' HTTP/1.1\r\nHost: localhost\r\n\r\n', '414'),
            ('both kinds of length', head + b'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', '400'),
            ('a negative length', head + b'Content-Length: -5\r\n\r\n', '400'),
            ('gzip', head + b'Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxxx', '400'),
            ('no HTTP', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', '400'),
            ('a method that echoes', b'TRACE /v1/score HTTP/1.1\r\nHost: localhost\r\n\r\n', '405'),
            ('a method nobody has', b'QUERY /v1/score HTTP/1.1\r\nHost: localhost\r\n\r\n', '405'),
            ('two lengths', head + b'Content-Length: 2\r\nContent-Length: 48\r\n\r\n{}GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n', '400'),
            ('a blank after the name of a length', head + b'Content-Length : 48\r\n\r\n', '400'),
            ('a chunk without its end', head + b'Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\nGET / HTTP/1.1\r\n\r\n', '400'),
            ('another host', b'GET /info HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', '403')]:
        answer = raw(server, data)
        check(f'{name}: {expected}', answer.startswith('HTTP/1.1 ' + expected) and answer.count('HTTP/1.1 ') == 1, answer[:200])


def attack_with_json(server):
    for name, body in [('deep', '[' * 100000), ('deep objects', '{"a":' * 50000), ('cut off', '{"references": ["a'),
                       ('not UTF-8', b'{"references": ["\xff\xfe"]}'), ('a lone surrogate', '{"references": ["\\ud800"]}'),
                       ('a number', '1'), ('nothing', ''), ('NaN', '{"seed": NaN}'), ('a huge number', '{"seed": 1e999}'),
                       ('twice', '{"seed": 1, "seed": "x"}')]:
        status, _, text = server.ask('POST', '/v1/score', body)
        check(f'{name} JSON: 400', status == 400 and set(json.loads(text)) == {'error', 'type', 'hint'}, (status, text))
    for field, value in [('cache', '/tmp'), ('model', '/etc'), ('model', '../x'), ('metrics', ['bertscore:rescale=/etc/passwd']),
                         ('metrics', ['match:head=/etc/passwd']), ('metrics', ['bleu'] * 2)]:
        status, _, text = server.ask('POST', '/v1/score', {**BODY, field: value})
        check(f'{field} {value}: 400', status == 400 and 'root:' not in text, (status, text))


def attack_with_paths(server):
    for path in ['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd', '/v1/score/../info', '/v1/score%00', '/v1//score',
                 '/%0d%0aX-Evil:%20yes', '/<script>alert(1)</script>', '/v1/score;/info', '/info%2f', '/%ff%fe', '/INFO']:
        answer = raw(server, f'GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'.encode())
        check(f'{path}: 404 or 405', answer[9:12] in ('404', '405') and 'X-Evil' not in answer and '<script' not in answer,
              answer[:300])


def attack_with_names(server):
    script = '<script>alert(1)</script>'
    body = {**BODY, 'systems': [{'name': script + '"\r\n\x1b[31m', 'texts': [script]}]}
    status, headers, text = server.ask('POST', '/v1/score', body)
    check('a script in a name stays a string of JSON', status == 200 and headers['Content-Type'] == 'application/json'
          and headers['X-Content-Type-Options'] == 'nosniff' and json.loads(text)['results'][0]['system'].startswith(script), text)
    status, _, text = server.ask('POST', '/v1/score', {**BODY, script + '\x1b[31m': 1})
    check('nor does an error carry control characters', status == 400 and '\x1b' not in json.loads(text)['error'], text)


def attack_with_ngrams(server):
    """Memory and time of chrf grow with the length of a text and with its longest n-gram."""
    text = 'ab' * 150_000
    status, _, text = server.ask('POST', '/v1/score', {'references': [text], 'systems': {'x': [text]}, 'metrics': ['chrf:char_order=100']})
    check('too many n-grams are refused', status == 422 and 'MARKEVAL_MAX_NGRAMS' in json.loads(text)['error'], (status, text[:300]))


def attack_with_folder_names(server):
    """Names of model folders need not be text."""
    folder = os.path.join(os.fsencode(os.environ['MARKEVAL_MODELS']), b'bad\xff\x1b[31mname')
    shutil.copytree(os.path.join(os.fsencode(os.environ['MARKEVAL_MODELS']), b'tiny'), folder)
    status, _, text = server.ask('GET', '/v1/models')
    names = [model['id'] for model in json.loads(text)['data']] if status == 200 else []
    check('a folder whose name is no UTF-8 is listed', status == 200 and 'tiny' in names and '\x1b' not in text, (status, text))
    shutil.rmtree(folder)


def score_without_room(folder):
    """A cache that no file limit lets grow."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))  # for the server
    with Server('-q', '--cache', folder / 'cache') as server:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        status, _, text = server.ask('POST', '/v1/embeddings', {'input': ['a cat']})
        check('a cache that cannot grow fails no request', status == 200 and lives(server), (status, text))
        check('and the server stops when asked', server.stop() == 0)


def attack_slowly(server):
    """More clients than half of the connections send a byte now and then; others are served meanwhile."""
    clients = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(20)]
    for client in clients:
        client.sendall(b'POST /v1/score HTTP/1.1\r\nHost: localhost\r\n')
    check('others are served beside slow clients', lives(server))
    ended = 0
    for client in clients:
        client.settimeout(60)
        try:
            answer = b''
            while piece := client.recv(4096):
                answer += piece
            ended += answer.startswith(b'HTTP/1.1 408')
        except OSError:
            pass
        client.close()
    check('every slow client is hung up on', ended == len(clients), ended)


def overload(server):
    """Long requests fill the queue: the next ones are told to come again, short ones are still answered."""
    slow = {**BODY, 'resamples': 10_000_000}
    clients = []

    def send(count):
        for _ in range(count):
            clients.append(http.client.HTTPConnection('127.0.0.1', server.port, timeout=60))
            clients[-1].request('POST', '/v1/score', json.dumps(slow), {'Content-Type': 'application/json'})

    def refused():
        """One runs, two wait, the next is refused; where one ended meanwhile, the place is filled again."""
        send(3)
        status, headers, text = server.ask('POST', '/v1/score', slow)
        return status == 429 and int(headers['Retry-After']) > 0 and json.loads(text)['type'] == 'busy'

    send(5)
    check('beyond the queue: 429 with Retry-After', any(refused() for _ in range(8)))
    check('a short request is answered all the same', lives(server))
    for client in clients:
        client.close()
    check('requests of clients that left are dropped', wait_until(
        lambda: 'markeval_waiting_requests{lane="lexical_large"} 0' in server.ask('GET', '/metrics')[2]))
    short = {**BODY, 'resamples': 10}
    check('and the server has recovered', wait_until(lambda: server.ask('POST', '/v1/score', short)[0] == 200))


def compare_many(server):
    """A few kB may ask for minutes: known before the work, refused in a sentence, or stopped in time."""
    body = {'references': ['a', 'b', 'c', 'd', 'e'], 'metrics': ['bleu']}
    for count, expected in ((600, 422), (2000, 422)):
        systems = {f's{i}': ['a', 'b', 'x', 'y', 'z'] for i in range(count)}
        began = time.monotonic()
        status, _, text = server.ask('POST', '/v1/compare', {**body, 'systems': systems})
        check(f'a comparison of {count} systems: {expected} at once', status == expected and time.monotonic() - began < 5, (status, text[:200]))
    systems = {f's{i}': ['a', 'b', 'x', 'y', 'z'] for i in range(90)}
    began = time.monotonic()
    status, _, text = server.ask('POST', '/v1/compare', {**body, 'systems': systems})
    seconds = time.monotonic() - began
    check('a comparison of 90 systems is done or stopped in time', status in (200, 503) and seconds < MOST_SECONDS + 5, (status, seconds))
    job = json.loads(server.ask('POST', '/v1/jobs', {'kind': 'compare', 'request': {**body, 'systems': systems}})[2])
    wait_until(lambda: 'progress' in server.ask('GET', '/v1/jobs/' + job['id'])[2])
    began = time.monotonic()
    server.ask('DELETE', '/v1/jobs/' + job['id'])
    check('and as a job it can be stopped', time.monotonic() - began < 3, time.monotonic() - began)
    many = {'references': ['a b'] * 4000, 'systems': {'s': ['a c'] * 4000}, 'segments': True,
            'metrics': [f'v{i}=chrf:word_order={i % 7}' for i in range(900)]}
    status, _, text = server.ask('POST', '/v1/score', many)
    check('a large answer is refused before it is made', status == 422 and 'max_scores' in text, (status, text[:200]))


def bombs(server):
    """Small values that become large, where memory is short: the request ends, not the server."""
    for inner in (b'[],', b'{},', b'0,'):
        body = b'{"references":[' + inner * (60_000_000 // len(inner)) + b'[]]}'
        status, _, text = server.ask('POST', '/v1/score', body)
        check(f'60 MB of {inner.decode()}: 400', status == 400 and 'values of JSON' in text, (status, text[:200]))
    status, _, text = server.ask('POST', '/v1/texts', {'name': 'x.txt', 'content': '\n' * 20_000_000})
    check('a file of 20,000,000 lines: 422', status == 422 and 'max_texts' in text, (status, text[:200]))
    body = json.dumps({**BODY, 'references': ['x' * 60_000_000]})
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(server.ask('POST', '/v1/score', body)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check('eight times 60 MB at once: answered or refused', len(answers) == 8 and set(answers) <= {200, 422, 429, 503}, answers)


def flood(server):
    """Many at once: every answer is a right one or says that it is too much."""
    expected, statuses = server.ask('POST', '/v1/score', BODY)[2], []

    def ask():
        for _ in range(10):
            try:
                status, _, text = server.ask('POST', '/v1/score', BODY)
                statuses.append(status if status != 200 or text == expected else 'wrong')
            except OSError:
                statuses.append('refused')
    threads = [threading.Thread(target=ask) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check('a flood gets right answers or refusals', set(statuses) <= {200, 429, 503, 'refused'} and 200 in statuses,
          {status: statuses.count(status) for status in statuses})


# The address sanitizer keeps what was freed, up to so much, to see who still uses it.
os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':quarantine_size_mb=16'
# The thread sanitizer writes down who touched each byte: up to four times the memory.
SANITIZED = 'TSAN_OPTIONS' in os.environ or any('san' in part or part == 'fuzz' for part in running.options.program.split('/'))
MOST_SECONDS = 3
MOST_GROWTH_MIB = 400 if 'TSAN_OPTIONS' in os.environ else 100

with folder_with_models() as folder:
    limits = ['--max-body-mib', '2', '--max-queue', '2', '--max-receive-seconds', '3', '--max-connections', '40']
    with Server(*limits, '-q') as server:
        before = server.memory_mib()
        attack_with_bytes(server)
        check('it lives', lives(server))
        attack_with_json(server)
        attack_with_paths(server)
        attack_with_names(server)
        attack_with_ngrams(server)
        attack_with_folder_names(server)
        attack_slowly(server)
        overload(server)
        flood(server)
        check('it lives', lives(server))
        check('its memory has not grown', server.memory_mib() < before + MOST_GROWTH_MIB, (before, server.memory_mib()))
        check('and it stops when asked', server.stop() == 0)
    with Server('-q', '--max-seconds', str(MOST_SECONDS), '--max-body-mib', '4') as server:
        compare_many(server)
        check('it lives', lives(server))
    score_without_room(folder)
    if not SANITIZED:
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (1_200_000 * 1024, before[1]))  # for the server
        with Server('-q') as server:
            resource.setrlimit(resource.RLIMIT_AS, before)
            bombs(server)
            check('it lives with little memory', lives(server))
            check('and stops when asked', server.stop() == 0)
sys.exit(running.failures > 0)
