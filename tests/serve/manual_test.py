"""The blocks of docs/how-to/serve.md can be pasted: its shell commands are run against a server, word for word but for the port; its
Python is whole. Exit 77: no curl here."""
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import running  # noqa: E402
from running import Server, check, folder_with_models  # noqa: E402

DOCS = pathlib.Path(__file__).parents[2] / 'docs'
PAGE, CHOICE = DOCS / 'how-to' / 'serve.md', DOCS / 'start' / 'which-metric.md'
if shutil.which('curl') is None:
    print('skipped: no curl here')
    sys.exit(77)


def blocks(language):
    return re.findall(rf'^```{language}\n(.*?)^```$', PAGE.read_text(), re.S | re.M)


def paste(block, server):
    """What the commands print; `markeval serve` is running already."""
    lines = [line for line in block.splitlines() if not line.startswith('markeval serve')]
    text = '\n'.join(lines).replace('127.0.0.1:8080', f'127.0.0.1:{server.port}')
    return subprocess.run(['bash', '-c', text], capture_output=True, text=True, timeout=120)


with folder_with_models():
    with Server('-q') as server:
        first, job = blocks('sh')
        done = paste(first, server)
        check('the first request is answered', done.returncode == 0 and '"chrf": 65.7386998960548' in done.stdout, done)
        # A person types the lines one by one: the result is asked for when the events have ended.
        done = paste(job, server)
        check('a job is posted and its state told', '"state"' in done.stdout and '"kind": "compare"' in done.stdout, done)
        check('events are sent until the end', re.search(r'^data: .*"done"', done.stdout, re.M) is not None, done.stdout)
        check('the result has both systems', '"mine"' in done.stdout and '"other"' in done.stdout, done.stdout)
        check('nothing failed', '"error"' not in done.stdout and done.returncode == 0, done.stdout)
        name = re.search(r'"id": "(\w+)"', done.stdout)
        check('the last line forgets the job', name and server.ask('GET', f'/v1/jobs/{name[1]}')[0] == 404, done.stdout)
        # Another page names the metrics of every preset; the model of this test has no `match`, so bertscore stands in for it.
        there = {one['name']: set(one['metrics']) for one in json.loads(server.ask('GET', '/info')[2])['presets']}
        told = {}
        for name, metrics in re.findall(r'`(?:--preset )?(\w+)` is `-m ([^`]+)`', CHOICE.read_text()):
            told.setdefault(name, set(metrics.split()))  # the second `lm` is that of vectors
        same = told.keys() == there.keys() and all(
            metrics - {'match'} <= there[name] <= metrics | {'bertscore'} for name, metrics in told.items())
        check('the presets are those of which-metric.md', same, (told, there))
for block in blocks('python'):
    left_out = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Constant) and node.value is Ellipsis]
    check('nothing is left out of the Python block', not left_out and '[...]' not in block, block)
sys.exit(running.failures > 0)
