"""An attack by classes of faults, with cases drawn by chance: the command line, files of texts and tables, models, the cache,
HTTP and Python. Long: not part of the suite.
    python3 tests/faults/attack.py --program build/release/markeval --models tests/encoder/models --cases 1200 --seed 1
    ... --surface http --only 17        one case again
A case is wrong where the program dies of a signal, waits for more than --patience seconds, says "unexpected failure", sends a
control character to a terminal, gives a score that is no number, or gives two answers for one input (each command runs twice,
with other fresh memory). Of the standard library alone; Python's surface needs the module in PYTHONPATH."""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import attack_http
import attack_python
from hostile import LETTERS, LEXICAL, NUMBERS, PAIRS, SETS, WORDS, damage, hostile_json, line, metric, said, twice_a_key

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--models', required=True, help='tests/encoder/models')
parser.add_argument('--cases', type=int, default=1200, help='over all surfaces')
parser.add_argument('--seed', type=int, default=1)
parser.add_argument('--surface', default='')
parser.add_argument('--only', type=int, default=-1, help='the number of one case')
parser.add_argument('--patience', type=float, default=30)
options = parser.parse_args()
PROGRAM, MODELS = os.path.abspath(options.program), pathlib.Path(options.models).resolve()
ADDRESS_SPACE = 4 << 30
seen = collections.Counter()  # exit codes and statuses, to tell whether cases come far
USUAL = {'--ci': ['10', '100'], '--sample': ['2', '3'], '--seed': ['1', '18446744073709551615'], '--threads': ['1', '7'], '--digits': ['0', '17'],
         '--format': ['text', 'json', 'tsv', 'csv', 'markdown', 'latex', 'html'], '--resamples': ['1', '20'], '--alpha': ['.5', '1e-300'], '--correction': ['none', 'holm'],
         '--test': ['bootstrap', 'williams', 'perm-both', 't', 'randomisation'], '--min-rows': ['2', '12'], '--gold-threshold': ['0', '1e308'], '--tie-threshold': ['0', '3'],
         '--coefficient': ['kendall', 'accuracy', 'pearson', 'spearman', 'soft-accuracy'], '--group': ['g'], '--system': ['g'], '--segment': ['m'], '--level': ['system', 'segment'],
         '--compat': ['prdc'], '--unit': ['characters', 'words'], '--lower-is-better': ['m'], '-o': ['out', 'out.json', 'out.html'], '--report': ['out.html'], '--explain': ['out.json'],
         '--long': ['window'], '--max-length': ['3', '40'], '--precision': ['bf16', 'f32'], '--preset': ['quick', 'lm'], '--model': ['./m'], '--cache': ['none'], '-m': ['chrf'], '--metric': ['bleu'], '-r': ['r.txt'], '-s': ['s.txt'], '--source': ['r.txt'],
         '--predicted': ['m'], '--gold': ['human'], '--ref': ['g'], '--hyp': ['g'], '--width': ['3'], '-w': ['3']}


class Commands:
    """A folder, and commands that run in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {'PATH': os.environ['PATH'], 'HOME': str(folder), 'MARKEVAL_CACHE': 'none', 'MARKEVAL_MODELS': str(folder), 'LC_ALL': 'C.UTF-8'}

    def run(self, words, expect_same=True, variables=None):
        """Exit code, what it said, and what is wrong with it (empty: nothing)."""
        answers, wrong = [], []
        for perturb in ('85', '170') if expect_same else ('85',):
            began = time.monotonic()
            process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env={**self.environment, 'MALLOC_PERTURB_': perturb, **(variables or {})},
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)))
            try:
                out, err = process.communicate(timeout=options.patience)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                wrong.append(f'still runs after {options.patience} s')
            wrong += self.faults(process.returncode, out, err, time.monotonic() - began)
            answers.append((process.returncode, out))
            seen[f'exit {process.returncode}'] += 1
        if not wrong and len(answers) == 2 and answers[0] != answers[1]:
            wrong.append(f'two answers: {answers[0][1][-200:]!r} and {answers[1][1][-200:]!r}')
        return answers[0][0], answers[0][1], wrong

    @staticmethod
    def faults(code, out, err, seconds):
        if code < 0 and seconds < options.patience:
            yield f'signal {-code}: {err[-300:]!r}'
        elif code not in (0, 1, 2, 3, -9):
            yield f'exit {code}: {err[-300:]!r}'
        if b'unexpected failure' in err or b'json.exception' in err or b'filesystem error' in err:
            yield f'{err[-300:]!r}'
        if code == 1 and not err:
            yield 'exit 1 without a word'
        if re.search(rb'[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]', err):
            yield f'a control character: {err[-300:]!r}'
        if code == 0 and b'<html' not in out and re.search(rb'(?<![\w"/-])-?(nan|inf|NaN|Infinity)(?![\w"])', out):
            yield f'no number: {out[-300:]!r}'


def write_texts(draw, folder, name, count):
    """A file of texts in some form; the word that names it."""
    mild = draw.random() < .6  # or hardly any file is taken
    lines = [line(draw, letters=[one for one in LETTERS if one.isprintable() and one not in ('"', '\\')] if mild else LETTERS) for _ in range(count)]
    form = draw.choice(['txt', 'txt', 'jsonl', 'tsv', 'csv', 'gz'])
    if form == 'jsonl':
        text, word = '\n'.join(json.dumps({'a': one, 'b': draw.choice([1, None, [one, one], 'x'])}) for one in lines) + '\n', f'{name}.jsonl:a'
        if not mild:
            text = twice_a_key(draw, text)
    elif form == 'tsv':
        text, word = 'a\tb\n' + '\n'.join(one.replace('\t', ' ') + '\tx' for one in lines) + '\n', f'{name}.tsv:a'
    elif form == 'csv':
        text, word = 'a,b\n' + '\n'.join('"' + one.replace('"', '""') + '",x' for one in lines) + '\n', f'{name}.csv:a'
    else:
        text, word = '\n'.join(lines) + ('\n' if mild else draw.choice(['', '\n\n', '\r\n'])), f'{name}.{"txt.gz" if form == "gz" else "txt"}'
    data = text.encode('utf-8', 'surrogatepass')
    if not mild and draw.random() < .5:
        data = damage(draw, data)
    if form == 'gz':
        data = gzip.compress(data)
        data = damage(draw, data) if not mild else data
    (folder / word.partition(':')[0]).write_bytes(data)
    return word


def command_line(commands, draw):
    """Options of every command with odd values."""
    folder = commands.folder
    (folder / 'r.txt').write_text('a cat sat\nthe dog ran home\nit rains\n')
    (folder / 's.txt').write_text('a cat sits\nthe dog runs home\nit rained\n')
    (folder / 'j.tsv').write_text('human\tm\tn\tg\n' + ''.join(f'{i}\t{i * i % 7}\t{i % 3}\tg{i % 2}\n' for i in range(12)))
    base = draw.choice([['score', 'r.txt', 's.txt', '-m', metric(PROGRAM, draw, LEXICAL)], ['compare', 'r.txt', 's.txt', 'b=s.txt', '-m', metric(PROGRAM, draw, LEXICAL)],
                        ['correlate', 'j.tsv', '--gold', 'human', '--predicted', 'm', 'n'], ['align', 'r.txt', 's.txt'], ['metrics', metric(PROGRAM, draw, LEXICAL)],
                        ['sacrebleu', 'r.txt', '-i', 's.txt', '-m', draw.choice(['bleu', 'chrf', 'ter'])], ['score', 'r.txt', 's.txt', '-m', metric(PROGRAM, draw, SETS + PAIRS), '--model', './m'],
                        ['limits'], ['model', 'list']])
    flags = re.findall(r'^  +(?:-\w,)?(--[a-z-]+)(?: {2,}|$)', said(PROGRAM, base[0], '--help') if base[0] != 'model' else '', re.M)
    names = [name for name in re.findall(r'(?<![\w-])--[a-z-]+', said(PROGRAM, base[0], '--help')) if name not in flags] + ['-o', '--x']
    for _ in range(draw.choice([1, 1, 2, 3])):
        name = draw.choice(names + flags)
        base.append(name)
        if name not in flags:
            value = draw.choice(USUAL[name]) if name in USUAL and draw.random() < .7 else draw.choice(NUMBERS + WORDS + ['human', 'm', 'g', 'bootstrap', 'williams', 'randomisation', 't', 'perm-both', 'json', 'tsv', 'latex', 'html', 'holm', 'kendall'])
            base.append(value if name not in ('-o', '--report', '--explain') else draw.choice(['out', 'out.html', 'no/such', '.', '/dev/full', 'out\x1b', 'x' * 256]))
    base = [word.replace('\0', '0') for word in base]
    shown = ('-o' in base or '--report' in base or '--explain' in base)
    code, _, wrong = commands.run(base, expect_same=not shown)
    return base, wrong


def texts(commands, draw):
    count = draw.choice([2, 5, 9])
    reference, system = write_texts(draw, commands.folder, 'r', count), write_texts(draw, commands.folder, 's', count)
    names = LEXICAL if draw.random() < .7 else SETS + PAIRS
    words = ['score', '-r', reference, '-s', system, '-m', *draw.sample(names, 3), '--model', './m', '--format', draw.choice(['text', 'json', 'tsv', 'html', 'latex', 'markdown'])]
    words += draw.choice([[], ['--segments'], ['--ci', '50'], ['--replace-invalid'], ['--details', '--signatures'], ['--clamp-k', '--replace-invalid']])
    return words, commands.run(words)[2]


def models(commands, draw):
    kind = draw.choice(['bert', 'roberta', 'modernbert', 'mpnet', 'electra', 'albert', 'distilbert', 'deberta_v3', 'bert_torch', 'bert_checkpoint', 'bert_torch_sharded'])
    folder = commands.folder / 'broken'
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MODELS / kind, folder)
    shutil.copy(commands.folder / 'm' / 'vocab.txt', folder)
    what = draw.choice(['config', 'config', 'weights', 'header', 'header', 'tokenizer', 'vocabulary', 'modules'])
    tensors = folder / 'model.safetensors'
    configuration = folder / ('bert_config.json' if kind == 'bert_checkpoint' else 'config.json')
    if what == 'config':
        text = json.dumps(hostile_json(draw, json.loads(configuration.read_text()), draw.choice([1, 1, 2, 4])))
        configuration.write_text(twice_a_key(draw, text) if draw.random() < .15 else text)
    elif what == 'header' and tensors.exists():
        data = tensors.read_bytes()
        size = struct.unpack('<Q', data[:8])[0]
        text = json.dumps(hostile_json(draw, json.loads(data[8:8 + size]), draw.choice([1, 1, 3])))
        text = twice_a_key(draw, text) if draw.random() < .2 else text
        tensors.write_bytes(struct.pack('<Q', draw.choice([len(text.encode())] * 6 + [0, len(text) + 1, 2**63])) + text.encode() + data[8 + size:])
    elif what == 'tokenizer':
        document = {'version': '1.0', 'added_tokens': [{'id': 0, 'content': '[PAD]', 'special': True, 'single_word': False, 'lstrip': False, 'rstrip': False, 'normalized': False}],
                    'normalizer': draw.choice([None, {'type': 'BertNormalizer', 'clean_text': True, 'handle_chinese_chars': True, 'strip_accents': None, 'lowercase': True},
                                               {'type': 'Sequence', 'normalizers': [{'type': 'NFKC'}, {'type': 'Replace', 'pattern': {'Regex': draw.choice(['a+', '(a|a)*b', '.', '', '(?=a)'])}, 'content': 'aa'}]}]),
                    'pre_tokenizer': draw.choice([{'type': 'BertPreTokenizer'}, {'type': 'Whitespace'}, {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': True, 'use_regex': True},
                                                  {'type': 'Split', 'pattern': {'Regex': '(a*)*'}, 'behavior': draw.choice(['Isolated', 'Removed', 'MergedWithNext', 'Contiguous']), 'invert': False}]),
                    'post_processor': {'type': 'TemplateProcessing', 'single': [{'SpecialToken': {'id': '[PAD]', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}}],
                                       'pair': [], 'special_tokens': {'[PAD]': {'id': '[PAD]', 'ids': [0], 'tokens': ['[PAD]']}}},
                    'decoder': None,
                    'model': draw.choice([{'type': 'WordPiece', 'unk_token': 'a', 'continuing_subword_prefix': '##', 'max_input_chars_per_word': 100, 'vocab': {'[PAD]': 0, 'a': 1, 'b': 2, '##a': 3, 'cat': 4}},
                                          {'type': 'BPE', 'unk_token': 'a', 'vocab': {'[PAD]': 0, 'a': 1, 'b': 2, 'ab': 3}, 'merges': ['a b']},
                                          {'type': 'Unigram', 'unk_id': 0, 'vocab': [['[PAD]', 0.0], ['a', -1.0], ['b', -2.0], ['ab', -1.5]]}])}
        text = json.dumps(hostile_json(draw, document, draw.choice([0, 1, 1, 2])))
        (folder / 'tokenizer.json').write_text(twice_a_key(draw, text) if draw.random() < .2 else text)
        (folder / 'vocab.txt').unlink()
    elif what == 'vocabulary':
        (folder / 'vocab.txt').write_bytes(damage(draw, (folder / 'vocab.txt').read_bytes()))
    elif what == 'modules':
        (folder / 'modules.json').write_text(json.dumps(hostile_json(draw, [{'idx': 0, 'name': '0', 'path': '', 'type': 'sentence_transformers.models.Transformer'},
                                                                            {'idx': 1, 'name': '1', 'path': '1_Pooling', 'type': 'sentence_transformers.models.Pooling'}], draw.choice([0, 1, 2]))))
        (folder / '1_Pooling').mkdir()
        (folder / '1_Pooling' / 'config.json').write_text(json.dumps(hostile_json(draw, {'word_embedding_dimension': 32, 'pooling_mode_cls_token': False, 'pooling_mode_mean_tokens': True}, 1)))
    else:
        files = [file for file in folder.iterdir() if file.is_file() and file.suffix in ('.safetensors', '.bin', '.index') or '.data-' in file.name]
        chosen = draw.choice(files)
        chosen.write_bytes(damage(draw, chosen.read_bytes()))
    write = write_texts(draw, commands.folder, 'r', 3)
    words = draw.choice([['score', '-r', write, '-s', write, '-m', draw.choice(PAIRS), draw.choice(SETS), '--clamp-k', '--replace-invalid', '--model', './broken', '--format', 'json'],
                         ['model', 'info', './broken'], ['model', 'verify', './broken'], ['embed', write, '-o', 'out.npy', '--model', './broken', '--replace-invalid']])
    code, _, wrong = commands.run(words, expect_same=words[1] != 'verify')
    if words[0] == 'embed' and code == 0:
        first = (commands.folder / 'out.npy').read_bytes()
        commands.run(words, expect_same=False, variables={'MALLOC_PERTURB_': '42'})
        if first != (commands.folder / 'out.npy').read_bytes():
            wrong.append('two vectors of one text')
        values = first[10 + struct.unpack('<H', first[8:10])[0]:]
        if any(one != one or one in (float('inf'), float('-inf')) for one in struct.unpack(f'<{len(values) // 4}f', values)):
            wrong.append('vectors that are no numbers')
    return [kind, what, *words], wrong


def cache(commands, draw):
    folder = commands.folder / 'cache'
    shutil.rmtree(folder, ignore_errors=True)
    (commands.folder / 'c.txt').write_text('\n'.join(f'a cat {"ab"[i % 2]} {"x" * i}' for i in range(20)) + '\n')
    words = ['score', 'c.txt', 'c.txt', '-m', 'bertscore:layer=1', 'me:k=2', '--model', './m', '--cache', 'cache', '--format', 'tsv', '-q']
    code, right, wrong = commands.run(words, expect_same=False)
    files = sorted(file for file in folder.rglob('*') if file.is_file())
    chosen = draw.choice(files + [file for file in files if file.suffix == '.sqlite'] * 2)
    how = draw.choice(['bytes', 'bytes', 'bytes', 'other', 'link', 'pipe', 'folder', 'wal', 'mode'])
    if how == 'bytes':
        chosen.write_bytes(damage(draw, chosen.read_bytes()))
    elif how == 'other':
        chosen.write_bytes(draw.choice([b'', b'SQLite format 3\0', draw.randbytes(9000), draw.choice(files).read_bytes()]))
    elif how == 'wal':
        (folder / ('markeval-cache.sqlite' + draw.choice(['-wal', '-shm', '-journal']))).write_bytes(draw.choice([draw.randbytes(5000), b'', chosen.read_bytes()]))
    elif how == 'mode':
        chosen.chmod(draw.choice([0, 0o400, 0o200]))
    else:
        target = commands.folder / 'elsewhere'
        target.write_text('mine')
        chosen.unlink()
        os.symlink(target, chosen) if how == 'link' else os.mkfifo(chosen) if how == 'pipe' else chosen.mkdir()
    for _ in range(2):
        again, out, found = commands.run(words, expect_same=False)
        wrong += found
        if (again, out) != (code, right) or code != 0:
            wrong.append(f'another answer: {again} {out[-200:]!r}')
    if how == 'link' and target.read_text() != 'mine':
        wrong.append('a file elsewhere was written')
    return [str(chosen.name), how], wrong


def main():
    surfaces = {'command line': command_line, 'texts': texts, 'models': models, 'cache': cache, 'http': lambda _, draw: attack_http.attack(server, draw, seen),
                'python': lambda commands, draw: attack_python.attack(commands, draw, seen, options.patience)}
    if not attack_python.has_module():
        del surfaces['python']
        print('no module markeval: without Python')
    surfaces = {name: attack for name, attack in surfaces.items() if options.surface in name}
    ran, bad, server = 0, 0, None
    with tempfile.TemporaryDirectory() as path:
        commands = Commands(path)
        tiny = commands.folder / 'm'
        tiny.mkdir()
        for name in ('config.json', 'model.safetensors'):
            shutil.copy(MODELS / 'bert' / name, tiny)
        letters = [word for letter in 'abcdefghijklmnopqrstuvwxyz' for word in (letter, '##' + letter)]
        (tiny / 'vocab.txt').write_text('\n'.join(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', '.', *letters]) + '\n')
        for surface, attack in surfaces.items():
            began, faults = time.monotonic(), 0
            seen.clear()
            numbers = range(options.cases // len(surfaces)) if options.only < 0 else [options.only]
            for number in numbers:
                if surface == 'http' and (server is None or server.process.poll() is not None):
                    server = attack_http.Server(PROGRAM, commands, options.patience, ADDRESS_SPACE)
                what, wrong = attack(commands, random.Random(f'{options.seed} {surface} {number}'))
                ran += 1
                if wrong:
                    faults += 1
                    print(f'{surface} {number}: {what}\n    ' + '\n    '.join(wrong), flush=True)
            bad += faults
            print(f'{surface:<14} {len(numbers):>5} cases, {faults} wrong, {time.monotonic() - began:.0f} s; {", ".join(f"{count} x {what}" for what, count in seen.most_common(12))}', flush=True)
        if server is not None and (code := server.stop()) != 0:
            bad += 1
            print(f'the server ended with {code}')
    print(f'{ran} cases, {bad} wrong')
    sys.exit(bad > 0)


main()
