"""Classes with several components: chosen by the data, summed for predictions, kept in files; and what the
report states of components and costs."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

import partwise as pw
from partwise import FewLabelClassifier, GuidedNMF


def planted(n=120, seed=0):
    """Three classes of two looks each: every look has features of its own. Two labels per class."""
    rng = np.random.default_rng(seed)
    look = np.arange(n) % 6
    X = rng.random((n, 24)) * 0.5
    for j in range(24):
        X[look == j // 4, j] += 2 + rng.random()
    truth = np.array(["ash", "elm", "oak"], dtype=object)[look % 3]
    y = truth.copy()
    y[6:] = None
    return X, y, truth, look


def test_auto_finds_the_looks_of_each_class_and_predicts_the_class(tmp_path):
    X, y, truth, look = planted()
    model = GuidedNMF(components_per_class="auto", random_state=0, max_iter=200).fit(X, y)
    assert model.topics_ == {"ash": [0, 1], "elm": [2, 3], "oak": [4, 5]}
    assert model.n_components_ == 6 and list(model.component_names_[:2]) == ["ash 1", "ash 2"]
    assert any(code == "components-per-class" and '"ash" 2' in message for code, message in model.notices_)
    assert (model.labels_ == truth).mean() > 0.95
    new, _, right, _ = planted(60, seed=1)
    assert (model.predict(new) == right).mean() > 0.9 and model.predict_proba(new).shape == (60, 3)
    # The component of a sample within its class is that of its look.
    part = model.memberships().argmax(axis=1)
    assert len({(a, b) for a, b in zip(look, part, strict=True)}) == 6
    model.save(tmp_path / "model.pwm")
    # Suggestions are between classes, not between the components of one.
    assert all({one, other} < {"ash", "elm", "oak"} for _, _, (one, other) in model.suggest(20))
    loaded = pw.load(tmp_path / "model.pwm")
    assert loaded.topics_ == model.topics_ and loaded.guidance_report_ == model.guidance_report_
    assert (loaded.predict(new) == model.predict(new)).all()


def test_accuracy_does_not_depend_on_the_number_of_components_of_a_class():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:300], truth[:300]
    y = np.full(300, -1)
    for digit in range(10):
        y[np.flatnonzero(truth == digit)[:3]] = digit
    found = {}
    for count in (1, "auto"):
        model = GuidedNMF(components_per_class=count, random_state=0, max_iter=100, tol=0).fit(X, y)
        found[count] = ((model.labels_ == truth)[y < 0].mean(), model.relative_error_, model.n_components_)
    assert abs(found[1][0] - found["auto"][0]) < 0.02
    assert found["auto"][2] > 10 and found["auto"][1] < found[1][1]


def test_what_chooses_the_number_of_components_twice_or_cannot_is_refused():
    X, y, _, _ = planted()
    for wrong in ({"n_components": 8}, {"n_components": "auto"}, {"init": "custom"}):
        with pytest.raises(ValueError, match="chooses the number of components"):
            GuidedNMF(components_per_class="auto", **wrong).fit(X, y)
    with pytest.raises(ValueError, match='a whole number of 1 or more, or "auto"'):
        GuidedNMF(components_per_class="many").fit(X, y)
    with pytest.raises(ValueError, match="need labels"):
        GuidedNMF(components_per_class="auto", guidance=pw.Guidance({"a": [0], "b": [4]})).fit(X)
    with pytest.raises(ValueError, match="sweep does not support"):
        GuidedNMF(components_per_class="auto").sweep(X, y)
    with pytest.raises(ValueError, match="ConsensusNMF does not support"):
        pw.ConsensusNMF(3, estimator=GuidedNMF(components_per_class="auto"), n_restarts=2).fit(X, y)


def test_the_report_compares_components_with_their_class_and_states_the_cost(tmp_path):
    X, y, truth, _ = planted()
    model = GuidedNMF(random_state=0, max_iter=200).fit(X, y)
    report = model.guidance_report_
    assert [line.component for line in report.components] == ["ash", "elm", "oak"]
    for line in report.components:
        members = X[model.labels_ == line.topic]
        shared = np.sqrt(members).mean(axis=0) ** 2
        component = model.components_[list(model.component_names_).index(line.component)]
        for wanted, cosine in ((members.mean(axis=0), line.mean_cosine), (shared, line.shared_cosine)):
            assert cosine == pytest.approx(wanted @ component / np.linalg.norm(wanted) / np.linalg.norm(component), abs=0.01)
        assert line.samples == 40 and line.message.startswith(f'"{line.component}": cosine')
    assert report.cost.relative_error == model.relative_error_ >= report.cost.relative_error_without_guidance
    assert "without the guidance" in repr(report) and list(report.to_frame("components")["samples"]) == [40] * 3
    model.write_report(tmp_path / "report.html", X)
    page = (tmp_path / "report.html").read_text()
    assert "Components and their classes" in page and report.cost.message[1:] in page


def test_raw_counts_with_a_long_tail_are_reported():
    X, y, _, _ = planted()
    counts = np.where(X > 2, np.floor(X), 0)
    counts[0, 0] = 300
    codes = [code for code, _ in GuidedNMF(random_state=0, max_iter=20, spread="off").fit(sp.csr_array(counts), y).notices_]
    assert "raw-counts" in codes
    codes = [code for code, _ in GuidedNMF(random_state=0, max_iter=20, spread="off").fit(sp.csr_array(np.log1p(counts)), y).notices_]
    assert "raw-counts" not in codes
    messages = [message for code, message in FewLabelClassifier().fit(sp.csr_array(counts), y).notices_ if code == "raw-counts"]
    assert len(messages) == 1 and "tf-idf" in messages[0]
    assert "raw-counts" not in [code for code, _ in FewLabelClassifier().fit(sp.csr_array(np.log1p(counts)), y).notices_]
