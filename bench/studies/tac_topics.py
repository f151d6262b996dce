"""TAC topic by topic, for metrics of which a whole year takes hours: what is left of each without people's summaries?

    python3 bench/studies/tac_topics.py --program build/release/markeval --data DATA --work FOLDER [--topics 6] [--part 2009] [-m METRIC ...]

Runs `markeval experiment tac` for one topic of each year after the other and keeps its answer in FOLDER: a run that was stopped goes
on where it was. Then prints, for the first topics of each year, the mean over topics as the study has it, and its standard error.
--topics 0 runs nothing and prints what is there. Weights of words (idf, of moverscore) are those of the topic, in the study those of the
year. DATA: docs/reference/data.md."""
import argparse
import gzip
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

METRICS = ['me:samples=word,scope=segment', 'impar:samples=word,scope=segment', 'prd:samples=word,scope=segment',
           'fid:samples=word,scope=segment', 'moverscore', 'bertscore:multi=mean', 'match:multi=mean', 'chrf++:multi=mean',
           'rouge1:multi=mean,stem=yes']
COLUMNS = ['responsiveness pearson', 'responsiveness spearman', 'responsiveness kendall',
           'pyramid pearson', 'pyramid spearman', 'pyramid kendall']

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--work', required=True, type=pathlib.Path)
parser.add_argument('--topics', type=int, default=6)
parser.add_argument('--part', nargs='+', default=['2009'])
parser.add_argument('-m', '--metric', nargs='+', default=METRICS)
parser.add_argument('--model', default='all-MiniLM-L6-v2')
parser.add_argument('--without', nargs='+', default=[], help='metrics to leave out')
options = parser.parse_args()
metrics = [metric for metric in options.metric if metric.partition(':')[0] not in options.without]


def answer_of(part, number):
    """Of the topic with this number, from the folder or made now; None where the year has no such topic."""
    file = options.work / f'{part}-{number:02}.json'
    if file.exists():
        return json.loads(file.read_text(encoding='utf8'))
    if number >= options.topics:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'tac').mkdir()
        for kind in 'references', 'summaries':
            name = f'tac/tac{part[2:]}_{kind}.jsonl'
            with gzip.open(options.data / f'{name}.gz', 'rt', encoding='utf8') as lines:
                rows = [(json.loads(line)['topic'], line) for line in lines]
            topics = sorted({topic for topic, _ in rows})
            if number >= len(topics):
                return None
            (pathlib.Path(folder) / name).write_text(''.join(line for topic, line in rows if topic == topics[number]), encoding='utf8')
        done = subprocess.run([options.program, 'experiment', 'tac', '--data', folder, '--part', part, '--format', 'json', '-q', '--model',
                               options.model, '-m', *metrics], check=True, stdout=subprocess.PIPE, text=True)
    options.work.mkdir(parents=True, exist_ok=True)
    file.write_text(done.stdout, encoding='utf8')
    return json.loads(done.stdout)


def rows_of(answers):
    """By title of a table and name of a metric: the coefficients of each topic, a list for each column."""
    found = {}
    for answer in answers:
        for table in answer['tables']:
            if 'pyramid pearson' not in table['columns'] or 'source' not in table['columns']:
                continue
            places = [table['columns'].index(column) for column in COLUMNS]
            for row in table['rows']:
                if row[table['columns'].index('source')] != 'markeval':
                    continue
                values = found.setdefault(table['title'], {}).setdefault(row[0], [[] for _ in COLUMNS])
                for place, of_column in zip(places, values):
                    if row[place] is not None:
                        of_column.append(row[place])
    return found


def error_of(values):
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def show(title, rows, summary):
    cells = [[summary(values) if values else None for values in row] for row in rows.values()]
    lines = [['metric', *COLUMNS], *([name, *('-' if cell is None else f'{cell:.3f}' for cell in row)] for name, row in zip(rows, cells))]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(title)
    for name, *values in lines:
        print('  '.join([name.ljust(widths[0]), *(text.rjust(width) for text, width in zip(values, widths[1:]))]))
    print()


answers = {part: [] for part in options.part}
for number in range(max(options.topics, 100)):
    for part in options.part:
        answer = answer_of(part, number)
        if answer:
            answers[part].append(answer)
print('Metrics of words and judgements of summaries, topic by topic (TAC)\n')
for part in options.part:
    for title, rows in rows_of(answers[part]).items():
        title += f', {len(answers[part])} topics'
        show(f'{title}: mean', rows, statistics.fmean)
        show(f'{title}: standard error', rows, error_of)
