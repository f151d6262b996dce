"""The description of markeval serve: every reference in /openapi.json leads somewhere, every path answers with what is
documented, random bodies that break its schemas are never a server error; the pages need nothing from elsewhere."""
import json
import pathlib
import random
import re
import sys

import running
from running import Server, check, folder_with_models

JUNK = [None, True, -1, 0, 1.5, 1e308, '', 'x', '\u0000', [], [[]], [None], {}, {'a': 1}, 2**70, 'bleu', ['bleu'], '../x', -2**63]


def references(value):
    if isinstance(value, dict):
        if '$ref' in value:
            yield value['$ref']
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def resolve(document, reference):
    found = document
    for part in reference.removeprefix('#/').split('/'):
        found = found[part]
    return found


def example(document, schema, draw, depth=0):
    """A value that fits a schema, more or less; some parts of it are junk."""
    if '$ref' in schema:
        schema = resolve(document, schema['$ref'])
    if draw.random() < 0.08:
        return draw.choice(JUNK)
    for several in ('oneOf', 'anyOf'):
        if several in schema:
            return example(document, draw.choice(schema[several]), draw, depth)
    if 'const' in schema:
        return schema['const']
    if 'enum' in schema:
        return draw.choice(schema['enum'])
    kind = schema.get('type', 'string')
    if isinstance(kind, list):
        kind = draw.choice(kind)
    if kind == 'object':
        names = [name for name in schema.get('properties', {}) if name in schema.get('required', []) or draw.random() < 0.15]
        found = {name: example(document, schema['properties'][name], draw, depth + 1) for name in names}
        if isinstance(schema.get('additionalProperties'), dict):
            found.update({name: example(document, schema['additionalProperties'], draw, depth + 1) for name in 'ab'})
        if draw.random() < 0.05:
            found['unknown'] = 1
        return found
    if kind == 'array':
        return [example(document, schema.get('items', {}), draw, depth + 1) for _ in range(draw.randrange(4))]
    return {'string': draw.choice(['a cat', 'bleu', 'me:k=2', 'x', 'tiny', '<b>', '\ud83d\ude00', '']), 'boolean': draw.random() < 0.5,
            'integer': draw.choice([0, 1, 2, 3, 50]), 'number': draw.choice([0, 0.5, -1, 3]), 'null': None}[kind]


def check_answers(server, document, count):
    draw, asked, problems = random.Random(5), 0, []
    for path, methods in document['paths'].items():
        for method, operation in methods.items():
            body = operation.get('requestBody')
            for _ in range(count if body else 2):
                value = example(document, body['content']['application/json']['schema'], draw) if body else None
                place = re.sub(r'\{\w+\}', draw.choice(['nothing', '0' * 32, '%27--', '%00']), path)
                status, headers, text = server.ask(method.upper(), place, json.dumps(value) if body else None)
                asked += 1
                documented = operation['responses'].get(str(status))
                if documented is None or status >= 500:
                    problems.append((method, place, status, text[:200], value))
                    continue
                if '$ref' in documented:
                    documented = resolve(document, documented['$ref'])
                if headers['Content-Type'] not in documented['content']:
                    problems.append((method, place, status, headers['Content-Type']))
                if status >= 400 and set(json.loads(text)) != {'error', 'type', 'hint'}:
                    problems.append((method, place, text))
    check(f'{asked} requests: no server error, no undocumented answer', not problems, problems[:3])


def words_of(schema):
    """The kind of a value, for people."""
    several = schema.get('oneOf') or schema.get('anyOf')
    if several:
        kind = {'type': schema['type']} if 'type' in schema else {}
        return ' or '.join(dict.fromkeys(words_of({**kind, **one}) for one in several))
    if 'const' in schema:
        return f'`{json.dumps(schema["const"])}`'
    if 'enum' in schema:
        return ', '.join(f'`{value if isinstance(value, str) else json.dumps(value)}`' for value in schema['enum'] if value != '')
    kinds = schema.get('type', '')
    kinds = kinds if isinstance(kinds, list) else [kinds]
    names = {'array': 'list', 'integer': 'whole number', 'string': 'text', 'boolean': 'true or false'}
    words = ' or '.join(names.get(kind, kind) for kind in kinds if kind)
    if kinds == ['array'] and words_of(schema.get('items', {})):
        words = f'list of {words_of(schema["items"])}'
    if 'minimum' in schema:
        words += f', {schema["minimum"]} to {schema["maximum"]}' if 'maximum' in schema else f', {schema["minimum"]} or more'
    return words


def fields_page(document):
    """docs/reference/http.md: the fields of every request, as the server describes them."""
    lines = ['# Fields of HTTP requests', '',
             '[`markeval serve`](../how-to/serve.md) takes these fields in the JSON body of a request. They have the names of the options of the '
             'command line; in brackets stands what holds where a field is left out. `/openapi.json` of a server has the same for programs. '
             'This page is made from it by `tests/serve/description_test.py --update`.']
    for path, methods in document['paths'].items():
        body = methods.get('post', {}).get('requestBody')
        name = body and body['content']['application/json']['schema']['$ref'].rpartition('/')[2]
        if not body or name == 'job':
            continue
        schema = document['components']['schemas'][name]
        lines += ['', f'## `POST {path}`', '', '| field | value | what it does |', '|---|---|---|']
        for field, value in schema['properties'].items():
            must = ' (required)' if field in schema['required'] else ''
            lines.append(f'| `{field}`{must} | {words_of(value)} | {value.get("description", "")} |'.replace('|  |', '| |'))
    lines += ['', '`POST /v1/jobs` takes `kind` (`score`, `compare`, `correlate` or `embeddings`) and `request`, the body of the path of that name.']
    return '\n'.join(lines) + '\n'


def check_page(document):
    path = pathlib.Path(__file__).parents[2] / 'docs/reference/http.md'
    page = fields_page(document)
    if '--update' in running.others:
        path.write_text(page)
    check('docs/reference/http.md has every field: --update writes it', path.read_text() == page, path)


with folder_with_models():
    with Server('-q', '--max-seconds', '20') as server:
        document = json.loads(server.ask('GET', '/openapi.json')[2])
        check('it is OpenAPI 3.1', document['openapi'] == '3.1.0')
        for reference in set(references(document)):
            resolve(document, reference)
        check_page(document)
        check_answers(server, document, 60)
        check('the server lives', server.ask('GET', '/health')[0] == 200)
        for path in ('/docs', '/'):
            status, headers, page = server.ask('GET', path)
            outside = re.findall(r'(?:src|href|action)="(?!/|#)[^"]*"|@import|url\(', page)
            check(f'{path} needs nothing from elsewhere', status == 200 and not outside, (status, outside))
            check(f'{path} has no script or style of its own in the page',
                  not re.search(r'<script(?! (?:src="/[^"]*"|type="application/json"))|<style|\sstyle=|\son\w+=', page), page[:300])
            check(f'{path} has the port of this server', path == '/' or f'http://127.0.0.1:{server.port}/' in page, page[:600])
            if path == '/docs':
                kinds = {words_of(value).replace('`', '').replace('"', '&quot;') for schema in document['components']['schemas'].values()
                         if 'references' in schema.get('properties', {}) or 'input' in schema.get('properties', {}) for value in schema['properties'].values()}
                missing = [kind for kind in kinds if f'<td>{kind}</td>' not in page]
                check('/docs has the kind of every field', len(kinds) > 8 and not missing, missing)
            check(f'{path} has the policy', headers['Content-Security-Policy'].startswith("default-src 'self';"))
sys.exit(running.failures > 0)
