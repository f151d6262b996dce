"""Whole visits of the page of `markeval serve` in headless Chromium. One pastes two systems, one uses the keyboard alone, one drops and
chooses files, one needs a token; results are downloaded, the report is shown in its frame. Names and texts with markup stay texts. With
--keep FOLDER it leaves screenshots. Exit 77: no browser here."""
import json
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
        put(browser, by_id('token'), token)
        browser.evaluate(by_id('token') + '.dispatchEvent(new Event("change"))')
    check('tasks are offered', wait_until(lambda: browser.evaluate(by_id('preset') + '.options.length') > 3))


def wait_for_result(browser):
    done = wait_until(lambda: browser.evaluate(by_id('status') + '.textContent') == 'Done.')
    check('the job ends', done, browser.evaluate(by_id('status') + '.textContent'))
    check('downloads are offered', not browser.evaluate(by_id('downloads') + '.hidden'))
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
    check('Tab reaches the texts', tab_to(browser, 'element.className === "system-texts"'))
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


def drop(browser, selector, file):
    """As a person does: the file is dragged over the place and let go."""
    browser.evaluate(f'document.querySelector({json.dumps(selector)}).scrollIntoView({{block: "center"}})')
    place = browser.evaluate(f'(({{x, y, width, height}}) => ({{x: x + width / 2, y: y + height / 2}}))'
                             f'(document.querySelector({json.dumps(selector)}).getBoundingClientRect())')
    for kind in ('dragEnter', 'dragOver', 'drop'):
        browser.call('Input.dispatchDragEvent', type=kind, x=place['x'], y=place['y'],
                     data={'items': [], 'files': [str(file)], 'dragOperationsMask': 1})


def use_files(browser, server, folder):
    open_page(browser, server)
    texts = folder / 'Texts.TSV'
    texts.write_text('a cat\tmore\nthe dog\tmore\n')
    drop(browser, '.system', texts)
    area = 'document.querySelector(".system-texts")'
    check('a dropped table gives its first column', wait_until(lambda: browser.evaluate(area + '.value') == 'a cat\nthe dog'),
          browser.evaluate(area + '.value'))
    drop(browser, '.drop', texts)
    check('of references all columns', wait_until(lambda: 'a cat\tmore' in browser.evaluate(by_id('references') + '.value')))
    objects = folder / 'texts.jsonl'
    objects.write_text('{"id": 1, "text": "one\\tcat"}\n"two dogs"\n')
    node = browser.call('Runtime.evaluate', expression='document.querySelector(".system input[type=file]")')['result']['objectId']
    browser.call('DOM.setFileInputFiles', files=[str(objects)], objectId=node)
    check('a chosen file of JSON lines gives its texts', wait_until(lambda: browser.evaluate(area + '.value') == 'one cat\ntwo dogs'),
          browser.evaluate(area + '.value'))
    objects.write_text('{"id": 1}\n')
    drop(browser, '.system', objects)
    check('a file without texts is told', wait_until(lambda: 'line 1: no text' in browser.evaluate(by_id('status') + '.textContent')))
    browser.evaluate('addEventListener("drop", (event) => { window.prevented = event.defaultPrevented; })')
    drop(browser, 'h1', texts)
    check('a file dropped beside the fields does not replace the page', wait_until(lambda: browser.evaluate('window.prevented') is True, 10),
          browser.evaluate('window.prevented'))


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
            names = [result['system'] for result in json.loads(text)['results']]
            check('the result has both systems', status == 200 and names == ['good', 'good', EVIL, EVIL], text)
            status, answer_headers, page = server.ask('GET', report)
            check('the report is a page', status == 200 and page.startswith('<!'), page[:200])
            check('markup in texts is never run', browser.evaluate('window.hacked') is None)
            check_downloads(browser, server, folder)
            check_looks(browser, server)
            put(browser, by_id('references'), 'only one')
            browser.evaluate(by_id('form') + '.requestSubmit()')
            failed = wait_until(lambda: 'segment' in browser.evaluate(by_id('status') + '.textContent'))
            check('a wrong request is told in words', failed, browser.evaluate(by_id('status') + '.textContent'))
            use_keyboard(browser, server)
            use_files(browser, server, folder)
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
