"""Non-negative least squares for many right-hand sides, and one factor with the other held."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import as_factor, lend
from ._settings import threads_of

__all__ = ["nnls", "solve_codes", "solve_components"]


def nnls(G: Any, C: Any) -> Any:
    """Solves min |B x - a| over x >= 0 for many right-hand sides from ``G = B.T @ B`` and ``C = A.T @ B``, exactly.

    Block principal pivoting (Kim & Park 2011, doi:10.1137/110821172) on the normal equations: min ½ x G xᵀ - c xᵀ for each
    row c of C.

    Parameters
    ----------
    G : array-like of shape (k, k)
        A symmetric positive semidefinite matrix.
    C : array-like of shape (n, k)
        One row a problem.

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
    G, C = as_factor(G, "G"), as_factor(C, "C")
    k = G.shape[0]
    if G.shape != (k, k) or C.shape[1] != k:
        raise ValueError(f"G must be (k, k) and C (n, k), but they are {G.shape} and {C.shape}")
    for name, values in (("G", G), ("C", C)):
        if not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(f"{name} holds NaN or infinity, the first in row {i}, column {j}")
    if np.abs(G - G.T).max(initial=0.0) > 1e-10 * np.abs(G).max(initial=0.0):
        raise ValueError("G is not symmetric")
    least = np.linalg.eigvalsh(G)[0] if k else 0.0
    if least < -1e-8 * np.abs(G).max(initial=0.0):
        raise ValueError(f"G is not positive semidefinite: its smallest eigenvalue is {least:.3e}")
    return _native.nnls(G, C)


def _solve(X: Any, held: str, factor: Any, beta_loss: str, tol: float, max_iter: int, solver: str, n_jobs: int | None, random_state: int) -> Any:
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    X = X.astype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64, copy=False)
    factor = as_factor(factor, "the held factor")
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
    done = _native.solve(lend(X), held, factor, beta_loss, settings)
    return done["components"] if held == "codes" else done["codes"]


def solve_codes(X: Any, components: Any, *, beta_loss: str = "frobenius", tol: float = 1e-6, max_iter: int = 500, solver: str = "auto", n_jobs: int | None = None, random_state: int = 0) -> Any:
    """The codes W (n, k) for fixed components H (k, d): min |X - W H|² or D(X | W H) over W >= 0.

    With ``solver="auto"`` the codes of the squared loss are the exact minimum, those that ``transform`` gives; ``tol``, ``max_iter`` and
    ``random_state`` serve the other solvers and the Kullback-Leibler loss.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_components)
    """
    return _solve(X, "components", components, beta_loss, tol, max_iter, solver, n_jobs, random_state)


def solve_components(X: Any, codes: Any, *, beta_loss: str = "frobenius", tol: float = 1e-6, max_iter: int = 500, solver: str = "auto", n_jobs: int | None = None, random_state: int = 0) -> Any:
    """The components H (k, d) for fixed codes W (n, k): min |X - W H|² or D(X | W H) over H >= 0.

    With ``solver="auto"`` they are the exact minimum under the squared loss, as in ``solve_codes``.

    Returns
    -------
    components : ndarray of shape (n_components, n_features)
    """
    return _solve(X, "codes", codes, beta_loss, tol, max_iter, solver, n_jobs, random_state)
