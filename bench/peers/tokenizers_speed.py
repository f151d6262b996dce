#!/usr/bin/env python3
"""Tokenising speed against PyPI `tokenizers`, one thread each, the two sides taking turns on the same texts.

  bench/peers/tokenizers_speed.py --dump build/release/tests/support/token_dump --model FOLDER [--model ...]
                                  --data FOLDER [--texts 40000] [--rounds 5]

Verifies that both give the same number of tokens before a figure is printed. `tokenizers` is timed with encode_batch and
with encode_batch_fast (which computes no offsets); the faster one counts."""
import argparse
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

os.environ['TOKENIZERS_PARALLELISM'] = 'false'
os.environ['RAYON_NUM_THREADS'] = '1'
from tokenizers import Tokenizer, __version__  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'tests/parity'))
from compare_tokens import read_texts  # noqa: E402


def timed(function, texts):
    start = time.perf_counter()
    tokens = sum(len(encoding.ids) for encoding in function(texts))
    return time.perf_counter() - start, tokens


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--model', action='append', required=True)
    parser.add_argument('--data', required=True)
    parser.add_argument('--texts', type=int, default=40000)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    texts, _, _ = read_texts(options.data)
    random.Random(1).shuffle(texts)
    texts = [text for text in texts if len(text) > 10][:options.texts]
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f'tokenizers {__version__}, one thread each, {platform.machine()}, {len(texts)} texts, {megabytes:.1f} MB, '
          f'{options.rounds} rounds, median (fastest)')
    with tempfile.NamedTemporaryFile('w') as stream:
        stream.writelines(json.dumps(text) + '\n' for text in texts)
        stream.flush()
        for folder in options.model:
            tokenizer = Tokenizer.from_file(str(pathlib.Path(folder) / 'tokenizer.json'))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            seconds = {'encode_batch': [], 'encode_batch_fast': [], 'markeval': []}
            for _ in range(options.rounds):
                for name in ('encode_batch', 'encode_batch_fast'):
                    took, expected = timed(getattr(tokenizer, name), texts)
                    seconds[name].append(took)
                with open(stream.name) as source:
                    output = subprocess.run([options.dump, folder, 'time', '1'], stdin=source, capture_output=True,
                                            text=True, check=True).stdout.split()
                assert int(output[1]) == expected, (output, expected)
                seconds['markeval'].append(float(output[0]))
            name = pathlib.Path(folder).name
            medians = {side: statistics.median(values) for side, values in seconds.items()}
            peer = min(medians['encode_batch'], medians['encode_batch_fast'])
            row = '; '.join(f'{side} {megabytes / medians[side]:.2f} MB/s ({megabytes / min(values):.2f})'
                            for side, values in seconds.items())
            print(f'{name}: {row}; {peer / medians["markeval"]:.1f} times', flush=True)


main()
