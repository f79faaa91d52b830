"""Every combination of guidance, settings and methods is served or refused: a finite, non-negative fit, or a
ValueError. Never a panic."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise import (
    EntryWeights,
    FeatureWeights,
    Graph,
    Guidance,
    GuidedNMF,
    KnownEntries,
    KnownFeatures,
    Labels,
    Links,
    Memberships,
    References,
    SampleWeights,
    Sets,
    Topic,
)

N, D = 14, 6


def items(rng: np.random.Generator) -> list:
    """An item of each kind; each for some samples."""

    def strength():
        return [None, 0.0, 0.4, 0.9, 1.0][rng.integers(5)]

    def words(share):
        return np.where(rng.random(N) < share, np.array(["a", "b", "c"])[rng.integers(3, size=N)], None)

    def kept(s):
        return {} if s is None else {"strength": s}

    def pairs():
        return [tuple(map(int, rng.choice(N, 2, replace=False))) for _ in range(rng.integers(1, 4))]

    square = np.triu(rng.random((N, N)) < 0.2, 1).astype(float)
    shares = np.where(rng.random((N, 2)) < 0.5, np.nan, rng.random((N, 2)))
    return [
        Labels(words(0.4), "components", **kept(strength())),
        Labels(words(0.4), "view", **kept([None, 0.0, 0.4, 0.9, 1.0][rng.integers(5)])),
        Labels(words(0.5), "same-codes", strength=1.0),
        Links(must=pairs(), cannot=pairs() if rng.random() < 0.5 else [], **kept(strength())),
        Links(must=pairs(), strength=1.0),
        Graph(square + square.T, **kept(strength())),
        Graph(**kept(strength())),
        Memberships(shares, names=["a", "b"], **kept(strength())),
        Sets([["a", "b"] if i % 3 == 0 else None for i in range(N)], **kept(strength())),
        References(rng.random((1, D)), names=["b"], **kept(strength())),
        SampleWeights(rng.integers(0, 3, N).astype(float) + 0.5 * (rng.random() < 0.5)),
        FeatureWeights(rng.random(D)),
        KnownEntries(rng.random((N, D)) < 0.8),
        EntryWeights(rng.random((N, D))),
        {"a": [0, 1], "d": [2]},
        Topic("b", [3], forbidden=[5]),
    ]


def run(seed: int) -> str | None:
    """A fit at random and what follows it; what is wrong with it, if anything is."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, D)) < 0.3, 0.0, rng.random((N, D)) * 4)
    X[N - 1] = 0
    all_items = items(rng)
    chosen = [all_items[at] for at in rng.choice(len(all_items), size=rng.integers(1, 5), replace=False)]
    for item in chosen:
        if isinstance(item, (KnownEntries, KnownFeatures)):
            X = np.where(item.known, X, 0.0)
    data = [X, X.astype(np.float32), sp.csr_matrix(X)][rng.integers(3)]
    y = np.where(rng.random(N) < 0.3, rng.integers(2, size=N), -1) if rng.random() < 0.3 else None
    settings = {
        "n_components": [None, 2, 5, 8][rng.integers(4)],
        "init": [None, None, "random", "nndsvd", "nndsvda", "nndsvdar", "auto"][rng.integers(7)],
        "solver": ["auto", "auto", "hals", "bpp", "mu", "nesterov"][rng.integers(6)],
        "beta_loss": ["frobenius", "frobenius", "kullback-leibler"][rng.integers(3)],
        "alpha_W": [0.0, 0.0, 0.1][rng.integers(3)],
        "acceleration": ["auto", "off", "on"][rng.integers(3)],
        "max_iter": int(rng.integers(0, 6)),
        "random_state": 0,
        "n_jobs": 1,
    }
    what = f"{seed}: {[type(item).__name__ + ' ' + str(getattr(item, 'rule', '')) for item in chosen]} {settings}"
    try:
        model = GuidedNMF(guidance=Guidance(*chosen), **settings).fit(data, y)
    except ValueError:
        return None
    except BaseException as error:
        return f"{what}: {type(error).__name__}: {error}"
    for factor in (model.codes_, model.components_):
        if not (np.isfinite(factor).all() and (factor >= 0).all()):
            return f"{what}: factors that are negative or not finite"
    follow = {
        "transform": lambda: model.transform(data),
        "predict": lambda: model.predict(data),
        "score": lambda: model.score(data),
        "report": lambda: str(model.guidance_report_),
        "suggest": lambda: model.suggest(2),
        "sweep": lambda: model.sweep(data, y, scales=(0.0, 1.0)),
        "steer": lambda: model.steer(data).merge(*[str(name) for name in model.component_names_[:2]]),
    }
    for name, call in follow.items():
        if rng.random() < 0.4:
            try:
                call()
            except (ValueError, TypeError):
                continue
            except BaseException as error:
                return f"{what}, {name}: {type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("block", range(8))
def test_every_combination_is_a_fit_or_a_refusal(block):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = [fault for seed in range(block * 40, block * 40 + 40) if (fault := run(seed))]
    assert not wrong, "\n".join(wrong[:5])


def view(X, labels, merged, order):
    """The codes of the samples, given in another order, in their first order."""
    W, H = np.random.default_rng(5).random((len(X), 3)), np.random.default_rng(6).random((3, D))
    place = np.argsort(order)
    must = [(int(place[i]), int(place[l])) for i, l in merged]
    guidance = Guidance(Labels(labels[order], "view"), *([Links(must=must, strength=1.0)] if must else []))
    model = GuidedNMF(3, guidance=guidance, init="custom", solver="bpp", max_iter=5, tol=0, random_state=0)
    model.fit(X[order], W=W[order], H=H)
    return model, model.codes_[place]


@pytest.mark.parametrize("merged", [[], [(10, 0), (0, 3), (2, 7)]])
def test_labels_as_a_view_stay_with_their_samples(merged):
    rng = np.random.default_rng(1)
    X = rng.random((12, D))
    labels = np.array(["a", "b", None, None, "a", "b", None, "c", None, None, "b", None], dtype=object)
    first, codes = view(X, labels, merged, np.arange(12))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(12)
        other, again = view(X, labels, merged, order)
        assert other.objective_ == pytest.approx(first.objective_, rel=1e-8)
        # Codes are by topic, whose order is that of the labels' names.
        np.testing.assert_allclose(again, codes, atol=1e-6 * codes.max())
    for i, l in merged:
        np.testing.assert_array_equal(codes[i], codes[l])


def test_more_components_than_samples_by_default_are_said():
    wide = sp.random(30, 500, 0.05, "csr", random_state=1)
    with pytest.warns(UserWarning, match="500 components for 30 samples and 500 features"):
        pw.NMF(random_state=0, max_iter=1).fit(wide)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = pw.NMF(40, random_state=0, max_iter=0).fit(wide)
    assert any("40 components" in message for _, message in model.notices_)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("solver", ["auto", "hals", "mu", "bpp"])
def test_rows_of_zeros_have_no_neighbours_and_no_class(kind, solver):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.random((10, 5)) + np.repeat(np.eye(2, 5), 5, axis=0) * 3, np.zeros((3, 5))])
    y = np.array([0, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1])
    for make in (
        lambda: pw.GNMF(2, n_neighbors=3, solver=solver, random_state=0).fit(kind(X)),
        lambda: pw.SemiGNMF(n_neighbors=3, solver=solver, random_state=0).fit(kind(X), y),
        lambda: GuidedNMF(2, guidance=Guidance(Graph()), solver=solver, random_state=0).fit(kind(X)),
    ):
        model = make()
        assert np.abs(model.codes_[10:]).max() == 0 and model.memberships()[10:].sum() == 0
        assert all(label in (-1, None) for label in model.labels_[10:])
        assert any("10" in message and "samples" in message for _, message in model.notices_)


def test_fits_end_where_nothing_moves_and_warn_only_where_something_does():
    from sklearn.exceptions import ConvergenceWarning

    X = np.random.default_rng(0).random((50, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = pw.NMF(4, beta_loss="kullback-leibler", random_state=0).fit(X)
        assert model.stop_reason_ == "no further progress"
        pw.NMF(4, random_state=0, max_iter=3000, tol=0).fit(X)
    objective = model.history_["objective"]
    assert objective[-51] - objective[-1] < 1e-4 * objective[-1]
    with pytest.warns(ConvergenceWarning, match="Stopped after 5 iterations without converging") as seen:
        pw.NMF(4, random_state=0, max_iter=5).fit(X)
    assert "to continue further: max_iter=" in str(seen[0].message)


@pytest.mark.parametrize("make", [lambda S: pw.SymNMF(3, random_state=0, max_iter=5).fit(S), lambda S: pw.GNMF(2, random_state=0, max_iter=5).fit(S, graph=S), lambda S: pw.nnls(S, np.ones((2, len(S)))), lambda S: GuidedNMF(2, guidance=Guidance(Graph(S)), max_iter=5).fit(S)])
def test_matrices_are_symmetric_within_single_precision_everywhere(make):
    rng = np.random.default_rng(0)
    A = rng.random((15, 200)).astype(np.float32)
    S = (A @ A.T).astype(np.float64)
    noise = 1 + 1e-7 * rng.random(S.shape)
    for given in (S, S * noise, (S * noise).astype(np.float32), sp.csr_matrix(S * noise)):
        if sp.issparse(given) and make(S) is not None and isinstance(make(S), np.ndarray):
            continue
        make(given)
    S[2, 7] += 0.01 * S.max()
    with pytest.raises(ValueError, match=r"not symmetric.*\(2, 7\)"):
        make(S)
