"""Compares markeval with the numbers of public tools in set_metrics.json (made by make_set_metrics.py)."""
import argparse
import json
import pathlib
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--examples', required=True)
options = parser.parse_args()

golden = json.loads((pathlib.Path(__file__).parent / 'set_metrics.json').read_text())
failed, compared = 0, 0
for system in sorted({case['system'] for case in golden['cases']}):
    cases = [case for case in golden['cases'] if case['system'] == system]
    command = [*options.emulator.replace(';', ' ').split(), options.program, 'score', '--format', 'json',
               '-r', f'{options.examples}/reference.npy', '-s', f'{options.examples}/{system}.npy']
    for case in cases:
        command += ['-m', case['metric']]
    results = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)['results']
    for case, result in zip(cases, results, strict=True):
        for name, expected in case['scores'].items():
            compared += 1
            found = result['scores'][name]
            if not abs(found - expected) <= case['tolerance'] * max(1, abs(expected)):
                failed += 1
                print(f'{system} {case["metric"]} {name}: {found!r}, expected {expected!r}')
print(f'{compared - failed} of {compared} equal to {golden["made_by"]}')
sys.exit(1 if failed or compared == 0 else 0)
