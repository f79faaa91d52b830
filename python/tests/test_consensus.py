"""Components that return from other starts."""

import numpy as np
import pytest
import scipy.sparse as sp
from partwise import ConsensusNMF, Guidance, GuidedNMF, NMF, Topic
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning


def planted(k=3, n=80, d=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.gamma(0.3, 1.0, (n, k)) @ rng.gamma(0.3, 1.0, (k, d))
    X[5] = 0
    return X


def test_planted_components_return_in_every_format():
    X = planted()
    model = ConsensusNMF(3, n_restarts=6).fit(X)
    assert model.components_.shape == (3, 20) and model.codes_.shape == (80, 3)
    assert np.allclose(model.components_.sum(axis=1), 1)
    assert np.all(model.codes_[5] == 0)
    assert np.allclose(model.codes_ @ model.components_, X, atol=0.02 * X.max())
    assert model.explanation_.startswith("k = 3: 3 of 3 components appear")
    assert np.allclose(model.transform(X), model.codes_, atol=1e-6 * model.codes_.max())
    for other in (sp.csr_matrix(X), X.astype(np.float32)):
        again = ConsensusNMF(3, n_restarts=6).fit(other)
        assert np.allclose(again.components_, model.components_, atol=1e-3)
    one = ConsensusNMF(3, n_restarts=6, n_jobs=1).fit(X)
    assert np.array_equal(one.components_, model.components_)


def test_the_tables_are_data_frames_and_choose_switches():
    pytest.importorskip("pandas")
    model = ConsensusNMF(range(2, 5), n_restarts=4).fit(planted())
    assert list(model.summary_.index) == [2, 3, 4]
    assert len(model.stability_) == 9
    assert {"component", "share", "distance_50", "confused_with", "size"} <= set(model.stability_.columns)
    assert model.components_.shape == (2, 20)
    assert model.choose(4).codes_.shape == (80, 4)
    assert list(model.get_feature_names_out()) == ["consensusnmf0", "consensusnmf1", "consensusnmf2", "consensusnmf3"]
    with pytest.raises(ValueError, match="must be one that was fitted: 2, 3, 4"):
        model.choose(7)


def test_guidance_keeps_its_names():
    X = planted()
    topics = Guidance(Topic("mine", seeds=[int(X[0].argmax())]))
    model = ConsensusNMF(3, estimator=GuidedNMF(guidance=topics), n_restarts=4).fit(X)
    assert model.component_names_[0] == "mine"
    assert model.component_names_[1:] == ["part 2", "part 3"]


def test_finished_fits_are_kept_and_those_of_other_data_are_refused(tmp_path):
    X, folder = planted(), tmp_path / "kept"
    whole = ConsensusNMF(3, n_restarts=5).fit(X)
    again = ConsensusNMF(3, n_restarts=5, folder=folder).fit(X)
    assert np.array_equal(whole.components_, again.components_) and not folder.exists()
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds other files"):
        ConsensusNMF(3, n_restarts=5, folder=folder).fit(X)


def test_a_time_limit_ends_with_the_fits_that_are_done_and_keeps_them(tmp_path):
    X, folder = planted(), tmp_path / "kept"
    with pytest.warns(ConvergenceWarning, match="time_limit of 1 s was over before all 20000 fits.*the same call goes on"):
        model = ConsensusNMF(3, n_restarts=20000, time_limit=1, folder=folder).fit(X)
    assert 2 <= model._found[3]["n_fits"] < 20000 and folder.exists()
    assert np.allclose(model.codes_ @ model.components_, X, atol=0.02 * X.max())
    with pytest.raises(ValueError, match="before any number of components had the two fits"):
        ConsensusNMF(3, n_restarts=5, time_limit=1e-9).fit(X)


def test_verbose_shows_the_result_and_the_default_nothing(capsys):
    ConsensusNMF(3, n_restarts=5).fit(planted())
    assert capsys.readouterr().out == ""
    ConsensusNMF(3, n_restarts=5, verbose=1).fit(planted())
    assert "k = 3: 3 of 3 components appear" in capsys.readouterr().out


def test_it_is_an_estimator():
    model = ConsensusNMF(4, estimator=NMF(beta_loss="kullback-leibler", solver="mu"), n_restarts=3)
    assert clone(model).get_params()["n_restarts"] == 3
    codes = model.fit_transform(planted())
    assert codes.shape == (80, 4) and codes is not model.codes_
    with pytest.raises(AttributeError, match="before fit"):
        ConsensusNMF().explanation_  # noqa: B018


def test_plots(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    one = ConsensusNMF(3, n_restarts=3).fit(planted())
    assert len(one.plot().patches) == 3
    several = ConsensusNMF([2, 3], n_restarts=3).fit(planted())
    assert len(several.plot().lines) == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_components": 0}, "n_components is 0"),
        ({"n_components": []}, "n_components is empty"),
        ({"n_components": 30}, "k is 30, but must be at most 20"),
        ({"n_restarts": 1}, "restarts is 1, but must be 2 or more"),
        ({"n_restarts": 0}, "n_restarts is 0"),
        ({"time_limit": 0}, "time_limit is 0, but must be a number of seconds above 0"),
        ({"estimator": "nmf"}, "estimator is str"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        ConsensusNMF(**{"n_components": 3, "n_restarts": 3, **settings}).fit(planted())


def test_data_of_zeros_are_refused():
    with pytest.raises(ValueError, match="every entry is 0"):
        ConsensusNMF(2, n_restarts=3).fit(np.zeros((6, 5)))
