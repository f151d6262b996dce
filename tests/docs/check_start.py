"""Types README.md as it is printed: check_start.py --program MARKEVAL [--emulator CMD] --root PROJECT

A fresh shell in the state `make demo` leaves behind: a checkout with the program in build/release, the model where
scripts/fetch-model.sh puts it, nothing else set. All lines of its ```sh blocks but `make demo`, and the commands of its
```console blocks, are typed one after the other into one shell; each command must print what README.md shows below it.
Exit 77, skipped, without the model."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'cli'))
from find_models import MODEL, models  # noqa: E402
from run_cases import matches  # noqa: E402


BLOCK = re.compile(r'^```(sh|console)\n(.*?)^```$', re.S | re.M)


def commands(readme):
    """(command, what README.md shows below it, or None) in the order of the page."""
    steps = []
    for kind, text in BLOCK.findall(readme):
        if kind == 'sh':
            steps += [(line, None) for line in text.splitlines() if not line.startswith('make demo')]
            continue
        for line in text.splitlines():
            if line.startswith('$ '):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


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
    steps = commands(readme)
    if not re.search(r'^```sh\nmake demo', readme, re.M) or not any(shown for _, shown in steps):
        sys.exit('README.md no longer starts with `make demo` and a command with its output')
    with tempfile.TemporaryDirectory(prefix='markeval_start_') as folder:
        folder = pathlib.Path(folder)
        checkout = check_out(folder, arguments)
        # Without a network: fetching must find the model where the program will look for it.
        environment = {'HOME': str(folder / 'home'), 'PATH': '/usr/bin:/bin', 'LC_ALL': 'C.UTF-8', 'PIP_NO_INDEX': '1'}
        fetched = subprocess.run(['scripts/fetch-model.sh'], cwd=checkout, env=environment, capture_output=True, text=True,
                                 check=False)
        if fetched.returncode != 0:
            sys.exit(f'`make demo` would not put the model where the program finds it: {fetched.stderr}')
        end = '--- end of a command ---'
        typed = '\n'.join(f'{command}\necho "{end}"' for command, _ in steps)
        result = subprocess.run(['bash', '--noprofile', '--norc', '-c', typed], cwd=checkout, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    found = result.stdout.split(end + '\n')
    for (command, shown), printed in zip(steps, found):
        if not matches(shown or [], printed.splitlines()):
            sys.exit(f'typed\n{command}\nfound\n{printed}')
    if len(found) != len(steps) + 1:
        sys.exit(f'the shell ended after {len(found) - 1} of {len(steps)} commands')
    print(f'{len(steps)} commands of README.md print what it shows')


if __name__ == '__main__':
    main()
