"""The drop-ins against what the public tools say (golden/compat.json names them and their versions)."""

import json
import logging
import math
import os
import pathlib
import unittest
from collections import defaultdict

import markeval
import numpy as np
from markeval.compat import bert_score, moverscore, moverscore_v2, prdc, sacrebleu
from markeval.compat.rouge_score import rouge_scorer, scoring, tokenizers
from markeval.compat.sacrebleu.metrics import BLEU, CHRF, TER
from markeval.compat.sacrebleu.significance import PairedTest
from markeval.compat.sentence_transformers import SentenceTransformer

from support import REFERENCES, SYSTEM, TestWithModel

logging.getLogger("sacrebleu").addHandler(logging.NullHandler())  # what it says is tested, not shown

GOLDEN = json.loads((pathlib.Path(__file__).parent / "golden" / "compat.json").read_text())
HYPOTHESES = GOLDEN["hypotheses"]
STREAMS = GOLDEN["references"]


class Sacrebleu(unittest.TestCase):
    def setUp(self):
        os.environ.pop("SACREBLEU_SEED", None)

    def check(self, metric, golden):
        made = metric(**golden["options"])
        corpus = made.corpus_score(HYPOTHESES, STREAMS)
        self.assertEqual(corpus.format(width=6), golden["text"])
        theirs = "version:" + GOLDEN["made_by"]["sacrebleu"]
        self.assertEqual(str(made.get_signature()), golden["signature"].replace(theirs, f"version:{sacrebleu.__version__}"))
        short = made.get_signature().format(short=True)
        self.assertEqual(short.rpartition("|")[0], golden["short"].rpartition("|")[0])
        for name, value in golden["fields"].items():
            found = getattr(corpus, name)
            if isinstance(value, list):
                np.testing.assert_allclose(found, value, rtol=1e-12, err_msg=name)
                self.assertEqual([type(one) for one in found], [type(one) for one in value], name)
            elif isinstance(value, float):
                self.assertAlmostEqual(found, value, places=9, msg=name)
            else:
                self.assertEqual(found, value, name)
        sentences = [
            made.sentence_score(line, [r for r in refs if r is not None]).score
            for line, *refs in zip(HYPOTHESES, *STREAMS)
        ]
        np.testing.assert_allclose(sentences, golden["sentences"], rtol=1e-12, atol=1e-12)
        resampled = made.corpus_score(HYPOTHESES, STREAMS, n_bootstrap=100)
        self.assertAlmostEqual(resampled._mean, golden["mean"], places=4)
        self.assertAlmostEqual(resampled._ci, golden["ci"], places=4)
        self.assertEqual(
            str(made.get_signature()), golden["signature_resampled"].replace(theirs, f"version:{sacrebleu.__version__}")
        )

    def test_bleu(self):
        for golden in GOLDEN["bleu"]:
            with self.subTest(**golden["options"]):
                self.check(BLEU, golden)

    def test_chrf(self):
        for golden in GOLDEN["chrf"]:
            with self.subTest(**golden["options"]):
                self.check(CHRF, golden)

    def test_ter(self):
        for golden in GOLDEN["ter"]:
            with self.subTest(**golden["options"]):
                self.check(TER, golden)

    def test_functions(self):
        for name, score in GOLDEN["functions"].items():
            self.assertAlmostEqual(getattr(sacrebleu, name)(HYPOTHESES, STREAMS).score, score, places=9, msg=name)

    def test_paired_tests(self):
        systems = [("base", HYPOTHESES), ("other", STREAMS[0]), ("upper", [line.upper() for line in HYPOTHESES])]
        for test_type, golden in GOLDEN["paired"].items():
            metrics = {"BLEU": BLEU(references=STREAMS), "TER": TER(references=STREAMS)}
            signatures, scores = PairedTest(systems, metrics, None, test_type=test_type, n_samples=200)()
            self.assertEqual(scores["System"], ["base", "other", "upper"])
            self.assertIn(f"|{test_type}:200|seed:12345|", str(signatures["BLEU"]))
            for name, results in golden.items():
                for found, expected in zip(scores[name], results):
                    for key, value in expected.items():
                        if value is None:
                            self.assertIsNone(getattr(found, key))
                        else:
                            self.assertAlmostEqual(getattr(found, key), value, places=4, msg=f"{test_type} {name} {key}")

    def test_what_is_not_offered_says_so(self):
        with self.assertRaisesRegex(NotImplementedError, "tokenize='ja-mecab' is not offered; offered: none, zh, 13a"):
            BLEU(trg_lang="ja")
        with self.assertRaisesRegex(NotImplementedError, "tokenize='spm'"):
            sacrebleu.corpus_bleu(HYPOTHESES, STREAMS, tokenize="spm")
        with self.assertRaisesRegex(NotImplementedError, "n_ar_confidence=0"):
            PairedTest([], {}, None, n_ar_confidence=0)

    def test_a_forgotten_list_of_references_is_named(self):
        with self.assertRaisesRegex(TypeError, r"expected a list of such lists: \[references\]"):
            sacrebleu.corpus_bleu(["a b", "c d"], ["a b", "c"])

    def test_wrong_arguments_are_told_as_there(self):
        with self.assertRaisesRegex(TypeError, "BLEU: The argument `refs` should be a sequence of strings."):
            sacrebleu.sentence_bleu("a", "a")
        with self.assertRaisesRegex(TypeError, "CHRF: Each element of `refs` should be a sequence of strings."):
            CHRF().corpus_score(["a"], [1])
        with self.assertRaisesRegex(TypeError, "Undefined line"):
            BLEU().corpus_score([None], [["a"]])
        with self.assertRaisesRegex(RuntimeError, "the cache is empty"):
            BLEU().corpus_score(["a"], None)
        with self.assertRaisesRegex(ValueError, "please evaluate the metric first"):
            BLEU().get_signature()
        with self.assertRaisesRegex(ValueError, "hypotheses has 2 segments but references has 1"):
            BLEU().corpus_score(["a", "b"], [["a"]])
        with self.assertRaisesRegex(ValueError, r"reference streams of \[1, 2\] lines"):
            BLEU().corpus_score(["a", "b"], [["a", "b"], ["a"]])

    def test_text_that_looks_tokenised_is_told(self):
        lines = ["a b ."] * 100
        with self.assertLogs("sacrebleu", "WARNING"):
            sacrebleu.corpus_bleu(lines, [lines])
        with self.assertNoLogs("sacrebleu", "WARNING") if hasattr(self, "assertNoLogs") else self.subTest():
            sacrebleu.corpus_bleu(lines, [lines], force=True)


class Rouge(unittest.TestCase):
    def test_every_type_with_and_without_stems(self):
        types = ["rouge1", "rouge2", "rouge3", "rouge5", "rougeL", "rougeLsum"]
        for golden in GOLDEN["rouge"]:
            found = rouge_scorer.RougeScorer(types, use_stemmer=golden["stem"]).score(*golden["texts"])
            for name, expected in golden["scores"].items():
                np.testing.assert_allclose(found[name], expected, rtol=1e-12, err_msg=name)

    def test_a_tokenizer_of_ones_own(self):
        class Letters(tokenizers.Tokenizer):
            def tokenize(self, text):
                return list(text.replace(" ", ""))

        scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], tokenizer=Letters())
        found = scorer.score("äöü x", "äöx")
        self.assertEqual(found["rouge1"], scoring.Score(1.0, 0.75, 6 / 7))
        self.assertEqual(found["rouge2"], scoring.Score(0.5, 1 / 3, 0.4))
        self.assertEqual(found["rougeL"].recall, 0.75)

    def test_the_best_of_several_targets(self):
        scorer = rouge_scorer.RougeScorer(["rouge1"])
        self.assertEqual(scorer.score_multi(["x y", "a b", "a c"], "a b")["rouge1"].fmeasure, 1)

    def test_unknown_types_are_refused(self):
        for name in ("rouge0", "rougen", "rouge-1", "rouge10"):
            with self.assertRaises(ValueError):
                rouge_scorer.RougeScorer([name]).score("a", "b")


class Prdc(unittest.TestCase):
    def test_ties_and_all(self):
        for golden in GOLDEN["prdc"]:
            draw = np.random.default_rng(golden["seed"])
            real, fake = draw.integers(-4, 5, size=(60, 3)), draw.integers(-4, 5, size=(50, 3))
            found = prdc.compute_prdc(real_features=real, fake_features=fake, nearest_k=golden["k"])
            self.assertEqual(list(found), list(golden["scores"]))
            for name, value in golden["scores"].items():
                self.assertAlmostEqual(found[name], value, places=12)

    def test_flat_features_are_refused(self):
        with self.assertRaisesRegex(ValueError, "1 dimensions, expected two"):
            prdc.compute_prdc(np.ones(3), np.ones(3), 1)


class BertScore(TestWithModel):
    def test_scores_are_those_of_the_metric(self):
        p, r, f = bert_score.score(SYSTEM, REFERENCES, model_type=self.model, num_layers=2)
        result = markeval.score(REFERENCES, SYSTEM, "bertscore:layer=2", model=self.model, segments=True)[0]
        for array, name in ((p, "precision"), (r, "recall"), (f, "f1")):
            self.assertEqual(array.dtype, np.float32)
            np.testing.assert_allclose(array, result.segments[name], rtol=1e-6)

    def test_idf_of_the_references_or_of_other_texts(self):
        scorer = bert_score.BERTScorer(model_type=self.model, num_layers=1, idf=True, idf_sents=REFERENCES)
        by_scorer = scorer.score(SYSTEM, REFERENCES)
        by_function = bert_score.score(SYSTEM, REFERENCES, model_type=self.model, num_layers=1, idf=True)
        np.testing.assert_allclose(by_scorer, by_function, rtol=1e-6)
        (_, _, f), signature = scorer.score(SYSTEM[:1], REFERENCES[:1], return_hash=True)
        self.assertAlmostEqual(f[0], by_function[2][0], places=6)
        self.assertIn("idf:given", signature)
        self.assertEqual(signature, scorer.hash)
        with self.assertWarnsRegex(UserWarning, "Overwriting the previous importance weights"):
            scorer.compute_idf(SYSTEM)
        with self.assertRaisesRegex(AssertionError, "IDF weights are not computed"):
            bert_score.BERTScorer(model_type=self.model, num_layers=1, idf=True).score(SYSTEM, REFERENCES)

    def test_all_layers_and_several_references(self):
        p, _, _ = bert_score.score(SYSTEM, REFERENCES, model_type=self.model, all_layers=True)
        self.assertEqual(p.shape, (3, 6))
        one = bert_score.score(SYSTEM, REFERENCES, model_type=self.model, num_layers=1)[0]
        np.testing.assert_array_equal(p[1], one)
        two = bert_score.score(SYSTEM, [[a, b] for a, b in zip(REFERENCES, SYSTEM)], model_type=self.model, num_layers=1)
        np.testing.assert_allclose(two[2], 1, rtol=1e-6)

    def test_what_is_not_offered_names_the_argument(self):
        with self.assertRaisesRegex(NotImplementedError, "rescale_with_baseline=True is not offered; without baseline_path"):
            bert_score.score(["a"], ["a"], lang="en", model_type=self.model, rescale_with_baseline=True)
        with self.assertRaisesRegex(NotImplementedError, "for roberta-large, layer 3 in 'en'"):
            bert_score.score(["a"], ["a"], lang="en", num_layers=3, rescale_with_baseline=True)
        with self.assertRaisesRegex(NotImplementedError, "device='cuda'"):
            bert_score.BERTScorer(lang="en", device="cuda")
        with self.assertRaisesRegex(AssertionError, "Either lang or model_type"):
            bert_score.score(["a"], ["a"])
        missing = "model 'roberta-large' is not on this machine.*markeval model pull FacebookAI/roberta-large"
        with self.assertRaisesRegex(markeval.UsageError, missing):
            bert_score.score(["a"], ["a"], lang="en")
        with self.assertRaisesRegex(markeval.UsageError, missing):
            bert_score.score(["a"], ["a"], lang="en", rescale_with_baseline=True)

    def test_published_baselines_are_those_of_bert_score(self):
        from markeval.compat._baselines import known_baselines, published_baseline

        path = published_baseline("en", "FacebookAI/roberta-large", None)
        self.assertIsNotNone(path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "LAYER,P,R,F\n17,0.83150584,0.8314941,0.83122575\n")  # bert_score 0.3.13
        self.assertIsNone(published_baseline("en", "roberta-large", 3))
        self.assertIsNone(published_baseline("xx", "roberta-large", None))
        self.assertIn("bert-base-chinese", known_baselines("zh"))


class MoverScore(TestWithModel):
    def setUp(self):
        for module in (moverscore, moverscore_v2):
            saved = module.model_name
            module.model_name = self.model
            self.addCleanup(setattr, module, "model_name", saved)

    def test_scores_are_those_of_the_metric(self):
        for module, version in ((moverscore, "v1"), (moverscore_v2, "v2")):
            of_references, of_system = module.get_idf_dict(REFERENCES), module.get_idf_dict(SYSTEM)
            found = module.word_mover_score(REFERENCES, SYSTEM, of_references, of_system, stop_words=[], n_gram=1)
            result = markeval.score(
                REFERENCES, SYSTEM, f"moverscore:compat={version}", model=self.model, segments=True
            )[0]
            np.testing.assert_allclose(found, result.segments["moverscore"], rtol=1e-12)
            self.assertIsInstance(found, list)

    def test_a_missing_model_says_how_to_get_or_name_one(self):
        moverscore.model_name = "nope"
        told = "'nope' is not on this machine.*markeval model pull.*MOVERSCORE_MODEL=NAME, or markeval.compat.moverscore"
        with self.assertRaisesRegex(markeval.UsageError, told):
            moverscore.get_idf_dict(REFERENCES)
        equal = defaultdict(lambda: 1.0)
        with self.assertRaisesRegex(markeval.UsageError, told):
            moverscore.word_mover_score(REFERENCES, SYSTEM, equal, equal)
        with self.assertRaisesRegex(markeval.UsageError, "markeval model pull OWNER/NAME.*model_type=NAME"):
            bert_score.score(["a"], ["a"], model_type="nope")

    def test_idf_dicts_have_the_default_of_unseen_tokens(self):
        weights = moverscore_v2.get_idf_dict(["a b", "a c"])
        self.assertAlmostEqual(weights[-5], math.log(3))
        ids = markeval.Scorer(model=self.model).tokenize(["a b"])[0]
        self.assertEqual(weights[ids[1]], 0)
        self.assertAlmostEqual(weights[ids[2]], math.log(1.5))

    def test_equal_weights_and_stop_words(self):
        equal = defaultdict(lambda: 1.0)
        for module in (moverscore, moverscore_v2):
            all_words = module.word_mover_score(["a b c"], ["a b d"], equal, equal)
            without = module.word_mover_score(["a b c"], ["a b d"], equal, equal, stop_words=["c", "d"])
            self.assertGreater(without[0], all_words[0])

    def test_a_plain_dict_must_know_every_token(self):
        ids = markeval.Scorer(model=self.model).tokenize(["a b"])[0]
        known = {token: 1.0 for token in ids}
        self.assertEqual(len(moverscore.word_mover_score(["a b"], ["b a"], known, known)), 1)
        with self.assertRaises(KeyError):
            moverscore.word_mover_score(["a c"], ["b a"], known, known)

    def test_lists_of_different_lengths_are_refused(self):
        with self.assertRaisesRegex(ValueError, "1 references but 2 hypotheses"):
            moverscore.word_mover_score(["a"], ["a", "b"], {}, {})


class SentenceTransformers(TestWithModel):
    def test_encode_gives_the_models_vectors(self):
        model = SentenceTransformer(self.model)
        vectors = model.encode(SYSTEM)
        np.testing.assert_array_equal(vectors, markeval.embed(SYSTEM, model=self.model))
        np.testing.assert_array_equal(model.encode(SYSTEM[0]), vectors[0])
        self.assertEqual(model.get_sentence_embedding_dimension(), vectors.shape[1])
        self.assertIsInstance(model.encode(SYSTEM, convert_to_numpy=False), list)
        np.testing.assert_allclose(np.diag(model.similarity(vectors, vectors)), 1, rtol=1e-5)

    def test_prompts_lengths_and_tokens(self):
        model = SentenceTransformer(self.model)
        np.testing.assert_array_equal(model.encode(["b"], prompt="a ")[0], model.encode("a b"))
        np.testing.assert_allclose(np.linalg.norm(model.encode("a b", normalize_embeddings=True)), 1, rtol=1e-5)
        self.assertEqual(model.encode(["ab", "c"], output_value="token_embeddings")[0].shape[0], 4)
        model.max_seq_length = 3
        self.assertEqual(model.encode("abc", output_value="token_embeddings").shape[0], 3)

    def test_what_is_not_offered_names_the_argument(self):
        model = SentenceTransformer(self.model)
        for name, value in (("precision", "int8"), ("prompt_name", "query"), ("output_value", None), ("truncate_dim", 8)):
            with self.assertRaisesRegex(NotImplementedError, name):
                model.encode("a", **{name: value})
        with self.assertRaisesRegex(NotImplementedError, "backend='onnx'"):
            SentenceTransformer(self.model, backend="onnx")


if __name__ == "__main__":
    unittest.main()
