"""Makes compare.tsv: sacrebleu's intervals and p-values for the systems of newstest2017 de-en (WMT17, raw files).

Usage: make_compare.py DE_EN_TSV_GZ [METRIC ...] > compare.tsv, with an interpreter that has sacrebleu 2.6.0. The numbers are the public
tool's; the texts are not copied. TER: the first 300 lines, for the public tool takes minutes."""
import gzip
import logging
import sys

import numpy
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

logging.disable(logging.WARNING)
assert sacrebleu.__version__ == '2.6.0'
rows = [line.rstrip('\n').split('\t') for line in gzip.open(sys.argv[1], 'rt', encoding='utf-8', newline='\n')]
header, rows = rows[0], rows[1:]
BASELINE = 'SYSTRAN.4846'  # some systems are close to it, so that p-values are not all the smallest there is
columns = sorted(range(3, len(header)), key=lambda c: header[c] != BASELINE)
print(f'# sacrebleu {sacrebleu.__version__}, numpy {numpy.__version__}: paired bootstrap (1,000), approximate randomisation (10,000)')
print('metric\tlines\tsystem\tscore\tmean\thalf_width\tp_bootstrap\tp_randomisation')
for name, metric, lines in ('bleu', BLEU, len(rows)), ('chrf', CHRF, len(rows)), ('ter', TER, 300):
    if sys.argv[2:] and name not in sys.argv[2:]:
        continue
    references = [[row[header.index('ref')] for row in rows[:lines]]]
    systems = [(header[c], [row[c] for row in rows[:lines]]) for c in columns]
    found = {}
    for test in 'bs', 'ar':
        _, results = PairedTest(systems, {name: metric(references=references)}, None, test_type=test)()
        found[test] = next(value for key, value in results.items() if key != 'System')
    for (system, _), bs, ar in zip(systems, found['bs'], found['ar'], strict=True):
        values = [bs.score, bs.mean, bs.ci, bs.p_value, ar.p_value]
        print('\t'.join([name, str(lines), system] + ['-' if v is None else repr(float(v)) for v in values]), flush=True)
