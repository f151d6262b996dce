"""Training speed of the trained metrics: markeval train against the same model in PyTorch, in one run.

    python3 bench/peers/trained.py --program build/release/markeval --model FOLDER --table judged.tsv --arch esim

needs torch, transformers, safetensors. Both sides learn from the same pairs with the same batch size, dropout, Adam
and clipping, on frozen vectors that were computed before; only epochs are timed, the two sides taking turns. On a
machine that is not idle the CPU seconds are to be compared: those of markeval are of the second and third epoch, what
three epochs take beyond one. First it verifies: PyTorch, given the weights markeval trained, must score the pairs as `markeval score` does.

With --valid TABLE both sides instead train to their end by the same rules (best validation Pearson, learning rate halved
after an epoch without gain, stop after --patience of them or --epochs), PyTorch from its own random start of the same kind,
one after the other; the curves are printed side by side and the seconds of epochs compared, validation included. The whole
of it for one kind of model, TrainS of the study (bench/studies/trained.py makes the tables):

    python3 bench/peers/trained.py --program build/release/markeval --model FOLDER --arch esim --torch-epochs 2 \\
        --table WORK/wmt16.tsv --pairs 3360 --valid WORK/wmt15.tsv"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--program', required=True)
parser.add_argument('--model', required=True)
parser.add_argument('--table', required=True, help='.tsv with the columns ref, hyp and human')
parser.add_argument('--arch', default='esim', choices=['bilstm', 'bilstm-attention', 'esim'])
parser.add_argument('--pieces', default='all', choices=['all', 'first'])
parser.add_argument('--pairs', type=int, default=320)
parser.add_argument('--rounds', type=int, default=3)
parser.add_argument('--threads', type=int, default=2)
parser.add_argument('--valid', help='.tsv: train both to the end instead of timing single epochs')
parser.add_argument('--epochs', type=int, default=20)
parser.add_argument('--patience', type=int, default=4)
parser.add_argument('--torch-epochs', type=int, help='PyTorch, which takes longer, stops after so many')
parser.add_argument('--seed', type=int, default=1)
options = parser.parse_args()
os.environ['OMP_NUM_THREADS'] = str(options.threads)

import torch  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402
from transformers import AutoModel, AutoTokenizer  # noqa: E402

torch.set_num_threads(options.threads)
HIDDEN = 300


class BiLstm(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.lstm = nn.LSTM(inputs, HIDDEN, bidirectional=True, batch_first=True)

    def forward(self, padded, lengths):
        packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=padded.shape[1])[0]

    def load(self, tensors, name):
        with torch.no_grad():
            for direction, ending in enumerate(('', '_reverse')):
                rows = slice(direction * 4 * HIDDEN, (direction + 1) * 4 * HIDDEN)
                getattr(self.lstm, 'weight_ih_l0' + ending).copy_(tensors[name + '.weight_input'][rows])
                getattr(self.lstm, 'weight_hh_l0' + ending).copy_(tensors[name + '.weight_hidden'][rows])
                getattr(self.lstm, 'bias_ih_l0' + ending).copy_(tensors[name + '.bias'][direction])
                getattr(self.lstm, 'bias_hh_l0' + ending).zero_()


def compare(u, v):
    return torch.cat([u, v, u * v, u - v], -1)


class Network(nn.Module):
    def __init__(self, arch, layers, width):
        super().__init__()
        self.arch = arch
        self.scalars = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(1))
        self.encoder = BiLstm(width)
        if arch == 'esim':
            self.projection = nn.Linear(8 * HIDDEN, HIDDEN)
            self.composition = BiLstm(HIDDEN)
        self.dense = nn.Linear(4 * HIDDEN * (2 if arch == 'esim' else 4), HIDDEN)
        self.output = nn.Linear(HIDDEN, 1)

    def load(self, tensors):
        self.encoder.load(tensors, 'encoder')
        with torch.no_grad():
            self.scalars.copy_(tensors['mix.scalars'][0])
            self.gamma.copy_(1 + tensors['mix.gamma_minus_one'][0])
            for name in ['dense', 'output'] + (['projection'] if self.arch == 'esim' else []):
                getattr(self, name).weight.copy_(tensors[name + '.weight'])
                getattr(self, name).bias.copy_(tensors[name + '.bias'][0])
        if self.arch == 'esim':
            self.composition.load(tensors, 'composition')

    def start(self):
        """The distributions markeval starts from."""
        for name, weights in self.named_parameters():
            if 'weight_hh' in name:
                nn.init.orthogonal_(weights)
            elif weights.dim() == 2:
                nn.init.xavier_uniform_(weights)
            elif 'bias' in name:
                nn.init.zeros_(weights)
            if 'bias_ih' in name:
                weights.data[HIDDEN:2 * HIDDEN] = 1

    def drop_columns(self, states):
        if not self.training:
            return states
        return states * nn.functional.dropout(torch.ones(states.shape[0], 1, states.shape[2]), 0.5)

    def forward(self, words, lengths):
        """words: texts x longest x layers x width, the first half texts, the second their references."""
        pairs = len(lengths) // 2
        mask = torch.arange(words.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
        mixed = self.gamma * torch.einsum('btlw,l->btw', words, self.scalars.softmax(0))
        states = self.encoder(self.drop_columns(mixed), lengths)
        last = states
        if self.arch != 'bilstm':
            t, r = states[:pairs], states[pairs:]
            scores = t @ r.transpose(1, 2)
            over_r = scores.masked_fill(~mask[pairs:].unsqueeze(1), float('-inf')).softmax(2)
            over_t = scores.masked_fill(~mask[:pairs].unsqueeze(2), float('-inf')).softmax(1)
            last = attended = torch.cat([over_r @ r, over_t.transpose(1, 2) @ t])
            if self.arch == 'esim':
                projected = self.projection(compare(states, attended)).relu()
                last = self.composition(self.drop_columns(projected), lengths)
        largest = last.masked_fill(~mask.unsqueeze(2), float('-inf')).max(1).values
        mean = (last * mask.unsqueeze(2)).sum(1) / lengths.unsqueeze(1)
        pooled = torch.cat([largest, mean], 1)
        t, r = pooled[:pairs], pooled[pairs:]
        features = torch.cat([t, r], 1) if self.arch == 'esim' else compare(t, r)
        features = nn.functional.dropout(features, 0.5, self.training)
        hidden = nn.functional.dropout(self.dense(features).relu(), 0.5, self.training)
        return self.output(hidden).squeeze(1)


def encode(texts):
    """Every piece of a text (or the first of each word), all layers, rounded to float16 as markeval does."""
    tokenizer, model = AutoTokenizer.from_pretrained(options.model), AutoModel.from_pretrained(options.model).eval()
    result = []
    for text in texts:
        tokens = tokenizer(text, return_tensors='pt', truncation=True, max_length=512)
        words = tokens.word_ids()
        kept = [i for i, word in enumerate(words) if word is not None and (
            options.pieces == 'all' or i == 0 or words[i - 1] != word)]
        with torch.no_grad():
            states = model(**tokens, output_hidden_states=True).hidden_states
        result.append(torch.stack([layer[0, kept] for layer in states], 1).half().float())
    return result


def batch_of(vectors, chosen):
    rows = [vectors[2 * i] for i in chosen] + [vectors[2 * i + 1] for i in chosen]
    lengths = torch.tensor([len(row) for row in rows])
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), lengths


def read_pairs(file, most=None):
    """(text, reference, score) of the first rows of a table."""
    lines = pathlib.Path(file).read_text().splitlines()
    header = lines[0].split('\t')
    cells = [dict(zip(header, line.split('\t'))) for line in lines[1:most + 1 if most else None]]
    return [(cell['hyp'].strip(), cell['ref'].strip(), float(cell['human'])) for cell in cells]


def write_pairs(file, pairs):
    file.write_text('\n'.join(['ref\thyp\thuman'] + [f'{ref}\t{hyp}\t{score}' for hyp, ref, score in pairs]) + '\n')


def encode_pairs(pairs):
    return encode([text for hyp, ref, _ in pairs for text in (hyp, ref)])


def standard(pairs):
    gold = torch.tensor([score for _, _, score in pairs])
    return (gold - gold.mean()) / gold.std(unbiased=False)


def learn_epoch(network, optimizer, vectors, gold):
    """Mean squared error over the epoch, seconds and CPU seconds."""
    network.train()
    start, cpu, squares = time.perf_counter(), time.process_time(), 0.0
    order = torch.randperm(len(gold)).tolist()
    for first in range(0, len(order), 256):
        order[first:first + 256] = sorted(order[first:first + 256],
                                          key=lambda i: -len(vectors[2 * i]) - len(vectors[2 * i + 1]))
    starts = torch.arange(0, len(order), 32)[torch.randperm((len(order) + 31) // 32)].tolist()
    for first in starts:
        chosen = order[first:first + 32]
        optimizer.zero_grad()
        loss = (network(*batch_of(vectors, chosen)) - gold[chosen]).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 10)
        optimizer.step()
        squares += loss.item() * len(chosen)
    return squares / len(order), time.perf_counter() - start, time.process_time() - cpu


def markeval_training(folder, table, valid, name, epochs, patience, environment):
    """Config of the result, wall seconds per epoch and CPU seconds of the whole process."""
    command = [options.program, 'train', '--arch', options.arch, '--train', table, '--valid', valid, '--ref', 'ref',
               '--hyp', 'hyp', '--gold', 'human', '-o', pathlib.Path(folder, name), '--model', options.model,
               '--threads', str(options.threads), '--epochs', str(epochs), '--patience', str(patience),
               '--seed', str(options.seed), '--pieces', options.pieces]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = [60 * float(minutes or 0) + float(seconds) for minutes, seconds in
            re.findall(r'learning rate \S+, (?:([0-9]+):)?([0-9.]+) (?:s|min)', done.stderr)]
    config = json.loads(pathlib.Path(folder, name, 'config.json').read_text())
    return config, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def whole_training(pairs, folder):
    """Both sides to their end: curves side by side, then the seconds."""
    valid = read_pairs(options.valid)
    table, held_out = pathlib.Path(folder, 'train.tsv'), pathlib.Path(folder, 'valid.tsv')
    write_pairs(table, pairs)
    write_pairs(held_out, valid)
    environment = {**os.environ, 'MARKEVAL_CACHE': str(pathlib.Path(folder, 'cache')), 'MARKEVAL_CACHE_SIZE': '8G'}
    markeval_training(folder, table, held_out, 'encode', 1, 1, environment)
    config, wall, _ = markeval_training(folder, table, held_out, 'whole', options.epochs, options.patience, environment)
    vectors, gold = encode_pairs(pairs), standard(pairs)
    valid_vectors, valid_gold = encode_pairs(valid), standard(valid)
    torch.manual_seed(options.seed)
    network = Network(options.arch, vectors[0].shape[1], vectors[0].shape[2])
    network.start()
    optimizer = torch.optim.Adam(network.parameters(), lr=4e-4)
    curve, theirs = [], []
    while len(curve) < min(options.epochs, options.torch_epochs or options.epochs):
        started = time.perf_counter()
        loss, _, _ = learn_epoch(network, optimizer, vectors, gold)
        network.eval()
        by_length = sorted(range(len(valid)), key=lambda i: len(valid_vectors[2 * i]) + len(valid_vectors[2 * i + 1]))
        scores = torch.zeros(len(valid))
        with torch.no_grad():
            for first in range(0, len(valid), 64):
                chosen = by_length[first:first + 64]
                scores[chosen] = network(*batch_of(valid_vectors, chosen))
        curve.append((loss, float(torch.corrcoef(torch.stack([scores, valid_gold]))[0, 1])))
        theirs.append(time.perf_counter() - started)
        best = max(range(len(curve)), key=lambda i: curve[i][1])
        if best != len(curve) - 1:
            for group in optimizer.param_groups:
                group['lr'] /= 2
        if len(curve) - 1 - best >= options.patience:
            break
    print(f'{options.arch}, {len(pairs)} pairs, {len(valid)} to validate, {options.threads} threads, '
          f'torch {torch.__version__}; load {os.getloadavg()[0]:.1f}')
    print('epoch  markeval loss  Pearson  seconds   PyTorch loss  Pearson  seconds')
    for index in range(max(len(curve), len(wall))):
        mine, other = ' ' * 33, ''
        if index < len(wall):
            mine = f'{config["curve"][index]["loss"]:15.4f}{config["curve"][index]["pearson"]:9.4f}{wall[index]:9.1f}'
        if index < len(curve):
            other = f'{curve[index][0]:15.4f}{curve[index][1]:9.4f}{theirs[index]:9.1f}'
        print(f'{index + 1:5}{mine}{other}')
    print(f'best validation Pearson {max(epoch["pearson"] for epoch in config["curve"]):.4f} and '
          f'{max(pearson for _, pearson in curve):.4f}; all epochs {sum(wall):.1f} s and {sum(theirs):.1f} s; an epoch '
          f'{statistics.median(wall):.1f} s and {statistics.median(theirs):.1f} s, ratio '
          f'{statistics.median(theirs) / statistics.median(wall):.2f}')


def main():
    pairs = read_pairs(options.table, options.pairs)
    if options.valid:
        with tempfile.TemporaryDirectory() as folder:
            return whole_training(pairs, folder)
    vectors, gold = encode_pairs(pairs), standard(pairs)
    with tempfile.TemporaryDirectory() as folder:
        table, few = pathlib.Path(folder, 'train.tsv'), pathlib.Path(folder, 'valid.tsv')
        write_pairs(table, pairs)
        write_pairs(few, pairs[:8])
        environment = {**os.environ, 'MARKEVAL_CACHE': str(pathlib.Path(folder, 'cache'))}

        def markeval_epochs(name, count):
            return markeval_training(folder, table, few, name, count, 1000, environment)[1:]

        markeval_epochs('first', 1)  # encodes into the cache, and makes the weights to verify with
        network = Network(options.arch, vectors[0].shape[1], vectors[0].shape[2])
        network.load(load_file(pathlib.Path(folder, 'first', 'model.safetensors')))
        network.eval()
        config = json.loads(pathlib.Path(folder, 'first', 'config.json').read_text())
        scored = subprocess.run([options.program, 'score', '-r', f'{few}:ref', '-s', f'{few}:hyp', '-m',
                                 f'{options.arch}:weights={folder}/first', '--model', options.model, '--segments',
                                 '--format', 'json', '--quiet'], capture_output=True, text=True, check=True,
                                env=environment)
        ours = torch.tensor(json.loads(scored.stdout)['results'][0]['segments']['score'])
        with torch.no_grad():
            theirs = network(*batch_of(vectors, range(8))) * config['gold']['deviation'] + config['gold']['mean']
        worst = float((ours - theirs).abs().max())
        print(f'verified: largest difference of 8 scores {worst:.1e}')
        assert worst < 1e-4, (ours, theirs)

        optimizer = torch.optim.Adam(network.parameters(), lr=4e-4)

        def torch_epoch():
            return learn_epoch(network, optimizer, vectors, gold)[1:]

        torch_epoch()  # warm
        sides = {'markeval': ([], []), 'pytorch': ([], [])}
        for index in range(options.rounds):
            _, once = markeval_epochs(f'once{index}', 1)
            wall, thrice = markeval_epochs(f'thrice{index}', 3)
            sides['markeval'][0].append(statistics.mean(wall[1:]))
            sides['markeval'][1].append((thrice - once) / 2)
            for total, part in zip(sides['pytorch'], torch_epoch()):
                total.append(part)
        print(f'{options.arch}, {len(pairs)} pairs, {options.threads} threads, torch {torch.__version__}, '
              f'median of {options.rounds} rounds, taking turns; load {os.getloadavg()[0]:.1f}')
        for kind, what in enumerate(('seconds', 'CPU seconds')):
            for name, times in sides.items():
                middle = statistics.median(times[kind])
                print(f'{name:9} {middle:8.2f} {what} per epoch   {min(times[kind]):.2f} .. {max(times[kind]):.2f}')
            medians = [statistics.median(times[kind]) for times in sides.values()]
            print(f'ratio     {medians[1] / medians[0]:8.2f}')


main()
