#!/usr/bin/env python3
"""Compares token ids, offsets and words with PyPI `tokenizers`, text by text. Exits 1 if any differs.

  tests/parity/compare_tokens.py --dump build/release/tests/support/token_dump --model FOLDER [--model ...]
                             [--data FOLDER] [--random 200000] [--seed 1]

--data: every text column of every .tsv, .csv, .jsonl and .json file below the folder, .gz too.
--random: strings of all planes: combining marks, controls, broken spacing, Hangul, CJK, emoji, unassigned characters.
Needs an environment with tokenizers 0.22.2; tests/parity/make_tokenizers.py makes models of the other kinds."""
import argparse
import array
import csv
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from tokenizers import Tokenizer, __version__ as tokenizers_version

CHUNK = 20000


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)


def read_texts(root):
    """Distinct cells of all tables, and how many columns of how many files they came from."""
    texts, columns, files = {}, 0, 0
    for path in sorted(pathlib.Path(root).rglob('*')):
        name = path.name[:-3] if path.suffix == '.gz' else path.name
        kind = name.rsplit('.', 1)[-1]
        if not path.is_file() or kind not in ('tsv', 'csv', 'jsonl', 'json'):
            continue
        files += 1
        with (gzip.open if path.suffix == '.gz' else open)(path, 'rt', encoding='utf-8', newline='') as stream:
            if kind == 'json':
                texts.update(dict.fromkeys(strings_in(json.load(stream))))
                columns += 1
            elif kind == 'jsonl':
                fields = set()
                for line in stream:
                    row = json.loads(line)
                    fields |= {key for key, value in row.items() if isinstance(value, (str, list))}
                    texts.update(dict.fromkeys(strings_in(row)))
                columns += len(fields)
            elif kind == 'csv' and path.name != 'novikova2017_medians.csv':
                for line in stream:
                    texts[line.rstrip('\n')] = None
                columns += 1
            elif kind == 'csv':
                rows = list(csv.reader(stream))
                columns += len(rows[0])
                for row in rows:
                    texts.update(dict.fromkeys(row))
            else:
                header = stream.readline().rstrip('\r\n').split('\t')
                columns += len(header)
                for line in stream:
                    texts.update(dict.fromkeys(line.rstrip('\r\n').split('\t')))
    return list(texts), columns, files


def random_texts(count, seed):
    rng = random.Random(seed)
    everything = [(0, 0xD7FF), (0xE000, 0x10FFFF)]
    groups = [
        [(0x20, 0x7E)], [(0x61, 0x7A)], [(0x20, 0x20), (0x9, 0xD), (0x85, 0x85), (0xA0, 0xA0), (0x2000, 0x200F)],
        [(0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x200B, 0x206F), (0xFFF0, 0xFFFF)],
        [(0x300, 0x36F), (0x483, 0x487), (0x591, 0x5C7), (0x64B, 0x65F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
         (0x20D0, 0x20F0), (0xFE20, 0xFE2F), (0x1D165, 0x1D172), (0x1D17B, 0x1D182), (0x302A, 0x302F)],
        [(0xC0, 0x24F), (0x1E00, 0x1EFF)], [(0x370, 0x3FF), (0x1F00, 0x1FFF)], [(0x400, 0x52F)],
        [(0x590, 0x6FF), (0x8A0, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)], [(0x900, 0xDFF)],
        [(0xE00, 0x109F), (0x1780, 0x17FF), (0x1A20, 0x1BFF)], [(0x1100, 0x11FF), (0xAC00, 0xD7FF), (0xA960, 0xA97F)],
        [(0x3000, 0x30FF), (0xFF00, 0xFFEF)], [(0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F)],
        [(0x2000, 0x2BFF)], [(0x1F000, 0x1FAFF), (0x200D, 0x200D), (0xFE0F, 0xFE0F), (0x1F1E6, 0x1F1FF),
                            (0x1F3FB, 0x1F3FF), (0xA9, 0xAE)],
        [(0x1D400, 0x1D7FF), (0x1F100, 0x1F2FF), (0x10400, 0x1044F), (0x11000, 0x11FFF), (0x16A00, 0x16FFF),
         (0x1E000, 0x1E95F)], [(0xE0000, 0xE01EF), (0xE000, 0xF8FF), (0xF0000, 0x10FFFF)],
    ]
    words = ["'s", "'re", ' ', '  ', '\n', '\r\n', '\t', 'don\'t', 'the', 'Hello', '[MASK]', '[SEP]', '[CLS]x', '<s>',
             '</s>', ' <mask> ', '<unk>', '<|endoftext|>', '\u2581', '``', "''", '1234', '3.14', 'e\u0301', 'I\u0307',
             '\u0130', 'A\u030A', '\uFF21\u0301', '\u1100\u1161\u11A8', '\U0001F468\u200D\U0001F469\u200D\U0001F467',
             '\u00A9\u200D', '\u0915\u094D\u0937', 'x' * 101, '##ing', 'a\u0338\u0345\u0323']
    for _ in range(count):
        mix = rng.sample(groups, rng.randint(1, 4)) + ([everything] if rng.random() < 0.3 else [])
        parts = []
        for _ in range(rng.choice((1, 2, 3, 5, 8, 13, 21, 34))):
            if rng.random() < 0.15:
                parts.append(rng.choice(words))
            else:
                first, last = rng.choice(rng.choice(mix))
                parts.append(chr(rng.randint(first, last)))
        yield ''.join(c for c in ''.join(parts) if not 0xD800 <= ord(c) <= 0xDFFF)


def ours(dump, folder, texts, offsets):
    with tempfile.TemporaryFile('w+') as stream:
        for text in texts:
            stream.write(json.dumps(text) + '\n')
        stream.seek(0)
        result = subprocess.run([dump, folder, 'offsets' if offsets else 'binary'], stdin=stream, capture_output=True)
    if result.returncode != 0:
        sys.exit(result.stderr.decode())
    if offsets:
        return result.stdout.decode().split('\n')[:-1]
    values, position, found = array.array('i'), 0, []
    values.frombytes(result.stdout)
    while position < len(values):  # the number of ids, then the ids
        count = values[position]
        found.append(values[position + 1:position + 1 + count])
        position += 1 + count
    return found


def show(encoding, offsets):
    if not offsets:
        return array.array('i', encoding.ids)
    return ' '.join(f'{i}:{a}:{b}:{-1 if w is None else w}'
                    for i, (a, b), w in zip(encoding.ids, encoding.offsets, encoding.word_ids))


def compare(dump, folder, texts, offsets, label, show_differences):
    tokenizer = Tokenizer.from_file(str(pathlib.Path(folder) / 'tokenizer.json'))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encode = tokenizer.encode_batch if offsets else tokenizer.encode_batch_fast
    differences = tokens = 0
    for start in range(0, len(texts), CHUNK):
        chunk = texts[start:start + CHUNK]
        found = ours(dump, folder, chunk, offsets)
        assert len(found) == len(chunk), (len(found), len(chunk))
        for text, line, encoding in zip(chunk, found, encode(chunk)):
            tokens += len(encoding.ids)
            expected = show(encoding, offsets)
            if line != expected:
                differences += 1
                if differences <= show_differences:
                    print(f'  {text!r}\n    tokenizers {str(expected)[:300]}\n    markeval   {str(line)[:300]}')
    print(f'{pathlib.Path(folder).name}: {label}, {"offsets and words" if offsets else "ids"}: '
          f'{len(texts)} texts, {tokens} tokens, {differences} differences', flush=True)
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--model', action='append', required=True)
    parser.add_argument('--data')
    parser.add_argument('--random', type=int, default=0)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--sample', type=int, default=0, help='only every N-th text of the data')
    parser.add_argument('--show', type=int, default=5)
    parser.add_argument('--offsets', choices=('yes', 'no', 'both'), default='both')
    options = parser.parse_args()
    print(f'tokenizers {tokenizers_version}')
    work = []
    if options.data:
        texts, columns, files = read_texts(options.data)
        if options.sample:
            texts = texts[::options.sample]
        work.append((texts, f'{columns} columns of {files} files'))
    if options.random:
        work.append((list(random_texts(options.random, options.seed)), f'random Unicode (seed {options.seed})'))
    modes = {'yes': (True,), 'no': (False,), 'both': (False, True)}[options.offsets]
    differences = sum(compare(options.dump, model, texts, offsets, label, options.show)
                      for model in options.model for texts, label in work for offsets in modes)
    sys.exit(1 if differences else 0)


if __name__ == '__main__':
    main()
