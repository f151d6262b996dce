"""The same bits on every CPU: vectors, scores and a training on texts of WMT17, for every instruction set this CPU has,
against the md5 digests in same_bits.json. They were made on x86-64; `make test-cross` compares the other architecture.

All instruction sets get 8 segments of de-en. 200 go to those that are fast: not to the portable code, nor under an
emulator, unless --all asks for it. With --update the digests are written anew: that is a change of scores, and the changelog must
name it. Exit code 77 where models or data are not on this machine."""
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
MODELS = ['all-MiniLM-L6-v2', 'bge-small-en-v1.5']
METRICS = ['match', 'bertscore', 'moverscore', 'me:samples=word']
FEW, MANY = 8, 200
JUDGED = 20  # segments to train on, at most

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--models', required=True, help='where models are if MARKEVAL_MODELS does not say')
parser.add_argument('--data', required=True, help='where wmt17 is if MARKEVAL_DATA does not say')
parser.add_argument('--isas', nargs='+', choices=ISAS, default=ISAS)
parser.add_argument('--all', action='store_true', help='both numbers of segments on every instruction set')
parser.add_argument('--update', action='store_true')
options = parser.parse_args()
emulator = options.emulator.replace(';', ' ').split()
models = pathlib.Path(os.environ.get('MARKEVAL_MODELS', options.models))
data = pathlib.Path(os.environ.get('MARKEVAL_DATA', options.data))
golden_path = pathlib.Path(__file__).parent / 'same_bits.json'


def start(isa, *words):
    environment = {**os.environ, 'MARKEVAL_ISA': isa, 'MARKEVAL_CACHE': 'none'}
    return subprocess.run([*emulator, options.program, *map(str, words)], capture_output=True, text=True, env=environment,
                          check=False)


def run(isa, *words):
    done = start(isa, *words, '--threads', 1, '--quiet')  # two would wait for each other beside other tests
    if done.returncode != 0:
        sys.exit(f'{isa}: {" ".join(map(str, words))} ended with {done.returncode}: {done.stderr}')
    return done.stdout


def is_supported(isa):
    """The program refuses an instruction set this CPU has not, before it looks for the files."""
    return 'MARKEVAL_ISA' not in start(isa, 'score', '-r', 'none', '-s', 'none', '-m', 'me').stderr


def digest(content):
    return hashlib.md5(content).hexdigest()


def scores_of(printed):
    """request -> digest of scores and segments. Signature, details and warnings may change where no score does."""
    return {result['request'].split(':weights=')[0]:
            digest(json.dumps([result['scores'], result.get('segments')], sort_keys=True).encode())
            for result in json.loads(printed)['results']}


def measure(isa, model, rows, folder):
    """What must be the same everywhere: name -> digest."""
    reference, system = folder / 'reference.txt', folder / 'system.txt'
    reference.write_text(''.join(row['ref'] + '\n' for row in rows), encoding='utf8')
    system.write_text(''.join(row['hyp'] + '\n' for row in rows), encoding='utf8')
    vectors = folder / 'vectors.npy'
    run(isa, 'embed', reference, '-o', vectors, '--model', model)
    found = {'embed': digest(vectors.read_bytes())}

    judged, held_out, trained = folder / 'judged.tsv', folder / 'held_out.tsv', folder / 'esim'
    for table, part in ((judged, rows[0::2]), (held_out, rows[1::2])):
        lines = ['\t'.join([row['ref'], row['hyp'], row['human']]) for row in part[:JUDGED]]
        table.write_text('\n'.join(['reference\ttext\tscore', *lines]) + '\n', encoding='utf8')
    run(isa, 'train', '--arch', 'esim', '--train', judged, '--valid', held_out, '--ref', 'reference', '--hyp', 'text',
        '--gold', 'score', '--epochs', 2, '--hidden', 16, '--batch', 8, '-o', trained, '--model', model)
    found['esim, weights'] = digest((trained / 'model.safetensors').read_bytes())

    asked = [word for metric in [*METRICS, f'esim:weights={trained}'] for word in ('-m', metric)]
    return {**found, **scores_of(run(isa, 'score', '-r', reference, '-s', system, *asked, '--segments', '--format', 'json',
                                     '--model', model))}


def segments_of(isa):
    return [FEW, MANY] if options.all or not (isa.startswith('portable') or emulator) else [FEW]


table = data / 'wmt17' / 'seglevel' / 'de-en.tsv'
missing = [path for path in [table, *(models / model / 'model.safetensors' for model in MODELS)] if not path.exists()]
if missing:
    print('skipped: no', *missing)
    sys.exit(77)
header, *lines = table.read_text(encoding='utf8').split('\n')[:MANY + 1]
segments = [dict(zip(header.split('\t'), line.split('\t'))) for line in lines]

golden = {} if options.update else json.loads(golden_path.read_text(encoding='utf8'))
isas = [isa for isa in options.isas if is_supported(isa)]
compared, wrong = 0, 0
for isa in reversed(isas):  # the fast ones first: with --update they bring all digests
    for model in MODELS:
        for count in segments_of(isa):
            with tempfile.TemporaryDirectory() as folder:
                found = measure(isa, models / model, segments[:count], pathlib.Path(folder))
            key = f'{model}, WMT17 de-en, {count} segments'
            expected = golden.setdefault(key, found) if options.update else golden[key]
            if options.update and expected is found:
                golden_path.write_text(json.dumps(golden, indent=1) + '\n', encoding='utf8')
            compared += len(expected)
            for name, value in expected.items():
                if found.get(name) != value:
                    wrong += 1
                    print(f'{isa}, {key}: {name} is {found.get(name)}, expected {value}', flush=True)
            print(f'{isa}, {key}: done', flush=True)
print(f'{compared - wrong} of {compared} digests are equal, on {", ".join(isas)}')
sys.exit(1 if wrong else 0)
