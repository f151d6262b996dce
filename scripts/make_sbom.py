#!/usr/bin/env python3
"""Writes what markeval and its packages are made of, as SPDX 2.3 JSON: make_sbom.py -o FILE [PACKAGE...]

Every part has a licence. Parts of the program are those of scripts/install-packages.sh (`--list`), in the versions installed on
this machine. PACKAGE is an archive or a wheel of dist/: the libraries in it are listed as its parts, by the Debian package they
come from. What no table below knows is an error: its licence must be looked at once.
The same machine, commit and packages give the same bytes: the date is that of the commit."""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = 'Apache-2.0'
# Licences are SPDX's names of what the authors say of the library; tools and tests of the same source may have others.
# Packages the program is built with and that become part of it, or that it loads.
LIBRARIES = {
    'libcli11-dev': 'BSD-3-Clause', 'nlohmann-json3-dev': 'MIT', 'libfmt-dev': 'MIT', 'libeigen3-dev': 'MPL-2.0',
    'zlib1g-dev': 'Zlib', 'libutf8proc-dev': 'MIT AND Unicode-DFS-2015', 'libsqlite3-dev': 'blessing',
    'libxxhash-dev': 'BSD-2-Clause', 'libcurl4-openssl-dev': 'curl', 'libpcre2-dev': 'BSD-3-Clause',
    'libssl-dev': 'Apache-2.0', 'libcpp-httplib-dev': 'MIT', 'libbrotli-dev': 'MIT',
    'libstdc++6': 'GPL-3.0-or-later WITH GCC-exception-3.1',
}
TOOLS = {'g++', 'make', 'cmake', 'ninja-build', 'pkg-config', 'python3', 'libgtest-dev', 'libgmock-dev', 'python3-dev',
         'python3-venv'}
# Tables of others that lie in our sources.
DATA = [('Unicode character database', '14.0.0', 'Unicode-DFS-2016'),  # src/*/unicode_tables.cpp
        ('bert_score', '0.3.13', 'MIT')]  # default_layers.tsv, bert_score_baselines.tsv
# Only in wheels: compiled into the module. Robin map comes with nanobind.
MODULE = [('nanobind', 'BSD-3-Clause', 'pkg:pypi/nanobind'), ('robin-map', 'MIT', 'pkg:github/Tessil/robin-map')]
# Libraries in a package, by Debian's source package. Most of them are those of libcurl.
EITHER_GNU = 'LGPL-3.0-or-later OR GPL-2.0-or-later'
SHARED = {
    'brotli': 'MIT', 'cpp-httplib': 'MIT', 'curl': 'curl', 'cyrus-sasl2': 'BSD-Attribution-HPND-disclaimer', 'e2fsprogs': 'MIT',
    'fmtlib': 'MIT', 'gmp': EITHER_GNU, 'gnutls28': 'LGPL-2.1-or-later', 'keyutils': 'LGPL-2.0-or-later', 'krb5': 'MIT',
    'libffi': 'MIT', 'libidn2': EITHER_GNU, 'libpsl': 'MIT', 'libssh2': 'BSD-3-Clause', 'libtasn1-6': 'LGPL-2.1-or-later',
    'libunistring': EITHER_GNU, 'libzstd': 'BSD-3-Clause OR GPL-2.0-only', 'nettle': EITHER_GNU, 'nghttp2': 'MIT',
    'nghttp3': 'MIT', 'ngtcp2': 'MIT', 'openldap': 'OLDAP-2.8', 'openssl': 'Apache-2.0', 'p11-kit': 'BSD-3-Clause',
    'pcre2': 'BSD-3-Clause', 'rtmpdump': 'LGPL-2.1-or-later', 'sqlite3': 'blessing', 'utf8proc': 'MIT AND Unicode-DFS-2015',
    'xxhash': 'BSD-2-Clause', 'zlib': 'Zlib', 'gcc': 'GPL-3.0-or-later WITH GCC-exception-3.1',
}


def debian(field, package):
    # One line for each architecture of which the package is installed.
    found = subprocess.run(['dpkg-query', '-W', '-f', '${' + field + '}\\n', package], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, check=False)
    return found.stdout.partition('\n')[0].strip() or None


def distribution():
    try:
        release = pathlib.Path('/etc/os-release').read_text()
        return re.search(r'^ID="?([\w.-]+)', release, re.M)[1]
    except (OSError, TypeError):
        return 'debian'


def commit_date():
    seconds = os.environ.get('SOURCE_DATE_EPOCH')
    if not seconds:
        found = subprocess.run(['git', 'log', '-1', '--format=%ct'], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        seconds = found.stdout.strip() or '0'
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def libraries_in(package):
    """File names of the shared libraries in an archive or a wheel, without the hashes auditwheel puts into them."""
    if package.suffix == '.whl':
        names = zipfile.ZipFile(package).namelist()
    else:
        names = tarfile.open(package).getnames()
    files = (pathlib.PurePosixPath(name).name for name in names)
    return sorted({re.sub(r'-[0-9a-f]{8}(?=\.so)', '', name) for name in files if re.search(r'^lib.*\.so(\.|$)', name)})


def debian_package_of(library):
    pattern = f'*/{platform.machine()}-linux-gnu/{library}'
    found = subprocess.run(['dpkg-query', '-S', pattern], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    owners = sorted({line.split(':')[0] for line in found.stdout.splitlines()})
    if not owners:
        sys.exit(f'scripts/make_sbom.py: {library} is of no Debian package on this machine, so its licence is not known')
    return owners[0]


class Bill:
    def __init__(self):
        self.packages, self.relations = [], []

    def add(self, name, version, licence, purl=None, sha256=None):
        """The identifier of a part; the same part is listed once."""
        identifier = 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', name)
        entry = {'SPDXID': identifier, 'name': name, 'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False,
                 'licenseConcluded': licence, 'licenseDeclared': licence, 'copyrightText': 'NOASSERTION'}
        if version:
            entry['versionInfo'] = version
        if purl:
            entry['externalRefs'] = [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator': purl}]
        if sha256:
            entry['checksums'] = [{'algorithm': 'SHA256', 'checksumValue': sha256}]
        if entry not in self.packages:
            self.packages.append(entry)
        return identifier

    def add_debian(self, name, licence):
        found = debian('Version', name)
        purl = f'pkg:deb/{distribution()}/{name.replace("+", "%2B")}' + (f'@{found.replace("+", "%2B")}' if found else '')
        return self.add(name, found, licence, purl)

    def relate(self, one, relation, other):
        self.relations.append({'spdxElementId': one, 'relationshipType': relation, 'relatedSpdxElement': other})

    def add_package(self, path, version):
        """A file of dist/ and the libraries in it."""
        parts = []
        for owner in sorted({debian_package_of(library) for library in libraries_in(path)}):
            source = re.sub(r'^gcc-\d+$', 'gcc', debian('source:Package', owner))
            if source not in SHARED:
                sys.exit(f'scripts/make_sbom.py does not know {source}, which {path.name} holds: add its licence to SHARED')
            parts.append((self.add_debian(owner, SHARED[source]), SHARED[source]))
        if path.suffix == '.whl':
            parts += [(self.add(name, None, licence, purl), licence) for name, licence, purl in MODULE]
        single = {one for _, licence in parts for one in licence.split(' AND ')}  # no table has brackets
        licences = sorted({f'({licence})' if ' OR ' in licence else licence for licence in single} - {OURS})
        identifier = self.add(path.name, version, ' AND '.join([OURS, *licences]), sha256=hashlib.sha256(path.read_bytes()).hexdigest())
        self.relate('SPDXRef-DOCUMENT', 'DESCRIBES', identifier)
        self.relate(identifier, 'CONTAINS', 'SPDXRef-markeval')
        for part, _ in parts:
            self.relate(identifier, 'CONTAINS', part)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-o', '--output', required=True, type=pathlib.Path)
    parser.add_argument('packages', nargs='*', type=pathlib.Path, metavar='PACKAGE')
    options = parser.parse_args()
    listed = subprocess.check_output([ROOT / 'scripts/install-packages.sh', '--list'], text=True).split()
    unknown = set(listed) - set(LIBRARIES) - TOOLS
    if unknown:
        sys.exit(f'scripts/make_sbom.py does not know {", ".join(sorted(unknown))}: add licences to LIBRARIES, or tools to TOOLS')
    version = re.search(r'project\(markeval VERSION ([0-9.]+)', (ROOT / 'CMakeLists.txt').read_text())[1]
    bill = Bill()
    program = bill.add('markeval', version, OURS)
    bill.relate('SPDXRef-DOCUMENT', 'DESCRIBES', program)
    for name in [name for name in listed if name in LIBRARIES] + ['libstdc++6']:
        bill.relate(program, 'DEPENDS_ON', bill.add_debian(name, LIBRARIES[name]))
    for name, data_version, licence in DATA:
        bill.relate(program, 'CONTAINS', bill.add(name, data_version, licence))
    bill.relate(bill.add('numpy', None, 'BSD-3-Clause', 'pkg:pypi/numpy'), 'OPTIONAL_DEPENDENCY_OF', program)
    for path in options.packages:
        bill.add_package(path, version)
    content = hashlib.sha256(json.dumps(bill.packages).encode()).hexdigest()[:16]
    document = {'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': f'markeval-{version}',
                'documentNamespace': f'https://spdx.org/spdxdocs/markeval-{version}-{content}',
                'creationInfo': {'created': commit_date(), 'creators': ['Tool: scripts/make_sbom.py']},
                'packages': bill.packages, 'relationships': bill.relations}
    options.output.write_text(json.dumps(document, indent=1) + '\n')


if __name__ == '__main__':
    main()
