"""Makes the example vector sets: python3 examples/make_vectors.py [FOLDER]. Needs the standard library only.

reference.npy  sixteen-wide points around eight centres, 120 rows
good.npy       a system that knows all eight centres, a little less precisely
poor.npy       a system that knows three of them and scatters more: repetitive, and off the mark
"""
import array
import pathlib
import random
import sys

WIDTH, ROWS, CENTRES, SEED = 16, 120, 8, 20201


def npy(rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {WIDTH}), }}"
    header += ' ' * (-(10 + len(header) + 1) % 64) + '\n'
    values = array.array('f', [value for row in rows for value in row])
    if sys.byteorder == 'big':
        values.byteswap()
    return b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header.encode('ascii') + values.tobytes()


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    stream = random.Random(SEED)
    centres = [[stream.gauss(0, 1) for _ in range(WIDTH)] for _ in range(CENTRES)]

    def around(centre, spread):
        return [value + stream.gauss(0, spread) for value in centre]

    reference = [around(centres[i % CENTRES], 0.30) for i in range(ROWS)]
    good = [around(centres[i % CENTRES], 0.32) for i in range(ROWS)]
    poor = [around(centres[i % 3], 0.42) for i in range(ROWS)]
    for name, rows in [('reference', reference), ('good', good), ('poor', poor)]:
        # Three decimals: the files then do not depend on the last bits of a machine's logarithm.
        (folder / f'{name}.npy').write_bytes(npy([[round(value, 3) for value in row] for row in rows]))


if __name__ == '__main__':
    main()
