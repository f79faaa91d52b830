"""The first hour with images: digits, two labels each, from the command line to a page and to Python."""

import subprocess
from pathlib import Path

import numpy as np
import partwise as pw


def partwise(command):
    """One command, as it is typed."""
    subprocess.run(["partwise", *command.split()], check=True)


# Your data: a table of numbers, and a few labels.
X, truth = pw.datasets.load_digits(return_X_y=True)
labelled = np.concatenate([np.flatnonzero(truth == digit)[:2] for digit in range(10)])
np.save("digits.npy", X)
Path("labels.csv").write_text("index,label\n" + "".join(f"{i},{truth[i]}\n" for i in labelled))
Path("truth.csv").write_text("index,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(truth)))

partwise("demo --out demo")
partwise("fit digits.npy --labels labels.csv --out digits")
partwise("evaluate digits --labels truth.csv")
partwise("suggest digits -n 5")
partwise("classify digits.npy --labels labels.csv --out classes")
partwise("transform digits/model.safetensors digits.npy --out codes")
partwise("cite guided")

model = pw.load("digits/model.safetensors")
unlabelled = np.setdiff1d(np.arange(len(truth)), labelled)
# The components are the digits: their names come from the labels.
assert sorted(model.component_names_) == [str(digit) for digit in range(10)]
accuracy = (model.component_names_[model.labels_] == truth.astype(str))[unlabelled].mean()
plain = pw.metrics.accuracy(truth[unlabelled], pw.NMF(10, random_state=0, max_iter=500).fit(X).labels_[unlabelled])
assert accuracy > plain, (accuracy, plain)
assert all(Path(folder, "report.html").read_text().rstrip().endswith("</html>") for folder in ("demo", "digits"))
print(f"{accuracy:.0%} of the other digits by guided NMF, {plain:.0%} by plain NMF")
