"""Holds the JSON of clusters against that of one machine: same_bytes.py --table FILE.tsv --reference COLUMN --systems COLUMN... [--lines N] [--requests N...]

Scores columns of a table (also .gz) on one machine, on Ray with two workers, on Spark local[2] and, with --master
spark://..., on a standalone cluster; says for every request whether the reports are equal to the byte. Ends with 1
where one is not."""

import argparse
import gzip
import hashlib
import os
import sys
import time
import warnings

import pyarrow

import markeval

REQUESTS = [
    ("score", ["bleu", "chrf"], {"ci": True}),
    ("score", ["bertscore:idf=yes", "moverscore"], {}),
    ("score", ["me", "prdc"], {}),
    ("compare", ["bleu", "chrf", "bertscore"], {}),
    ("score", ["me:samples=word"], {}),  # a row for every word and layer: --lines keeps it short
]


def read(path, names, lines):
    """Columns of a table with a header, without quotes."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        header = file.readline().rstrip("\n").split("\t")
        rows = [line.rstrip("\n").split("\t") for line in file][:lines]
    return {name: [row[header.index(name)] for row in rows] for name in names}


def ray_runner(columns, batch, model):
    import ray
    import ray.data

    import markeval.ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    data = ray.data.from_arrow(pyarrow.table(columns)).repartition(4)
    systems = [name for name in columns if name != "ref"]

    def run(function, metrics, options):
        call = getattr(markeval.ray, function)
        return call(data, "ref", systems, metrics, batch_size=batch, workers=2, model=model, **options)

    return run, ray.shutdown


def spark_runner(master, columns, batch, model):
    from pyspark.sql import SparkSession

    import markeval.spark

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers in the environment of this process
    settings = {
        "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.sql.shuffle.partitions": "4",
        "spark.executor.cores": "1", "spark.executor.memory": "1g", "spark.driver.host": "localhost",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    rows = spark.sparkContext.parallelize(list(zip(*columns.values())), 4)
    frame = spark.createDataFrame(rows, ", ".join(f"`{name}` string" for name in columns))
    systems = [name for name in columns if name != "ref"]

    def run(function, metrics, options):
        return getattr(markeval.spark, function)(frame, "ref", systems, metrics, batch_size=batch, model=model, **options)

    return run, spark.stop


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--systems", required=True, nargs="+")
    parser.add_argument("--lines", type=int)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--master", help="a standalone Spark cluster")
    parser.add_argument("--only", nargs="+", help="of: ray, local, standalone")
    parser.add_argument("--requests", nargs="+", type=int, help="numbers from 1, in the order of REQUESTS")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = read(arguments.table, [arguments.reference, *arguments.systems], arguments.lines)
    columns = {"ref": columns.pop(arguments.reference), **columns}
    systems = [name for name in columns if name != "ref"]
    expected = {}
    chosen = [(number, *one) for number, one in enumerate(REQUESTS, 1) if number in (arguments.requests or [number])]
    for number, function, metrics, options in chosen:
        begin = time.monotonic()
        call = getattr(markeval, function)
        expected[number] = call(
            "ref", systems, metrics, table=columns, model=arguments.model, cache="none", **options
        ).to_json()
        digest = hashlib.sha256(expected[number].encode()).hexdigest()[:12]
        print(f"one machine  {function:8} {'+'.join(metrics):36} {digest} {time.monotonic() - begin:.1f} s", flush=True)
    engines = {"ray": lambda: ray_runner(columns, arguments.batch, arguments.model)}
    engines["local"] = lambda: spark_runner("local[2]", columns, arguments.batch, arguments.model)
    if arguments.master:
        engines["standalone"] = lambda: spark_runner(arguments.master, columns, arguments.batch, arguments.model)
    good = True
    for name, make in engines.items():
        if arguments.only and name not in arguments.only:
            continue
        run, stop = make()
        for number, function, metrics, options in chosen:
            begin = time.monotonic()
            found = run(function, metrics, options).to_json()
            same = found == expected[number]
            good = good and same
            digest = hashlib.sha256(found.encode()).hexdigest()[:12]
            print(
                f"{name:12} {function:8} {'+'.join(metrics):36} {digest} {time.monotonic() - begin:.1f} s "
                f"{'same bytes' if same else 'DIFFERENT'}",
                flush=True,
            )
        stop()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
