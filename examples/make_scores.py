"""Writes examples/scores.tsv: invented human scores of three systems in two language pairs, and three metrics that follow them
more or less closely. Two scores are missing.

Usage: make_scores.py OUT.tsv"""
import random
import sys


def main(path):
    rng = random.Random(7)
    with open(path, 'w') as out:
        out.write('lp\tsystem\tsegment\thuman\tclose\trough\tnoise\n')
        for pair in ('de-en', 'fi-en'):
            for system, skill in (('north', 62), ('south', 55), ('west', 40)):
                for segment in range(1, 11):
                    human = min(100, max(0, round(rng.gauss(skill, 20))))
                    close = f'{human / 100 + rng.gauss(0, 0.1):.3f}'
                    rough = f'{human / 100 + rng.gauss(0, 0.4):.3f}'
                    if (pair, system, segment) == ('fi-en', 'west', 3):
                        rough = ''
                    shown = '' if (pair, system, segment) == ('de-en', 'south', 8) else human
                    out.write(f'{pair}\t{system}\t{segment}\t{shown}\t{close}\t{rough}\t{rng.random():.3f}\n')


if __name__ == '__main__':
    main(sys.argv[1])
