"""The faulty and unusual vector files that the command line cases read."""
import gzip
import struct


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
        'words.txt': 'A dog runs.\nA cat sleeps.\n'.encode(),
        'empty.npy': b'',
        'huge.npy': npy('<f4', '(8, 3)', struct.pack('<24f', *[1e30 * value for value in numbers])),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
