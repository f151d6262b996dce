"""Makes the pages of `markeval score`, `compare`, `correlate` and `experiment` from texts of its own and opens them in headless Chromium:
no error, no request to anywhere, charts that can be read on a phone, tables that sort, texts that stay texts.

Usage: open_report.py --program MARKEVAL --examples FOLDER --model FOLDER [--emulator CMD] [--keep FOLDER]. Exit 77: no browser here."""
import argparse
import json
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, find_browser

EVIL = '<script>window.hacked=1</script><img src="http://markeval.invalid/x.png" onerror="window.hacked=2">&amp;'
WORDS = ('the harbour pilot boarded at dawn three miles out while rain fell over grey water and boys built small boats '
         'near an old stone bridge where nobody sang that cold slow morning').split()
OPTIONS = FOLDER = BROWSER = None


def write_texts(folder):
    """Texts with markup in them, an empty line, right-to-left script, and word vectors for all words."""
    draw = random.Random(7)
    references = [' '.join(draw.choices(WORDS, k=draw.randint(6, 14))) for _ in range(90)]
    references[3] += ' ' + EVIL
    references[5] = '\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd'
    for name, swaps in (('careful', 1), ('hasty', 5)):
        lines = []
        for text in references:
            words = text.split(' ')
            for _ in range(swaps):
                words[draw.randrange(len(words))] = draw.choice(WORDS)
            lines.append(' '.join(words))
        lines[7] = EVIL if name == 'hasty' else ''
        lines[9] = references[9]
        (folder / (name + '.txt')).write_text('\n'.join(lines) + '\n')
    (folder / 'reference.txt').write_text('\n'.join(references) + '\n')
    vectors = [f'{word} ' + ' '.join(f'{draw.gauss(0, 1):.3f}' for _ in range(8)) for word in WORDS]
    (folder / 'words.txt').write_text('\n'.join(vectors) + '\n')


def write_data(folder):
    """What two studies read: sentences by genre and judged translations."""
    draw = random.Random(11)
    for name in ('mnli', 'wmt17/seglevel'):
        (folder / 'data' / name).mkdir(parents=True, exist_ok=True)
    for name in ('mnli_train_subset', 'mnli_dev_matched'):
        lines = ['genre\tid\tlabel\tpremise\thypothesis']
        for i in range(40):
            texts = [' '.join(draw.choices(WORDS, k=6)) for _ in range(2)]
            lines.append('\t'.join([('fiction', 'travel')[i % 2], str(i), '0', *texts]))
        (folder / 'data' / 'mnli' / (name + '.tsv')).write_text('\n'.join(lines) + '\n')
    for pair in ('cs-en', 'de-en'):
        lines = ['human\tref\thyp']
        for i in range(30):
            words = draw.choices(WORDS, k=8)
            lines.append(f'{-(i % 6)}\t{" ".join(words)}\t{" ".join(words[i % 6:] + draw.choices(WORDS, k=i % 6))}')
        (folder / 'data' / 'wmt17' / 'seglevel' / (pair + '.tsv')).write_text('\n'.join(lines) + '\n')
    model = folder / 'tiny'  # the weights are a test's; words are spelt out
    shutil.copytree(OPTIONS.model, model, dirs_exist_ok=True)
    letters = [piece for letter in 'abcdefghijklmnopqrstuvwxyz' for piece in (letter, '##' + letter)]
    (model / 'vocab.txt').write_text('\n'.join(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', '.', *letters]) + '\n')


def run(folder, *words):
    command = shlex.split(OPTIONS.emulator) + [str(OPTIONS.program), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f'{words}: {done.stderr}')


def make_pages(folder):
    # Paths are shown on pages: a long one must not widen them, wherever the project lies.
    examples = folder / 'a_folder_whose_long_name_has_no_blank' / 'examples'
    shutil.copytree(OPTIONS.examples, examples, dirs_exist_ok=True)
    write_texts(folder)
    count = len((folder / 'reference.txt').read_text().splitlines())
    (folder / 'source.txt').write_text(''.join(f'Satz {EVIL} Nummer{i}.\n' for i in range(count)))
    run(folder, 'score', '-r', 'reference.txt', '-s', 'careful.txt', '-s', '<b>hasty=hasty.txt', '-m', 'bleu', '-m', 'chrf',
        '-m', 'moverscore:embeddings=words.txt,n=2', '-m', 'hmd:embeddings=words.txt', '--source', 'source.txt', '--report',
        'texts.html', '-q')
    with open(folder / 'several.jsonl', 'w') as file:
        draw = random.Random(5)
        for i in range(40):
            texts = [' '.join(draw.choices(WORDS, k=9)) for _ in range(3)]
            made = {f'system-number-{n}': ' '.join(texts[(i + n) % 3].split()[:4 + n] + draw.choices(WORDS, k=2)) for n in range(5)}
            file.write(json.dumps({'refs': texts, **made}) + '\n')
    run(folder, 'score', 'several.jsonl:refs', *(f'several.jsonl:system-number-{n}' for n in range(5)), '-m', 'chrf', 'rougeL',
        '--report', 'references.html', '-q')
    run(folder, 'score', '-r', str(examples / 'reference.npy'), '-s', str(examples / 'good.npy'), '-s',
        str(examples / 'poor.npy'), '-m', 'me', '-m', 'me:k=3', '-m', 'me:k=5', '-m', 'prdc', '-m', 'fid', '--report',
        'vectors.html', '-q')
    run(folder, 'score', str(examples / 'reference.npy'), str(examples / 'good.npy'), str(examples / 'poor.npy'), '-m', 'me',
        'impar.precision', 'prdc', 'fid', '--report', 'sets.html', '-q')
    run(folder, 'correlate', str(examples / 'scores.tsv'), '--gold', 'human', '--predicted', 'close', '--predicted', 'rough',
        '--predicted', 'noise', '--group', 'lp', '--test', 'perm-both', '--resamples', '200', '--report', 'correlate.html', '-q')
    run(folder, 'compare', '-r', 'reference.txt', '-s', 'careful.txt', '-s', '<b>hasty=hasty.txt', '-s', 'again=careful.txt', '-m',
        'bleu', '-m', 'ter', '-m', 'rougeL', '--resamples', '200', '--report', 'compare.html', '-q')
    write_data(folder)
    study = ('--data', 'data', '--model', 'tiny', '--cache', 'none', '-q')
    run(folder, 'experiment', 'mode-collapse', *study, '--repeats', '2', '--report', 'curves.html')
    run(folder, 'experiment', 'k-sweep', *study, '--size', '60', '--report', 'sweep.html')
    run(folder, 'experiment', 'wmt17', *study, '--part', 'cs-en', '--part', 'de-en', '-m', 'chrf', '-m', 'rougeL', '-m',
        'me:samples=word,scope=segment', '--best-k', '--max-k', '4', '--report', 'judged.html')


def by_name(text):
    """As the page sorts names: numbers in them by value, so 'layer 9' stands before 'layer 10'."""
    def place(part):
        if part.isdigit():
            return 1, int(part), ''
        return (2 if part.isalpha() else 0), 0, part.casefold()
    return [place(part) for part in re.findall(r'\d+|\D', text)]


class OpenPage:
    """What holds for every page; a class for each is made below."""
    page, charts = '', {}

    @classmethod
    def setUpClass(cls):
        cls.path, cls.browser = FOLDER / (cls.page + '.html'), BROWSER

    def open(self, width=1200, dark=False, script=True, media=''):
        """Loads the page only where another one is shown: what it looks like changes without."""
        self.browser.look(width, dark, media=media)
        if self.browser.shown != (self.path, script):
            self.browser.open(self.path, script)

    def ask(self, expression):
        return self.browser.evaluate(expression)

    def test_no_error_and_no_request(self):
        self.open()
        self.assertEqual(self.browser.faults, [])
        self.assertEqual([url for url in self.browser.requests if not url.startswith(('file://' + str(self.path), 'data:'))], [])

    def test_charts_are_there(self):
        self.open()
        for kind, least in self.charts.items():
            found = self.ask(f'document.querySelectorAll(`svg[aria-label^="{kind}"]`).length')
            self.assertGreaterEqual(found, least, kind)
        flat = self.ask('[...document.querySelectorAll("svg")].filter(s => !s.closest("details:not([open])") && '
                        's.getBoundingClientRect().height < 20).length')
        self.assertEqual(flat, 0)

    def test_a_phone_shows_it_without_scrolling_sideways(self):
        for width in (360, 800, 1200):
            self.open(width)
            self.ask('document.querySelectorAll("details").forEach(d => d.open = true)')
            self.assertLessEqual(self.ask('document.documentElement.scrollWidth'), width)
            wide = self.ask(f'[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > {width} + 1)'
                            '.map(e => e.tagName + " " + e.textContent.slice(0, 60))')
            self.assertEqual(wide, [], width)

    def test_labels_can_be_read_on_a_phone(self):
        self.open(360)
        self.ask('document.querySelectorAll("details").forEach(d => d.open = true)')
        smallest = self.ask('Math.min(...[...document.querySelectorAll("svg text")].map(t => parseFloat(getComputedStyle(t).fontSize)'
                            ' * t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width))')
        self.assertGreaterEqual(smallest, 9)

    def test_a_desk_shows_no_single_column_beside_an_emptier_one(self):
        """Cards stand right of a table in two columns or more, or below it; their labels can be read."""
        self.open(1280)
        alone = self.ask("""[...document.querySelectorAll('.split')].filter(split => {
            const [table, ...cards] = [split.firstElementChild, ...split.lastElementChild.children].map(e => e.getBoundingClientRect());
            return cards.length > 2 && cards[0].left >= table.right && new Set(cards.map(card => card.left)).size < 2; }).length""")
        self.assertEqual(alone, 0)
        smallest = self.ask('Math.min(...[...document.querySelectorAll("figure svg text")].map(t => parseFloat(getComputedStyle(t).fontSize)'
                            ' * t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width).filter(size => size > 0))')
        self.assertGreaterEqual(smallest, 8.5)

    def test_dark_and_light_differ(self):
        colours = []
        for dark in (False, True):
            self.open(dark=dark)
            colours.append(self.ask('[getComputedStyle(document.body).backgroundColor, '
                                    'getComputedStyle(document.querySelector("svg .text, svg .title, svg .quiet")).fill]'))
        self.assertEqual(colours[0][0], 'rgb(255, 255, 255)')
        self.assertNotEqual(colours[0][0], colours[1][0])
        self.assertNotEqual(colours[0][1], colours[1][1])

    def test_tables_sort(self):
        self.open()
        head = self.ask('[...document.querySelector("table.sortable").tHead.rows[0].cells].map(c => c.className)')
        for index, kind in enumerate(head):
            numeric, lower = 'n' in kind.split(), 'l' in kind.split()
            click = ('(() => { const t = document.querySelector("table.sortable"); '
                     f't.tHead.rows[0].cells[{index}].querySelector("button").click(); '
                     f'return [...t.tBodies[0].rows].map(r => r.cells[{index}].textContent); }})()')
            once, twice = self.ask(click), self.ask(click)
            key = (lambda text: float(text.split()[0].replace(',', ''))) if numeric else by_name
            best_first = numeric and not lower
            for shown, falling in ((once, best_first), (twice, not best_first)):
                there = [text for text in shown if not numeric or text != '-']
                self.assertEqual(there + ['-'] * (len(shown) - len(there)), shown, 'what is absent comes last')
                self.assertEqual(there, sorted(there, key=key, reverse=falling))
        self.assertTrue(any('n' in kind.split() for kind in head))
        self.assertEqual(self.browser.faults, [])

    def test_everything_is_there_without_script(self):
        self.open()
        words = ('(() => { const copy = document.body.cloneNode(true); '  # what looks at segments is made of script
                 'for (const part of copy.querySelectorAll("#explore, noscript")) part.remove(); '
                 'return copy.textContent.replace(/\\s+/g, " ").length; })()')
        with_script = self.ask(words)
        self.open(script=False)
        self.assertIsNone(self.ask('document.querySelector("th button")'))
        self.assertEqual(self.ask(words), with_script)

    def test_paper_is_white_and_shows_what_is_folded(self):
        self.open(800, dark=True, media='print')
        self.assertTrue(self.ask('[...document.querySelectorAll("details table")].every(t => t.getBoundingClientRect().height > 0)'))
        self.assertEqual(self.ask('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)')

    def test_says_how_it_is_remade(self):
        self.open()
        text = self.ask('document.body.innerText')
        self.assertRegex(text, 'markeval (score|compare|correlate|experiment) .*--report ' + self.page + '.html')
        self.assertRegex(text, '[0-9a-f]{64}')


class Texts(OpenPage, unittest.TestCase):
    page, charts = 'texts', {'Dot plot': 4, 'Distribution': 4, 'Alignment': 20}

    def test_texts_stay_texts(self):
        self.open()
        self.assertIsNone(self.ask('window.hacked'))
        self.assertEqual(self.ask('document.images.length'), 0)
        self.assertEqual(self.ask('[...document.scripts].filter(script => !script.type).length'), 2)
        self.assertIn('<script>window.hacked=1</script>', self.ask('document.body.innerText'))
        self.assertIn('<b>hasty', self.ask('document.body.innerText'))


    def open_anew(self):
        """Without the choices of another test."""
        self.browser.shown = None
        self.open()

    def choose(self, label, value):
        """Sets one of the choices above the segments and tells what is shown: the texts of the cards."""
        return self.ask('(() => { const field = [...document.querySelectorAll("#explore label")]'
                        f'.find(l => l.textContent.trim().startsWith("{label}")).querySelector("select, input");'
                        f'field.type === "checkbox" ? field.checked = {str(bool(value)).lower()} : field.value = {value!r};'
                        'field.dispatchEvent(new Event("input", {bubbles: true}));'
                        'return [...document.querySelectorAll("#explore .seg")].map(card => card.innerText); })()')

    def scores(self):
        """Of the cards: those of the systems shown, as they stand there."""
        return self.ask('[...document.querySelectorAll("#explore .seg")].map(card => [...card.querySelectorAll(".texts b.score")]'
                        '.map(score => Number(score.textContent.split(" ").pop())))')

    def test_segments_sort_by_every_metric(self):
        self.open_anew()
        for metric in range(4):
            self.choose('metric', str(metric))
            for order, falling in (('0', False), ('1', True)):
                self.choose('order', order)
                scores = [first for first, _ in self.scores()]
                self.assertEqual(len(scores), 12)
                self.assertEqual(scores, sorted(scores, reverse=falling), (metric, order))

    def test_two_systems_stand_side_by_side_with_wins_and_losses(self):
        self.open_anew()
        self.choose('metric', '1')
        for order, falling in (('5', True), ('4', False)):
            cards = self.choose('order', order)
            gains = [first - second for first, second in self.scores()]
            self.assertEqual(gains, sorted(gains, reverse=falling))
        self.assertIn('careful', cards[0])
        self.assertIn('<b>hasty', cards[0])

    def test_opens_with_the_leader_and_the_largest_differences_both_ways(self):
        self.open_anew()
        about = self.ask('document.querySelector("#explore .chosen").innerText')
        self.assertRegex(about, r'^Chosen: where careful is most above <b>hasty.*, and the other way round\. '
                                r'Over all segments careful is (higher \(\+|lower \(-)[0-9.]+ \w+\)\. The scores below are of single segments\.$')
        gains = [first - second for first, second in self.scores()]
        self.assertGreater(gains[0], 0)
        self.assertEqual(gains[0], max(gains))
        self.choose('order', '0')
        self.assertRegex(self.ask('document.querySelector("#explore .chosen").innerText'), '^Over all segments careful')

    def test_apostrophes_are_all_alike(self):
        self.open_anew()
        self.assertIn("replace(/[\\u2018\\u2019\\u02bc]/g, \"'\")", self.ask('[...document.scripts].map(one => one.text).join("")'))

    def test_segments_are_searched_and_copies_left_out(self):
        self.open_anew()
        self.choose('order', '2')
        found = self.choose('search', 'window.hacked=1')
        self.assertGreaterEqual(len(found), 1)
        self.assertTrue(all('window.hacked=1' in card for card in found))
        [card] = self.choose('search', 'Nummer7.')
        self.assertIn('source', card)
        self.assertEqual(self.choose('search', 'no such word'), [])
        self.choose('search', '')
        note = 'document.querySelector("#explore .note").textContent'
        self.assertIn('89 of 90 segments are listed', self.ask(note))
        self.choose('also texts equal', True)
        self.assertIn('90 of 90 segments are listed', self.ask(note))

    def test_a_link_shows_one_segment(self):
        self.open_anew()
        self.ask('void (location.hash = "#segment-17")')
        self.assertEqual(self.ask('[...document.querySelectorAll("#explore .seg")].map(card => card.id)'), ['segment-17'])
        self.choose('order', '2')
        self.assertEqual(self.ask('document.querySelectorAll("#explore .seg").length'), 12)

    def test_both_axes_of_the_segments_are_named(self):
        self.open_anew()
        self.ask('(() => { const write = CanvasRenderingContext2D.prototype.fillText; window.written = [];'
                 'CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {'
                 ' window.written.push(String(text)); write.call(this, text, ...at); }; })()')
        self.choose('metric', '1')
        written = self.ask('window.written')
        self.assertIn('\u2191 chrf of a segment (higher is better)', written)
        self.assertIn('words of its reference \u2192', written)

    def test_the_first_screen_says_what_was_found(self):
        self.open()
        self.assertEqual('careful scores highest on all 4 metrics', self.ask('document.querySelector("h1").innerText'))
        self.assertIn('Not tested', self.ask('document.querySelector("header").innerText'))
        self.assertEqual(self.ask('document.querySelectorAll("#part-1 td.b").length'), 4)


class References(OpenPage, unittest.TestCase):
    """Five systems and three references of each segment."""
    page, charts = 'references', {'Dot plot': 2, 'Distribution': 2}

    def test_references_stand_apart_and_the_closest_first(self):
        self.browser.shown = None
        self.open()
        card = 'document.querySelector("#explore .seg")'
        self.assertRegex(self.ask(card + '.querySelector(".given .who").textContent'), 'reference [123] of 3, closest to ')
        self.assertEqual(self.ask(card + '.querySelectorAll(".given p").length'), 3)
        self.assertGreaterEqual(self.ask(card + '.querySelectorAll(".given details p").length'), 1)
        self.assertFalse(self.ask(card + '.querySelector(".given details").open'))
        shared = ('(() => { const words = text => new Set(text.toLowerCase().split(/\\s+/)), card = ' + card + ';'
                  'const mine = words(card.querySelector(".texts p").textContent);'
                  'return [...card.querySelectorAll(".given p")].map(p => [...words(p.textContent)].filter(w => mine.has(w)).length); })()')
        first, *others = self.ask(shared)
        self.assertGreaterEqual(first, max(others))

    def test_each_text_is_marked_beside_the_reference_closest_to_it(self):
        self.browser.shown = None
        self.open()
        texts = self.ask('''[...document.querySelectorAll("#explore .seg")].map(card => {
          const words = text => new Set(text.toLowerCase().split(/\\s+/));
          const references = new Map([...card.querySelectorAll(".given .who")].map(who =>
            [+/reference (\\d)/.exec(who.textContent)[1], words(who.nextElementSibling.textContent)]));
          return [...card.querySelectorAll(".texts > div")].map(box => {
            const mine = words(box.querySelector("p").textContent), beside = +/\\d+$/.exec(box.querySelector(".who .beside").textContent)[0];
            const share = other => [...other].filter(word => mine.has(word)).length / (other.size + mine.size);
            const strange = [...box.querySelectorAll("p span.m3")].some(span => references.get(beside).has(span.textContent.toLowerCase()));
            return {beside, strange, best: [...references].every(([_, other]) => share(references.get(beside)) >= share(other))};
          });
        }).flat()''')
        self.assertEqual([], [text for text in texts if not text['best'] or text['strange']])
        self.assertGreater(len({text['beside'] for text in texts}), 1)

    def test_segments_above_and_below_stand_in_turn(self):
        self.browser.shown = None
        self.open()
        self.ask('document.querySelectorAll("#explore .explore input[type=checkbox]").forEach(box => { if (box.checked) box.click(); })')
        gains = self.ask('[...document.querySelectorAll("#explore .seg")].map(card => [...card.querySelectorAll(".texts b.score")]'
                         '.map(score => Number(score.textContent.split(" ").pop()))).map(([one, other]) => one - other)')
        self.assertEqual(gains[0], max(gains))
        self.assertEqual(gains[1], min(gains))
        self.assertTrue(gains[0] > 0 > gains[1] and gains[2] > 0, gains)

    def test_all_systems_of_a_segment_are_shown_best_first(self):
        self.browser.shown = None
        self.open()
        card = 'document.querySelector("#explore .seg")'
        self.assertEqual(self.ask(card + '.querySelectorAll(".texts > div").length'), 2)
        self.ask(card + '.querySelector("button.more").click()')
        scores = self.ask(f'[...{card}.querySelectorAll("b.score")].map(score => Number(score.textContent.split(" ").pop()))')
        self.assertEqual(len(scores), 5)
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_the_width_is_used(self):
        self.open(1280)
        self.assertTrue(self.ask('(() => { const [one, two] = [...document.querySelectorAll(".card")].map(c => c.getBoundingClientRect());'
                                 'return one.top === two.top && two.left > 400; })()'))

    def test_words_of_the_command_stay_whole(self):
        self.open(700)
        broken = self.ask('[...document.querySelectorAll("pre .w")].filter(word => word.textContent.startsWith("-") && '
                          'word.getBoundingClientRect().height > 30).length')
        self.assertEqual(broken, 0)


class Large(unittest.TestCase):
    """3,000 segments of ten systems: below 20 MB, and shown within two seconds."""
    def test_opens_soon(self):
        draw = random.Random(3)
        lines = [' '.join(draw.choices(WORDS, k=draw.randint(12, 36))) for _ in range(3000)]
        (FOLDER / 'large_reference.txt').write_text('\n'.join(lines) + '\n')
        systems = []
        for number in range(10):
            systems.append(f'system{number}.txt')
            made = [' '.join(draw.choices(WORDS, k=2) + line.split(' ')[2:]) for line in lines]
            (FOLDER / systems[-1]).write_text('\n'.join(made) + '\n')
        run(FOLDER, 'score', 'large_reference.txt', *systems, '-m', 'bleu', 'chrf', 'ter', '--report', 'large.html', '-q')
        page = FOLDER / 'large.html'
        self.assertLess(page.stat().st_size, 20e6)
        BROWSER.look(1200, False)
        BROWSER.open(page, True)
        self.assertEqual(BROWSER.faults, [])
        shown = BROWSER.evaluate('performance.getEntriesByType("navigation")[0].loadEventEnd / 1000')
        print(f'large page: {page.stat().st_size / 1e6:.1f} MB, loaded after {shown:.2f} s', file=sys.stderr)
        self.assertLess(shown, 10 if OPTIONS.emulator else 2)
        self.assertEqual(BROWSER.evaluate('document.querySelectorAll("#explore .seg").length'), 12)


class Vectors(OpenPage, unittest.TestCase):
    page, charts = 'vectors', {'Dot plot': 12, 'Line chart': 2, 'Map': 2}

    def test_tables_filter(self):
        self.open()
        left = self.ask('''(() => {
            const f = document.querySelector('input.filter'), rows = [...f.nextElementSibling.tBodies[0].rows];
            const wanted = rows[1].cells[0].textContent;
            f.value = wanted; f.dispatchEvent(new Event('input'));
            return rows.filter(r => !r.hidden).every(r => r.textContent.includes(wanted)) && rows.some(r => r.hidden); })()''')
        self.assertTrue(left)


class Sets(OpenPage, unittest.TestCase):
    page, charts = 'sets', {'Dot plot': 8, 'Map': 2}


class Correlate(OpenPage, unittest.TestCase):
    page, charts = 'correlate', {'Dot plot': 3, 'Scatter plot': 3, 'Significance matrix': 1}


class Compare(OpenPage, unittest.TestCase):
    page, charts = 'compare', {'Dot plot': 5, 'Significance matrix': 5, 'Distribution': 3}

    def test_names_stay_names(self):
        self.open()
        self.assertIn('<b>hasty', self.ask('document.body.innerText'))


class Curves(OpenPage, unittest.TestCase):
    page, charts = 'curves', {'Line chart': 5}


class Sweep(OpenPage, unittest.TestCase):
    page, charts = 'sweep', {'Line chart': 2}


class Judged(OpenPage, unittest.TestCase):
    page, charts = 'judged', {'Dot plot': 2, 'Line chart': 1}

    def test_ours_stand_beside_the_papers(self):
        self.open()
        text = self.ask('document.body.innerText')
        self.assertIn('BERTScore F1', text)
        self.assertIn('me:samples=word,scope=segment.petersen', text)


def main(rest):
    global FOLDER, BROWSER
    with tempfile.TemporaryDirectory() as temporary:
        FOLDER = pathlib.Path(OPTIONS.keep or temporary).resolve()
        FOLDER.mkdir(parents=True, exist_ok=True)
        make_pages(FOLDER)
        BROWSER = Browser(find_browser())
        try:
            return unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful()
        finally:
            BROWSER.close()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True, type=pathlib.Path)
    parser.add_argument('--examples', required=True)
    parser.add_argument('--model', required=True, help='weights of a small BERT')
    parser.add_argument('--emulator', default='')
    parser.add_argument('--keep', help='leave the pages in this folder')
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.program = OPTIONS.program.resolve()
    if find_browser() is None:
        print('SKIPPED: no Chromium here; install the package chromium to open the reports in a browser')
        sys.exit(77)
    sys.exit(0 if main(rest) else 1)
