#!/usr/bin/env python3
"""Writes src/token/unicode_tables.cpp: the character properties that PyPI `tokenizers` works with.

That package mixes Unicode versions: its categories are those of 2016, its normal forms those of 2019, its white space
and case mapping those of its compiler, its patterns those of Oniguruma. Equal ids need the same mixture, so every
property is asked of the package itself, character by character. Only the grapheme cluster classes cannot be asked;
they come from PyPI `regex` 2024.11.6, which has the same Unicode 16 data.

Usage: make_unicode_tables.py OUTPUT, in an environment with tokenizers==0.22.2 and regex==2024.11.6."""
import sys

import regex
import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers

CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(test):
    found = []
    for c in CHARACTERS:
        if test(chr(c)):
            if found and (found[-1][1] == c - 1 or (found[-1][1] == 0xD7FF and c == 0xE000)):
                found[-1][1] = c
            else:
                found.append([c, c])
    return found


def splits(pre_tokenizer, inside='a{}a'):
    return lambda c: len(pre_tokenizer.pre_tokenize_str(inside.format(c))) > 1


clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
nfd, nfkd, nfc = normalizers.NFD(), normalizers.NFKD(), normalizers.NFC()
word = pre_tokenizers.Whitespace()


def composes(c):
    parts = nfd.normalize_str(c)
    return parts != c and len(parts) > 1 and nfc.normalize_str(parts) == c and not 0xAC00 <= ord(c) <= 0xD7A3


def pattern(text):
    return splits(pre_tokenizers.Split(Regex(text), 'isolated'), '\x01{}\x01' if text != r'\s' else 'a{}a')


FLAGS = [
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
    ('kWord', r'\w of the Rust crate regex 1.12', lambda c: len(word.pre_tokenize_str('a' + c)) == 1 and
     word.pre_tokenize_str('a' + c)[0][1][1] == 2),
    ('kCombiningMark', 'M* of unicode-normalization-alignments 0.1.12',
     lambda c: normalizers.StripAccents().normalize_str('a' + c) == 'a'),
    ('kDecomposes', 'has a decomposition there, Hangul apart',
     lambda c: nfkd.normalize_str(c) != c and not 0xAC00 <= ord(c) <= 0xD7A3),
    ('kReorders', 'has a combining class there',
     lambda c: c == '\u0345' or nfd.normalize_str('a\u0345' + c) != 'a\u0345' + nfd.normalize_str(c)),
    ('kComposes', 'is composed again by NFC there, Hangul apart', composes),
]


def cluster_name(name):
    return 'k' + name.replace('=', '').replace('_', '')


CLUSTER = ['CR', 'LF', 'Control', 'Extend', 'ZWJ', 'Prepend', 'SpacingMark', 'L', 'V', 'T', 'Regional_Indicator']


def lower_runs():
    """(first, count, stride, delta) for every run of letters whose lower case is a fixed distance away."""
    pairs = []
    for c in CHARACTERS:
        low = normalizers.Lowercase().normalize_str(chr(c))
        if low != chr(c):
            if len(low) > 1:
                assert (c, low) == (0x130, 'i\u0307'), hex(c)  # the only one; written out in the code
            else:
                pairs.append((c, ord(low) - c))
    runs = []
    for c, delta in pairs:
        if runs and runs[-1][3] == delta:
            first, count, stride, _ = runs[-1]
            step = c - (first + (count - 1) * (stride or 1))
            if (count == 1 and step <= 2) or step == stride:
                runs[-1] = (first, count + 1, step, delta)
                continue
        runs.append((c, 1, 0, delta))
    return [(first, count, stride or 1, delta) for first, count, stride, delta in runs]


def write_rows(out, items):
    line = '  '
    for item in items:
        if len(line) + len(item) + 1 > 110:
            out.write(line + '\n')
            line = '  '
        line += item + ','
    out.write(line + '\n')


def write_ranges(out, name, meaning, found):
    """Alternately the characters left out since the last range and the characters of the next."""
    out.write(f'\n// {meaning}: {len(found)} ranges.\nconstexpr std::uint32_t {name}[] = {{\n')
    steps, position = [], 0
    for first, last in found:
        steps.append(f'{first - position},{last + 1 - first}')
        position = last + 1
    write_rows(out, steps)
    out.write('};\n')


def main():
    assert tokenizers.__version__ == '0.22.2', tokenizers.__version__
    with open(sys.argv[1], 'w') as out:
        out.write('// Generated by scripts/make_unicode_tables.py from tokenizers 0.22.2; do not edit.\n'
                  '// clang-format off\n#include "token/unicode_tables.hpp"\n\nnamespace markeval::token {\n'
                  'namespace {\n')
        for name, meaning, test in FLAGS:
            write_ranges(out, name + 'Steps', meaning, ranges(test))
        for name in CLUSTER + ['ExtPict', 'InCB=Consonant', 'InCB=Linker']:
            query = r'\p{%s}' % (name if name == 'ExtPict' or '=' in name else 'GCB=' + name)
            found = ranges(lambda c: regex.match(query, c) is not None)
            write_ranges(out, cluster_name(name) + 'Steps', query + ' of Unicode 16', found)
        out.write('\n// char::to_lowercase of Rust but for U+0130.\nconstexpr LowerRun kLower[] = {\n')
        write_rows(out, ['{%d,%d,%d,%d}' % run for run in lower_runs()])
        out.write('};\n\n}  // namespace\n\nconst PropertySteps kPropertySteps[kPropertyTables] = {\n')
        write_rows(out, ['{%s, %sSteps}' % (name, name) for name, _, _ in FLAGS])
        out.write('};\n\nconst ClusterSteps kClusterSteps[kClusterTables] = {\n')
        write_rows(out, ['{Cluster::%s, %sSteps}' % (cluster_name(name), cluster_name(name)) for name in CLUSTER])
        out.write('};\n\nconst std::span<const std::uint32_t> kPictographSteps = kExtPictSteps;\n'
                  'const std::span<const std::uint32_t> kConjunctConsonantSteps = kInCBConsonantSteps;\n'
                  'const std::span<const std::uint32_t> kConjunctLinkerSteps = kInCBLinkerSteps;\n'
                  'const std::span<const LowerRun> kLowerRuns = kLower;\n\n}  // namespace markeval::token\n')


main()
