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
    ('tac', 'TAC', 'tac --data data --also bge-small-en-v1.5'),
    ('tac-lexical', 'TAC, other lexical metrics', 'tac --data data -m chrf++ -m ter -m character -m nist -m cider -m rougeLsum'),
    ('tac-prd', 'TAC, PRD', 'tac --data data -m prd:samples=word,scope=segment --also bge-small-en-v1.5'),
    ('tac-fid', 'TAC, FID', 'tac --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5'),
    ('data-to-text', 'Data to text', 'data-to-text --data data --also bge-small-en-v1.5'),
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
