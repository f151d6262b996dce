"""Speed of two workers against one process with two threads: speed.py --engine ray|spark [--segments N] [--pairs N] [--rounds N]

Writes a corpus of its own as Parquet, scores it with `bleu` + `chrf` (--segments rows) and with `bertscore` (--pairs
rows) on one process with two threads and on two workers with one each, by turns; both read the file. Checks that the
reports are equal to the byte, and prints for every round: seconds, and CPU seconds of the process and all below it,
which other work on the machine changes less; the share of the speed of one process; how much the driver's memory grew."""

import argparse
import contextlib
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time

import pyarrow
import pyarrow.parquet

import markeval

WORDS = (
    "the a of to and in that it was for on are with they be at one have this from or had by hot word but what some we "
    "can out other were all there when up use your how said an each she which do their time if will way about many"
).split()
ROWS_PER_GROUP = 50_000


def write_corpus(path, rows):
    """Sentences of 5 to 30 words, and the same with every sixth word changed."""
    random.seed(1)
    writer = None
    for begin in range(0, rows, ROWS_PER_GROUP):
        references, systems = [], []
        for _ in range(min(ROWS_PER_GROUP, rows - begin)):
            words = random.choices(WORDS, k=random.randint(5, 30))
            references.append(" ".join(words) + ".")
            systems.append(" ".join(random.choice(WORDS) if random.random() < 1 / 6 else word for word in words) + ".")
        table = pyarrow.table({"ref": references, "hyp": systems})
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def processes():
    """CPU seconds of this process and of all below it, by number."""
    seconds, below = {}, {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        below.setdefault(int(fields[1]), []).append(int(folder.name))
    found, left = {}, [os.getpid()]
    while left:
        number = left.pop()
        found[number] = seconds.get(number, 0.0)
        left.extend(below.get(number, ()))
    return found


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Seconds, CPU seconds and growth of memory; looks five times a second, so that it sees processes that end."""

    def __enter__(self):
        self._before, self._last, self._rest = processes(), {}, threading.Event()
        self._bytes = self._most = resident_bytes()
        self._thread = threading.Thread(target=self._look)
        self._begin = time.monotonic()
        self._thread.start()
        return self

    def _look(self):
        while not self._rest.wait(0.2):
            self._last.update(processes())
            self._most = max(self._most, resident_bytes())

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self._begin
        self._rest.set()
        self._thread.join()
        self._last.update(processes())
        self.cpu = sum(seconds - self._before.get(number, 0.0) for number, seconds in self._last.items())
        self.grown = self._most - self._bytes


def on_one_process(path, metrics, model):
    table = pyarrow.parquet.read_table(path)
    return markeval.score("ref", ["hyp"], metrics, table=table, model=model, cache="none", threads=2)


@contextlib.contextmanager
def ray_engine():
    import ray
    import ray.data

    import markeval.ray

    # Ray's workers give way to all other processes of a machine: fair only where there are none.
    os.environ.setdefault("RAY_worker_niceness", "0")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield lambda path, metrics, model: markeval.ray.score(
        ray.data.read_parquet(path), "ref", ["hyp"], metrics, model=model, workers=2
    )
    ray.shutdown()


@contextlib.contextmanager
def spark_engine():
    from pyspark.sql import SparkSession

    import markeval.spark

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers in the environment of this process
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    yield lambda path, metrics, model: markeval.spark.score(
        spark.read.parquet(path), "ref", ["hyp"], metrics, model=model
    )
    spark.stop()


def watched(function, *arguments):
    with Watch() as watch:
        found = function(*arguments)
    return found, watch


def measure(engine, score, path, metrics, rows, model, rounds):
    shares, cpu_shares = [], []
    for number in range(1, rounds + 1):
        cluster, two = watched(score, path, metrics, model)
        single, one = watched(on_one_process, path, metrics, model)
        shares.append(one.seconds / two.seconds)
        cpu_shares.append(one.cpu / two.cpu)
        figures = {
            "engine": engine,
            "metrics": metrics,
            "rows": rows,
            "round": number,
            "one process, two threads, s": round(one.seconds, 2),
            "its CPU s": round(one.cpu, 2),
            "two workers, s": round(two.seconds, 2),
            "their CPU s": round(two.cpu, 2),
            "share of its speed": round(shares[-1], 2),
            "share by CPU s": round(cpu_shares[-1], 2),
            "driver grew by, MiB": round(two.grown / 2**20),
            "same bytes": cluster.to_json() == single.to_json(),
        }
        print(json.dumps(figures), flush=True)
    median = {"share of its speed, median": round(statistics.median(shares), 2)}
    print(json.dumps({**median, "by CPU s": round(statistics.median(cpu_shares), 2)}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=("ray", "spark"), required=True)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    arguments = parser.parse_args()
    made = {"ray": ray_engine, "spark": spark_engine}[arguments.engine]()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        score, start = watched(stack.enter_context, made)
        small = str(pathlib.Path(folder) / "small.parquet")
        write_corpus(small, 2000)
        _, first = watched(score, small, ["chrf"], arguments.model)  # workers start
        _, second = watched(score, small, ["chrf"], arguments.model)
        fixed = {"engine starts, s": start.seconds, "first run of 2000 rows, s": first.seconds, "second, s": second.seconds}
        print(json.dumps({name: round(seconds, 2) for name, seconds in fixed.items()}), flush=True)
        for metrics, rows in ((["bleu", "chrf"], arguments.segments), (["bertscore"], arguments.pairs)):
            if rows == 0:
                continue
            path = str(pathlib.Path(folder) / "corpus.parquet")
            write_corpus(path, rows)
            measure(arguments.engine, score, path, metrics, rows, arguments.model, arguments.rounds)


if __name__ == "__main__":
    main()
