#!/usr/bin/env bash
# Makes a release: version, changelog, commit, tag, and the files of dist/. Nothing is pushed or published.
#   scripts/release.sh VERSION             0.2.0; the tree must be clean, and CHANGELOG.md must have something "Unreleased"
#   scripts/release.sh --files             only dist/: source archive, packages, SBOM, checksums
#   scripts/release.sh VERSION --no-test   without `make test` between commit and tag
# What may change in which release: docs/reference/versions.md. To publish: `git push --follow-tags`, then upload dist/.
set -euo pipefail
cd "$(dirname "$0")/.."

files() {
  local version
  version=$(sed -n 's/^project(markeval VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  rm -rf dist
  mkdir -p dist
  git archive --format=tar --prefix="markeval-$version/" HEAD | gzip -n > "dist/markeval-$version.tar.gz"
  make --no-print-directory packages
  find dist -name '*-linux-*.tar.gz' -o -name '*.whl' | LC_ALL=C sort | xargs scripts/make_sbom.py -o "dist/markeval-$version.spdx.json"
  (cd dist && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | LC_ALL=C sort | xargs sha256sum > SHA256SUMS)
  echo "dist/:"
  cat dist/SHA256SUMS
}

if [ "${1:-}" = --files ]; then files; exit; fi
version=${1:?usage: scripts/release.sh VERSION [--no-test], or scripts/release.sh --files}
if [ -n "$(git status --porcelain)" ]; then
  echo "release: the tree has changes that are not committed" >&2
  exit 1
fi
if git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then
  echo "release: the tag v$version is there already" >&2
  exit 1
fi
scripts/set_version.py "$version"
git commit -qam "release: markeval $version"
if [ "${2:-}" != --no-test ]; then
  make test || { echo "release: the tests fail; the commit is not tagged. Undo it: git reset --hard HEAD~1" >&2; exit 1; }
fi
git tag -a "v$version" -m "markeval $version"
files
echo "Tagged v$version. To publish: git push --follow-tags, then upload dist/."
