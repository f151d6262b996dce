"""The same bits on every CPU: vectors, scores and a training on the example texts, for every instruction set this CPU
has, against the digests in same_bits.json. With --update they are written anew: read the changelog's rule on changed
scores before you commit that. With --wmt17 FOLDER the first 200 segments of de-en are taken as well.
Exit code 77 where no model is on this machine."""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ISAS = ['portable', 'portable_fma', 'avx2', 'avx512', 'avx512_vnni', 'avx512_bf16', 'amx', 'neon', 'neon_dotprod',
        'neon_i8mm']
METRICS = ['bertscore', 'moverscore', 'moverscore:n=2', 'hmd', 'me:samples=word', 'me', 'prd:clusters=5,runs=2', 'fid']

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--examples', required=True)
parser.add_argument('--models', required=True, help='where models are if MARKEVAL_MODELS does not say')
parser.add_argument('--wmt17', default='', help='the folder wmt17/seglevel of the data')
parser.add_argument('--isas', nargs='+', default=ISAS)
parser.add_argument('--update', action='store_true')
options = parser.parse_args()
golden_path = pathlib.Path(__file__).parent / 'same_bits.json'
golden = json.loads(golden_path.read_text(encoding='utf8')) if golden_path.exists() else {}
models = pathlib.Path(os.environ.get('MARKEVAL_MODELS', options.models))


def run(isa, *words):
    environment = {**os.environ, 'MARKEVAL_ISA': isa, 'MARKEVAL_CACHE': 'none'}
    command = [*options.emulator.replace(';', ' ').split(), options.program, *map(str, words), '--quiet']
    return subprocess.run(command, capture_output=True, check=True, text=True, env=environment).stdout


def is_supported(isa):
    environment = {**os.environ, 'MARKEVAL_ISA': isa}
    command = [*options.emulator.replace(';', ' ').split(), options.program, 'score', '-r', 'none', '-s', 'none', '-m', 'me']
    return 'MARKEVAL_ISA' not in subprocess.run(command, capture_output=True, text=True, env=environment).stderr


def digest(value):
    data = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return hashlib.md5(data).hexdigest()


def scores_of(text):
    """All of a result but its signature, which names the version."""
    return [{key: value for key, value in result.items() if key != 'signature'} for result in json.loads(text)['results']]


def write_pairs(path, references, texts):
    """A table to train on: the share of common words stands for a human score."""
    rows = ['reference\ttext\tscore']
    for reference, text in zip(references, texts):
        a, b = set(reference.split()), set(text.split())
        rows.append(f'{reference}\t{text}\t{len(a & b) / len(a | b)}')
    path.write_text('\n'.join(rows) + '\n', encoding='utf8')


def measure(isa, model, references, texts, folder):
    """What must be the same everywhere, by name."""
    found = {}
    reference, system = folder / 'reference.txt', folder / 'system.txt'
    reference.write_text('\n'.join(references) + '\n', encoding='utf8')
    system.write_text('\n'.join(texts) + '\n', encoding='utf8')
    vectors = folder / f'{isa}.npy'
    run(isa, 'embed', reference, '-o', vectors, '--model', model)
    found['embed'] = digest(vectors.read_bytes())
    metrics = [word for metric in METRICS for word in ('-m', metric)]
    found['scores'] = digest(scores_of(run(isa, 'score', '-r', reference, '-s', system, *metrics, '--segments', '--clamp-k',
                                           '--format', 'json', '--model', model)))
    table = folder / 'pairs.tsv'
    write_pairs(table, references, texts)
    trained = folder / f'esim-{isa}'
    run(isa, 'train', '--arch', 'esim', '--train', table, '--valid', table, '--epochs', 1, '-o', trained, '--model', model,
        '--hidden', 24)
    found['esim trained'] = digest((trained / 'model.safetensors').read_bytes())
    found['esim'] = digest(scores_of(run(isa, 'score', '-r', reference, '-s', system, '-m', f'esim:weights={trained}',
                                         '--segments', '--format', 'json', '--model', model)))
    return found


def texts_of(name, count):
    lines = (pathlib.Path(options.examples) / 'texts' / name).read_text(encoding='utf8').splitlines()
    return lines[:count]


jobs = [('examples', texts_of('reference.txt', 16), texts_of('literal.txt', 16))]
if options.wmt17:
    lines = (pathlib.Path(options.wmt17) / 'de-en.tsv').read_text(encoding='utf8').splitlines()
    columns = lines[0].split('\t')
    rows = [dict(zip(columns, line.split('\t'))) for line in lines[1:201]]
    jobs.append(('wmt17 de-en 200', [row['ref'] for row in rows], [row['hyp'] for row in rows]))

isas = [isa for isa in options.isas if is_supported(isa)]
compared, wrong, present = 0, [], 0
for model in ('all-MiniLM-L6-v2', 'bge-small-en-v1.5'):
    if not (models / model / 'model.safetensors').exists():
        print(f'skipped: no {model}')
        continue
    present += 1
    for name, references, texts in jobs:
        for isa in isas:
            with tempfile.TemporaryDirectory() as folder:
                found = measure(isa, models / model, references, texts, pathlib.Path(folder))
            expected = golden.setdefault(f'{model}, {name}', {} if not options.update else dict(found))
            if options.update and isa == isas[0]:
                golden[f'{model}, {name}'] = expected = found
            for what, value in found.items():
                compared += 1
                if expected.get(what) != value:
                    wrong.append(f'{model}, {name}, {isa}: {what} is {value}, expected {expected.get(what)}')
if options.update:
    golden_path.write_text(json.dumps(golden, indent=1, sort_keys=True) + '\n', encoding='utf8')
print(*wrong, f'{compared - len(wrong)} of {compared} equal on {", ".join(isas)}', sep='\n')
sys.exit(1 if wrong else 0 if present else 77)
