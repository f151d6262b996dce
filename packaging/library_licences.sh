#!/usr/bin/env bash
# Copies what Debian says of the copyright and licence of libraries: library_licences.sh FOLDER LIBRARY...
# Each file of FOLDER has the name of the package that a LIBRARY comes from. Libraries that are headers alone, which the compiler
# made part of the program, are there too.
set -euo pipefail
folder=$1
shift
headers=(CLI/CLI.hpp eigen3/Eigen/Core nlohmann/json.hpp xxhash.h)
mkdir -p "$folder"
for library in "$@" "${headers[@]/#//usr/include/}"; do
  library=$(realpath "$library")
  # A package may know its file under /lib, which is a link to /usr/lib.
  owner=$(dpkg -S "$library" 2>/dev/null || dpkg -S "${library#/usr}" 2>/dev/null) ||
    { echo "library_licences: no package has $library, so its licence is not known" >&2; exit 1; }
  package=${owner%%:*}
  cp -L "/usr/share/doc/$package/copyright" "$folder/$package"
done
