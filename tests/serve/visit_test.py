"""Whole visits of the page of `markeval serve` in headless Chromium. One pastes two systems, one uses the keyboard alone, one drops and
chooses files, one needs a token; results are downloaded, the report is shown in its frame. Names and texts with markup stay texts. With
--keep FOLDER it leaves screenshots. Exit 77: no browser here."""
import gzip
import json
import lzma
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'report' / 'browser'))
import running  # noqa: E402
from browser import Browser, find_browser  # noqa: E402
from running import Server, check, folder_with_models, wait_until  # noqa: E402

EVIL = '<img src=x onerror="window.hacked=1">'
program = find_browser()
if program is None or running.options.emulator:
    print('skipped: no Chromium here')
    sys.exit(77)
keep = pathlib.Path(running.others[running.others.index('--keep') + 1]) if '--keep' in running.others else None


def by_id(name):
    return f'document.getElementById({json.dumps(name)})'


def put(browser, expression, value):
    browser.evaluate(f'{expression}.value = {json.dumps(value)}')


def open_page(browser, server, token=''):
    browser.look(1200, height=2600)  # frames outside the window are not drawn
    browser.open(f'http://127.0.0.1:{server.port}/')
    if token:
        check('the field for a token appears', wait_until(lambda: not browser.evaluate(by_id('token-field') + '.hidden')))
        said = browser.evaluate(by_id('preset') + '.textContent')
        check('the list of tasks says that it waits for the token', 'after the token' in said, said)
        check('and cannot be opened', browser.evaluate(by_id('preset') + '.disabled') and browser.evaluate(by_id('single') + '.hidden'))
        put(browser, by_id('token'), 'a wrong one')
        browser.evaluate(by_id('use-token') + '.click()')
        told = by_id('token-status') + '.textContent'
        check('a wrong token is told', wait_until(lambda: 'not the right token' in browser.evaluate(told)), browser.evaluate(told))
        put(browser, by_id('token'), token)
        browser.evaluate(by_id('use-token') + '.click()')
    check('tasks are offered', wait_until(lambda: browser.evaluate(by_id('preset') + '.options.length') > 3))


def wait_for_result(browser):
    done = wait_until(lambda: browser.evaluate(by_id('status') + '.textContent') == 'Done.')
    check('the job ends', done, browser.evaluate(by_id('status') + '.textContent'))
    check('downloads are offered', browser.evaluate(by_id('downloads') + '.getClientRects().length') == 1)
    return browser.evaluate('job.result'), browser.evaluate(by_id('report') + '.getAttribute("src")')


def paste(browser, server, token=''):
    open_page(browser, server, token)
    put(browser, by_id('references'), 'a cat sat here\nthe dog ran home\n' + EVIL)
    browser.evaluate(by_id('add') + '.click()')
    for number, (name, texts) in enumerate((('good', 'a cat sat here\nthe dog ran\nno'), (EVIL, 'a b\nc d\n' + EVIL))):
        box = by_id('systems') + f'.children[{number}]'
        put(browser, box + '.querySelector(".system-name")', name)
        put(browser, box + '.querySelector(".system-texts")', texts)
    put(browser, by_id('preset'), 'quick')
    if keep:
        browser.screenshot(keep / 'form.png')
    browser.evaluate(by_id('form') + '.requestSubmit()')
    return wait_for_result(browser)


def check_downloads(browser, server, folder):
    """The files have what the server answers."""
    state = browser.evaluate('job')
    browser.call('Browser.setDownloadBehavior', behavior='allow', downloadPath=str(folder))
    for button, name, place in (('save-json', 'markeval.json', state['result']), ('save-tsv', 'markeval.tsv', state['table']),
                                ('save-html', 'markeval.html', state['report'])):
        browser.evaluate(by_id(button) + '.click()')
        expected = server.ask('GET', place)[2].encode()
        file = folder / name
        there = wait_until(lambda: file.exists() and file.read_bytes() == expected)
        check(f'{name} is downloaded', there, file.read_bytes()[:200] if file.exists() else 'no file')


def press(browser, key, code=0, text=''):
    for kind in ('keyDown', 'keyUp'):
        browser.call('Input.dispatchKeyEvent', type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text if kind == 'keyDown' else '')


def tab_to(browser, condition):
    """Presses Tab until the element that has the focus is the one; whether it came."""
    for _ in range(40):
        press(browser, 'Tab', 9)
        if browser.evaluate('((element) => ' + condition + ')(document.activeElement)'):
            return browser.evaluate('getComputedStyle(document.activeElement).outlineStyle') != 'none'
    return False


def use_keyboard(browser, server):
    """From the top of the page to its report without a pointer."""
    open_page(browser, server)
    check('Tab reaches the references and shows it', tab_to(browser, 'element.id === "references"'))
    browser.call('Input.insertText', text='a cat sat\nthe dog ran')
    check('Tab reaches the name', tab_to(browser, 'element.className === "system-name"'))
    browser.call('Input.insertText', text='typed')  # the name is selected when the focus comes by Tab
    check('Tab reaches the texts', tab_to(browser, 'element.matches(".system-texts")'))
    browser.call('Input.insertText', text='a cat sat\na dog')
    check('Tab reaches the tasks', tab_to(browser, 'element.id === "preset"'))
    press(browser, 'ArrowDown', 40)
    check('an arrow key changes the task', browser.evaluate(by_id('preset') + '.selectedIndex') == 1)
    put(browser, by_id('preset'), 'quick')  # the others need a larger model than the test has
    check('Tab reaches the list of metrics', tab_to(browser, 'element.tagName === "SUMMARY"'))
    press(browser, 'Enter', 13, '\r')
    check('Enter opens it', browser.evaluate('document.querySelector("details").open'))
    check('Tab reaches a metric', tab_to(browser, 'element.value === "ter"'))
    press(browser, ' ', 32, ' ')
    check('the space bar chooses it', browser.evaluate('document.activeElement.checked'))
    browser.evaluate(by_id('intervals') + '.focus()')
    check('Tab reaches Run', tab_to(browser, 'element.id === "run"'))
    press(browser, 'Enter', 13, '\r')
    place, _ = wait_for_result(browser)
    results = json.loads(server.ask('GET', place)[2])['results']
    check('what was typed was scored', [result['system'] for result in results] == ['typed'] * 3 and results[-1]['metric'] == 'ter', results)
    check('Tab reaches the downloads', tab_to(browser, 'element.id === "save-json"'))


def drop(browser, selector, *files):
    """As a person does: the files are dragged over the place and let go."""
    browser.evaluate(f'document.querySelector({json.dumps(selector)}).scrollIntoView({{block: "center"}})')
    place = browser.evaluate(f'(({{x, y, width, height}}) => ({{x: x + width / 2, y: y + height / 2}}))'
                             f'(document.querySelector({json.dumps(selector)}).getBoundingClientRect())')
    for kind in ('dragEnter', 'dragOver', 'drop'):
        browser.call('Input.dispatchDragEvent', type=kind, x=place['x'], y=place['y'],
                     data={'items': [], 'files': [str(file) for file in files], 'dragOperationsMask': 1})


def choose_column(browser, box, name):
    """Presses the button of a column of the table that was dropped on the box."""
    button = f'[...document.querySelectorAll({json.dumps(box + " .columns button")})].find((one) => one.textContent === {json.dumps(name)})'
    check(f'the column {name} is offered', wait_until(lambda: browser.evaluate(button + ' !== undefined')))
    browser.evaluate(button + '.click()')


def loaded(browser, box, texts):
    """Whether the box has these texts of a file, and its field for typing is gone."""
    holds = f'JSON.stringify(document.querySelector({json.dumps(box)}).texts)'
    return wait_until(lambda: browser.evaluate(holds) == json.dumps(texts, separators=(',', ':'), ensure_ascii=False)) and \
        browser.evaluate(f'document.querySelector({json.dumps(box + " .texts")}).hidden')


def use_files(browser, server, folder):
    """As the command line reads them: a column is asked for, gzip unpacked, what is no text refused."""
    open_page(browser, server)
    status, name = by_id('status') + '.textContent', 'document.querySelector(".system-name").value'
    table = folder / 'Two.tsv'
    table.write_text('ref\tb\na cat\tthe cat\nthe dog\ta dog\n')
    drop(browser, '#reference-box', table)
    choose_column(browser, '#reference-box', 'ref')
    check('a column of a table is taken, without its header', loaded(browser, '#reference-box', ['a cat', 'the dog']))
    drop(browser, '.system', table)
    check('the first rows are shown', wait_until(lambda: 'the cat' in browser.evaluate('document.querySelector(".system .columns")?.textContent || ""')))
    if keep:
        browser.screenshot(keep / 'columns.png')
    choose_column(browser, '.system', 'b')
    check('another column of it too', loaded(browser, '.system', ['the cat', 'a dog']))
    check('a column is the name of its system', browser.evaluate(name) == 'b', browser.evaluate(name))
    comma = folder / 'three.csv'
    comma.write_text('id,text\n1,"one, with ""quotes"""\n2,two\n')
    drop(browser, '.system', comma)
    choose_column(browser, '.system', 'text')
    check('quotes of a .csv are read', loaded(browser, '.system', ['one, with "quotes"', 'two']))
    objects = folder / 'texts.jsonl'
    objects.write_text('{"prompt": "p", "completion": "one\\tcat"}\n{"prompt": "p", "completion": "two dogs"}\n')
    node = browser.call('Runtime.evaluate', expression='document.querySelector(".system input[type=file]")')['result']['objectId']
    browser.call('DOM.setFileInputFiles', files=[str(objects)], objectId=node)
    choose_column(browser, '.system', 'completion')
    check('a field of JSON lines is chosen', loaded(browser, '.system', ['one\tcat', 'two dogs']))
    packed = folder / 'packed.txt.gz'
    packed.write_bytes(gzip.compress('ein Hund\nzwei B\u00e4ume\n'.encode()))
    drop(browser, '.system', packed)
    check('gzip is unpacked', loaded(browser, '.system', ['ein Hund', 'zwei B\u00e4ume']))
    check('a file is the name of its system', browser.evaluate(name) == 'packed', browser.evaluate(name))
    binary = folder / 'model.bin'
    binary.write_bytes(bytes(range(256)))
    drop(browser, '.system', binary)
    check('what is no text is refused', wait_until(lambda: 'model.bin is not UTF-8 text' in browser.evaluate(status)), browser.evaluate(status))
    check('and does not empty the box', loaded(browser, '.system', ['ein Hund', 'zwei B\u00e4ume']))
    squeezed = folder / 'squeezed.txt.xz'
    squeezed.write_bytes(lzma.compress(b'a cat\n'))
    drop(browser, '.system', binary, squeezed)
    both = lambda: 'model.bin is not' in browser.evaluate(status) and 'squeezed.txt.xz is compressed with xz' in browser.evaluate(status)
    check('of several files every message is shown', wait_until(both), browser.evaluate(status))
    check('no empty system is left', browser.evaluate('document.querySelectorAll(".system").length') == 1)
    objects.write_text('{"id": 1}\nno object\n')
    drop(browser, '.system', objects)
    check('a damaged file is told with its line', wait_until(lambda: 'texts.jsonl:2' in browser.evaluate(status)), browser.evaluate(status))
    box = "document.querySelector('#reference-box')"
    browser.evaluate(f"show({box}, null); {by_id('references')}.value = ''; {by_id('run')}.click()")
    check('missing references are told', wait_until(lambda: 'references are missing' in browser.evaluate(status)), browser.evaluate(status))
    browser.evaluate("readFile(new File(['a cat\\nthe dog\\n'], 'late.txt'), document.querySelector('#reference-box'))")
    check('and no longer when they are there', wait_until(lambda: browser.evaluate(status) == ''), browser.evaluate(status))
    browser.evaluate("show(document.querySelector('#reference-box'), null); "
                     "reading(readFile(new File(['a cat\\nthe dog\\n'], 'late.txt'), document.querySelector('#reference-box')))")
    browser.evaluate("reading(readFile(new File(['a cat\\na dog\\n'], 'mine.txt'), document.querySelector('.system'))); "
                     "document.getElementById('preset').value = 'quick'; document.getElementById('run').click()")
    wait_for_result(browser)
    browser.evaluate('addEventListener("drop", (event) => { window.prevented = event.defaultPrevented; })')
    drop(browser, 'h1', table)
    check('a file dropped beside the fields does not replace the page', wait_until(lambda: browser.evaluate('window.prevented') is True, 10),
          browser.evaluate('window.prevented'))


def paste_tabs(browser, server):
    """A pasted table is told before Run; its columns are no longer one text each, or references nobody wanted."""
    open_page(browser, server)
    told = lambda box: browser.evaluate(f'((note) => note.hidden ? "" : note.textContent)(document.querySelector("{box} .tabs"))')
    browser.evaluate(by_id('references') + '.focus()')
    browser.call('Input.insertText', text='a cat\tone cat\t\nthe dog\ta dog\t\n')
    check('tabs in the references are told', '2 lines have tabs: read as 2 references' in told('#reference-box'), told('#reference-box'))
    read = browser.evaluate("JSON.stringify(textsOf(document.getElementById('reference-box')))")
    check('a tab at the end makes no reference', json.loads(read) == [['a cat', 'one cat'], ['the dog', 'a dog']], read)
    browser.evaluate('document.querySelector(".system-texts").focus()')
    browser.call('Input.insertText', text='1\ta cat\n2\tthe dog')
    check('tabs in a system are told', 'paste one column' in told('.system'), told('.system'))
    status = by_id('status') + '.textContent'
    put(browser, by_id('preset'), 'quick')
    browser.evaluate(by_id('run') + '.click()')
    check('and are not scored as texts', wait_until(lambda: 'hold tabs' in browser.evaluate(status)), browser.evaluate(status))


def use_example(browser, server):
    """From the first look to a result with two clicks, and all of the result in sight."""
    open_page(browser, server)
    offered = browser.evaluate('[...document.querySelectorAll(".metric-box")].map((box) => box.value)')
    check('metrics that need a file are not offered', 'chrf' in offered and not {'blend', 'esim', 'bilstm', 'rougeWE'} & set(offered), offered)
    titles = browser.evaluate('[...document.querySelectorAll("#metrics h3")].length')
    check('metrics stand in groups', titles == 4, titles)
    browser.look(1280, height=800)
    inside = browser.evaluate('document.getElementById("run").getBoundingClientRect().bottom <= innerHeight')
    check('Run is in sight', inside)
    browser.evaluate(by_id('try') + '.click()')
    lines = browser.evaluate('document.getElementById("references").value.split("\\n").length')
    check('the example has enough lines for a test', lines >= 20, lines)
    chosen = ('((preset) => { preset.value = [...preset.options].find((one) => /%s/.test(one.textContent)).value;'
              'preset.dispatchEvent(new Event("change")); return document.getElementById("compare").checked; })(document.getElementById("preset"))')
    check('the long test of set metrics is no default', browser.evaluate(chosen % ': .*prdc') is False)
    lines = by_id('lines') + '.textContent + document.querySelector(".system-texts").placeholder'
    check('sets of texts are not compared line by line', 'two sets' in browser.evaluate(lines) and 'as many' not in browser.evaluate(lines), browser.evaluate(lines))
    check('the test of other metrics is', browser.evaluate(chosen % 'bleu') is True)
    check('other metrics go line by line', 'line by line' in browser.evaluate(lines) and 'as many' in browser.evaluate(lines), browser.evaluate(lines))
    put(browser, by_id('preset'), 'quick')
    browser.evaluate(by_id('run') + '.click()')
    wait_for_result(browser)
    tall = wait_until(lambda: browser.evaluate(by_id('report') + '.clientHeight') > 1500)
    check('the report is as tall as its page', tall, browser.evaluate(by_id('report') + '.clientHeight'))
    side = browser.evaluate('document.getElementById("outcome").getBoundingClientRect().left > '
                            'document.getElementById("form").getBoundingClientRect().right')
    check('texts stand left, the result right', side)
    if keep:
        time.sleep(1)
        browser.look(1280, height=2600)
        browser.screenshot(keep / 'example.png')
    browser.evaluate(by_id('references') + '.value = ""')
    browser.evaluate(by_id('run') + '.click()')
    check('missing references are told', wait_until(lambda: 'references are missing' in browser.evaluate(by_id('status') + '.textContent')))
    check('after a failure nothing can be downloaded', browser.evaluate(by_id('downloads') + '.getClientRects().length') == 0)


def check_looks(browser, server):
    """Nothing is wider than the window, on a phone either."""
    for name, width, dark in (('light', 1200, False), ('dark', 1200, True), ('phone', 390, False), ('phone_dark', 390, True)):
        browser.look(width, dark, height=2600)
        wide = browser.evaluate('document.documentElement.scrollWidth') - width
        check(f'{name}: nothing sticks out', wide <= 0, wide)
        if keep:
            time.sleep(1)  # the frame is drawn after its page
            browser.screenshot(keep / f'{name}.png')


with folder_with_models() as folder:
    browser = Browser(program)
    try:
        with Server('--jobs', folder / 'jobs.sqlite') as server:
            place, report = paste(browser, server)
            check('the page opens without a fault', not browser.faults, browser.faults)
            status, headers, _ = server.ask('GET', '/favicon.ico')
            check('browsers find an icon', status == 200 and headers['Content-Type'] == 'image/svg+xml', status)
            status, _, text = server.ask('GET', place)
            names = sorted(one['system'] for result in json.loads(text)['results'] for one in result['systems'])
            check('the result has both systems', status == 200 and names == sorted(['good', 'good', EVIL, EVIL]), text)
            status, answer_headers, page = server.ask('GET', report)
            check('the report is a page', status == 200 and page.startswith('<!'), page[:200])
            check('its inputs are texts, not files of no bytes', '(texts in memory)' in page and '>Inputs</h2>' in page and '0 B' not in page, page[-3000:])
            check('markup in texts is never run', browser.evaluate('window.hacked') is None)
            check_downloads(browser, server, folder)
            check_looks(browser, server)
            put(browser, by_id('references'), 'only one')
            browser.evaluate(by_id('form') + '.requestSubmit()')
            failed = wait_until(lambda: 'segment' in browser.evaluate(by_id('status') + '.textContent'))
            check('and nothing can be downloaded', browser.evaluate(by_id('downloads') + '.getClientRects().length') == 0)
            check('a wrong request is told in words', failed, browser.evaluate(by_id('status') + '.textContent'))
            use_keyboard(browser, server)
            paste_tabs(browser, server)
            use_files(browser, server, folder)
            use_example(browser, server)
            browser.open(f'http://127.0.0.1:{server.port}/docs')
            check('/docs opens without a fault', not browser.faults, browser.faults)
            if keep:
                browser.screenshot(keep / 'docs.png')
        (folder / 'token').write_text('secret-of-the-test\n')
        with Server('--jobs', folder / 'others.sqlite', '--token-file', folder / 'token') as server:
            place, report = paste(browser, server, 'secret-of-the-test')
            if keep:
                browser.screenshot(keep / 'token.png')
            browser.open(f'http://127.0.0.1:{server.port}{report}')  # as the frame does: it sends no token
            check('the report opens', 'against reference' in browser.evaluate('document.title') and not browser.faults,
                  browser.faults)
            check('with names as text', EVIL in browser.evaluate('document.body.textContent') and
                  browser.evaluate('window.hacked') is None)
    finally:
        browser.close()
sys.exit(1 if running.failures else 0)
