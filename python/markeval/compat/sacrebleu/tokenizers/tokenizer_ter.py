"""The tokenizer of TER."""

from ...._native import metric_words


class TercomTokenizer:
    """Tercom's normaliser: a line in, its words joined by blanks out."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        given = {
            "normalized": normalized,
            "no_punct": no_punct,
            "asian_support": asian_support,
            "case_sensitive": case_sensitive,
        }
        self._metric = "ter:" + ",".join(f"{name}={'yes' if value else 'no'}" for name, value in given.items())

    def signature(self) -> str:
        return "tercom"

    def __call__(self, sent: str) -> str:
        return " ".join(metric_words(self._metric, sent))
