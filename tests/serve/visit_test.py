"""A whole visit of the page of `markeval serve` in headless Chromium: two systems pasted, a task chosen, run, the report shown in its
frame, JSON asked for. Names and texts with markup stay texts. With --keep FOLDER it leaves screenshots. Exit 77: no browser here."""
import json
import pathlib
import sys

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


def put(browser, expression, value):
    browser.evaluate(f'{expression}.value = {json.dumps(value)}')


def visit(browser, port, token=''):
    browser.look(1200, height=2600)  # frames outside the window are not drawn
    browser.open(f'http://127.0.0.1:{port}/')
    if token:
        check('the field for a token appears', wait_until(lambda: not browser.evaluate('document.getElementById("token-field").hidden')))
        put(browser, 'document.getElementById("token")', token)
        browser.evaluate('document.getElementById("token").dispatchEvent(new Event("change"))')
    check('tasks are offered', wait_until(lambda: browser.evaluate('document.getElementById("preset").options.length') > 3))
    put(browser, 'document.getElementById("references")', 'a cat sat here\nthe dog ran home\n' + EVIL)
    browser.evaluate('document.getElementById("add").click()')
    for number, (name, texts) in enumerate((('good', 'a cat sat here\nthe dog ran\nno'), (EVIL, 'a b\nc d\n' + EVIL))):
        box = f'document.getElementById("systems").children[{number}]'
        put(browser, box + '.querySelector(".system-name")', name)
        put(browser, box + '.querySelector(".system-texts")', texts)
    put(browser, 'document.getElementById("preset")', 'quick')
    if keep:
        browser.screenshot(keep / 'form.png')
    browser.evaluate('document.getElementById("form").requestSubmit()')
    done = wait_until(lambda: browser.evaluate('document.getElementById("status").textContent') == 'Done.')
    check('the job ends', done, browser.evaluate('document.getElementById("status").textContent'))
    check('downloads are offered', not browser.evaluate('document.getElementById("downloads").hidden'))
    place = browser.evaluate('job.result')
    return place, browser.evaluate('document.getElementById("report").getAttribute("src")')


with folder_with_models() as folder:
    browser = Browser(program)
    try:
        with Server('--jobs', folder / 'jobs.sqlite') as server:
            place, report = visit(browser, server.port)
            status, _, text = server.ask('GET', place)
            names = [result['system'] for result in json.loads(text)['results']]
            check('the result has both systems', status == 200 and names == ['good', 'good', EVIL, EVIL], text)
            status, answer_headers, page = server.ask('GET', report)
            check('the report is a page', status == 200 and page.startswith('<!'), page[:200])
            check('markup in texts is never run', browser.evaluate('window.hacked') is None)
            if keep:
                browser.screenshot(keep / 'done.png')
                browser.look(390, dark=True)
                browser.screenshot(keep / 'phone_dark.png')
            put(browser, 'document.getElementById("references")', 'only one')
            browser.evaluate('document.getElementById("form").requestSubmit()')
            failed = wait_until(lambda: 'segment' in browser.evaluate('document.getElementById("status").textContent'))
            check('a wrong request is told in words', failed, browser.evaluate('document.getElementById("status").textContent'))
        (folder / 'token').write_text('secret-of-the-test\n')
        with Server('--jobs', folder / 'others.sqlite', '--token-file', folder / 'token') as server:
            place, report = visit(browser, server.port, 'secret-of-the-test')
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
