"""Results for notebooks: tables, and the engine's own page in a frame."""

import html
from typing import Any, Dict, List

_FRAME = (
    '<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #ccc" '
    'title="markeval report"></iframe>'
)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.4f}</td>'
    return f"<td>{html.escape('' if value is None else str(value))}</td>"


def _table(header: List[str], rows: List[List[Any]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def report_tables(results: List[Any], warnings: List[str]) -> str:
    """A table per metric with the systems as rows, its signature below."""
    parts = []
    by_metric: Dict[str, List[Any]] = {}
    for result in results:
        by_metric.setdefault(result.requested, []).append(result)
    for requested, listed in by_metric.items():
        header = [requested]
        for name in listed[0].scores:
            header.append(name)
            if name in listed[0].intervals:
                header.append("95 %")
        rows = []
        for result in listed:
            row: List[Any] = [result.system]
            for name, value in result.scores.items():
                row.append(value)
                if name in result.intervals:
                    low, high = result.intervals[name]
                    row.append(f"{low:.4f} to {high:.4f}")
            rows.append(row)
        parts.append(_table(header, rows))
        parts.append(f"<p><small><code>{html.escape(listed[0].signature)}</code></small></p>")
    parts.extend(f"<p>Warning: {html.escape(warning)}</p>" for warning in warnings)
    return "<div>" + "".join(parts) + "</div>"


def comparison_tables(results: List[Dict[str, Any]], warnings: List[str]) -> str:
    """A table per result: systems with interval, difference from the baseline, p-value and rank."""
    parts = []
    for result in results:
        header = [f"{result['request']}, {result['result']}", "score", "95 %", "difference", "p adjusted", "rank"]
        rows = []
        for one in result["systems"]:
            low, high = one["ci"]
            best, worst = one["rank_range"]
            p_value = one.get("p_adjusted")
            p_text = None if p_value is None else "<0.001" if p_value < 0.001 else f"{p_value:.3f}"
            rank = str(one["rank"]) if best == worst else f"{best}-{worst}"
            interval = f"{low:.4f} to {high:.4f}"
            rows.append([one["system"], one["score"], interval, one.get("difference"), p_text, rank])
        parts.append(_table(header, rows))
        parts.append(f"<p><small><code>{html.escape(result['signature'])}</code></small></p>")
    parts.extend(f"<p>Warning: {html.escape(warning)}</p>" for warning in warnings)
    return "<div>" + "".join(parts) + "</div>"


def rows_table(rows: List[Dict[str, Any]]) -> str:
    if not rows:
        return "<p>nothing</p>"
    return _table(list(rows[0]), [list(row.values()) for row in rows])


def framed_page(page: str) -> str:
    """A whole page inside another: its styles stay its own."""
    return _FRAME.format(page=html.escape(page, quote=True))
