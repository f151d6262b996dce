"""Calls of the Python module drawn by chance for attack.py, a process for twenty of them. Most calls are right but for one
argument; what is given in an unusual form (arrays of other kinds and strides, frames, iterators) must give the same scores as
the plain form. Wrong is: a signal, an exception that is neither the module's nor Python's for a wrong argument, a score that is
no number, two answers for one call. Needs the module in PYTHONPATH, with NumPy; pandas where it is there.
    python3 tests/faults/attack_python.py SEED        the calls of one case, each with its outcome"""
import os
import pathlib
import random
import subprocess
import sys

CALLS = 20


def has_module():
    return subprocess.run([sys.executable, '-c', 'import markeval'], capture_output=True).returncode == 0


def attack(commands, draw, seen, patience):
    """One case: what it was, and what is wrong with it (empty: nothing)."""
    seed = str(draw.randrange(10**9))
    try:
        done = subprocess.run([sys.executable, '-W', 'ignore', os.path.abspath(__file__), seed], cwd=commands.folder, env={**os.environ, **commands.environment},
                              capture_output=True, timeout=patience * 4)
    except subprocess.TimeoutExpired:
        return ['python', seed], [f'still runs after {patience * 4} s']
    lines = done.stdout.decode(errors='replace').splitlines()
    for line in lines:
        seen[line.split(' ')[0]] += 1
    wrong = [line for line in lines if line.startswith('WRONG')]
    if done.returncode != 0:
        wrong.append(f'exit {done.returncode}: {done.stderr[-500:]!r}')
    return ['python', seed], wrong


def run(seed):
    import copy
    import json
    import pickle
    import re
    import threading

    import numpy as np
    import markeval
    try:
        import pandas
    except ImportError:
        pandas = None

    draw = random.Random(seed)
    words = 'a cat sat on the mat while some dog barked'.split()
    odd_texts = ['', ' ', 'é\u0301\u200d', '\x00', '\u202e', 'x' * 5000, '\ud800', '[MASK]', '漢字', '\t', '\r\n', 'ﷺ']
    odd = [None, True, False, 0, -1, 2**31, 2**63, 2**70, -2**70, 1.5, 1e308, float('nan'), float('inf'), '', 'x', 'x' * 5000, '\ud800', '\x00', b'x', [], [[]], [None], [1], {}, {'a': 1},
           {1: ['a']}, object(), range(3), iter(['a']), iter([]), {'a', 'b'}, np.zeros((3, 2)), np.zeros((0, 4)), np.zeros(3), np.zeros((2, 2, 2)), np.full((4, 3), np.nan), np.array(['a', 'b']),
           np.float64(2), np.bool_(True), np.int8(-1), 2 + 1j, int, lambda *_: 1, pathlib.Path('no/such'), pathlib.Path('/'), Ellipsis, np.datetime64('2020-01-01'), memoryview(b'abc')]

    def text():
        return draw.choice(odd_texts) if draw.random() < .05 else ' '.join(draw.choice(words) for _ in range(draw.choice([1, 3, 8])))

    def texts(count):
        return [text() for _ in range(count)]

    def rows(count, width=4):
        return np.array([[draw.gauss(0, 1) for _ in range(width)] for _ in range(count)])

    def other_texts(given):
        """The same texts in another form."""
        forms = [tuple(given), np.array(given, dtype=object), np.array(given), iter(given), (one for one in given)]
        if pandas is not None and '\ud800' not in ''.join(given):
            forms += [pandas.Series(given), pandas.Series(given, dtype='string')]
        return draw.choice(forms)

    def other_rows(given):
        """The same rows in another form."""
        wide = np.zeros((given.shape[0] * 2, given.shape[1] * 2))
        wide[::2, ::2] = given
        frozen = given.copy()
        frozen.setflags(write=False)
        return draw.choice([np.asfortranarray(given), wide[::2, ::2], given[::-1][::-1], frozen, np.array(given.tolist(), dtype=object).astype(float)])

    def call():
        """A function, its arguments in order and by name, and the same in another form (None: there is none)."""
        count = draw.choice([1, 2, 3, 6, 12])
        named = {'model': './m', 'threads': draw.choice([None, 1, 2])}
        kind = draw.choice(['texts', 'texts', 'vectors', 'compare', 'correlate', 'embed', 'align', 'metrics', 'scorer', 'pickle', 'table'])
        lexical = draw.sample(['bleu', 'chrf', 'ter', 'wer', 'rougeL', 'meteor', 'cider', 'nist'], draw.choice([1, 2]))
        if kind == 'texts':
            references, system = texts(count), texts(count)
            named |= draw.choice([{}, {'segments': True}, {'ci': 20}, {'explain': True}, {'keep_statistics': True}, {'page': True}, {'group': [f'g{i % 2}' for i in range(count)]}])
            chosen = draw.choice([lexical, lexical, ['bertscore:layer=1'], ['me:k=1'], {'bleu': {'lowercase': True}}, 'chrf', None])
            return markeval.score, [references, system, chosen], named, [other_texts(references), {'system': other_texts(system)} if draw.random() < .5 else other_texts(system), chosen]
        if kind == 'vectors':
            one, two = rows(count + 3), rows(count + 3)
            chosen = draw.choice([['me:k=1'], ['prdc:k=1'], ['impar:k=1'], ['fid'], ['prd']])
            named |= draw.choice([{}, {'segments': True}, {'explain': True}, {'sample': 3}, {'clamp_k': True}])
            return markeval.score, [one, two, chosen], named, [other_rows(one), other_rows(two), chosen]
        if kind == 'compare':
            references = texts(count)
            named |= draw.choice([{}, {'test': 't'}, {'test': 'randomisation', 'resamples': 50}, {'alpha': .1}, {'correction': 'bh'}])
            return markeval.compare, [references, {'a': texts(count), 'b': texts(count)}, draw.sample(lexical, 1)], {**named, 'resamples': named.get('resamples', 50)}, None
        if kind in ('correlate', 'table'):
            size = draw.choice([3, 8, 20])
            table = {'human': [draw.random() for _ in range(size)], 'm': [float(draw.randrange(5)) for _ in range(size)], 'n': [draw.random() for _ in range(size)], 'ref': texts(size), 'hyp': texts(size)}
            if kind == 'table':
                return markeval.score, ['ref', ['hyp'], lexical], {**named, 'table': table}, None
            named |= draw.choice([{}, {'test': 'williams'}, {'test': 'perm-both', 'resamples': 50}, {'ci': 20}, {'coefficients': ['kendall']}])
            return markeval.correlate, [table, 'human', ['m', 'n']], named, [pandas.DataFrame(table) if pandas is not None else {name: tuple(given) for name, given in table.items()}, 'human', ('m', 'n')]
        if kind == 'embed':
            given = texts(count)
            return markeval.embed, [given], named | draw.choice([{}, {'layer': 1}, {'layer': None}, {'pool': 'none'}, {'normalize': True}, {'pool': 'max'}]), [other_texts(given)]
        if kind == 'align':
            return markeval.align, [text(), text()], {}, None
        if kind == 'metrics':
            return draw.choice([lambda *given, **more: markeval.metrics(*given, **more), lambda *_, **__: markeval.metric_names()]), [draw.choice(['me', 'bleu', 'x'])], {}, None
        scorer = markeval.Scorer(['chrf', 'bertscore:layer=1'], model='./m')
        if kind == 'pickle':
            scorer = draw.choice([lambda: pickle.loads(pickle.dumps(scorer)), lambda: copy.deepcopy(scorer), lambda: copy.copy(scorer)])()
        method = draw.choice([scorer.score, scorer.embed, scorer.tokenize])
        return method, [texts(count), texts(count)] if method == scorer.score else [texts(count)], {}, None

    def plain(value, depth=0):
        """What two answers are compared by."""
        for name in ('to_json', 'to_dict'):
            if hasattr(value, name):
                return re.sub(r'"seconds": ?[0-9.e-]+', '', str(getattr(value, name)()))
        return value.tobytes() if isinstance(value, np.ndarray) else repr(value) if type(value).__module__ != 'markeval._results' else repr(vars(value)) if hasattr(value, '__dict__') else ''

    def look_at(value):
        """All that a report can be turned into."""
        for name in ('to_html', 'to_json', 'to_tsv', 'to_dict', 'to_pandas', '_repr_html_', 'explanation', '__repr__', '__len__', 'segments', 'scores', 'ranks'):
            try:
                found = getattr(value, name, None)
                found() if callable(found) else found
            except (ImportError, markeval.Error, TypeError):
                pass

    expected = (markeval.Error, TypeError, ValueError, OSError, ImportError)

    def outcome(function, given, named):
        try:
            value = function(*given, **named)
        except expected as error:
            return f'refused {"UNEXPECTED " if "unexpected failure" in str(error) or "std::" in str(error) else ""}{type(error).__name__}: {error}', None
        return 'fine', value

    for number in range(CALLS):
        function, given, named, other = call()
        what = draw.choice(['right', 'right', 'other form', 'other form', 'argument', 'argument', 'name', 'threads'])
        if what == 'argument':
            given[draw.randrange(len(given))] = draw.choice(odd)
        if what == 'name':
            named[draw.choice(sorted(named) + ['segments', 'ci', 'seed', 'sample', 'cache', 'precision', 'max_length', 'group', 'progress', 'none'])] = draw.choice(odd)
        shown = f'{getattr(function, "__name__", function)} {what} {str(given)[:300]!r} {str(named)[:200]!r}'
        try:
            if what == 'threads':
                results = []
                workers = [threading.Thread(target=lambda: results.append(outcome(function, copy.deepcopy(given), named))) for _ in range(4)]
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join()
                word, value = results[0]
                if len({(one, plain(two)) for one, two in results}) != 1:
                    print(f'WRONG two answers in threads: {shown}')
            else:
                word, value = outcome(function, given, named)
            if word == 'fine':
                look_at(value)
                if what in ('right', 'other form'):
                    again_word, again = outcome(function, other if what == 'other form' and other is not None else given, named)
                    if (again_word, plain(again)) != (word, plain(value)):
                        print(f'WRONG two answers: {shown}: {plain(value)[-300:]!r} {again_word} {plain(again)[-300:]!r}; other: {str(other)[:300]!r}')
                written = value.to_json() if hasattr(value, 'to_json') else ''
                if written:
                    json.loads(written, parse_constant=lambda name: print(f'WRONG no number {name}: {shown}'))
            print(('WRONG ' if 'UNEXPECTED' in word else '') + f'{what.replace(" ", "-")}:{word.split(" ")[0]} {shown if "UNEXPECTED" in word else ""}')
        except Exception as error:  # not what is raised for a wrong argument
            print(f'WRONG {type(error).__name__}: {error}: {shown}'.replace('\n', ' ').encode('utf-8', 'replace').decode())


if __name__ == '__main__':
    sys.stdout.reconfigure(errors='replace')
    run(int(sys.argv[1]))
