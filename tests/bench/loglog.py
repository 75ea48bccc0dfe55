"""A small plot as SVG, both axes logarithmic: dots and lines. The same figures give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import Final, NamedTuple

__all__ = ["Line", "chart"]

_WIDTH: Final = 720
_HEIGHT: Final = 400
_LEFT: Final = 70
_RIGHT: Final = 60
_TOP: Final = 40
_BOTTOM: Final = 60
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73")
"""Three that are told apart without seeing colour well (Okabe and Ito)."""
_STYLE: Final = (
    "text{font:13px sans-serif;fill:#333}.grid{stroke:#999;stroke-opacity:.35}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}}"
)

Point = tuple[float, float]


class Line(NamedTuple):
    """What belongs together: dots, and the line beside them."""

    name: str
    dots: Sequence[Point]
    line: Sequence[Point]


class _Scale:
    """Where a value lies on an axis that ends with full decades, or with the outermost values."""

    def __init__(self, values: Iterable[float], start: int, end: int, *, decades: bool) -> None:
        logs = [log10(value) for value in values]
        self.low, self.high = min(logs), max(logs)
        if decades:
            self.low, self.high = floor(self.low), ceil(self.high)
        self._start, self._end = start, end

    def __call__(self, value: float) -> str:
        share = (log10(value) - self.low) / (self.high - self.low)
        return f"{self._start + share * (self._end - self._start):.1f}"


def chart(lines: Sequence[Line], *, title: str, across: str, legend: str) -> str:
    """The plot as a file of its own."""
    points = [point for line in lines for point in (*line.dots, *line.line)]
    x = _Scale((px for px, _ in points), _LEFT, _WIDTH - _RIGHT, decades=False)
    y = _Scale((py for _, py in points), _HEIGHT - _BOTTOM, _TOP, decades=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<text x="{_LEFT}" y="20">{escape(title)}</text>',
        *_grid(x, y, sorted({px for px, _ in points})),
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 24}" text-anchor="end">{escape(across)}</text>',
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">{escape(legend)}</text>',
    ]
    for line, colour in zip(lines, _COLOURS, strict=True):
        parts += _drawn(line, colour, x, y)
    return "\n".join((*parts, "</svg>", ""))


def _grid(x: _Scale, y: _Scale, across: Sequence[float]) -> Iterator[str]:
    for decade in range(int(y.low), int(y.high) + 1):
        at = y(10**decade)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at}" y2="{at}"/>'
        yield f'<text x="{_LEFT - 8}" y="{float(at) + 4:.1f}" text-anchor="end">{10**decade:,}</text>'
    for value in across:
        yield f'<text x="{x(value)}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{value:g}</text>'


def _drawn(line: Line, colour: str, x: _Scale, y: _Scale) -> Iterator[str]:
    path = " ".join(f"{x(px)},{y(py)}" for px, py in line.line)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}"/>'
    for px, py in line.dots:
        yield f'<circle cx="{x(px)}" cy="{y(py)}" r="4" fill="{colour}"/>'
    last_x, last_y = line.line[-1]
    name = escape(line.name)
    yield f'<text x="{float(x(last_x)) + 8:.1f}" y="{y(last_y)}" style="fill:{colour}">{name}</text>'
