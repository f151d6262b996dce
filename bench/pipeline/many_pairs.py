"""Memory of pair metrics while many pairs stream by.

    python3 bench/pipeline/many_pairs.py --program build/release/markeval --model MODEL_FOLDER [--pairs 200000] \\
        [--metrics bertscore moverscore] [--memory-limit-mib 1024]

Makes distinct short pairs (no text occurs twice), scores them and prints the largest resident memory of the process, its time and
the mean scores. Fails where memory passes the limit. Standard library only."""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

SUBJECTS = "the cook|my aunt|a tall man|our driver|the new clerk|one child|the old captain|a farmer|her doctor|that singer".split("|")
VERBS = "saw|sold|found|painted|broke|carried|lost|washed|opened|bought|hid|moved".split("|")
OBJECTS = "a lamp|the red boat|two chairs|an apple|the letter|a wide door|some bread|the map|a clock|the green coat|a drum".split("|")
PLACES = "in town|at noon|near the lake|by the wall|on a hill|after lunch|behind the school|last winter|in the rain".split("|")


def sentence(stream, number):
    """Short, and different for every number."""
    words = [stream.choice(SUBJECTS), stream.choice(VERBS), stream.choice(OBJECTS), stream.choice(PLACES)]
    return " ".join(words) + f" {number}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--pairs", type=int, default=200000)
    parser.add_argument("--metrics", nargs="+", default=["bertscore", "moverscore"])
    parser.add_argument("--memory-limit-mib", type=int, default=1024)
    options = parser.parse_args()
    stream = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("refs.txt", "mine.txt")]
        with open(paths[0], "w", encoding="utf-8") as refs, open(paths[1], "w", encoding="utf-8") as mine:
            for number in range(options.pairs):
                refs.write(sentence(stream, 2 * number) + "\n")
                mine.write(sentence(stream, 2 * number + 1) + "\n")
        command = [options.program, "score", "-r", paths[0], "-s", paths[1], "--model", options.model, "--quiet"]
        for metric in options.metrics:
            command += ["-m", metric]
        start = time.perf_counter()
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        wall = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = usage.ru_maxrss / 1024
    print(f"{options.pairs} pairs, {' '.join(options.metrics)}: {memory:.0f} MiB resident at most, "
          f"{usage.ru_utime + usage.ru_stime:.0f} CPU seconds, {wall:.0f} s")
    return 1 if memory > options.memory_limit_mib else 0


if __name__ == "__main__":
    sys.exit(main())
