#!/usr/bin/env python3
"""Makes docs/pictures/report.png, the picture of README.md: make_picture.py [--program build/release/markeval]

Scores the example texts, opens the report page in headless Chromium (package chromium) and takes the head of the page with
the overview, and below it the matched tokens of three segments. Needs the default model."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tests/report/browser'))
from browser import Browser, find_browser  # noqa: E402

# Leaves of the page what the picture shows: the headline, the overview, and three segments with the tokens that were matched.
SHORTEN = """
document.querySelectorAll('details, nav, .note, footer').forEach(part => part.remove());
document.querySelectorAll('section').forEach(section => {
  const title = section.querySelector('h2').textContent;
  if (title.startsWith('Best and worst')) {
    section.querySelectorAll('h3, h4:not(.pair h4)').forEach(part => part.remove());
    const pairs = section.querySelector('.pairs');
    [...pairs.children].slice(3).forEach(pair => pair.remove());
    let after = pairs.nextElementSibling;
    while (after) { const next = after.nextElementSibling; after.remove(); after = next; }
  } else if (title !== 'Overview') section.remove();
});
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default=ROOT / 'build/release/markeval')
    parser.add_argument('--output', default=ROOT / 'docs/pictures/report.png')
    arguments = parser.parse_args()
    texts = ROOT / 'examples/texts'
    with tempfile.TemporaryDirectory() as folder:
        page = f'{folder}/report.html'
        subprocess.run([arguments.program, 'score', '-r', texts / 'reference.txt', '-s',
                        *(texts / f'{name}.txt' for name in ('faithful', 'literal', 'repetitive', 'scrambled')),
                        '-m', 'match', 'bertscore', 'chrf', '--report', page, '--quiet'],
                       check=True, stdout=subprocess.DEVNULL)
        browser = Browser(find_browser())
        try:
            browser.look(1180)
            browser.open(page)
            browser.evaluate(SHORTEN)
            if browser.evaluate("document.querySelectorAll('.pair').length") != 3:
                sys.exit('the page no longer has what this script looks for: see SHORTEN')
            browser.screenshot(arguments.output)
        finally:
            browser.close()


if __name__ == '__main__':
    main()
