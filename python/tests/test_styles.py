import unittest

import markeval
import numpy as np

from support import REFERENCES, SYSTEM


class EvaluateStyle(unittest.TestCase):
    def test_pieces_score_as_the_whole_and_are_then_forgotten(self):
        metric = markeval.EvaluateMetric("bleu")
        metric.add(prediction=SYSTEM[0], reference=REFERENCES[0])
        metric.add_batch(predictions=SYSTEM[1:], references=REFERENCES[1:])
        expected = markeval.score(REFERENCES, SYSTEM, "bleu")[0]
        self.assertEqual(metric.compute(), {"bleu": expected.score, "signature": expected.signature})
        with self.assertRaisesRegex(ValueError, "no predictions were added"):
            metric.compute()

    def test_evaluate_names(self):
        rouge = markeval.EvaluateMetric("rouge").compute(predictions=["a cat sat"], references=["a cat sits"])
        self.assertEqual(list(rouge), ["rouge1", "rouge2", "rougeL", "rougeLsum", "signature"])
        self.assertAlmostEqual(rouge["rouge1"], 2 / 3)
        bleu = markeval.EvaluateMetric("sacrebleu").compute(predictions=["a cat sat"], references=["a cat sat"])
        self.assertIn("bleu", bleu)

    def test_evaluate_lang(self):
        metric = markeval.EvaluateMetric("chrf")
        self.assertEqual(metric.compute(predictions=["a"], references=["a"], lang="en")["chrf"], 100)
        with self.assertRaisesRegex(ValueError, "lang='de': name a model"):
            metric.compute(predictions=["a"], references=["a"], lang="de")

    def test_compute_takes_everything_at_once(self):
        metric = markeval.EvaluateMetric("rouge1")
        found = metric.compute(predictions=SYSTEM, references=[[r] for r in REFERENCES], segments=True)
        self.assertEqual(found["segments"]["f1"].shape, (6,))

    def test_errors(self):
        metric = markeval.EvaluateMetric("bleu")
        with self.assertRaisesRegex(ValueError, "2 predictions but 1 references"):
            metric.add_batch(predictions=["a", "b"], references=["a"])
        with self.assertRaisesRegex(ValueError, "one of them is missing"):
            metric.compute(predictions=["a"])
        with self.assertRaisesRegex(TypeError, "belongs to the scorer"):
            markeval.EvaluateMetric("bleu", scorer=markeval.Scorer(), model="x")


class TorchStyle(unittest.TestCase):
    def test_updates_add_up_until_reset(self):
        metric = markeval.TorchMetric("chrf")
        metric.update(SYSTEM[:3], REFERENCES[:3])
        metric.update(SYSTEM[3:], REFERENCES[3:])
        expected = markeval.score(REFERENCES, SYSTEM, "chrf")[0].score
        self.assertEqual(metric.compute(), expected)
        self.assertEqual(metric.compute(), expected)
        metric.reset()
        with self.assertRaises(ValueError):
            metric.compute()

    def test_a_call_gives_its_batch(self):
        metric = markeval.TorchMetric("rouge1")
        self.assertEqual(metric(REFERENCES[:2], REFERENCES[:2])["f1"], 1)
        metric(SYSTEM[2:], REFERENCES[2:])
        self.assertLess(metric.compute()["f1"], 1)

    def test_states_merge_and_clone(self):
        one, other = markeval.TorchMetric("chrf"), markeval.TorchMetric("chrf")
        one.update(SYSTEM[:3], REFERENCES[:3])
        other.update(SYSTEM[3:], REFERENCES[3:])
        merged = one.clone()
        merged.merge_state(other)
        self.assertEqual(merged.compute(), markeval.score(REFERENCES, SYSTEM, "chrf")[0].score)
        self.assertNotEqual(one.compute(), merged.compute())

    def test_vectors_are_put_together(self):
        rng = np.random.default_rng(0)
        real, fake = rng.normal(size=(60, 4)), rng.normal(size=(60, 4))
        metric = markeval.TorchMetric("fid")
        for start in range(0, 60, 20):
            metric.update(fake[start : start + 20], real[start : start + 20])
        self.assertEqual(metric.compute(), markeval.score(real, fake, "fid")[0].score)


if __name__ == "__main__":
    unittest.main()
