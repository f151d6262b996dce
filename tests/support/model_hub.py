"""A hub on 127.0.0.1 with one model, owner/tiny, for programs of the tests that are not C++ (those have models/hub.hpp).

As a program it serves a folder until it is ended, and prints its address:
  model_hub.py FOLDER [--certificate FILE --key FILE]      https with a certificate, else http"""
import argparse
import hashlib
import http.server
import json
import pathlib
import ssl
import threading

COMMIT = 'c' * 40


class ModelHub:
    """Serves `files`, a mapping of names to bytes, from a thread of its own: `with ModelHub(files) as hub: hub.address`."""

    def __init__(self, files, certificate=None, key=None):
        self.files = dict(files)
        self.checksums = True  # False: the listing has none, as that of some mirrors
        self.asked = []        # paths, in the order they were asked for
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.split('?')[0]
                hub.asked.append(path)
                body = hub.body(path)
                self.send_response(404 if body is None else 200)
                self.send_header('Content-Length', str(len(body or b'')))
                self.end_headers()
                self.wfile.write(body or b'')

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.address = f'{"https" if certificate else "http"}://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def body(self, path):
        """None where there is nothing of that name."""
        if path == '/api/models/owner/tiny/revision/main':
            return json.dumps({'sha': COMMIT, 'siblings': [self.listed(name) for name in self.files]}).encode()
        start = f'/owner/tiny/resolve/{COMMIT}/'
        return self.files.get(path[len(start):]) if path.startswith(start) else None

    def listed(self, name):
        content = self.files[name]
        entry = {'rfilename': name, 'size': len(content)}
        if self.checksums:
            entry['lfs'] = {'sha256': hashlib.sha256(content).hexdigest(), 'size': len(content)}
        return entry

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def files_of(folder):
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob('*')) if path.is_file()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--certificate')
    parser.add_argument('--key')
    options = parser.parse_args()
    with ModelHub(files_of(options.folder), options.certificate, options.key) as hub:
        print(hub.address, flush=True)
        threading.Event().wait()


if __name__ == '__main__':
    main()
