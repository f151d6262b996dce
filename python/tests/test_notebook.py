"""A notebook, executed: results are tables, and the bar is gone when the work is done."""

import unittest

CELLS = [
    "import markeval",
    'refs = ["a cat sat there", "the dog ran away"]\n'
    'systems = {"one": ["a cat sat here", "a dog ran"], "two": ["the cat", "the dog ran away"]}',
    'markeval.score(refs, systems, ["chrf", "bleu"])',
    'markeval.compare(refs, systems, "chrf")',
    'markeval.metrics("chrf")',
    "from markeval._progress import NotebookBar\n"
    "bar = NotebookBar(wait_seconds=0)\n"
    'bar("work", 1, 2)\n'
    "bar.close()",
    'markeval.score(refs, systems, "bleeu")',
]


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import ipykernel  # noqa: F401
            import nbclient
            import nbformat
        except ImportError as error:
            raise unittest.SkipTest(f"{error.name} is not installed") from None
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
        nbclient.NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
        cls.cells = notebook.cells

    def html_of(self, cell):
        return "".join(one["data"]["text/html"] for one in self.cells[cell].outputs if "text/html" in one.get("data", {}))

    def test_scores_are_a_table_with_the_page_folded_away(self):
        html = self.html_of(2)
        self.assertIn(">one</td>", html)
        self.assertIn("<iframe data-page=", html)
        self.assertLess(len(html), 40_000)

    def test_a_comparison_is_a_table(self):
        self.assertIn(">rank</th>", self.html_of(3))

    def test_metrics_are_a_table(self):
        self.assertIn(">chrf</td>", self.html_of(4))

    def test_the_bar_goes_away(self):
        shown = [one["data"]["text/plain"] for one in self.cells[5].outputs if "data" in one]
        self.assertEqual(shown, [""])
        self.assertFalse([one for one in self.cells[5].outputs if one.get("name") == "stderr"])

    def test_a_typo_is_answered_with_the_right_word(self):
        (error,) = [one for one in self.cells[6].outputs if one.output_type == "error"]
        self.assertIn("did you mean 'bleu'", error.evalue)


if __name__ == "__main__":
    unittest.main()
