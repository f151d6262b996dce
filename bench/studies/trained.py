"""Table 1 of Mathur et al. 2019 with our trained metrics: learned from WMT16, chosen on WMT15, tested on WMT17.

    python3 bench/studies/trained.py --program build/release/markeval --models FOLDER --data FOLDER --work FOLDER \\
        --jobs 8 --threads 2

prints the table of docs/reference/metrics/trained.md: 8 trainings at a time, with 2 threads each. What is finished in --work is
not run again, what was interrupted goes on. Standard library only.

--models holds all-MiniLM-L6-v2 and bge-small-en-v1.5. --data holds wmt15, wmt16, wmt17 (seglevel/*-en.tsv with lp,
human, ref, hyp) and wmt21_da (*.texts.tsv.gz, *.scores.tsv.gz).

A row is SET/RECIPE/ENCODER/PIECES/ARCH. Sets to learn from:

    S   the 3,360 pairs of WMT16 into English, each judged by many
    N   32,311 pairs of WMT21, mostly judged by one; one epoch
    L   both together
    NS  N, and from there on S (`--from`)
    420 a part of S of so many pairs, for a learning curve

--rows chooses rows of the page by pattern, and takes others by their whole name:
    --rows 'S/*/esim' 420/tuned/all-MiniLM-L6-v2/all/esim
--epochs sets the most epochs by ARCH, --rate a learning rate by pattern of rows. The table of version 0.1.0 had
    --rows '*/first/*' '*/bilstm' --rate 'NS/tuned/bge-small-en-v1.5/*/esim=0.0002'
--limit takes only so many pairs of each pair of languages from every table: to try the script.
--finished trains nothing and prints the table of what is finished in --work, also while another run works there.

The table has means over seeds of Pearson per pair of languages; the spread is the standard deviation of their means.
While it runs, a training keeps the vectors of all its texts in its folder: 1.3 GB for S and 5.1 GB for N with
all-MiniLM-L6-v2, 2.3 and 9.5 GB with bge-small-en-v1.5."""
import argparse
import collections
import concurrent.futures
import fnmatch
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

PAIRS = ['cs-en', 'de-en', 'fi-en', 'lv-en', 'ru-en', 'tr-en', 'zh-en']
SMALL, LARGE = 'all-MiniLM-L6-v2', 'bge-small-en-v1.5'
EPOCHS = {'bilstm': 12, 'bilstm-attention': 12, 'esim': 8}
PAPER = [('TrainS', 'BiLSTM', [.517, .556, .735, .672, .606, .619, .565, .610]),
         ('TrainS', 'BiLSTM + attention', [.611, .603, .763, .740, .655, .695, .694, .680]),
         ('TrainS', 'ESIM', [.534, .546, .757, .704, .621, .632, .629, .632]),
         ('TrainL', 'BiLSTM', [.628, .621, .774, .732, .689, .682, .655, .682]),
         ('TrainL', 'BiLSTM + attention', [.704, .710, .818, .777, .744, .753, .737, .749]),
         ('TrainL', 'ESIM', [.692, .706, .829, .764, .726, .776, .732, .746]),
         ('untrained', 'BERTR', [.655, .650, .777, .671, .680, .702, .687, .689])]
COLUMNS = ['lp', 'ref', 'hyp', 'human']


class Row(collections.namedtuple('Row', 'part recipe encoder pieces arch')):
    def __str__(self):
        return '/'.join(self)

    def folder(self, options, seed):
        return options.work / '_'.join([*self, str(seed)])

    def log(self, options, seed):
        return options.work / ('_'.join([*self, str(seed)]) + '.log')

    def epochs(self, options):
        return 1 if self.part == 'N' else options.epochs[self.arch]

    def rate(self, options):
        return next((rate for pattern, rate in options.rate if fnmatch.fnmatch(str(self), pattern)), None)


def page_rows():
    """What docs/reference/metrics/trained.md shows."""
    for encoder, parts in ((SMALL, ['S', 'NS', 'N']), (LARGE, ['S', 'NS'])):
        for part in parts:
            for arch in EPOCHS:
                for pieces in ['all'] if arch == 'bilstm' else ['all', 'first']:
                    yield Row(part, 'tuned', encoder, pieces, arch)
    for pieces in ('all', 'first'):
        yield Row('S', 'published', SMALL, pieces, 'bilstm-attention')


def chosen_rows(patterns):
    rows = [row for row in page_rows() if any(fnmatch.fnmatch(str(row), pattern) for pattern in patterns)]
    for pattern in patterns:
        if any(fnmatch.fnmatch(str(row), pattern) for row in rows):
            continue
        row = Row(*pattern.split('/')) if pattern.count('/') == 4 and '*' not in pattern else None
        if row is None or row.arch not in EPOCHS or row.pieces not in ('all', 'first'):
            sys.exit(f'--rows {pattern}: no row of the page, and not SET/RECIPE/ENCODER/PIECES/ARCH')
        rows.append(row)
    return rows


def write(path, rows, limit):
    taken, kept = collections.Counter(), []
    for row in rows:
        taken[row[0]] += 1
        if limit is None or taken[row[0]] <= limit:
            kept.append(row)
    path.write_text(''.join('\t'.join(row) + '\n' for row in [COLUMNS, *kept]), encoding='utf-8', newline='\n')


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


def make_tables(options, rows):
    options.work.mkdir(parents=True, exist_ok=True)
    parts = {row.part for row in rows}
    for year in ('wmt15', 'wmt16', 'wmt17'):
        pairs = rows_of_year(options.data, year)
        write(options.work / f'{year}.tsv', pairs, options.limit)
        if year == 'wmt16':
            random.Random(7).shuffle(pairs)
            for size in filter(str.isdigit, parts):
                write(options.work / f'wmt16_{size}.tsv', pairs[:int(size)], options.limit)
    if {'L', 'N', 'NS'} & parts:
        write(options.work / 'wmt21.tsv', rows_of_wmt21(options.data), options.limit)


def markeval(options, log, *words):
    """What the program prints; what it says on the way goes to the end of `log`."""
    environment = {**os.environ, 'MARKEVAL_MODELS': str(options.models)}
    with log.open('a') as talk:
        done = subprocess.run([options.program, *map(str, words), '--threads', str(options.threads)], env=environment,
                              stdout=subprocess.PIPE, stderr=talk, text=True, check=False)
    if done.returncode != 0:
        last = (log.read_text().splitlines() or [''])[-1]
        raise RuntimeError(f'{log}: ended with {done.returncode}: {last}')
    return done.stdout


def correlate(options, log, encoder, metric):
    """Pearson with WMT17 per pair of languages, and their mean."""
    found = json.loads(markeval(options, log, 'correlate', options.work / 'wmt17.tsv', '--gold', 'human', '--ref', 'ref',
                                '--hyp', 'hyp', '--group', 'lp', '-m', metric, '--model', encoder, '--coefficient',
                                'pearson', '--format', 'json', '--quiet'))
    values = {row['group']: row['pearson'] for row in found['results']}
    return [values[group] for group in [*PAIRS, 'mean']]


def keep(path, values):
    """Written whole: a run with --finished may read it meanwhile."""
    path.with_suffix('.part').write_text(json.dumps(values))
    path.with_suffix('.part').replace(path)


def untrained(options, encoder, metric):
    """The same of a metric that learns nothing, kept for the next table; None where --finished finds none."""
    kept = options.work / f'untrained_{encoder}_{metric}.json'
    if not kept.exists():
        if options.finished:
            return None
        keep(kept, correlate(options, options.work / 'untrained.log', encoder, metric))
    return json.loads(kept.read_text())


def train(options, row, seed):
    folder = row.folder(options, seed)
    tables = {'S': ['wmt16'], 'NS': ['wmt16'], 'N': ['wmt21'], 'L': ['wmt16', 'wmt21']}.get(row.part, [f'wmt16_{row.part}'])
    words = ['train', '--arch', row.arch, '--train', *(options.work / f'{table}.tsv' for table in tables), '--valid',
             options.work / 'wmt15.tsv', '--ref', 'ref', '--hyp', 'hyp', '--gold', 'human', '-o', folder, '--model',
             row.encoder, '--seed', seed, '--resume', '--recipe', row.recipe, '--pieces', row.pieces, '--epochs',
             row.epochs(options)]
    if row.rate(options):
        words += ['--learning-rate', row.rate(options)]
    if row.part == 'NS':
        words += ['--from', row._replace(part='N').folder(options, seed)]
    markeval(options, row.log(options, seed), *words)


def check_settings(options, row, config):
    training = config['training']
    asked = {'epochs': row.epochs(options)}
    if row.rate(options):
        asked['learning_rate'] = float(row.rate(options))
    for name, value in asked.items():
        if training[name] != value:
            raise RuntimeError(f'{row}: finished with {name} {training[name]}, now {value}: take another --work')


def result(options, row, seed):
    """Pearson per pair of languages, their mean, the best validation Pearson and the epochs; trained where it is not."""
    folder = row.folder(options, seed)
    if not (folder / 'config.json').exists():
        train(options, row, seed)
    config = json.loads((folder / 'config.json').read_text())
    check_settings(options, row, config)
    kept = folder / 'wmt17.json'
    if not kept.exists():
        keep(kept, correlate(options, row.log(options, seed), row.encoder, f'{row.arch}:weights={folder}'))
    curve = [epoch['pearson'] for epoch in config['curve']]
    return [*json.loads(kept.read_text()), max(curve), len(curve)]


def run_all(options, rows):
    """(row, seed) -> result, as far as there is one; and what went wrong."""
    wanted = [(row, seed) for seed in options.seeds for row in rows]
    starts = [(row._replace(part='N'), seed) for row, seed in wanted if row.part == 'NS']
    jobs = list(dict.fromkeys([*starts, *wanted]))
    jobs.sort(key=lambda job: job[0].part == 'NS')  # what they start from stands in the queue before them
    results, faults, begin = {}, [], time.monotonic()

    def run(row, seed):
        if row.part == 'NS':
            futures[row._replace(part='N'), seed].result()
        return result(options, row, seed)

    futures = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in jobs:
            futures[job] = pool.submit(run, *job)
        names = {future: job for job, future in futures.items()}
        try:
            for done, future in enumerate(concurrent.futures.as_completed(names), 1):
                row, seed = names[future]
                minutes = (time.monotonic() - begin) / 60
                try:
                    results[row, seed] = future.result()
                    told = f'mean {results[row, seed][len(PAIRS)]:.3f}'
                except RuntimeError as error:
                    told = str(error)
                    faults.append(told)
                print(f'{done} of {len(jobs)}, {minutes:.0f} min: {row} seed {seed}: {told}', file=sys.stderr, flush=True)
        except KeyboardInterrupt:  # the trainings got it too and write their checkpoints
            pool.shutdown(cancel_futures=True)
            raise
    return results, faults


def finished_results(options, rows):
    """(row, seed) -> result of what earlier runs finished; a training without figures yet is left out."""
    return {(row, seed): result(options, row, seed) for seed in options.seeds for row in rows
            if (row.folder(options, seed) / 'wmt17.json').exists()}


def number(value):
    return f'{value:.3f}'.replace('0.', '.', 1)


def print_table(options, rows, results):
    def line(*cells):
        print('| ' + ' | '.join(cells) + ' |')

    line('set, recipe, encoder, pieces', '', 'seeds', *PAIRS, 'mean', 'spread', 'validation', 'epochs')
    print('|---|---|' + '--:|' * (len(PAIRS) + 5))
    for row in rows:
        runs = [results[row, seed] for seed in options.seeds if (row, seed) in results]
        if not runs:
            continue
        *values, valid, epochs = [statistics.mean(column) for column in zip(*runs)]
        means = [run[len(PAIRS)] for run in runs]
        line(', '.join([row.part, row.recipe, row.encoder, row.pieces]), f'`{row.arch}`', str(len(runs)),
             *map(number, values[:-1]), f'**{number(values[-1])}**',
             number(statistics.stdev(means)) if len(means) > 1 else '', number(valid), f'{epochs:.1f}')
    baselines = [('', 'sentBLEU', SMALL, 'sentbleu'), ('', 'chrF', SMALL, 'chrf')]
    baselines += [(encoder, '`bertr`', encoder, 'bertr') for encoder in dict.fromkeys(row.encoder for row in rows)]
    for label, name, encoder, metric in baselines:
        values = untrained(options, encoder, metric)
        if values is not None:
            line(label, name, '', *map(number, values), '', '', '')
    for source, name, values in PAPER:
        line(f'paper, {source}, BERT base', name, '', *map(number, values), '', '', '')


def assignment(text):
    name, equals, value = text.rpartition('=')
    if not equals:
        raise argparse.ArgumentTypeError(f'{text}: expected NAME=VALUE')
    return name, value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', required=True, help='markeval')
    parser.add_argument('--models', type=pathlib.Path, required=True)
    parser.add_argument('--data', type=pathlib.Path, required=True)
    parser.add_argument('--work', type=pathlib.Path, required=True, help='results and what is on the way')
    parser.add_argument('--jobs', type=int, default=1, help='trainings at a time')
    parser.add_argument('--threads', type=int, default=2, help='of each')
    parser.add_argument('--rows', nargs='+', default=['*'])
    parser.add_argument('--seeds', nargs='+', type=int, default=[1, 2, 3])
    parser.add_argument('--epochs', nargs='+', type=assignment, default=[], metavar='ARCH=N')
    parser.add_argument('--rate', nargs='+', type=assignment, default=[], metavar='ROWS=X')
    parser.add_argument('--limit', type=int)
    parser.add_argument('--finished', action='store_true', help='only the table of what is finished')
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    options.models = options.models.resolve()
    options.epochs = {**EPOCHS, **{arch: int(count) for arch, count in options.epochs}}
    rows = chosen_rows(options.rows)
    for encoder in {SMALL, *(row.encoder for row in rows)}:
        if not (options.models / encoder / 'config.json').exists():
            sys.exit(f'{options.models}: no {encoder} there')
    if options.finished:
        results, faults = finished_results(options, rows), []
    else:
        make_tables(options, rows)
        results, faults = run_all(options, rows)
    print_table(options, rows, results)
    sys.exit('\n'.join(faults) or 0)


main()
