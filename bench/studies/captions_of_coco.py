"""METEOR and SPICE of the challenge COCO 2015 and people: two rows of Table 4 of MoverScore (Zhao et al. 2019).

    python3 bench/studies/captions_of_coco.py --program build/release/markeval --data DATA

The scores of the teams are those of the challenge's page; captions are not needed. Correlations by `markeval correlate`, with the row
of people and without it. DATA: docs/reference/data.md."""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

GOLD = ['M1', 'M2']
METRICS = {'METEOR': 'c5_METEOR', 'SPICE': 'c5_SPICE'}
PAPER = {'METEOR': (0.606, 0.594), 'SPICE': (0.759, 0.750)}

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
options = parser.parse_args()


def agreement(rows):
    """Pearson of each metric with M1 and M2, and how many teams have all numbers."""
    rows = [row for row in rows if all(row[name] for name in (*GOLD, *METRICS.values()))]
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / 'teams.tsv'
        with table.open('w', encoding='utf8', newline='') as out:
            writer = csv.DictWriter(out, rows[0].keys(), delimiter='\t', lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
        done = subprocess.run([options.program, 'correlate', table, '--gold', *GOLD, '--predicted', *METRICS.values(), '--coefficient',
                               'pearson', '-q', '--format', 'json'], check=True, capture_output=True, text=True)
    return json.loads(done.stdout), len(rows)


with (options.data / 'coco/coco2015_human_and_metrics.tsv').open(encoding='utf8', newline='') as lines:
    teams = list(csv.DictReader(lines, delimiter='\t'))
print('METEOR and SPICE of the teams of the COCO challenge 2015, and people (MoverScore, Table 4)\n')
print('Pearson with the judgements M1 and M2, five references')
rows = [['metric', 'rows', *GOLD, *(f'{gold}, paper' for gold in GOLD)]]
for chosen, label in ((teams, ''), ([row for row in teams if row['team'] != 'Human'], ' without people')):
    found, count = agreement(chosen)
    values = {(result['predicted'], result['gold']): result['pearson'] for result in found['results']}
    for metric, column in METRICS.items():
        papers = ('-', '-') if label else (f'{value:.3f}' for value in PAPER[metric])
        rows.append([metric + label, str(count), *(f'{values[column, gold]:.3f}' for gold in GOLD), *papers])
widths = [max(map(len, column)) for column in zip(*rows)]
for row in rows:
    print('  '.join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]))
