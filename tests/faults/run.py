#!/usr/bin/env python3
"""Makes the n-th call of the system fail, for all n, in four runs of the program: a score with the cache, an embed, a
training with checkpoints, a model pulled from a server on this machine. Each must end in one of two ways: exit code 0 with
the right result, or one sentence and another exit code. Never a wrong result, a signal, a hang or a file half written; and
the next run, without faults, must give the right result.

  tests/faults/run.py --program build/release/markeval --library build/release/tests/faults/libfaults.so [--kind write ...]
      [--scenario score ...] [--most N]     at most N of the n of a kind, spread evenly (malloc has tens of thousands)
"""
import argparse, collections, hashlib, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'support'))
from model_hub import ModelHub

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--program', required=True)
parser.add_argument('--library', required=True)
parser.add_argument('--encoder', default=str(pathlib.Path(__file__).parent.parent / 'encoder/models/bert'))
parser.add_argument('--kind', nargs='*', default=['write', 'fsync', 'rename', 'mmap', 'thread', 'open', 'malloc'])
parser.add_argument('--scenario', nargs='*', default=['score', 'embed', 'train', 'pull'])
parser.add_argument('--most', type=int, default=10 ** 9)
parser.add_argument('--between', type=int, nargs=2, default=[1, 10 ** 9], help='only these n')
parser.add_argument('--written', action='store_true', help='no faults: look where the program writes')
parser.add_argument('--named', action='store_true', help='as on a file system without files that have no name (O_TMPFILE)')
parser.add_argument('--cut', action='store_true', help='a power cut at the n-th disk call instead of a fault')
options = parser.parse_args()

WORDS = 'a b c d e f g h i j k l m n o p q r s t u v w x y z'.split()
TIMEOUT_S = 60


def make_model(folder):
    """The tiny encoder of the tests with a vocabulary of letters."""
    shutil.copytree(options.encoder, folder)
    size = json.loads((folder / 'config.json').read_text())['vocab_size']
    pieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', *WORDS]
    (folder / 'vocab.txt').write_text(''.join(piece + '\n' for piece in pieces[:size]))


def texts(seed, count):
    return [' '.join(WORDS[(seed * 7 + line * 5 + k * k) % 20] for k in range(3 + (seed + line) % 4)) for line in range(count)]


PULLED = {'config.json': b'{}', 'model.safetensors': bytes(range(256)) * 400}


class Scenario:
    """One run in a folder of its own. `result` is what must be the same whenever the run says it went well."""

    def __init__(self, name, base, address):
        self.name, self.base, self.address = name, base, address

    def command(self, work):
        cache = ['--cache', str(work / 'cache')]
        model = ['--model', str(self.base / 'tiny'), '--threads', '2']
        if self.name == 'score':
            return ['score', '-r', str(self.base / 'refs.txt'), '-s', str(self.base / 'hyps.txt'), '-m', 'bertscore', '-m', 'bleu',
                    *model, *cache, '--format', 'json', '-o', str(work / 'out.json')]
        if self.name == 'embed':
            return ['embed', str(self.base / 'refs.txt'), '--pool', 'none', *model, *cache, '-o', str(work / 'out.npy')]
        if self.name == 'train':
            return ['train', '--arch', 'bilstm', '--train', str(self.base / 'train.tsv'), '--valid', str(self.base / 'valid.tsv'), '--ref', 'ref', '--hyp', 'hyp',
                    '--gold', 'score', '--hidden', '8', '--epochs', '2', *model, *cache, '-o', str(work / 'trained')]
        return ['model', 'pull', 'owner/tiny']

    def again(self, work):
        """The command after a fault: a training goes on where it was."""
        command = self.command(work)
        return command + ['--resume'] if (work / 'trained/checkpoint.safetensors').exists() else command

    def environment(self, work):
        return {**{key: value for key, value in os.environ.items() if not key.startswith(('MARKEVAL', 'HF_', 'http', 'HTTP'))},
                **({'MARKEVAL_NO_TMPFILE': '1'} if options.named else {}), 'HF_ENDPOINT': self.address, 'MARKEVAL_MODELS': str(work / 'models'), 'MARKEVAL_CACHE': str(work / 'cache'), 'HOME': str(work)}

    def result(self, work):
        files = {'score': ['out.json'], 'embed': ['out.npy', 'out.tokens.tsv'], 'train': ['trained/model.safetensors', 'trained/config.json'],
                 'pull': ['models/tiny/config.json', 'models/tiny/model.safetensors', 'models/owner/tiny/model.safetensors']}[self.name]
        found = {}
        for name in files:
            path = work / name
            if path.exists():
                content = path.read_bytes()
                if name == 'out.json':  # folders and times of this run
                    document = json.loads(content)
                    content = json.dumps([entry for entry in document.get('results', [])], sort_keys=True).encode()
                found[name] = hashlib.sha256(content).hexdigest()
        return found


def run(scenario, work, extra, command=None):
    words = [options.program, *(command or scenario.command(work)), '-q']
    try:
        done = subprocess.run(words, env={**scenario.environment(work), **extra}, capture_output=True, timeout=TIMEOUT_S)
        return done.returncode, done.stderr.decode(errors='replace')
    except subprocess.TimeoutExpired:
        return 'hang', ''


def rebuild(durable, lost, kept):
    """The folder `kept` as a disk would show it after the power cut: `durable` is what was fsynced under `lost`."""
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    for place in sorted(durable.glob('place.*')):
        inode = place.name.split('.')[1]
        where = pathlib.Path(place.read_text().strip())
        if where != lost and lost not in where.parents:
            continue
        target = kept / where.relative_to(lost)
        target.mkdir(parents=True, exist_ok=True)
        for line in (durable / f'names.{inode}').read_text().splitlines():
            number, name = line.strip().split(' ', 1)
            if (where / name).is_dir():
                continue
            content = durable / f'bytes.{number}'
            (target / name).write_bytes(content.read_bytes() if content.exists() else b'')


def main():
    failures, base = [], pathlib.Path(tempfile.mkdtemp(prefix='markeval-faults-'))
    make_model(base / 'tiny')
    for name, seed in (('refs.txt', 1), ('hyps.txt', 2)):
        (base / name).write_text(''.join(line + '\n' for line in texts(seed, 6)))
    for name, seed in (('train.tsv', 3), ('valid.tsv', 4)):
        rows = zip(texts(seed, 12), texts(seed + 9, 12))
        (base / name).write_text('ref\thyp\tscore\n' + ''.join(f'{r}\t{h}\t{(i * 37 % 11) / 10}\n' for i, (r, h) in enumerate(rows)))
    address = ModelHub(PULLED).address
    for name in options.scenario:
        scenario = Scenario(name, base, address)
        work = base / 'work'
        fresh = lambda: (shutil.rmtree(work, ignore_errors=True), work.mkdir())
        fresh()
        code, talk = run(scenario, work, {'LD_PRELOAD': options.library, 'MARKEVAL_FAULT_COUNTS': str(base / 'counts')})
        right = scenario.result(work)
        if code != 0 or not right:
            sys.exit(f'{name}: fails without faults: {code} {talk}')
        counts = dict((kind, int(number)) for kind, number in (line.split() for line in (base / 'counts').read_text().splitlines()))
        if options.written:
            fresh()
            (work / 'tmp').mkdir()
            run(scenario, work, {'LD_PRELOAD': options.library, 'MARKEVAL_WRITTEN': str(base / 'written'), 'TMPDIR': str(work / 'tmp')})
            paths = {os.path.normpath(line) for line in (base / 'written').read_text().splitlines()}
            allowed = ('cache', 'models', 'trained', 'tmp', 'out.', '.markeval-')
            for path in sorted(paths):
                if path.startswith(('/dev/', '/proc/self/')):
                    continue
                if not any(path.startswith(str(work / start)) for start in allowed):
                    failures.append(f'{name}: writes to {path}')
            print(f'{name}: writes to {len(paths)} places')
            (base / 'written').unlink()
            continue
        for kind in (['disk'] if options.cut else options.kind):
            total = counts[kind] and counts[kind] + 3  # a run may have some more than the one that was counted
            chosen = range(1, total + 1) if total <= options.most else sorted({1 + round(i * (total - 1) / (options.most - 1)) for i in range(options.most)})
            chosen = [number for number in chosen if options.between[0] <= number <= options.between[1]]
            outcomes, started = collections.Counter(), time.monotonic()
            for number in chosen:
                fresh()
                if options.cut:
                    durable = base / 'durable'
                    shutil.rmtree(durable, ignore_errors=True)
                    durable.mkdir()
                    extra = {'MARKEVAL_CUT': str(number), 'MARKEVAL_DURABLE': str(durable)}
                else:
                    extra = {'MARKEVAL_FAULT': f'{kind}:{number}'}
                code, talk = run(scenario, work, {'LD_PRELOAD': options.library, **extra})
                where = f'{name} {kind}:{number}'
                found = scenario.result(work)
                if options.cut:
                    kept = base / 'kept'
                    rebuild(durable, work, kept)
                    shutil.rmtree(work)
                    kept.rename(work)
                    outcomes['cut' if code == 77 else 'ended'] += 1
                elif 'Fatal glibc error' in talk:  # the C library itself, where a thread's first object needs memory: a sentence, too
                    outcomes['ended by the C library'] += 1
                elif code == 'hang' or code < 0 or code > 128:
                    failures.append(f'{where}: ended by {code}: {talk[-300:]}')
                elif code == 0:
                    outcomes['right result' + (', with a warning' if talk else '')] += 1
                    if found != right:
                        failures.append(f'{where}: exit 0 with another result')
                else:
                    outcomes[f'exit {code}'] += 1
                    lines = [line for line in talk.splitlines() if line]
                    if len(lines) != 1 or not lines[0].startswith('markeval: ') or 'unexpected' in talk:
                        failures.append(f'{where}: exit {code}, expected one sentence: {talk!r}')
                    if any(found[file] != right[file] for file in found):
                        failures.append(f'{where}: a file half written')
                if code != 'hang' and not options.cut and (left := sorted(work.rglob('.markeval-*.tmp'))):
                    failures.append(f'{where}: leaves {[str(path.relative_to(work)) for path in left]}')
                if name == 'train' and found == right and not options.cut:
                    continue  # nothing is left to do, and a second training into the folder is refused
                code, talk = run(scenario, work, {}, scenario.again(work))
                if code != 0 or scenario.result(work) != right:
                    failures.append(f'{where}: the next run gives {code}: {talk[-300:]}')
            took = time.monotonic() - started
            print(f'{name:6} {kind:7} {len(chosen):6} of {total:6}: ' + ', '.join(f'{count} {what}' for what, count in outcomes.most_common()) +
                  f' ({took:.0f} s)', flush=True)
    shutil.rmtree(base, ignore_errors=True)
    for failure in failures[:40]:
        print('FAILED', failure)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
