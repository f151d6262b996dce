"""scripts/release.sh in a copy of the project: check_release.py --root PROJECT

Without building: version, changelog, commit, tag and files; and that it refuses what it should. Exit 77, skipped, where
the project is no git checkout."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest


QUICK = {**os.environ, 'GIT_CONFIG_COUNT': '1', 'GIT_CONFIG_KEY_0': 'core.fsync', 'GIT_CONFIG_VALUE_0': 'none'}


def run(folder, *command):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=QUICK)


def copy_of(root, folder):
    """What a release reads and changes of the working tree, in a repository of its own; sources and test data are left out."""
    names = run(root, 'git', 'ls-files', '-co', '--exclude-standard') if shutil.which('git') else None
    if names is None or names.returncode != 0:
        print('not a git checkout')
        sys.exit(77)
    for name in names.stdout.splitlines():
        if (root / name).is_file() and (name.startswith('tests/cli/') or not name.startswith(('src/', 'tests/', 'bench/', 'heads/'))):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
    for command in (('init', '-q'), ('config', 'user.name', 'A Tester'), ('config', 'user.email', 'tester@example.org'),
                    ('add', '-A'), ('commit', '-qm', 'all of it')):
        run(folder, 'git', *command)


class Release(unittest.TestCase):
    root = None

    @classmethod
    def setUpClass(cls):
        cls.origin = tempfile.TemporaryDirectory(prefix='markeval_release_')
        folder = pathlib.Path(cls.origin.name)
        copy_of(cls.root, folder)
        # `make packages` builds; this test does not.
        makefile = folder / 'Makefile'
        makefile.write_text(re.sub(r'^packages:.*\n\t.*$', 'packages:', makefile.read_text(), flags=re.M))
        run(folder, 'git', 'commit', '-qam', 'no packages')

    @classmethod
    def tearDownClass(cls):
        cls.origin.cleanup()

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix='markeval_release_')
        self.folder = pathlib.Path(self.holder.name) / 'markeval'
        run(self.origin.name, 'git', 'clone', '-q', self.origin.name, str(self.folder))
        run(self.folder, 'git', 'config', 'user.name', 'A Tester')
        run(self.folder, 'git', 'config', 'user.email', 'tester@example.org')

    def tearDown(self):
        self.holder.cleanup()

    def read(self, name):
        return (self.folder / name).read_text()

    def test_makes_commit_tag_and_files(self):
        found = run(self.folder, 'scripts/release.sh', '7.0.0', '--no-test')
        self.assertEqual(found.returncode, 0, found.stdout)
        self.assertIn('project(markeval VERSION 7.0.0', self.read('CMakeLists.txt'))
        self.assertRegex(self.read('CITATION.cff'), r'(?m)^version: 7\.0\.0\ndate-released: \d{4}-\d\d-\d\d$')
        self.assertRegex(self.read('CHANGELOG.md'), r'## Unreleased\n\n## 7\.0\.0 \(\d{4}-\d\d-\d\d\)')
        self.assertIn('version:7.0.0', self.read('README.md'))
        self.assertNotIn('version:0.1.0', self.read('tests/cli/score_text.case'))
        self.assertEqual(run(self.folder, 'git', 'tag').stdout, 'v7.0.0\n')
        self.assertEqual(run(self.folder, 'git', 'status', '--porcelain').stdout, '')
        self.assertEqual(run(self.folder / 'dist', 'sha256sum', '-c', '--quiet', 'SHA256SUMS').returncode, 0)
        bill = json.loads(self.read('dist/markeval-7.0.0.spdx.json'))
        self.assertEqual(bill['spdxVersion'], 'SPDX-2.3')
        names = {package['SPDXID']: package['name'] for package in bill['packages']}
        self.assertIn('libsqlite3-dev', names.values())
        for relation in bill['relationships']:
            self.assertIn(relation['relatedSpdxElement'], names)
        listed = run(self.folder, 'tar', 'tzf', 'dist/markeval-7.0.0.tar.gz').stdout
        self.assertIn('markeval-7.0.0/README.md\n', listed)

    def bill_of(self, *packages):
        found = run(self.folder, 'scripts/make_sbom.py', '-o', 'bill.json', *packages)
        self.assertEqual(found.returncode, 0, found.stdout)
        return json.loads(self.read('bill.json'))

    def archive_with(self, *libraries):
        for name in libraries:
            (self.folder / name).write_text('')
        run(self.folder, 'tar', 'czf', 'markeval-linux.tar.gz', *libraries)
        return 'markeval-linux.tar.gz'

    def test_every_part_has_a_licence(self):
        parts = self.bill_of()['packages']
        self.assertGreater(len(parts), 15)
        for part in parts:
            for field in ('licenseDeclared', 'licenseConcluded'):
                self.assertRegex(part[field], r'^[A-Za-z][A-Za-z0-9.-]+( (AND|OR|WITH) [A-Za-z][A-Za-z0-9.-]+)*$', part['name'])
                self.assertNotIn(part[field], ('NOASSERTION', 'NONE'), part['name'])

    @unittest.skipUnless(shutil.which('dpkg-query'), 'libraries are looked up in the Debian packages')
    def test_lists_the_libraries_in_a_package(self):
        bill = self.bill_of(self.archive_with('libz.so.1', 'libstdc++-0123abcd.so.6'))
        archive = next(part for part in bill['packages'] if part['name'] == 'markeval-linux.tar.gz')
        self.assertEqual(archive['licenseConcluded'], 'Apache-2.0 AND GPL-3.0-or-later WITH GCC-exception-3.1 AND Zlib')
        held = {relation['relatedSpdxElement'] for relation in bill['relationships']
                if relation['spdxElementId'] == archive['SPDXID'] and relation['relationshipType'] == 'CONTAINS'}
        self.assertEqual(held, {'SPDXRef-markeval', 'SPDXRef-zlib1g', 'SPDXRef-libstdc--6'})
        identifiers = [part['SPDXID'] for part in bill['packages']]
        self.assertEqual(len(identifiers), len(set(identifiers)))

    @unittest.skipUnless(shutil.which('dpkg-query'), 'libraries are looked up in the Debian packages')
    def test_refuses_a_library_nobody_knows(self):
        found = run(self.folder, 'scripts/make_sbom.py', '-o', 'bill.json', self.archive_with('libnobody.so.1'))
        self.assertNotEqual(found.returncode, 0)
        self.assertIn('libnobody.so.1 is of no Debian package', found.stdout)
        self.assertFalse((self.folder / 'bill.json').exists())

    def test_refuses_a_version_that_is_not_newer(self):
        found = run(self.folder, 'scripts/release.sh', '0.0.1', '--no-test')
        self.assertNotEqual(found.returncode, 0)
        self.assertIn('0.0.1: expected a version after', found.stdout)

    def test_refuses_changes_that_are_not_committed(self):
        (self.folder / 'README.md').write_text('changed')
        found = run(self.folder, 'scripts/release.sh', '7.0.0', '--no-test')
        self.assertNotEqual(found.returncode, 0)
        self.assertIn('not committed', found.stdout)

    def test_refuses_changed_scores_in_a_patch_release(self):
        version = re.search(r'VERSION (\d+\.\d+)\.(\d+)', self.read('CMakeLists.txt'))
        changelog = re.sub(r'^## Unreleased\n', '## Unreleased\n\nChanged scores and results:\n- `bleu`: all.\n',
                           self.read('CHANGELOG.md'), flags=re.M)
        (self.folder / 'CHANGELOG.md').write_text(changelog)
        run(self.folder, 'git', 'commit', '-qam', 'scores')
        found = run(self.folder, 'scripts/release.sh', f'{version[1]}.{int(version[2]) + 1}', '--no-test')
        self.assertNotEqual(found.returncode, 0)
        self.assertIn('a patch release may not have', found.stdout)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', required=True, type=pathlib.Path)
    Release.root = parser.parse_args().root.resolve()
    unittest.main(argv=sys.argv[:1])
