#!/usr/bin/env python3
"""Trains tokenizers of the kinds no public model is at hand for, and configures them like the models that use them.

  tests/parity/make_tokenizers.py OUTPUT_FOLDER TEXT_FOLDER [--small]

Writes OUTPUT_FOLDER/<kind>/tokenizer.json for byte-level BPE (RoBERTa, GPT-2, with vocab.json and merges.txt beside it)
and Unigram (XLM-R, ALBERT, DeBERTa-v3, T5-like with byte fallback). The texts are those of compare_tokens.py; the
character map is SentencePiece's nmt_nfkc. Needs tokenizers 0.22.2 and sentencepiece."""
import base64
import json
import pathlib
import random
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from compare_tokens import read_texts  # noqa: E402


def special(content, id, lstrip=False, normalized=False):
    return {'id': id, 'content': content, 'single_word': False, 'lstrip': lstrip, 'rstrip': False,
            'normalized': normalized, 'special': True}


def template(*parts):
    pieces, tokens = [], {}
    for part in parts:
        if part == '$A':
            pieces.append({'Sequence': {'id': 'A', 'type_id': 0}})
        else:
            name, id = part
            pieces.append({'SpecialToken': {'id': name, 'type_id': 0}})
            tokens[name] = {'id': name, 'ids': [id], 'tokens': [name]}
    pair = pieces + [{'Sequence': {'id': 'B', 'type_id': 1}}]
    return {'type': 'TemplateProcessing', 'single': pieces, 'pair': pair, 'special_tokens': tokens}


def write(folder, name, added, normalizer, pre_tokenizer, post_processor, model):
    path = folder / name
    path.mkdir(parents=True, exist_ok=True)
    root = {'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': added, 'normalizer': normalizer,
            'pre_tokenizer': pre_tokenizer, 'post_processor': post_processor, 'decoder': None, 'model': model}
    (path / 'tokenizer.json').write_text(json.dumps(root, ensure_ascii=False), encoding='utf-8')
    Tokenizer.from_file(str(path / 'tokenizer.json'))  # must load
    print(name, len(model['vocab']), 'pieces')
    return path


def make_bpe(folder, texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    names = ['<s>', '<pad>', '</s>', '<unk>', '<mask>']
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=20000, special_tokens=names, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(tokenizer.to_str())['model']
    added = [special(name, id, lstrip=name == '<mask>') for id, name in enumerate(names)]
    for name, prefix in (('roberta', False), ('roberta-prefix', True)):
        path = write(folder, name, added, None,
                     {'type': 'ByteLevel', 'add_prefix_space': prefix, 'trim_offsets': True, 'use_regex': True},
                     {'type': 'RobertaProcessing', 'sep': ['</s>', 2], 'cls': ['<s>', 0], 'trim_offsets': True,
                      'add_prefix_space': prefix}, model)
    write(folder, 'gpt2', [special('<|endoftext|>', 20000)], None,
          {'type': 'Sequence', 'pretokenizers': [
              {'type': 'Digits', 'individual_digits': True},
              {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': True}]},
          {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': False, 'use_regex': True}, model)
    files = folder / 'roberta-files'
    files.mkdir(exist_ok=True)
    (files / 'vocab.json').write_text(json.dumps(model['vocab']))
    merges = '\n'.join(' '.join(m) if isinstance(m, list) else m for m in model['merges'])
    (files / 'merges.txt').write_text('#version: 0.2\n' + merges + '\n', encoding='utf-8')


def make_unigram(folder, texts):
    with tempfile.TemporaryDirectory() as temporary:
        corpus = pathlib.Path(temporary) / 'corpus.txt'
        corpus.write_text('\n'.join(text.replace('\n', ' ') for text in texts), encoding='utf-8')
        pieces, charsmap = {}, None
        for name, extra in (('plain', {}), ('bytes', {'byte_fallback': True})):
            prefix = str(pathlib.Path(temporary) / name)
            sentencepiece.SentencePieceTrainer.train(
                input=str(corpus), model_prefix=prefix, vocab_size=8000, model_type='unigram', character_coverage=0.9995,
                max_sentence_length=100000, minloglevel=2, num_threads=2, normalization_rule_name='nmt_nfkc', **extra)
            read = proto.ModelProto()
            read.ParseFromString(pathlib.Path(prefix + '.model').read_bytes())
            pieces[name] = [[piece.piece, piece.score] for piece in read.pieces]
            charsmap = base64.b64encode(read.normalizer_spec.precompiled_charsmap).decode()
    precompiled = {'type': 'Precompiled', 'precompiled_charsmap': charsmap}
    metaspace = {'type': 'Metaspace', 'replacement': '\u2581', 'prepend_scheme': 'always', 'split': True}

    vocab = [['<s>', 0.0], ['<pad>', 0.0], ['</s>', 0.0], ['<unk>', 0.0]] + pieces['plain'][3:] + [['<mask>', 0.0]]
    added = [special(name, id) for id, name in enumerate(('<s>', '<pad>', '</s>', '<unk>'))]
    write(folder, 'xlm-r', added + [special('<mask>', len(vocab) - 1, lstrip=True)], precompiled,
          {'type': 'Sequence', 'pretokenizers': [{'type': 'WhitespaceSplit'}, metaspace]},
          template(('<s>', 0), '$A', ('</s>', 2)), {'type': 'Unigram', 'unk_id': 3, 'vocab': vocab, 'byte_fallback': False})

    vocab = [['<pad>', 0.0], ['<unk>', 0.0], ['[CLS]', 0.0], ['[SEP]', 0.0], ['[MASK]', 0.0]] + pieces['plain'][3:]
    added = [special(name, id) for id, name in enumerate(('<pad>', '<unk>', '[CLS]', '[SEP]'))]
    replace = [{'type': 'Replace', 'pattern': {'String': quote}, 'content': '"'} for quote in ('``', "''")]
    write(folder, 'albert', added + [special('[MASK]', 4, lstrip=True)],
          {'type': 'Sequence', 'normalizers': replace + [{'type': 'NFKD'}, {'type': 'StripAccents'}, {'type': 'Lowercase'},
                                                         precompiled,
                                                         {'type': 'Replace', 'pattern': {'Regex': ' {2,}'}, 'content': ' '}]},
          metaspace, template(('[CLS]', 2), '$A', ('[SEP]', 3)),
          {'type': 'Unigram', 'unk_id': 1, 'vocab': vocab, 'byte_fallback': False})

    vocab = [['[PAD]', 0.0], ['[CLS]', 0.0], ['[SEP]', 0.0], ['[UNK]', 0.0]] + pieces['plain'][3:]
    added = [special(name, id, normalized=name == '[UNK]') for id, name in enumerate(('[PAD]', '[CLS]', '[SEP]', '[UNK]'))]
    write(folder, 'deberta-v3', added + [special('[MASK]', len(vocab))],
          {'type': 'Sequence', 'normalizers': [{'type': 'Strip', 'strip_left': True, 'strip_right': True}, precompiled,
                                               {'type': 'Replace', 'pattern': {'Regex': ' {2,}'}, 'content': ' '}]},
          {'type': 'Metaspace', 'replacement': '\u2581', 'add_prefix_space': True, 'prepend_scheme': 'always'},
          template(('[CLS]', 1), '$A', ('[SEP]', 2)), {'type': 'Unigram', 'unk_id': 3, 'vocab': vocab, 'byte_fallback': False})

    added = [special('<unk>', 0), special('</s>', 2, normalized=True)]
    write(folder, 'bytes-first', added, {'type': 'Sequence', 'normalizers': [{'type': 'Nmt'}, {'type': 'NFKC'}]},
          {'type': 'Metaspace', 'replacement': '\u2581', 'prepend_scheme': 'first', 'split': False},
          template('$A', ('</s>', 2)), {'type': 'Unigram', 'unk_id': 0, 'vocab': pieces['bytes'], 'byte_fallback': True})


def main():
    folder = pathlib.Path(sys.argv[1])
    texts, _, _ = read_texts(sys.argv[2])
    random.Random(1).shuffle(texts)
    texts = [text for text in texts[:60000 if '--small' not in sys.argv else 6000] if len(text) > 20]
    make_bpe(folder, texts)
    make_unigram(folder, texts[:40000])


main()
