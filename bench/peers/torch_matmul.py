"""Our matrix product against torch's (its own oneDNN or Arm library): float32 and, where the CPU has it, bf16 (rows, weights
and result) and "converting": rows and result float32, the product bf16.

Usage: torch_matmul.py BENCH_GEMM [--rows 64,256,1024,4096] [--shapes 384x384,...] [--rounds 3] [--threads N] [--seconds 0.3]
       [--kinds f32,bf16,converting]
BENCH_GEMM is the program `make bench` builds. For every shape and kind of number torch and ours run by turns, each for some
time of nothing else, so that both see the same machine. A CPU may run its widest instructions at a fraction of their
speed for seconds at a time: printed are medians of GFLOP/s with ours / torch, and the same ratio of the best rounds.
bench_gemm's own benchmarks verify the product; torch's bf16 result is checked against its own float32 here."""
import argparse
import json
import os
import statistics
import subprocess
import time

import torch

SHAPES = [(384, 384), (1152, 384), (1536, 384), (384, 1536), (768, 768), (2304, 768), (3072, 768), (768, 3072)]


def torch_rate(rows, outputs, inputs, kind, seconds):
    torch.manual_seed(1)
    dtype = torch.float32 if kind == 'f32' else torch.bfloat16
    x = torch.randn(rows, inputs).to(torch.bfloat16 if kind == 'bf16' else torch.float32)
    linear = torch.nn.Linear(inputs, outputs, bias=False).to(dtype)
    product = (lambda rows: linear(rows.bfloat16()).float()) if kind == 'converting' else linear
    with torch.inference_mode():
        exact = x.float() @ linear.weight.float().T
        error = (product(x).float() - exact).abs().max() / exact.abs().max()
        assert error < 0.02, f'torch is off by {error}'
        times = []
        until = time.perf_counter() + seconds
        while time.perf_counter() < until or len(times) < 3:
            start = time.perf_counter()
            product(x)
            times.append(time.perf_counter() - start)
    return 2e-9 * rows * outputs * inputs / statistics.median(times)


def our_rate(program, kind, rows, outputs, inputs, threads, seconds):
    """Name of the kernels and GFLOP/s, the latter None where the CPU has no such instructions."""
    environment = dict(os.environ, MARKEVAL_THREADS=str(threads), MARKEVAL_SECONDS=str(seconds))
    command = [program, f'--benchmark_filter=^{kind} alone, {rows} rows, {outputs}x{inputs}/', '--benchmark_format=json']
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    if not out.strip():
        return None, None
    result = json.loads(out)
    return result['context']['ours'], result['benchmarks'][0]['rate'] if result['benchmarks'] else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--rows', default='64,256,1024,4096')
    parser.add_argument('--shapes', default=','.join(f'{outputs}x{inputs}' for outputs, inputs in SHAPES))
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.3)
    parser.add_argument('--kinds', default='f32,bf16,converting')
    parser.add_argument('--threads', type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    named = False
    for rows in map(int, options.rows.split(',')):
        for outputs, inputs in (map(int, shape.split('x')) for shape in options.shapes.split(',')):
            ours = {kind: [] for kind in options.kinds.split(',')}
            theirs = {kind: [] for kind in ours}
            for _ in range(options.rounds):
                for kind in ours:
                    name, rate = our_rate(options.program, kind, rows, outputs, inputs, options.threads,
                                          options.seconds)
                    if rate is None:
                        continue
                    ours[kind].append(rate)
                    theirs[kind].append(torch_rate(rows, outputs, inputs, kind, options.seconds))
                    if not named:
                        print(f'ours: {name}; peer: torch {torch.__version__}, {options.threads} threads; GFLOP/s')
                        named = True
            line = f'{rows:5} rows {outputs:5} x {inputs:4}'
            for kind in ours:
                if ours[kind]:
                    mine, peer = statistics.median(ours[kind]), statistics.median(theirs[kind])
                    best = max(ours[kind]) / max(theirs[kind])
                    line += f'   {kind} {mine:7.1f} torch {peer:7.1f} ratio {mine / peer:.2f} best {best:.2f}'
            print(line, flush=True)


if __name__ == '__main__':
    main()
