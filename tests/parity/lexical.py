"""Compares the lexical metrics with the public tools, number by number.

Usage: lexical.py PYTHON [--probe FILE] [--shared FOLDER] [--wordnet FOLDER] [--quick] [--only METRIC ...] [--parts PART ...]
PYTHON is an interpreter that has sacrebleu 2.6.0, rouge-score 0.1.2, nltk, pycocoevalcap 1.2 and cer 1.2.0.
--quick takes 150 lines of each file and 1,500 random segments instead of all lines and 20,000.
--parts: random, en-zh, en-ru, cs-en/raw, cs-en/tok ... zh-en/tok, paired (all of them).
Exits 1 if a statistic, a score (1e-9) or a signature differs; prints what was compared."""
import argparse
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument('python')
parser.add_argument('--probe', default=ROOT / 'build/release/tests/support/lexical_probe')
parser.add_argument('--shared', default=os.environ.get('MARKEVAL_SHARED', ROOT.parent / 'shared'))
parser.add_argument('--wordnet', help='folder with index.noun, data.noun, noun.exc and so on')
parser.add_argument('--quick', action='store_true')
parser.add_argument('--only', nargs='*', default=[])
parser.add_argument('--parts', nargs='*', default=[])
arguments = parser.parse_args()
if pathlib.Path(sys.executable).absolute() != pathlib.Path(arguments.python).absolute():
    os.execv(arguments.python, [arguments.python, *sys.argv])

from lexical_peers import PEERS, paired  # noqa: E402  (needs the public tools)


def probe(metric, options, references, systems, **more):
    request = {'metric': metric, 'options': options, 'references': references, 'systems': systems, **more}
    answer = subprocess.run([arguments.probe], input=json.dumps(request), capture_output=True, text=True)
    if answer.returncode:
        sys.exit(f'{metric} {options}: {answer.stderr}')
    return json.loads(answer.stdout)


def wmt17(kind, pair, lines):
    path = pathlib.Path(arguments.shared) / f'data/wmt17/newstest2017_{kind}/{pair}.tsv.gz'
    rows = [line.rstrip('\n').split('\t') for line in gzip.open(path, 'rt', encoding='utf-8', newline='\n')]
    header, rows = rows[0], rows[1:][:lines]
    references = [[row[header.index('ref')]] for row in rows]
    return references, [[row[c] for row in rows] for c in range(3, len(header))]


def seglevel(pair):
    path = pathlib.Path(arguments.shared) / f'data/wmt17/seglevel/{pair}.tsv'
    rows = [line.rstrip('\n').split('\t') for line in open(path, encoding='utf-8', newline='\n')]
    header, rows = rows[0], rows[1:]
    return [[row[header.index('ref')]] for row in rows], [[row[header.index('hyp')] for row in rows]]


WORDS = ('the a cat sat on mat dog and 3.5 1,000 U.S. don\'t it\'s &quot;hi&quot; &amp;lt; <skipped> 10-20 well-known %50 '
         '\u00c4rger \u00dcber \u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3 \u0130stanbul na\u00efve \u4f60\u597d \u4e16\u754c\u3002 '
         '\u65e5\u672c\u8a9e \u30ab\u30bf\u30ab\u30ca \u041f\u0440\u0438\u0432\u0435\u0442, \u0645\u0631\u062d\u0628\u0627 \u0967\u0968\u0969 \u212aelvin '
         'running runs ran easily relational ... , . ! ? -- ( ) " \' \u2013 \u2014 \u201cquoted\u201d 5. .5 5, ,5 5-').split()
ODD = ([chr(c) for c in range(1, 0x250) if chr(c) not in '\n\r'] +
       [chr(c) for c in (0x301, 0x3a3, 0x3c2, 0x1c5, 0x1e9e, 0x1680, 0x2003, 0x200b, 0x2028, 0x3000, 0xfeff, 0xfffd, 0xffff,
                         0x1f600, 0x10400, 0x1e900, 0x1d7d8, 0x20000, 0x2a6d, 0x2f81, 0x10ffff, 0x661, 0x966, 0xbd, 0x2460,
                         0x3007, 0x3001, 0xff0c, 0xff01, 0x30fb, 0x2018, 0xab, 0x20ac, 0xd7, 0x2212, 0x1fbf0, 0x11f50)])


def random_text(generator):
    kind = generator.random()
    length = generator.choice([0, 1, 2, 3, 5, 8, 13, 21, 40, 70]) if generator.random() < 0.9 else generator.randrange(90)
    if kind < 0.6:
        words = [generator.choice(WORDS) for _ in range(length)]
        return generator.choice([' ', ' ', ' ', '  ', '\t', '\u00a0']).join(words)
    if kind < 0.9:
        return ''.join(generator.choice(ODD if generator.random() < 0.5 else WORDS + [' '] * 20) for _ in range(length))
    return ''.join(chr(generator.choice([generator.randrange(1, 0xd800), generator.randrange(0xe000, 0x110000)]))
                   .replace('\n', ' ') for _ in range(length))


def variant(generator, text):
    """Something like the text: words dropped, doubled, moved, changed."""
    words = text.split(' ')
    for _ in range(generator.randrange(4)):
        action, i = generator.randrange(4), generator.randrange(len(words))
        if action == 0:
            words.insert(generator.randrange(len(words) + 1), generator.choice(WORDS))
        elif action == 1 and len(words) > 1:
            del words[i]
        elif action == 2:
            words[i:i] = words[i:i + generator.randrange(1, 6)]
        else:
            j = generator.randrange(1, 6)
            block = words[i:i + j]
            del words[i:i + j]
            at = generator.randrange(len(words) + 1)
            words[at:at] = block
    return ' '.join(words)


def random_corpus(count, max_references, seed=7):
    generator = random.Random(seed)
    references, system = [], []
    for _ in range(count):
        references.append([random_text(generator) for _ in range(generator.randrange(1, max_references + 1))])
        system.append(variant(generator, references[-1][0]) if generator.random() < 0.7 else random_text(generator))
    return references, [system]


class Comparison:
    def __init__(self):
        self.numbers = self.faults = 0
        self.largest = 0.0

    def fault(self, what):
        self.faults += 1
        if self.faults <= 30:
            print('DIFFERENT', what)

    def equal(self, what, ours, theirs):
        self.numbers += 1
        if ours != theirs:
            self.fault(f'{what}: {ours!r}, public tool {theirs!r}')

    def close(self, what, ours, theirs):
        self.numbers += 1
        difference = abs(ours - theirs)
        if not difference <= 1e-9 or math.isnan(ours):
            self.fault(f'{what}: {ours!r}, public tool {theirs!r}')
        else:
            self.largest = max(self.largest, difference)


def compare(comparison, label, metric, options, references, systems):
    start = time.time()
    ours = probe(metric, options, references, systems)
    ours_seconds, start = time.time() - start, time.time()
    before = comparison.faults
    for s, system in enumerate(systems):
        theirs = PEERS[metric](options, references, system)
        mine = ours['systems'][s]
        where = f'{label} {metric} {options} system {s}'
        if 'signature' in theirs:
            comparison.equal(where + ' signature', ours['signature'], theirs['signature'])
        for name, value in theirs['scores'].items():
            comparison.close(f'{where} {name}', mine[name], value)
        for name, values in theirs['segments'].items():
            for i, value in enumerate(values):
                comparison.close(f'{where} segment {i} {name} {system[i]!r} / {references[i]!r}', mine[name][i], value)
        for i, row in enumerate(theirs.get('statistics', [])):
            comparison.equal(f'{where} segment {i} {system[i]!r} / {references[i]!r}', mine['statistics'][i], row)
    state = 'same' if comparison.faults == before else f'{comparison.faults - before} DIFFERENT'
    print(f'{label}: {metric} {options}: {len(systems)} systems x {len(references)} segments, {state} '
          f'({ours_seconds:.1f} s, public tool {time.time() - start:.1f} s)', flush=True)


def compare_paired(comparison, label, metric, options, references, systems, test, repetitions):
    start = time.time()
    ours = probe(metric, options, references, systems, brief=True, **{'paired_' + test: repetitions})['paired']
    ours_seconds, start = time.time() - start, time.time()
    theirs = paired(metric, options, references, systems, test, repetitions)
    before = comparison.faults
    for s, (mine, expected) in enumerate(zip(ours, theirs, strict=True)):
        for name, value in expected.items():
            what = f'{label} paired {test} {metric} {options} system {s} {name}'
            (comparison.equal if name == 'p_value' else comparison.close)(what, mine.get(name), float(value))
    state = 'same' if comparison.faults == before else f'{comparison.faults - before} DIFFERENT'
    print(f'{label}: paired {test} {metric} {options}: {len(systems)} systems, {state} '
          f'({ours_seconds:.1f} s, public tool {time.time() - start:.1f} s)', flush=True)


BLEU = [{}, {'tokenize': 'intl', 'lowercase': True}, {'tokenize': 'char', 'smooth_method': 'none'},
        {'tokenize': 'zh', 'smooth_method': 'floor'}, {'tokenize': 'none', 'smooth_method': 'add-k', 'effective_order': True},
        {'smooth_method': 'add-k', 'smooth_value': 0.5, 'max_ngram_order': 2}, {'effective_order': True},
        {'smooth_method': 'floor', 'smooth_value': 0.01, 'effective_order': True, 'max_ngram_order': 6}]
CHRF = [{}, {'word_order': 2}, {'word_order': 1, 'lowercase': True, 'beta': 3}, {'whitespace': True, 'eps_smoothing': True},
        {'word_order': 2, 'eps_smoothing': True, 'char_order': 4}]
TER = [{}, {'normalized': True}, {'normalized': True, 'no_punct': True, 'asian_support': True, 'case_sensitive': True},
       {'no_punct': True}, {'no_punct': True, 'asian_support': True}, {'case_sensitive': True}]
ROUGE = [{}, {'stem': True}]
OPTIONS = {'bleu': BLEU, 'chrf': CHRF, 'ter': TER, 'rouge1': ROUGE, 'rouge2': ROUGE, 'rougeL': ROUGE, 'rougeLsum': ROUGE,
           'meteor': [{}, {'alpha': 0.8, 'beta': 2.0, 'gamma': 0.3}], 'nist': [{}, {'n': 3}], 'cider': [{}, {'sigma': 3.0}],
           'character': [{}], 'tfidf': [{}]}
if arguments.wordnet:
    OPTIONS['meteor'].append({'wordnet': arguments.wordnet})
PAIRS = 'cs-en de-en fi-en lv-en ru-en tr-en zh-en'.split()


def wanted(part):
    return not arguments.parts or part in arguments.parts


def main():
    comparison = Comparison()
    chosen = arguments.only or list(OPTIONS)
    lines, count = (150, 1500) if arguments.quick else (None, 20000)
    corpora = [('random, 1 reference', *random_corpus(count, 1)), ('random, 1-3 references', *random_corpus(count // 4, 3, 8)),
               ('en-zh', *seglevel('en-zh')), ('en-ru', *seglevel('en-ru'))]
    generator = random.Random(9)
    texts = [['\n'.join(random_text(generator) for _ in range(generator.randrange(1, 5))) for _ in range(count // 10)]
             for _ in range(2)]
    with_newlines = 'random, several sentences', [[text] for text in texts[0]], [
        [variant(generator, a) if generator.random() < 0.5 else b for a, b in zip(*texts)]]
    for metric in chosen:
        for options in OPTIONS[metric]:
            for label, references, systems in corpora + ([with_newlines] if metric == 'rougeLsum' else []):
                if wanted(label.split(',')[0]):
                    compare(comparison, label, metric, options, references, systems)
    for pair in PAIRS:
        for kind in [kind for kind in ('raw', 'tok') if wanted(f'{pair}/{kind}')]:
            references, systems = wmt17(kind, pair, lines)
            for metric in chosen:
                for options in OPTIONS[metric][:2 if metric == 'chrf' else 1]:
                    compare(comparison, f'WMT17 {pair} {kind}', metric, options, references, systems)
    references, systems = wmt17('raw', 'de-en', 300 if arguments.quick else None)
    for metric in [name for name in chosen if name in ('bleu', 'chrf', 'ter') and wanted('paired')]:
        for test, repetitions in ('bs', 1000), ('ar', 1000 if arguments.quick else 10000):
            lines = 300 if metric == 'ter' else None  # the public tool takes minutes
            compare_paired(comparison, 'WMT17 de-en raw', metric, {}, references[:lines], [s[:lines] for s in systems], test,
                           repetitions)
    print(f'{comparison.numbers} numbers compared, {comparison.faults} different, largest difference {comparison.largest:.1e}')
    return 1 if comparison.faults else 0


if __name__ == '__main__':
    sys.exit(main())
