"""Starts the program as a server and asks it, for the tests of this folder. Only the standard library."""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--encoder', required=True, help='tests/encoder/models/bert')
options, others = parser.parse_known_args()
MARKEVAL = [*options.emulator.replace(';', ' ').split(), os.path.abspath(options.program)]
failures = 0


def check(name, good, found=''):
    global failures
    failures += not good
    print(f'{"ok" if good else "FAILED"}: {name}' + ('' if good else f': {str(found)[:600]}'), flush=True)


def make_models(folder):
    """A folder of models with a tiny one in it, which knows single letters."""
    tiny = pathlib.Path(folder, 'models', 'tiny')
    tiny.mkdir(parents=True)
    for name in ('config.json', 'model.safetensors'):
        shutil.copy(pathlib.Path(options.encoder, name), tiny)
    letters = [word for letter in 'abcdefghijklmnopqrstuvwxyz' for word in (letter, '##' + letter)]
    (tiny / 'vocab.txt').write_text('\n'.join(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', '.', *letters]) + '\n')
    os.environ['MARKEVAL_MODELS'] = str(tiny.parent)
    os.environ['MARKEVAL_CACHE'] = 'none'
    os.environ.pop('MARKEVAL_TOKEN', None)


def run(*words):
    """The command line's answer."""
    return subprocess.run([*MARKEVAL, *map(str, words)], capture_output=True, text=True, timeout=300)


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([*MARKEVAL, 'serve', '--port', '0', '--model', 'tiny', *map(str, words)],
                                        stderr=subprocess.PIPE, text=True)
        self.lines = []
        while True:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError(f'no server: {self.lines}')
            self.lines.append(line)
            found = re.search(r'serving at http://127\.0\.0\.1:(\d+)', line)
            if found:
                break
        self.port = int(found[1])
        import threading
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """Status, headers and text of an answer."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=timeout)
        with contextlib.closing(connection):
            headers = dict(headers or {})
            if body is not None:
                headers.setdefault('Content-Type', 'application/json')
                if not isinstance(body, (str, bytes)):
                    body = json.dumps(body)
            connection.request(method, path, body.encode() if isinstance(body, str) else body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def memory_mib(self):
        for line in pathlib.Path(f'/proc/{self.process.pid}/status').read_text().splitlines():
            if line.startswith('VmRSS:'):
                return int(line.split()[1]) / 1024

    def stop(self, kind=signal.SIGTERM):
        """The exit code."""
        self.process.send_signal(kind)
        code = self.process.wait(timeout=120)
        self.reader.join(timeout=10)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def folder_with_models():
    with tempfile.TemporaryDirectory() as folder:
        make_models(folder)
        yield pathlib.Path(folder)


def wait_until(condition, seconds=60):
    """Whether it came true. Long, because a slow machine is no fault."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
