"""The public tools behind one interface: PEERS[metric](options, references, system) -> scores, segments, statistics."""
import logging

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


def paired(metric, options, references, systems, test, repetitions):
    """sacrebleu's paired test: [{'score', 'p_value', 'mean', 'ci'}] by system."""
    kinds = {'bleu': BLEU, 'chrf': CHRF, 'ter': TER}
    _, scores = PairedTest([(str(i), system) for i, system in enumerate(systems)], {'m': kinds[metric](**options)},
                           transposed(references), test_type=test, n_samples=repetitions)()
    (results,) = [values for name, values in scores.items() if name != 'System']
    return [{key: value for key, value in vars(result).items() if value is not None} for result in results]


PEERS = {'bleu': sacrebleu_peer(BLEU), 'chrf': sacrebleu_peer(CHRF), 'ter': sacrebleu_peer(TER),
         **{kind: rouge_peer(kind) for kind in ('rouge1', 'rouge2', 'rougeL', 'rougeLsum')}}
