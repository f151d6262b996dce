#!/usr/bin/env bash
# Remakes docs/background/studies.md: runs the studies on the data in DATA (docs/reference/data.md says what it holds) at the papers' sizes and puts
# commands and what they print under their headings; a heading that is not there yet is added. The page is written after every
# study, and vectors of set metrics come from the cache, so a run that was stopped goes on where it was.
# Models are found by name (docs/how-to/models.md): all-MiniLM-L6-v2 and bge-small-en-v1.5.
#   scripts/studies.sh DATA [STUDY...]     only these; the others keep what they show
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: scripts/studies.sh DATA [STUDY...]" >&2; exit 2; }
exec python3 - "$@" <<'PYTHON'
import pathlib, subprocess, sys, time
data, chosen = sys.argv[1], sys.argv[2:]
# Name on this script's command line, heading of the page, command.
STUDIES = [
    ('k-sweep', 'Scores rise to 1 with K', 'k-sweep --data data'),
    ('mode-collapse', 'Genres that are missing', 'mode-collapse --data data'),
    ('word-swap', 'Words that change places', 'word-swap --data data'),
    ('wmt17', 'WMT17, segments', 'wmt17 --data data --also bge-small-en-v1.5'),
    ('best-k', 'WMT17, the best K', 'wmt17 --data data -m me:samples=word,scope=segment --best-k --max-k 8'),
    ('systems', 'WMT17, systems', 'wmt17 --data data --level system'),
    ('out-of-english', 'WMT17, out of English', 'wmt17 --data data --part en-ru --part en-zh -m chrf chrf++ sentbleu sentbleu:tokenize=zh'),
    ('systems-words', 'WMT17, systems by words', 'wmt17 --data data --level system --part cs-en --part de-en --part ru-en --part tr-en --part zh-en -m me:samples=word,scope=segment impar:samples=word,scope=segment'),
    ('hard-soft', 'WMT17, hard and soft alignments', 'wmt17 --data data --part cs-en --part de-en --part fi-en --part lv-en -m hmd:layers=9,aggregate=last moverscore:layers=9,aggregate=last moverscore:layers=9,aggregate=last,n=2 --model bge-small-en-v1.5'),
    ('layers', 'WMT17, layers', 'wmt17 --data data -m moverscore:layers=8,aggregate=last moverscore:layers=9,aggregate=last moverscore:layers=10,aggregate=last moverscore:layers=11,aggregate=last moverscore:layers=12,aggregate=last moverscore:aggregate=routing moverscore --model bge-small-en-v1.5'),
    ('tac', 'TAC', 'tac --data data --also bge-small-en-v1.5'),
    ('tac-lexical', 'TAC, other lexical metrics', 'tac --data data -m chrf++ -m ter -m character -m nist -m cider -m rougeLsum'),
    ('tac-rouge', 'TAC, ROUGE as in the papers', 'tac --data data -m rouge1:multi=mean,stem=yes rouge2:multi=mean,stem=yes rougeL:multi=mean,stem=yes tfidf:multi=mean tfidf:n=2,multi=mean'),
    ('tac-best-k', 'TAC, the best K', 'tac --data data --part 2009 -m me:samples=word,scope=segment --best-k --max-k 8'),
    ('tac-prd', 'TAC, PRD', 'tac --data data -m prd:samples=word,scope=segment --also bge-small-en-v1.5'),
    ('tac-fid', 'TAC, FID', 'tac --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5'),
    ('data-to-text', 'Data to text', 'data-to-text --data data --also bge-small-en-v1.5'),
    ('data-to-text-max', 'Data to text, the best reference', 'data-to-text --data data --part BAGEL --part SFHOT -m moverscore:multi=max moverscore:n=2,multi=max --also bge-small-en-v1.5'),
    ('data-to-text-fid', 'Data to text, FID', 'data-to-text --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5'),
]
unknown = set(chosen) - {name for name, *_ in STUDIES}
if unknown:
    sys.exit(f'unknown study {", ".join(sorted(unknown))}, expected {", ".join(name for name, *_ in STUDIES)}')
page = pathlib.Path('docs/background/studies.md')
for name, heading, words in STUDIES:
    if chosen and name not in chosen:
        continue
    command = 'markeval experiment ' + words
    print(command, file=sys.stderr, flush=True)
    start = time.monotonic()
    found = subprocess.run(['build/release/markeval', *command.replace('--data data', f'--data {data}').split()[1:]], check=True,
                           stdout=subprocess.PIPE, text=True)
    print(f'{time.monotonic() - start:.0f} s', file=sys.stderr, flush=True)
    block = f'```text\n$ {command}\n{found.stdout}```'
    text = page.read_text()
    at = text.find(f'## {heading}\n')
    if at < 0:
        text = f'{text.rstrip()}\n\n## {heading}\n\n{block}\n'
    else:
        begin = text.index('```text\n', at)
        end = text.index('\n```', begin) + len('\n```')
        text = text[:begin] + block + text[end:]
    page.write_text(text)
PYTHON
