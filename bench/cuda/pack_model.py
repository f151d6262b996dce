#!/usr/bin/env python3
"""Writes the flat files that encoder_bf16 reads.

  pack_model.py model MODEL_FOLDER OUT           the weights of a BERT-like model.safetensors
  pack_model.py ids TOKENS OUT [LIMIT]           `markeval embed --tokens` of some lines, cut at LIMIT tokens
"""
import array
import json
import struct
import sys


def pack_model(folder, out):
    config = json.load(open(f"{folder}/config.json"))
    with open(f"{folder}/model.safetensors", "rb") as file:
        head = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        start = file.tell()

        def tensor(name):
            entry = head.get(name) or head["bert." + name]
            assert entry["dtype"] == "F32", name
            file.seek(start + entry["data_offsets"][0])
            return file.read(entry["data_offsets"][1] - entry["data_offsets"][0])

        hidden = config["hidden_size"]
        out.write(struct.pack("<6i", hidden, config["num_attention_heads"], config["intermediate_size"],
                              config["num_hidden_layers"], config["vocab_size"],
                              config["max_position_embeddings"]))
        out.write(tensor("embeddings.word_embeddings.weight"))
        out.write(tensor("embeddings.position_embeddings.weight"))
        out.write(tensor("embeddings.token_type_embeddings.weight")[:hidden * 4])
        out.write(tensor("embeddings.LayerNorm.weight") + tensor("embeddings.LayerNorm.bias"))
        for layer in range(config["num_hidden_layers"]):
            block = f"encoder.layer.{layer}."
            for kind in ("weight", "bias"):
                for part in ("query", "key", "value"):
                    out.write(tensor(f"{block}attention.self.{part}.{kind}"))
            for part in ("attention.output.dense", "attention.output.LayerNorm", "intermediate.dense",
                         "output.dense", "output.LayerNorm"):
                out.write(tensor(f"{block}{part}.weight") + tensor(f"{block}{part}.bias"))


def pack_ids(tokens, out, limit):
    lengths, ids = array.array("H"), array.array("H")
    for line in open(tokens):
        numbers = [int(word) for word in line.split()]
        if len(numbers) > limit:
            numbers = numbers[:limit - 1] + numbers[-1:]
        lengths.append(len(numbers))
        ids.extend(numbers)
    out.write(struct.pack("<I", len(lengths)) + lengths.tobytes() + ids.tobytes())


if __name__ == "__main__":
    with open(sys.argv[3], "wb") as target:
        if sys.argv[1] == "model":
            pack_model(sys.argv[2], target)
        else:
            pack_ids(sys.argv[2], target, int(sys.argv[4]) if len(sys.argv) > 4 else 512)
