"""The public tools behind one interface: PEERS[metric](options, references, system) -> scores, segments, statistics."""
import io
import logging
import warnings

import nltk.data
import numpy
from cer import calculate_cer
from nltk.corpus.reader import WordNetCorpusReader
from nltk.translate.meteor_score import meteor_score
from nltk.translate.nist_score import corpus_nist
from pycocoevalcap.cider.cider import Cider
from rouge_score import rouge_scorer
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

logging.getLogger('sacrebleu').setLevel(logging.ERROR)


def transposed(references):
    """By segment -> by stream, None where a segment has fewer references: sacrebleu's way of varying numbers."""
    streams = max(len(segment) for segment in references)
    return [[segment[r] if r < len(segment) else None for segment in references] for r in range(streams)]


def sacrebleu_peer(metric_class):
    def score(options, references, system):
        metric = metric_class(**options)
        statistics = metric._extract_corpus_statistics(system, transposed(references))
        signature = metric.get_signature().format()
        head, middle = signature.split('|')[0], signature.split('|')[1:-1]
        assert head.startswith('nrefs:') and signature.split('|')[-1].startswith('version:')
        return {'scores': {'score': metric._aggregate_and_compute([list(row) for row in statistics]).score},
                'segments': {'segments': [metric._aggregate_and_compute([list(row)]).score for row in statistics]},
                'statistics': statistics, 'signature': '|'.join(middle)}
    return score


def rouge_peer(kind):
    def score(options, references, system):
        scorer = rouge_scorer.RougeScorer([kind], use_stemmer=options.get('stem', False))
        scores = [scorer.score_multi(segment, text)[kind] for segment, text in zip(references, system)]
        segments = {'precision_segments': [s.precision for s in scores], 'recall_segments': [s.recall for s in scores],
                    'f1_segments': [s.fmeasure for s in scores]}
        return {'scores': {name[:-9]: sum(values) / len(values) for name, values in segments.items()}, 'segments': segments}
    return score


def means(values):
    values = [float(value) for value in values]
    return {'scores': {'score': sum(values) / len(values)}, 'segments': {'score_segments': values}}


class NoWordNet:
    """Words without synonyms, so that nltk's METEOR runs without its data."""

    def synsets(self, word):
        return []


class WordNetFolder(WordNetCorpusReader):
    """nltk's reader on a plain WordNet folder such as Debian's, which lacks the list of lexicographer files."""

    def open(self, file):
        return io.StringIO('') if file == 'lexnames' else super().open(file)

    def map_wn(self, version='wordnet'):
        return {}  # between versions of WordNet: not needed here

    def __init__(self, folder):
        nltk.data.path.append(folder)  # it reads only below its data folders
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            super().__init__(folder, None)
        self._lexnames = [''] * 64


WORDNETS = {}


def meteor_peer(options, references, system):
    options = dict(options)
    folder = options.pop('wordnet', None)
    if folder not in WORDNETS:
        WORDNETS[folder] = WordNetFolder(folder) if folder else NoWordNet()
    return means([meteor_score([reference.split() for reference in segment], text.split(), wordnet=WORDNETS[folder], **options)
                  for segment, text in zip(references, system)])


def nist_peer(options, references, system):
    words = [[reference.split() for reference in segment] for segment in references]
    return {'scores': {'score': corpus_nist(words, [text.split() for text in system], **options)}, 'segments': {}}


def cider_peer(options, references, system):
    score, scores = Cider(**options).compute_score(dict(enumerate(references)), {i: [text] for i, text in enumerate(system)})
    return {'scores': {'score': float(score)}, 'segments': {'score_segments': [float(value) for value in scores]}}


def character_peer(options, references, system):
    """The tool takes one reference and divides by its length: the best of several, and our rule for an empty one."""
    def one(text, reference):
        if not reference.split():
            return 1.0 if text.split() else 0.0
        return calculate_cer(text.split(), reference.split())
    return means([min(one(text, reference) for reference in segment) for segment, text in zip(references, system)])


def tfidf_peer(options, references, system):
    """scikit-learn's formula with its tokeniser replaced by str.split(), in plain NumPy."""
    documents = [reference.lower().split() for segment in references for reference in segment]
    vocabulary = {word: i for i, word in enumerate(dict.fromkeys(word for words in documents for word in words))}
    frequency = numpy.zeros(len(vocabulary))
    for words in documents:
        for word in set(words):
            frequency[vocabulary[word]] += 1
    idf = numpy.log((1 + len(documents)) / (1 + frequency)) + 1

    def vector(text):
        values = {}
        for word in text.lower().split():
            if word in vocabulary:
                values[word] = values.get(word, 0.0) + idf[vocabulary[word]]
        norm = sum(value * value for value in values.values()) ** 0.5
        return {word: value / norm for word, value in values.items()}

    def cosine(a, b):
        return sum(value * b.get(word, 0.0) for word, value in a.items())
    return means([max(cosine(vector(text), vector(reference)) for reference in segment)
                  for segment, text in zip(references, system)])


def paired(metric, options, references, systems, test, repetitions):
    """sacrebleu's paired test: [{'score', 'p_value', 'mean', 'ci'}] by system."""
    kinds = {'bleu': BLEU, 'chrf': CHRF, 'ter': TER}
    _, scores = PairedTest([(str(i), system) for i, system in enumerate(systems)], {'m': kinds[metric](**options)},
                           transposed(references), test_type=test, n_samples=repetitions)()
    (results,) = [values for name, values in scores.items() if name != 'System']
    return [{key: value for key, value in vars(result).items() if value is not None} for result in results]


PEERS = {'meteor': meteor_peer, 'nist': nist_peer, 'cider': cider_peer, 'character': character_peer, 'tfidf': tfidf_peer,
         'bleu': sacrebleu_peer(BLEU), 'chrf': sacrebleu_peer(CHRF), 'ter': sacrebleu_peer(TER),
         **{kind: rouge_peer(kind) for kind in ('rouge1', 'rouge2', 'rougeL', 'rougeLsum')}}
