"""A check that cannot fail is no check: every rule of check_house.py is broken once on purpose."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_house import MAP, check  # noqa: E402

CASES = [
    ('src/base/a.hpp', '#include "geometry/b.hpp"\n', 'base may not include geometry'),
    ('src/base/a.hpp', '#include "b.hpp"\n', 'lacks its folder'),
    ('src/base/a.hpp', 'int x;\n' * 400, '401 lines'),
    ('src/base/a.cpp', 'void f() { printf("x"); }\n', 'neither prints nor exits'),
    ('src/base/a.cpp', 'void f() { exit(1); }\n', 'neither prints nor exits'),
    ('src/cli/a.cpp', 'void f() { std::fputs(name, stderr); }\n', 'writes to the terminal'),
    ('src/cli/a.cpp', 'void f() { std::cout << name; }\n', 'writes to the terminal'),
    ('src/cli/terminal.cpp', 'void f() { std::fwrite(text, 1, 1, stdout); }\n', None),
    ('src/embed/a.cpp', '#include "compute/cuda/b.hpp"\n', 'outside it'),
    ('src/metric/a.cpp', '#include "geometry/cpu/b.hpp"\n', 'outside it'),
    ('src/api/a.cpp', 'bool f(S s) { return std::filesystem::exists(name(s)); }\n', 'take base/paths'),
    ('src/api/a.cpp', 'for (const auto& entry : fs::directory_iterator(folder)) {}\n', 'take base/paths'),
    ('src/api/a.cpp', 'bool f(S s) { return fs::exists(name(s), error) && fs::exists(fs::symlink_status(s, error)); }\n', None),
    ('src/api/a.cpp', 'std::string f(Json j) { return j.dump(1); }\n', 'take base/json_text'),
    ('src/api/a.cpp', '#include <nlohmann/json.hpp>\n', 'take base/json.hpp'),
    ('src/embed/a.cpp', 'thread_local std::vector<int> rows;\n', 'take base/per_thread'),
    ('src/embed/a.cpp', 'thread_local PerThread<Rows> rows;\nthread_local const int* flag = nullptr;\n', None),
    ('src/attic/a.cpp', 'int x;\n', 'not listed'),
    ('src/cli/main.cpp', 'int x;\n' * 65, 'more than 65 lines'),
    ('src/cli/program.cpp', 'int x;\n' * 65, 'more than 65 lines'),
    ('src/meta/a.cpp', 'double f(double x) { return std::exp(x); }\n', 'differs between machines'),
    ('src/meta/a.cpp', 'float f(float x) { return 2 * tanhf(x); }\n', 'differs between machines'),
    ('src/meta/a.cpp', 'double f(double x) { return ::lgamma (x); }\n', 'differs between machines'),
    ('src/meta/a.cpp', 'auto f = std::log2<double>;\n', 'differs between machines'),
    ('src/meta/a.cpp', 'auto f(Eigen::ArrayXd x) { return x.exp(); }\n', 'differs between machines'),
    ('src/meta/a.cpp', 'double f(double x) { return elementary::exp(x) + std::sqrt(x) + std::fma(x, x, x); }\n', None),
    ('src/meta/a.cpp', '// not std::exp(x)\nvoid f() { options.log(1); expect(catalog(2)); }\n', None),
    ('src/base/elementary.cpp', 'double exp(double x) { return x; }\n', None),
    ('src/compute/reference/a.cpp', 'double f(double x) { return std::erfc(x); }\n', None),
    ('src/base/a.cpp', 'struct Twin {};\nclass Other {\n  struct Twin { int x; };\n};\n', 'type Twin is also defined'),
    ('src/base/a.cpp', 'class Twin final : public Base {\n};\nenum class Twin { a };\n', 'type Twin is also defined'),
    ('src/base/a.cpp', 'struct A::Twin {\n};\nstruct Twin\n{\n};\n', 'type Twin is also defined'),
    ('src/base/a.cpp', 'struct Twin;\nclass Twin;\nstruct Twin {};\n// struct Twin {\n', None),
    ('src/base/a.cpp', 'struct A::Impl {\n};\nstruct B::Impl {\n};\n', None),
    ('src/base/a.hpp', 'void f(int a, const S<A, B>& b, C* c, D d = {1, 2}, std::span<const E> e, F f /* f */,\n       G& g, H h);\n', 'f has more than 7'),
    ('src/base/a.hpp', 'struct S {\n  std::size_t (*f)(A a, B b, C c, D d, E e, F f, const G& g, H* h) = nullptr;\n};\n', 'more than 7'),
    ('src/base/a.cpp', 'template <class T>\nvoid S<T>::f(A a, B b, C c, D d, E e, F f, G g, unsigned long h) {}\n', 'more than 7'),
    ('src/base/a.hpp', 'void f(A a, const S<A, B, C, D, E, F, G, H>& b, C c, D d, E e, F f, G g);\n', None),
    ('src/base/a.cpp', 'int x = f(a, b, c, d, e, f, g, h) + g("a, b, c, d", 1, 2, 3, 4, 5, 6, S{7});\n', None),
    ('src/score/a.cpp', 'bool f(M m) { return m.info->name == "me"; }\n', 'compares with the name me'),
    ('src/score/a.cpp', 'bool f(M m) { return m.text.starts_with("me"); }\n', 'compares with the name me'),
    ('src/score/a.cpp', 'bool f(M m) { return m.text.find("me") == 0; }\n', 'compares with the name me'),
    ('src/score/a.cpp', 'bool f(M m) { return m.text.starts_with("me:"); }\n', 'compares with the name me'),
    ('src/score/a.cpp', 'bool f(M m) { return m.option == "mean" || g("me"); }  // == "me"\n', None),
    ('src/base/a.cpp', '// printf( is only named here\nauto s = "exit(1)";\n', None),
    ('src/base/a.cpp', 'no head\nint x;\n', 'does not begin with a sentence'),
    ('src/base/a.hpp', '#pragma once\n\nint x;\n', 'does not begin with a sentence'),
    ('src/base/a.hpp', '// What it is.\n#pragma once\n\nint x;\n', None),
    ('src/base/a.cpp', 'int x;  ///< Of the pool.\n', 'begins with its subject'),
    ('src/base/a.cpp', '/// Number of rows. Often 3.\nint x;\n', None),
    (MAP, '| `base` | errors |\n', None),
    (MAP, '| `text` | lines |\n', 'no row for the folder base'),
    (MAP, '| `base` | errors | `here.hpp` |\nin `base/here`\n', None),
    (MAP, '| `base` | errors | `gone.hpp` |\n', 'no base/gone.hpp'),
    (MAP, '| `base` | errors |\nin `base/gone`\n', 'no base/gone in'),
]

failed = 0
for name, text, expected in CASES:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        rules = root / 'tests/architecture'
        rules.mkdir(parents=True)
        source = pathlib.Path(__file__).parent / 'include_direction.tsv'
        (rules / 'include_direction.tsv').write_text(source.read_text())
        (rules / 'shared_type_names.tsv').write_text('Impl\twhat stands behind a pointer\n')
        (root / 'src/metric').mkdir(parents=True)
        (root / 'src/metric/registry.cpp').write_text('// What it is.\nM entry{.name = "me"};\n')
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        has_head = name == MAP or 'sentence' in str(expected) or text.startswith('// What')
        (root / name).write_text(text.removeprefix('no head\n') if has_head else '// What it is.\n' + text)
        if name == MAP:
            (root / 'src/metric/registry.cpp').unlink()
            (root / 'src/metric').rmdir()
            (root / 'src/base').mkdir(parents=True)
            (root / 'src/base/here.hpp').write_text('// What it is.\n')
        faults = check(root)
        good = not faults if expected is None else any(expected in fault for fault in faults)
        if not good:
            failed += 1
            print(f'{name}: expected {expected!r}, found {faults}')
print(f'{len(CASES) - failed} passed, {failed} failed')
sys.exit(1 if failed else 0)
