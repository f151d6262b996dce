"""Checks that what the documentation points at is there: check_links.py --root PROJECT

- Every link of a Markdown file leads to a file or folder of the project, and its #anchor to a heading there. An anchor must
  read the same on GitHub and on the site, which make them of headings in slightly different ways.
- Every page of docs/ can be reached from docs/README.md, and stands in the menu of mkdocs.yml; the menu has no other pages.
- A path of docs/ named in a source file, a script, a test or a help text is there.
Links to other hosts are not followed."""
import argparse
import os
import pathlib
import re
import sys

LINK = re.compile(r'\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|\bsrc="([^"]+)"')
MENTION = re.compile(r'(?<![\w/])docs/[a-zA-Z0-9_./-]+')
FENCE = re.compile(r'^(```|~~~).*?^\1[ \t]*$', re.S | re.M)
CODE = re.compile(r'`[^`\n]*`')
SOURCES = ('src', 'tests', 'scripts', 'python', 'bench', 'cmake', 'packaging', '.github')
SOURCE_FILES = ('Makefile', 'CMakeLists.txt', 'CONTRIBUTING.md', 'CHANGELOG.md', 'mkdocs.yml')
SOURCE_ENDINGS = {'.cpp', '.hpp', '.py', '.sh', '.case', '.txt', '.cmake', '.tsv', '.yml', '.md', ''}


def plain(heading):
    """The words of a heading without Markdown."""
    heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading)
    return heading.replace('`', '').replace('*', '').strip()


def github_anchor(heading):
    return re.sub(r'[^\w\- ]', '', plain(heading).lower()).replace(' ', '-')


def site_anchor(heading):
    return re.sub(r'[-\s]+', '-', re.sub(r'[^\w\s-]', '', plain(heading)).strip().lower())


def anchors(text):
    """Anchors of a page: those that both GitHub and the site make, and all that GitHub makes."""
    headings = re.findall(r'^#{1,6}[ \t]+(.+?)[ \t]*#*$', FENCE.sub('', text), re.M)
    seen, both, github = {}, set(), set()
    for heading in headings:
        anchor = github_anchor(heading)
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        github.add(anchor if count == 0 else f'{anchor}-{count}')
        if count == 0 and anchor == site_anchor(heading):
            both.add(anchor)
    return both, github


def links(text):
    """(line, target) of every link outside code."""
    blank = FENCE.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text)
    blank = CODE.sub(lambda match: ' ' * len(match[0]) if '](' in match[0] else match[0], blank)
    for match in LINK.finditer(blank):
        yield blank.count('\n', 0, match.start()) + 1, match[1] or match[2]


def markdown_files(root):
    skipped = {'build', 'dist', 'models', '.git'}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in skipped)
        for name in sorted(names):
            if name.endswith('.md'):
                yield pathlib.Path(folder) / name


def check_links(root):
    """Faults of all links, and which page links to which."""
    faults, reached, cache = [], {}, {}
    for page in markdown_files(root):
        text = page.read_text()
        where = page.relative_to(root)
        for line, target in links(text):
            if re.match(r'[a-z][a-z0-9+.-]*:', target):
                continue
            path, _, anchor = target.partition('#')
            file = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
            if not file.exists():
                faults.append(f'{where}:{line}: {target}: there is no {path}')
                continue
            if root not in file.parents and file != root:
                faults.append(f'{where}:{line}: {target}: lies outside the project')
                continue
            reached.setdefault(page, set()).add(file)
            if anchor and file.suffix == '.md':
                both, github = cache.setdefault(file, anchors(file.read_text()))
                if anchor not in github:
                    faults.append(f'{where}:{line}: {target}: {path or where} has no heading #{anchor}')
                elif anchor not in both:
                    faults.append(f'{where}:{line}: {target}: the site calls this heading otherwise; change the heading')
    return faults, reached


def check_reach(root, reached):
    """Pages of docs/ that no way leads to from docs/README.md."""
    start = root / 'docs/README.md'
    known, waiting = {start}, [start]
    while waiting:
        for file in reached.get(waiting.pop(), ()):
            if file.suffix == '.md' and file not in known:
                known.add(file)
                waiting.append(file)
    return [f'{page.relative_to(root)}: no link leads here from docs/README.md'
            for page in sorted((root / 'docs').rglob('*.md')) if page not in known]


def check_menu(root):
    """The menu of the site has every page once."""
    menu = (root / 'mkdocs.yml').read_text().partition('\nnav:')[2]
    named = re.findall(r'([\w./-]+\.md)\s*$', menu, re.M)
    pages = {str(page.relative_to(root / 'docs')) for page in (root / 'docs').rglob('*.md')}
    faults = [f'mkdocs.yml: the menu lacks {page}' for page in sorted(pages - set(named))]
    faults += [f'mkdocs.yml: the menu names {page}, which is not in docs/' for page in sorted(set(named) - pages)]
    return faults + [f'mkdocs.yml: the menu names {page} twice' for page in sorted(set(named)) if named.count(page) > 1]


PAGES_OF_THEIR_OWN = {'check_links_test.py', 'check_claims_test.py'}  # tests that write pages


def source_files(root):
    for name in SOURCE_FILES:
        if (root / name).exists():
            yield root / name
    for name in SOURCES:
        for file in sorted((root / name).rglob('*')):
            if file.is_file() and file.suffix in SOURCE_ENDINGS and file.name not in PAGES_OF_THEIR_OWN \
                    and '__pycache__' not in file.parts:
                yield file


def check_mentions(root):
    """Paths of docs/ in sources; a decision may be named by its number alone."""
    faults = []
    for file in source_files(root):
        for line, text in enumerate(file.read_text(errors='replace').splitlines(), 1):
            for mention in MENTION.findall(text):
                path = root / mention.rstrip('./')
                if not path.exists() and not list(path.parent.glob(path.name + '-*.md')):
                    faults.append(f'{file.relative_to(root)}:{line}: there is no {mention}')
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', required=True, type=lambda path: pathlib.Path(path).resolve())
    root = parser.parse_args().root
    faults, reached = check_links(root)
    faults += check_reach(root, reached) + check_menu(root) + check_mentions(root)
    for fault in faults:
        print(fault)
    print(f'{sum(map(len, reached.values()))} links of {len(reached)} pages, {len(faults)} faults')
    sys.exit(1 if faults or not reached else 0)


if __name__ == '__main__':
    main()
