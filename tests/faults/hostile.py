"""What the attacks of this folder draw by chance: odd values, damaged bytes, changed JSON, metrics with options."""
import copy
import functools
import json
import re
import struct
import subprocess

LEXICAL = ['bleu', 'sentbleu', 'chrf', 'chrf++', 'ter', 'wer', 'cer', 'per', 'cder', 'character', 'nist', 'meteor', 'cider', 'tfidf', 'rouge1', 'rouge2',
           'rougeL', 'rougeLsum', 'rougeW', 'rougeSU4']
SETS = ['me', 'impar', 'prdc', 'prd', 'fid']
PAIRS = ['bertscore:layer=1', 'bertr:layer=1', 'moverscore:layers=last', 'hmd:layers=last']
NUMBERS = ['0', '-1', '1', '2', '1e309', 'nan', 'inf', '-0', '1e-320', '0x10', '4294967296', '18446744073709551616', '1_000', '3.5', '٣', '', ' 1', '+7']
WORDS = ['', ' ', 'none', 'a=b', '=', ':', ',', 'x' * 300, '\x1b]0;x\x07', '\u202eabc', '%s%n', '../..', '/', '-', '--', '\n', 'é', 'yes', 'last', 'all']
LETTERS = ['a', 'b', 'the', 'cat', 'sat', 'x' * 50, '.', ',', '\t', '\r', '\0', '\u200d', '\u0301' * 40, '👩‍👩‍👧', '\u202e', '\u2028', '漢字', 'ﷺ', 'İ', 'ß', '\ufeff',
           '\x1b[31m', '1', '0.5', '"', "'", '\\', '{', '<script>', '  ', '\ud7ff', '\U0010ffff', '[MASK]', '##a']


def hostile_json(draw, value, changes):
    """A copy with so many values replaced, added or taken away."""
    value = copy.deepcopy(value)
    for _ in range(changes):
        place, holder = value, None
        while isinstance(place, (dict, list)) and place and (holder is None or draw.random() < .75):
            holder, key = place, draw.choice(list(place)) if isinstance(place, dict) else draw.randrange(len(place))
            place = place[key]
        if holder is None:
            return value
        other = draw.choice([None, True, 0, -1, 1, 2**31, 2**63, 2**64, 1e308, -1e308, 1e-320, .5, '', 'x' * 3000, '\x1b[2J\u202e', [], {}, [[]], [None], 'NaN',
                             [0] * 2000, {'a': {'a': {}}}, 'gelu', place, [place, place], {'x': place}, str(place)[:100]])
        if isinstance(holder, dict) and draw.random() < .2:
            del holder[key]
        elif isinstance(holder, dict) and draw.random() < .2:
            holder[draw.choice(['type', 'x', '', key + ' ', 'layers'])] = other
        elif isinstance(place, (int, float)) and not isinstance(place, bool) and draw.random() < .5:
            holder[key] = draw.choice([place + 1, place - 1, -place, place * 2, place * 1000003, place / 3])
        else:
            holder[key] = other
    return value


def twice_a_key(draw, text):
    """The text of an object with one of its members a second time."""
    found = [match for match in re.finditer(r'"[^"]{1,40}"\s*:\s*(-?[0-9.]+|true|false|"[^"]{0,40}")', text)]
    if not found:
        return text
    member = draw.choice(found)
    return text[:member.start()] + re.sub(r':.*', ': ' + draw.choice(['1', '0', '""', '[]']), member[0], flags=re.S) + ', ' + text[member.start():]


def damage(draw, data):
    """Bytes turned, cut, doubled, moved or filled."""
    data = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8])):
        if not data:
            break
        at, size = draw.randrange(len(data)), draw.choice([1, 1, 2, 4, 8, 100, 4096])
        how = draw.randrange(7)
        if how == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif how == 1:
            del data[at:]
        elif how == 2:
            del data[at:at + size]
        elif how == 3:
            data[at:at] = data[draw.randrange(len(data)):][:size]
        elif how == 4:
            data[at:at + size] = bytes([draw.choice([0, 255, 32, 10])]) * len(data[at:at + size])
        elif how == 5:
            data[at:at + 4] = struct.pack('<I', draw.choice([0, 1, 0x7fffffff, 0xffffffff, 0x80000000]))
        else:
            data[at:at] = draw.randbytes(size)
    return bytes(data)


def line(draw, longest=30, letters=LETTERS):
    return ' '.join(draw.choice(letters) for _ in range(draw.choice([0, 1, 2, 5, longest]))).replace('\n', ' ')


@functools.cache
def said(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True).stdout


def metric(program, draw, names):
    """One of them with options of its own, or one that is not."""
    name = draw.choice(names)
    changes = []
    for _ in range(draw.choice([0, 0, 1, 2])):
        known = re.findall(r'(?:options| {9}) (\w+) = ([^(]*)', said(program, 'metrics', name.partition(':')[0])) or [('n', '1')]
        option, usual = draw.choice(known)
        usual = re.findall(r'[a-z0-9.]+', usual)
        changes.append(f'{option if draw.random() < .95 else "n"}={draw.choice(usual * 3 + ["1", "2", "3", "7"] * 4 + NUMBERS + WORDS[:8])}')
    return name + (('' if ':' in name and changes else ':') if changes else '') + (',' if ':' in name and changes else '') + ','.join(changes)
