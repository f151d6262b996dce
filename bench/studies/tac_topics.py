"""TAC with the metrics that take longest, on the first topics of each year: what is left of each without people's summaries?

    python3 bench/studies/tac_topics.py --program build/release/markeval --data DATA [--topics 6] [--part 2009] [-m METRIC ...]

Prints what `markeval experiment tac` prints for these topics. DATA: docs/reference/data.md."""
import argparse
import gzip
import json
import pathlib
import subprocess
import tempfile

METRICS = ['me:samples=word,scope=segment', 'impar:samples=word,scope=segment', 'prdc:samples=word,scope=segment',
           'prd:samples=word,scope=segment', 'fid:samples=word,scope=segment', 'moverscore', 'moverscore:n=2', 'hmd',
           'bertscore:multi=mean', 'match:multi=mean', 'chrf++:multi=mean', 'rouge1:multi=mean,stem=yes']

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--topics', type=int, default=6)
parser.add_argument('--part', nargs='+', default=['2009'])
parser.add_argument('-m', '--metric', nargs='+', default=METRICS)
options = parser.parse_args()

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / 'tac').mkdir()
    for part in options.part:
        for kind in 'references', 'summaries':
            name = f'tac/tac{part[2:]}_{kind}.jsonl'
            with gzip.open(options.data / f'{name}.gz', 'rt', encoding='utf8') as file:
                lines = list(file)
            topics = sorted({json.loads(line)['topic'] for line in lines})[:options.topics]
            chosen = [line for line in lines if json.loads(line)['topic'] in topics]
            (pathlib.Path(folder) / name).write_text(''.join(chosen), encoding='utf8')
    words = [word for part in options.part for word in ('--part', part)]
    subprocess.run([options.program, 'experiment', 'tac', '--data', folder, *words, '-m', *options.metric], check=True)
