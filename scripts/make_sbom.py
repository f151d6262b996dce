#!/usr/bin/env python3
"""Writes what a build of markeval is made of, as SPDX 2.3 JSON: make_sbom.py -o FILE

The list is that of scripts/install-packages.sh (`--list`); versions are those installed on this machine, where they are.
The same machine and commit give the same bytes: the date is that of the commit."""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Libraries that become part of the program or that it loads, with the licence their authors name (SPDX).
# A package of install-packages.sh that is in neither table is an error: it must be looked at once.
LIBRARIES = {
    'libcli11-dev': 'BSD-3-Clause', 'nlohmann-json3-dev': 'MIT', 'libfmt-dev': 'MIT', 'libeigen3-dev': 'MPL-2.0',
    'zlib1g-dev': 'Zlib', 'libutf8proc-dev': 'MIT', 'libsqlite3-dev': 'blessing', 'libxxhash-dev': 'BSD-2-Clause',
    'libcurl4-openssl-dev': 'curl', 'libpcre2-dev': 'BSD-3-Clause', 'libssl-dev': 'Apache-2.0',
    'libcpp-httplib-dev': 'MIT', 'libbrotli-dev': 'MIT', 'libstdc++6': 'GPL-3.0-or-later WITH GCC-exception-3.1',
}
TOOLS = {'g++', 'make', 'cmake', 'ninja-build', 'pkg-config', 'python3', 'libgtest-dev', 'libgmock-dev', 'python3-dev',
         'python3-venv'}


def installed_version(package):
    found = subprocess.run(['dpkg-query', '-W', '-f', '${Version}', package], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, check=False)
    return found.stdout.strip() or None


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


def package(identifier, name, version, licence, purl):
    entry = {'SPDXID': f'SPDXRef-{identifier}', 'name': name, 'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False,
             'licenseConcluded': licence, 'licenseDeclared': licence, 'copyrightText': 'NOASSERTION'}
    if version:
        entry['versionInfo'] = version
    if purl:
        entry['externalRefs'] = [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator': purl}]
    return entry


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-o', '--output', required=True, type=pathlib.Path)
    output = parser.parse_args().output
    listed = subprocess.check_output([ROOT / 'scripts/install-packages.sh', '--list'], text=True).split()
    unknown = set(listed) - set(LIBRARIES) - TOOLS
    if unknown:
        sys.exit(f'scripts/make_sbom.py does not know {", ".join(sorted(unknown))}: add licences to LIBRARIES, or tools to TOOLS')
    version = re.search(r'project\(markeval VERSION ([0-9.]+)', (ROOT / 'CMakeLists.txt').read_text())[1]
    packages = [package('markeval', 'markeval', version, 'Apache-2.0', None)]
    relations = [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': 'SPDXRef-markeval'}]
    for name in [name for name in listed if name in LIBRARIES] + ['libstdc++6']:
        found = installed_version(name)
        identifier = re.sub(r'[^A-Za-z0-9.-]', '-', name)
        purl = f'pkg:deb/{distribution()}/{name.replace("+", "%2B")}' + (f'@{found.replace("+", "%2B")}' if found else '')
        packages.append(package(identifier, name, found, LIBRARIES[name], purl))
        relations.append({'spdxElementId': 'SPDXRef-markeval', 'relationshipType': 'DEPENDS_ON',
                          'relatedSpdxElement': f'SPDXRef-{identifier}'})
    packages.append(package('numpy', 'numpy', None, 'BSD-3-Clause', 'pkg:pypi/numpy'))
    relations.append({'spdxElementId': 'SPDXRef-numpy', 'relationshipType': 'OPTIONAL_DEPENDENCY_OF',
                      'relatedSpdxElement': 'SPDXRef-markeval'})
    content = hashlib.sha256(json.dumps(packages).encode()).hexdigest()[:16]
    document = {'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': f'markeval-{version}',
                'documentNamespace': f'https://spdx.org/spdxdocs/markeval-{version}-{content}',
                'creationInfo': {'created': commit_date(), 'creators': ['Tool: scripts/make_sbom.py']},
                'packages': packages, 'relationships': relations}
    output.write_text(json.dumps(document, indent=1) + '\n')


if __name__ == '__main__':
    main()
