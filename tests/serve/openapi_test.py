"""schemathesis asks a server for everything its /openapi.json describes: no server error, no undocumented status, content type
or shape of an answer, and bodies that fit no schema are refused. Run by `make test-openapi`, since schemathesis comes from PyPI:

    openapi_test.py --program build/release/markeval --encoder tests/encoder/models/bert [--schemathesis PROGRAM] [--examples N]
"""
import argparse
import os
import subprocess
import sys

import running
from running import Server, check, folder_with_models

more = argparse.ArgumentParser()
more.add_argument('--schemathesis', default='schemathesis')
more.add_argument('--examples', type=int, default=100)
more.add_argument('--seed', type=int, default=1)
chosen, rest = more.parse_known_args(running.others)
# Not promised: a body may fit its schema and still make no sense (numbers of lines differ); DELETE of a job that runs stops it, and
# what is known of it stays; a job of embeddings has no table.
LEFT_OUT = ('positive_data_acceptance', 'use_after_free', 'ensure_resource_availability')

with folder_with_models() as folder:
    with Server('-q', '--max-seconds', '60', '--jobs', folder / 'jobs.sqlite') as server:
        done = subprocess.run([chosen.schemathesis, 'run', f'http://127.0.0.1:{server.port}/openapi.json', '--no-color',
                               '--exclude-checks', ','.join(LEFT_OUT), '--max-examples', str(chosen.examples),
                               '--seed', str(chosen.seed), '--request-timeout', '90', '--continue-on-failure', *rest], cwd=folder,
                              env={**os.environ, 'SCHEMATHESIS_HOOKS': 'openapi_hooks', 'PYTHONPATH': os.path.dirname(os.path.abspath(__file__))})
        check('schemathesis finds nothing', done.returncode == 0, done.returncode)
        check('the server lives', server.ask('GET', '/health')[0] == 200)
        check('and stops when asked', server.stop() == 0)
sys.exit(running.failures > 0)
