"""Drives headless Chromium over its debugging pipe with the standard library alone."""
import base64
import collections
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome')


def find_browser():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. What went wrong in a page is in `faults`, what it asked for in `requests`, since the last open()."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix='markeval-browser-')
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def wire():  # Chromium listens on 3 and answers on 4; copies first, lest one overwrites the other
            inward, outward = os.dup(to_read), os.dup(from_write)
            os.dup2(inward, 3)
            os.dup2(outward, 4)

        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
             '--disable-background-networking', '--disable-component-update', '--remote-debugging-pipe',
             '--hide-scrollbars', '--user-data-dir=' + self.folder, 'about:blank'],
            preexec_fn=wire, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.number, self.session = b'', 0, None
        self.events = collections.deque()
        self.faults, self.requests, self.shown = [], [], None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.to_write)
        os.close(self.from_read)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.receive()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]["message"]}')
                return answer['result']

    def receive(self):
        while b'\0' not in self.buffer:
            part = os.read(self.from_read, 1 << 20)
            if not part:
                raise RuntimeError('the browser went away')
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b'\0')
        message = json.loads(line)
        method, parameters = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            details = parameters['exceptionDetails']
            self.faults.append(details.get('exception', {}).get('description', details['text']))
        elif method == 'Runtime.consoleAPICalled' and parameters['type'] in ('error', 'warning', 'assert'):
            self.faults.append('console: ' + json.dumps(parameters['args']))
        elif method == 'Log.entryAdded' and parameters['entry']['level'] in ('error', 'warning'):
            self.faults.append('log: ' + parameters['entry']['text'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(parameters['request']['url'])
        if method:
            self.events.append(method)
        return message

    def look(self, width, dark=False, height=800, scale=1, media=''):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)
        self.call('Emulation.setEmulatedMedia', media=media,
                  features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def open(self, path, script=True):
        self.call('Emulation.setScriptExecutionDisabled', value=not script)
        self.faults, self.requests, self.shown = [], [], (path, script)
        self.events.clear()
        self.call('Page.navigate', url=path if '://' in str(path) else 'file://' + os.path.abspath(path))
        deadline = time.monotonic() + 60
        while 'Page.loadEventFired' not in self.events:
            if time.monotonic() > deadline:
                raise RuntimeError(f'{path}: not loaded after a minute')
            self.receive()

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(expression + ': ' + json.dumps(result['exceptionDetails']))
        return result['result'].get('value')

    def screenshot(self, path):
        data = self.call('Page.captureScreenshot', captureBeyondViewport=True)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.printToPDF', printBackground=False)['data']))
