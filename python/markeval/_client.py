"""A client of `markeval serve`: the methods of Scorer, computed elsewhere. Only the standard library talks."""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, Dict, Iterable, List, Optional, Union

import numpy as np

from . import _native
from ._index import common_index, input_columns
from ._results import Result, tell


class RemoteReport(Sequence):
    """Results of a server, by system, then by metric, as in `Report`."""

    def __init__(self, answer: Dict[str, Any]) -> None:
        self._answer = answer
        self._results = [_result(fields) for fields in answer.get("results", [])]

    @property
    def warnings(self) -> List[str]:
        return list(self._answer.get("warnings", []))

    def to_dict(self) -> Dict[str, Any]:
        """What the command line writes as JSON."""
        return self._answer

    def __len__(self) -> int:
        return len(self._results)

    def __getitem__(self, index: Any) -> Any:
        return self._results[index]

    def __repr__(self) -> str:
        return f"<report of {len(self)} results: {self._results!r}>"


def _result(fields: Dict[str, Any]) -> Result:
    return Result(
        {
            "system": fields["system"],
            "metric": fields["metric"],
            "requested": fields["request"],
            "scores": fields.get("scores", {}),
            "segments": {name: np.asarray(values) for name, values in fields.get("segments", {}).items()},
            "intervals": {name: tuple(ends) for name, ends in fields.get("ci", {}).items()},
            "details": fields.get("details", {}),
            "signature": fields.get("signature", ""),
            "statistics": None,
            "resampled": {},
        }
    )


def _texts(values: Any) -> List[Any]:
    if isinstance(values, str):
        raise _native.UsageError("texts are a str, expected a list of them")
    return [one if isinstance(one, str) else list(one) for one in values]


def _systems(systems: Any) -> List[Dict[str, Any]]:
    """A mapping from names to texts, or the texts of one system."""
    if isinstance(systems, Mapping):
        return [{"name": name, "texts": _texts(texts)} for name, texts in systems.items()]
    return [{"name": "system", "texts": _texts(systems)}]


class Client:
    """Scores on a server.

    :param url: ``"http://127.0.0.1:8080"``.
    :param token: what the server asks for; None: ``$MARKEVAL_TOKEN``, where it is set.
    :param timeout: seconds to wait for an answer.
    :param retries: how often to come again where the server is busy.

    Errors are those of the library: UsageError for a wrong request, InvalidInputError for texts that cannot be
    scored, InputOutputError where the server is not reached or fails.
    """

    def __init__(self, url: str, *, token: Optional[str] = None, timeout: float = 120, retries: int = 3) -> None:
        self._url = url.rstrip("/")
        if not url.startswith(("http://", "https://")):
            raise _native.UsageError(f"url {url!r}, expected http://HOST:PORT or https://HOST")
        self._token = os.environ.get("MARKEVAL_TOKEN") if token is None else token
        self._timeout = timeout
        self._retries = retries

    def score(
        self, references: Any, systems: Any, metrics: Union[None, str, Iterable[str]] = None, **options: Any
    ) -> RemoteReport:
        """See :func:`markeval.score`; `options` are the fields of ``/v1/score``: ``segments=True``, ``ci=1000``."""
        report = RemoteReport(self._ask("POST", "/v1/score", self._body(references, systems, metrics, options)))
        tell(report.warnings)
        return report

    def compare(
        self, references: Any, systems: Any, metrics: Union[None, str, Iterable[str]] = None, **options: Any
    ) -> Dict[str, Any]:
        """What ``markeval compare --format json`` writes; the first system is the baseline."""
        return self._ask("POST", "/v1/compare", self._body(references, systems, metrics, options))

    def correlate(self, columns: Mapping[str, Sequence[Any]], gold: str = "", **options: Any) -> Dict[str, Any]:
        """What ``markeval correlate --format json`` writes; the table is a mapping from names to columns."""
        table = {name: list(values) for name, values in columns.items()}
        return self._ask("POST", "/v1/correlate", {"columns": table, "gold": gold, **options})

    def embed(self, texts: Iterable[str], **options: Any) -> np.ndarray:
        """A row for every text."""
        answer = self._ask("POST", "/v1/embeddings", {"input": _texts(texts), **options})
        return np.array([row["embedding"] for row in answer["data"]], dtype=np.float32)

    def metrics(self) -> List[Dict[str, Any]]:
        return self._ask("GET", "/v1/metrics")["metrics"]

    def models(self) -> List[Dict[str, Any]]:
        return self._ask("GET", "/v1/models")["data"]

    def info(self) -> Dict[str, Any]:
        """Version, presets and every limit of the server."""
        return self._ask("GET", "/info")

    def submit(self, kind: str, **request: Any) -> str:
        """Long work, as a job: ``submit("score", references=[...], systems=[...])``. Gives its name."""
        return self._ask("POST", "/v1/jobs", {"kind": kind, "request": request})["id"]

    def job(self, name: str) -> Dict[str, Any]:
        """State and progress of a job."""
        return self._ask("GET", f"/v1/jobs/{name}")

    def cancel(self, name: str) -> Dict[str, Any]:
        return self._ask("DELETE", f"/v1/jobs/{name}")

    def wait(self, name: str, poll: float = 0.5) -> Dict[str, Any]:
        """Waits for a job's end and gives what the direct path would answer. Throws what ended it."""
        while True:
            state = self.job(name)
            if state["state"] == "done":
                return self._ask("GET", f"/v1/jobs/{name}/result")
            if "ended" in state:
                raise _native.Error(state.get("error", {}).get("error", f"the job was {state['state']}"))
            time.sleep(poll)

    def _body(self, references: Any, systems: Any, metrics: Any, options: Dict[str, Any]) -> Dict[str, Any]:
        common_index(input_columns(references, systems, None, {}))
        body = {"references": _texts(references), "systems": _systems(systems), **options}
        if metrics is not None:
            body["metrics"] = [metrics] if isinstance(metrics, str) else list(metrics)
        return body

    def _ask(self, method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Any:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(self._retries + 1):
            request = urllib.request.Request(self._url + path, data, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                text = error.read().decode(errors="replace")
                if error.code != 429 or attempt == self._retries:
                    raise _error(error.code, text) from None
                time.sleep(float(error.headers.get("Retry-After", 1)))
            except OSError as error:
                raise _native.InputOutputError(f"{self._url}: {getattr(error, 'reason', error)}") from None
        raise AssertionError("not reached")


def _error(status: int, text: str) -> Exception:
    try:
        message = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        message = f"the server answered {status}"
    kinds = {400: _native.UsageError, 422: _native.InvalidInputError}
    return kinds.get(status, _native.InputOutputError)(message)
