"""Hook of mkdocs: links of docs/ to files beside it (the changelog, model cards, examples of settings) work on the site too.

On GitHub such links lead to files of the project. The site has docs/ only, so those files are copied into its folder
`project`, and links are written anew."""
import os
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r'(!?\[[^\]]*\]\()([^)#\s]+)((?:#[^)\s]*)?\))')
FENCE = re.compile(r'(^```.*?^```[ \t]*$)', re.S | re.M)


def place(uri):
    """Where a page of the site lies in the project."""
    return ROOT / uri[len('project/'):] if uri.startswith('project/') else ROOT / 'docs' / uri


def uri_of(path):
    """Where a file of the project lies on the site."""
    inside = path.relative_to(ROOT).as_posix()
    return inside[len('docs/'):] if inside.startswith('docs/') else f'project/{inside}'


def targets(page, text):
    """Files of the project that a page links to."""
    for part in FENCE.split(text)[::2]:
        for link in LINK.finditer(part):
            if not re.match(r'[a-z][a-z0-9+.-]*:', link[2]):
                yield pathlib.Path(os.path.normpath(page.parent / link[2]))


def on_files(files, config):
    waiting = [place(file.src_uri) for file in files.documentation_pages()]
    known = set(waiting)
    while waiting:
        page = waiting.pop()
        for path in targets(page, page.read_text()):
            if path in known or not path.is_file() or path.is_relative_to(ROOT / 'docs'):
                continue
            known.add(path)
            files.append(File.generated(config, uri_of(path), abs_src_path=str(path)))
            if path.suffix == '.md':
                waiting.append(path)
    return files


def on_page_markdown(markdown, page, config, files):
    here = place(page.file.src_uri)

    def mended(link):
        if re.match(r'[a-z][a-z0-9+.-]*:', link[2]):
            return link[0]
        path = pathlib.Path(os.path.normpath(here.parent / link[2]))
        if path.is_dir() and (path / 'README.md').exists():
            path = path / 'README.md'
        if not path.is_file():
            return link[0]
        return link[1] + os.path.relpath(uri_of(path), os.path.dirname(page.file.src_uri)) + link[3]

    parts = FENCE.split(markdown)
    parts[::2] = [LINK.sub(mended, part) for part in parts[::2]]
    return ''.join(parts)
