"""One Scorer for many threads, processes and calls; Ctrl-C."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import markeval
import numpy as np

from support import REFERENCES, SYSTEM, TestWithModel

METRICS = ["bertscore:layer=2", "moverscore", "me:samples=word", "bleu", "chrf", "ter", "rouge1"]


def score_once(scorer):
    return scorer.score(REFERENCES, SYSTEM, METRICS, segments=True).to_json()


class Threads(TestWithModel):
    def setUp(self):
        self.scorer = markeval.Scorer(model=self.model, cache="none", threads=2)

    def test_eight_at_once_get_the_same_bits_as_one(self):
        expected = score_once(markeval.Scorer(model=self.model, cache="none", threads=1))
        found = [None] * 8

        def work(number):
            for _ in range(3):
                found[number] = score_once(self.scorer)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 8)

    def test_a_daemon_thread_does_not_abort_the_end_of_the_interpreter(self):
        program = (
            "import threading, time, markeval\n"
            "texts = ['a cat sat on the mat'] * 50\n"
            "def work():\n"
            "    while True:\n"
            "        markeval.score(texts, texts, 'bleu', ci=200_000)\n"
            "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
            "time.sleep(0.5)\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 0)
        self.assertNotIn("terminate", ended.stderr)

    def test_other_threads_run_while_one_scores(self):
        rows = np.random.default_rng(0).normal(size=(6000, 64)).astype(np.float32)
        counted = [0]
        stop = threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        self.scorer.score(rows, rows[:3000] + 0.1, ["me:k=3"])
        stop.set()
        thread.join()
        self.assertGreater(counted[0], before)

    def test_a_forked_process_scores_as_its_parent(self):
        expected = score_once(self.scorer)
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            self.assertEqual(pool.map(score_once, [self.scorer] * 2), [expected] * 2)
        child = context.Process(target=lambda: os._exit(score_once(self.scorer) != expected))
        child.start()
        child.join(60)
        self.assertEqual(child.exitcode, 0)

    def test_memory_does_not_grow_with_calls(self):
        def resident():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def calls(count):
            for _ in range(count):
                self.scorer.score(REFERENCES, SYSTEM, METRICS, segments=True)

        calls(100)
        before = resident()
        calls(200)
        self.assertLess(resident() - before, 4 << 20)


class Interrupt(unittest.TestCase):
    PROGRAM = """
import markeval, numpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
rows = numpy.random.default_rng(0).normal(size=(60000, 256)).astype(numpy.float32)
texts = ["the quick brown fox number %d jumps over %d lazy dogs" % (i, i * 7) for i in range(40000)]
print("ready", flush=True)
try:
    {work}
    print("done")
except KeyboardInterrupt:
    print("interrupted")
"""

    def interrupted_after(self, work):
        program = self.PROGRAM.format(work=work)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        out = process.stdout.read()
        seconds = time.monotonic() - start
        process.stdout.close()
        process.wait()
        self.assertEqual(out, "interrupted\n", work)
        return seconds

    def test_stops_long_work_within_a_second(self):
        systems = "{'a': texts[::-1], 'b': texts[5:] + texts[:5]}"
        for work in (
            "markeval.score(rows, rows[::-1] * 1.01, ['me:k=5', 'prdc'])",
            f"markeval.compare(texts, {systems}, ['bleu'], test='randomisation', resamples=1_000_000)",
        ):
            self.assertLess(self.interrupted_after(work), 1.0, work)


if __name__ == "__main__":
    unittest.main()
