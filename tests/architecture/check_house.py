"""Checks the sources against the house rules: include direction, file length, no printing or exiting in the library,
no function of the C library whose last bit hangs on the machine, no type name that means two things, a first sentence in
every source, JSON by one header, no comment that begins with "Of", at most seven parameters, no comparison with the name of a metric; and the
map of the code against the files it names.

Usage: check_house.py PROJECT_FOLDER. Prints every fault as file:line: what; exits 1 if there is one."""
import pathlib
import re
import sys

MAX_LINES = 400
MAX_MAIN_LINES = 65  # the program's entry only hands on
MAX_PARAMETERS = 7
NAME_COMPARED = re.compile(r'(?:[!=]=\s*|\b(?:starts_with|ends_with|contains|find|rfind|compare)\()"([\w+-]+)[:.]?"')
# The C library asks for memory to keep a destructor in mind, and ends the program where there is none.
THREAD_LOCAL = re.compile(r'\bthread_local\b(?! (?:PerThread<|ScratchBuffer\b|std::size_t|Exchange\b|[^;(]*\*))')
# Their own files; sacrebleu's command line; the unit 'character'.
MAY_NAME_METRICS = ('src/metric/', 'src/trained/', 'src/cli/sacrebleu_', 'src/api/align.cpp')
CALL = re.compile(r'([\w~>\]:)]+)\s*\(')  # whatever may stand before a list of parameters
# A type and, maybe, a name and a default: "const Rows<float>& rows = {}", "std::size_t", not "rows" of a call.
PARAMETER = re.compile(r'^\s*(?:[\w:]+\s+)*[\w:]+(?:\s*<.*>)?(?:\s+const)?(?:\s*[*&]+\s*|\s+)(?:const\s*)?\w*(?:\[\w*\])?\s*(?:=.*)?$', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
# What only the command line, the binding and tests may do.
FORBIDDEN_IN_LIBRARY = re.compile(
    r'\b(std::cout|std::cerr|std::clog|printf|fprintf|puts|fmt::print|std::exit|std::abort|std::terminate|_exit|quick_exit)\b|(?<![\w.:>])(exit|abort)\s*\(')
# One file writes to the terminal, so that nothing a terminal obeys passes.
WRITES = re.compile(r'\b(stdout|stderr|std::cerr|std::clog|printf|fprintf|puts|fputs|fmt::print)\b|\bstd::cout\s*<<')
WRITER = 'src/cli/terminal.cpp'
# IEEE 754 defines the last bit of sqrt, fma, floor and abs, but not of these: base/elementary has them.
# Called bare, of std, of the global namespace, or for a whole array of Eigen.
INEXACT = ('exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|'
           'erf|erfc|tgamma|lgamma|lgamma_r|beta|cbrt|hypot')
INEXACT_CALL = re.compile(rf'\bstd::({INEXACT})[fl]?\b|(?<![\w.:>])(::)?({INEXACT})[fl]?\s*\(|\.({INEXACT})\(\)')
MAY_BE_INEXACT = ('src/base/elementary.', 'src/compute/reference/')  # who defines them, and the tests' oracle
# Folders behind an interface, and who besides themselves may look inside.
WALLS = {'compute/cuda/': ('src/compute/',),
         'compute/cpu/': ('src/compute/', 'src/geometry/cpu/', 'src/geometry/set_engine.cpp'),
         'geometry/cuda/': ('src/geometry/cuda/', 'src/geometry/set_engine.cpp'),
         'geometry/cpu/': ('src/geometry/cpu/', 'src/geometry/set_engine.cpp')}
# A definition, not a forward declaration: the name stands before a brace or a base class. `X::Impl` counts as Impl.
TYPE = re.compile(r'^\s*(?:struct|class|enum class|union)\s+(?:alignas\(\w+\)\s+)?(?:\w+::)*(\w+)(?:\s+final)?\s*(?::[^:;]*)?(?:\{|$)')
COMMENT = re.compile(r'//.*')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
BEGINS_WITH_OF = re.compile(r'//[/!<]*\s*Of\b')  # a sentence begins with what it is about
MAP = 'docs/background/architecture.md'
NAMED_IN_MAP = re.compile(r'`([a-z_]+(?:/[a-z_0-9]+)+(?:\.[a-z]+)?)`')
FILE_SYSTEM_CALL = re.compile(r'\b(?:fs|filesystem)::(exists|is_directory|is_regular_file|file_size|remove|remove_all|canonical|'
                              r'weakly_canonical|absolute|status|symlink_status|create_directories|create_directory|'
                              r'current_path|temp_directory_path|last_write_time|directory_iterator|'
                              r'recursive_directory_iterator)\(')


def read_directions(path):
    directions = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith('#'):
            folder, _, allowed = line.partition('\t')
            directions[folder] = {'base', folder, *allowed.split()}
    return directions


def read_shared_names(path):
    """Names that several types may have, with the reason behind a tab."""
    return {line.split('\t')[0] for line in path.read_text().splitlines() if line and not line.startswith('#')}


def check_type_names(root):
    """Two definitions of one name in `src` are two things of one name, whatever their folder or class."""
    shared = read_shared_names(root / 'tests/architecture/shared_type_names.tsv')
    places, faults = {}, []
    for path in sources(root, 'src'):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = TYPE.match(COMMENT.sub('', line).rstrip())
            if not match or match[1] in shared:
                continue
            place = f'{path.relative_to(root)}:{number}'
            if match[1] in places:
                faults.append(f'{place}: type {match[1]} is also defined at {places[match[1]]}')
            else:
                places[match[1]] = place
    return faults


def begins_with_sentence(lines):
    """A source says what it is before its first line of code."""
    for line in lines:
        if line.strip() and not line.startswith('#pragma once'):
            return line.startswith(('//', '/*'))
    return True


def check_map(root):
    """Every folder of `src` has a row in the map, and every file the map names is there."""
    if not (root / MAP).exists():
        return []
    faults = []
    text = (root / MAP).read_text()
    for folder in sorted(path.name for path in (root / 'src').iterdir() if path.is_dir()):
        if f'\n| `{folder}` |' not in '\n' + text:
            faults.append(f'{MAP}: no row for the folder {folder}')
    for number, line in enumerate(text.splitlines(), 1):
        row = re.match(r'\| `(\w+)` \|', line)
        names = NAMED_IN_MAP.findall(line)
        if row:
            names += [f'{row[1]}/{name}' for name in re.findall(r'`([a-z_0-9]+\.hpp|[a-z_0-9]+\.cpp)`', line)]
        for name in names:
            ways = [root / name, root / 'src' / name, *(root / 'src' / f'{name}{end}' for end in ('.hpp', '.cpp'))]
            if not any(way.exists() for way in ways):
                faults.append(f'{MAP}:{number}: no {name} in the sources')
    return faults


def sources(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in {'.cpp', '.hpp', '.cu', '.cuh'}:
                yield path


def throwing_call(code):
    """The name of a call of std::filesystem in the form that throws: without a place for the error."""
    for call in FILE_SYSTEM_CALL.finditer(code):
        depth, commas, end = 1, 0, call.end()
        while end < len(code) and depth > 0:
            depth += {'(': 1, '{': 1, ')': -1, '}': -1}.get(code[end], 0)
            commas += code[end] == ',' and depth == 1
            end += 1
        is_status = re.match(r'(\w+::)?(symlink_)?status\b', code[call.end():])
        if depth == 0 and commas == 0 and not is_status:
            return call[1]
    return None


def metric_names(root):
    """Those of the registry: `.name = "me"`, `one("bleu", ...`, `rouge("rouge1", ...`."""
    texts = (path.read_text() for path in sources(root, 'src/metric'))
    return {name for text in texts for name in re.findall(r'(?:\.name = |\b(?:one|rouge|trained_metric)\()"([\w+-]+)"', text)}


def without_words(code):
    """The code without comments and the insides of its strings and characters; every line keeps its number."""
    code = re.sub(r'R"(\w*)\(.*?\)\1"', lambda match: '""' + '\n' * match[0].count('\n'), code, flags=re.S)
    code = re.sub(r'/\*.*?\*/', lambda match: '\n' * match[0].count('\n'), STRING.sub('""', COMMENT.sub('', code)), flags=re.S)
    return re.sub(r"'(?:[^'\\\n]|\\.)'", "'c'", code)


def long_parameter_lists(code):
    """(line, name) of what is declared with more than MAX_PARAMETERS parameters: functions, their pointers, types of them."""
    code = without_words(code)
    for start in CALL.finditer(code):
        depth, angles, end, pieces = 1, 0, start.end(), [start.end()]
        while end < len(code) and depth > 0:
            letter = code[end]
            depth += {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}.get(letter, 0)
            angles += letter == '<' and (code[end - 1].isalnum() or code[end - 1] == '_')
            angles -= letter == '>' and angles > 0 and code[end - 1] != '-'
            if letter == ',' and depth == 1 and angles == 0:
                pieces.append(end + 1)
            end += 1
        parameters = [code[a:b] for a, b in zip(pieces, [place - 1 for place in pieces[1:]] + [end - 1])]
        if len(parameters) > MAX_PARAMETERS and all(PARAMETER.match(one) for one in parameters):
            yield code.count('\n', 0, start.start()) + 1, start[1]


def check(root):
    directions = read_directions(root / 'tests/architecture/include_direction.tsv')
    faults = []
    for path in sources(root, 'src', 'tests', 'bench', 'examples', 'python'):
        lines = path.read_text().splitlines()
        if len(lines) > MAX_LINES:
            faults.append(f'{path.relative_to(root)}: {len(lines)} lines, at most {MAX_LINES}')
    names = metric_names(root)
    for path in sources(root, 'src'):
        if path.relative_to(root).as_posix().startswith(MAY_NAME_METRICS):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in names.intersection(NAME_COMPARED.findall(COMMENT.sub('', line))):
                faults.append(f'{path.relative_to(root)}:{number}: compares with the name {name}, expected a property of its entry')
    for path in sources(root, 'src', 'python'):
        for number, name in long_parameter_lists(path.read_text()):
            faults.append(f'{path.relative_to(root)}:{number}: {name} has more than {MAX_PARAMETERS} parameters')
    for path in sources(root, 'src'):
        relative = path.relative_to(root)
        folder = relative.parts[1]
        lines = path.read_text().splitlines()
        if not begins_with_sentence(lines):
            faults.append(f'{relative}:1: the source does not begin with a sentence that says what it is')
        if folder not in directions:
            faults.append(f'{relative}: folder {folder} is not listed in include_direction.tsv')
            continue
        for number, line in enumerate(lines, 1):
            if BEGINS_WITH_OF.search(line):
                faults.append(f'{relative}:{number}: a comment begins with its subject, not with "Of"')
            match = INCLUDE.match(line)
            if match:
                target = match[1].split('/')[0]
                if '/' not in match[1]:
                    faults.append(f'{relative}:{number}: "{match[1]}" lacks its folder')
                elif target not in directions[folder]:
                    faults.append(f'{relative}:{number}: {folder} may not include {target}')
                for inner, users in WALLS.items():
                    if match[1].startswith(inner) and not relative.as_posix().startswith(users):
                        faults.append(f'{relative}:{number}: no header of {inner[:-1]} is seen outside it')
                continue
            if '<nlohmann/json.hpp>' in line and relative.as_posix() != 'src/base/json.hpp':
                faults.append(f'{relative}:{number}: JSON of the library asks for memory where it dies, take base/json.hpp')
            code = STRING.sub('""', COMMENT.sub('', line))
            if folder != 'cli' and FORBIDDEN_IN_LIBRARY.search(code):
                faults.append(f'{relative}:{number}: the library neither prints nor exits')
            if folder == 'cli' and relative.as_posix() != WRITER and WRITES.search(code):
                faults.append(f'{relative}:{number}: only {WRITER} writes to the terminal')
            if THREAD_LOCAL.search(code):
                faults.append(f'{relative}:{number}: a thread_local object with a destructor, take base/per_thread')
            inexact = INEXACT_CALL.search(code)
            if inexact and not relative.as_posix().startswith(MAY_BE_INEXACT):
                faults.append(f'{relative}:{number}: {inexact[0]} differs between machines, take base/elementary')
            thrown = throwing_call(code)
            if thrown:
                faults.append(f'{relative}:{number}: {thrown} throws what nobody expects, take base/paths')
            if '.dump(' in code and relative.as_posix() != 'src/base/json_text.hpp':
                faults.append(f'{relative}:{number}: dump throws where a name is no UTF-8, take base/json_text')
    faults += check_type_names(root)
    faults += check_map(root)
    for name in ('src/cli/main.cpp', 'src/cli/program.cpp'):
        if (root / name).exists() and len((root / name).read_text().splitlines()) > MAX_MAIN_LINES:
            faults.append(f'{name}: more than {MAX_MAIN_LINES} lines')
    return faults


if __name__ == '__main__':
    found = check(pathlib.Path(sys.argv[1]))
    print('\n'.join(found) if found else 'the house is in order')
    sys.exit(1 if found else 0)
