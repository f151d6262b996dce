#!/usr/bin/env bash
# Builds the site of the documentation into build/site with mkdocs-material, which pip fetches into an environment of its own.
# A link that leads nowhere ends it with an error. `scripts/site.sh serve` shows it at http://127.0.0.1:8000 while you write.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/site-venv
test -x $venv/bin/mkdocs || { python3 -m venv $venv && $venv/bin/pip install --quiet 'mkdocs-material==9.*'; }
export NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true
if [ "${1:-}" = serve ]; then exec $venv/bin/mkdocs serve; fi
$venv/bin/mkdocs build --quiet
echo "The site, to open in a browser: build/site/index.html"
