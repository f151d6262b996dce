"""Speed of two workers against one process with two threads: speed.py --engine ray|spark [--segments N] [--pairs N]

Writes a corpus of its own as Parquet, scores it with `bleu` + `chrf` (--segments rows) and with `bertscore` (--pairs
rows) on one process with two threads and on two workers with one each, checks that the reports are equal to the byte,
and prints seconds, the share of the speed of one process, and how much the driver's memory grew."""

import argparse
import contextlib
import json
import pathlib
import random
import resource
import tempfile
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


def resident_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def on_one_process(path, metrics, model):
    table = pyarrow.parquet.read_table(path)
    return markeval.score("ref", ["hyp"], metrics, table=table, model=model, cache="none", threads=2)


@contextlib.contextmanager
def ray_engine():
    import ray
    import ray.data

    import markeval.ray

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

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    yield lambda path, metrics, model: markeval.spark.score(
        spark.read.parquet(path), "ref", ["hyp"], metrics, model=model
    )
    spark.stop()


def timed(function, *arguments):
    begin = time.monotonic()
    found = function(*arguments)
    return found, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=("ray", "spark"), required=True)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=50_000)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, {"ray": ray_engine, "spark": spark_engine}[arguments.engine]() as score:
        small = str(pathlib.Path(folder) / "small.parquet")
        write_corpus(small, 2000)
        score(small, ["chrf"], arguments.model)  # workers start
        for metrics, rows in ((["bleu", "chrf"], arguments.segments), (["bertscore"], arguments.pairs)):
            path = str(pathlib.Path(folder) / "corpus.parquet")
            write_corpus(path, rows)
            before = resident_bytes()
            cluster, seconds = timed(score, path, metrics, arguments.model)
            grown = resident_bytes() - before
            one, seconds_of_one = timed(on_one_process, path, metrics, arguments.model)
            figures = {
                "engine": arguments.engine,
                "metrics": metrics,
                "rows": rows,
                "one process, two threads, s": round(seconds_of_one, 2),
                "two workers, s": round(seconds, 2),
                "share of its speed": round(seconds_of_one / seconds, 2),
                "driver grew by, MiB": round(grown / 2**20),
                "same bytes": cluster.to_json() == one.to_json(),
            }
            print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
