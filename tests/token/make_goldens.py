#!/usr/bin/env python3
"""Writes tests/token/golden/*.json: small tokenizers, one or more for each component, and what PyPI `tokenizers` 0.22.2
makes of nasty texts with them: ids, offsets in characters, words.

Usage: make_goldens.py OUTPUT_FOLDER, in an environment with tokenizers==0.22.2 and sentencepiece (for the character map
of three rules)."""
import base64
import json
import pathlib
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import Tokenizer, __version__, models, pre_tokenizers, trainers

SENTENCES = '''The ferry left the harbour at dawn, and nobody on the quay waved.
She wouldn't sell the old bicycle; it had carried her across three borders!
Rain fell on the tin roof all night long: drip, drip, drip...
We've counted 1,024 lanterns along the canal (give or take 16).
A caf\u00e9 na\u00efve enough to serve cr\u00e8me br\u00fbl\u00e9e for \u20ac3.50?
The committee's answer was "no", then "maybe", and finally silence.
\u041f\u0430\u0440\u043e\u043c \u0443\u0448\u0451\u043b \u043d\u0430 \u0440\u0430\u0441\u0441\u0432\u0435\u0442\u0435.
\u6e21\u8239\u5728\u9ece\u660e\u65f6\u5206\u79bb\u5f00\u4e86\u6e2f\u53e3\u3002
\ub098\ub8fb\ubc30\ub294 \uc0c8\ubcbd\uc5d0 \ub5a0\ub0ac\ub2e4.'''.split('\n')
NASTY = ['', ' ', '   ', '\n', '\r\n\r\n a', '\t\tx', 'a\u00a0b', 'x\u3000y\u2003z', 'ends in blanks   ', '  starts so',
         "I'll've don't 'tis 's 'S it'S", "'", "''quoted''", '``old quotes\'\'', 'a,b;c', '!!!', 'wait...what?!', '1,234.56',
         '3rd \u0663\u0664 \u00bd \u2167 x\u00b2', 'UPPER Lower \u0130stanbul \u00c5NGSTR\u00d6M stra\u00dfe \u1e9e', 'e\u0301 e\u0323\u0301 e\u0301\u0323 \u00e9\u0323',
         '\ufb01n \uff21\uff22\uff23 \uff21\u0301 \u212b \u2460 \u33a5', '\uac00\u1100\u1161\u11a8\uac01 \u3131', '\u6f22\u5b57kana\u304b\u3099\u30ab',
         '\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f1e9\U0001f1ea\u2764\ufe0f', '\u00a9\u200d\u00a9', '\u0000\u0001\u007f\u0085\u200b\u2060\ufeff\ufffd',
         'a\u0000b\u200bc', '\U000e0041\ue000\U0010ffff\u0378', '\u0915\u094d\u0937\u093f \u0e01\u0e33', '\u0623\u064e\u0644\u0652\u0639\u064e\u0631\u064e', '\u05e9\u05c1\u05b8\u05dc',
         'x\u2581y \u2581 z', 'dash\u2014dash \u2018q\u2019 \u201cq\u201d', 'a' * 40, '[CLS] text [SEP]', '[MASK]', 'x[MASK]y', ' [MASK] ', '  <mask>  end',
         '<s>a</s>', 'the<unk>harbour', 'New York', 'new york newyork', 'in NEWTOKEN and newtokens', 'word1word', 'a\u0334\u0345\u0323', '\U0001d15e\U0001d16e',
         'a\u302eb\u302f', '\U00016ff0\u0301\U00016ff1', 'tab\tand\nnew\x0bline\x0c', '\u1e9b\u0323 \u03d3 \u0344', '\U0002f868\ufa30', '##ing a##b', '\u2028\u2029\u1680',
         'the the the ferry ferry', 'harbourmaster unharboured', '\u01c4 \u0149 \u1fb3 \u0390', '\r', 'a\rb', '\u0d4d\u0d4d \u1b44']


def token(content, id, special=True, normalized=False, **flags):
    return {'id': id, 'content': content, 'single_word': flags.get('single_word', False), 'lstrip': flags.get('lstrip', False),
            'rstrip': flags.get('rstrip', False), 'normalized': normalized, 'special': special}


def template(*parts):
    pieces, tokens = [], {}
    for part in parts:
        if part == '$A':
            pieces.append({'Sequence': {'id': 'A', 'type_id': 0}})
        else:
            pieces.append({'SpecialToken': {'id': part[0], 'type_id': 0}})
            tokens[part[0]] = {'id': part[0], 'ids': list(part[1:]), 'tokens': [part[0]] * len(part[1:])}
    return {'type': 'TemplateProcessing', 'single': pieces, 'pair': pieces + [{'Sequence': {'id': 'B', 'type_id': 1}}],
            'special_tokens': tokens}


class Writer:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, name, model, normalizer=None, pre_tokenizer=None, post_processor=None, added=()):
        root = {'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': list(added), 'normalizer': normalizer,
                'pre_tokenizer': pre_tokenizer, 'post_processor': post_processor, 'decoder': None, 'model': model}
        tokenizer = Tokenizer.from_str(json.dumps(root))
        cases = []
        for text in SENTENCES + NASTY:
            encoding = tokenizer.encode(text)
            cases.append({'text': text, 'ids': encoding.ids, 'offsets': [n for pair in encoding.offsets for n in pair],
                          'words': [-1 if word is None else word for word in encoding.word_ids],
                          'special': encoding.special_tokens_mask})
        with open(self.folder / f'{name}.json', 'w') as out:
            out.write('{"made_by": "tokenizers 0.22.2",\n"tokenizer": ' + json.dumps(root, separators=(',', ':')) +
                      ',\n"cases": [\n' + ',\n'.join(json.dumps(case, separators=(',', ':')) for case in cases) + ']}\n')


def wordpiece_model(**options):
    words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'new', 'york', 'the', 'The', 'ferry', 'harbour', '##ed', '##master', 'un',
             '##harbour', 'wouldn', 't', 'a', '##b', 'b', 'x', '##ing', '\u00e9', 'e', 'i', '##stanbul', 'angstrom', '\u00c5', '1', '##234', '\u0438']
    characters = sorted(set(''.join(SENTENCES + NASTY)))
    words += [c for c in characters if c not in words and ord(c) % 3 and c.strip()]
    words += ['##' + c for c in 'abcdefghilmnoprstuy123' if '##' + c not in words]
    return {'type': 'WordPiece', 'unk_token': '[UNK]', 'continuing_subword_prefix': '##', 'max_input_chars_per_word': 30,
            'vocab': {word: id for id, word in enumerate(words)}, **options}


def byte_bpe_model():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.train_from_iterator(SENTENCES * 3, trainers.BpeTrainer(
        vocab_size=420, special_tokens=['<s>', '<pad>', '</s>', '<unk>', '<mask>'],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return json.loads(tokenizer.to_str())['model']


def character_bpe_model(**options):
    trainer = trainers.BpeTrainer(vocab_size=150, special_tokens=['<unk>'], show_progress=False,
                                  **{key: options[key] for key in ('continuing_subword_prefix', 'end_of_word_suffix') if key in options})
    tokenizer = Tokenizer(models.BPE(unk_token='<unk>', **options))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.train_from_iterator([s for s in SENTENCES[:4] for _ in range(3)], trainer)
    return json.loads(tokenizer.to_str())['model']


def unigram_model(byte_fallback=False, unk_id=1):
    pieces = ['<pad>', '<unk>', '<s>', '</s>', '\u2581', '\u2581the', '\u2581ferry', 'fer', 'ry', '\u2581harbour', 'har', 'bour', 's', 't', 'e', 'a',
              '\u2581a', 'in', 'ing', 'an', 'and', 'drip', ',', '.', "'", '"', '1', '12', '234', 'A', 'o', 'n', 'i', 'h', 'r', 'd', 'l', 'the',
              'he', 'th', '\u0430', '\u043e', '\u043c', '\u6e21', '\u8239', '\uac00', 'x', 'y']
    if byte_fallback:
        pieces += [f'<0x{byte:02X}>' for byte in range(256)]
    return {'type': 'Unigram', 'unk_id': unk_id, 'byte_fallback': byte_fallback,
            'vocab': [[piece, 0.0 if piece[0] == '<' else -((7 * id) % 23) / 3 - 1] for id, piece in enumerate(pieces)]}


def charsmap():
    """SentencePiece's own compiler on a few rules: a few of nmt_nfkc, one that deletes, one that lengthens."""
    rules = [('FF21', '41'), ('FF22', '42'), ('FB01', '66 69'), ('2026', '2E 2E 2E'), ('A0', '20'), ('3000', '20'), ('9', '20'), ('A', '20'),
             ('D', '20'), ('200B', ''), ('7F', ''), ('212B', 'C5'), ('65 301', 'E9'), ('304B 3099', '304C'), ('1', ''), ('2460', '31')]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / 'rules.tsv').write_text(''.join(f'{a}\t{b}\n' for a, b in rules))
        (path / 'corpus.txt').write_text('\n'.join(SENTENCES[:6] * 20))
        sentencepiece.SentencePieceTrainer.train(input=str(path / 'corpus.txt'), model_prefix=str(path / 'm'), vocab_size=100,
                                                 normalization_rule_tsv=str(path / 'rules.tsv'), minloglevel=2)
        read = proto.ModelProto()
        read.ParseFromString((path / 'm.model').read_bytes())
        return base64.b64encode(read.normalizer_spec.precompiled_charsmap).decode()


def bert(**options):
    return {'type': 'BertNormalizer', 'clean_text': True, 'handle_chinese_chars': True, 'strip_accents': None, 'lowercase': True, **options}


def sequence(kind, *parts):
    return {'type': 'Sequence', kind: list(parts)}


def main():
    assert __version__ == '0.22.2', __version__
    write = Writer(sys.argv[1])
    specials = [token(name, id) for id, name in enumerate(('[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'))]
    wrap = template(('[CLS]', 2), '$A', ('[SEP]', 3))
    white = {'type': 'WhitespaceSplit'}
    word = wordpiece_model()
    write('wordpiece_uncased', word, bert(), {'type': 'BertPreTokenizer'}, wrap, specials)
    write('wordpiece_cased', word, bert(lowercase=False), {'type': 'BertPreTokenizer'},
          {'type': 'BertProcessing', 'sep': ['[SEP]', 3], 'cls': ['[CLS]', 2]}, specials)
    write('wordpiece_accents', word, bert(strip_accents=False, clean_text=False), {'type': 'Whitespace'}, wrap, specials)
    write('wordpiece_ideographs', word, bert(handle_chinese_chars=False, strip_accents=True, lowercase=False), white, None, specials)
    write('added_tokens', word, bert(), {'type': 'BertPreTokenizer'}, template(('two', 2, 2), '$A'), specials[:4] + [
        token('[MASK]', 4, lstrip=True), token('New York', 90, special=False, normalized=True),
        token('newtoken', 91, special=False, normalized=True, single_word=True), token('<mask>', 92, special=False, lstrip=True, rstrip=True),
        token('the ferry', 93, special=False, rstrip=True), token('harbour', 94, special=False, single_word=True)])
    forms = [sequence('normalizers', {'type': form}, *rest) for form, rest in (
        ('NFC', []), ('NFD', [{'type': 'StripAccents'}]), ('NFKC', [{'type': 'Lowercase'}]),
        ('NFKD', [{'type': 'Strip', 'strip_left': True, 'strip_right': False}, {'type': 'Nmt'}]))]
    pre_tokenizers_ = [{'type': 'Punctuation', 'behavior': 'MergedWithPrevious'}, {'type': 'Digits', 'individual_digits': True},
                       {'type': 'Split', 'pattern': {'Regex': r'\s+|[,;.]{2,3}'}, 'behavior': 'MergedWithNext', 'invert': False},
                       sequence('pretokenizers', {'type': 'CharDelimiterSplit', 'delimiter': ' '}, {'type': 'Digits', 'individual_digits': False},
                                {'type': 'Punctuation', 'behavior': 'Contiguous'})]
    for form, pre in zip(forms, pre_tokenizers_):
        write('forms_' + form['normalizers'][0]['type'].lower(), word, form, pre, None, specials)
    more = [{'type': 'Split', 'pattern': {'String': 'a'}, 'behavior': 'Removed', 'invert': True},
            {'type': 'Split', 'pattern': {'Regex': r' ?[^\s\p{L}\p{N}]+|\p{N}{1,3}|\S'}, 'behavior': 'Contiguous', 'invert': False},
            {'type': 'Punctuation', 'behavior': 'MergedWithNext'}]
    for number, pre in enumerate(more):
        write(f'split_{number}', word, {'type': 'Replace', 'pattern': {'Regex': '[a-c\u00e9]+'}, 'content': '<>'} if number == 1 else
              {'type': 'Prepend', 'prepend': 'x '} if number == 2 else None, pre, None, [])

    names = [token(name, id, lstrip=name == '<mask>') for id, name in enumerate(('<s>', '<pad>', '</s>', '<unk>', '<mask>'))]
    byte = byte_bpe_model()
    for prefix in (False, True):
        write(f'byte_bpe_{"prefix" if prefix else "plain"}', byte, None, {'type': 'ByteLevel', 'add_prefix_space': prefix, 'trim_offsets': True},
              {'type': 'RobertaProcessing', 'sep': ['</s>', 2], 'cls': ['<s>', 0], 'trim_offsets': True, 'add_prefix_space': prefix}, names)
    gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    write('byte_bpe_split', byte, {'type': 'NFC'}, sequence(
        'pretokenizers', {'type': 'Split', 'pattern': {'Regex': gpt2}, 'behavior': 'Isolated', 'invert': False},
        {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': False}),
        sequence('processors', {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': False},
                 template(('<s>', 0), '$A')), names)
    write('byte_bpe_normalizer', {**byte, 'ignore_merges': True}, sequence('normalizers', {'type': 'Prepend', 'prepend': ' '}, {'type': 'ByteLevel'}),
          None, {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': True, 'use_regex': True}, names[:2])
    # As ModernBERT has it: runs of blanks are tokens of their own, found in the text after NFC.
    modern = [token('|||IP_ADDRESS|||', 420, special=False, normalized=True), token('<|padding|>', 421)]
    modern += [token(' ' * blanks, 421 + length, special=False, normalized=True) for length, blanks in enumerate((4, 3, 2), 1)]
    modern += [token(name, 425 + place, lstrip=name == '[MASK]') for place, name in enumerate(('[UNK]', '[CLS]', '[SEP]', '[PAD]', '[MASK]'))]
    write('byte_bpe_modern', byte, {'type': 'NFC'}, {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': True},
          template(('[CLS]', 426), '$A', ('[SEP]', 427)), modern)
    write('bpe_unknown', character_bpe_model(), None, white, None, [])
    write('bpe_fused', character_bpe_model(fuse_unk=True, end_of_word_suffix='</w>'), {'type': 'Lowercase'}, white, None, [])
    write('bpe_continuing', character_bpe_model(continuing_subword_prefix='@@'), None, white, None, [])
    model = character_bpe_model(byte_fallback=True)
    for byte_value in range(256):
        model['vocab'][f'<0x{byte_value:02X}>'] = len(model['vocab'])
    write('bpe_bytes', model, {'type': 'Replace', 'pattern': {'String': ' '}, 'content': '\u2581'}, None, None, [])
    silent = character_bpe_model()
    silent['unk_token'] = None
    write('bpe_silent', silent, None, white, None, [])

    meta = {'type': 'Metaspace', 'replacement': '\u2581', 'prepend_scheme': 'always', 'split': True}
    unigram_names = [token(name, id) for id, name in enumerate(('<pad>', '<unk>', '<s>', '</s>'))] + [token('<mask>', 48, lstrip=True)]
    compiled = {'type': 'Precompiled', 'precompiled_charsmap': charsmap()}
    write('unigram_words', unigram_model(), compiled, sequence('pretokenizers', white, meta), template(('<s>', 2), '$A', ('</s>', 3)), unigram_names)
    write('unigram_quotes', unigram_model(), sequence(
        'normalizers', {'type': 'Replace', 'pattern': {'String': '``'}, 'content': '"'}, {'type': 'Replace', 'pattern': {'String': "''"}, 'content': '"'},
        {'type': 'NFKD'}, {'type': 'StripAccents'}, {'type': 'Lowercase'}, compiled), meta, template('$A', ('</s>', 3)), unigram_names)
    write('unigram_blanks', unigram_model(), sequence(
        'normalizers', {'type': 'Strip', 'strip_left': True, 'strip_right': True}, compiled,
        {'type': 'Replace', 'pattern': {'Regex': ' {2,}'}, 'content': ' '}), {**meta, 'split': False}, None, unigram_names)
    write('unigram_first', unigram_model(), None, {**meta, 'prepend_scheme': 'first'}, None, unigram_names)
    write('unigram_never', unigram_model(byte_fallback=True), compiled, {**meta, 'prepend_scheme': 'never'}, None, unigram_names[:4])


main()
