"""A hook of mkdocs: formulas between dollar signs become MathML, which browsers draw without a script."""

from __future__ import annotations

import html
import re

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', flags=re.S)


def on_page_content(content, **_):  # type: ignore[no-untyped-def]
    """The page with its formulas drawn."""
    from latex2mathml.converter import convert

    def drawn(match: re.Match[str]) -> str:
        display = "block" if match[2] == "[" else "inline"
        return convert(html.unescape(match[3]).strip(), display=display)

    return FORMULA.sub(drawn, content)
