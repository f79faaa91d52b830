"""Promise: memory is told before it is taken: more than the machine has is a MemoryError with both numbers,
never the end of the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

SETUP = """
import resource, sys, warnings
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
import numpy as np, scipy.sparse as sp, partwise as pw
from partwise import Graph, Guidance, GuidedNMF
rng = np.random.default_rng(0)
X = rng.random((30, 12)); y = np.where(np.arange(30) < 6, np.arange(30) % 2, -1)
few = dict(max_iter=1, random_state=0)
"""

REFUSED = {
    "NMF with bpp": "pw.NMF(60000, solver='bpp', **few).fit(X)",
    "NMF, Kullback-Leibler": "pw.NMF(500000, beta_loss='kullback-leibler', **few).fit(sp.random(3000, 20000, 1e-3, 'csr'))",
    "NMF, by default as many components as features": "pw.NMF(**few).fit(sp.random(20, 300000, 1e-4, 'csr', random_state=0))",
    "NMF, a wide sparse matrix": "pw.NMF(2, **few).fit(sp.csr_matrix((np.ones(3), ([0, 1, 2], [5, 9, 2**31 - 2])), shape=(3, 2**31 - 1)))",
    "NMF, nndsvd": "pw.NMF(3000, init='nndsvda', **few).fit(sp.csr_matrix((np.ones(40000), (np.arange(40000) % 20000, np.arange(40000) * 7 % 20000)), shape=(20000, 20000)))",
    "CNMF": "pw.CNMF(60000, **few).fit(X, y)",
    "WSNMF": "pw.WSNMF(60000, **few).fit(X, y)",
    "SSNMF": "pw.SSNMF(60000, **few).fit(X, y)",
    "NTF": "pw.NTF(60000, image_shape=(3, 4), **few).fit(X)",
    "SymNMF": "pw.SymNMF(60000, **few).fit(X @ X.T)",
    "GuidedNMF": "GuidedNMF(60000, **few).fit(X, y)",
    "GNMF, nearly all neighbours": "pw.GNMF(2, n_neighbors=14999, **few).fit(np.ones((15000, 2)) + np.arange(15000)[:, None])",
    "solve_codes": "pw.solve_codes(X, np.ones((60000, 12)))",
    "solve_components": "pw.solve_components(X, np.ones((30, 60000)))",
    "automatic": "pw.automatic(sp.csr_matrix((np.ones(30), (np.arange(30), np.arange(30) * 10**7)), shape=(30, 2**31 - 1)), y)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
@pytest.mark.parametrize("what", REFUSED)
def test_more_memory_than_there_is_is_refused_with_both_numbers(what: str) -> None:
    code = SETUP + f"try: {REFUSED[what]}\nexcept MemoryError as error: print(error); sys.exit(0)\nsys.exit(7)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stderr[-400:])
    assert "needs about" in done.stdout and "are available" in done.stdout, done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
def test_what_fits_into_the_limit_is_computed() -> None:
    code = SETUP + "m = pw.NMF(3, **few).fit(X); m.transform(X); pw.GNMF(2, **few).fit(X); pw.automatic(X, y); print('done')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout == "done\n", done.stderr[-400:]
