"""The report of a fitted model as one HTML page."""

from __future__ import annotations

import numpy as np
import pytest

from partwise import NMF, Guidance, GuidedNMF, datasets


def texts():
    """24 texts as counts of seven words: 12 about sport, 8 about law, 4 about food."""
    words = ["goal", "match", "team", "court", "judge", "bread", "salt"]
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (24, 7)).astype(float)
    X[:12, :3] += 5
    X[12:20, 3:5] += 6
    X[20:, 5:] += 7
    return X, words, ["sport"] * 12 + ["law"] * 8 + ["food"] * 4


def test_the_page_tells_the_story_of_a_guided_fit(tmp_path):
    X, words, labels = texts()
    guidance = Guidance({"sport": ["goal"], "law": ["court"]}, feature_names=words)
    model = GuidedNMF(3, guidance=guidance, random_state=0).fit(X)
    path = tmp_path / "report.html"
    model.write_report(path, X, labels=labels, texts=[f"Text <b>{i}</b> on {label}" for i, label in enumerate(labels)])
    page = path.read_text(encoding="utf-8")
    story = "3 topics in 24 documents. Your 2 words were followed."
    parts = [story, "100 % of the 24 held-out labels are right.", "Largest: sport (12).", "<h3>sport</h3>", "<h3>law</h3>", "<h3>part 3</h3>"]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    # Labels under other names than the topics can be matched only.
    model.write_report(path, X, labels=[f"class {label}" for label in labels])
    assert "if each component stands for the class that fits it best" in path.read_text(encoding="utf-8")
    assert page.count('<div class="bar seed">') == 2
    assert '<tr><th>law</th><td>·</td><td style="--s:100%" class="hi">8</td><td>·</td></tr>' in page
    assert "Text <b>" not in page and "Text &lt;b&gt;" in page
    assert "GuidedNMF(" in page and "@misc{partwise," in page and "SHA-256" in page
    assert page.count("<script") == 1 and [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_images_need_the_data_and_are_shown(tmp_path):
    X = datasets.load_digits().data[:60]
    model = NMF(4, random_state=0, max_iter=20, tol=0.1).fit(X.reshape(60, 8, 8))
    with pytest.raises(ValueError, match="give it the data"):
        model.write_report(tmp_path / "a.html")
    with pytest.raises(ValueError, match="60 samples of 64 features"):
        model.write_report(tmp_path / "a.html", X[:10])
    with pytest.raises(ValueError, match="must be 'light' or 'ink'"):
        model.write_report(tmp_path / "a.html", X, pictures="dark")
    assert not list(tmp_path.iterdir())
    model.write_report(tmp_path / "a.html", X, pictures="ink")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count('class="part"') == 4 and "Images from their components" in page and "dark is large" in page


def test_good_examples_are_large_and_pure():
    # Short and pure, large and mixed, large and nearly pure.
    X = np.array([[0.1, 0.0], [3.0, 3.0], [2.5, 0.1], [0.0, 4.0]])
    model = NMF(2, random_state=0, tol=1e-6, max_iter=2000).fit(X)
    top = model.top_samples(3)
    first = max(top.values(), key=lambda best: best[0][0] == 2)
    assert first[0][0] == 2 and first[0][1] > 0.9
