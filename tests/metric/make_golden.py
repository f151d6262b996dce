"""Writes tests/metric/golden: MoverScore and its hard form from the printed equations of Zhao et al. 2019, with NumPy and SciPy,
and word error rates by jiwer.

    python3 tests/metric/make_golden.py     # with numpy, scipy and jiwer installed; the files name their versions

Nothing here calls this project: Eq. 1 (an n-gram is the sum of its words, weighed by idf), Eq. 2 (its mass), Eq. 3 to 5 (the
concatenated power means of several layers; one layer needs none), and the transport problem as a linear program."""
import importlib.metadata
import pathlib

import jiwer
import numpy as np
import scipy
from scipy.optimize import linprog

HERE = pathlib.Path(__file__).parent / 'golden'
WORDS = 'abcdefgh'
LAYERS, WIDTH = 6, 3  # layer 0 stands for static vectors, 1 to 5 for those of an encoder
PAIRS = [('a b c d', 'a b d e'), ('b f g', 'f b h g'), ('c a h e a', 'h e'), ('d g f c', 'c f g d')]


def idf(word):
    texts = [set(reference.split()) for reference, _ in PAIRS]
    return np.log((len(texts) + 1) / (sum(word in text for text in texts) + 1))


def vectors(layers):
    """E(x) of every word: one layer as it is, several as their minimum, mean and maximum side by side (Eq. 4, 5)."""
    stack = np.array([STATES[layer] for layer in layers])
    if len(layers) == 1:
        return stack[0]
    return np.concatenate([stack.min(0), stack.mean(0), stack.max(0)], axis=1)


def ngrams(text, n, weigh, layers):
    """Vectors (Eq. 1) and masses (Eq. 2)."""
    words = text.split()
    n = len(words) if n == 'sentence' else int(n)
    table = vectors(layers)
    rows, masses = [], []
    for start in range(len(words) - n + 1):
        window = words[start:start + n]
        rows.append(sum(weigh(word) * table[WORDS.index(word)] for word in window))
        masses.append(sum(weigh(word) for word in window))
    return np.array(rows), np.array(masses) / sum(masses)


def soft(text, reference, *how):
    (x, f), (y, g) = ngrams(text, *how), ngrams(reference, *how)
    cost = np.linalg.norm(x[:, None] - y[None], axis=2)
    rows, columns = cost.shape
    equal = np.zeros((rows + columns, rows * columns))
    for i in range(rows):
        equal[i, i * columns:(i + 1) * columns] = 1
    for j in range(columns):
        equal[rows + j, j::columns] = 1
    found = linprog(cost.ravel(), A_eq=equal, b_eq=np.concatenate([f, g]), method='highs')
    return [1 - found.fun]


def hard(text, reference, *how):
    (x, f), (y, g) = ngrams(text, *how), ngrams(reference, *how)
    cost = np.linalg.norm(x[:, None] - y[None], axis=2)
    precision, recall = 1 - f @ cost.min(1), 1 - g @ cost.min(0)
    worse = min(precision, recall)
    return [precision, recall, 2 * precision * recall / (precision + recall) if worse > 0 else worse]


def mover_lines():
    yield f'# made by tests/metric/make_golden.py, numpy {np.__version__}, scipy {scipy.__version__}'
    for name, compute in ('moverscore', soft), ('hmd', hard):
        for source, option, layers in (('static', '', [0]), ('layers', ',layers=3', [3]), ('layers', '', [1, 2, 3, 4, 5])):
            for n in '1', '2', 'sentence':
                for use, weigh in ('no', lambda word: 1.0), ('yes', idf):
                    for reference, text in PAIRS:
                        values = compute(text, reference, n, weigh, layers)
                        request = f'{name}:compat=paper,n={n},idf={use}{option}'
                        yield '\t'.join([source, request, reference, text, *(f'{value:.12f}' for value in values)])


TEXTS = [('the cat sat on the mat', 'the cat sat on mat'), ('the cat sat on the mat', 'on the mat the cat sat down'),
         ('a  b\tc', ' a b c '), ('one two', ''), ('', 'three words here'), ('', ''), ('Größe zählt', 'größe zahlt'),
         ('he said no', 'no he said so he did'), ('x y z', 'x y z')]


def per(reference, text):
    matches = sum(min(reference.count(word), text.count(word)) for word in set(reference))
    return max(len(reference), len(text)) - matches


def cder(reference, text):
    """The table of Leusch et al. 2006: a row for each reference word, a long jump costs 1."""
    table = [[0] + [1] * len(text)]
    for word in reference:
        row = []
        for i in range(len(text) + 1):
            ways = [table[-1][i] + 1]
            if i > 0:
                ways += [row[i - 1] + 1, table[-1][i - 1] + (text[i - 1] != word)]
            row.append(min(ways))
        least = min(row)
        table.append([min(cost, least + 1) for cost in row])
    return table[-1][-1]


def rate_lines():
    version = importlib.metadata.version('jiwer')
    yield f'# metric, reference, text, score; made by tests/metric/make_golden.py: wer and cer by jiwer {version}, per and cder from their definitions'
    for reference, text in TEXTS:
        words, other = (jiwer.wer_default([side])[0] for side in (reference, text))
        values = {'wer': jiwer.wer(reference, text), 'cer': jiwer.cer(reference, text),
                  'per': per(words, other) / max(len(words), 1), 'cder': cder(words, other) / max(len(words), 1)}
        for metric, value in values.items():
            yield '\t'.join([metric, reference.replace('\t', '\\t'), text, f'{value:.12f}'])
    references, texts = zip(*TEXTS)
    yield f'corpus wer\t\t\t{jiwer.wer(list(references), list(texts)):.12f}'
    yield f'corpus cer\t\t\t{jiwer.cer(list(references), list(texts)):.12f}'


STATES = np.round(np.random.default_rng(7).normal(size=(LAYERS, len(WORDS), WIDTH)), 2)
HERE.mkdir(exist_ok=True)
(HERE / 'vectors.tsv').write_text(''.join(
    '\t'.join([str(layer), word, *(f'{value:.2f}' for value in STATES[layer][place])]) + '\n'
    for layer in range(LAYERS) for place, word in enumerate(WORDS)))
(HERE / 'mover.tsv').write_text('\n'.join(mover_lines()) + '\n')
(HERE / 'edit_rates.tsv').write_text('\n'.join(rate_lines()) + '\n', encoding='utf8')
