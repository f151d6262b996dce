"""Makes tests/golden/match_step.json: the loss and all gradients of one training step of `match`, by PyTorch.

    python3 match_step.py > ../golden/match_step.json      needs torch

Weights, states and human scores follow a rule of whole numbers (number() below), which
tests/trained/match_golden_test.cpp follows as well. Double precision on the CPU; no dropout. The network is written
after section 10 of the specification, with padding and masks, so it shares no step with ours."""
import json
import struct

import torch
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, HEAD_WIDTH = 3, 16, 2, 5
TEXTS, REFERENCES = [3, 1, 9, 4, 6, 2], [5, 2, 7, 4, 1, 8]  # tokens


def number(index, salt):
    """In [-0.5, 0.5)."""
    return (index * 7919 + salt * 104729) % 2003 / 2003 - 0.5


def half(value):
    return struct.unpack('<e', struct.pack('<e', value))[0]


def single(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def parameter(salt, *shape):
    count = 1
    for extent in shape:
        count *= extent
    values = torch.tensor([single(number(i, salt)) for i in range(count)], dtype=torch.float64).reshape(shape)
    return values.requires_grad_()


def padded(lengths, first):
    """Texts x longest x layers x width, and which tokens are there. Token `first` is the first."""
    longest = max(lengths)
    states = torch.zeros(len(lengths), longest, LAYERS, WIDTH, dtype=torch.float64)
    row = first
    for text, length in enumerate(lengths):
        for token in range(length):
            values = [half(2 * number(row * LAYERS * WIDTH + i, 99)) for i in range(LAYERS * WIDTH)]
            states[text, token] = torch.tensor(values, dtype=torch.float64).reshape(LAYERS, WIDTH)
            row += 1
    return states, torch.arange(longest)[None] < torch.tensor(lengths)[:, None]


def best(similarity, own_mask, weight):
    return (torch.where(own_mask, similarity.amax(-1), 0) * weight).sum(-1) / weight.sum(-1)


def step(hidden):
    features = 2 * HEADS + 1
    shapes = [('mix', HEADS, LAYERS), ('projection', HEADS * HEAD_WIDTH, WIDTH), ('token_weight', HEADS, WIDTH)]
    if hidden:
        shapes += [('hidden.weight', hidden, features), ('hidden.bias', 1, hidden)]
    shapes += [('output.weight', 1, hidden or features), ('output.bias', 1, 1)]
    p = {name: parameter(salt, *shape) for salt, (name, *shape) in enumerate(shapes)}
    text, text_mask = padded(TEXTS, 0)
    reference, reference_mask = padded(REFERENCES, sum(TEXTS))
    columns = []
    for head in range(HEADS):
        shares = p['mix'][head].softmax(0)
        projection = p['projection'][head * HEAD_WIDTH:(head + 1) * HEAD_WIDTH]
        x = [torch.einsum('l,btld->btd', shares, states) for states in (text, reference)]
        z = [F.normalize(v @ projection.T, dim=-1) for v in x]
        w = [torch.exp(v @ p['token_weight'][head]) * mask for v, mask in zip(x, (text_mask, reference_mask))]
        similarity = (z[0] @ z[1].transpose(1, 2)).masked_fill(
            ~(text_mask[:, :, None] & reference_mask[:, None, :]), -1e4)
        columns += [best(similarity, text_mask, w[0]), best(similarity.transpose(1, 2), reference_mask, w[1])]
    columns.append(torch.tensor([2 * number(pair, 60) for pair in range(len(TEXTS))], dtype=torch.float64))
    values = torch.stack(columns, -1)
    if hidden:
        values = F.gelu(values @ p['hidden.weight'].T + p['hidden.bias'])
    scores = (values @ p['output.weight'].T + p['output.bias']).squeeze(1)
    gold = torch.tensor([number(pair, 50) for pair in range(len(TEXTS))], dtype=torch.float64)
    loss = 1 - torch.corrcoef(torch.stack([scores, gold]))[0, 1]
    loss.backward()
    return {'scores': scores.tolist(), 'loss': loss.item(),
            'gradient': {name: values.grad.reshape(-1).tolist() for name, values in p.items()}}


print(json.dumps({'made_by': f'torch {torch.__version__}', 'linear': step(0), 'hidden': step(7)}, indent=1))
