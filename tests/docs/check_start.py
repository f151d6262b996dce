"""Types the start of README.md as it is printed: check_start.py --program MARKEVAL [--emulator CMD] --root PROJECT

A fresh shell in the state `make demo` leaves behind: a checkout with the program in build/release, the model where
scripts/fetch-model.sh puts it, nothing else set. The lines of the first ```sh block but `make demo`, then those of the first
```console block are typed into one shell, and what it prints is what README.md shows. Exit 77, skipped, without the model."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'cli'))
from find_models import MODEL, models  # noqa: E402
from run_cases import matches  # noqa: E402


def block(text, kind):
    return re.search(rf'^```{kind}\n(.*?)^```$', text, re.S | re.M)[1].splitlines()


def check_out(folder, arguments):
    """What a user has on the disk after `make demo`."""
    checkout, data = folder / 'markeval', folder / 'home/.local/share/markeval/models'
    (checkout / 'build/release').mkdir(parents=True)
    data.mkdir(parents=True)
    for name in ('examples', 'scripts', 'README.md'):
        (checkout / name).symlink_to(arguments.root / name)
    program = checkout / 'build/release/markeval'
    program.write_text(f'#!/bin/sh\nexec {arguments.emulator.replace(";", " ")} "{arguments.program}" "$@"\n')
    program.chmod(0o755)
    (data / MODEL).symlink_to(models(arguments.root) / MODEL)
    return checkout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument('--emulator', default='')
    parser.add_argument('--root', required=True, type=lambda path: pathlib.Path(path).resolve())
    arguments = parser.parse_args()
    if models(arguments.root) is None:
        print(f'{MODEL} is not on this machine')
        sys.exit(77)
    readme = (arguments.root / 'README.md').read_text()
    set_up, shown = block(readme, 'sh'), block(readme, 'console')
    if not set_up[0].startswith('make demo') or not shown[0].startswith('$ '):
        sys.exit('README.md no longer starts with `make demo` and a command')
    with tempfile.TemporaryDirectory(prefix='markeval_start_') as folder:
        folder = pathlib.Path(folder)
        checkout = check_out(folder, arguments)
        # Without a network: fetching must find the model where the program will look for it.
        environment = {'HOME': str(folder / 'home'), 'PATH': '/usr/bin:/bin', 'LC_ALL': 'C.UTF-8', 'PIP_NO_INDEX': '1'}
        fetched = subprocess.run(['scripts/fetch-model.sh'], cwd=checkout, env=environment, capture_output=True, text=True,
                                 check=False)
        if fetched.returncode != 0:
            sys.exit(f'`make demo` would not put the model where the program finds it: {fetched.stderr}')
        typed = [*set_up[1:], shown[0][2:]]
        result = subprocess.run(['bash', '--noprofile', '--norc', '-c', '\n'.join(typed)], cwd=checkout, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    if not matches(shown[1:], result.stdout.splitlines()):
        sys.exit('typed\n' + '\n'.join(typed) + '\nfound\n' + result.stdout)
    print('the first commands of README.md print what it shows')


if __name__ == '__main__':
    main()
