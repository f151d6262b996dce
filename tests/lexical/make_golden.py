"""Writes tests/lexical/golden.json: what the public tools say about a few sentences written for this project.

Usage: PYTHON tests/lexical/make_golden.py > tests/lexical/golden.json, with PYTHON as for tests/parity/lexical.py."""
import importlib.metadata
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'parity'))
from lexical_peers import PEERS, paired  # noqa: E402

REFERENCES = [
    ["The quick harbour pilot boarded at dawn, 3.5 miles out.", "At dawn the harbour pilot came aboard, some 3.5 miles out."],
    ["It's raining &quot;again&quot; - isn't it?", "Isn't it raining \"again\"?"],
    ["Sie kostet 1.000,50 \u20ac; \u00c4rger gab's genug.", "Es gab \u00c4rger genug."],
    ["\u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3 \u0130stanbul'da \u4f60\u597d\uff0c\u4e16\u754c\u3002 \u212a2", "\u4e16\u754c"],
    ["", "Nothing at all."],
    ["He said that the boats that the boys had built were sinking slowly in the cold grey water of the lake.",
     "The boats built by the boys were slowly sinking in the lake's cold grey water, he said."],
    ["one", "two three"],
    ["Relational databases and easily running generalizations of news.", "Databases ran."],
]
SYSTEM_A = [
    "At dawn the quick pilot boarded the harbour 3.5 miles out .",
    "It is raining \"again\" , isn't it ?",
    "Sie kostet 1.000,50 \u20ac \u2013 \u00e4rger gab es genug.",
    "\u03bf\u03b4\u03c5\u03c3\u03c3\u03b5\u03c5\u03c2 istanbul'da \u4e16\u754c\uff0c\u4f60\u597d\u3002 k2",
    "Something.",
    "In the cold grey water of the lake he said the boats the boys had built were slowly sinking.",
    "",
    "The relational database easily ran general news generalization.",
]
SYSTEM_B = [references[-1] for references in REFERENCES]
CASES = [
    ('bleu', {}), ('bleu', {'tokenize': 'intl', 'lowercase': True}), ('bleu', {'tokenize': 'zh', 'smooth_method': 'floor'}),
    ('bleu', {'tokenize': 'char', 'smooth_method': 'none'}), ('bleu', {'smooth_method': 'add-k', 'effective_order': True}),
    ('bleu', {'effective_order': True}),  # its segments are sentbleu
    ('bleu', {'tokenize': 'none', 'max_ngram_order': 2}), ('chrf', {}), ('chrf', {'word_order': 2}),
    ('chrf', {'lowercase': True, 'whitespace': True, 'eps_smoothing': True, 'beta': 1}), ('ter', {}),
    ('ter', {'normalized': True, 'asian_support': True}), ('ter', {'no_punct': True, 'case_sensitive': True}),
] + [(kind, {'stem': stem}) for kind in ('rouge1', 'rouge2', 'rougeL', 'rougeLsum') for stem in (False, True)] + [
    ('meteor', {}), ('meteor', {'alpha': 0.8, 'beta': 2.0, 'gamma': 0.3}), ('nist', {}), ('nist', {'n': 2}), ('cider', {}),
    ('character', {})]
TOOLS = {'bleu': 'sacrebleu', 'chrf': 'sacrebleu', 'ter': 'sacrebleu', 'rouge': 'rouge-score', 'meteor': 'nltk', 'nist': 'nltk',
         'cider': 'pycocoevalcap', 'character': 'cer'}


def tool_of(metric):
    name = next(tool for prefix, tool in TOOLS.items() if metric.startswith(prefix))
    return f'{name} {importlib.metadata.version(name)}'


systems = [SYSTEM_A, SYSTEM_B]
cases = []
for metric, options in CASES:
    for count in (1, 2):
        references = [segment[:count] for segment in REFERENCES]
        cases.append({'metric': metric, 'options': options, 'tool': tool_of(metric), 'references': count,
                      'expected': [PEERS[metric](options, references, system) for system in systems]})
tests = []
first = [segment[:1] for segment in REFERENCES]
for metric in 'bleu', 'chrf', 'ter':
    for test, repetitions in ('bs', 1000), ('ar', 2000):
        expected = [{key: float(value) for key, value in result.items()}
                    for result in paired(metric, {}, first, systems, test, repetitions)]
        tests.append({'metric': metric, 'options': {}, 'tool': tool_of(metric), 'test': test, 'repetitions': repetitions,
                      'expected': expected})
json.dump({'references': REFERENCES, 'systems': systems, 'cases': cases, 'paired': tests}, sys.stdout, ensure_ascii=True)
print()
