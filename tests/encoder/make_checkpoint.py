"""Writes the model `bert` of tests/encoder/models as a checkpoint of TensorFlow, as Google's BERTs are published.

  python make_checkpoint.py MODELS_FOLDER          (made with tensorflow-cpu 2.15.1)

MODELS_FOLDER/bert_checkpoint gets bert_config.json, bert_model.ckpt.index, bert_model.ckpt.data-00000-of-00001 and the
golden states of `bert`. Variables have the names of google-research/bert; one of the optimiser and a head are among them."""
import json
import os
import pathlib
import re
import shutil
import struct
import sys

import numpy
import tensorflow


def load(path):
    raw = path.read_bytes()
    length = struct.unpack('<Q', raw[:8])[0]
    header, data = json.loads(raw[8:8 + length]), raw[8 + length:]
    header.pop('__metadata__', None)
    return {name: numpy.frombuffer(data[slice(*entry['data_offsets'])], '<f4').reshape(entry['shape'])
            for name, entry in header.items()}


def variable(name, value):
    """The name and the value TensorFlow's BERT has for one of PyTorch's."""
    path = 'bert/' + re.sub(r'layer\.(\d+)', r'layer_\1', name).replace('.', '/')
    if name.endswith('_embeddings.weight'):
        return path.removesuffix('/weight'), value
    if 'LayerNorm' in name:
        return path.replace('/weight', '/gamma').replace('/bias', '/beta'), value
    if name.endswith('.weight'):
        return path.replace('/weight', '/kernel'), value.T.copy()
    return path, value


def main():
    models = pathlib.Path(sys.argv[1])
    source, folder = models / 'bert', models / 'bert_checkpoint'
    folder.mkdir(exist_ok=True)
    variables = dict(variable(name, value) for name, value in load(source / 'model.safetensors').items())
    variables['bert/pooler/dense/kernel/adam_m'] = numpy.full((2, 2), numpy.nan, 'f4')
    variables['cls/seq_relationship/output_weights'] = numpy.zeros((2, 32), 'f4')
    variables['global_step'] = numpy.array(7, 'i8')
    names = sorted(variables)
    os.chdir(folder)
    tensorflow.raw_ops.SaveV2(prefix='bert_model.ckpt', tensor_names=names, shape_and_slices=[''] * len(names),
                              tensors=[tensorflow.constant(variables[name]) for name in names])
    config = json.loads(pathlib.Path('../bert/config.json').read_text())
    kept = ('attention_probs_dropout_prob', 'hidden_act', 'hidden_dropout_prob', 'hidden_size', 'initializer_range',
            'intermediate_size', 'max_position_embeddings', 'num_attention_heads', 'num_hidden_layers', 'type_vocab_size', 'vocab_size')
    pathlib.Path('bert_config.json').write_text(json.dumps({key: config[key] for key in kept}, indent=2) + '\n')
    shutil.copyfile('../bert/golden.safetensors', 'golden.safetensors')


if __name__ == '__main__':
    main()
