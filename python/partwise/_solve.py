"""Non-negative least squares for many right-hand sides, and one factor with the other fixed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from . import _native
from ._input import matrix_by_name, to_native
from ._names import NO_NAMES, Names, is_anndata, names_of, row_labels
from ._settings import threads_of, warn_of_threads

__all__ = ["nnls", "solve_codes", "solve_components"]


def nnls(G: Any, C: Any) -> Any:
    """Solves min |B x - a| over x >= 0 for many right-hand sides from ``G = B.T @ B`` and ``C = A.T @ B``,
    exactly.

    Block principal pivoting (Kim & Park 2011, doi:10.1137/110821172) on the normal equations: min ½ x G xᵀ -
    c xᵀ for each row c of C.

    Parameters
    ----------
    G : array-like of shape (k, k)
        A symmetric positive semidefinite matrix; pairs may differ by rounding (7.6e-6 of the largest entry),
        their mean is used.
    C : array-like of shape (n, k)
        One row per problem.

    Returns
    -------
    X : ndarray of shape (n, k)
        The solutions, non-negative.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import nnls
    >>> nnls(np.eye(2), [[1.0, -2.0]])
    array([[1., 0.]])
    """
    unknowns = Names(row_labels(G), np.shape(G)[0], "unknown") if np.ndim(G) == 2 else None
    G, C = matrix_by_name(G, "G", "G", columns=unknowns), matrix_by_name(C, "C", "C", columns=unknowns)
    k = G.shape[0]
    if G.shape != (k, k) or C.shape[1] != k:
        raise ValueError(f"G must be (k, k) and C (n, k), but they are {G.shape} and {C.shape}")
    for name, values in (("G", G), ("C", C)):
        if not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(f"{name} contains NaN or infinity, the first in row {i}, column {j}")
    _native.check_symmetric(G, "G")
    least = np.linalg.eigvalsh((G + G.T) / 2)[0] if k else 0.0
    if least < -1e-8 * np.abs(G).max(initial=0.0):
        raise ValueError(f"G is not positive semidefinite: its smallest eigenvalue is {least:.3e}")
    return _native.nnls(G, C)


def _solve(X: Any, held: str, factor: Any, beta_loss: str, tol: float, max_iter: int, solver: str, n_jobs: int | None, random_state: int) -> Any:
    names = names_of(X) if np.ndim(X) == 2 or is_anndata(X) else NO_NAMES
    if held == "codes":
        factor = matrix_by_name(factor, "the codes", "the codes", rows=names.samples, own=(row_labels(factor), None))
    else:
        factor = matrix_by_name(factor, "the components", "the components", columns=names.features)
    X = check_array(X.X if is_anndata(X) else X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite=False)
    rank = factor.shape[1] if held == "codes" else factor.shape[0]
    # Block pivoting finds the minimum itself, in one round.
    exact = solver == "auto" and beta_loss == "frobenius"
    settings = {
        "rank": rank,
        "solver": "bpp" if exact else solver,
        "max_iterations": 1 if exact else max_iter,
        "tolerance": 0.0 if exact else tol,
        "threads": threads_of(n_jobs),
        "seed": random_state,
    }
    done = _native.solve(to_native(X), held, factor, beta_loss, settings)
    warn_of_threads(done["notices"], f"solve_{'components' if held == 'codes' else 'codes'}")
    return done["components"] if held == "codes" else done["codes"]


def solve_codes(X: Any, components: Any, *, beta_loss: str = "frobenius", tol: float = 1e-6, max_iter: int = 500, solver: str = "auto", n_jobs: int | None = None, random_state: int = 0) -> Any:
    """The codes W (n, k) for fixed components H (k, d): min |X - W H|² or D(X | W H) over W >= 0.

    With ``solver="auto"`` the codes of the squared loss are the exact minimum, as in ``transform``; ``tol``,
    ``max_iter`` and ``random_state`` apply to the other solvers and the Kullback-Leibler loss. Columns of
    DataFrames are matched to features by name.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_components)
    """
    return _solve(X, "components", components, beta_loss, tol, max_iter, solver, n_jobs, random_state)


def solve_components(X: Any, codes: Any, *, beta_loss: str = "frobenius", tol: float = 1e-6, max_iter: int = 500, solver: str = "auto", n_jobs: int | None = None, random_state: int = 0) -> Any:
    """The components H (k, d) for fixed codes W (n, k): min |X - W H|² or D(X | W H) over H >= 0.

    With ``solver="auto"`` they are the exact minimum under the squared loss, as in ``solve_codes``.

    Rows of DataFrames are matched to samples by name.

    Returns
    -------
    components : ndarray of shape (n_components, n_features)
    """
    return _solve(X, "codes", codes, beta_loss, tol, max_iter, solver, n_jobs, random_state)
