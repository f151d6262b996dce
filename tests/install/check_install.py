"""Installs into a temporary prefix and builds the C++ program of README.md outside the tree against it.

check_install.py CMAKE BUILD_FOLDER PROJECT_FOLDER [CMAKE_ARGUMENT...]. The README shows the output after the program."""
import pathlib
import re
import subprocess
import sys
import tempfile

cmake, build, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
arguments = [argument for argument in sys.argv[4:] if argument]
readme = (root / 'README.md').read_text()
program = re.search(r'^```cpp\n(.*?)^```$', readme, re.S | re.M)[1]
project = re.search(r'^```cmake\n(.*?)^```$', readme, re.S | re.M)[1]
expected = re.search(r'^```cpp\n.*?^```text\n(.*?)^```$', readme, re.S | re.M)[1]


def call(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if result.returncode != 0:
        print(result.stdout)
        sys.exit(f'failed: {" ".join(map(str, command))}')
    return result.stdout


with tempfile.TemporaryDirectory(prefix='markeval_install_') as folder:
    folder = pathlib.Path(folder)
    prefix, source, consumer = folder / 'prefix', folder / 'consumer', folder / 'consumer-build'
    call(cmake, '--install', build, '--prefix', prefix)
    source.mkdir()
    (source / 'main.cpp').write_text(program)
    (source / 'CMakeLists.txt').write_text(project)
    (folder / 'examples').symlink_to(root / 'examples')
    call(cmake, '-S', source, '-B', consumer, '-DCMAKE_BUILD_TYPE=Release', f'-DCMAKE_PREFIX_PATH={prefix}', *arguments)
    call(cmake, '--build', consumer)
    emulator = [a.split('=', 1)[1].split(';') for a in arguments if a.startswith('-DCMAKE_CROSSCOMPILING_EMULATOR=')]
    found = call(*(emulator[0] if emulator else []), consumer / 'quality', cwd=folder)
    installed = call(*(emulator[0] if emulator else []), prefix / 'bin' / 'markeval', '--version')
    for name in ('man/man1/markeval.1', 'bash-completion/completions/markeval', 'zsh/site-functions/_markeval',
                 'fish/vendor_completions.d/markeval.fish'):
        if not (prefix / 'share' / name).exists():
            sys.exit(f'share/{name} was not installed')
    if found != expected:
        sys.exit(f'README.md shows\n{expected}but the program prints\n{found}')
    print(f'{installed.strip()} installed; the program of README.md compiles, links and prints what README.md shows')
