"""packaging/nginx.conf in front of `markeval serve`, with a certificate of the test's own: the same answers over TLS, events at once, the
limit of bodies. Exit 77: no nginx or no openssl here."""
import http.client
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys

import running
from running import Server, check, folder_with_models, wait_until

NAME = 'scores.example.org'
EXAMPLE = pathlib.Path(__file__).parent.parent.parent / 'packaging' / 'nginx.conf'
BODY = {'references': ['a cat sat', 'no'], 'systems': [{'name': 'mine', 'texts': ['a cat sits', 'yes']}], 'metrics': ['bleu', 'chrf']}
TOKEN = {'Authorization': 'Bearer secret-of-the-test'}
nginx = shutil.which('nginx', path='/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin')
if nginx is None or shutil.which('openssl') is None or running.options.emulator:
    print('skipped: no nginx or no openssl here')
    sys.exit(77)


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Proxy:
    def __init__(self, folder, server):
        self.port = free_port()
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', f'/CN={NAME}', '-addext',
                        f'subjectAltName=DNS:{NAME}', '-keyout', folder / 'key.pem', '-out', folder / 'certificate.pem'],
                       check=True, capture_output=True)
        text = EXAMPLE.read_text()
        for old, new in (('listen 443 ssl', f'listen 127.0.0.1:{self.port} ssl'), (f'/etc/ssl/{NAME}.pem', folder / 'certificate.pem'),
                         (f'/etc/ssl/private/{NAME}.key', folder / 'key.pem'), ('http://127.0.0.1:8080', f'http://127.0.0.1:{server.port}')):
            assert text.count(old) == 1, old
            text = text.replace(old, str(new))
        paths = ' '.join(f'{kind}_temp_path {folder / kind};' for kind in ('client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
        user = 'user root; ' if os.geteuid() == 0 else ''  # the folder is nobody else's
        (folder / 'nginx.conf').write_text(f'{user}daemon off; pid {folder / "nginx.pid"}; error_log {folder / "error.log"}; events {{}}\n'
                                           f'http {{ access_log off; {paths}\n{text}\n}}\n')
        self.words = [nginx, '-p', str(folder), '-e', str(folder / 'error.log'), '-c', str(folder / 'nginx.conf')]
        tried = subprocess.run([*self.words, '-t'], capture_output=True, text=True)
        check('nginx takes the example', tried.returncode == 0, tried.stderr)
        self.process = subprocess.Popen(self.words)
        self.trust = ssl.create_default_context(cafile=folder / 'certificate.pem')

    def connect(self):
        connection = http.client.HTTPSConnection(NAME, self.port, context=self.trust, timeout=60)
        raw = socket.create_connection(('127.0.0.1', self.port), timeout=60)
        connection.sock = self.trust.wrap_socket(raw, server_hostname=NAME)
        return connection

    def ask(self, method, path, body=None, headers=TOKEN):
        connection = self.connect()
        connection.request(method, path, body, {'Content-Type': 'application/json', **headers})
        answer = connection.getresponse()
        status, text = answer.status, answer.read().decode()
        connection.close()
        return status, text

    def answers(self):
        try:
            return self.ask('GET', '/health')[0] == 200
        except OSError:
            return False


def check_events(proxy):
    """The first event comes while the job runs, not at its end."""
    long = {'kind': 'score', 'request': {**BODY, 'resamples': 10_000_000}}
    place = '/v1/jobs/' + json.loads(proxy.ask('POST', '/v1/jobs', json.dumps(long))[1])['id']
    connection = proxy.connect()
    connection.request('GET', place + '/events', headers=TOKEN)
    events = connection.getresponse()
    line = events.readline()
    state = json.loads(proxy.ask('GET', place)[1])['state']
    check('events come at once', line == b'event: progress\n' and state in ('waiting', 'running'), (line, state))
    check('DELETE passes', json.loads(proxy.ask('DELETE', place)[1])['state'] == 'cancelled')
    connection.close()


with folder_with_models() as folder:
    (folder / 'token').write_text('secret-of-the-test\n')
    with Server('--token-file', folder / 'token', '-q') as server:
        proxy = Proxy(folder, server)
        try:
            check('it answers over TLS', wait_until(proxy.answers))
            direct = server.ask('POST', '/v1/score', BODY, TOKEN)
            check('with the same answer', proxy.ask('POST', '/v1/score', json.dumps(BODY)) == (200, direct[2]) and direct[0] == 200, direct)
            check('the token is asked for', proxy.ask('GET', '/info', headers={})[0] == 401)
            large = json.dumps(BODY) + ' ' * (63 << 20)
            status, text = proxy.ask('POST', '/v1/score', large)
            check('63 MiB pass', (status, text) == (200, direct[2]), (status, text[:200]))
            try:
                status = proxy.ask('POST', '/v1/score', large + ' ' * (2 << 20))[0]
            except OSError:
                status = 413  # nginx hangs up while the body is still being sent
            check('65 MiB do not', status == 413, status)
            check_events(proxy)
        finally:
            proxy.process.terminate()
            proxy.process.wait(20)
sys.exit(running.failures > 0)
