"""Jobs of markeval serve from the outside: the server is killed while jobs run, again and again; what it had reported
done is there afterwards with the right result, everything else is reported failed, nothing is lost."""
import argparse
import contextlib
import http.client
import json
import random
import sqlite3
import sys

import running
from running import Server, check, folder_with_models, wait_until


def job(number):
    texts = [f'a cat {number} sat on {word}' for word in ('mats', 'a b c', 'me', str(number))]
    return {'kind': 'score', 'request': {'references': texts, 'systems': [{'name': f's{number}', 'texts': texts[::-1]}],
                                         'metrics': ['bleu', 'chrf'], 'resamples': (200, 2_000, 20_000)[number % 3]}}


def expected_of(server, number):
    return server.ask('POST', '/v1/score', job(number)['request'])[2]


def post(server, number):
    return json.loads(server.ask('POST', '/v1/jobs', job(number))[2])['id']


def look(server, name):
    status, _, text = server.ask('GET', f'/v1/jobs/{name}')
    return json.loads(text)['state'] if status == 200 else status


def kill_round(folder, jobs, known, draw):
    """Posts some jobs, kills the server when a random part of them is done. `known` has what it had said of every job until then. How
    many were done and how many had not ended."""
    with Server('--jobs', folder / 'jobs.sqlite', '-q') as server:
        for name, (number, state) in known.items():  # of earlier rounds
            now = look(server, name)
            if state == 'done' and now != 'done' or now not in ('done', 'failed'):
                check('a job keeps the state that was reported', False, (name, state, now))
            known[name] = number, now
        first = len(known)
        new = {post(server, number): number for number in range(first, first + jobs)}
        known.update({name: (number, 'waiting') for name, number in new.items()})
        enough = draw.randrange(jobs // 5, jobs // 2)

        def done():
            for name, number in new.items():
                if known[name][1] != 'done':
                    known[name] = number, look(server, name)
                if sum(known[one][1] == 'done' for one in new) >= enough:
                    return True
        wait_until(done, 300)
        server.process.kill()
        server.process.wait()
    states = [known[name][1] for name in new]
    return states.count('done'), len(states) - states.count('done')


def check_kills(folder, rounds, jobs):
    draw, known = random.Random(), {}
    at_kill = [kill_round(folder, jobs, known, draw) for _ in range(rounds)]
    done, open_ones = (sum(counts) for counts in zip(*at_kill))
    check('many were done, many were not', done >= rounds * jobs // 5 and open_ones >= rounds * jobs // 5, at_kill)
    with Server('--jobs', folder / 'jobs.sqlite', '-q') as server:
        states = {}
        wrong = 0
        for name, (number, reported) in known.items():
            now = look(server, name)
            states[now] = states.get(now, 0) + 1
            wrong += reported == 'done' and now != 'done'
            if now == 'done':
                wrong += server.ask('GET', f'/v1/jobs/{name}/result')[2] != expected_of(server, number)
        print(f'{len(known)} jobs, {rounds} kills; reported done before: {done}, not ended: {open_ones}; afterwards {states}, {wrong} wrong')
        check('every job that was taken is done or failed', set(states) <= {'done', 'failed'} and
              sum(states.values()) == rounds * jobs, states)
        check('what was reported done is there and right', wrong == 0, wrong)


def check_events(folder):
    with Server('-q') as server:
        long = job(0)
        long['request']['resamples'] = 10_000_000
        status, headers, text = server.ask('POST', '/v1/jobs', long, {'Idempotency-Key': 'one'})
        place = headers['Location']
        check('a job is taken with 202 and a place', status == 202 and place == '/v1/jobs/' + json.loads(text)['id'], text)
        check('the same key gives the same job', server.ask('POST', '/v1/jobs', long, {'Idempotency-Key': 'one'})[1]['Location'] == place)
        connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=60)
        connection.request('GET', place + '/events')
        events = connection.getresponse()
        seen = b''
        while b'"progress":{' not in seen:
            seen += events.readline()
        check('progress comes as events', events.headers['Content-Type'] == 'text/event-stream' and b'event: progress' in seen, seen)
        check('there is no result yet', server.ask('GET', place + '/result')[0] == 409)
        status, _, text = server.ask('DELETE', place)
        check('DELETE stops it', status == 200 and json.loads(text)['state'] == 'cancelled', text)
        check('the events end with that', b'"state":"cancelled"' in events.read())
        script = '<script>alert(1)</script>'
        named = job(1)
        named['request']['systems'][0]['name'] = script
        name = json.loads(server.ask('POST', '/v1/jobs', named)[2])['id']
        wait_until(lambda: look(server, name) == 'done')
        report = json.loads(server.ask('GET', f'/v1/jobs/{name}')[2])['report']
        status, headers, page = server.ask('GET', report)
        check('a script in a name is harmless in the report', status == 200 and script not in page and '&lt;script' in page
              and 'sandbox' in headers['Content-Security-Policy'], page[:300])
        table = server.ask('GET', f'/v1/jobs/{name}/table')
        check('the table is TSV', table[0] == 200 and table[2].startswith('system\t'), table)
        pairs = {'columns': {'ref': ['a b', 'c d'], 'good': ['a b', 'c d'], 'bad': ['x', 'c']}, 'reference': 'ref',
                 'better': 'good', 'worse': 'bad', 'metrics': ['chrf']}
        direct = server.ask('POST', '/v1/correlate', pairs)
        check('better/worse pairs need no gold', direct[0] == 200 and json.loads(direct[2])['results'][0]['n'] == 2, direct)
        name = json.loads(server.ask('POST', '/v1/jobs', {'kind': 'correlate', 'request': pairs})[2])['id']
        check('a job takes them', wait_until(lambda: look(server, name) == 'done'), server.ask('GET', f'/v1/jobs/{name}'))
        state = json.loads(server.ask('GET', f'/v1/jobs/{name}')[2])
        check('it has a table and no page', 'table' in state and 'report' not in state, state)
        sourced = job(2)
        sourced['kind'], sourced['request']['source_texts'] = 'score', ['ein Satz'] * len(sourced['request']['references'])
        sourced['request'].pop('resamples', None)
        check('a direct request may have source texts', server.ask('POST', '/v1/score', sourced['request'])[0] == 200)
        name = json.loads(server.ask('POST', '/v1/jobs', sourced)[2])['id']
        wait_until(lambda: look(server, name) == 'done')
        page = server.ask('GET', json.loads(server.ask('GET', f'/v1/jobs/{name}')[2])['report'])[2]
        check('they stand on the page of a job', 'ein Satz' in page, page[:300])
        wrong = server.ask('POST', '/v1/jobs', {'kind': 1, 'request': {}})
        check('a kind that is no text is told', wrong[0] == 400 and 'kind is 1, expected' in wrong[2], wrong)
        running_job = json.loads(server.ask('POST', '/v1/jobs', long)[2])['id']
        check('a long job runs', wait_until(lambda: look(server, running_job) == 'running'))
        check('SIGTERM does not wait for it for ever', server.stop() == 0)
    with Server('--max-stop-seconds', '60', '--jobs', folder / 'stopped.sqlite', '-q') as server:
        name = post(server, 7)
        check('SIGTERM lets a short job end', server.stop() == 0)
    with Server('--jobs', folder / 'stopped.sqlite', '-q') as server:
        check('and its result is there', look(server, name) == 'done', look(server, name))


def check_other_files(folder):
    """A file of another program, or one with a trigger, is not written to."""
    with contextlib.closing(sqlite3.connect(folder / 'other.sqlite')) as other:
        other.execute('CREATE TABLE notes(text)')
        other.commit()
    with Server('--jobs', folder / 'mine.sqlite', '-q') as server:
        post(server, 0)
        server.stop()
    with Server('--jobs', folder / 'mine.sqlite', '-q') as server:
        check('a file of jobs is taken again', server.ask('GET', '/health')[0] == 200)
        server.stop()
    with contextlib.closing(sqlite3.connect(folder / 'mine.sqlite')) as mine:
        mine.execute('CREATE TRIGGER evil AFTER INSERT ON jobs_1 BEGIN DELETE FROM jobs_1; END')
        mine.commit()
    for name in ('other', 'mine'):
        found = running.run('serve', '--port', '0', '--jobs', folder / f'{name}.sqlite')
        check(f'{name}.sqlite is refused', found.returncode == 2 and 'no file of jobs: it holds something else' in found.stderr, found)
    with contextlib.closing(sqlite3.connect(folder / 'other.sqlite')) as other:
        check('and has no table of ours', other.execute('SELECT name FROM sqlite_master').fetchall() == [('notes',)])


more = argparse.ArgumentParser()
more.add_argument('--rounds', type=int, default=4)
more.add_argument('--jobs', type=int, default=50)
chosen, rest = more.parse_known_args(running.others)
with folder_with_models() as folder:
    check_events(folder)
    check_other_files(folder)
    check_kills(folder, chosen.rounds, chosen.jobs)
sys.exit(running.failures > 0)
