#!/usr/bin/env python3
"""Writes the small inputs fuzzing starts from: tests/fuzz/corpus. Everything in them is made here."""
import gzip, json, pathlib, struct

here = pathlib.Path(__file__).parent
tests = here.parent


def put(target, name, content):
    folder = here / 'corpus' / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def npy(descr, shape, data, version=1, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    prefix = b'\x93NUMPY' + bytes([version, 0])
    size = '<H' if version == 1 else '<I'
    header += b' ' * (-(len(prefix) + struct.calcsize(size) + len(header) + 1) % 64) + b'\n'
    return prefix + struct.pack(size, len(header)) + header + data


def tensors(header, data):
    text = json.dumps(header).encode()
    return struct.pack('<Q', len(text)) + text + data


four = struct.pack('<4f', 1, 2, 3, 4)
put('npy', 'float32', npy('<f4', (2, 2), four))
put('npy', 'float16', npy('<f2', (2, 2), struct.pack('<4e', 1, 2, 3, 4), version=2))
put('npy', 'big_endian_fortran', npy('>f8', (2, 2), struct.pack('>4d', 1, 2, 3, 4), version=3, fortran=True))
put('npy', 'integers', npy('<i8', (1, 1), bytes(8)))
put('npy', 'gzip', gzip.compress(npy('<f4', (2, 2), four), mtime=0))

put('safetensors', 'file', b'\0' + tensors({'__metadata__': {'format': 'pt'}, 'a': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [0, 16]},
                                            'b': {'dtype': 'BF16', 'shape': [2], 'data_offsets': [16, 20]}}, four + bytes(4)))
put('safetensors', 'index', b'\1' + json.dumps({'weight_map': {'a': 'model-1.safetensors', 'b': 'model-1.safetensors'}}).encode())

storage = b'(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0007X\3\0\0\0cpuK\4tQ'
tensor = b'ctorch._utils\n_rebuild_tensor_v2\n(' + storage + b'K\0K\2K\2\x86K\1K\2\x86\x89ccollections\nOrderedDict\n)RtR'
behind = b'](X\1\0\0\0007e.' + struct.pack('<Q', 4) + four
put('pickle', 'transposed', b'\1\x80\2}X\1\0\0\0t' + tensor + b's.' + behind)
put('pickle', 'parameter', b'\1\x80\2ccollections\nOrderedDict\n)Rq\0X\1\0\0\0tctorch._utils\n_rebuild_parameter\n(' + tensor + b'\x88NtRs}b.' + behind)
put('pickle', 'system', b'\1\x80\2cos\nsystem\nX\2\0\0\0ls\x85R.')
put('pickle', 'memo', b'\1]q\0(h\0h\0h\0eq\1(h\1h\1N\x85\x94e.')
put('pickle', 'protocol_4', b'\1\x80\4\x95\0\0\0\0\0\0\0\0}\x94\x8c\1t\x94\x8c\5torch\x8c\4Size\x93)\x85R\x8a\1\xffGAAAAAAAA\x87s.')
for name in ('bert_torch_half', 'bert_torch_legacy'):
    put('pickle', name, b'\0' + (tests / 'encoder/models' / name / 'pytorch_model.bin').read_bytes())


put('checkpoint', 'index', (tests / 'encoder/models/bert_checkpoint' / 'bert_model.ckpt.index').read_bytes())
put('checkpoint', 'empty', bytes(40) + struct.pack('<Q', 0xdb4775248b80fb57))

bert = {'model_type': 'bert', 'vocab_size': 30, 'hidden_size': 32, 'num_hidden_layers': 2, 'num_attention_heads': 4,
        'intermediate_size': 64, 'max_position_embeddings': 16, 'type_vocab_size': 2, 'layer_norm_eps': 1e-12, 'hidden_act': 'gelu'}
real = tests / 'encoder/models/bert/config.json'
put('model_folder', 'bert', real.read_bytes() if real.exists() else json.dumps(bert))
put('model_folder', 'sentence_model', b'\0'.join([
    json.dumps(bert).encode(),
    json.dumps([{'idx': 0, 'name': '0', 'path': '', 'type': 'sentence_transformers.models.Transformer'},
                {'idx': 1, 'name': '1', 'path': '1_Pooling', 'type': 'sentence_transformers.models.Pooling'}]).encode(),
    json.dumps({'max_seq_length': 128, 'do_lower_case': False}).encode(), json.dumps({'model_max_length': 512}).encode()]))
modern = {'model_type': 'modernbert', 'vocab_size': 30, 'hidden_size': 32, 'num_hidden_layers': 2, 'num_attention_heads': 4, 'intermediate_size': 64,
          'max_position_embeddings': 64, 'local_attention': 8, 'layer_types': ['full_attention', 'sliding_attention'], 'norm_eps': 1e-5,
          'rope_parameters': {'full_attention': {'rope_theta': 160000.0, 'rope_type': 'default'}}, 'local_rope_theta': None}
put('model_folder', 'modernbert', json.dumps(modern))
put('model_folder', 'pooling', json.dumps({'word_embedding_dimension': 32, 'pooling_mode_mean_tokens': True}))

for name in ('wordpiece_uncased', 'byte_bpe_split', 'unigram_words', 'bpe_continuing', 'added_tokens', 'forms_nfkc'):
    golden = json.loads((tests / 'token/golden' / f'{name}.json').read_text())
    content = json.dumps(golden['tokenizer'], ensure_ascii=False, separators=(',', ':'))
    if len(content) < 30000:
        put('tokenizer_json', name, content)
put('vocabulary_files', 'bert', '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\nsat\n##s\n')
put('vocabulary_files', 'gpt2', b'\0'.join([b'', json.dumps({'<|endoftext|>': 0, 'a': 1, 't': 2, 'at': 3}).encode(), b'#version: 0.2\na t\n',
                                            json.dumps({'add_prefix_space': True}).encode()]))
put('vocabulary_files', 'roberta', b'\0'.join([b'', json.dumps({'<s>': 0, '<pad>': 1, '</s>': 2, '<unk>': 3, 'a': 4, 't': 5, 'at': 6}).encode(),
                                               b'#version: 0.2\na t\n', b'']))

put('text_files', 'lines', '\0a cat\nsat\n')
put('text_files', 'tsv', '\1text\tscore\tsystem\na cat\t0.5\tmine\nsat\t-1e3\tyours\n')
put('text_files', 'csv', '\2text,score,system\n"a ""cat"",\nsat",0.5,mine\n')
put('text_files', 'jsonl', '\3{"text": ["a", "b"], "score": 1, "system": "mine"}\n{"text": "c", "score": null, "system": 2}\n')
put('text_files', 'gzip', b'\4' + gzip.compress(b'a cat\nsat\n', mtime=0) + gzip.compress(b'more\n', mtime=0))
put('text_files', 'invalid', b'\x80a\xffb\xc3\n\xe2\x82\n')

put('word_vectors', 'text', 'cat 0.1 0.2\nsat 1e-3 -4\n')
put('word_vectors', 'text_header', '2 2\ncat 0.1 0.2\nsat 1 2\n')
put('word_vectors', 'binary', b'2 2\ncat ' + struct.pack('<2f', 1, 2) + b'\nsat ' + struct.pack('<2f', 3, 4) + b'\n')
put('word_vectors', 'gzip', gzip.compress(b'cat 0.1 0.2\n', mtime=0))

table = b'row\tsegment\tid\tpiece\tkind\n0\t1\t2\t[CLS]\tspecial\n1\t2\t7\tcat\tword\n\0'
put('token_vectors', 'two_texts', b'\0' + table + npy('<f4', (2, 2), four))
put('token_vectors', 'two_layers', b'\0' + table + npy('<f2', (2, 1, 2), struct.pack('<4e', 1, 2, 3, 4)))
put('token_vectors', 'far_segment', b'\0row\tsegment\tid\tpiece\n0\t99999999999\t2\ta\n\0' + npy('<f4', (1, 2), four[:8]))
put('token_vectors', 'dictionary', b'\1' + table + b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2), }")
put('token_vectors', 'shape_twice',
    b'\x11' + table + b"{'descr': '<f4', 'shape': (2, 7, 3), 'fortran_order': False, 'shape': (2, 6), }")

for name, first in (('wordpiece', 0), ('bpe', 1), ('unigram', 2)):
    put('tokenizer_parts', name, bytes([40, first]) + bytes(range(60)) + 'a b aab caf\u00e9 '.encode() * 4)
put('tokenizer_parts', 'text_twice', bytes([31, 0, 1, 0, 0, 2, 0, 0, 0, 0]) + b'aab ab a')

line = '00000000 05 n 02 cat 0 kitty 1 000 | a pet\n'
put('wordnet', 'more_pointers_than_fields', '  1 licence\ncat n 1 4000000000 @ 1 1 00000000\n\0')
put('wordnet', 'more_words_than_fields', '  1 licence\ncat n 1 0 1 1 00000000\n\x0000000000 05 n ffffffff cat 0 000\n')
put('wordnet', 'small', '\0'.join(['  1 licence\ncat n 1 0 1 1 00000000\n', line, 'mice mouse\n']))

put('trained_model', 'config', json.dumps({'format': 1, 'architecture': 'esim'}) + '\0')
put('trained_model', 'blend', json.dumps({'markeval': '0.1.0', 'architecture': 'blend', 'penalty': 0.01, 'parts': [
    {'request': 'chrf', 'result': 'chrf', 'signature': 'chrf|nc:6', 'mean': 50, 'deviation': 20, 'weight': 0.5}]}) + '\0')
encoder = {'name': 'tiny', 'sha256': '0' * 64, 'precision': 'f32', 'max_length': 8, 'layers': 1, 'width': 2}
head = {'encoder': encoder, 'heads': 1, 'width': 1, 'hidden': 1, 'scale': {'offset': 0, 'factor': 1}}
shapes = {'mix': [1, 1], 'projection': [1, 2], 'token_weight': [1, 2], 'hidden.weight': [1, 3], 'hidden.bias': [1, 1],
          'output.weight': [1, 1], 'output.bias': [1, 1]}
header, place = {'__metadata__': {'architecture': 'match', 'head': json.dumps(head), 'sha256': '0' * 64}}, 0
for name, shape in shapes.items():
    size = 4 * shape[0] * shape[1]
    header[name] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [place, place + size]}
    place += size
put('trained_model', 'head', b'{}\0' + tensors(header, bytes(place)))

for index, request in enumerate(['me:k=3,samples=word', 'bleu:tokenize=13a,lowercase=yes', 'bertscore:layer=4,idf=yes', 'moverscore:n=2',
                                 'prd:clusters=20,runs=10', 'rougeL', 'esim:model=x', 'chrf:word=2,beta=2']):
    put('metric_request', f'request_{index}', request)

put('request_json', 'score', json.dumps({'metrics': ['bleu', 'me:k=3'], 'seed': 7, 'max_length': 64, 'model': 'all-MiniLM-L6-v2', 'precision': 'f32'}))
TEXTS = {'references': ['a', ['b', 'c']], 'systems': [{'name': 'x', 'texts': ['d', 'e']}]}
put('serve_body', 'score', '\0' + json.dumps({**TEXTS, 'metrics': ['bleu'], 'preset': 'mt', 'segments': True}))
put('serve_body', 'compare', '\1' + json.dumps({**TEXTS, 'test': 't', 'alpha': 0.1}))
put('serve_body', 'correlate', '\2' + json.dumps({'columns': {'g': [1, None], 'r': [['a'], 'b'], 's': ['x', 'y']}, 'gold': 'g'}))
put('serve_body', 'embeddings', '\3' + json.dumps({'input': ['a', 'b'], 'encoding_format': 'base64', 'layer': 1}))
MANY = {'references': ['a b', 'c'], 'systems': {f's{i}': ['a b', 'd'] for i in range(12)}, 'metrics': ['bleu', 'rougeL']}
put('request_cost', 'score', '\0' + json.dumps({**MANY, 'ci': 1000, 'segments': True, 'group': ['x', 'y']}))
put('request_cost', 'compare', '\1' + json.dumps({**MANY, 'test': 'randomisation', 'correction': 'bh'}))
put('request_cost', 'compare_holm', '\1' + json.dumps({**MANY, 'alpha': 0.01}))
put('request_cost', 'correlate', '\2' + json.dumps({'columns': {'g': [1, 2, 3], 'm': [1, 3, 2], 'n': [3, 1, 2]}, 'gold': 'g', 'predicted': ['m', 'n'],
                                                    'coefficients': ['kendall', 'accuracy'], 'test': 'perm-both', 'ci': 100}))
HEAD = 'POST /v1/score HTTP/1.1\r\nHost: localhost\r\n'
put('http_framing', 'length', HEAD + 'Content-Length: 48\r\nContent-Type: application/json\r\n\r\n')
put('http_framing', 'chunked', HEAD + 'Transfer-Encoding: chunked\r\n\r\n')
put('http_framing', 'twice', HEAD + 'Content-Length: 2\r\nContent-Length : 48\r\nno colon\r\n\r\n')
put('http_framing', 'chunks', '3\r\nabc\r\n1\r\nd\r\n0\r\n\r\nGET')
put('http_framing', 'huge', 'ffffffffffffffff\r\nabc')
put('json_text', 'object', '{"a": [1, 2.5e-3, "x\\u00e9\\n", null, true], "b": {}}')
put('json_text', 'broken', '{"a": }')

put('transport', 'square', bytes([2, 2, 1, 2, 3, 3, 2, 1] + list(range(9))))
put('transport', 'unequal', bytes([4, 1, 1, 0, 5, 9, 2, 7, 7] + list(range(0, 200, 13))))

for index, text in enumerate(['The cat sat on the mat, didn\'t it?', 'naïve café 😀 中文 ไทย', ' \t\n', 'unbelievably un##real']):
    put('tokenize_text', f'text_{index}', b'\x20' + text.encode())
put('tokenize_text', 'long_word', 'Un' + 28 * 'o' + 'bel')
put('tokenize_text', 'invalid', b'\x20a\xff\xc3(b')
put('cache_file', 'empty', b'SQLite format 3\0')
put('cache_record', 'empty', bytes(64))

put('study_data', 'mnli', b'\0' + b'\0'.join([b'genre\tpremise\thypothesis\nfiction\ta cat\ta dog\n'] * 2))
put('study_data', 'mnli_empty', b'\0' + b'\0'.join([b'genre\tpremise\thypothesis\nfiction\t\t\n'] * 2))
put('study_data', 'wmt17', b'\1human\tref\thyp\n1\ta cat\ta dog\n')
put('study_data', 'wmt17_systems', b'\2LP HUMAN SYSTEM\ncs-en 0.1 a.1\ncs-en 0.2 b.2\n\0ref\ta.1\tb.2\nx y\tx z\tx\n')
put('study_data', 'tac', b'\3{"topic": "t", "text": "a"}\n\0{"topic": "t", "human_written": true, "n_sent": 2, "responsiveness": 1, "pyr_score": 2, "text": "b"}\n')
put('study_data', 'wmt19', b'\4{"src": "s", "ref": "r", "better": "b", "worse": "w"}\n')
put('study_data', 'data_to_text', b'\5{"refs": ["a", "b"], "hyp": "c", "informativeness": 1, "naturalness": 2, "quality": 3}\n')
put('study_data', 'generation', b'\6a\nb\nc\nd\n\0a\nb\n')
ROWS = ''.join(f'{i % 5}\tthe cat {i}\tthe dog {i % 3}\ts{i % 4}\tg{i % 2}\n' for i in range(24))
put('study_data', 'own', b'\7human\tref\thyp\tsystem\tgroup\n' + ROWS.encode())
put('study_data', 'own_systems', bytes([7 + 9 * 15]) + b'human\tref\thyp\tsystem\tgroup\n' + ROWS.encode())
SCORES = ''.join(f'{system} {score}\n' for score, system in enumerate('abcd') for _ in range(2))
put('study_data', 'own_folder', bytes([8]) + b'\0'.join([b'x y\nz w\n'] + [b'x z\nz\n'] * 4 + [SCORES.encode(), b'']))
put('study_data', 'own_folder_none', bytes([8 + 9 * 15]) + b'\0'.join([b'x y\nz w\n'] + [b'x z\nz\n'] * 4 + [SCORES.replace('1', 'None').encode(), b'']))
put('metric_files', 'idf', b'\0the cat\nthe dog\n')
put('metric_files', 'idf_column', b'\1text\tother\nthe cat\t1\n')
put('metric_files', 'baseline', b'\2LAYER,P,R,F\n0,0.5,0.5,0.5\n1,0.25,0.5,0.3\n')
put('training_checkpoint', 'file', b'\0' + tensors({'values': {'dtype': 'F32', 'shape': [1], 'data_offsets': [0, 4]}}, bytes(4)))
put('training_checkpoint', 'state', b'\1' + json.dumps({'step': 3, 'batch': 1, 'learning_rate': .1, 'loss_sum': .5, 'best_epoch': 1,
                                                       'curve': [{'loss': 1, 'pearson': .5, 'learning_rate': .1}]}).encode())
put('training_checkpoint', 'best_to_come', b'\1{"step": 0, "batch": 0, "learning_rate": 0, "loss_sum": 0, "best_epoch": 9, "curve": []}')
