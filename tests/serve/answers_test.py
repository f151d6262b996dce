"""markeval serve from the outside: its answers are those of the command line to the last digit, for requests of all
kinds; tokens; what happens when it is asked to stop."""
import json
import struct
import sys
import threading

import running
from running import Server, check, folder_with_models, run

REFERENCES = ['a cat sat on a mat.', 'the dog was here', 'no more of it', 'yes it is so', 'x y z']
OTHERS = ['a cat was on a mat', 'a dog was there', 'no more', 'it is so', 'x y']
MINE = ['a cat sits on a mat.', 'the dog is here', 'not more of it', 'it was so', 'x z y']
POOR = ['a dog', 'a cat a cat', 'no no no', 'is it', 'z z z z']


def write(folder, name, lines):
    path = folder / name
    path.write_text('\n'.join(lines) + '\n')
    return path


def without_names(text):
    """Warnings name files; of the server's texts they name the references."""
    answer = json.loads(text)
    answer['warnings'] = [warning.replace('refs: ', 'reference: ') for warning in answer['warnings']]
    return answer


def score_requests(folder):
    refs, others = write(folder, 'refs', REFERENCES), write(folder, 'others', OTHERS)
    mine, poor = write(folder, 'mine', MINE), write(folder, 'poor', POOR)
    one = {'references': REFERENCES, 'systems': [{'name': 'mine', 'texts': MINE}]}
    two = {**one, 'systems': [{'name': 'mine', 'texts': MINE}, {'name': 'poor', 'texts': POOR}]}
    both = {**two, 'references': [list(pair) for pair in zip(REFERENCES, OTHERS)]}
    words = ['-r', refs, '-s', f'mine={mine}']
    words_of_two = [*words, '-s', f'poor={poor}']
    model = ['--model', 'tiny']
    yield 'words', 'score', {**one, 'metrics': ['bleu', 'chrf', 'ter', 'rougeL']}, [*words, '-m', 'bleu,chrf,ter,rougeL']
    yield 'the preset of nothing', 'score', one, words
    yield 'segments', 'score', {**two, 'metrics': ['chrf++', 'meteor'], 'segments': True}, [
        *words_of_two, '-m', 'chrf++,meteor', '--segments']
    yield 'two references', 'score', {**both, 'metrics': ['bleu', 'rouge1', 'bertscore:layer=2']}, [
        '-r', refs, '-r', others, *words_of_two[2:], '-m', 'bleu', 'rouge1', 'bertscore:layer=2', *model]
    yield 'intervals', 'score', {**one, 'metrics': ['bleu', 'bertscore:layer=1'], 'resamples': 50, 'seed': 3}, [
        *words, '-m', 'bleu,bertscore:layer=1', '--ci', '50', '--seed', '3', *model]
    yield 'pairs', 'score', {**two, 'metrics': ['bertscore:layer=2,idf=yes', 'moverscore:layers=last']}, [
        *words_of_two, '-m', 'bertscore:layer=2,idf=yes', 'moverscore:layers=last', *model]
    yield 'sets', 'score', {**one, 'metrics': ['me:k=2,samples=word', 'prdc:k=2']}, [
        *words, '-m', 'me:k=2,samples=word', 'prdc:k=2', *model]
    yield 'bf16 or its refusal', 'score', {**one, 'metrics': ['bertscore.f1:layer=2'], 'precision': 'bf16'}, [
        *words, '-m', 'bertscore.f1:layer=2', '--precision', 'bf16', *model]
    yield 'comparison', 'compare', {**two, 'metrics': ['bleu', 'chrf'], 'resamples': 100}, [
        *words_of_two, '-m', 'bleu,chrf', '--resamples', '100']
    yield 'comparison by pairs', 'compare', {**two, 'metrics': ['bertscore:layer=2'], 'test': 't'}, [
        *words_of_two, '-m', 'bertscore:layer=2', '--test', 't', *model]


def check_scores(server, folder):
    for name, command, body, words in score_requests(folder):
        shown = run(command, *words, '--format', 'json', '-q')
        status, _, text = server.ask('POST', f'/v1/{command}', body)
        if shown.returncode == 2:  # a machine without bf16: both say so
            check(f'{name}: refused by both', status == 400 and json.loads(text)['error'] in shown.stderr, text)
            continue
        check(f'{name}: same digits as the command line', status == 200 and shown.returncode == 0
              and without_names(shown.stdout) == without_names(text), (status, shown.stderr, text))


def check_correlation(server, folder):
    gold, bleu = [0.1, 0.9, 0.4, None, 0.7], [1, 5, 2, 3, 4.5]
    table = folder / 'table.jsonl'
    columns = {'human': gold, 'bleu': bleu, 'lp': ['de', 'de', 'de', 'fr', 'fr'], 'ref': REFERENCES, 'hyp': MINE}
    table.write_text('\n'.join(json.dumps({name: values[row] for name, values in columns.items()}) for row in range(5)))
    body = {'columns': columns, 'gold': 'human', 'predicted': ['bleu'], 'reference': 'ref', 'hypothesis': 'hyp',
            'metrics': ['chrf', 'bertscore.f1:layer=2'], 'test': 'perm-both', 'resamples': 200}
    shown = run('correlate', table, '--gold', 'human', '--predicted', 'bleu', '--ref', 'ref', '--hyp', 'hyp', '-m', 'chrf',
                'bertscore.f1:layer=2', '--test', 'perm-both', '--resamples', '200', '--model', 'tiny', '--format', 'json', '-q')
    status, _, text = server.ask('POST', '/v1/correlate', body)
    check('correlation: same digits as the command line', status == 200 and json.loads(shown.stdout) == json.loads(text),
          (status, text, shown.stdout, shown.stderr))


def check_embeddings(server, folder):
    output = folder / 'vectors.npy'
    run('embed', write(folder, 'lines', MINE), '-o', output, '--model', 'tiny', '-q')
    data = output.read_bytes()
    begin = 10 + struct.unpack('<H', data[8:10])[0]
    expected = [value for (value,) in struct.iter_unpack('<f', data[begin:])]
    status, _, text = server.ask('POST', '/v1/embeddings', {'input': MINE, 'model': 'tiny'})
    found = [value for row in json.loads(text)['data'] for value in row['embedding']]
    as_floats = [struct.unpack('<f', struct.pack('<f', value))[0] for value in found]
    check('embeddings: same bits as the command line', status == 200 and as_floats == expected, text)


def check_errors(server):
    bad = {'references': ['a'], 'systems': [{'texts': ['b']}], 'metrics': ['blue']}
    status, _, text = server.ask('POST', '/v1/score', bad)
    check('an unknown metric is named with a likely one', status == 400 and "'blue'" in text and 'bleu' in text, text)
    status, _, text = server.ask('POST', '/v1/score', {**bad, 'metrics': ['bleu'], 'references': ['a', 'b']})
    check('texts that do not fit are no wrong request', status == 422 and '2' in text, text)
    status, _, text = server.ask('POST', '/v1/score', {**bad, 'metrics': ['bertscore'], 'model': 'nothing-of-this-name'})
    check('an unknown model is named', status == 400 and 'nothing-of-this-name' in text, text)


def check_token(folder):
    token = folder / 'token'
    token.write_text('a-token-of-enough-letters\n')
    with Server('--token-file', token) as server:
        right = {'Authorization': 'Bearer a-token-of-enough-letters'}
        check('health needs no token', server.ask('GET', '/health')[0] == 200)
        check('info needs one', server.ask('GET', '/info')[0] == 401)
        check('a wrong one is refused', server.ask('GET', '/info', headers={'Authorization': 'Bearer x'})[0] == 401)
        check('the right one is taken', server.ask('GET', '/info', headers=right)[0] == 200)
    shown = run('serve', '--token-file', folder / 'missing')
    check('a token file that is not there ends the start', shown.returncode == 1 and 'missing' in shown.stderr, shown)


def check_stop():
    with Server('--max-stop-seconds', '0') as server:
        answers = []
        long = {'references': REFERENCES, 'systems': [{'texts': MINE}], 'metrics': ['bleu'], 'resamples': 10_000_000}
        asker = threading.Thread(target=lambda: answers.append(server.ask('POST', '/v1/score', long)))
        asker.start()
        check('a long request runs', running.wait_until(
            lambda: 'markeval_open_connections 2' in server.ask('GET', '/metrics')[2]))
        code = server.stop()
        asker.join()
        check('SIGTERM ends the server with 0', code == 0, code)
        check('the request that ran is told', answers and answers[0][0] == 503, answers)
        check('the log has no text of a client', not any('cat' in line for line in server.lines), server.lines)
    with Server() as server:
        check('Ctrl-C does so too', server.stop(running.signal.SIGINT) == 0)


with folder_with_models() as folder:
    with Server() as server:
        check_scores(server, folder)
        check_correlation(server, folder)
        check_embeddings(server, folder)
        check_errors(server)
    with Server('--preload') as server:
        check('a preloaded server becomes ready', running.wait_until(lambda: server.ask('GET', '/ready')[0] == 200))
    check_token(folder)
    check_stop()
sys.exit(running.failures > 0)
