"""Behind scripts/studies.sh, which says what it does; the list of studies is here."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# Word mover and sentence mover on static word vectors.
VECTORS = 'embeddings=data/glove/glove.subset.100d.txt.gz'
STATIC = f'moverscore:{VECTORS} moverscore:n=sentence,{VECTORS}'
# Name on this script's command line and of the files; words after `markeval experiment`.
STUDIES = {
    'k-sweep': 'k-sweep --data data',
    'mode-collapse': 'mode-collapse --data data',
    'word-swap': 'word-swap --data data --repeats 1',
    'word-swap-bands': 'word-swap --data data --size 500 --repeats 3 -m me impar prdc fid',
    'word-swap-bge': 'word-swap --data data --size 3000 --repeats 1 -m me prdc --model bge-small-en-v1.5',
    'wmt17': 'wmt17 --data data --also bge-small-en-v1.5',
    'best-k': 'wmt17 --data data -m me:samples=word,scope=segment --best-k --max-k 8',
    'systems': 'wmt17 --data data --level system',
    'out-of-english': 'wmt17 --data data --part en-ru --part en-zh -m chrf chrf++ sentbleu sentbleu:tokenize=zh',
    'systems-words': 'wmt17 --data data --level system --part cs-en --part de-en --part ru-en --part tr-en --part zh-en'
                     ' -m me:samples=word,scope=segment impar:samples=word,scope=segment',
    'words-corpus': 'wmt17 --data data --level system --part cs-en --part de-en --part ru-en --part tr-en --part zh-en'
                    ' -m me:samples=word',
    'hard-soft': 'wmt17 --data data --part cs-en --part de-en --part fi-en --part lv-en -m hmd:layers=9,aggregate=last'
                 ' moverscore:layers=9,aggregate=last moverscore:layers=9,aggregate=last,n=2 --model bge-small-en-v1.5',
    'layers': 'wmt17 --data data -m moverscore:layers=8,aggregate=last moverscore:layers=9,aggregate=last'
              ' moverscore:layers=10,aggregate=last moverscore:layers=11,aggregate=last moverscore:layers=12,aggregate=last'
              ' moverscore:aggregate=routing moverscore --model bge-small-en-v1.5',
    'bertr-all-lines': 'wmt17 --data data --level system --part tr-en --part zh-en -m bertr bertr:layer=3 bertscore:layer=3',
    'systems-lexical': 'wmt17 --data data --level system -m bleu bleu:tokenize=intl,lowercase=yes chrf chrf:average=segments'
                       ' character wer per cder',
    'smd-printed': 'wmt17 --data data --part cs-en -m moverscore:n=sentence moverscore:compat=paper,n=sentence',
    'lexical-tokenised': 'wmt17 --data data --level system --texts tokenised -m bleu:tokenize=none chrf:average=segments character',
    'segments-bleu': 'wmt17 --data data -m sentbleu sentbleu:tokenize=intl,lowercase=yes',
    'wordnet': 'wmt17 --data data -m meteor meteor:wordnet=none',
    'wordnet-tac': 'tac --data data -m meteor:multi=mean meteor:multi=mean,wordnet=none',
    'wordnet-data-to-text': 'data-to-text --data data -m meteor:multi=mean meteor:multi=mean,wordnet=none',
    'figures-de-en': 'own --data data/wmt17/seglevel/de-en.tsv --gold human --ref ref --hyp hyp'
                     ' -m moverscore:n=2 bertscore sentbleu chrf rouge1 --test williams',
    'figures-zh-en': 'own --data data/wmt17/seglevel/zh-en.tsv --gold human --ref ref --hyp hyp'
                     ' -m moverscore:n=2 bertscore sentbleu chrf rouge1 --test williams',
    'static': f'wmt17 --data data -m {STATIC}',
    'static-tac': f'tac --data data -m {STATIC}',
    'static-data-to-text': f'data-to-text --data data -m {STATIC}',
    'wmt19': 'wmt19 --data data',
    'tac': 'tac --data data -m match:multi=mean bertscore:multi=mean bertr:multi=mean hmd rouge1:multi=mean,stem=yes'
           ' rouge2:multi=mean,stem=yes rougeL:multi=mean,stem=yes rougeW:multi=mean rougeSU4:multi=mean chrf:multi=mean'
           ' sentbleu:multi=mean meteor:multi=mean tfidf:multi=mean tfidf:n=2,multi=mean',
    'tac-mover': 'tac --data data -m moverscore moverscore:n=2',
    'tac-all': 'tac --data data -m rouge1:multi=mean,stem=yes rouge2:multi=mean,stem=yes rougeL:multi=mean,stem=yes'
               ' chrf:multi=mean chrf++:multi=mean',
    'tac-bertscore': 'tac --data data -m bertscore:multi=mean',
    'tac-bge': 'tac --data data --model bge-small-en-v1.5 -m match:multi=mean bertscore:multi=mean moverscore',
    'tac-lexical': 'tac --data data -m chrf++:multi=mean chrf rouge1 rouge2 rougeL rougeLsum ter character nist cider wer per cder'
                   ' sentbleu:max_order=1 sentbleu:max_order=2 sentbleu:max_order=3 sentbleu',
    'tac-best-k': 'tac --data data --part 2009 -m me:samples=word,scope=segment --best-k --max-k 8',
    'tac-fid': 'tac --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5',
    'tac-prd': 'tac --data data -m prd:samples=word,scope=segment --also bge-small-en-v1.5',
    'data-to-text': 'data-to-text --data data --also bge-small-en-v1.5',
    'data-to-text-max': 'data-to-text --data data --part BAGEL --part SFHOT -m moverscore:multi=max moverscore:n=2,multi=max'
                        ' --also bge-small-en-v1.5',
    'match-data-to-text': 'data-to-text --data data -m match moverscore:multi=max --also bge-small-en-v1.5',
    'match-wmt19': 'wmt19 --data data -m match',
    'data-to-text-bleu': 'data-to-text --data data --part BAGEL --part SFHOT -m sentbleu:max_order=1 sentbleu:max_order=2'
                         ' sentbleu:max_order=3 sentbleu',
    'data-to-text-fid': 'data-to-text --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5',
    'language-generation-400': 'language-generation --data data --size 400',
    'language-generation-1000': 'language-generation --data data --size 1000',
    'language-generation-3000': 'language-generation --data data --size 3000 -m me fid impar prdc',
    'language-generation-9984': 'language-generation --data data --size 9984 --repeats 3 -m me fid impar prdc',
    'language-generation': 'language-generation --data data',
    'language-generation-draws': 'language-generation --data data --size 400 --repeats 40 -m me fid',
    'language-generation-words-400': 'language-generation --data data --size 400 -m me:samples=word impar:samples=word'
                                     ' prdc:samples=word fid:samples=word',
    'language-generation-words-1000': 'language-generation --data data --size 1000 -m me:samples=word impar:samples=word'
                                      ' prdc:samples=word fid:samples=word',
    'language-generation-words-3000': 'language-generation --data data --size 3000 --repeats 2 -m me:samples=word impar:samples=word'
                                      ' prdc:samples=word fid:samples=word',
}
# Those that are scripts of their own.
SCRIPTS = {
    'tac-topics': 'python3 bench/studies/tac_topics.py --program build/release/markeval --data data --work build/studies/tac-topics'
                  ' --topics 100 --part 2008 2009',
    'words-of-systems': 'python3 bench/studies/words_of_systems.py --program build/release/markeval --data data'
                        ' --work build/studies/words-of-systems',
    'esim-systems': 'python3 bench/studies/esim.py --program build/release/markeval --models models --data data --work build/studies/esim',
    'bertr-systems': 'python3 bench/studies/bertr_systems.py --program build/release/markeval --data data --lines 300',
    'bertr-pooling': 'python3 bench/studies/bertr_systems.py --program build/release/markeval --data data --lines 300 --texts raw'
                     ' --pooled bertr:layer=6.recall bertr:layer=3.recall',
    'beside-people': 'python3 bench/studies/beside_people.py --program build/release/markeval --data data --sizes 300 1000 2000 '
                     '--texts captions news premises hypotheses',
    'words-beside-people': 'python3 bench/studies/beside_people.py --program build/release/markeval --data data --words',
    'blends': 'python3 bench/studies/blends.py --program build/release/markeval --data data --work build/studies/blends',
    'typical-values': 'python3 bench/studies/typical_values.py --program build/release/markeval --data data',
    'captions-of-coco': 'python3 bench/studies/captions_of_coco.py --program build/release/markeval --data data',
    'size-curve': 'python3 bench/studies/beside_people.py --program build/release/markeval --data data --curve',
    'trained': 'python3 bench/studies/trained.py --program build/release/markeval --models models --data data --work build/studies/trained',
    'match': 'python3 bench/studies/match.py all --program build/release/markeval --models models --data data --work build/studies/match',
}
# Scripts that take --model; those that score `match` too, which is left out where the model has no head.
WITH_MODEL = {'tac-topics', 'words-of-systems', 'bertr-systems', 'bertr-pooling', 'words-beside-people', 'typical-values', 'size-curve'}
WITH_MATCH = {'tac-topics', 'bertr-systems', 'typical-values'}
# Studies of `match` alone: --model leaves them out where the program has no head for the model.
OF_MATCH = {'match-wmt19'}
# Studies without a model: --model leaves them out.
WITHOUT_A_MODEL = {'static', 'static-tac', 'static-data-to-text', 'out-of-english', 'tac-all', 'tac-lexical', 'systems-lexical',
                   'lexical-tokenised', 'segments-bleu', 'data-to-text-bleu', 'wordnet', 'wordnet-tac', 'wordnet-data-to-text'}


ROOT = pathlib.Path(__file__).parent.parent


def has_head(model):
    """Whether the program carries a head of `match` for the model; by its name, as the presets of the program do."""
    return (ROOT / 'heads' / pathlib.Path(model).name / 'match.safetensors').exists()


def command_of(name, model=None):
    """`markeval experiment ...` as it stands in the file; with `model` instead of those the study names, and without `match` where the
    model has no head."""
    if name in SCRIPTS:
        if not model:
            return SCRIPTS[name]
        command = SCRIPTS[name].replace('--work build/studies/', f'--work build/studies/{pathlib.Path(model).name}/')
        return f'{command} --model {model}' + (' --without match' if name in WITH_MATCH and not has_head(model) else '')
    words = STUDIES[name].split()
    if model:
        for option in '--also', '--model':
            if option in words:
                place = words.index(option)
                del words[place:place + 2]
        if not has_head(model):
            words = [word for word in words if word.partition(':')[0] != 'match']
        words += ['--model', model]
    return 'markeval experiment ' + ' '.join(words)


PAPERS = ROOT / 'src/study/published_figures.tsv'
# Tables whose papers' rows can be put in place without scores being computed again, by their titles.
WITH_PAPERS = {'Pearson with direct assessment, segments of each pair': 'wmt17-segment',
               'Pearson with direct assessment, systems of each pair': 'wmt17-system'}
PAIRS = 7
TIMES = 'times.tsv'  # in the folder of a model: study, seconds
MARKS, FLOOR = 'Not outperformed by any other (', '; no mark below 6 rows)'


def papers_rows(table, columns):
    """The papers' rows as the program shows them beside these columns; with fewer than all pairs a mean is that of those shown."""
    rows = {}
    for line in PAPERS.read_text(encoding='utf8').splitlines()[1:]:
        of, *label, column, value = line.split('\t')
        if of == table and column in columns:
            rows.setdefault(tuple(label), {})[column] = float(value)
    pairs = columns[:columns.index('mean')]
    for label, row in rows.items():
        if len(pairs) < PAIRS:
            row.pop('mean', None)
            if all(pair in row for pair in pairs):
                row['mean'] = sum(row[pair] for pair in pairs) / len(pairs)
        if row:
            yield [*label, *(f'{row[column]:.3f}' if column in row else '-' for column in columns)]


def without_few(title, lines, systems):
    """Marks with the floor of rows that the program has now: of systems cs-en is the one pair below it."""
    if systems and 'cs-en' in lines[0]:
        at = lines[0].index('cs-en')
        lines = [line if number == 0 else line[:at] + '-  ' + line[at + 3:] for number, line in enumerate(lines)]
    return '\n'.join([title[:-1] + FLOOR, *(line.rstrip() for line in lines)])


def with_papers(text):
    """A study's file with the papers' rows and the floor of marks of today; our figures stay as they were printed."""
    blocks = text.split('\n\n')
    for number, block in enumerate(blocks):
        title, *lines = block.split('\n')
        if title.startswith(MARKS) and not title.endswith(FLOOR):
            blocks[number] = without_few(title, lines, 'systems of each pair' in text)
        if title not in WITH_PAPERS:
            continue
        rows = [re.split('  +', line.strip()) for line in lines]
        rows = [row for row in rows if row[2] in ('source', 'markeval')]
        rows += papers_rows(WITH_PAPERS[title], rows[0][3:])
        widths = [max(map(len, column)) for column in zip(*rows)]
        cells = ([cell.ljust(width) if place < 3 else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths))]
                 for row in rows)
        blocks[number] = '\n'.join([title, *('  '.join(row).rstrip() for row in cells)])
    return '\n\n'.join(blocks)


def is_made(file, command):
    return file.exists() and file.read_text(encoding='utf8').split('\n', 1)[0] == f'$ {command}'


def words_of(name, command, options):
    """What is run: the command with the program, the data and the models of this machine."""
    places = {'data': options.data, 'models': os.environ.get('MARKEVAL_MODELS', 'models')}
    program = os.path.abspath(options.program)
    words = command.split()
    if name in STUDIES:
        words[0] = program
    elif words[0] == 'python3':  # a script of this project, wherever it is called from
        words[1] = str(pathlib.Path(__file__).resolve().parent.parent / words[1])
    for number, (option, value) in enumerate(zip(words, words[1:]), 1):
        if option == '--program':
            words[number] = program
        elif option in ('--data', '--models'):
            kind = option.removeprefix('--')
            words[number] = places[kind] + value.removeprefix(kind)
    return [word.replace('=data/', f'={options.data}/') for word in words]


def make(name, command, folder, options):
    """Runs one study and returns its seconds; its files appear whole when it is done, the text last. None: the program failed and said
    why."""
    print(command, file=sys.stderr, flush=True)
    words = words_of(name, command, options)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='.part-', dir=folder) as parts:  # in the folder, so that a file can be moved into place
        parts = pathlib.Path(parts)
        if name in STUDIES:
            words += ['--out', str(parts / 'pictures')]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            return None
        new = [(picture, f'{name}.{picture.name.removeprefix(STUDIES[name].split()[0] + "-")}')
               for picture in sorted((parts / 'pictures').glob('*.svg'))]
        for old in folder.glob(f'{name}.*.svg'):
            if old.name not in [place for _, place in new]:
                old.unlink()
        text = parts / 'text'
        text.write_text(f'$ {command}\n{done.stdout.replace(options.data, "data")}', encoding='utf8')
        for part, place in [*new, (text, f'{name}.txt')]:
            part.replace(folder / place)
    return round(time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser(prog='scripts/studies.sh')
    parser.add_argument('data', nargs='?')
    parser.add_argument('studies', nargs='*')
    parser.add_argument('--model')
    parser.add_argument('--only-missing', action='store_true')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--papers', action='store_true')
    parser.add_argument('--program', default='build/release/markeval')
    parser.add_argument('--out', type=pathlib.Path, help='instead of docs/background/studies, or build/studies/NAME with --model')
    options = parser.parse_intermixed_args()
    usual = pathlib.Path('build/studies', pathlib.Path(options.model).name) if options.model else pathlib.Path('docs/background/studies')
    folder = options.out or usual
    if options.list:
        times = dict(line.split('\t') for line in (folder / TIMES).read_text().splitlines()) if (folder / TIMES).exists() else {}
        for name in [*STUDIES, *SCRIPTS]:
            if options.model and name in SCRIPTS.keys() - WITH_MODEL:
                continue
            took = f'{times[name]} s' if name in times else ''
            print(f'{name:<24} {took:>8}  {command_of(name, options.model)}')
        return
    if options.papers:
        for file in sorted((options.out or pathlib.Path('docs/background/studies')).glob('*.txt')):
            file.write_text(with_papers(file.read_text(encoding='utf8')), encoding='utf8')
        return
    if options.data is None:
        parser.error('no data given')
    unknown = set(options.studies) - {*STUDIES, *SCRIPTS}
    if unknown:
        sys.exit(f'unknown study {", ".join(sorted(unknown))}, expected {", ".join([*STUDIES, *SCRIPTS])}')
    if options.model and (own := [name for name in options.studies if name in SCRIPTS.keys() - WITH_MODEL]):
        sys.exit(f'{", ".join(own)}: a script with a model of its own, run it without --model')
    left_out = set()
    if options.model:
        left_out = WITHOUT_A_MODEL if has_head(options.model) else WITHOUT_A_MODEL | OF_MATCH
    if headless := sorted(left_out & OF_MATCH & set(options.studies)):
        sys.exit(f'{", ".join(headless)}: the program has no head of match for {options.model}')
    scripts = [name for name in SCRIPTS if options.model and name in WITH_MODEL]
    names = options.studies or [name for name in [*STUDIES, *scripts] if name not in left_out]
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not (options.only_missing and is_made(folder / f'{name}.txt', command_of(name, options.model)))]
    print(f'{len(missing)} of {len(names)} studies to make, in {folder}', file=sys.stderr)
    failed = []
    for number, name in enumerate(missing, 1):
        seconds = make(name, command_of(name, options.model), folder, options)
        if seconds is None:
            failed.append(name)
            continue
        print(f'{name}: {seconds} s ({number} of {len(missing)})', file=sys.stderr, flush=True)
        if options.model:
            with (folder / TIMES).open('a', encoding='utf8') as times:
                times.write(f'{name}\t{seconds}\n')
    if failed:
        sys.exit(f'not made: {", ".join(failed)}')


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit('\nstopped; the same command with --only-missing goes on')
