"""Do set metrics put worse texts below people, and never other people? And how do their numbers move with the size?

    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA > docs/background/studies/beside-people.txt
    python3 bench/studies/beside_people.py --check docs/background/studies/beside-people.txt
    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA --false-words 100 300 1000
    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA --curve
    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA --words

Texts by people in two disjoint halves, and worse texts. `captions` (coco): first captions of photographs; worse are samples of language
models (lm_samples). `news` (wmt17): references of newstest2017 into English; worse are machine translations of other lines. `premises`
and `hypotheses` (mnli): sentences of five genres, and what crowd workers wrote about them; worse is babble, made of pairs of words of a
third part of the same texts. Of each kind also `salad`, the second half with the words of each line in random order, and `collapsed`:
30 texts of people, repeated.

A line for each system and metric (fid:samples=word at 300 texts alone, since it takes long): what it and people get at one size, the word, and the results that a test finds farther or closer.
--check reads such lines and fails by verdict: where other people are called farther than people by any result, where a worse text is called
closer by the result a metric is known by, where no metric finds a language model, babble or a collapsed set farther, or where fid:samples=word misses
word salad. A number above that of people with the word alike is no order: the output gives it none; they are counted.
--false-words: other people alone, many draws: how often a word is false. --curve: people against people over sizes, the table of
docs/reference/metrics/me.md. --words: words as samples beside people, from 400 texts of each kind. Exit status 77 where the data are not there."""
import argparse
import gzip
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SENTENCES = ['me', 'impar', 'prdc', 'prd', 'fid']
WORDS = ['me:samples=word', 'fid:samples=word']
# Not the best of its direction, so that it is surely worse than people.
SYSTEMS = {'cs-en': 'PJATK.4760', 'de-en': 'online-A.0', 'fi-en': 'apertium-unconstrained.4793', 'ru-en': 'online-A.0',
           'lv-en': 'PJATK.4740', 'tr-en': 'PROMT-SMT.4737'}
MODELS = ['drnn', '2-gram', 'seqgan-200e']
FOUND = [*MODELS, 'babble', 'collapsed']  # worse beyond doubt: some metric has to say so

parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
parser.add_argument('--program')
parser.add_argument('--data', type=pathlib.Path)
parser.add_argument('--check', type=pathlib.Path, help='only judge the lines of this file')
parser.add_argument('--sizes', nargs='+', type=int, default=[300, 1000, 2000])
parser.add_argument('--metrics', nargs='+', default=SENTENCES)
parser.add_argument('--texts', nargs='+', choices=['captions', 'news', 'premises', 'hypotheses'], default=['captions', 'news', 'premises', 'hypotheses'])
parser.add_argument('--false-words', nargs='+', type=int, metavar='SIZE')
parser.add_argument('--curve', action='store_true')
parser.add_argument('--words', action='store_true')
parser.add_argument('--model', default='all-MiniLM-L6-v2')
parser.add_argument('--threads', help='all cores where it is not given')
options = parser.parse_args()


def scrambled(text, draw):
    words = text.split()
    draw.shuffle(words)
    return ' '.join(words)


def news(draw):
    rows = {}
    for pair, system in SYSTEMS.items():
        with gzip.open(options.data / f'wmt17/newstest2017_raw/{pair}.tsv.gz', 'rt', encoding='utf-8') as lines:
            header = next(lines).rstrip('\n').split('\t')
            for line in lines:
                fields = dict(zip(header, line.rstrip('\n').split('\t')))
                if len(fields['ref'].split()) > 5:  # headlines and fragments are left out
                    rows.setdefault(fields['ref'], fields[system])
    rows = list(rows.items())
    draw.shuffle(rows)
    return rows


def captions(draw):
    with gzip.open(options.data / 'coco/karpathy_test_captions.jsonl.gz', 'rt', encoding='utf-8') as lines:
        rows = [json.loads(line) for line in lines]
    draw.shuffle(rows)
    as_samples = lambda text: ' '.join(re.findall(r"[a-z0-9']+|[^\sa-z0-9]", text.lower()))
    return [(as_samples(row['refs'][0]), as_samples(row['human'])) for row in rows]


def samples(model, size, seed):
    with gzip.open(options.data / f'lm_samples/{model}.txt.gz', 'rt', encoding='utf-8') as lines:
        texts = [line.strip() for line in lines]
    return random.Random(size if seed == 1 else size * 1000 + seed).sample([text for text in texts if text], size)


def mnli(column):
    found = {}
    for name in ('mnli_dev_matched', 'mnli_train_subset'):
        with gzip.open(options.data / f'mnli/{name}.tsv.gz', 'rt', encoding='utf-8') as lines:
            place = next(lines).rstrip('\n').split('\t').index(column)
            for line in lines:
                text = line.rstrip('\n').split('\t')[place].strip()
                if len(text.split()) > 5:
                    found[text] = None
    return list(found)


def babble(texts, size, draw):
    """Lines made of pairs of words of these texts."""
    after = {}
    for text in texts:
        words = ['', *text.split(), '']
        for word, following in zip(words, words[1:]):
            after.setdefault(word, []).append(following)
    lines = []
    while len(lines) < size:
        words = [draw.choice(after[''])]
        while words[-1]:
            words.append(draw.choice(after[words[-1]]))
        lines.append(' '.join(words).strip())
    return lines


def by_people(kind, seed):
    """The texts of one kind in random order, and what machines made of the same lines."""
    draw = random.Random(seed)
    if kind == 'news':
        rows = news(draw)
        return [text for text, _ in rows], [machine for _, machine in rows]
    if kind == 'captions':
        texts = [caption for caption, _ in captions(draw)]
    else:
        texts = mnli('premise' if kind == 'premises' else 'hypothesis')
        draw.shuffle(texts)
    return texts, []


def sets_of(kind, size, seed=1):
    texts, machine = by_people(kind, seed)
    draw = random.Random(size)
    people, third = texts[size:2 * size], texts[2 * size:]
    worse = {'machine': machine[2 * size:3 * size]} if machine else {}
    if kind == 'captions':
        worse = {model: samples(model, size, seed) for model in MODELS}
    elif not machine:
        worse = {'babble': babble(third[:4000], size, draw)}
    return texts[:size], {'people': people, **worse, 'salad': [scrambled(text, draw) for text in people],
                          'collapsed': [third[i % 30] for i in range(size)]}


def write(folder, name, texts):
    path = pathlib.Path(folder) / f'{name}.txt'
    path.write_text('\n'.join(texts) + '\n', encoding='utf-8')
    return str(path)


def score(reference, systems, metrics, form):
    with tempfile.TemporaryDirectory() as folder:
        command = [options.program, 'score', write(folder, 'reference', reference)]
        command += [write(folder, name, texts) for name, texts in systems.items()]
        threads = ['--threads', options.threads] if options.threads else []
        return subprocess.run(command + ['-q', '--model', options.model, *threads, '--format', form, '-m', *metrics], check=True, capture_output=True,
                              text=True).stdout


def rows_of(kind, size):
    """A row for each system and metric."""
    words = ['fid:samples=word'] if size <= 300 else []  # it takes long
    report = json.loads(score(*sets_of(kind, size), options.metrics + words, 'json'))
    for ceiling in report['ceilings']:
        main = next(iter(ceiling['scores'])) if ceiling['metric'] != 'prdc' else 'coverage'
        for system in ceiling['at_one_size']:
            found = {word: [name for name, standing in system['standings'].items() if standing == word] for word in ('farther', 'closer')}
            yield [kind, str(size), str(ceiling['texts']), ceiling['request'], f"{ceiling['scores'][main]:.4f}", system['system'],
                   f"{system['scores'][main]:.4f}", system['standing'], ','.join(found['farther']) or '-', ','.join(found['closer']) or '-']


def check(path):
    """What is wrong by verdict with the rows of a file."""
    wrong, above, found, rows = [], 0, {}, 0
    for line in path.read_text(encoding='utf-8').splitlines():
        fields = line.split()
        if len(fields) != len(HEADER) or not fields[1].isdigit():
            continue
        kind, size, _, metric, of_people, system, of_system, word, farther, _ = fields
        rows += 1
        where = f'{kind} {size} {metric}: {system}'
        if system == 'people':
            if farther != '-':
                wrong.append(f'{where} is called farther than people by {farther}')
            continue
        found.setdefault((kind, size, system), []).append(word == 'farther' or farther != '-')
        if word == 'closer':
            wrong.append(f'{where} is called closer than people')
        if system == 'salad' and metric == 'fid:samples=word' and word != 'farther':
            wrong.append(f'{where} is not called farther')
        above += word == 'alike' and (float(of_system) >= float(of_people)) != metric.startswith('fid')
    wrong += [f'{kind} {size}: no metric finds {system}' for (kind, size, system), words in found.items() if system in FOUND and not any(words)]
    if (sets := len({(kind, size) for kind, size, _ in found})) < 12:
        wrong.append(f'{path}: {sets} kinds and sizes, expected four kinds of texts at three sizes')
    print(f'{rows} rows. By verdict: {len(wrong)} wrong. Worse texts at or above people by value, all called alike: {above}')
    for one in wrong:
        print(one)
    return wrong


def false_words(sizes):
    """Other people beside people: how many sets have a word, and how many results."""
    rows = [['texts', 'kind', 'sets', 'with a word', 'farther', 'tests', 'with a word', 'p <= .05', 'p <= .1']]
    for size in sizes:
        for kind in options.texts:
            sets, tests, words, farther, low, middle, with_words = 0, 0, set(), set(), 0, 0, 0
            for seed in range(1, 5):
                texts, _ = by_people(kind, seed)
                parts = [texts[i:i + size] for i in range(0, min(len(texts), 20 * size) - size + 1, size)]
                report = json.loads(score(parts[0], {f'p{i}': part for i, part in enumerate(parts) if i}, SENTENCES, 'json'))
                sets += len(parts) - 1
                for ceiling in report['ceilings']:
                    for system in ceiling['at_one_size']:
                        tests += len(system['standings'])
                        found = [word for word in system['standings'].values() if word != 'alike']
                        with_words += len(found)
                        if found:
                            words.add((seed, system['system']))
                        if 'farther' in found:
                            farther.add((seed, system['system']))
                        middle += sum(p <= .05 for p in system['p_values'].values())
                        low += sum(p <= .1 for p in system['p_values'].values())
            rows.append([str(size), kind, *map(str, (sets, len(words), len(farther), tests, with_words, middle, low))])
    show(rows)


def curve():
    """People against people: captions of disjoint photographs, and news."""
    print('\nMain results of people against people, by the number of texts in each set')
    rows = [['texts', *(f'{kind} {metric}' for kind in ('captions', 'news') for metric in SENTENCES)]]
    for size in (100, 200, 400, 800, 1600):
        cells = []
        for kind in ('captions', 'news'):
            reference, systems = sets_of(kind, size)
            people = [human for _, human in captions(random.Random(1))[size:2 * size]] if kind == 'captions' else systems['people']
            if len(people) < size:
                cells += ['-'] * len(SENTENCES)
                continue
            report = json.loads(score(reference, {'people': people}, SENTENCES, 'json'))
            mains = [{'prdc': 'coverage'}.get(result['metric'], next(iter(result['scores']))) for result in report['results']]
            cells += [f"{result['scores'][main]:.3f}" for result, main in zip(report['results'], mains)]
        rows.append([str(size), *cells])
    show(rows)


def words():
    """People and worse texts at the size that the table "Beside people" has for words."""
    print('\nWords as samples at the size of the table beside people, mean of its draws')
    rows = [['kind', 'texts', 'system', 'result', 'score']]
    for kind in ('news', 'captions'):
        reference, systems = sets_of(kind, 400)
        worse = {name: systems[name] for name in ('machine', 'drnn', 'salad') if name in systems}
        for ceiling in json.loads(score(reference, {'people': systems['people'], **worse}, WORDS, 'json'))['ceilings']:
            main = next(iter(ceiling['scores']))
            scores = {'(people)': ceiling['scores'][main],
                      **{system['system']: system['scores'][main] for system in ceiling['at_one_size']}}
            rows += [[kind, str(ceiling['texts']), name, f"{ceiling['request']} {main}", f'{value:.3f}'] for name, value in scores.items()]
    show(rows)


def show(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('  '.join(cell.rjust(width) for cell, width in zip(row, widths)))


HEADER = ['kind', 'texts', 'of-each', 'metric', '(people)', 'system', 'score', 'word', 'farther-by', 'closer-by']
if options.check:
    sys.exit(bool(check(options.check)))
if not options.data or not options.program:
    parser.error('expected --check FILE, or --program and --data')
if not (options.data / 'wmt17/newstest2017_raw').is_dir() or not (options.data / 'lm_samples').is_dir():
    print(f'{options.data}: no wmt17, coco, mnli and lm_samples')
    sys.exit(77)
if options.curve or options.words:
    (curve if options.curve else words)()
elif options.false_words:
    false_words(options.false_words)
else:
    line = '{:<10}  {:>5}  {:>7}  {:<16}  {:>8}  {:<11}  {:>8}  {:<7}  {}  {}'
    print(line.format(*HEADER))
    for texts_of_each in options.sizes:
        for texts in options.texts:
            for row in rows_of(texts, texts_of_each):
                print(line.format(*row), flush=True)
