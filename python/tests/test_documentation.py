"""Promise: the code of the documentation runs, and every model has its page."""

import importlib.util
import re
from pathlib import Path

import pytest

from partwise._estimators import ESTIMATORS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("page", ["index", "moving", "guidance"])
def test_code_of_a_page_runs_from_top_to_bottom(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), flags=re.M | re.S)
    assert blocks
    names: dict[str, object] = {}
    for at, block in enumerate(blocks):
        exec(compile(block, f"{page}.md, block {at + 1}", "exec"), names)


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
    for path in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", path.read_text()):
            assert target in made or (DOCS / target).exists(), f"{path.name}: {target}"
    listed = (DOCS / "which_method.md").read_text()
    assert [e.__name__ for e in ESTIMATORS if f"models/{e._method}.md" not in listed] == ["SCNMF", "NMFDC"]
