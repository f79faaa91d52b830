"""Promise: the code of the documentation runs, and every public name, command and method has its page."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import partwise as pw
import pytest
from partwise._estimators import ESTIMATORS

DOCS = Path(__file__).parents[2] / "docs"


def hook(name):
    """A hook of the site."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run_code = hook("run_code")


def with_code():
    """The pages with Python code, and whether they need data from the internet."""
    pages = {path.relative_to(DOCS).as_posix(): path.read_text() for path in DOCS.rglob("*.md")}
    return {name: "download: true" in text for name, text in sorted(pages.items()) if run_code.BLOCK.search(text)}


def run(page):
    """The page with its outputs, as on the site."""
    text = (DOCS / page).read_text()
    return run_code.run_page(text, page, lambda figure: "figure.svg", download=False)


@pytest.mark.parametrize("page", [name for name, download in with_code().items() if not download])
def test_code_of_a_page_runs_and_its_output_is_shown(page, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (DOCS / page).read_text()
    for module in ("matplotlib", "networkx"):
        if f"import {module}" in text or (module == "matplotlib" and "plot_" in text):
            pytest.importorskip(module)
    shown = run(page)
    assert "{.text .output}" in shown or "](figure.svg)" in shown
    # Asserts are tested, but not shown.
    assert not re.search(r"^assert ", shown, flags=re.M)


def test_the_output_in_the_readme_is_that_of_its_code():
    text = (DOCS.parent / "README.md").read_text()
    outputs = re.findall(r"{\.text \.output}\n(.*?)\n```", run_code.run_page(text, "README.md", str), flags=re.S)
    assert outputs and all(f"```text\n{output}\n```" in text for output in outputs)


@pytest.mark.parametrize("page", [name for name, download in with_code().items() if download])
def test_examples_with_downloads_hold_on_copies_of_their_data(page, monkeypatch):
    folder = Path(os.environ.get("PARTWISE_DATA", "../shared/data"))
    folder = folder if folder.is_absolute() else DOCS.parent / folder
    needed = {"faces": "orl", "news": "20newsgroups", "cells": "pbmc68k-reduced"}[Path(page).stem]
    if not (folder / needed).is_dir():
        # Not silent: it is among the warnings at the end of the run.
        warnings.warn(f"{page} was NOT run: {folder / needed} isn't there (set PARTWISE_DATA)", stacklevel=1)
        pytest.skip(f"{folder / needed} isn't there")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    stand_in(needed, folder / needed, monkeypatch)
    run(page)


def stand_in(name, folder, monkeypatch):
    """Local copies in place of what the examples download."""
    import gzip

    from partwise.datasets import load_file, load_labels
    from sklearn.utils import Bunch

    def faces(return_X_y):
        assert return_X_y
        images = np.load(folder / "images_112x92.npz")["images"][:, 10:102].astype(float) / 255
        pixels = np.arange(64) * 92 // 64
        return images[:, pixels][:, :, pixels].reshape(400, -1), np.repeat(np.arange(40), 10)

    def news(subset, categories, remove):
        assert subset == "all" and len(remove) == 3
        with gzip.open(folder / "documents.jsonl.gz", "rt") as lines:
            texts = [text for text in map(json.loads, lines) if text["label"] in categories]
        names = sorted(categories)
        return Bunch(data=[text["text"] for text in texts], target=[names.index(t["label"]) for t in texts], target_names=names)

    def cells():
        genes = np.array((folder / "genes.txt").read_text().split())
        data = load_file(folder / "values.mtx.gz").data
        return Bunch(data=data, feature_names=genes, target=load_labels(folder / "labels.csv", 700))

    owner, function, fetch = {
        "orl": ("sklearn.datasets", "fetch_olivetti_faces", faces),
        "20newsgroups": ("sklearn.datasets", "fetch_20newsgroups", news),
        "pbmc68k-reduced": ("partwise.datasets", "fetch_blood_cells", cells),
    }[name]
    monkeypatch.setattr(importlib.import_module(owner), function, fetch)


def test_a_page_without_its_download_says_so():
    page = "# Title\n\n```python\nraise ConnectionError('no internet')\n```\n\n```python\nprint(1)\n```\n"
    shown = run_code.run_page(page, "page", str, download=True)
    assert shown.startswith("# Title\n") and "could not be downloaded" in shown and ".output" not in shown
    with pytest.raises(ConnectionError):
        run_code.run_page(page, "page", str)


def test_output_is_what_a_notebook_would_show():
    page = "```python\nx = 2\nprint('printed')\nassert (\n    x == 2\n)\nx + 1\n```\n\n```python hidden\ny = x\n```\n\n```python shown\nz\n```\n\n```python\ny\n```\n"
    shown = run_code.run_page(page, "page", str)
    assert "printed\n3\n" in shown and "assert" not in shown
    assert "y = x" not in shown and "```python\nz\n```" in shown and shown.endswith("```{.text .output}\n2\n```\n")
    with pytest.raises(ZeroDivisionError):
        run_code.run_page("```python\n1 / 0\n```\n", "page", str)
    with pytest.raises(ValueError, match="hiden: not a word"):
        run_code.run_page("```python hiden\n1\n```\n", "page", str)


def test_lines_of_code_fit_the_column_of_a_page():
    """What is longer is broken at the edge; docs/check_widths.py looks at the built pages."""
    long = []
    for path in DOCS.rglob("*.md"):
        for code in re.findall(r"^```(?:python|toml|text|sh).*?\n(.*?)^```$", path.read_text(), flags=re.M | re.S):
            long += [f"{path.name}: {line}" for line in code.splitlines() if len(line) > 84 and not line.startswith("assert")]
    assert not long


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


def test_every_method_has_a_page_made_from_the_registry():
    made = hook("model_pages").pages()
    assert set(made) == {"models/index.md", *(f"models/{e._method}.md" for e in ESTIMATORS)}
    for estimator in ESTIMATORS:
        page = made[f"models/{estimator._method}.md"]
        assert page.startswith(f"# {estimator.__name__}\n") and "Reference: " in page and f"::: partwise.{estimator.__name__}\n" in page
        assert ">>> " in estimator.__doc__


def test_every_public_name_and_every_command_has_its_place_in_the_reference():
    reference = hook("reference_pages")
    if reference.command_line() is None:
        pytest.skip("the command line isn't built")
    made = reference.pages()
    listed = set(re.findall(r"^::: partwise\.(\S+)$", "\n".join([*made.values(), *hook("model_pages").pages().values()]), flags=re.M))
    public = {name for name in pw.__all__ if name != "__version__"} - {"datasets", "metrics"}
    modules = {f"{module}.{name}" for module in ("datasets", "metrics") for name in getattr(pw, module).__all__}
    assert listed == public | modules
    for name in public | modules:
        thing = pw
        for part in name.split("."):
            thing = getattr(thing, part)
        assert thing.__doc__, f"{name} has no docstring"
    fit = made["reference/partwise-fit.md"]
    assert "Usage: partwise fit" in fit and "--guidance <FILE>" in fit
    assert {f"reference/partwise-{name}.md" for name in ("transform", "evaluate", "classify", "sweep", "rank")} <= set(made)


def test_the_reference_of_guidance_toml_names_every_key(tmp_path):
    program = hook("reference_pages").command_line()
    if program is None:
        pytest.skip("the command line isn't built")
    page = (DOCS / "reference" / "guidance_toml.md").read_text()
    table = tmp_path / "docs.csv"
    table.write_text(",ball,goal,court,judge\nd1,3,2,0,0\nd2,2,1,0,1\nd3,0,0,3,2\nd4,0,1,2,4\nd5,1,2,0,0\nd6,0,0,1,2\n")
    (tmp_path / "labels.csv").write_text("index,label\nd1,sport\nd3,law\n")
    guidance = tmp_path / "guidance.toml"

    def fit(text):
        guidance.write_text(text)
        command = [program, "fit", str(table), "--guidance", str(guidance), "--out", str(tmp_path / "out"), "--force"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    refused = fit("nothing = 1\n").stderr
    keys = re.search(r"valid: (.*)", refused)[1].split(", ")
    assert [key for key in keys if key != "topics" and f"`{key}`" not in page and f"{key} =" not in page] == []
    example = re.search(r"^```toml\n(.*?)^```$", page, flags=re.M | re.S)[1]
    done = fit(example)
    assert done.returncode == 0, done.stderr


def test_links_between_pages_lead_somewhere():
    generated = {*hook("model_pages").pages(), *(f"reference/{page}.md" for page in ("estimators", "partwise", "metrics", "datasets", "guidance", "results", "functions"))}
    for path in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", path.read_text()):
            wanted = os.path.normpath(path.parent / target)
            assert os.path.relpath(wanted, DOCS) in generated or Path(wanted).exists(), f"{path.name}: {target}"
    listed = (DOCS / "which_method.md").read_text()
    assert [e.__name__ for e in ESTIMATORS if f"models/{e._method}.md" not in listed] == ["SCNMF", "NMFDC"]


def test_the_picture_of_the_home_page_is_that_of_its_script():
    drawn = hook("home_picture").draw()
    kept = (DOCS / "figures" / "parts.svg").read_text()
    # Other processors may differ in the last digits.
    assert re.sub(r"[\d.]+", "", drawn) == re.sub(r"[\d.]+", "", kept)


@pytest.mark.skipif(sys.platform == "win32", reason="paths in addresses")
def test_data_sets_are_fetched_once_and_checked(tmp_path, monkeypatch):
    import gzip
    import hashlib

    from partwise import _fetch, datasets

    # Four files like those of MNIST, each with one image or label, at a local address.
    header = bytes(16)
    contents = [header + bytes([1]) * 784, bytes(8) + bytes([7]), header + bytes([2]) * 784, bytes(8) + bytes([9])]
    files = []
    for at, content in enumerate(contents):
        path = tmp_path / f"{at}.gz"
        path.write_bytes(gzip.compress(content))
        files.append(_fetch.RemoteFile(path.as_uri(), hashlib.sha256(content).hexdigest()))
    monkeypatch.setitem(_fetch.FILES, "mnist", files)
    monkeypatch.setenv("PARTWISE_DATA_HOME", str(tmp_path / "home"))
    with pytest.raises(FileNotFoundError, match="download_if_missing is False.*save it as .*0.gz"):
        datasets.fetch_mnist(download_if_missing=False)
    X, y = datasets.fetch_mnist(return_X_y=True)
    assert X.shape == (2, 784) and X[1, 0] == 2 and y.tolist() == [7, 9]

    # From now on without the source.
    for at in range(4):
        (tmp_path / f"{at}.gz").unlink()
    assert (datasets.fetch_mnist(return_X_y=True)[0] == X).all()
    with pytest.raises(ConnectionError, match=r"the download failed.*download file:.*save it as .*other/mnist/0\.gz"):
        datasets.fetch_mnist(data_home=tmp_path / "other")

    # A file that was changed, here or there, is refused.
    (tmp_path / "home" / "mnist" / "1.gz").write_bytes(gzip.compress(b"other"))
    with pytest.raises(ValueError, match="its SHA-256 differs"):
        datasets.fetch_mnist()
    (tmp_path / "0.gz").write_bytes(gzip.compress(b"other"))
    with pytest.raises(ValueError, match="the file has changed"):
        datasets.fetch_mnist(data_home=tmp_path / "third")
    assert not (tmp_path / "third").exists()
