"""Sentence vectors: markeval, sentence-transformers and onnxruntime on the same lines in one run, interleaved.

  python encoder.py --program build/bench/bench/pipeline/encoder_speed --model FOLDER --lines FILE.tsv ... [--sample N]

Takes the columns `ref` and `hyp` of the TSV files (or the lines of plain files). First finds each peer's best batch size on
a sample, then runs all three `--rounds` times in turn, all cores each, text in and vectors out. Verifies before it times:
cosine and largest difference of the vectors. Prints medians with spread, of wall time and of CPU time: on a busy machine
the second is the one to believe. Peak memory and cold start are those of processes of their own."""
import argparse
import csv
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy


def read_lines(paths):
    lines = []
    for path in paths:
        if path.suffix == '.tsv':
            with path.open(newline='') as file:
                rows = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
            lines += [row['ref'].strip() for row in rows] + [row['hyp'].strip() for row in rows]
        else:
            lines += [line.strip() for line in path.open()]
    return lines


class SentenceTransformers:
    name = 'sentence-transformers'

    def __init__(self, folder):
        from sentence_transformers import SentenceTransformer
        self.model = SentenceTransformer(folder, device='cpu')

    def encode(self, lines, batch):
        return self.model.encode(lines, batch_size=batch, show_progress_bar=False, convert_to_numpy=True)


class OnnxRuntime:
    """Sorted by length, padded to the longest of its batch, mean over real tokens, normalised."""
    name = 'onnxruntime'

    def __init__(self, folder):
        import onnxruntime
        import tokenizers
        import torch
        import transformers

        class LastStates(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = transformers.AutoModel.from_pretrained(folder, attn_implementation='eager').eval()

            def forward(self, input_ids, attention_mask, token_type_ids):
                return self.model(input_ids=input_ids, attention_mask=attention_mask,
                                  token_type_ids=token_type_ids).last_hidden_state

        self.path = tempfile.mkdtemp() + '/model.onnx'
        names = ['input_ids', 'attention_mask', 'token_type_ids']
        sample = {name: torch.ones(2, 8, dtype=torch.long) for name in names}
        axes = {name: {0: 'batch', 1: 'length'} for name in names + ['last_hidden_state']}
        torch.onnx.export(LastStates(), tuple(sample[name] for name in names), self.path, input_names=names, output_names=['last_hidden_state'],
                          dynamic_axes=axes, opset_version=17, dynamo=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = len(os.sched_getaffinity(0))
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(self.path, options, providers=['CPUExecutionProvider'])
        self.tokenizer = tokenizers.Tokenizer.from_file(folder + '/tokenizer.json')
        self.tokenizer.enable_truncation(256)

    def encode(self, lines, batch):
        self.tokenizer.no_padding()
        order = sorted(range(len(lines)), key=lambda index: -len(lines[index]))
        result = None
        self.tokenizer.enable_padding()
        for begin in range(0, len(lines), batch):
            part = order[begin:begin + batch]
            encoded = self.tokenizer.encode_batch([lines[index] for index in part])
            ids = numpy.array([item.ids for item in encoded])
            mask = numpy.array([item.attention_mask for item in encoded])
            feed = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': numpy.zeros_like(ids)}
            feed = {item.name: feed[item.name] for item in self.session.get_inputs()}
            states = self.session.run(None, feed)[0]
            vectors = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
            if result is None:
                result = numpy.empty((len(lines), vectors.shape[1]), numpy.float32)
            result[part] = vectors
        return result


class Markeval:
    name = 'markeval'

    def __init__(self, program, folder, precision):
        self.program, self.folder, self.precision = program, folder, precision

    def run(self, lines):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / 'lines').write_text(''.join(line + '\n' for line in lines))
            command = [self.program, self.folder, name + '/lines', name + '/out', '0', self.precision]
            report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            vectors = numpy.fromfile(name + '/out', numpy.float32).reshape(len(lines), -1)
        return vectors, report


def cpu_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(peer, lines, batch):
    wall, cpu = time.perf_counter(), cpu_time()
    vectors = peer.encode(lines, batch)
    return vectors, time.perf_counter() - wall, cpu_time() - cpu


def best_batch(peer, lines, sizes):
    peer.encode(lines[:64], 32)
    costs = {size: timed(peer, lines, size)[2] for size in sizes}
    print(f'{peer.name}: CPU seconds by batch size ' + ', '.join(f'{size}: {cost:.2f}' for size, cost in costs.items()),
          flush=True)
    return min(costs, key=costs.get)


def in_own_process(folder, lines):
    """Peak memory and cold start of sentence-transformers alone."""
    code = ('import sys, time; start = time.perf_counter()\n'
            'from sentence_transformers import SentenceTransformer\n'
            'import resource\n'
            'model = SentenceTransformer(sys.argv[1], device="cpu"); lines = open(sys.argv[2]).read().splitlines()\n'
            'model.encode(lines[:1]); cold = time.perf_counter() - start\n'
            'model.encode(lines, batch_size=32)\n'
            'print(cold, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)')
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.write(''.join(line + '\n' for line in lines))
        file.flush()
        out = subprocess.run([sys.executable, '-c', code, folder, file.name], check=True, capture_output=True, text=True)
    cold, peak = out.stdout.split()
    return float(cold), int(peak)


def middle(values):
    return f'{statistics.median(values):7.2f} s ({min(values):.2f} to {max(values):.2f})'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', required=True)
    parser.add_argument('--model', required=True)
    parser.add_argument('--lines', required=True, nargs='+', type=pathlib.Path)
    parser.add_argument('--sample', type=int, default=0, help='take every n-th line only, so that so many are left')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--batch-sizes', type=int, nargs='+', default=[8, 16, 32, 64])
    parser.add_argument('--precision', default='f32', choices=['f32', 'bf16'])
    parser.add_argument('--required', type=float, default=None, help='exit 1 below this ratio to the faster peer')
    arguments = parser.parse_args()
    lines = read_lines(arguments.lines)
    if arguments.sample:
        lines = lines[::max(1, len(lines) // arguments.sample)][:arguments.sample]
    ours = Markeval(arguments.program, arguments.model, arguments.precision)
    peers = [SentenceTransformers(arguments.model), OnnxRuntime(arguments.model)]
    tuning = lines[::max(1, len(lines) // 512)][:512]
    batches = {peer.name: best_batch(peer, tuning, arguments.batch_sizes) for peer in peers}

    expected = peers[0].encode(tuning, 32)
    vectors, report = ours.run(tuning)
    cosine = (vectors * expected).sum(1) / numpy.linalg.norm(vectors, axis=1) / numpy.linalg.norm(expected, axis=1)
    print(f'verified on {len(tuning)} lines: largest difference from {peers[0].name} {abs(vectors - expected).max():.2e}, '
          f'smallest cosine {cosine.min():.7f}')
    if cosine.min() < 0.999:
        sys.exit('the vectors differ: nothing to time')

    wall, cpu = {}, {}
    for _ in range(arguments.rounds):
        _, report = ours.run(lines)
        wall.setdefault(ours.name, []).append(report['encode_s'])
        cpu.setdefault(ours.name, []).append(report['encode_cpu_s'])
        for peer in peers:
            _, seconds, cpu_seconds = timed(peer, lines, batches[peer.name])
            wall.setdefault(peer.name, []).append(seconds)
            cpu.setdefault(peer.name, []).append(cpu_seconds)
    print(f'{len(lines)} lines, {report["tokens"]} tokens, {report["threads"]} threads, {report["device"]}, '
          f'{arguments.precision}, {arguments.rounds} rounds in turn; median (spread)')
    for name in wall:
        note = f' batch size {batches[name]}' if name in batches else ''
        print(f'  {name:22} wall {middle(wall[name])}   CPU {middle(cpu[name])}{note}')
    def ratio(times):
        return min(statistics.median(times[peer.name]) for peer in peers) / statistics.median(times[ours.name])
    print(f'  markeval against the faster peer: {ratio(wall):.2f} times by wall time, {ratio(cpu):.2f} times by CPU time')

    cold, peak = in_own_process(arguments.model, lines[:1000])
    _, report = ours.run(lines[:1000])
    _, first = ours.run(lines[:1])
    print(f'  peak memory: markeval {report["peak_kib"] / 1024:.0f} MiB, sentence-transformers {peak / 1024:.0f} MiB '
          f'({peak / report["peak_kib"]:.1f} times)')
    print(f'  cold start, load and one sentence: markeval {first["load_s"] + first["encode_s"]:.3f} s, '
          f'sentence-transformers {cold:.2f} s')
    if arguments.required and ratio(cpu) < arguments.required:
        sys.exit(1)


if __name__ == '__main__':
    main()
