"""Radii and counts of two sets as one would write them with torch: products in bf16, some rows at a time, inexact.
To hold set_geometry against: torch_sets.py ROWS COLUMNS sentences|normal [TURNS]"""
import sys
import time

import torch

NEAREST = 5
rows, columns, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
turns = int(sys.argv[4]) if len(sys.argv) > 4 else 2
some = 8192 if rows <= 900_000 else 4096
generator = torch.Generator("cuda")


def make(seed):
    generator.manual_seed(seed)
    x = torch.randn(rows, columns, generator=generator, device="cuda")
    if kind == "sentences":
        generator.manual_seed(99)
        centres = torch.randn(4000, columns, generator=generator, device="cuda")
        generator.manual_seed(seed + 10)
        which = torch.randint(0, 4000, (rows,), generator=generator, device="cuda")
        x = (1 + torch.arange(columns, device="cuda") / 16) ** -0.6 * (0.7 * x + 0.72 * centres[which])
        x = torch.nn.functional.normalize(x)
    return x


def squared_radii(x, squares):
    radii = torch.empty(rows, device="cuda")
    for i in range(0, rows, some):
        distances = squares[None, :] - 2 * (x[i:i + some] @ x.T).float()
        nearest = torch.topk(distances, NEAREST + 1, largest=False, sorted=False).values
        radii[i:i + some] = nearest.max(1).values + squares[i:i + some]
    return radii


def compare(x, y):
    a, b = x.bfloat16(), y.bfloat16()
    a_squares, b_squares = (x * x).sum(1), (y * y).sum(1)
    a_radii, b_radii = squared_radii(a, a_squares), squared_radii(b, b_squares)
    a_hits, b_hits = 0, torch.zeros(rows, dtype=torch.int64, device="cuda")
    for i in range(0, rows, some):
        distances = a_squares[i:i + some, None] + b_squares[None, :] - 2 * (a[i:i + some] @ b.T).float()
        a_hits += (distances <= a_radii[i:i + some, None]).sum(1).sum().item()
        b_hits += (distances <= b_radii[None, :]).sum(0)
    return a_hits, b_hits.sum().item()


x, y = make(1), make(2)
for turn in range(turns):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    hits = compare(x, y)
    torch.cuda.synchronize()
    print(f"torch, bf16, {rows} x {columns}, {kind}: {time.perf_counter() - begin:.3f} s, hits {hits}", flush=True)
