"""Regressors in the manner of S3 (summaries) and RUSE (translations) as blends of metrics: trained on one year, judged on the next.

    python3 bench/studies/blends.py --program build/release/markeval --data DATA --work FOLDER [--only s3|ruse]

S3: TAC 2008, systems' summaries, each with one of the four references in turn; judged on TAC 2009. RUSE: WMT16 into English, the
penalty chosen on WMT15; judged on WMT17. DATA as docs/reference/data.md says. The figures: docs/reference/metrics/trained.md."""
import argparse
import gzip
import json
import pathlib
import subprocess

S3 = ['rouge1.recall:multi=mean,stem=yes', 'rouge2.recall:multi=mean,stem=yes', 'rougeL.recall:multi=mean,stem=yes',
      'rougeWE:multi=mean,embeddings=glove.txt', 'tfidf:multi=mean']
RUSE = ['moverscore:n=sentence', 'bertscore.precision', 'bertscore.recall', 'chrf']

parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
parser.add_argument('--program', required=True, type=pathlib.Path)
parser.add_argument('--data', required=True, type=pathlib.Path)
parser.add_argument('--work', required=True, type=pathlib.Path)
parser.add_argument('--only', choices=['s3', 'ruse'])
options = parser.parse_args()
data = options.data.resolve()
program = options.program.resolve()
options.work.mkdir(parents=True, exist_ok=True)


def run(*words):
    subprocess.run([program, *words], check=True, cwd=options.work, stdout=None if words[0] == 'experiment' else subprocess.DEVNULL)


def lines(name):
    with gzip.open(data / 'tac' / name, 'rt', encoding='utf8') as file:
        return [json.loads(line) for line in file]


def write_summaries(file):
    """Of each topic: its systems' summaries with its references, the next reference for each next line."""
    references = {}
    for line in lines('tac08_references.jsonl.gz'):
        references.setdefault(line['topic'], []).append(line['text'])
    rows = ['ref\thyp\tpyramid']
    systems = (line for line in lines('tac08_summaries.jsonl.gz') if not line['human_written'] and line['text'].strip())
    for number, line in enumerate(systems):
        texts = references[line['topic']]
        rows.append('\t'.join([*(' '.join(text.split()) for text in (texts[number % len(texts)], line['text'])), str(line['pyr_score'])]))
    file.write_text('\n'.join(rows) + '\n', encoding='utf8')


def judged(year, pairs):
    return [data / f'wmt{year}/seglevel/{pair}-en.tsv' for pair in pairs.split()]


columns = ['--ref', 'ref', '--hyp', 'hyp']
if options.only != 'ruse':
    write_summaries(options.work / 'summaries.tsv')
    with gzip.open(next((data / 'glove').glob('*.txt.gz')), 'rb') as vectors:
        (options.work / 'glove.txt').write_bytes(vectors.read())
    run('train', '--arch', 'blend', '-m', *S3, '--train', 'summaries.tsv', *columns, '--gold', 'pyramid', '-o', 's3-like')
    run('experiment', 'tac', '--data', data, '--part', '2009', '-m', 'blend:weights=s3-like', 'rouge1:multi=mean,stem=yes')
if options.only != 's3':
    run('train', '--arch', 'blend', '-m', *RUSE, '--train', *judged(16, 'cs de fi ro ru tr'), '--valid', *judged(15, 'cs de fi ru'),
        *columns, '--gold', 'human', '-o', 'ruse-like')
    run('experiment', 'wmt17', '--data', data, '-m', 'blend:weights=ruse-like', 'bertscore')
