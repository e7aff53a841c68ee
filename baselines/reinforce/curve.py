"""Learning curves as SVG, drawn by hand so that no plotting library is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["curve_svg"]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 40, 48
_COLOURS = ("#1b6ca8", "#c8553d", "#4f772d", "#7b5ea7", "#8a6d3b")


def curve_svg(
    title: str,
    across: str,
    lines: Mapping[str, Sequence[Sequence[tuple[float, float]]]],
    most: float = 100.0,
) -> str:
    """Scores over training: for each name a bold line of means and a band from the least to the greatest.

    Args:
        title: What stands above.
        across: What the horizontal axis counts.
        lines: Name to runs; a run is points (x, score). Runs of a name have the same x.
        most: Top of the vertical axis.

    Returns:
        An SVG document.

    Raises:
        ValueError: There is no point.
    """
    points = [point for runs in lines.values() for run in runs for point in run]
    if not points:
        raise ValueError("there is nothing to draw yet")
    widest = max(x for x, _ in points) or 1.0

    def at(x: float, y: float) -> str:
        across_ = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / widest
        up = _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * min(max(y, 0.0), most) / most
        return f"{across_:.1f},{up:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for tick in range(0, int(most) + 1, 20):
        x, y = at(0, tick).split(",")
        end = at(widest, tick).split(",")[0]
        parts.append(f'<line x1="{x}" y1="{y}" x2="{end}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{tick}</text>')
    for share in range(5):
        x = at(widest * share / 4, 0).split(",")[0]
        parts.append(
            f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{widest * share / 4:,.0f}</text>'
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>')
    for number, (name, runs) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        columns = [list(column) for column in zip(*runs, strict=False)]
        scores = [(column[0][0], [y for _, y in column]) for column in columns]
        low = [at(x, min(ys)) for x, ys in scores]
        high = [at(x, max(ys)) for x, ys in scores]
        mean = [at(x, sum(ys) / len(ys)) for x, ys in scores]
        if len(runs) > 1:
            parts.append(f'<polygon points="{" ".join([*low, *reversed(high)])}" fill="{colour}" opacity="0.15"/>')
        parts.append(f'<polyline points="{" ".join(mean)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y_legend = _TOP + 4 + 16 * number
        parts.append(f'<rect x="{_LEFT + 12}" y="{y_legend}" width="14" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + 32}" y="{y_legend + 6}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])
