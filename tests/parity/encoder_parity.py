"""Hidden states of every layer against PyPI transformers in float32, and what they cost in agreement.

  python encoder_parity.py --program build/release/tests/parity/encoder_states --lines FILE [--limit 2000] MODEL_FOLDER ...

FILE: text lines, or TSV files with the columns `ref` and `hyp` (several may be given). Prints the largest absolute
difference of every layer; exits 1 above --tolerance. With --bf16 the program runs in bf16 and the mean cosine of the
last layer is what counts (at least 0.999)."""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
import transformers


def read_lines(paths, limit):
    lines = []
    for path in paths:
        if path.suffix == '.tsv':
            with path.open(newline='') as file:
                for row in csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE):
                    lines += [row[key].strip() for key in row if key in ('ref', 'hyp', 'reference', 'hypothesis')]
        else:
            lines += [line.strip() for line in path.open()]
    step = max(1, len(lines) // limit)
    return lines[::step][:limit]


def our_states(arguments, model, ids, folder):
    (folder / 'ids.txt').write_text(''.join(' '.join(map(str, row)) + '\n' for row in ids))
    command = [arguments.program, model, folder / 'ids.txt', folder] + (['bf16'] if arguments.bf16 else [])
    subprocess.run(command, check=True)


def compare(arguments, model_folder, lines):
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder)
    model = transformers.AutoModel.from_pretrained(model_folder, dtype=torch.float32, attn_implementation='eager').eval()
    worst, cosines = None, []
    for begin in range(0, len(lines), 500):
        part = lines[begin:begin + 500]
        ids = tokenizer(part, truncation=True, max_length=512)['input_ids']
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            our_states(arguments, model_folder, ids, folder)
            layers = model.config.num_hidden_layers + 1
            ours = [numpy.load(folder / f'layer_{layer}.npy', mmap_mode='r') for layer in range(layers)]
            worst = numpy.zeros(layers) if worst is None else worst
            start = 0
            for row in ids:
                with torch.no_grad():
                    output = model(torch.tensor([row]), output_hidden_states=True)
                    states = [*output.hidden_states[:-1], output.last_hidden_state]  # behind ModernBERT's final norm
                for layer, state in enumerate(states):
                    mine, theirs = ours[layer][start:start + len(row)], state[0].numpy()
                    worst[layer] = max(worst[layer], numpy.abs(mine - theirs).max())
                    if layer + 1 == layers:
                        dot = (mine * theirs).sum(1)
                        cosines.append((dot / numpy.linalg.norm(mine, axis=1) / numpy.linalg.norm(theirs, axis=1)).mean())
                start += len(row)
    return worst, float(numpy.mean(cosines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', required=True)
    parser.add_argument('--lines', required=True, nargs='+', type=pathlib.Path)
    parser.add_argument('--limit', type=int, default=2000)
    parser.add_argument('--tolerance', type=float, default=2e-5)
    parser.add_argument('--bf16', action='store_true')
    parser.add_argument('models', nargs='+')
    arguments = parser.parse_args()
    lines = read_lines(arguments.lines, arguments.limit)
    good = True
    for model in arguments.models:
        worst, cosine = compare(arguments, model, lines)
        good &= cosine >= 0.999 if arguments.bf16 else worst.max() <= arguments.tolerance
        print(f'{pathlib.Path(model).name}: transformers {transformers.__version__}, {len(lines)} lines')
        print('  largest difference by layer: ' + ' '.join(f'{value:.1e}' for value in worst))
        print(f'  largest: {worst.max():.2e}, mean cosine of the last layer: {cosine:.7f}')
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
