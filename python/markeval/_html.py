"""Results for notebooks: one table, all else folded away, so that a notebook stays small."""

import base64
import gzip
import html
import re
from typing import Any, Dict, Iterable, List

MOST_PAGE_BYTES = 28_000  # of a page inside a notebook, as text

# The page is kept packed, and unpacked by the browser once somebody looks.
_PAGE = (
    "<details ontoggle=\"(async d => {{ const f = d.querySelector('iframe'), p = f.dataset.page; if (!p) return; "
    "delete f.dataset.page; const b = Uint8Array.from(atob(p), c => c.charCodeAt(0)); f.srcdoc = await new Response("
    "new Blob([b]).stream().pipeThrough(new DecompressionStream('gzip'))).text(); }})(this)\">"
    "<summary>Report page</summary>"
    '<iframe data-page="{page}" style="width:100%;height:640px;border:1px solid #ccc" title="markeval report"></iframe>'
    "</details>"
)
_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"<td{_RIGHT}>{value:.4f}</td>"
    return f"<td{_LEFT}>{html.escape('' if value is None else str(value))}</td>"


def _table(header: List[str], rows: List[List[Any]]) -> str:
    numbers = [all(isinstance(row[column], (int, float)) for row in rows) for column in range(len(header))]
    head = "".join(
        f"<th{_RIGHT if number else _LEFT}>{html.escape(name)}</th>" for name, number in zip(header, numbers)
    )
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>"


def markdown_tables(text: str) -> str:
    """Captions and tables of Markdown, as the engine writes it: headers and digits are those of the text table."""
    out = []
    for block in re.findall(r"(?:^\|.*\n?)+|^[^|\n<].*$", text, re.MULTILINE):
        if not block.startswith("|"):
            out.append(f"<p>{html.escape(_plain(block))}</p>")
            continue
        head, line, *body = block.splitlines()
        sides = [_RIGHT if one.endswith(":") else _LEFT for one in line.strip("|").split("|")]
        rows = "".join(_row(row, sides, "td") for row in body)
        out.append(f"<table><thead>{_row(head, sides, 'th')}</thead><tbody>{rows}</tbody></table>")
    return "".join(out)


def _plain(text: str) -> str:
    """Without the backslashes of Markdown."""
    return re.sub(r"\\([|*_`])", r"\1", text)


def _row(line: str, sides: List[str], kind: str) -> str:
    cells = [_plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    texts = [re.sub(r"^\*\*(.+?)\*\*(.*)$", r"<b>\1</b>\2", html.escape(cell)) for cell in cells]
    return "<tr>" + "".join(f"<{kind}{side}>{text}</{kind}>" for text, side in zip(texts, sides)) + "</tr>"


def _notes(signatures: Iterable[str], warnings: List[str]) -> str:
    listed = list(dict.fromkeys(signatures))
    parts = [f"<p>Warning: {html.escape(warning)}</p>" for warning in warnings]
    if listed:
        lines = "<br>".join(f"<code>{html.escape(one)}</code>" for one in listed)
        parts.append(_folded("Signature" if len(listed) == 1 else f"{len(listed)} signatures", lines))
    return "".join(parts)


def _tables(markdown: str, verdicts: List[str]) -> str:
    """The tables of Markdown and, below them, the sentences it does not have."""
    tables = markdown_tables(markdown)
    sentences = [f"<p>{html.escape(verdict)}</p>" for verdict in verdicts]
    return tables + "".join(sentence for sentence in sentences if sentence not in tables)


def report_table(markdown: str, verdicts: List[str], signatures: Iterable[str], warnings: List[str]) -> str:
    """The tables, what they mean in words, and what else there is to know."""
    return f"<div>{_tables(markdown, verdicts)}{_notes(signatures, warnings)}</div>"


def comparison_table(markdown: str, verdicts: List[str], results: List[Dict[str, Any]], warnings: List[str]) -> str:
    """The same; the tests of each result are folded: interval, difference from the baseline, p-value and rank."""
    parts = []
    for result in results:
        header = [_title(result), "score", "95 %", "difference", "p adjusted", "rank"]
        rows = []
        for one in result["systems"]:
            low, high = one["ci"]
            best, worst = one["rank_range"] or ("-", "-")
            p_value = one.get("p_adjusted")
            p_text = None if p_value is None else "<0.001" if p_value < 0.001 else f"{p_value:.3f}"
            rank = str(best) if best == worst else f"{best}-{worst}"
            interval = f"{low:.4f} to {high:.4f}"
            rows.append([one["system"], one["score"], interval, one.get("difference"), p_text, rank])
        parts.append(_table(header, rows))
    signatures = [result["signature"] for result in results]
    tests = _folded("Tests", "".join(parts))
    return f"<div>{_tables(markdown, verdicts)}{tests}{_notes(signatures, warnings)}</div>"


def _title(result: Dict[str, Any]) -> str:
    """``bleu``, ``prdc coverage``"""
    same = result["result"] == result["request"].partition(":")[0]
    return result["request"] if same else f"{result['request']} {result['result']}"


def rows_table(rows: List[Dict[str, Any]]) -> str:
    if not rows:
        return "<p>nothing</p>"
    return _table(list(rows[0]), [list(row.values()) for row in rows])


def folded_page(page: str) -> str:
    """The page of a report, to open; where it is large, how to get it."""
    packed = base64.b64encode(gzip.compress(page.encode(), 9)).decode()
    if len(packed) > MOST_PAGE_BYTES:
        return f"<p>The report page has {len(page) // 1024} kB: <code>report.save('report.html')</code> writes it.</p>"
    return _PAGE.format(page=packed)
