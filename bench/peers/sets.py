"""Set metrics against the public tools, interleaved in one run.

Everything of me, impar and prdc at one k in one call of markeval, against
  prdc   compute_prdc of PyPI prdc (precision, recall, density, coverage only)
  faiss  two exact self-searches of faiss IndexFlatL2 (the radii only, no counts)

Usage: PYTHON_WITH_PEERS bench/peers/sets.py [--rows 10000] [--columns 768] [--k 5] [--rounds 3] [--data embedding|normal]
PYTHON_WITH_PEERS is the interpreter of the environment bench/peers/environment.sh makes. markeval is timed as a whole
process, reading files included; the peers are timed without their imports. Prints medians, ratios and peak memory."""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

PEER = r'''
import json, resource, sys, time
import numpy as np
tool, reference, evaluated, k, threads = sys.argv[1], np.load(sys.argv[2]), np.load(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
if tool == "prdc":
    import contextlib, io
    from prdc import compute_prdc
    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        scores = {name: float(value) for name, value in compute_prdc(reference, evaluated, k).items()}
else:
    import faiss
    faiss.omp_set_num_threads(threads)
    begin = time.perf_counter()
    for rows in (reference, evaluated):
        index = faiss.IndexFlatL2(rows.shape[1])
        index.add(rows)
        index.search(rows, k + 1)
    scores = {}
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "scores": scores}))
'''


def make_sets(kind, rows, columns, seed):
    import numpy as np
    random = np.random.default_rng(seed)
    if kind == 'normal':
        return [random.standard_normal((rows, columns)).astype('float32') for _ in range(2)]
    # Like sentence vectors: topics, a spectrum that falls off, unit length; the evaluated set shifted a little.
    topics = random.standard_normal((200, columns)) / np.sqrt(1 + np.arange(columns) / 8)
    mixing = np.linalg.qr(random.standard_normal((columns, columns)))[0]
    sets = []
    for shift in (0.0, 0.15):
        noise = random.standard_normal((rows, columns)) / np.sqrt(1 + np.arange(columns) / 8)
        values = (topics[random.integers(200, size=rows)] + 0.8 * noise + shift * topics[0]) @ mixing
        sets.append((values / np.linalg.norm(values, axis=1, keepdims=True)).astype('float32'))
    return sets


def peak_kib(process_id):
    try:
        with open(f'/proc/{process_id}/status') as status:
            return next((int(line.split()[1]) for line in status if line.startswith('VmHWM')), 0)
    except OSError:
        return 0


def run_markeval(program, reference, evaluated, k, threads, ball):
    command = [program, 'score', '-r', reference, '-s', f'system={evaluated}', '-m', f'me:k={k}',
               '-m', f'impar:k={k}', '-m', f'prdc:k={k},ball={ball}', '--format', 'json', '--threads', str(threads), '--quiet']
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        peak = 0
        while process.poll() is None:  # ru_maxrss would count this interpreter's memory before the program replaced it
            peak = max(peak, peak_kib(process.pid))
            time.sleep(0.005)
        seconds = time.perf_counter() - begin
        if process.returncode != 0:
            sys.exit(f'markeval failed: {command}')
        output.seek(0)
        return seconds, peak, json.load(output)


def run_peer(tool, reference, evaluated, k, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    output = subprocess.run([sys.executable, '-c', PEER, tool, reference, evaluated, str(k), str(threads)],
                            capture_output=True, text=True, check=True, env=environment).stdout
    result = json.loads(output.splitlines()[-1])
    return result['seconds'], result['peak_kib'], result['scores']


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default='build/release/markeval')
    parser.add_argument('--rows', type=int, default=10000)
    parser.add_argument('--columns', type=int, default=768)
    parser.add_argument('--k', type=int, default=5)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--threads', type=int, default=os.cpu_count())
    parser.add_argument('--data', choices=['embedding', 'normal'], default='embedding')
    arguments = parser.parse_args()
    import importlib.metadata
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ('reference.npy', 'evaluated.npy')]
        for path, rows in zip(paths, make_sets(arguments.data, arguments.rows, arguments.columns, 12345)):
            np.save(path, rows)
        times = {'markeval': [], 'prdc': [], 'faiss': []}
        memory = {}
        for _ in range(arguments.rounds):
            seconds, memory['markeval'], ours = run_markeval(arguments.program, *paths, arguments.k, arguments.threads, 'open')
            times['markeval'].append(seconds)
            for tool in ('prdc', 'faiss'):
                seconds, memory[tool], scores = run_peer(tool, *paths, arguments.k, arguments.threads)
                times[tool].append(seconds)
                if tool == 'prdc':
                    theirs = scores
    # Verify, then report.
    mine = next(result for result in ours['results'] if result['metric'] == 'prdc')
    for name, value in theirs.items():
        if abs(mine['scores'][name] - value) > 2.5 / arguments.rows:
            sys.exit(f'{name}: markeval {mine["scores"][name]}, prdc {value}')
    print(f'{arguments.rows} x {arguments.columns} against as many, k = {arguments.k}, {arguments.data} data, '
          f'{arguments.threads} threads, {platform.machine()}, filter: {mine["details"].get("filter", "?")}')
    print(f'prdc {importlib.metadata.version("prdc")}, faiss-cpu {importlib.metadata.version("faiss-cpu")}, '
          f'NumPy {np.__version__}; medians of {arguments.rounds} interleaved rounds')
    ours_seconds = statistics.median(times['markeval'])
    print(f'{"tool":10} {"seconds":>9} {"min-max":>15} {"ratio":>7} {"peak MiB":>9}')
    for tool, values in times.items():
        print(f'{tool:10} {statistics.median(values):9.2f} {min(values):7.2f}-{max(values):7.2f} '
              f'{statistics.median(values) / ours_seconds:7.1f} {memory[tool] / 1024:9.0f}')
    if abs(max(abs(mine["scores"][n] - v) for n, v in theirs.items())) == 0:
        print('scores of prdc: equal to the last digit')


if __name__ == '__main__':
    main()
