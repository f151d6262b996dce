"""Do set metrics put worse texts below people, and never other people? And how do their numbers move with the size?

    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA [--sizes 300 1000 2000] [--seeds 1 2 3] [--texts captions]
    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA --curve
    python3 bench/studies/beside_people.py --program build/release/markeval --data DATA --words

Two kinds of text. News (wmt17): references of newstest2017 into English in two disjoint halves, machine translations of yet other
lines, machine translations of the reference's own lines, and word salad: the second half with the words of each line in random order.
Captions (coco, lm_samples): first captions of disjoint photographs in two halves, samples of language models, word salad. The captions
`human` of the file stand apart as `other-pool`: they are another selection (3,365 different words in 5,000; the four lists of
references have 3,668 to 3,744 each), so a metric that calls them farther is not wrong.
Prints what stands beside people at one size, then two readings. By verdict: other people are called farther than people, or a worse
system closer. By value: the main number of a worse system is at or above that of people; where the verdict is alike, the output gives
such numbers no order. Fails by verdict, and where a language model stands at or above people by value, fid:samples=word misses word
salad, or the output lacks the sentence that sentence vectors do not notice it. Machine translations may be alike: of a few hundred
texts sentence vectors cannot tell them from people's, and the output tells so.
--curve: people against people over sizes, the table
of docs/reference/metrics/me.md. --words: words as samples beside people, from 400 texts of each kind. Exit status 77 where the data are not there."""
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
PEOPLE = ['people', 'other-pool']
MODELS = ['drnn', 'ssm-crf', '2-gram', 'seqgan-20e', 'seqgan-200e']

parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--sizes', nargs='+', type=int, default=[300, 1000, 2000])
parser.add_argument('--json', type=pathlib.Path, help='a file that gains a line of JSON for each run')
parser.add_argument('--metrics', nargs='+', default=SENTENCES + WORDS)
parser.add_argument('--seeds', nargs='+', type=int, default=[1])
parser.add_argument('--texts', nargs='+', choices=['news', 'captions'], default=['news', 'captions'])
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


def news_sets(size, seed=1):
    rows, draw = news(random.Random(seed)), random.Random(size)
    first, second, third = rows[:size], rows[size:2 * size], rows[2 * size:3 * size]
    return [text for text, _ in first], {
        'people': [text for text, _ in second],
        'machine': [machine for _, machine in third],
        'machine-same-lines': [machine for _, machine in first],
        'salad': [scrambled(text, draw) for text, _ in second]}


def caption_sets(size, seed=1):
    rows, draw = captions(random.Random(seed)), random.Random(size)
    people = [caption for caption, _ in rows[size:2 * size]]
    return [caption for caption, _ in rows[:size]], {
        'people': people, 'other-pool': [human for _, human in rows[size:2 * size]],
        **{model: samples(model, size, seed) for model in MODELS}, 'salad': [scrambled(text, draw) for text in people]}


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


def check(kind, sets, size, seed, by_value):
    """The rows of a table, and what went wrong."""
    reference, systems = sets
    report = json.loads(score(reference, systems, options.metrics, 'json'))
    wrong = []
    if options.json:
        with options.json.open('a', encoding='utf-8') as lines:
            lines.write(json.dumps({'kind': kind, 'size': size, 'seed': seed, 'ceilings': report['ceilings']}) + '\n')
    for ceiling in report['ceilings']:
        main = next(iter(ceiling['scores'])) if ceiling['metric'] != 'prdc' else 'coverage'
        cells = []
        for system in ceiling['at_one_size']:
            name, standing = system['system'], system['standing']
            cells.append(f"{name} {system['scores'][main]:.4f}{'' if standing == 'alike' else ' (' + standing + ')'}")
            above = (system['scores'][main] >= ceiling['scores'][main]) != (ceiling['metric'] == 'fid')
            where = f'{kind} {size} seed {seed} {ceiling["request"]}: {name}'
            for result, found in system['standings'].items():
                if name == 'people' and found == 'farther':
                    wrong.append(f'{where}: other people are called farther than people by {result}')
            if name not in PEOPLE and standing == 'closer':
                wrong.append(f'{where} is called closer than people')
            if name not in PEOPLE:
                by_value.setdefault((kind, size, ceiling['request'], name), []).append((above, standing))
            if name in MODELS and above:
                wrong.append(f'{where} stands at or above people')
            if name == 'salad' and 'fid:samples=word' == ceiling['request'] and standing != 'farther':
                wrong.append(f'{where} is not called farther')
        print(f"| {kind} | {size} | {seed} | {ceiling['texts']} | `{ceiling['request']}` | {ceiling['scores'][main]:.4f} | {', '.join(cells)} |",
              flush=True)
    if not any('miss scrambled words' in sentence for sentence in report['unnoticed']):
        wrong.append(f'{kind} {size}: the output does not carry the sentence on scrambled words')
    return wrong


def curve():
    """People against people: captions of disjoint photographs, and news."""
    print('\nMain results of people against people, by the number of texts in each set')
    rows = [['texts', *(f'{kind} {metric}' for kind in ('captions', 'news') for metric in SENTENCES)]]
    for size in (100, 200, 400, 800, 1600):
        cells = []
        for sets in (caption_sets, news_sets):
            reference, systems = sets(size)
            people = systems.get('other-pool', systems['people'])  # as the table was made first
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
    for kind, sets in ('news', news_sets), ('captions', caption_sets):
        reference, systems = sets(400)
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


if not (options.data / 'wmt17/newstest2017_raw').is_dir() or not (options.data / 'lm_samples').is_dir():
    print(f'{options.data}: no wmt17, coco and lm_samples')
    sys.exit(77)
if options.curve or options.words:
    (curve if options.curve else words)()
    sys.exit()
print('| texts | of each set | seed | at one size | metric | people | others |\n|---|--:|--:|--:|---|--:|---|')
failures, above_people = [], {}
for number in options.sizes:
    for draws in options.seeds:
        for texts in options.texts:
            sets_of = {'news': news_sets, 'captions': caption_sets}[texts]
            failures += check(texts, sets_of(number, draws), number, draws, above_people)
print('\nBy value: worse systems at or above people')
for (texts, number, metric, name), seen in above_people.items():
    if any(above for above, _ in seen):
        standings = sorted({standing for above, standing in seen if above})
        print(f'{texts} {number} {metric}: {name}, {sum(above for above, _ in seen)} of {len(seen)} ({", ".join(standings)})')
print('\nBy verdict')
for failure in failures:
    print(failure)
sys.exit(bool(failures))
