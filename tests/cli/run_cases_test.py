"""A check that cannot fail is no check: expectations that must and must not match."""
import sys

from run_cases import matches, parse

CASES = [
    (['a', 'b'], ['a', 'b'], True),
    (['a'], ['a', 'b'], False),
    (['a', 'b'], ['a'], False),
    ([], ['a'], False),
    (['a', '...'], ['a', 'b', 'c'], True),
    (['a', '...', 'c'], ['a', 'b'], False),
    (['x [...] z'], ['x y z'], True),
    (['x [...] z'], ['x y'], False),
    (['a.c'], ['abc'], False),
]
failed = [case for case in CASES if matches(case[0], case[1]) != case[2]]
parsed = parse('# why\n$ one\n$ two\n[stdout]\nx\n[stderr]\ny\n[exit] 2\n')
if parsed != (['# why'], ['one', 'two'], {'stdout': ['x'], 'stderr': ['y']}, 2):
    failed.append(parsed)
print(failed if failed else f'{len(CASES) + 1} passed')
sys.exit(1 if failed else 0)
