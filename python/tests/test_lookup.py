"""Results are looked up by the whole request; arguments that could be taken for something else are refused."""

import pathlib
import shutil
import unittest
import warnings

import markeval
import numpy as np
from markeval.compat import bert_score

from support import REFERENCES, SYSTEM, TestWithModel

OTHER = REFERENCES[::-1]


class Lookup(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = markeval.score(REFERENCES, {"a": SYSTEM, "at": OTHER}, ["chrf:char_order=2", "chrf", "rougeL"])

    def test_a_variant_does_not_take_the_place_of_another(self):
        alone = markeval.score(REFERENCES, {"a": SYSTEM}, "chrf")
        self.assertEqual(self.report["a", "chrf"].scores, alone["a", "chrf"].scores)
        self.assertNotEqual(self.report["a", "chrf:char_order=2"].scores, alone["a", "chrf"].scores)
        self.assertEqual(self.report.score("a", "chrf"), alone[0].score)

    def test_a_bare_name_serves_where_one_variant_was_asked_for(self):
        one = markeval.score(REFERENCES, {"a": SYSTEM}, "chrf:char_order=2")
        self.assertEqual(one["a", "chrf"].requested, "chrf:char_order=2")
        several = markeval.score(REFERENCES, {"a": SYSTEM}, ["chrf:char_order=2", "chrf:char_order=3"])
        with self.assertRaisesRegex(KeyError, "asked for as chrf:char_order=2 and as chrf:char_order=3"):
            several["a", "chrf"]

    def test_a_system_has_its_results(self):
        self.assertEqual([result.requested for result in self.report["at"]], ["chrf:char_order=2", "chrf", "rougeL"])
        self.assertEqual({result.system for result in self.report["at"]}, {"at"})
        with self.assertRaisesRegex(KeyError, r"no system 'ta' \(systems: a, at\)"):
            self.report["ta"]

    def test_other_keys_are_explained(self):
        for key in (("a", "chrf", "chrf"), ("a",), ("a", 1), None):
            with self.assertRaisesRegex(KeyError, "expected a number, a system, or a system and a metric"):
                self.report[key]
        with self.assertRaisesRegex(KeyError, "no metric 'bleu'"):
            self.report["a", "bleu"]
        self.assertIs(self.report[np.int64(0)], self.report[0])

    def test_a_score_is_the_main_one(self):
        report = markeval.score(["the old cat sat there"], {"a": ["the cat"]}, "rougeL")
        rouge = report["a", "rougeL"]
        self.assertEqual((rouge.scores["precision"], rouge.scores["recall"]), (1, 0.4))
        self.assertEqual(rouge.score, rouge.scores["f1"])
        self.assertEqual(report.score("a", "rougeL"), rouge.scores["f1"])
        self.assertEqual(report.score("a", "rougeL", "recall"), 0.4)
        with self.assertRaisesRegex(KeyError, "rougeL has no result 'f2' .results: precision, recall, f1"):
            report.score("a", "rougeL", "f2")
        rows = np.random.default_rng(1).normal(size=(20, 4))
        me = markeval.score(rows, rows[::2] + 0.1, "me")[0]
        self.assertEqual(me.score, me.scores["petersen"])

    def test_the_registry_names_main_results(self):
        main = {entry["name"]: entry["main"] for entry in markeval.metrics()}
        self.assertEqual([main[name] for name in ("bertscore", "hmd", "rouge1", "bertr", "me", "bleu")],
                         ["f1", "f1", "f1", "recall", "petersen", "bleu"])

    def test_json_and_frames_carry_the_request(self):
        written = self.report.to_dict()["results"]
        self.assertEqual([one["request"] for one in written[:2]], ["chrf:char_order=2", "chrf"])
        self.assertEqual([one["metric"] for one in written[:2]], ["chrf", "chrf"])
        self.assertIn("a\tchrf:char_order=2\tchrf\t", self.report.to_tsv())

    def test_comparisons_name_variants(self):
        compared = markeval.compare(
            REFERENCES, {"a": SYSTEM, "b": OTHER}, ["chrf:char_order=2", "chrf"], resamples=20
        )
        self.assertEqual(list(compared.scores), ["chrf:char_order=2.chrf", "chrf.chrf"])

    def test_the_same_request_twice_is_an_error(self):
        with self.assertRaisesRegex(markeval.UsageError, "metric 'chrf' is asked for twice"):
            markeval.score(REFERENCES, SYSTEM, ["chrf", "chrf"])


class Arguments(unittest.TestCase):
    def test_a_mapping_of_references_is_refused(self):
        with self.assertRaisesRegex(TypeError, r"references: a mapping \('x', 'y'\).*names go with systems"):
            markeval.score({"x": REFERENCES, "y": REFERENCES}, {"mine": SYSTEM}, "chrf")

    def test_swapped_arguments_are_recognised(self):
        with self.assertRaisesRegex(TypeError, "swapped"):
            markeval.score({"mine": SYSTEM}, REFERENCES, "chrf")
        with self.assertRaisesRegex(TypeError, "swapped"):
            markeval.compare({"mine": SYSTEM, "other": OTHER}, REFERENCES, "chrf")

    def test_a_list_of_systems_is_explained(self):
        with self.assertRaisesRegex(markeval.InvalidInputError, "several systems are given by name"):
            markeval.score(REFERENCES, [SYSTEM, OTHER], "chrf")

    def test_streams_of_sacrebleu_are_recognised(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = markeval.score([REFERENCES], SYSTEM, "bleu")
            two = markeval.score((REFERENCES, OTHER), {"a": SYSTEM}, "bleu")
        self.assertEqual(one[0].scores, markeval.score(REFERENCES, SYSTEM, "bleu")[0].scores)
        pairs = [list(pair) for pair in zip(REFERENCES, OTHER)]
        self.assertEqual(two[0].scores, markeval.score(pairs, SYSTEM, "bleu")[0].scores)
        self.assertIn("1 list of 6 texts, taken as sacrebleu takes them", one.warnings[0])
        with self.assertWarnsRegex(markeval.MarkevalWarning, "2 lists of 6 texts"):
            markeval.score([REFERENCES, OTHER], SYSTEM, "bleu")

    def test_lists_of_segments_stay_so_where_both_fit(self):
        square = [["a b", "c d"], ["e f", "g h"]]
        report = markeval.score(square, ["a b", "g h"], "chrf")
        self.assertAlmostEqual(report[0].score, 100)
        self.assertRegex(report.warnings[0], "taken as one list for each segment")

    def test_predictions_are_systems(self):
        self.assertEqual(
            markeval.score(REFERENCES, predictions=SYSTEM, metrics="chrf")[0].scores,
            markeval.score(REFERENCES, SYSTEM, "chrf")[0].scores,
        )
        with self.assertRaisesRegex(TypeError, "another word for systems"):
            markeval.score(REFERENCES, SYSTEM, "chrf", predictions=SYSTEM)
        with self.assertRaisesRegex(TypeError, "no systems given"):
            markeval.score(REFERENCES, metrics="chrf")

    def test_intervals_are_asked_for_by_true_or_a_number(self):
        def signature(**options):
            return markeval.score(REFERENCES, SYSTEM, "chrf", **options)[0].signature

        self.assertIn("|bs:1000|", signature(ci=True))
        self.assertEqual(signature(ci=True), signature(ci=1000))
        for none in (False, None, 0):
            self.assertEqual(signature(ci=none), signature())
        for wrong in (1, -2, 0.95, "1000", 20_000_000):
            with self.assertRaisesRegex(markeval.UsageError, f"ci '{wrong}', expected a whole number from 2 to 10000000"):
                signature(ci=wrong)

    def test_options_of_metrics_may_be_a_mapping(self):
        report = markeval.score(
            REFERENCES, SYSTEM, {"bleu": {"lowercase": True, "max_order": 2}, "chrf": None, "ter": {}}
        )
        self.assertEqual([one.requested for one in report], ["bleu:lowercase=yes,max_order=2", "chrf", "ter"])
        self.assertIn("case:lc", report[0].signature)
        self.assertEqual(markeval.Scorer({"bleu": {"effective_order": False}})._settings["metrics"],
                         ["bleu:effective_order=no"])

    def test_other_options_are_refused(self):
        def refuse(metrics, error, message):
            with self.assertRaisesRegex(error, message):
                markeval.score(REFERENCES, SYSTEM, metrics)

        refuse({"bleu": "lowercase"}, TypeError, "bleu has options 'lowercase' of type str, expected a mapping")
        refuse({"bleu": ["lowercase"]}, TypeError, "expected a mapping")
        refuse({"bleu": {"lowercase": None}}, TypeError, "bleu has lowercase=None")
        refuse({"bleu": {1: True}}, TypeError, "option 1 of bleu")
        refuse({"bleu:lowercase=yes": {"max_order": 2}}, markeval.UsageError, "names options, and so does its mapping")
        refuse({"meteor": {"wordnet": "a,b"}}, markeval.UsageError, "cannot hold a comma")
        refuse({"bleu": {"lower": True}}, markeval.UsageError, "unknown option 'lower'; that is 'lowercase' here")
        refuse({"bleu": {"tokenize": True}}, markeval.UsageError, "unknown value 'yes' for tokenize")
        refuse([{"bleu": {}}], TypeError, "is of type dict, expected str")


class Layers(TestWithModel):
    def test_the_drop_in_takes_bert_scores_layer(self):
        known = pathlib.Path(self.model).parent / "bert_uncased_L-2_H-128_A-2"
        shutil.copytree(self.model, known)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scorer = bert_score.BERTScorer(model_type=str(known))
            scorer.score(SYSTEM, REFERENCES)
        self.assertIn("|layer:1|", scorer.hash)

    def test_an_unknown_model_is_told(self):
        with self.assertWarnsRegex(markeval.MarkevalWarning, "no default layer is known of tiny, so its last one, 2"):
            bert_score.score(SYSTEM, REFERENCES, model_type=self.model)


if __name__ == "__main__":
    unittest.main()
