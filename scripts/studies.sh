#!/usr/bin/env bash
# Remakes docs/background/studies: runs the studies on the data in DATA (docs/reference/data.md says what it holds) at the papers'
# sizes. NAME.txt has the command and all it printed, with signatures; NAME-TABLE.svg are its curves. The page
# docs/background/studies.md tells what they show. A file is written when its study is done, and vectors of set metrics come from the
# cache, so a run that was stopped goes on where it was. Models are found by name (docs/how-to/models.md): all-MiniLM-L6-v2 and
# bge-small-en-v1.5.
#   scripts/studies.sh DATA                all of them; hours
#   scripts/studies.sh DATA STUDY...       only these; the others keep what they show
# Trainings take days and run only where named: trained, match (their tables are in docs/reference/metrics/trained.md).
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: scripts/studies.sh DATA [STUDY...]" >&2; exit 2; }
exec python3 - "$@" <<'PYTHON'
import os, pathlib, shutil, subprocess, sys, tempfile, time
data, chosen = sys.argv[1], sys.argv[2:]
PROGRAM = os.path.abspath('build/release/markeval')
# Name on this script's command line and of the files; words after `markeval experiment`.
STUDIES = {
    'k-sweep': 'k-sweep --data data',
    'mode-collapse': 'mode-collapse --data data',
    'word-swap': 'word-swap --data data',
    'word-swap-bge': 'word-swap --data data --size 3000 -m me prdc --model bge-small-en-v1.5',
    'wmt17': 'wmt17 --data data --also bge-small-en-v1.5',
    'best-k': 'wmt17 --data data -m me:samples=word,scope=segment --best-k --max-k 8',
    'systems': 'wmt17 --data data --level system',
    'out-of-english': 'wmt17 --data data --part en-ru --part en-zh -m chrf chrf++ sentbleu sentbleu:tokenize=zh',
    'systems-words': 'wmt17 --data data --level system --part cs-en --part de-en --part ru-en --part tr-en --part zh-en'
                     ' -m me:samples=word,scope=segment impar:samples=word,scope=segment',
    'words-corpus': 'wmt17 --data data --level system --part cs-en --part de-en --part ru-en --part tr-en --part zh-en'
                    ' -m me:samples=word',
    'hard-soft': 'wmt17 --data data --part cs-en --part de-en --part fi-en --part lv-en -m hmd:layers=9,aggregate=last'
                 ' moverscore:layers=9,aggregate=last moverscore:layers=9,aggregate=last,n=2 --model bge-small-en-v1.5',
    'layers': 'wmt17 --data data -m moverscore:layers=8,aggregate=last moverscore:layers=9,aggregate=last'
              ' moverscore:layers=10,aggregate=last moverscore:layers=11,aggregate=last moverscore:layers=12,aggregate=last'
              ' moverscore:aggregate=routing moverscore --model bge-small-en-v1.5',
    'wmt19': 'wmt19 --data data',
    'tac': 'tac --data data --also bge-small-en-v1.5',
    'tac-lexical': 'tac --data data -m chrf++ -m ter -m character -m nist -m cider -m rougeLsum',
    'tac-rouge': 'tac --data data -m rouge1:multi=mean,stem=yes rouge2:multi=mean,stem=yes rougeL:multi=mean,stem=yes'
                 ' tfidf:multi=mean tfidf:n=2,multi=mean',
    'tac-best-k': 'tac --data data --part 2009 -m me:samples=word,scope=segment --best-k --max-k 8',
    'tac-prd': 'tac --data data -m prd:samples=word,scope=segment --also bge-small-en-v1.5',
    'tac-fid': 'tac --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5',
    'data-to-text': 'data-to-text --data data --also bge-small-en-v1.5',
    'data-to-text-max': 'data-to-text --data data --part BAGEL --part SFHOT -m moverscore:multi=max moverscore:n=2,multi=max'
                        ' --also bge-small-en-v1.5',
    'data-to-text-fid': 'data-to-text --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5',
}
# Those that are scripts of their own.
SCRIPTS = {
    'trained': 'python3 bench/studies/trained.py --program build/release/markeval --models models --data data --work build/studies/trained',
    'match': 'python3 bench/studies/match.py all --program build/release/markeval --models models --data data --work build/studies/match',
}
known = [*STUDIES, *SCRIPTS]
unknown = set(chosen) - set(known)
if unknown:
    sys.exit(f'unknown study {", ".join(sorted(unknown))}, expected {", ".join(known)}')
models = os.environ.get('MARKEVAL_MODELS', 'models')
appendix = pathlib.Path('docs/background/studies')
appendix.mkdir(exist_ok=True)


def run(words):
    start = time.monotonic()
    found = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    print(f'{time.monotonic() - start:.0f} s', file=sys.stderr, flush=True)
    return found.stdout


for name in chosen or [name for name in known if name not in ('trained', 'match')]:
    command = f'markeval experiment {STUDIES[name]}' if name in STUDIES else SCRIPTS[name]
    print(command, file=sys.stderr, flush=True)
    words = command.replace('--data data', f'--data {data}').replace('--models models', f'--models {models}').split()
    with tempfile.TemporaryDirectory() as pictures:
        out = run([PROGRAM, *words[1:], '--out', pictures] if name in STUDIES else words)
        for old in appendix.glob(f'{name}.*.svg'):
            old.unlink()
        for picture in sorted(pathlib.Path(pictures).glob('*.svg')):
            shutil.copyfile(picture, appendix / f'{name}.{picture.name.removeprefix(words[2] + "-")}')
    (appendix / f'{name}.txt').write_text(f'$ {command}\n{out}')
PYTHON
