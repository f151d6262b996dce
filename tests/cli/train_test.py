"""markeval train from the outside, with a tiny encoder: killed at random moments and resumed it ends with the same
bytes, for any number of threads; Ctrl-C leaves a checkpoint; the result scores; what is wrong is said."""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--emulator', default='')
parser.add_argument('--encoder', required=True, help='tests/encoder/models/bert')
options = parser.parse_args()
MARKEVAL = [*options.emulator.replace(';', ' ').split(), os.path.abspath(options.program)]
ENCODER = os.path.abspath(options.encoder)
failures = 0


def check(name, good, found=''):
    global failures
    failures += not good
    print(f'{"ok" if good else "FAILED"}: {name}' + ('' if good else f': {found}'))


def kill_and_resume(words, folder, whole, seconds, most):
    """Trains into `folder`, killed at random moments up to `most` times; the kills, and whether its files are those of
    `whole`. Another place every time: whatever place it is, the bytes must be the same."""
    draw, kills = random.Random(), 0
    while not pathlib.Path(folder, 'config.json').exists():
        process = subprocess.Popen([*MARKEVAL, *words, '-o', folder, '--resume', '--threads', '2', '--checkpoint-every', '1'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=draw.uniform(*seconds) if kills < most else 300)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    return kills, [pathlib.Path(folder, file).read_bytes() == pathlib.Path(whole, file).read_bytes()
                   if pathlib.Path(folder, file).exists() else None for file in ('model.safetensors', 'config.json')]


def make_table(path, count, seed):
    """Invented pairs of letters; those that keep the reference's letters score higher."""
    draw = random.Random(seed)
    with path.open('w') as out:
        out.write('ref\thyp\tscore\n')
        for _ in range(count):
            reference = [draw.choice('abcdefgh') for _ in range(draw.randint(2, 7))]
            kept = [draw.random() < 0.6 for _ in reference]
            text = [word if keep else draw.choice('abcdefgh') for word, keep in zip(reference, kept)]
            out.write(f'{" ".join(reference)}\t{" ".join(text)}\t{20 + 60 * sum(kept) / len(kept):.2f}\n')


def run(*words, **more):
    return subprocess.run([*MARKEVAL, *map(str, words)], capture_output=True, text=True, timeout=300, **more)


with tempfile.TemporaryDirectory(prefix='markeval_train_') as name:
    os.chdir(name)
    os.environ.update(MARKEVAL_CACHE='none', MARKEVAL_MODELS=name)
    for folder in ('tiny', 'other'):
        shutil.copytree(ENCODER, folder, copy_function=shutil.copyfile)
        letters = ''.join(f'{letter}\n##{letter}\n' for letter in 'abcdefghijklmnopqrstuvwxyz')
        pathlib.Path(folder, 'vocab.txt').write_text('[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n' + letters)
    with open('other/model.safetensors', 'r+b') as weights:  # another encoder: one number of it
        weights.seek(-4, os.SEEK_END)
        weights.write(b'\0\0\0\x3f')
    make_table(pathlib.Path('train.tsv'), 480, 1)
    make_table(pathlib.Path('valid.tsv'), 70, 2)
    known = {tuple(row.split('\t')[:2]) for row in pathlib.Path('train.tsv').read_text().splitlines()[1:]}
    head, *rows = pathlib.Path('valid.tsv').read_text().splitlines()
    rows = [row for row in rows if tuple(row.split('\t')[:2]) not in known]
    pathlib.Path('valid.tsv').write_text('\n'.join([head, *rows]) + '\n')
    valid_pairs, first_text = len(rows), rows[0].split('\t')[1]
    words = ['train', '--arch', 'esim', '--train', 'train.tsv', '--valid', 'valid.tsv', '--ref', 'ref', '--hyp', 'hyp',
             '--gold', 'score', '--model', 'tiny', '--hidden', '32', '--seed', '5', '--recipe', 'tuned']
    endless = [*words, '--epochs', '100000', '--patience', '100000', '-o', 'stopped']
    words += ['--epochs', '4']
    start = time.monotonic()
    whole = run(*words, '-o', 'whole', '--threads', 1, '--format', 'json')
    took = time.monotonic() - start
    check('training ends', whole.returncode == 0, whole.stderr)
    report = json.loads(whole.stdout)
    check('the report has a curve', len(report['epochs']) == 4 and report['best_epoch'] >= 1, whole.stdout)
    check('every epoch is told with its time left', whole.stderr.count('validation Pearson') == 4 and
          ' left' in whole.stderr, whole.stderr)
    check('the folder holds the result alone', sorted(os.listdir('whole')) ==
          ['config.json', 'learned_pairs.bin', 'model.safetensors'],
          os.listdir('whole'))

    kills, same = kill_and_resume(words, 'killed', 'whole', (0.05 * took, 0.4 * took), 5)
    check(f'killed {kills} times and resumed it ends with the same bytes', same == [True, True], same)

    race = [*endless[:-1], 'race']
    racers = [subprocess.Popen([*MARKEVAL, *race, '--threads', '1', *resume], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True) for resume in ([], ['--resume']) * 2]
    deadline = time.monotonic() + 120
    while sum(process.poll() is None for process in racers) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    ended = [(process.returncode, process.stderr.read()) for process in racers if process.poll() is not None]
    refused = (2, 'markeval: race: another training is running in this folder; wait for its end, or take another folder\n')
    check('of four trainings that start together one goes on', ended == [refused] * 3, ended)
    for process in racers:
        if process.poll() is None:
            process.stderr.readline()  # it has begun to talk: it listens, too
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    check('and leaves what one training leaves', os.listdir('race') == ['checkpoint.safetensors'], os.listdir('race'))

    process = subprocess.Popen([*MARKEVAL, *endless],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()  # the first epoch is over
    for resume in ([], ['--resume']):
        second = run(*endless, *resume)
        check(f'a second training is refused {resume}', second.returncode == 2 and second.stderr == refused[1].replace(
            'race', 'stopped'), second.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    check('Ctrl-C ends it with 130', process.returncode == 130 and 'stopped on request' in err, (process.returncode, err))
    check('Ctrl-C says how to go on', err.endswith('stopped on request; the same words with --resume go on\n'), err)
    check('Ctrl-C leaves a checkpoint', os.listdir('stopped') == ['checkpoint.safetensors'], os.listdir('stopped'))
    other = run(*words, '-o', 'stopped', '--resume')
    check('a checkpoint of other settings is refused', other.returncode == 1 and
          'made by another training: training.epochs is 100000, expected 4' in other.stderr, other.stderr)
    with open('stopped/checkpoint.safetensors', 'r+b') as checkpoint:
        checkpoint.seek(-100, os.SEEK_END)
        checkpoint.write(b'damage')
    damaged = run(*endless, '--resume')
    check('a damaged checkpoint is refused', damaged.returncode == 1 and
          damaged.stderr == 'markeval: stopped/checkpoint.safetensors: damaged: its checksum is wrong\n', damaged.stderr)
    unfinished = run(*words, '-o', 'stopped')
    check('an unfinished training is not overwritten', unfinished.returncode == 2 and
          'holds an unfinished training' in unfinished.stderr, unfinished.stderr)
    again = run(*words, '-o', 'whole')
    check('a model is not overwritten', again.returncode == 2 and 'holds a model already' in again.stderr, again.stderr)

    more = run(*words, '-o', 'more', '--from', 'whole', '--learning-rate', '1e-30', '--format', 'json')
    check('a training may start from another', more.returncode == 0 and
          abs(json.loads(more.stdout)['epochs'][0]['pearson'] -
              report['epochs'][report['best_epoch'] - 1]['pearson']) < 1e-9, more.stderr)
    starts = json.loads(pathlib.Path('more/config.json').read_text())['training']['from']
    check('its config names where it started', starts ==
          json.loads(pathlib.Path('whole/config.json').read_text())['weights_sha256'], starts)
    for change, expected in ((('--arch', 'bilstm'), ' holds a model of the kind esim, expected bilstm'),
                             (('--model', 'other'), ' was trained on vectors of tiny@'),
                             (('--recipe', 'published'), ': cannot start from it: its recipe is tuned, expected published'),
                             (('--hidden', '16'), ': cannot start from it: its width is 32, expected 16')):
        changed = list(words)
        changed[changed.index(change[0]) + 1] = change[1]
        refused = run(*changed, '-o', 'refused', '--from', 'whole')
        check(f'a start that does not fit is refused: {change[1]}', refused.returncode == 1 and
              refused.stderr.startswith('markeval: whole' + expected), refused.stderr)
    check('and leaves nothing', not os.path.exists('refused'))

    shared = run(*words, '-o', 'shared', '--train', 'valid.tsv', '--epochs', '1')
    check('an option of one value is not given twice', shared.returncode == 2 and
          shared.stderr == 'markeval: --epochs is given twice\n', shared.stderr)
    shared = run(*words, '-o', 'shared', '--train', 'valid.tsv')
    check('pairs in both tables are refused', shared.returncode == 1 and shared.stderr ==
          f"markeval: {valid_pairs} of {valid_pairs} pairs to validate with are in the training data too, the first is "
          f"'{first_text}': leave them out of one of the two\n", shared.stderr)

    matching = ['train', '--train', 'train.tsv', '--valid', 'grouped.tsv', '--ref', 'ref', '--hyp', 'hyp', '--gold',
                'score', '--group', 'from', '--model', 'tiny', '--heads', '2', '--width', '8', '--epochs', '4']
    rows = pathlib.Path('valid.tsv').read_text().splitlines()
    pathlib.Path('grouped.tsv').write_text('\n'.join(
        row + ('\tfrom' if number == 0 else f'\t{number % 2}') for number, row in enumerate(rows)) + '\n')
    start = time.monotonic()
    whole_match = run(*matching, '-o', 'match', '--threads', 1, '--format', 'json')
    took = time.monotonic() - start
    check('without --arch match is trained', whole_match.returncode == 0 and
          json.loads(whole_match.stdout)['architecture'] == 'match', whole_match.stderr)
    kills, same = kill_and_resume(matching, 'match_killed', 'match', (0.1 * took, 0.6 * took), 4)
    check(f'match, killed {kills} times and resumed, ends with the same bytes', same == [True, True], same)
    scored = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'match:weights=match', '--model', 'tiny',
                 '--format', 'json', '--quiet')
    check('its head scores', scored.returncode == 0 and
          json.loads(scored.stdout)['results'][0]['signature'].startswith('match|head:'), scored.stderr)
    for metric, model, expected in (
            ('match:weights=match', 'other', ' was trained on vectors of tiny@'),
            ('match:weights=whole', 'tiny', ' holds a model of the kind esim, expected match'),
            ('esim:weights=match', 'tiny', ' holds a model of the kind match: score with match:weights=match')):
        refused = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', metric, '--model', model, '--quiet')
        check(f'refused: {metric} with {model}', refused.returncode == 1 and refused.stderr.startswith(
            'markeval: ' + metric.split('=')[1] + expected), refused.stderr)
    unknown = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'match', '--model', 'tiny', '--quiet')
    check('a model without a head: one sentence that names train', unknown.returncode == 2 and
          'match has no head for tiny@' in unknown.stderr and 'markeval train' in unknown.stderr, unknown.stderr)
    few = run(*matching, '-o', 'few', '--batch', '500')
    check('too few pairs are refused', few.returncode == 1 and few.stderr.endswith(
        '480 pairs to learn from, expected at least 500: a batch of them\n'), few.stderr)
    deep = run(*matching, '--layers', '99', '-o', 'deep')
    check('more layers than the encoder has are refused', deep.returncode == 2 and
          deep.stderr.startswith('markeval: layers is 99, but tiny has '), deep.stderr)
    blend = ['train', '--arch', 'blend', '-m', 'bertscore', 'chrf', '--train', 'train.tsv', '--valid', 'grouped.tsv', '--ref',
             'ref', '--hyp', 'hyp', '--gold', 'score', '--group', 'from', '--model', 'tiny', '-o', 'blend']
    blended = run(*blend, '--format', 'json')
    check('a blend is trained', blended.returncode == 0 and
          [part['metric'] for part in json.loads(blended.stdout)['parts']] == ['bertscore', 'chrf'], blended.stderr)
    again = run(*blend)
    check('its folder is not written over', again.returncode == 2 and 'blend holds a model already' in again.stderr, again.stderr)
    other = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'blend:weights=blend', '--model', 'other', '--quiet')
    check('a blend for another encoder is refused', other.returncode == 1 and
          other.stderr.startswith('markeval: blend was learned with bertscore|'), other.stderr)
    wide = run(*matching[:-4], '--width', '9999', '-o', 'wide')
    check('a head wider than the encoder is refused', wide.returncode == 2 and 'the width of a head is 9999' in wide.stderr,
          wide.stderr)
    with open('match/model.safetensors', 'r+b') as head:
        head.seek(-100, os.SEEK_END)
        head.write(b'damage')
    broken = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'match:weights=match', '--model', 'tiny', '--quiet')
    check('a damaged head is refused', broken.returncode == 1 and
          broken.stderr == 'markeval: match/model.safetensors: damaged: its checksum is wrong\n', broken.stderr)

    pathlib.Path('pieces.tsv').write_text('ref\thyp\tscore\n' + ''.join(
        f'cat {letter}b\tcar {letter}\t{ord(letter) % 7}\n' for letter in 'abcdefghij'))
    pathlib.Path('others.tsv').write_text('ref\thyp\tscore\n' + ''.join(
        f'dog {letter}b\tcar {letter}\t{ord(letter) % 7}\n' for letter in 'abcdefghij'))
    small = ['train', '--arch', 'bilstm', '--train', 'pieces.tsv', '--valid', 'others.tsv', '--ref', 'ref', '--hyp', 'hyp',
             '--gold', 'score', '--model', 'tiny', '--hidden', '8', '--epochs', '1', '--quiet']
    signatures = []
    for name, pieces in (('default', []), ('all', ['--pieces', 'all']), ('first', ['--pieces', 'first'])):
        done = run(*small, '-o', name, *pieces)
        check(f'a training reads pieces: {name}', done.returncode == 0, done.stderr)
        one = run('score', '-r', 'pieces.tsv:ref', '-s', 'pieces.tsv:hyp', '-m', f'bilstm:weights={name}', '--model', 'tiny',
                  '--format', 'json', '--quiet')
        signatures.append(json.loads(one.stdout)['results'][0]['signature'])
    check('every piece is the default', pathlib.Path('default/config.json').read_bytes() ==
          pathlib.Path('all/config.json').read_bytes() and '|pieces:all|' in signatures[0], signatures)
    check('the first piece gives another model', '|pieces:first|' in signatures[2] and
          signatures[2].split('|')[1] != signatures[1].split('|')[1], signatures)
    wrong = run(*small, '-o', 'new', '--pieces', 'last')
    check('other pieces are refused', wrong.returncode == 2 and
          wrong.stderr == "markeval: unknown --pieces 'last'; known: all, first\n", wrong.stderr)
    cuda = run(*small, '-o', 'new', '--device', 'cuda')
    check('the device is honoured', cuda.returncode == 1 and 'device cuda is not available' in cuda.stderr and
          not os.path.exists('new'), cuda.stderr)

    scored = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'esim:weights=whole', '--model', 'tiny',
                 '--segments', '--format', 'json')
    check('it scores', scored.returncode == 0, scored.stderr)
    segments = json.loads(scored.stdout)['results'][0]['segments']['score']
    gold = [float(line.split('\t')[2]) for line in pathlib.Path('valid.tsv').read_text().splitlines()[1:]]
    mean = lambda values: sum(values) / len(values)
    centred = lambda values: [value - mean(values) for value in values]
    x, y = centred(segments), centred(gold)
    dot = lambda a, b: sum(i * j for i, j in zip(a, b))
    found, best = dot(x, y) / (dot(x, x) * dot(y, y)) ** 0.5, report['epochs'][report['best_epoch'] - 1]['pearson']
    check('scores have the correlation training reported', abs(found - best) < 1e-9, (found, best))
    check('scores are on the scale of the people', 20 < mean(segments) < 80, mean(segments))
    pathlib.Path('two.txt').write_text('a b c\n\n')
    empty = run('score', '-r', 'two.txt', '-s', 'two.txt', '-m', 'esim:weights=whole', '--model', 'tiny', '--format',
                'json', '--segments', '--quiet')
    result = json.loads(empty.stdout)['results'][0]
    check('an empty segment scores 0 and is counted', result['segments']['score'][1] == 0 and
          result['details']['empty_candidates'] == 1, empty.stdout + empty.stderr)
    wrong = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'esim:weights=whole', '--model', 'other')
    check('another encoder is refused', wrong.returncode == 1 and 'was trained on vectors of tiny@' in wrong.stderr and
          'expected --model tiny' in wrong.stderr, wrong.stderr)
    kind = run('score', '-r', 'valid.tsv:ref', '-s', 'valid.tsv:hyp', '-m', 'bilstm:weights=whole', '--model', 'tiny')
    check('another kind is refused', kind.returncode == 1 and
          kind.stderr == 'markeval: whole holds a model of the kind esim, expected bilstm\n', kind.stderr)
sys.exit(failures > 0)
