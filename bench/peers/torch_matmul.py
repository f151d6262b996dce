"""Our matrix product against torch's (its own oneDNN or Arm library): float32 and, where the CPU has it, bf16 (rows, weights
and result) and "converting": rows and result float32, the product bf16.

Usage: torch_matmul.py BENCH_GEMM_TURNS [--rows 64,256,1024,4096] [--shapes 384x384,...] [--turns 40] [--threads N]
       [--seconds 0.02] [--kinds f32,bf16,converting]
BENCH_GEMM_TURNS is a program `make bench` builds. For every shape and kind of number torch and ours take turns of some
hundredths of a second each, since a CPU may run its widest instructions at a fraction of their speed for seconds at a time.
Printed are the medians of GFLOP/s and the median of the ratios of neighbouring turns, with its quartiles.
bench_gemm verifies our product; torch's bf16 result is checked against its own float32 here."""
import argparse
import os
import statistics
import subprocess
import time

import torch

SHAPES = [(384, 384), (1152, 384), (1536, 384), (384, 1536), (768, 768), (2304, 768), (3072, 768), (768, 3072)]
# After its last product torch's threads look for work for a while before they sleep; that is not our product's fault.
SECONDS_TO_SLEEP = 0.005


class Ours:
    def __init__(self, program, threads):
        self.process = subprocess.Popen([program], env=dict(os.environ, MARKEVAL_THREADS=str(threads)), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.name = self.process.stdout.readline().strip()

    def seconds(self, kind, rows, outputs, inputs, seconds):
        """Of one product, None where the CPU has no such instructions."""
        self.process.stdin.write(f'{kind} {rows} {outputs} {inputs} {seconds}\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        return None if answer == 'none' else float(answer)


class Torch:
    def __init__(self, kind, rows, outputs, inputs):
        torch.manual_seed(1)
        narrow = torch.float32 if kind == 'f32' else torch.bfloat16
        self.rows = torch.randn(rows, inputs).to(narrow if kind == 'bf16' else torch.float32)
        linear = torch.nn.Linear(inputs, outputs, bias=False).to(narrow)
        self.product = (lambda rows: linear(rows.bfloat16()).float()) if kind == 'converting' else linear
        exact = self.rows.float() @ linear.weight.float().T
        error = (self.product(self.rows).float() - exact).abs().max() / exact.abs().max()
        assert error < 0.02, f'torch is off by {error}'

    def seconds(self, seconds):
        times = []
        start = time.perf_counter()
        while not times or time.perf_counter() < start + seconds:
            begin = time.perf_counter()
            self.product(self.rows)
            if begin > start + seconds / 8:
                times.append(time.perf_counter() - begin)
        return statistics.median(times)


def measure(ours, kind, rows, outputs, inputs, turns, seconds):
    """GFLOP/s of ours and torch's and the ratio with its quartiles as text, '' where the CPU has no such instructions."""
    peer = Torch(kind, rows, outputs, inputs)
    mine, theirs = [], []
    for turn in range(turns):
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            if side == 0:
                mine.append(ours.seconds(kind, rows, outputs, inputs, seconds))
                if mine[-1] is None:
                    return ''
            else:
                theirs.append(peer.seconds(seconds))
                time.sleep(SECONDS_TO_SLEEP)
    low, ratio, high = statistics.quantiles([t / m for m, t in zip(mine, theirs)], n=4)
    work = 2e-9 * rows * outputs * inputs
    return (f'   {kind} {work / statistics.median(mine):.0f} torch {work / statistics.median(theirs):.0f} '
            f'ratio {ratio:.2f} ({low:.2f} to {high:.2f})')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--rows', default='64,256,1024,4096')
    parser.add_argument('--shapes', default=','.join(f'{outputs}x{inputs}' for outputs, inputs in SHAPES))
    parser.add_argument('--turns', type=int, default=40)
    parser.add_argument('--seconds', type=float, default=0.02)
    parser.add_argument('--kinds', default='f32,bf16,converting')
    parser.add_argument('--threads', type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    for kind in set(options.kinds.split(',')) - {'f32', 'bf16', 'converting'}:
        parser.error(f"there is no kind '{kind}', only f32, bf16 and converting")
    torch.set_num_threads(options.threads)
    ours = Ours(options.program, options.threads)
    print(f'ours: {ours.name}; peer: torch {torch.__version__}, {options.threads} threads; GFLOP/s')
    with torch.inference_mode():
        for rows in map(int, options.rows.split(',')):
            for outputs, inputs in (map(int, shape.split('x')) for shape in options.shapes.split(',')):
                print(f'{rows:5} rows {outputs:5} x {inputs:4}' +
                      ''.join(measure(ours, kind, rows, outputs, inputs, options.turns, options.seconds)
                              for kind in options.kinds.split(',')), flush=True)


if __name__ == '__main__':
    main()
