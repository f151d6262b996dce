"""Requests drawn by chance for attack.py: most of them are what the description of the server allows, or that with one thing
changed: a field beyond its limits, a value of another kind, damaged bytes, another head. What is answered is asked again, and
asked as a job, and must be the same."""
import functools
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time

from hostile import LEXICAL, LETTERS, PAIRS, SETS, damage, hostile_json, line, metric, twice_a_key

WORDS = 'a cat sat on the mat while some dog barked at another one'.split()
TESTS = ['bootstrap', 'williams', 'perm-both', 't', 'randomisation', 'none']
ODD = [None, True, -1, 1.5, 2**63, 2**64, 1e308, '', 'x', 'x' * 2000, '\x1b[2J\u202e', '\x00', [], {}, [[]], ['x'], [1], {'a': []}]


class Server:
    def __init__(self, program, commands, patience, address_space):
        self.program, self.patience = program, patience
        self.process = subprocess.Popen([program, 'serve', '--port', '0', '--model', './m', '-q', '--max-seconds', '10'], cwd=commands.folder,
                                        env=commands.environment, stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space)))
        self.port = int(re.search(rb':(\d+)$', self.process.stderr.readline().strip())[1])
        described = json.loads(self.ask('GET', '/openapi.json')[1])
        self.fields = {}
        for path in ('/v1/score', '/v1/compare', '/v1/correlate', '/v1/embeddings'):
            schema = described['paths'][path]['post']['requestBody']['content']['application/json']['schema']
            self.fields[path] = functools.reduce(dict.__getitem__, schema['$ref'].split('/')[1:], described)['properties']

    def send(self, data):
        """All bytes of the answer."""
        with socket.create_connection(('127.0.0.1', self.port), timeout=self.patience) as client:
            answer = b''
            try:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                while piece := client.recv(65536):
                    answer += piece
            except (BrokenPipeError, ConnectionResetError):
                pass
            return answer

    def ask(self, method, path, body=None):
        """Status and content of a request in order."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=self.patience)
        try:
            connection.request(method, path, body, {'Content-Type': 'application/json'} if body is not None else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def text(draw):
    return line(draw, 12) if draw.random() < .3 else ' '.join(draw.choice(WORDS) for _ in range(draw.choice([1, 3, 8, 30])))


def texts(draw, count):
    return [text(draw) for _ in range(count)]


def metrics(server, draw, names):
    """One to three, each with a name of its own where two are alike."""
    chosen = [one if draw.random() < .6 else metric(server.program, draw, [one]) for one in draw.sample(names, draw.choice([1, 1, 2, 3]))]
    return [f'v{i}={one}' if draw.random() < .2 else one for i, one in enumerate(chosen)]


def allowed(draw, field):
    """A value the description allows; None where it says too little."""
    least = field.get('minimum', next((one['minimum'] for one in field.get('anyOf', []) if 'minimum' in one), None))
    kind = field['type'][0] if isinstance(field.get('type'), list) else field.get('type')
    if 'enum' in field:
        return draw.choice(field['enum'])
    if kind == 'boolean':
        return draw.random() < .5
    if kind == 'integer':
        return (least or 0) + draw.choice([0, 1, 2, 7, 50])
    return draw.choice([.01, .05, .5, 1.0]) if kind == 'number' else None


def body_of(server, draw):
    """A path and a body that is right but for what two fields may do to each other."""
    count = draw.choice([1, 2, 3, 6, 12])
    path = draw.choice(['/v1/score'] * 4 + ['/v1/compare', '/v1/compare', '/v1/correlate', '/v1/correlate', '/v1/embeddings'])
    if path == '/v1/embeddings':
        body = {'input': draw.choice([text(draw), texts(draw, count)])}
    elif path == '/v1/correlate':
        rows = draw.choice([3, 6, 12, 40])
        columns = {name: [draw.choice([draw.random(), float(draw.randrange(4))]) for _ in range(rows)] for name in ('human', 'm', 'n')}
        columns |= {'ref': texts(draw, rows), 'hyp': texts(draw, rows), 'sys': [f's{i % 3}' for i in range(rows)], 'seg': [f'{i // 3}' for i in range(rows)]}
        body = {'columns': columns, 'gold': ['human'], **draw.choice([{'predicted': ['m', 'n']}, {'predicted': ['m'], 'system': 'sys', 'segment': 'seg', 'level': draw.choice(['system', 'segment'])},
                {'reference': 'ref', 'hypothesis': 'hyp', 'metrics': metrics(server, draw, LEXICAL)}, {'predicted': ['m', 'n'], 'group': 'sys'}])}
        if draw.random() < .5:
            body['test'] = draw.choice(TESTS)
    else:
        references = [draw.choice([one, [one, text(draw)]]) for one in texts(draw, count)] if draw.random() < .2 else texts(draw, count)
        systems = {name: texts(draw, count) for name in draw.choice([['mine'], ['mine', 'other'], ['a', 'b', 'c', 'd']])}
        if draw.random() < .3:
            systems = [{'name': name, 'texts': given} for name, given in systems.items()]
        body = {'references': references, 'systems': systems, 'metrics': metrics(server, draw, draw.choice([LEXICAL, LEXICAL, SETS, PAIRS]))}
        if draw.random() < .3:
            body['clamp_k'] = True
        if draw.random() < .15:
            body['group'] = [f'g{i % 2}' for i in range(count)]
    fields = server.fields[path]
    for name in draw.sample(sorted(fields), draw.choice([0, 0, 1, 2, 3])):
        value = allowed(draw, fields[name])
        if name not in body and name not in ('model', 'preset') and value is not None:
            body[name] = value
    return path, body


def with_one_odd_field(server, draw, path, body):
    fields = server.fields[path]
    name = draw.choice(sorted(fields))
    edges = [edge for one in (fields[name], *fields[name].get('anyOf', [])) for key, step in (('minimum', -1), ('maximum', 1)) if key in one for edge in (one[key], one[key] + step)]
    return {**body, name: draw.choice(ODD + edges * 3)}


def without_times(content):
    return re.sub(rb'"seconds": ?[0-9.e-]+', b'', content)


def faults_of(answer, seconds, patience):
    status, _, rest = answer.partition(b'\r\n')
    content = rest.partition(b'\r\n\r\n')[2]
    if seconds > patience / 2:
        yield f'{seconds:.1f} s'
    if answer and not re.match(rb'HTTP/1\.1 \d{3} ', status):
        yield f'no status: {answer[:200]!r}'
    if b' 500 ' in status or b'unexpected failure' in rest:
        yield f'{answer[-400:]!r}'
    if re.search(rb'[\x00-\x08\x0b\x0c\x0e-\x1f]', content) and b'Content-Type: application/json' in rest:
        yield f'a control character: {content[-300:]!r}'
    if b' 200 ' in status and rest.count(b'HTTP/1.1 ') == 0 and b'Content-Type: application/json' in rest:
        constants = []
        try:
            json.loads(content, parse_constant=constants.append)
        except ValueError:
            yield f'no JSON: {content[-300:]!r}'
        if constants:
            yield f'no number: {constants} in {content[-300:]!r}'


def as_a_job(server, path, body):
    """What the same request gives as a job: status of its result, and the result."""
    status, content = server.ask('POST', '/v1/jobs', json.dumps({'kind': path.rsplit('/', 1)[1], 'request': body}))
    if status != 202:
        return status, content
    job = json.loads(content)['id']
    end = time.monotonic() + server.patience
    while json.loads(server.ask('GET', f'/v1/jobs/{job}')[1])['state'] in ('waiting', 'running') and time.monotonic() < end:
        time.sleep(.01)
    server.ask('GET', f'/v1/jobs/{job}/events')
    server.ask('GET', f'/v1/jobs/{job}/table')
    found = server.ask('GET', f'/v1/jobs/{job}/result')
    if found[0] != 200:
        found = server.ask('GET', f'/v1/jobs/{job}')
    server.ask('DELETE', f'/v1/jobs/{job}')
    return found


def attack(server, draw, seen):
    """One case: what it was, and what is wrong with it (empty: nothing)."""
    path, body = body_of(server, draw)
    how = draw.choices(['right', 'field', 'change', 'bytes', 'head', 'texts'], [40, 30, 12, 6, 7, 5])[0]
    if how == 'texts':
        path, body = '/v1/texts', {'name': draw.choice(['a.txt', 'a.tsv', 'a.jsonl', 'a.csv', '\x1b.csv']), 'content': draw.choice(['\n', '\r\n', '\t']).join(texts(draw, 4))}
    if how == 'field':
        body = with_one_odd_field(server, draw, path, body)
    if how == 'change':
        body = hostile_json(draw, body, 1)
    written = json.dumps(body, ensure_ascii=draw.random() < .5)
    if how == 'change' and draw.random() < .2:
        written = twice_a_key(draw, written)
    content = written.encode('utf-8', 'surrogatepass')
    content = damage(draw, content) if how == 'bytes' else content
    target, method = path, 'POST'
    if how == 'head':
        method, target = draw.choice(['POST', 'POST', 'GET', 'PUT', 'DELETE', 'post', 'X']), draw.choice([path, '/', path + '/', '//' + path, '/%00', '/' + 'a' * 3000, path + '?a=b'])
    raw = f'{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n'.encode()
    if how == 'head' and draw.random() < .6:
        raw = damage(draw, raw)
    what = [how, path, raw[:200] if how == 'head' else '', written[:1500]]
    began = time.monotonic()
    try:
        answer = server.send(raw + content)
        wrong = list(faults_of(answer, time.monotonic() - began, server.patience))
        seen[f'{how} {answer[9:12].decode("latin-1") or "closed"}'] += 1
        again = []
        if how == 'right' and answer[9:12] in (b'200', b'422') and draw.random() < .5:
            again.append(server.ask('POST', path, content))
        if how in ('right', 'field') and answer[9:12] == b'200' and draw.random() < .3:
            again.append(as_a_job(server, path, body))
        for status, other in again:
            if without_times(other) != without_times(answer.partition(b'\r\n\r\n')[2]) or str(status).encode() != answer[9:12]:
                wrong.append(f'two answers: {answer[:12]!r} {answer[-300:]!r} and {status} {other[-300:]!r}')
    except (OSError, http.client.HTTPException) as error:
        wrong = [f'no answer: {error!r}']
    if server.process.poll() is not None:
        wrong.append(f'the server is gone: {server.process.returncode} {server.process.stderr.read()[-300:]!r}')
    return what, wrong
