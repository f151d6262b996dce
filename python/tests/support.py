"""What the tests share: a small model, and texts of our own."""

import os
import pathlib
import shutil
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

REFERENCES = ["a cat sat there.", "the dog barks", "no more of it", "yes it is", "x y z", "a big old tree"]
SYSTEM = ["a cat sits here.", "the dog barks", "not more of it", "yes it was", "x z y", "an old big tree"]


def write_tiny_model(folder):
    """The model of two layers of tests/encoder, which knows single letters."""
    model = pathlib.Path(folder) / "tiny"
    model.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(ROOT / "tests" / "encoder" / "models" / "bert" / name, model)
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "."]
    words += [piece for letter in letters for piece in (letter, "##" + letter)]
    (model / "vocab.txt").write_text("".join(word + "\n" for word in words))
    return str(model)


class TestWithModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.model = write_tiny_model(cls._folder.name)


def real_model():
    """The folder of all-MiniLM-L6-v2, or None where this machine has none."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local/share")
    places = [os.environ.get("MARKEVAL_MODELS"), os.path.join(data, "markeval/models"), str(ROOT / "models")]
    found = [pathlib.Path(place) / "all-MiniLM-L6-v2" for place in places if place]
    return next((str(model) for model in found if (model / "model.safetensors").exists()), None)
