#!/usr/bin/env bash
# Installs what it takes to build for another architecture (x86_64 or aarch64): Debian's cross compiler, the libraries of the
# other architecture, qemu-user to run its programs. install-cross.sh ARCHITECTURE [PACKAGE...]; a PACKAGE is one of the other.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  x86_64) debian=amd64 compiler=g++-x86-64-linux-gnu ;;
  aarch64) debian=arm64 compiler=g++-aarch64-linux-gnu ;;
  *) echo "install-cross knows x86_64 and aarch64, not '${1:-}'" >&2; exit 1 ;;
esac
shift

# Of the packages the build needs: libraries that differ between architectures, in the other one's flavour.
packages=("$compiler" qemu-user "libc6:$debian" "libstdc++6:$debian" "${@/%/:$debian}")
for package in $(scripts/install-packages.sh --list | grep -E '^(lib|zlib).*-dev$'); do
  # The whole output first: with pipefail a grep that leaves early would look like a package that is not there.
  description=$(apt-cache show "$package" 2>/dev/null || true)
  if grep -qx 'Architecture: all' <<< "$description"; then continue; fi
  packages+=("$package:$debian")
done
if ! dpkg --print-foreign-architectures | grep -qx "$debian"; then
  if [ "$(id -u)" -eq 0 ]; then
    dpkg --add-architecture "$debian"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n dpkg --add-architecture "$debian"
  else
    echo "A build for $debian needs its packages, and you are not root. Ask for:" >&2
    echo "  dpkg --add-architecture $debian && apt-get update && apt-get install ${packages[*]}" >&2
    exit 1
  fi
fi
scripts/install-packages.sh --with "${packages[@]}"
