#!/usr/bin/env python3
"""Runs the encoder of encoder_bf16 through torch and transformers: how near its vectors are to float32, and
how many lines a second torch encodes in bf16 from the same token ids.

  torch_encoder.py MODEL IDS [VECTORS [LINES]]
"""
import sys
import time

import numpy
import torch
from transformers import BertConfig, BertModel


def read_model(path):
    numbers = numpy.fromfile(path, dtype=numpy.float32)
    hidden, heads, inner, layers, words, places = numbers[:6].view(numpy.int32).tolist()
    config = BertConfig(vocab_size=words, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
                        intermediate_size=inner, max_position_embeddings=places, type_vocab_size=1)
    model = BertModel(config, add_pooling_layer=False)
    at = 6

    def take(*shape):
        nonlocal at
        count = int(numpy.prod(shape))
        at += count
        return torch.from_numpy(numbers[at - count:at].reshape(shape).copy())

    state = {"embeddings.word_embeddings.weight": take(words, hidden),
             "embeddings.position_embeddings.weight": take(places, hidden),
             "embeddings.token_type_embeddings.weight": take(1, hidden),
             "embeddings.LayerNorm.weight": take(hidden), "embeddings.LayerNorm.bias": take(hidden)}
    for layer in range(layers):
        block = f"encoder.layer.{layer}."
        for kind, shape in (("weight", (3, hidden, hidden)), ("bias", (3, hidden))):
            for part, value in zip(("query", "key", "value"), take(*shape)):
                state[f"{block}attention.self.{part}.{kind}"] = value
        for part, outputs, inputs in (("attention.output.dense", hidden, hidden),
                                      ("attention.output.LayerNorm", hidden, 0), ("intermediate.dense", inner, hidden),
                                      ("output.dense", hidden, inner), ("output.LayerNorm", hidden, 0)):
            state[f"{block}{part}.weight"] = take(outputs, inputs) if inputs else take(outputs)
            state[f"{block}{part}.bias"] = take(outputs)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and all("position_ids" in name or "token_type_ids" in name for name in missing), (missing, unexpected)
    return model.eval().cuda()


def read_lines(path):
    data = numpy.fromfile(path, dtype=numpy.uint16)
    count = int(data[:2].view(numpy.uint32)[0])
    lengths = data[2:2 + count].astype(numpy.int64)
    return lengths, numpy.split(data[2 + count:].astype(numpy.int64), numpy.cumsum(lengths)[:-1])


@torch.inference_mode()
def encode(model, lengths, ids, batch=512):
    """Vectors on the host; lines of one length side by side, so that little is padded."""
    order = numpy.argsort(-lengths, kind="stable")
    result = torch.empty(len(ids), model.config.hidden_size, pin_memory=True)
    for begin in range(0, len(order), batch):
        some = order[begin:begin + batch]
        longest = int(lengths[some[0]])
        padded = numpy.zeros((len(some), longest), dtype=numpy.int64)
        for row, line in enumerate(some):
            padded[row, :lengths[line]] = ids[line]
        tokens = torch.from_numpy(padded).pin_memory().cuda(non_blocking=True)
        mask = torch.arange(longest, device="cuda")[None] < torch.from_numpy(lengths[some]).cuda()[:, None]
        states = model(input_ids=tokens, attention_mask=mask.long()).last_hidden_state.float()
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        vectors = torch.nn.functional.normalize(mean)
        result[torch.from_numpy(some)] = vectors.cpu()
    torch.cuda.synchronize()
    return result


def main():
    model = read_model(sys.argv[1])
    lengths, ids = read_lines(sys.argv[2])
    torch.backends.cuda.matmul.allow_tf32 = False
    if len(sys.argv) > 3:
        ours = torch.from_numpy(numpy.fromfile(sys.argv[3], dtype=numpy.float32).reshape(-1, model.config.hidden_size))
        count = min(len(ours), 4000)
        exact = encode(model, lengths[:count], ids[:count], 64)
        model.bfloat16()
        theirs = encode(model, lengths[:count], ids[:count])
        for name, vectors in (("encoder_bf16", ours[:count]), ("torch bf16", theirs)):
            cosines = torch.nn.functional.cosine_similarity(vectors.double(), exact.double())
            print(f"  {name}: cosine with torch float32 {cosines.mean():.6f} on average, {cosines.min():.6f} at least "
                  f"({count} lines)")
    model.bfloat16()
    count = min(int(sys.argv[4]) if len(sys.argv) > 4 else 50000, len(ids))
    encode(model, lengths[:2048], ids[:2048])
    for _ in range(2):
        begin = time.time()
        encode(model, lengths[:count], ids[:count])
        print(f"  torch bf16, batches of 512: {count / (time.time() - begin):.0f} lines/s")


main()
