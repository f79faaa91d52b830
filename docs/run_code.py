"""A hook of mkdocs: runs the Python blocks of a page, and shows below each what it printed and drew.

The blocks of a page share their names, from top to bottom. After ```` ```python ```` a word may stand:

- ``hidden``: the block runs, but isn't shown; its figures are.
- ``shown``: the block is shown, but doesn't run.

``assert`` statements run, and aren't shown. A page with ``download: true`` in its head needs data from the
internet: without a connection its code is shown without output, with a sentence that says so. For a quick look
at the text, ``PARTWISE_DOCS=quick mkdocs serve`` runs nothing.
"""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

BLOCK = re.compile(r"^```python(?: (?P<word>\w+))?\n(?P<code>.*?)^```$", flags=re.M | re.S)

MISSING = """
!!! note "Without output"
    This copy of the page was made without an internet connection, so that the data could not be downloaded
    and the code below did not run.
"""


class Output:
    """What a block printed, the value of its last line, and the figures that it drew, as SVG."""

    def __init__(self, text: str, figures: list[bytes]) -> None:
        self.text, self.figures = text, figures


def run_block(code: str, names: dict[str, Any], place: str) -> Output:
    """Runs the code as a notebook would: the value of a last line that is an expression is printed."""
    tree = ast.parse(code, filename=place)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    body = tree.body[:-1] if last else tree.body
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(compile(ast.Module(body, type_ignores=[]), place, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
            if isinstance(value, str) or (value is not None and not _is_drawing(value)):
                print(value if not isinstance(value, str) else repr(value))
    said = [f"{warning.category.__name__}: {warning.message}" for warning in caught if _is_ours(warning)]
    return Output("\n".join([*said, printed.getvalue().rstrip()]).strip("\n"), _figures())


def _is_ours(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, UserWarning)


def _is_drawing(value: Any) -> bool:
    """Whether a value is something of matplotlib, which is shown as a figure, or a list of it."""
    one = value[0] if isinstance(value, (list, tuple)) and value else value
    one = one.flat[0] if hasattr(one, "flat") and getattr(one, "dtype", None) == object else one
    return type(one).__module__.startswith("matplotlib")


def _figures() -> list[bytes]:
    if "matplotlib" not in sys.modules:
        return []
    import matplotlib.pyplot as plt

    drawn = []
    for number in plt.get_fignums():
        file = io.BytesIO()
        # Without a date and with fixed ids, the same figure is the same file.
        with plt.rc_context({"svg.hashsalt": "partwise"}):
            plt.figure(number).savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
        drawn.append(file.getvalue())
    plt.close("all")
    return drawn


def without_asserts(code: str) -> str:
    """The code as it is shown."""
    lines = code.splitlines()
    for statement in reversed(ast.parse(code).body):
        if isinstance(statement, ast.Assert):
            del lines[statement.lineno - 1 : statement.end_lineno]
    return "\n".join(lines).strip("\n")


def run_page(markdown: str, name: str, figure: Callable[[bytes], str], download: bool = False) -> str:
    """The page with its outputs. ``figure`` keeps a figure, and returns its address."""
    names: dict[str, Any] = {"__name__": "__main__"}
    offline: list[OSError] = []

    def shown(match: re.Match[str]) -> str:
        code, word = match["code"], match["word"]
        if word not in (None, "hidden", "shown"):
            raise ValueError(f"{name}: ```python {word}: not a word of this hook (hidden, shown)")
        line = markdown.count("\n", 0, match.start()) + 1
        output = Output("", [])
        if word != "shown" and not offline:
            try:
                # Empty lines in front, so that an error names the line of the page.
                output = run_block("\n" * line + code, names, name)
            except OSError as error:
                if not download:
                    raise
                offline.append(error)
        visible = without_asserts(code) if word != "hidden" else ""
        parts = [f"```python\n{visible}\n```"] if visible else []
        if output.text:
            parts.append(f"```{{.text .output}}\n{output.text}\n```")
        parts += [f"![What the code draws]({figure(drawing)}){{.figure}}" for drawing in output.figures]
        return "\n\n".join(parts)

    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            made = BLOCK.sub(shown, markdown)
        finally:
            os.chdir(here)
    if offline:
        logging.getLogger("mkdocs.hooks.run_code").info("%s was not run: %s", name, offline[0])
        title, rest = made.split("\n", 1)
        made = f"{title}\n{MISSING}{rest}"
    return made


def on_page_markdown(markdown, page, config, files):  # type: ignore[no-untyped-def]
    """Shows the outputs on every page with Python code."""
    from mkdocs.structure.files import File

    source = page.file.src_uri
    if os.environ.get("PARTWISE_DOCS") == "quick":
        return BLOCK.sub(lambda match: f"```python\n{match['code']}```", markdown)
    if not BLOCK.search(markdown):
        return markdown
    os.environ.setdefault("MPLBACKEND", "Agg")
    drawn = 0

    def figure(svg: bytes) -> str:
        nonlocal drawn
        drawn += 1
        place = f"figures/code/{PurePosixPath(source).with_suffix('')}-{drawn}.svg"
        files.append(File.generated(config, place, content=svg))
        return "../" * source.count("/") + place

    return run_page(markdown, source, figure, download=bool(page.meta.get("download")))
