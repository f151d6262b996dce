#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages the build needs and does nothing when they are all there.
# Asks no question. Without root it names the packages to ask for. `--with NAME ...` adds packages,
# `--list` prints the names and installs nothing. With MARKEVAL_NO_INSTALL=1 it does nothing: for machines
# without Debian's packages that have the same tools.
set -euo pipefail
packages=(
  g++ make cmake ninja-build pkg-config python3   # build and test tools
  libcli11-dev nlohmann-json3-dev libfmt-dev libeigen3-dev zlib1g-dev
  libutf8proc-dev libsqlite3-dev libxxhash-dev libcurl4-openssl-dev libpcre2-dev libssl-dev
  libcpp-httplib-dev libbrotli-dev                # markeval serve; its headers name brotli
  libgtest-dev libgmock-dev
  python3-dev python3-venv                        # pip install .
)
if [ "${1:-}" = "--list" ]; then printf '%s\n' "${packages[@]}"; exit 0; fi
[ -z "${MARKEVAL_NO_INSTALL:-}" ] || exit 0
if [ "${1:-}" = "--with" ]; then shift; packages+=("$@"); fi

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
    missing+=("$package")
  fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    echo "markeval needs packages that are not installed, and you are not root. Ask for:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
echo "Installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
