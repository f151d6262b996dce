"""Makes trained_networks.json: what PyTorch says about the three trained models with weights anybody can make again.

    python3 make_trained_networks.py > trained_networks.json      needs torch

Weights, word vectors and batch follow rules of whole numbers (see number() below), which
tests/trained/golden_test.cpp follows as well, so that only results are stored: the score of every pair, and for
every parameter the product of its gradient with a fixed vector. Double precision on the CPU."""
import json
import struct

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

LAYERS, WIDTH, HIDDEN, DENSE = 3, 16, 12, 10
TEXTS, REFERENCES = [3, 1, 9, 4, 6, 2], [5, 2, 7, 4, 1, 8]  # words


def number(index, salt):
    """In [-0.5, 0.5)."""
    return (index * 7919 + salt * 104729) % 2003 / 2003 - 0.5


def half(value):
    return struct.unpack('<e', struct.pack('<e', value))[0]


def parameter(salt, *shape):
    count = 1
    for extent in shape:
        count *= extent
    values = [struct.unpack('<f', struct.pack('<f', number(index, salt)))[0] for index in range(count)]
    return nn.Parameter(torch.tensor(values, dtype=torch.float64).reshape(shape))


class BiLstm(nn.Module):
    """One bias: the second of PyTorch is 0."""

    def __init__(self, weight_input, weight_hidden, bias):
        super().__init__()
        self.parts = (weight_input, weight_hidden, bias)
        self.inputs, self.hidden = weight_input.shape[1], weight_hidden.shape[1]

    def forward(self, padded, lengths):
        weight_input, weight_hidden, bias = self.parts
        gates = 4 * self.hidden
        lstm = nn.LSTM(self.inputs, self.hidden, bidirectional=True, batch_first=True).double()
        values = []
        for direction in range(2):
            rows = slice(direction * gates, (direction + 1) * gates)
            values += [weight_input[rows], weight_hidden[rows], bias[direction], torch.zeros(gates).double()]
        names = [name for name, _ in lstm.named_parameters()]
        packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        out, _ = torch.func.functional_call(lstm, dict(zip(names, values)), (packed,))
        return pad_packed_sequence(out, batch_first=True, total_length=padded.shape[1])[0]


def pool(states, mask):
    largest = states.masked_fill(~mask.unsqueeze(2), float('-inf')).max(1).values
    mean = (states * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)
    return torch.cat([largest, mean], 1)


def compare(u, v):
    return torch.cat([u, v, u * v, u - v], -1)


def attend(own, other, own_mask, other_mask):
    scores = own @ other.transpose(1, 2)
    weights = scores.masked_fill(~other_mask.unsqueeze(1), float('-inf')).softmax(2)
    return weights @ other


def run(architecture):
    features = 4 * HIDDEN * (2 if architecture == 'esim' else 4)
    shapes = [('mix.scalars', 1, LAYERS), ('mix.gamma_minus_one', 1, 1), ('encoder.weight_input', 8 * HIDDEN, WIDTH),
              ('encoder.weight_hidden', 8 * HIDDEN, HIDDEN), ('encoder.bias', 2, 4 * HIDDEN),
              ('dense.weight', DENSE, features), ('dense.bias', 1, DENSE), ('output.weight', 1, DENSE),
              ('output.bias', 1, 1)]
    if architecture == 'esim':
        shapes += [('projection.weight', DENSE, 8 * HIDDEN), ('projection.bias', 1, DENSE),
                   ('composition.weight_input', 8 * HIDDEN, DENSE), ('composition.weight_hidden', 8 * HIDDEN, HIDDEN),
                   ('composition.bias', 2, 4 * HIDDEN)]
    p = {name: parameter(salt, *shape) for salt, (name, *shape) in enumerate(shapes)}
    lengths = TEXTS + REFERENCES
    longest = max(lengths)
    words = torch.zeros(len(lengths), longest, LAYERS, WIDTH, dtype=torch.float64)
    row = 0
    for sequence, length in enumerate(lengths):
        for word in range(length):
            values = [half(2 * number(row * LAYERS * WIDTH + i, 99)) for i in range(LAYERS * WIDTH)]
            words[sequence, word] = torch.tensor(values).reshape(LAYERS, WIDTH)
            row += 1
    mask = torch.arange(longest).unsqueeze(0) < torch.tensor(lengths).unsqueeze(1)
    shares = p['mix.scalars'][0].softmax(0)
    mixed = (1 + p['mix.gamma_minus_one']) * (words * shares.reshape(1, 1, -1, 1)).sum(2)
    encode = BiLstm(p['encoder.weight_input'], p['encoder.weight_hidden'], p['encoder.bias'])
    states = encode(mixed, torch.tensor(lengths))
    pairs = len(TEXTS)
    last = states
    if architecture != 'bilstm':
        t, r, tm, rm = states[:pairs], states[pairs:], mask[:pairs], mask[pairs:]
        attended = torch.cat([attend(t, r, tm, rm), attend(r, t, rm, tm)])
        last = attended
        if architecture == 'esim':
            projected = (compare(states, attended) @ p['projection.weight'].T + p['projection.bias']).relu()
            compose = BiLstm(p['composition.weight_input'], p['composition.weight_hidden'], p['composition.bias'])
            last = compose(projected * mask.unsqueeze(2), torch.tensor(lengths))
    pooled = pool(last, mask)
    t, r = pooled[:pairs], pooled[pairs:]
    m = torch.cat([t, r], 1) if architecture == 'esim' else compare(t, r)
    hidden = (m @ p['dense.weight'].T + p['dense.bias']).relu()
    scores = (hidden @ p['output.weight'].T + p['output.bias']).squeeze(1)
    (scores * torch.tensor([number(i, 50) for i in range(pairs)], dtype=torch.float64)).sum().backward()
    gradient = {}
    for name, values in p.items():
        flat = values.grad.reshape(-1)
        gradient[name] = float((flat * torch.tensor([number(i, 51) for i in range(len(flat))], dtype=torch.float64)).sum())
    return {'scores': scores.tolist(), 'gradient': gradient}


print(json.dumps({'made_by': f'torch {torch.__version__}',
                  **{name: run(name) for name in ('bilstm', 'bilstm-attention', 'esim')}}, indent=1))
