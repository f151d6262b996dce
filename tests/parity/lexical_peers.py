"""The public tools behind one interface: PEERS[metric](options, references, system) -> scores, segments, statistics."""
from sacrebleu.metrics import BLEU, CHRF, TER


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


PEERS = {'bleu': sacrebleu_peer(BLEU), 'chrf': sacrebleu_peer(CHRF), 'ter': sacrebleu_peer(TER)}
