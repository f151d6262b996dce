"""Behind scripts/studies.sh, which says what it does; the list of studies is here."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

# Name on this script's command line and of the files; words after `markeval experiment`.
STUDIES = {
    'k-sweep': 'k-sweep --data data',
    'mode-collapse': 'mode-collapse --data data',
    'word-swap': 'word-swap --data data',
    'word-swap-bge': 'word-swap --data data --size 3000 -m me prdc --model bge-small-en-v1.5',
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
    'systems-lexical': 'wmt17 --data data --level system -m bleu bleu:tokenize=intl,lowercase=yes chrf chrf:average=segments'
                       ' character wer per cder',
    'systems-tokenised': 'wmt17 --data data --level system --texts tokenised -m bertr bertscore bleu:tokenize=none chrf:average=segments',
    'figures-de-en': 'own --data data/wmt17/seglevel/de-en.tsv --gold human --ref ref --hyp hyp'
                     ' -m moverscore:n=2 bertscore sentbleu chrf rouge1',
    'figures-zh-en': 'own --data data/wmt17/seglevel/zh-en.tsv --gold human --ref ref --hyp hyp'
                     ' -m moverscore:n=2 bertscore sentbleu chrf rouge1',
    'wmt19': 'wmt19 --data data',
    'tac': 'tac --data data -m match:multi=mean bertscore:multi=mean bertr:multi=mean hmd rouge1:multi=mean,stem=yes'
           ' rouge2:multi=mean,stem=yes rougeL:multi=mean,stem=yes rougeW:multi=mean rougeSU4:multi=mean chrf:multi=mean'
           ' sentbleu:multi=mean meteor:multi=mean tfidf:multi=mean tfidf:n=2,multi=mean',
    'tac-mover': 'tac --data data -m moverscore bertscore:multi=mean',
    'tac-words': 'tac --data data --part 2009 -m me:samples=word,scope=segment',
    'tac-bge': 'tac --data data --model bge-small-en-v1.5 -m match:multi=mean bertscore:multi=mean moverscore:compat=v1 moverscore',
    'tac-lexical': 'tac --data data -m chrf++:multi=mean chrf rouge1 rouge2 rougeL rougeLsum ter character nist cider wer per cder'
                   ' sentbleu:max_order=1 sentbleu:max_order=2 sentbleu:max_order=3 sentbleu',
    'tac-best-k': 'tac --data data --part 2009 -m me:samples=word,scope=segment --best-k --max-k 8',
    'tac-prd': 'tac --data data -m prd:samples=word,scope=segment --also bge-small-en-v1.5',
    'tac-fid': 'tac --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5',
    'data-to-text': 'data-to-text --data data --also bge-small-en-v1.5',
    'data-to-text-max': 'data-to-text --data data --part BAGEL --part SFHOT -m moverscore:multi=max moverscore:n=2,multi=max'
                        ' --also bge-small-en-v1.5',
    'data-to-text-bleu': 'data-to-text --data data --part BAGEL --part SFHOT -m sentbleu:max_order=1 sentbleu:max_order=2'
                         ' sentbleu:max_order=3 sentbleu',
    'data-to-text-fid': 'data-to-text --data data -m fid:samples=word,scope=segment --also bge-small-en-v1.5',
    'language-generation': 'language-generation --data data --repeats 2',
    'language-generation-words': 'language-generation --data data -m me:samples=word fid:samples=word --size 400',
}
# Those that are scripts of their own.
SCRIPTS = {
    'trained': 'python3 bench/studies/trained.py --program build/release/markeval --models models --data data --work build/studies/trained',
    'match': 'python3 bench/studies/match.py all --program build/release/markeval --models models --data data --work build/studies/match',
}
# Studies without a model: --model leaves them out.
WITHOUT_A_MODEL = {'out-of-english', 'tac-lexical', 'systems-lexical', 'data-to-text-bleu'}


def command_of(name, model=None):
    """`markeval experiment ...` as it stands in the file; with `model` instead of those the study names."""
    if name in SCRIPTS:
        return SCRIPTS[name]
    words = STUDIES[name].split()
    if model:
        for option in '--also', '--model':
            if option in words:
                place = words.index(option)
                del words[place:place + 2]
        words += ['--model', model]
    return 'markeval experiment ' + ' '.join(words)


def is_made(file, command):
    return file.exists() and file.read_text(encoding='utf8').split('\n', 1)[0] == f'$ {command}'


def make(name, command, folder, options):
    """Runs one study; its file appears when it is done."""
    print(command, file=sys.stderr, flush=True)
    models = os.environ.get('MARKEVAL_MODELS', 'models')
    words = command.replace('--data data', f'--data {options.data}').replace('--models models', f'--models {models}').split()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as pictures:
        if name in STUDIES:
            words = [os.path.abspath(options.program), *words[1:], '--out', pictures]
        out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.replace(options.data, 'data')
        for old in folder.glob(f'{name}.*.svg'):
            old.unlink()
        for picture in sorted(pathlib.Path(pictures).glob('*.svg')):
            shutil.copyfile(picture, folder / f'{name}.{picture.name.removeprefix(STUDIES[name].split()[0] + "-")}')
    (folder / f'{name}.txt').write_text(f'$ {command}\n{out}', encoding='utf8')
    return round(time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser(prog='scripts/studies.sh')
    parser.add_argument('data', nargs='?')
    parser.add_argument('studies', nargs='*')
    parser.add_argument('--model')
    parser.add_argument('--only-missing', action='store_true')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--program', default='build/release/markeval')
    parser.add_argument('--out', type=pathlib.Path, help='instead of docs/background/studies, or build/studies/NAME with --model')
    options = parser.parse_intermixed_args()
    if options.list:
        for name in [*STUDIES, *SCRIPTS]:
            print(f'{name:<18} {command_of(name)}')
        return
    if options.data is None:
        parser.error('no data given')
    unknown = set(options.studies) - {*STUDIES, *SCRIPTS}
    if unknown:
        sys.exit(f'unknown study {", ".join(sorted(unknown))}, expected {", ".join([*STUDIES, *SCRIPTS])}')
    names = options.studies or [name for name in STUDIES if not (options.model and name in WITHOUT_A_MODEL)]
    usual = pathlib.Path('build/studies', pathlib.Path(options.model).name) if options.model else pathlib.Path('docs/background/studies')
    folder = options.out or usual
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not (options.only_missing and is_made(folder / f'{name}.txt', command_of(name, options.model)))]
    print(f'{len(missing)} of {len(names)} studies to make, in {folder}', file=sys.stderr)
    for number, name in enumerate(missing, 1):
        seconds = make(name, command_of(name, options.model), folder, options)
        print(f'{name}: {seconds} s ({number} of {len(missing)})', file=sys.stderr, flush=True)
        if options.model:
            with (folder / 'times.tsv').open('a', encoding='utf8') as times:
                times.write(f'{name}\t{seconds}\n')


if __name__ == '__main__':
    main()
