"""The faulty and unusual files that the command line cases read."""
import gzip
import json
import pathlib
import shutil
import string
import struct


# Invented scores of two systems in two groups; one value is missing.
SCORES = '''lp\tsystem\tsegment\thuman\tclose\trough\tconstant
de\ta\t1\t90\t0.88\t0.41\t1
de\ta\t2\t35\t0.40\t0.52\t1
de\ta\t3\t60\t0.55\t0.71\t1
de\tb\t1\t70\t0.62\t0.30\t1
de\tb\t2\t10\t0.21\t0.33\t1
de\tb\t3\t45\t0.40\t0.10\t1
fi\ta\t1\t80\t0.70\t0.90\t1
fi\ta\t2\t20\t0.35\t\t1
fi\ta\t3\t55\t0.58\t0.20\t1
fi\tb\t1\t50\t0.45\t0.65\t1
fi\tb\t2\t15\t0.05\t0.20\t1
fi\tb\t3\t40\t0.52\t0.37\t1
'''


# Invented sentences and judgements.
JUDGED = '''human\tref\thyp
95\tThe boat leaves the harbour at noon.\tThe boat leaves the harbour at noon.
70\tShe planted two apple trees.\tShe has planted two apple trees.
40\tNobody heard the bell ring twice.\tNobody the bell heard twice.
15\tThe bakery opens before sunrise.\tA car is parked outside.
60\tHe repaired the old radio himself.\tHe fixed the old radio on his own.
'''


def jsonl(table):
    header, *rows = [line.split('\t') for line in table.splitlines()]
    value = lambda name, cell: cell if name in ('lp', 'system', 'segment', 'ref', 'hyp') else float(cell) if cell else None
    return ''.join(json.dumps({name: value(name, cell) for name, cell in zip(header, row)}) + '\n' for row in rows)


def npy(type_code, shape, data, fortran=False):
    header = f"{{'descr': '{type_code}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    header += ' ' * (-(10 + len(header) + 1) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header.encode() + data


def write_all(folder):
    numbers = [float(i * i % 17) + i / 8 for i in range(24)]
    floats = struct.pack('<24f', *numbers)
    nan = list(numbers)
    nan[13] = float('nan')
    infinite = list(numbers)
    infinite[5] = float('inf')
    files = {
        'small.npy': npy('<f4', '(8, 3)', floats),
        'small64.npy': npy('<f8', '(8, 3)', struct.pack('<24d', *numbers)),
        'small16.npy': npy('<f2', '(8, 3)', struct.pack('<24e', *numbers)),
        'big_endian.npy': npy('>f4', '(8, 3)', struct.pack('>24f', *numbers)),
        'fortran.npy': npy('<f4', '(8, 3)', struct.pack('<24f', *[numbers[r * 3 + c] for c in range(3) for r in range(8)]), True),
        'small.npy.gz': gzip.compress(npy('<f4', '(8, 3)', floats), mtime=0),
        'twins.npy': npy('<f4', '(8, 3)', floats[:48] * 2),
        'wide.npy': npy('<f4', '(6, 4)', floats),
        'nan.npy': npy('<f4', '(8, 3)', struct.pack('<24f', *nan)),
        'infinite.npy': npy('<f4', '(8, 3)', struct.pack('<24f', *infinite)),
        'one_row.npy': npy('<f4', '(1, 3)', floats[:12]),
        'no_rows.npy': npy('<f4', '(0, 3)', b''),
        'truncated.npy': npy('<f4', '(8, 3)', floats)[:-10],
        'flat.npy': npy('<f4', '(24,)', floats),
        'cube.npy': npy('<f4', '(2, 3, 4)', floats),
        'integers.npy': npy('<i8', '(1, 3)', struct.pack('<3q', 1, 2, 3)),
        'objects.npy': npy('|O', '(1, 1)', b'\x80\x04K\x01.'),
        'archive.npy': b'PK\x03\x04' + bytes(30),
        'pickle.npy': b'\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00',
        'scores.tsv': SCORES.encode(),
        'scores.tsv.gz': gzip.compress(SCORES.encode(), mtime=0),
        'scores.csv': SCORES.replace('\t', ',').encode(),
        'scores.jsonl': jsonl(SCORES).encode(),
        'bad_number.tsv': SCORES.replace('0.62', '0,62').encode(),
        'nan.tsv': SCORES.replace('0.62', 'nan').encode(),
        'one_row_group.tsv': (SCORES + 'lv\tc\t1\t50\t0.5\t0.1\t1\n').encode(),
        'constant_group.tsv': (SCORES + ''.join(f'lv\tc\t{i}\t{i}\t0.5\t0.{i}\t1\n' for i in range(1, 4))).encode(),
        'judged.tsv': JUDGED.encode(),
        'judged.jsonl': jsonl(JUDGED).encode(),
        'judged.csv': JUDGED.replace('\t', ',').encode(),
        'header.tsv': SCORES.splitlines()[0].encode(),
        'words.txt': 'A dog runs.\nA cat sleeps.\n'.encode(),
        'empty.npy': b'',
        'huge.npy': npy('<f4', '(8, 3)', struct.pack('<24f', *[1e30 * value for value in numbers])),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    write_model(folder / 'tiny')


def write_model(folder):
    """The small random BERT of tests/encoder with letters for a vocabulary."""
    folder.mkdir()
    for name in ('config.json', 'model.safetensors'):
        shutil.copy(pathlib.Path(__file__).parent.parent / 'encoder' / 'models' / 'bert' / name, folder)
    letters = [piece for letter in string.ascii_lowercase for piece in (letter, '##' + letter)]
    (folder / 'vocab.txt').write_text('\n'.join(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', '.', *letters]) + '\n')
