"""Kernel objects may define nothing another object could pick up: no weak symbols (inline functions, templates).

The linker keeps one copy of an inline function; if that is the one compiled for AVX-512, the program dies on a CPU
without it. Usage: check_kernel_objects.py NM BUILD_FOLDER."""
import pathlib
import re
import subprocess
import sys

nm, folder = sys.argv[1], pathlib.Path(sys.argv[2])
faults, objects = [], 0
for path in sorted(folder.rglob('*.o')):
    match = re.search(r'markeval_\w+?_(avx2|avx512\w*|amx|neon\w*|portable)\.dir', str(path))
    if not match:
        continue
    objects += 1
    for line in subprocess.run([nm, '-C', path], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, name = line[17:18], line[19:]
        if kind in 'WVu' or (kind == 'T' and f'::{match[1]}::' not in name):
            faults.append(f'{path.name} ({match[1]}): {name}')
print('\n'.join(faults) if faults else f'{objects} kernel objects define only their own namespace')
sys.exit(1 if faults else 0)
