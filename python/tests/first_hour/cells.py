"""The first hour with cells: from markers to AnnData, where the anndata package is installed."""

import numpy as np
import pandas as pd
from partwise import Guidance, GuidedNMF, tl

# Made-up counts: three kinds of cells, each with three genes that only it has.
rng = np.random.default_rng(0)
kinds = rng.integers(0, 3, 150)
profiles = rng.gamma(0.3, size=(3, 60))
for kind in range(3):
    own = slice(3 * kind, 3 * kind + 3)
    profiles[:, own] = 0
    profiles[kind, own] = 4
cells = [f"cell {i}" for i in range(150)]
counts = pd.DataFrame(rng.poisson(2 * profiles[kinds]).astype(float), index=cells, columns=[f"g{j}" for j in range(60)])
truth = np.array(["T", "B", "NK"], dtype=object)[kinds]
markers = {"T": ["g0", "g1"], "B": ["g3", "g4"], "NK": ["g6", "g7"]}

model = GuidedNMF(3, guidance=Guidance(markers), random_state=0).fit(counts)
print(model.guidance_report_)
print(model.to_frame("topics")[["size", "features"]])
assert list(model.component_names_) == ["T", "B", "NK"]
assert list(model.to_frame("codes").index) == cells
assert (model.predict(counts) == truth).mean() > 0.9
model.write_report("cells.html", counts, labels=truth)

try:
    import anndata
except ImportError:
    print("anndata is not installed: its part was left out")
else:
    adata = anndata.AnnData(counts)
    tl.guided_nmf(adata, markers, random_state=0)
    assert adata.obsm["X_partwise"].shape == (150, 3)
    assert (adata.obs["partwise"].astype(object) == truth).mean() > 0.9
