"""check_links.py finds what is wrong in a small project made to be wrong: check_links_test.py"""
import pathlib
import tempfile
import unittest

import check_links

PAGES = {
    'docs/README.md': '# Home\n\n[good](a.md#two-words) [same page](#home)\n',
    'docs/a.md': '# A\n\n## Two words\n\n```sh\n[not a link](nowhere.md)\n```\n`[nor this](nowhere.md)`\n[back](README.md)\n',
    'mkdocs.yml': 'site_name: x\nnav:\n  - Home: README.md\n  - A: a.md\n',
    'src/x.hpp': '// See docs/a.md.\n',
}


class CheckLinks(unittest.TestCase):
    def faults(self, **changes):
        pages = {**PAGES, **{name.replace('__', '/').replace('_md', '.md'): text for name, text in changes.items()}}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in pages.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            faults, reached = check_links.check_links(root)
            return faults + check_links.check_reach(root, reached) + check_links.check_menu(root) + \
                check_links.check_mentions(root)

    def test_a_good_project_has_none(self):
        self.assertEqual(self.faults(), [])

    def test_finds_a_missing_file(self):
        self.assertIn('docs/a.md:1: b.md: there is no b.md', self.faults(docs__a_md='[x](b.md)\n## Two words\n'))

    def test_finds_a_missing_picture(self):
        self.assertIn('docs/a.md:1: p.png: there is no p.png', self.faults(docs__a_md='<img src="p.png">\n## Two words\n'))

    def test_finds_a_missing_heading(self):
        self.assertIn('has no heading #two-words', ' '.join(self.faults(docs__a_md='# A\n')))

    def test_takes_headings_in_code_for_code(self):
        self.assertIn('has no heading #two-words', ' '.join(self.faults(docs__a_md='```sh\n# Two words\n```\n')))

    def test_finds_an_anchor_that_the_site_spells_otherwise(self):
        self.assertIn('change the heading', ' '.join(self.faults(docs__a_md='## Two - words\n[x](#two---words)\n')))

    def test_finds_a_page_no_link_leads_to(self):
        faults = self.faults(docs__b_md='# B\n')
        self.assertIn('docs/b.md: no link leads here from docs/README.md', faults)
        self.assertIn('mkdocs.yml: the menu lacks b.md', faults)

    def test_finds_a_wrong_path_in_a_source(self):
        self.assertEqual(check_links.MENTION.findall('tests/docs/check.py'), [])
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / 'src').mkdir()
            (root / 'src/y.cpp').write_text('\n// docs/gone.md says why\n')
            self.assertEqual(check_links.check_mentions(root), ['src/y.cpp:2: there is no docs/gone.md'])


if __name__ == '__main__':
    unittest.main()
