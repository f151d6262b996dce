#!/usr/bin/env python3
"""Writes the character tables that equal results need: src/token/unicode_tables.cpp or src/lexical/unicode_tables.cpp.

Usage: make_unicode_tables.py token|lexical OUTPUT

`token` asks PyPI `tokenizers`. That package mixes Unicode versions: its categories are those of 2016, its normal forms
those of 2019, its white space and case mapping those of its compiler, its patterns those of Oniguruma. Equal ids need
the same mixture, so every property is asked of the package itself, character by character. Only the grapheme cluster
classes cannot be asked; they come from PyPI `regex`, which has the same Unicode 16 data. Run it in an environment with
tokenizers==0.22.2 and regex==2024.11.6.

`lexical` asks what the public metric tools run on: str.lower() follows Python's Unicode version (3.11: 14.0.0), and
\\p{P}, \\p{S} and \\p{N} follow the newer tables of PyPI `regex`."""
import platform
import sys
import unicodedata

import regex

CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(values):
    """{code point: value} -> [[first, last, value]], neighbours of one value joined, across the surrogates too."""
    out = []
    for code, value in sorted(values.items()):
        if out and out[-1][2] == value and (out[-1][1] == code - 1 or (out[-1][1], code) == (0xD7FF, 0xE000)):
            out[-1][1] = code
        else:
            out.append([code, code, value])
    return out


def lower_runs(lower):
    """(first, count, stride, delta): letters that lie `stride` apart and whose lower case is `delta` away. Those that
    become more than one character are left out."""
    runs = []
    for code in CHARACTERS:
        low = lower(chr(code))
        if len(low) != 1 or low == chr(code):
            continue
        delta = ord(low) - code
        if runs and runs[-1][3] == delta:
            first, count, stride, _ = runs[-1]
            step = code - (first + (count - 1) * (stride or 1))
            if (count == 1 and step <= 2) or step == stride:
                runs[-1] = (first, count + 1, step, delta)
                continue
        runs.append((code, 1, 0, delta))
    return [(first, count, stride or 1, delta) for first, count, stride, delta in runs]


def write_rows(out, items, indent, width):
    line = indent
    for item in items:
        if len(line) + len(item) > width:
            out.write(line + '\n')
            line = indent
        line += item
    out.write(line + '\n')


# The tables of src/token.

CLUSTER = ['CR', 'LF', 'Control', 'Extend', 'ZWJ', 'Prepend', 'SpacingMark', 'L', 'V', 'T', 'Regional_Indicator']


def token_properties():
    """(name, meaning, test of a character) for every property, asked of `tokenizers`."""
    from tokenizers import Regex, normalizers, pre_tokenizers
    clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    nfd, nfkd, nfc = normalizers.NFD(), normalizers.NFKD(), normalizers.NFC()
    marks, word = normalizers.StripAccents(), pre_tokenizers.Whitespace()

    def splits(pre_tokenizer, inside='a{}a'):
        return lambda c: len(pre_tokenizer.pre_tokenize_str(inside.format(c))) > 1

    def pattern(text):
        return splits(pre_tokenizers.Split(Regex(text), 'isolated'), '\x01{}\x01' if text != r'\s' else 'a{}a')

    def hangul(c):
        return 0xAC00 <= ord(c) <= 0xD7A3

    def composes(c):
        parts = nfd.normalize_str(c)
        return parts != c and len(parts) > 1 and nfc.normalize_str(parts) == c and not hangul(c)

    def joins_word(c):
        found = word.pre_tokenize_str('a' + c)
        return len(found) == 1 and found[0][1][1] == 2

    return [
        ('kWhiteSpace', 'char::is_whitespace of Rust', splits(pre_tokenizers.WhitespaceSplit())),
        ('kOther', 'Cc, Cf, Cs, Co of unicode_categories 0.1.1',
         lambda c: clean.normalize_str('a' + c + 'a') == 'aa' and c not in '\0\ufffd'),
        ('kPunctuation', 'P* of unicode_categories 0.1.1, and ASCII punctuation', splits(pre_tokenizers.Punctuation())),
        ('kNonspacingMark', 'Mn of unicode_categories 0.1.1',
         lambda c: nfd.normalize_str(c) == c and accents.normalize_str('a' + c) == 'a'),
        ('kNumeric', 'char::is_numeric of Rust', splits(pre_tokenizers.Digits(individual_digits=True))),
        ('kLetter', r'\p{L} of Oniguruma 6.9', pattern(r'\p{L}')),
        ('kNumber', r'\p{N} of Oniguruma 6.9', pattern(r'\p{N}')),
        ('kSpace', r'\s of Oniguruma 6.9', pattern(r'\s')),
        ('kWord', r'\w of the Rust crate regex 1.12', joins_word),
        ('kCombiningMark', 'M* of unicode-normalization-alignments 0.1.12', lambda c: marks.normalize_str('a' + c) == 'a'),
        ('kDecomposes', 'has a decomposition there, Hangul apart',
         lambda c: nfkd.normalize_str(c) != c and not hangul(c)),
        ('kReorders', 'has a combining class there',
         lambda c: c == '\u0345' or nfd.normalize_str('a\u0345' + c) != 'a\u0345' + nfd.normalize_str(c)),
        ('kComposes', 'is composed again by NFC there, Hangul apart', composes),
    ]


def token_lower():
    from tokenizers import normalizers
    lower = normalizers.Lowercase().normalize_str
    several = [(c, lower(chr(c))) for c in CHARACTERS if len(lower(chr(c))) > 1]
    assert several == [(0x130, 'i\u0307')], several  # the only one; written out in the code
    return lower_runs(lower)


def write_steps(out, name, meaning, test):
    """Alternately the characters left out since the last range and the characters of the next."""
    found = ranges({c: True for c in CHARACTERS if test(chr(c))})
    out.write(f'\n// {meaning}: {len(found)} ranges.\nconstexpr std::uint32_t {name}Steps[] = {{\n')
    steps, position = [], 0
    for first, last, _ in found:
        steps.append(f'{first - position},{last + 1 - first},')
        position = last + 1
    write_rows(out, steps, '  ', 110)
    out.write('};\n')


def cluster_name(name):
    return 'k' + name.replace('=', '').replace('_', '')


def write_token(out):
    import tokenizers
    assert tokenizers.__version__ == '0.22.2', tokenizers.__version__
    out.write('// Generated by scripts/make_unicode_tables.py from tokenizers 0.22.2; do not edit.\n'
              '// clang-format off\n#include "token/unicode_tables.hpp"\n\nnamespace markeval::token {\n'
              'namespace {\n')
    properties = token_properties()
    for name, meaning, test in properties:
        write_steps(out, name, meaning, test)
    for name in CLUSTER + ['ExtPict', 'InCB=Consonant', 'InCB=Linker']:
        query = r'\p{%s}' % (name if name == 'ExtPict' or '=' in name else 'GCB=' + name)
        write_steps(out, cluster_name(name), query + ' of Unicode 16', regex.compile(query).match)
    out.write('\n// char::to_lowercase of Rust but for U+0130.\nconstexpr LowerRun kLower[] = {\n')
    write_rows(out, ['{%d,%d,%d,%d},' % run for run in token_lower()], '  ', 110)
    out.write('};\n\n}  // namespace\n\nconst PropertySteps kPropertySteps[kPropertyTables] = {\n')
    write_rows(out, ['{%s, %sSteps},' % (name, name) for name, _, _ in properties], '  ', 110)
    out.write('};\n\nconst ClusterSteps kClusterSteps[kClusterTables] = {\n')
    write_rows(out, ['{Cluster::%s, %sSteps},' % (cluster_name(name), cluster_name(name)) for name in CLUSTER], '  ', 110)
    out.write('};\n\nconst std::span<const std::uint32_t> kPictographSteps = kExtPictSteps;\n'
              'const std::span<const std::uint32_t> kConjunctConsonantSteps = kInCBConsonantSteps;\n'
              'const std::span<const std::uint32_t> kConjunctLinkerSteps = kInCBLinkerSteps;\n'
              'const std::span<const LowerRun> kLowerRuns = kLower;\n\n}  // namespace markeval::token\n')


# The tables of src/lexical.

def categories():
    patterns = [(number, regex.compile(r'\p{%s}' % letter)) for number, letter in enumerate('PSN', 1)]
    return ranges({c: number for c in CHARACTERS for number, pattern in patterns if pattern.match(chr(c))})


def casing():
    """How a character counts when str.lower() decides whether a capital sigma ends a word: probed from outside."""
    values = {}
    for code in CHARACTERS:
        decides = (chr(code) + '\u03a3').lower()[-1] == '\u03c2'
        lets_pass = ('A' + chr(code) + '\u03a3').lower()[-1] == '\u03c2' and not decides
        if decides or lets_pass:
            values[code] = 1 if decides else 2
    return ranges(values)


def write_lexical(out):
    out.write('// Made by scripts/make_unicode_tables.py with Python '
              f'{platform.python_version()} (Unicode {unicodedata.unidata_version})\n'
              f'// and regex {regex.__version__}. Do not edit.\n#include "lexical/unicode_tables.hpp"\n\n'
              'namespace markeval::lexical {\n\n// clang-format off\n')
    lower = [(first, first + (count - 1) * stride, stride, delta)
             for first, count, stride, delta in lower_runs(str.lower)]
    for kind, name, rows in [('CodeRange', 'category_ranges', categories()), ('CodeRange', 'casing_ranges', casing()),
                             ('LowerRange', 'lower_ranges', lower)]:
        out.write(f'const {kind} {name}[] = {{\n')
        items = [' {' + ', '.join([hex(row[0]), hex(row[1]), *map(str, row[2:])]) + '},' for row in rows]
        write_rows(out, items, '   ', 108)
        out.write(f'}};\nconst std::size_t {name}_count = {len(rows)};\n\n')
    out.write('// clang-format on\n\n}  // namespace markeval::lexical\n')


with open(sys.argv[2], 'w') as output:
    {'token': write_token, 'lexical': write_lexical}[sys.argv[1]](output)
