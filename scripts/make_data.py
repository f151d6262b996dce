#!/usr/bin/env python3
"""Brings public downloads into the folder that `markeval experiment --data FOLDER` reads (docs/reference/data.md).

    scripts/make_data.py FOLDER DOWNLOAD...

A download is known by its name, so keep the names they are published under:
    multinli_1.0.zip                          MultiNLI                     k-sweep, mode-collapse, word-swap
    wmt17-metrics-task-package.tgz            WMT17 metrics task           wmt17
    tac.08.mds.gen.resp-pyr.json, tac.09...   of emnlp19-moverscore        tac
    .../D2T/BAGEL/data.pkl, SFHOT, SFRES      of BARTScore                 data-to-text
    .../WMT/gu-en/data.pkl, ...               of BARTScore                 wmt19
    glove.6B.zip                              GloVe                        rows of word vectors
A .json may be gzipped. Only the standard library is needed; of a pickle only plain values are read, nothing in it is run.
"""
import contextlib
import csv
import gzip
import io
import json
import pathlib
import pickle
import random
import re
import sys
import tarfile
import zipfile

TRAINING_PAIRS = 13000  # of MultiNLI, drawn from all genres: more distinct sentences than the studies take
WMT17_SEGMENT_PAIRS = ('cs-en', 'de-en', 'fi-en', 'lv-en', 'ru-en', 'tr-en', 'zh-en', 'en-ru', 'en-zh')


class Wrong(Exception):
    """What a user should read."""


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise Wrong(f'a pickle that names {module}.{name}: expected dictionaries, lists, texts and numbers only')


def one_line(text):
    return re.sub(r'[\t\r\n]', ' ', str(text))


@contextlib.contextmanager
def new_file(path):
    """A gzipped file that is there whole or not at all. The same content gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + '.part')
    try:
        with open(unfinished, 'wb') as raw, gzip.GzipFile('', 'wb', fileobj=raw, mtime=0) as packed, io.TextIOWrapper(packed, 'utf-8') as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    print(f'made {path}')


def write_table(path, names, rows):
    with new_file(path) as file:
        for row in [names, *rows]:
            file.write('\t'.join(map(one_line, row)) + '\n')


def write_objects(path, rows):
    with new_file(path) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + '\n')


def member(archive_name, names, ending):
    found = [name for name in names if name.endswith(ending)]
    if not found:
        raise Wrong(f'{archive_name} has no {ending}')
    return min(found, key=len)


def multinli(download, folder):
    with zipfile.ZipFile(download) as archive:
        def pairs(part):
            with archive.open(member(download.name, archive.namelist(), f'multinli_1.0_{part}.jsonl')) as lines:
                return [json.loads(line) for line in lines]

        training = pairs('train')
        drawn = sorted(random.Random(1).sample(range(len(training)), min(TRAINING_PAIRS, len(training))))
        for name, rows in (('mnli_train_subset', [training[place] for place in drawn]), ('mnli_dev_matched', pairs('dev_matched'))):
            write_table(folder / 'mnli' / f'{name}.tsv.gz', ('genre', 'premise', 'hypothesis'),
                        [(row['genre'], row['sentence1'], row['sentence2']) for row in rows])


class Wmt17Texts:
    """The texts of the package: an archive inside the archive, or beside the human scores."""

    def __init__(self, package):
        inner = [name for name in package.getnames() if re.search(r'/wmt17-metrics-task(-no-hybrids)?\.tgz$', name)]
        self._archive = tarfile.open(fileobj=package.extractfile(min(inner, key=len)), mode='r:gz') if inner else package
        self._names = self._archive.getnames()

    def lines(self, ending):
        text = self._archive.extractfile(member('the texts of WMT17', self._names, ending)).read().decode('utf-8')
        return text.removesuffix('\n').split('\n')

    def of_pair(self, pair):
        """References and the lines of every system."""
        source, target = pair.split('-')
        place = f'/system-outputs/newstest2017/{pair}/newstest2017.'
        systems = sorted({name.split(place)[1].removesuffix('.' + pair) for name in self._names if place in name})
        return (self.lines(f'/references/newstest2017-{source}{target}-ref.{target}'),
                {system: self.lines(f'{place}{system}.{pair}') for system in systems})


def wmt17(download, folder):
    with tarfile.open(download, 'r:gz') as package:
        def scores(level):
            name = member(download.name, package.getnames(), f'manual-evaluation/DA-{level}level.csv')
            return package.extractfile(name).read().decode('utf-8')

        texts = Wmt17Texts(package)
        judged = list(csv.DictReader(io.StringIO(scores('seg')), delimiter=' '))
        for pair in WMT17_SEGMENT_PAIRS:
            references, systems = texts.of_pair(pair)
            rows, lost = [], 0
            for row in judged:
                if row['LP'] != pair:
                    continue
                line = int(row['SID']) - 1
                # A+B: both gave this output.
                output = [systems[name][line] for name in row['SYSTEM'].split('+') if name in systems]
                lost += not output
                if output:
                    rows.append((row['HUMAN'], references[line], output[0]))
            if lost:
                print(f'warning: {pair}: {lost} judged segments left out, the package lacks their system', file=sys.stderr)
            write_table(folder / 'wmt17' / 'seglevel' / f'{pair}.tsv.gz', ('human', 'ref', 'hyp'), rows)
            if pair.endswith('-en'):
                write_table(folder / 'wmt17' / 'newstest2017_raw' / f'{pair}.tsv.gz', ('ref', *systems),
                            zip(references, *systems.values(), strict=True))
        (folder / 'wmt17' / 'DA-syslevel.csv').write_text(scores('sys'))


def tac(download, folder):
    year = re.match(r'tac\.(\d\d)\.', download.name).group(1)
    data = download.read_bytes()
    topics = json.loads(gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data)
    references, summaries = [], []
    for topic, entry in sorted(topics.items()):
        references += [{'topic': topic, 'text': ' '.join(one['text'])} for one in entry['references']]
        for one in entry['annotations']:
            summaries.append({'topic': topic, 'system': one['summ_id'], 'human_written': not one['summ_id'].isdigit(),
                              'pyr_score': one['pyr_score'], 'responsiveness': one['responsiveness'],
                              'n_sent': len(one['text']), 'text': ' '.join(one['text'])})
    write_objects(folder / 'tac' / f'tac{year}_references.jsonl.gz', references)
    write_objects(folder / 'tac' / f'tac{year}_summaries.jsonl.gz', summaries)


def bartscore(download, folder):
    with open(download, 'rb') as file:
        rows = PlainUnpickler(file).load().values()
    kind, name = download.absolute().parts[-3:-1]
    if kind == 'D2T':
        write_objects(folder / 'd2t' / f'{name}.jsonl.gz',
                      [{'hyp': row['sys_summ'], 'refs': row['ref_summs'], **row['scores']} for row in rows])
    else:
        write_objects(folder / 'wmt19_darr' / f'{name}.jsonl.gz',
                      [{'src': row['src'], 'ref': row['ref'], 'better': row['better']['sys'], 'worse': row['worse']['sys']} for row in rows])


def glove(download, folder):
    with zipfile.ZipFile(download) as archive, new_file(folder / 'glove' / 'glove.subset.100d.txt.gz') as file:
        with archive.open(member(download.name, archive.namelist(), 'glove.6B.100d.txt')) as lines:
            for line in io.TextIOWrapper(lines, 'utf-8', newline='\n'):
                file.write(line)


KNOWN = ((r'multinli_1\.0\.zip', multinli), (r'wmt17-metrics-task-package\.tgz', wmt17),
         (r'tac\.\d\d\.mds\.gen\.resp-pyr\.json(\.gz)?', tac), (r'data\.pkl', bartscore), (r'glove\.6B\.zip', glove))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    for download in map(pathlib.Path, sys.argv[2:]):
        makers = [maker for pattern, maker in KNOWN if re.fullmatch(pattern, download.name)]
        if not makers:
            sys.exit(f'{download}: unknown download; scripts/make_data.py without arguments lists the names')
        try:
            makers[0](download, folder)
        except (Wrong, OSError, tarfile.TarError, zipfile.BadZipFile, pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError) as error:
            sys.exit(f'{download}: {error if isinstance(error, (Wrong, OSError)) else f"not as published ({error!r})"}')


if __name__ == '__main__':
    main()
