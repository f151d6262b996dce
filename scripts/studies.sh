#!/usr/bin/env bash
# Remakes docs/studies.md: runs the studies on the data in DATA (docs/data.md says what it holds) and puts what they print
# under their commands. Vectors come from the cache, so a run that was stopped goes on where it was.
#   scripts/studies.sh DATA [STUDY...]     only these; the others keep what they show
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: scripts/studies.sh DATA [STUDY...]" >&2; exit 2; }
exec python3 - "$@" <<'PYTHON'
import pathlib, re, subprocess, sys
data, chosen = sys.argv[1], sys.argv[2:]
page = pathlib.Path('docs/studies.md')
def remake(match):
    command = match[1]
    if chosen and command.split()[2] not in chosen:
        return match[0]
    print(command, file=sys.stderr)
    words = command.replace('--data data', f'--data {data}').split()[1:]
    found = subprocess.run(['build/release/markeval', *words, '--quiet'], check=True, capture_output=True, text=True)
    return f'```text\n$ {command}\n{found.stdout}```'
page.write_text(re.sub(r'```text\n\$ (markeval experiment [^\n]*)\n.*?```', remake, page.read_text(), flags=re.S))
PYTHON
