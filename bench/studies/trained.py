"""Table 1 of Mathur et al. 2019 with our trained metrics: trained on WMT16, validated on WMT15, tested on WMT17.

    python3 bench/studies/trained.py --program build/release/markeval --data FOLDER --work FOLDER \\
        [--models all-MiniLM-L6-v2 ...] [--archs bilstm bilstm-attention esim] [--sets S L] [--seeds 1 2 3] \\
        [--recipes published tuned] [--sizes 420 840 1680] [--epochs 10] [--epochs-large 2] [--threads 2] [--table-only]

--data holds wmt15, wmt16, wmt17 (seglevel/*-en.tsv with lp, human, ref, hyp) and wmt21_da (*.texts.tsv.gz, *.scores.tsv.gz).
Set S: the 3,360 pairs of WMT16 into English, each judged by many. Set N: 32,311 pairs of WMT21, mostly judged by one. Set L:
both together. Set NS: one epoch of N, and from there on S (`--from`).
--sizes: also parts of S of so many pairs, for a learning curve. Everything goes to --work; what is finished there is not
run again, what was interrupted goes on. Standard library only. Prints Pearson per pair of languages, mean over seeds, the
spread (largest minus smallest mean), the best validation Pearson and the epochs trained (means over seeds), beside the
published figures, which are of another encoder (BERT base)."""
import argparse
import gzip
import json
import pathlib
import random
import statistics
import subprocess
import sys

PAIRS = ['cs-en', 'de-en', 'fi-en', 'lv-en', 'ru-en', 'tr-en', 'zh-en']
PAPER = {('S', 'bilstm'): [.517, .556, .735, .672, .606, .619, .565, .610],
         ('S', 'bilstm-attention'): [.611, .603, .763, .740, .655, .695, .694, .680],
         ('S', 'esim'): [.534, .546, .757, .704, .621, .632, .629, .632],
         ('L', 'bilstm'): [.628, .621, .774, .732, .689, .682, .655, .682],
         ('L', 'bilstm-attention'): [.704, .710, .818, .777, .744, .753, .737, .749],
         ('L', 'esim'): [.692, .706, .829, .764, .726, .776, .732, .746],
         ('', 'bertr'): [.655, .650, .777, .671, .680, .702, .687, .689]}
COLUMNS = ['lp', 'ref', 'hyp', 'human']


def write(path, rows):
    path.write_text(''.join('\t'.join(row) + '\n' for row in [COLUMNS, *rows]), encoding='utf-8', newline='\n')


def rows_of_year(data, year):
    rows = []
    for file in sorted((data / year / 'seglevel').glob('*-en.tsv')):
        header, *lines = [line.split('\t') for line in file.read_text(encoding='utf-8').split('\n') if line]
        rows += [[dict(zip(header, line))[column] for column in COLUMNS] for line in lines]
    return rows


def rows_of_wmt21(data):
    rows = []
    for file in sorted((data / 'wmt21_da').glob('*.scores.tsv.gz')):
        name = file.name.split('.')[0]
        read = lambda path: [line.split('\t') for line in gzip.open(path, 'rt', encoding='utf-8', newline='\n').read().split('\n') if line]
        header, *lines = read(file.with_name(f'{name}.texts.tsv.gz'))
        texts = {cells['sid']: cells for cells in (dict(zip(header, line)) for line in lines)}
        header, *lines = read(file)
        for score in (dict(zip(header, line)) for line in lines):
            text = texts[score['sid']]
            rows.append([name, text['ref'], text[score['system']], score['z']])
    return rows


def make_tables(options):
    work = options.work
    work.mkdir(parents=True, exist_ok=True)
    years = {year: rows_of_year(options.data, year) for year in ('wmt15', 'wmt16', 'wmt17')}
    for year, rows in years.items():
        write(work / f'{year}.tsv', rows)
    if {'L', 'N', 'NS'} & set(options.sets):
        write(work / 'wmt21.tsv', rows_of_wmt21(options.data))
    for size in options.sizes:
        rows = list(years['wmt16'])
        random.Random(7).shuffle(rows)
        write(work / f'wmt16_{size}.tsv', rows[:size])


def training(options, model, arch, part, seed, recipe):
    """Pearson per pair of languages and their mean, or None where it was not run."""
    folder = options.work / f'{pathlib.Path(model).name}_{arch}_{part}_{seed}_{recipe}'
    result = folder / 'wmt17.json'
    if not result.exists():
        if options.table_only:
            return None
        tables = {'S': ['wmt16.tsv'], 'NS': ['wmt16.tsv'], 'N': ['wmt21.tsv'],
                  'L': ['wmt16.tsv', 'wmt21.tsv']}.get(part, [f'wmt16_{part}.tsv'])
        epochs = {'L': options.epochs_large, 'N': 1}.get(part, options.epochs)
        start = []
        if part == 'NS':
            training(options, model, arch, 'N', seed, recipe)
            start = ['--from', options.work / f'{pathlib.Path(model).name}_{arch}_N_{seed}_{recipe}']
        if not (folder / 'config.json').exists():
            subprocess.run([options.program, 'train', '--arch', arch, '--train', *(options.work / table for table in tables),
                            '--valid', options.work / 'wmt15.tsv', '--ref', 'ref', '--hyp', 'hyp', '--gold', 'human',
                            '-o', folder, '--model', model, '--seed', str(seed), '--threads', str(options.threads),
                            '--resume', '--recipe', recipe, '--epochs', str(epochs), *start],
                           check=True, stdout=sys.stderr)
        found = subprocess.run([options.program, 'correlate', options.work / 'wmt17.tsv', '--gold', 'human', '--ref', 'ref',
                                '--hyp', 'hyp', '--group', 'lp', '-m', f'{arch}:weights={folder}', '--model', model,
                                '--coefficient', 'pearson', '--format', 'json', '--quiet', '--threads',
                                str(options.threads)], check=True, capture_output=True, text=True)
        result.write_text(found.stdout)
    values = {row['group']: row['pearson'] for row in json.loads(result.read_text())['results']}
    curve = [epoch['pearson'] for epoch in json.loads((folder / 'config.json').read_text())['curve']]
    return [values[group] for group in [*PAIRS, 'mean']] + [max(curve), len(curve)]


def line(name, values, *notes):
    print(f'| {name} | ' + ' | '.join([f'{value:.3f}'.lstrip('0') for value in values] + [*notes]) + ' |')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--data', type=pathlib.Path, required=True)
    parser.add_argument('--work', type=pathlib.Path, required=True)
    parser.add_argument('--models', nargs='+', default=['all-MiniLM-L6-v2'])
    parser.add_argument('--archs', nargs='+', default=['bilstm', 'bilstm-attention', 'esim'])
    parser.add_argument('--sets', nargs='+', default=['S'], choices=['S', 'L', 'N', 'NS'])
    parser.add_argument('--seeds', nargs='+', type=int, default=[1, 2, 3])
    parser.add_argument('--sizes', nargs='*', type=int, default=[])
    parser.add_argument('--recipes', nargs='+', default=['published', 'tuned'], choices=['published', 'tuned'])
    parser.add_argument('--epochs', type=int, default=10, help='at most')
    parser.add_argument('--epochs-large', type=int, default=2, help='at most, for set L: ten times the steps of S')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--table-only', action='store_true', help='only what is finished')
    options = parser.parse_args()
    make_tables(options)
    print('| | ' + ' | '.join(pair[:2] for pair in PAIRS) + ' | mean | seeds, spread | validation | epochs |')
    print('|---' + '|--:' * (len(PAIRS) + 4) + '|')
    for model in options.models:
        for part in [*map(str, options.sizes), *options.sets]:
            for arch, recipe in [(arch, recipe) for recipe in options.recipes for arch in options.archs]:
                runs = [values for seed in options.seeds
                        if (values := training(options, model, arch, part, seed, recipe))]
                if runs:
                    *values, valid, epochs = [statistics.mean(column) for column in zip(*runs)]
                    means = [run[len(PAIRS)] for run in runs]
                    line(f'{arch}, {part}, {recipe}, {pathlib.Path(model).name}', values,
                         f'{len(runs)}, {max(means) - min(means):.3f}', f'{valid:.3f}'.lstrip('0'), f'{epochs:.1f}')
    for (part, arch), values in PAPER.items():
        line(f'paper: {arch}' + (f', Train{part}' if part else ''), values, 'published', '', '')


main()
