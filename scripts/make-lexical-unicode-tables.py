"""Writes src/lexical/unicode_tables.cpp: the character properties the public metric tools see.

Usage: python3 scripts/make-lexical-unicode-tables.py > src/lexical/unicode_tables.cpp
Run with the Python and the `regex` package the public tools run with: str.lower() follows the interpreter's Unicode
version (3.11: 14.0.0), \\p{P}, \\p{S} and \\p{N} follow the `regex` package's own, newer tables."""
import platform
import sys
import unicodedata

import regex

EVERYTHING = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(values):
    """{code point: value} -> [(first, last, value)], neighbours with one value joined."""
    out = []
    for code, value in sorted(values.items()):
        if out and out[-1][1] == code - 1 and out[-1][2] == value:
            out[-1][1] = code
        else:
            out.append([code, code, value])
    return out


def categories():
    patterns = [(letter, regex.compile(r'\p{%s}' % letter)) for letter in 'PSN']
    values = {}
    for code in EVERYTHING:
        for letter, pattern in patterns:
            if pattern.match(chr(code)):
                values[code] = letter
    return [(first, last, {'P': 1, 'S': 2, 'N': 3}[value]) for first, last, value in ranges(values)]


def casing():
    """How a character counts when str.lower() decides whether a capital sigma ends a word: probed from outside."""
    values = {}
    for code in EVERYTHING:
        decides = (chr(code) + '\u03a3').lower()[-1] == '\u03c2'
        lets_pass = ('A' + chr(code) + '\u03a3').lower()[-1] == '\u03c2' and not decides
        if decides or lets_pass:
            values[code] = 1 if decides else 2
    return ranges(values)


def lower():
    """(first, last, step, difference): first, first+step, ..., last move by the difference."""
    pairs = [(c, ord(chr(c).lower()) - c) for c in EVERYTHING if len(chr(c).lower()) == 1 and chr(c).lower() != chr(c)]
    out = []
    for code, difference in pairs:
        if out and out[-1][3] == difference:
            first, last, step, _ = out[-1]
            if code - last in (1, 2) and step in (0, code - last):
                out[-1][1:3] = code, code - last
                continue
        out.append([code, code, 0, difference])
    return [(first, last, step or 1, difference) for first, last, step, difference in out]


def emit(kind, name, rows):
    print(f'const {kind} {name}[] = {{')
    line = '   '
    for row in rows:
        item = ' {' + ', '.join(hex(v) if i < 2 else str(v) for i, v in enumerate(row)) + '},'
        if len(line) + len(item) > 108:
            print(line)
            line = '   '
        line += item
    print(line)
    print('};')
    print(f'const std::size_t {name}_count = {len(rows)};\n')


print(f'''// Made by scripts/make-lexical-unicode-tables.py with Python {platform.python_version()} (Unicode {unicodedata.unidata_version})
// and regex {regex.__version__}. Do not edit.
#include "lexical/unicode_tables.hpp"

namespace markeval::lexical {{

// clang-format off''')
emit('CodeRange', 'category_ranges', categories())
emit('CodeRange', 'casing_ranges', casing())
emit('LowerRange', 'lower_ranges', lower())
print('''// clang-format on

}  // namespace markeval::lexical''')
sys.stdout.flush()
