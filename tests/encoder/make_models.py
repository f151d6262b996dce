"""Makes the tiny random models of tests/encoder/models and the hidden states public code computes for them.

  python make_models.py OUT_FOLDER          (made with transformers 4.57.6, torch 2.10.0)

Each folder gets config.json, the weights, and golden.safetensors: `lengths` and `ids` of the sequences, and for every
layer `layer_N` (tokens x hidden size), all as float32. Sequences are run one by one, so no padding is involved."""
import collections
import json
import pathlib
import shutil
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file

COMMON = dict(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=40,
              max_position_embeddings=40, attn_implementation='eager')
SHORT = [1, 2, 5, 17, 31]


def bert(**changes):
    return transformers.BertModel(transformers.BertConfig(**{**COMMON, **changes}))


def rename_norms(folder):
    """As files converted from TensorFlow have it."""
    path = folder / 'model.safetensors'
    renamed = {name.replace('LayerNorm.weight', 'LayerNorm.gamma').replace('LayerNorm.bias', 'LayerNorm.beta'): tensor
               for name, tensor in load_file(path).items()}
    save_file(renamed, path, {'format': 'pt'})


def as_torch(legacy, spread):
    """Weights as torch.save() writes them. Spread: transposed matrices, and vectors that are parts of one storage."""
    def change(folder):
        tensors = load_file(folder / 'model.safetensors')
        if spread:
            vectors = torch.cat([torch.cat([torch.zeros(3), tensor]) for tensor in tensors.values() if tensor.dim() == 1])
            place = 0
            for name, tensor in tensors.items():
                if tensor.dim() == 1:
                    tensors[name] = torch.nn.Parameter(vectors[place + 3:place + 3 + len(tensor)])
                    place += 3 + len(tensor)
                else:
                    tensors[name] = tensor.t().contiguous().t()
        torch.save(collections.OrderedDict(tensors), folder / 'pytorch_model.bin', _use_new_zipfile_serialization=not legacy)
        (folder / 'model.safetensors').unlink()
    return change


def as_in_2018(folder):
    """pytorch-pretrained-bert: bert_config.json without a model_type, old names of norms, the older pickle, a head."""
    rename_norms(folder)
    as_torch(legacy=True, spread=False)(folder)
    config = json.loads((folder / 'config.json').read_text())
    kept = ('attention_probs_dropout_prob', 'hidden_act', 'hidden_dropout_prob', 'hidden_size', 'initializer_range',
            'intermediate_size', 'max_position_embeddings', 'num_attention_heads', 'num_hidden_layers', 'type_vocab_size', 'vocab_size')
    (folder / 'bert_config.json').write_text(json.dumps({key: config[key] for key in kept}, indent=2) + '\n')
    (folder / 'config.json').unlink()


def shard_torch(folder):
    tensors = load_file(folder / 'model.safetensors')
    shards = {f'pytorch_model-0000{part + 1}-of-00002.bin': dict(list(tensors.items())[part::2]) for part in range(2)}
    for name, part in shards.items():
        torch.save({key: tensor.clone() for key, tensor in part.items()}, folder / name)
    index = {'metadata': {}, 'weight_map': {key: name for name, part in shards.items() for key in part}}
    (folder / 'pytorch_model.bin.index.json').write_text(json.dumps(index, indent=1))
    (folder / 'model.safetensors').unlink()


def models():
    """name -> (model, lengths of the sequences, type of the saved weights, what is done to the saved folder)"""
    f32, f16, bf16 = torch.float32, torch.float16, torch.bfloat16
    yield 'bert', bert(hidden_act='gelu'), SHORT, f32, None
    yield 'bert_silu_narrow_heads', bert(hidden_size=20, num_attention_heads=4, hidden_act='silu'), SHORT, f32, None
    config = transformers.BertConfig(**{**COMMON, 'hidden_act': 'relu', 'layer_norm_eps': 1e-5})
    yield 'bert_prefixed_old_names', transformers.BertForMaskedLM(config), SHORT, f16, rename_norms
    config = transformers.RobertaConfig(**{**COMMON, 'type_vocab_size': 1, 'layer_norm_eps': 1e-5})
    yield 'roberta', transformers.RobertaForMaskedLM(config), SHORT, bf16, None
    config = transformers.XLMRobertaConfig(**{**COMMON, 'type_vocab_size': 1, 'pad_token_id': 1})
    yield 'xlm_roberta_sharded', transformers.XLMRobertaModel(config), SHORT, f32, 'shard'
    config = transformers.CamembertConfig(**{**COMMON, 'type_vocab_size': 1, 'num_hidden_layers': 1})
    yield 'camembert', transformers.CamembertModel(config), SHORT, f32, None
    config = transformers.DistilBertConfig(vocab_size=64, dim=32, n_layers=2, n_heads=2, hidden_dim=40,
                                           max_position_embeddings=40, attn_implementation='eager')
    yield 'distilbert', transformers.DistilBertForMaskedLM(config), SHORT, f32, None
    config = transformers.ElectraConfig(**{**COMMON, 'embedding_size': 16})
    yield 'electra', transformers.ElectraModel(config), SHORT, f32, None
    config = transformers.MPNetConfig(**{**COMMON, 'max_position_embeddings': 300, 'hidden_size': 16})
    yield 'mpnet', transformers.MPNetModel(config), [1, 7, 280], f32, None
    config = transformers.AlbertConfig(**{**COMMON, 'embedding_size': 16, 'num_hidden_layers': 4, 'num_hidden_groups': 2,
                                          'inner_group_num': 2, 'hidden_act': 'gelu_new'})
    yield 'albert', transformers.AlbertModel(config), SHORT, f32, None
    common = {**COMMON, 'relative_attention': True, 'pos_att_type': ['p2c', 'c2p'], 'max_position_embeddings': 200}
    config = transformers.DebertaV2Config(**{**common, 'hidden_size': 16, 'position_buckets': 32, 'share_att_key': True,
                                             'norm_rel_ebd': 'layer_norm', 'position_biased_input': False})
    yield 'deberta_v3', transformers.DebertaV2Model(config), [1, 9, 170], f32, None
    config = transformers.DebertaV2Config(**{**common, 'conv_kernel_size': 3, 'conv_groups': 2, 'conv_act': 'gelu',
                                             'share_att_key': False, 'type_vocab_size': 2, 'embedding_size': 16,
                                             'max_position_embeddings': 24, 'position_biased_input': True})
    yield 'deberta_v2_convolution', transformers.DebertaV2Model(config), [1, 2, 24], f32, None
    tiny = dict(hidden_size=16, num_attention_heads=2, intermediate_size=24)
    yield 'bert_torch', bert(**tiny), SHORT, f32, as_torch(legacy=False, spread=True)
    yield 'bert_torch_half', bert(**tiny), SHORT, f16, as_torch(legacy=False, spread=False)
    yield 'bert_torch_legacy', bert(**tiny), SHORT, f32, as_torch(legacy=True, spread=True)
    yield 'bert_torch_sharded', bert(**tiny), SHORT, bf16, shard_torch
    config = transformers.BertConfig(**{**COMMON, **tiny, 'num_labels': 3})
    yield 'bert_first_years', transformers.BertForSequenceClassification(config), SHORT, f32, as_in_2018
    modern = dict(vocab_size=64, hidden_size=32, num_hidden_layers=5, num_attention_heads=4, intermediate_size=24,
                  max_position_embeddings=80, global_attn_every_n_layers=3, local_attention=8, pad_token_id=0,
                  eos_token_id=2, bos_token_id=1, cls_token_id=1, sep_token_id=2, attn_implementation='eager',
                  reference_compile=False)
    config = transformers.ModernBertConfig(**modern)
    yield 'modernbert', transformers.ModernBertForMaskedLM(config), [1, 2, 9, 70], f32, None
    config = transformers.ModernBertConfig(**{**modern, 'hidden_size': 24, 'attention_bias': True, 'mlp_bias': True,
                                              'norm_bias': True, 'hidden_activation': 'gelu_new', 'norm_eps': 1e-4,
                                              'local_rope_theta': None, 'local_attention': 5})
    yield 'modernbert_biases', transformers.ModernBertModel(config), [1, 6, 40], f32, None


def randomize(model, seed):
    """Every parameter away from zero and one, so that a forgotten one shows."""
    generator = torch.Generator().manual_seed(seed)
    spread = 0.15 if model.config.model_type == 'modernbert' else 0.25  # its states grow from layer to layer
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        is_gain = name.endswith(('LayerNorm.weight', 'norm.weight'))
        parameter.data = 1 + 0.2 * noise if is_gain else spread * noise


def hidden_states(model, ids):
    with torch.no_grad():
        tokens = torch.tensor([ids])
        output = model(tokens, attention_mask=torch.ones_like(tokens), output_hidden_states=True)
    # transformers 4 gives the last of ModernBERT before its final norm, transformers 5 behind it, as last_hidden_state.
    return [state[0] for state in (*output.hidden_states[:-1], output.last_hidden_state)]


def main():
    out = pathlib.Path(sys.argv[1])
    for seed, (name, model, lengths, dtype, change) in enumerate(models()):
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        randomize(model, seed)
        model.to(dtype).save_pretrained(folder, max_shard_size='12KB' if change == 'shard' else '5GB')
        body = getattr(model, model.base_model_prefix, model).to(torch.float32).eval()
        generator = torch.Generator().manual_seed(1000 + seed)
        sequences = [torch.randint(0, 64, (length,), generator=generator).tolist() for length in lengths]
        golden = {'lengths': torch.tensor(lengths, dtype=torch.float32),
                  'ids': torch.tensor(sum(sequences, []), dtype=torch.float32)}
        states = [hidden_states(body, ids) for ids in sequences]
        for layer in range(len(states[0])):
            golden[f'layer_{layer}'] = torch.cat([sequence[layer] for sequence in states]).contiguous()
        save_file(golden, folder / 'golden.safetensors')
        if callable(change):
            change(folder)
        for extra in ('generation_config.json',):
            (folder / extra).unlink(missing_ok=True)
        size = sum(path.stat().st_size for path in folder.iterdir())
        print(f'{name}: {model.config.model_type}, {size} bytes')


if __name__ == '__main__':
    main()
