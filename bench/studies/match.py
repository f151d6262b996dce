"""How well `match` agrees with people: the tables of docs/reference/metrics/trained.md.

    python3 bench/studies/match.py STEP --program build/release/markeval --models FOLDER --data FOLDER --work FOLDER

--data holds wmt15, wmt16, wmt17, wmt18, wmt19, wmt19_darr, tac, d2t and summ as docs/reference/data.md says. Steps:

    layers     trains on WMT16 for every number of layers and three seeds; mean Pearson on WMT15. How many layers a head reads
               is chosen here.
    seeds      the trainings of `layers` with the default number of layers, on WMT17
    curve      parts of WMT16 of 100, 300, 1,000 pairs, three seeds, on WMT17: how many judgements suffice
    elsewhere  the heads inside the program on what nothing was chosen on, beside bertscore, moverscore and chrf
    all        these, one after the other

What is finished in --work is not made again. --jobs trainings run at a time, with one thread each. Standard library only."""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

ENCODERS = {'all-MiniLM-L6-v2': [4, 5, 6], 'bge-small-en-v1.5': [6, 8, 10, 12]}
DEFAULT = {'all-MiniLM-L6-v2': 4, 'bge-small-en-v1.5': 6}  # layers bertscore reads
SEEDS = [1, 2, 3]
OTHERS = ['bertscore.f1', 'moverscore', 'chrf']
RESAMPLES = 1000

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('step', choices=['layers', 'seeds', 'curve', 'elsewhere', 'all'])
parser.add_argument('--program', required=True)
parser.add_argument('--models', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--work', required=True, type=pathlib.Path)
parser.add_argument('--jobs', type=int, default=1)
parser.add_argument('--parts', nargs='+', default=['wmt18', 'wmt19', 'darr', 'summaries', 'tac', 'd2t'], help='of elsewhere')
parser.add_argument('--heads', help='elsewhere: a folder with one for each encoder, instead of those inside the program')
parser.add_argument('--lines', type=int, help='wmt18, wmt19: only the first so many of each pair (all of them)')
parser.add_argument('--encoders', nargs='+', default=list(ENCODERS))
options = parser.parse_args()
csv.field_size_limit(1 << 30)


def run(*words, threads=None):
    environment = {**os.environ, 'MARKEVAL_MODELS': options.models, 'MARKEVAL_CACHE': str(options.work / 'cache')}
    more = [] if threads is None else ['--threads', threads]
    done = subprocess.run([options.program, *map(str, [*words, *more])], capture_output=True, text=True, check=False,
                          env=environment)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, words))[:300]} ended with {done.returncode}: {done.stderr}')
    return done.stdout


def tables(year, pairs):
    return [options.data / f'wmt{year}' / 'seglevel' / f'{pair}-en.tsv' for pair in pairs]


WMT16 = tables(16, ['cs', 'de', 'fi', 'ro', 'ru', 'tr'])
WMT15 = tables(15, ['cs', 'de', 'fi', 'ru'])
WMT17 = tables(17, ['cs', 'de', 'fi', 'lv', 'ru', 'tr', 'zh'])


def train(encoder, layers, seed, name, learn_from=None):
    """The folder of a head: name/encoder/layers/seed, and its Pearson on WMT15."""
    folder = options.work / name / f'{encoder}-{layers}-{seed}'
    if not (folder / 'config.json').exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        resume = ['--resume'] if folder.exists() else []
        run('train', '--model', encoder, '--layers', layers, '--seed', seed, '-o', folder, '--ref', 'ref', '--hyp', 'hyp',
            '--gold', 'human', '--group', 'lp', '--train', *(learn_from or WMT16), '--valid', *WMT15, *resume, threads=1)
        print(f'{folder} is trained', file=sys.stderr, flush=True)
    return folder, max(epoch['pearson'] for epoch in json.loads((folder / 'config.json').read_text())['curve'])


def at_a_time(function, jobs):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(lambda job: function(*job), jobs))


def mean_and_seeds(values):
    return f'{statistics.mean(values):.4f} ({" ".join(f"{value:.4f}" for value in values)})'


def choose_layers():
    jobs = [(encoder, layers, seed, 'wmt16') for encoder in reversed(options.encoders)
            for layers in reversed(ENCODERS[encoder]) for seed in SEEDS]
    found = collections.defaultdict(list)
    for (encoder, layers, _, _), (_, pearson) in zip(jobs, at_a_time(train, jobs)):
        found[encoder, layers].append(pearson)
    print('\nMean Pearson on WMT15, trained on WMT16 (three seeds)')
    for (encoder, layers), values in sorted(found.items()):
        print(f'{encoder:20} {layers:3} layers  {mean_and_seeds(values)}')


def joined(paths, name):
    """One table of several with the same columns."""
    path = options.work / name
    with path.open('w', encoding='utf8') as out:
        for number, table in enumerate(paths):
            lines = table.read_text(encoding='utf8').rstrip('\n').split('\n')
            out.write('\n'.join(lines if number == 0 else lines[1:]) + '\n')
    return path


def on_wmt17(encoder, folders):
    """Mean Pearson of each head, and of bertscore."""
    rows = json.loads(run('correlate', joined(WMT17, 'wmt17.tsv'), '--gold', 'human', '--group', 'lp', '--ref', 'ref', '--hyp',
                          'hyp', '-m', 'bertscore.f1', *[f'match:weights={folder}' for folder in folders], '--coefficient',
                          'pearson', '--model', encoder, '--format', 'json'))['results']
    by_metric = collections.defaultdict(dict)
    for row in rows:
        by_metric[row['predicted']][row['group']] = row['pearson']
    return list(by_metric.values())


def show_seeds():
    print('\nPearson on WMT17, trained on WMT16 alone, epoch chosen on WMT15')
    for encoder in options.encoders:
        folders = [folder for folder, _ in at_a_time(train, [(encoder, DEFAULT[encoder], seed, 'wmt16') for seed in SEEDS])]
        found = on_wmt17(encoder, folders)
        for name, by_pair in zip(['bertscore', *(f'match, seed {seed}' for seed in SEEDS)], found):
            pairs = {pair: value for pair, value in by_pair.items() if pair.endswith('-en')}
            print(f'{encoder:20} {name:14} mean {statistics.mean(pairs.values()):.4f} ',
                  ' '.join(f'{pair} {value:.3f}' for pair, value in sorted(pairs.items())), flush=True)


def show_curve():
    print('\nPearson on WMT17 by number of judgements learned from (three seeds)')
    header, *rows = joined(WMT16, 'wmt16.tsv').read_text(encoding='utf8').rstrip('\n').split('\n')
    for encoder in options.encoders:
        for count in (100, 300, 1000):
            jobs = []
            for seed in SEEDS:
                part = options.work / f'wmt16-{count}-{seed}.tsv'
                part.write_text('\n'.join([header, *random.Random(seed).sample(rows, count)]) + '\n', encoding='utf8')
                jobs.append((encoder, DEFAULT[encoder], seed, f'curve-{count}', [part]))
            folders = [folder for folder, _ in at_a_time(train, jobs)]
            means = [statistics.mean(v for pair, v in by_pair.items() if pair.endswith('-en'))
                     for by_pair in on_wmt17(encoder, folders)[1:]]
            print(f'{encoder:20} {count:5} pairs  {mean_and_seeds(means)}', flush=True)


def metrics_for(encoder):
    return [f'match:weights={options.heads}/{encoder}' if options.heads else 'match', *OTHERS]


def segment_scores(encoder, references, systems, *more):
    """system -> metric -> one score per text. `references`: lists of texts, `systems`: name -> texts, all of one length."""
    folder = options.work / 'texts'
    folder.mkdir(parents=True, exist_ok=True)

    def written(name, lines):
        (folder / name).write_text(''.join(' '.join(line.split()) + '\n' for line in lines), encoding='utf8')
        return folder / name

    words = [word for number, lines in enumerate(references) for word in ('-r', written(f'r{number}.txt', lines))]
    words += [word for number, lines in enumerate(systems.values()) for word in ('-s', written(f's{number}.txt', lines))]
    results = json.loads(run('score', *words, '-m', *metrics_for(encoder), '--segments', '--format', 'json', '--model',
                             encoder, *more))['results']
    found = collections.defaultdict(dict)
    names = {f's{number}': name for number, name in enumerate(systems)}
    for result in results:
        metric = result['metric']
        scores = result['segments']['f1' if metric == 'bertscore' else next(iter(result['segments']))]
        found[names.get(result['system'], next(iter(systems)))][metric] = scores
    return found


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start:end + 1]:
            found[place] = (start + end) / 2
        start = end + 1
    return found


def pearson(a, b):
    mean_a, mean_b = statistics.fmean(a), statistics.fmean(b)
    products = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    squares = sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)
    return products / squares ** .5 if squares > 0 else None


def compare(label, by_metric):
    """by_metric: a value (or None) per document or source; their means, and in how many of 1,000 resamples of the documents
    another metric is not below match."""
    count = len(by_metric['match'])
    kept = [place for place in range(count) if all(values[place] is not None for values in by_metric.values())]
    draw = random.Random(1)
    samples = [draw.choices(kept, k=len(kept)) for _ in range(RESAMPLES)]
    mean = {name: statistics.fmean(values[place] for place in kept) for name, values in by_metric.items()}
    cells = []
    for name, values in by_metric.items():
        more = [sum(values[place] - by_metric['match'][place] for place in sample) >= 0 for sample in samples]
        cells.append(f'{name} {mean[name]:.3f}' + ('' if name == 'match' else f' (p {sum(more) / RESAMPLES:.3f})'))
    print(f'{label}: ' + ', '.join(cells), flush=True)


def jsonl(*parts):
    with gzip.open(options.data.joinpath(*parts), 'rt', encoding='utf8') as lines:
        return [json.loads(line) for line in lines]


def summaries(encoder):
    for name, columns in (('SummEval', ['relevance', 'coherence']), ('REALSumm', ['litepyramid_recall'])):
        documents = {row['doc']: row['refs'] for row in jsonl('summ', f'{name}_docs.jsonl.gz')}
        rows = jsonl('summ', f'{name}_summaries.jsonl.gz')
        references = list(zip(*(documents[row['doc']] for row in rows)))
        scores = segment_scores(encoder, references, {'all': [row['hyp'] for row in rows]})['all']
        for column in columns:
            by_metric = {}
            for metric, values in scores.items():
                groups = collections.defaultdict(lambda: ([], []))
                for row, value in zip(rows, values):
                    groups[row['doc']][0].append(value)
                    groups[row['doc']][1].append(row[column])
                by_metric[metric] = [pearson(ranks(a), ranks(b)) for a, b in groups.values()]
            compare(f'{encoder} {name} {column}, Spearman by document', by_metric)


def darr(encoder):
    for pair in ('kk-en', 'lt-en', 'gu-en'):
        rows = jsonl('wmt19_darr', f'{pair}.jsonl.gz')
        texts = {text: None for row in rows for text in ((row['ref'], row['better']), (row['ref'], row['worse']))}
        scores = segment_scores(encoder, [[reference for reference, _ in texts]], {'all': [text for _, text in texts]})['all']
        by_metric = {}
        for metric, values in scores.items():
            score = dict(zip(texts, values))
            groups = collections.defaultdict(list)
            for row in rows:
                better, worse = score[row['ref'], row['better']], score[row['ref'], row['worse']]
                groups[row['src']].append(1 if better > worse else -1)
            sizes = statistics.fmean(map(len, groups.values()))
            by_metric[metric] = [sum(group) / sizes for group in groups.values()]
        compare(f'{encoder} WMT19 {pair} better/worse pairs, Kendall-like', by_metric)


def systems(encoder, year):
    human = {}
    for line in (options.data / f'wmt{year}' / 'DA-syslevel.csv').read_text(encoding='utf8').split('\n')[1:]:
        if line:
            pair, score, system = line.split(' ')
            human[pair, system] = score
    table = [['pair', 'system', 'human', 'match', *(metric.split('.')[0] for metric in OTHERS)]]
    for path in sorted((options.data / f'wmt{year}' / f'newstest20{year}_raw').glob('*-en.tsv.gz')):
        with gzip.open(path, 'rt', encoding='utf8', newline='') as lines:
            header, *rows = [line.rstrip('\n').split('\t') for line in lines]
        rows = rows[:options.lines]
        pair = path.name[:5]
        judged = {system: [row[column] for row in rows] for column, system in enumerate(header) if (pair, system) in human}
        for system, scores in segment_scores(encoder, [[row[2] for row in rows]], judged, '--cache', 'none').items():
            table.append([pair, system, human[pair, system], *(statistics.fmean(scores[name]) for name in table[0][3:])])
    path = options.work / f'wmt{year}-{encoder}.tsv'
    path.write_text(''.join('\t'.join(map(str, row)) + '\n' for row in table), encoding='utf8')
    found = json.loads(run('correlate', path, '--gold', 'human', '--predicted', *table[0][3:], '--group', 'pair', '--coefficient',
                           'pearson', '--test', 'williams', '--correction', 'none', '--format', 'json'))
    p_values = {(test['group'], test['second']): test['p_value'] for test in found['tests'] if test['first'] == 'match'}
    by_pair = collections.defaultdict(list)
    for row in found['results']:
        p_value = p_values.get((row['group'], row['predicted']))
        by_pair[row['group']].append(f'{row["predicted"]} {row["pearson"]:.3f}' + (f' (p {p_value:.3f})' if p_value else ''))
    for pair, cells in by_pair.items():
        print(f'{encoder} WMT{year} systems {pair}, Pearson:', ', '.join(cells), flush=True)


def tac(encoder):
    """As MoverScore's authors do: the mean over four references, every summary of more than one sentence, one Pearson a topic."""
    for year in ('08', '09'):
        rows = [row for row in jsonl('tac', f'tac{year}_summaries.jsonl.gz') if row['n_sent'] > 1]
        references = collections.defaultdict(list)
        for row in jsonl('tac', f'tac{year}_references.jsonl.gz'):
            references[row['topic']].append(row['text'])
        scored = [segment_scores(encoder, [[references[row['topic']][place] for row in rows]],
                                 {'all': [row['text'] for row in rows]})['all'] for place in range(4)]
        for column in ('responsiveness', 'pyr_score'):
            by_metric = {}
            for metric in scored[0]:
                topics = collections.defaultdict(lambda: ([], []))
                for place, row in enumerate(rows):
                    topics[row['topic']][0].append(statistics.fmean(scores[metric][place] for scores in scored))
                    topics[row['topic']][1].append(row[column])
                by_metric[metric] = [pearson(a, b) for a, b in topics.values()]
            compare(f'{encoder} TAC 20{year} {column}, Pearson by topic', by_metric)


def data_to_text(encoder):
    """The best of a text's references; one Spearman over all texts."""
    for name in ('BAGEL', 'SFHOT', 'SFRES'):
        rows = jsonl('d2t', f'{name}.jsonl.gz')
        pairs = [(place, reference) for place, row in enumerate(rows) for reference in dict.fromkeys(row['refs'])]
        scored = segment_scores(encoder, [[reference for _, reference in pairs]],
                                {'all': [rows[place]['hyp'] for place, _ in pairs]})['all']
        best = {metric: [max(score for _, score in group) for _, group in
                         itertools.groupby(zip((place for place, _ in pairs), scores), key=lambda item: item[0])]
                for metric, scores in scored.items()}
        judged = ['informativeness', 'naturalness', 'quality']
        path = options.work / f'{name}-{encoder}.tsv'
        lines = [[*judged, *best], *([row[column] for column in judged] + [best[metric][place] for metric in best]
                                     for place, row in enumerate(rows))]
        path.write_text(''.join('\t'.join(map(str, line)) + '\n' for line in lines), encoding='utf8')
        for column in judged:
            found = json.loads(run('correlate', path, '--gold', column, '--predicted', *best, '--coefficient', 'spearman', '--test',
                                   'williams', '--correction', 'none', '--format', 'json'))
            p_values = {test['second']: test['p_value'] for test in found['tests'] if test['first'] == 'match'}
            print(f'{encoder} {name} {column}, Spearman:', ', '.join(
                f'{row["predicted"]} {row["spearman"]:.3f}' +
                (f' (p {p_values[row["predicted"]]:.3f})' if row['predicted'] in p_values else '') for row in found['results']),
                flush=True)


def show_elsewhere():
    print('\nThe heads inside the program on texts nothing was chosen on')
    steps = {'wmt18': lambda encoder: systems(encoder, 18), 'wmt19': lambda encoder: systems(encoder, 19), 'darr': darr,
             'summaries': summaries, 'tac': tac, 'd2t': data_to_text}
    for encoder in options.encoders:
        for part in options.parts:
            steps[part](encoder)


options.work.mkdir(parents=True, exist_ok=True)
STEPS = {'layers': choose_layers, 'seeds': show_seeds, 'curve': show_curve, 'elsewhere': show_elsewhere}
for step in STEPS if options.step == 'all' else [options.step]:
    STEPS[step]()
