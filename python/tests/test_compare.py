"""Promise: compare gives all methods the same labels, judges them by the others, and says how."""

import csv

import numpy as np
import pytest
from partwise import FewLabelClassifier, GuidedNMF, NMF, compare


@pytest.fixture(scope="module")
def planted():
    """Three groups of features, one for each class."""
    rng = np.random.default_rng(0)
    classes = np.arange(90) % 3
    X = 1.2 * rng.random((90, 15)) + 1.0 * (np.arange(15) // 5 == classes[:, None])
    return X, np.array(["ant", "bee", "cat"], dtype=object)[classes]


def test_the_table_has_a_line_for_each_method_and_number_of_labels(planted):
    X, y = planted
    found = compare(X, y, methods=[NMF, GuidedNMF, FewLabelClassifier], draws=3, labels_per_class=[1, 2])
    assert [(line["method"], line["labels_per_class"], line["draws"]) for line in found.lines] == [
        (method, labels, 3) for labels in (1, 2) for method in ("nmf", "guided", "classifier")
    ]
    assert [line["accuracy_by"] for line in found.lines[:3]] == ["best map", "class names", "class names"]
    assert len(found.runs) == 18
    for line in found.lines:
        own = [run for run in found.runs if (run["method"], run["labels_per_class"]) == (line["method"], line["labels_per_class"])]
        first = [run for run in found.runs if (run["method"], run["labels_per_class"]) == ("nmf", line["labels_per_class"])]
        accuracies = np.array([run["accuracy"] for run in own])
        assert line["accuracy"] == pytest.approx(accuracies.mean())
        assert line["accuracy_error"] == pytest.approx(accuracies.std(ddof=1) / np.sqrt(3))
        if line["method"] == "nmf":
            assert line["difference"] is None
        else:
            paired = accuracies - [run["accuracy"] for run in first]
            assert line["difference"] == pytest.approx(paired.mean())
            assert line["difference_error"] == pytest.approx(paired.std(ddof=1) / np.sqrt(3))
        assert (line["relative_error"] is None) == (line["method"] == "classifier")
    assert found.lines[-1]["accuracy"] > 0.9
    assert "best one-to-one map" in repr(found) and len(repr(found).splitlines()) == 8
    again = compare(X, y, methods=["nmf", "guided", "classifier"], draws=3, labels_per_class=[1, 2], n_jobs=1)
    assert [run["accuracy"] for run in again.runs] == [run["accuracy"] for run in found.runs]


def test_the_tables_as_data_frames_and_the_defaults(planted):
    pytest.importorskip("pandas")
    found = compare(*planted, draws=1)
    methods = list(found.to_frame()["method"])
    assert methods[0] == "nmf" and methods[-1] == "classifier" and "guided" in methods
    assert len(found.to_frame("runs")) == len(methods)
    assert found.to_frame()["accuracy_error"].isna().all()
    with pytest.raises(ValueError, match="'lines' or 'runs'"):
        found.to_frame("draws")


def test_the_command_line_gives_the_same_numbers(planted, tmp_path, command):
    X, y = planted
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.csv").write_text("\n".join(y) + "\n")
    files = [tmp_path / "x.npy", "--labels", tmp_path / "y.csv", "--methods", "nmf,classifier", "--draws", 2]
    command("compare", *files, "--quiet", "--out", tmp_path / "out")
    with open(tmp_path / "out/draws.csv") as file:
        rows = list(csv.DictReader(file))
    found = compare(X, y, methods=["nmf", "classifier"], draws=2)
    assert [float(row["accuracy"]) for row in rows] == [run["accuracy"] for run in found.runs]
    assert [float(row["nmi"]) for row in rows] == [run["nmi"] for run in found.runs]


def test_classes_without_a_sample_to_judge_by_are_a_warning_and_counted(planted):
    X, y = planted
    y = y.copy()
    y[:2] = "rare"
    with pytest.warns(UserWarning, match='compare: with 2 labels per class, 1 of 4 classes has no sample left to judge by.*"rare"') as seen:
        found = compare(X, y, methods=["nmf"], draws=1, labels_per_class=[1, 2])
    assert len(seen) == 1 and seen[0].filename == __file__
    assert [line["classes_judged"] for line in found.lines] == [4, 3]
    assert len(found.notices) == 1 and "rare" in found.notices[0]


def test_bad_input_is_refused(planted):
    X, y = planted
    for given, said in [
        ({"methods": ["nfm"]}, "classifier"),
        ({"methods": ["nmf", NMF]}, "'nmf' twice"),
        ({"methods": [np.linalg]}, "valid are names"),
        ({"methods": [NMF(3, tol=0.1)]}, "give the class NMF"),
        ({"methods": []}, "number of methods"),
        ({"draws": 0}, "draws is 0"),
        ({"labels_per_class": [2, 0]}, "labels_per_class is 0"),
        ({"labels_per_class": 30}, "leave no label to judge"),
    ]:
        with pytest.raises(ValueError, match=said):
            compare(X, y, **{"draws": 1, **given})
    with pytest.raises(ValueError, match="at least two classes"):
        compare(X, np.zeros(90, dtype=int), draws=1)
