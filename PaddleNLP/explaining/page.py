"""A page that shows explanations: one HTML file that needs nothing else, and runs nothing."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from PaddleNLP.explaining.explainer import Contribution, Explanation
from PaddleNLP.readers.base import Text

_HEAD = """\
<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }}
section {{ border-top: 1px solid #ccc; padding: 0.7em 0 }}
p {{ margin: 0.4em 0; line-height: 1.8 }}
.text {{ white-space: pre-wrap; overflow-wrap: anywhere }}
.numbers {{ color: #666 }}
.unread {{ color: #999 }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>What each token adds to a result (<span style="background: rgba(40, 110, 220, 0.6)">raises</span> it,
<span style="background: rgba(235, 130, 20, 0.6)">lowers</span> it), by integrated gradients (Sundararajan et al. 2017,
arXiv:1703.01365) over the word vectors, from a baseline whose word vectors are zero. Point at a token to see its
number; the numbers of a text add up to the difference between its result and the baseline's.</p>
"""
_RAISES, _LOWERS = "40, 110, 220", "235, 130, 20"
STRONGEST = 0.6
"""The opacity of the largest contribution of a text."""


class ExplanationPage:
    """Writes a page text by text.

    Args:
        stream: a binary file.
        title: of the page.
    """

    def __init__(self, stream: BinaryIO, title: str) -> None:
        self.stream = stream
        self._write(_HEAD.format(title=html.escape(title)))

    def add(self, text: Text, description: str, explanations: Sequence[Explanation]) -> None:
        """Write what a text's result rests on.

        Args:
            text: the text, or pair.
            description: its result, in a line.
            explanations: of the text; none where it has no tokens, or nothing to explain.
        """
        texts = text if isinstance(text, tuple) else (text,)
        self._write(f"<section>\n<p><b>{html.escape(description)}</b></p>\n")
        for one in explanations:
            gain = one.result - one.baseline
            numbers = f"{one.name}: {one.result:.4f} = baseline {one.baseline:.4f} {gain:+.4f}"
            self._write(f'<p class="numbers">{html.escape(numbers)}</p>\n')
            largest = max(abs(part.value) for part in one.contributions) or 1.0
            for number, part in enumerate(texts):
                own = [contribution for contribution in one.contributions if contribution.part == number]
                self._write(f'<p class="text">{"".join(_spans(part, own, largest))}</p>\n')
        if not explanations:
            self._write("".join(f'<p class="text unread">{html.escape(part)}</p>\n' for part in texts))
        self._write("</section>\n")

    def finish(self) -> None:
        """Write the end of the page."""
        self._write("</body>\n</html>\n")

    def _write(self, markup: str) -> None:
        self.stream.write(markup.encode("utf-8", "xmlcharrefreplace"))  # half a surrogate pair is no UTF-8


def _spans(text: str, contributions: Sequence[Contribution], largest: float) -> Iterator[str]:
    """Go through a text's characters as markup; tokens of the same characters are shown as one."""
    shown: list[list[float]] = []
    for one in contributions:
        if shown and one.end <= shown[-1][1]:
            shown[-1][2] += one.value
        else:
            shown.append([max(one.start, int(shown[-1][1]) if shown else 0), one.end, one.value])
    place = 0
    for first, last, value in shown:
        start, end = int(first), int(last)
        yield html.escape(text[place:start])
        colour = _RAISES if value > 0 else _LOWERS
        style = f"background: rgba({colour}, {min(abs(value) / largest, 1.0) * STRONGEST:.2f})"
        yield f'<span style="{style}" title="{value:+.4f}">{html.escape(text[start:end])}</span>'
        place = end
    if place < len(text):
        yield f'<span class="unread">{html.escape(text[place:])}</span>'
