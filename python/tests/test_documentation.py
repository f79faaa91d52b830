"""Promise: the code of the documentation runs, and every model has its page."""

import importlib.util
import os
import re
import warnings
from pathlib import Path

import numpy as np
import partwise as pw
import pytest
from partwise._estimators import ESTIMATORS

DOCS = Path(__file__).parents[2] / "docs"


# The examples on real data, and the set that each needs.
EXAMPLES = {"faces": "orl", "news": "20newsgroups", "cells": "pbmc68k-reduced", "blogs": "graph-polblogs"}


def run(page):
    """The blocks of a page, from top to bottom."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), flags=re.M | re.S)
    assert blocks
    names: dict[str, object] = {}
    for at, block in enumerate(blocks):
        exec(compile(block, f"{page}.md, block {at + 1}", "exec"), names)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("page", ["index", "moving", "guidance", "results"])
def test_code_of_a_page_runs_from_top_to_bottom(page):
    run(page)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("page", EXAMPLES)
def test_examples_on_real_data_show_what_they_say(page, monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    folder = Path(os.environ.get("PARTWISE_DATA", "../shared/data")) / EXAMPLES[page]
    if not folder.is_dir():
        # Not silent: it is among the warnings at the end of the run.
        warnings.warn(f"examples/{page}.md was NOT run: {folder} isn't there (set PARTWISE_DATA)", stacklevel=1)
        pytest.skip(f"{folder} isn't there")
    run(f"examples/{page}")


def test_every_example_is_run_and_listed():
    assert {path.stem for path in (DOCS / "examples").glob("*.md")} == set(EXAMPLES)
    listed = (DOCS.parent / "mkdocs.yml").read_text()
    assert all(f"examples/{page}.md" in listed for page in EXAMPLES)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_the_examples_show_holds_on_the_embedded_digits(digits):
    """Two labels each, a graph of neighbours with two labels each, and pixels as markers: the examples
    without their data."""
    X, y, truth = (part[:400] for part in digits)
    unknown = y < 0
    plain = pw.metrics.accuracy(truth[unknown], pw.NMF(10, random_state=0).fit(X).labels_[unknown])
    guided = pw.GuidedNMF(random_state=0).fit(X, y)
    assert (guided.labels_ == truth)[unknown].mean() > plain
    graph = pw.GNMF(10, n_neighbors=7, max_iter=1, tol=0).fit(X).graph_
    tied = pw.WSSymNMF(random_state=0).fit(graph, y)
    assert (tied.labels_ == truth)[unknown].mean() > plain
    # The pixels that a digit has more often than the others mark it, without one label.
    bright = np.array([X[truth == digit].mean(axis=0) for digit in (0, 1, 7)])
    rows = np.isin(truth, (0, 1, 7))
    markers = {str(digit): [int(f) for f in np.argsort(2 * own - bright.sum(axis=0))[-4:]] for digit, own in zip((0, 1, 7), bright, strict=True)}
    model = pw.GuidedNMF(guidance=pw.Guidance(markers), random_state=0).fit(X[rows])
    assert (model.labels_ == truth[rows].astype(str)).mean() > 0.8
    renamed = model.steer(X[rows]).rename("0", "zero")
    assert list(renamed.component_names_) == ["zero", "1", "7"]


def model_pages():
    spec = importlib.util.spec_from_file_location("model_pages", DOCS / "model_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


def test_every_model_has_a_page_made_from_the_registry():
    made = model_pages()
    assert set(made) == {"models/index.md", *(f"models/{e._method}.md" for e in ESTIMATORS)}
    for estimator in ESTIMATORS:
        page = made[f"models/{estimator._method}.md"]
        assert page.startswith(f"# {estimator.__name__}\n") and "Reference: " in page and ">>> " in page


def test_links_between_pages_lead_somewhere():
    made = model_pages()
    for path in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", path.read_text()):
            assert target in made or (path.parent / target).exists(), f"{path.name}: {target}"
    listed = (DOCS / "which_method.md").read_text()
    assert [e.__name__ for e in ESTIMATORS if f"models/{e._method}.md" not in listed] == ["SCNMF", "NMFDC"]
