"""The first hour with texts: ten topics, two of them named by seed words, then steered.

The texts are the paragraphs of Python's own help pages, which come with every Python.
"""

import re
from pathlib import Path
from pydoc_data.topics import topics

from partwise import Guidance, GuidedNMF
from sklearn.feature_extraction.text import TfidfVectorizer

pages = [re.split(r"\n\s*\n", page) for page in topics.values()]
documents = [" ".join(paragraph.split()) for page in pages for paragraph in page if len(paragraph.split()) >= 20]

# Ten lines from texts to topics that hold while two of them are steered.
vectorizer = TfidfVectorizer(stop_words="english", min_df=5, max_df=0.5)
X = vectorizer.fit_transform(documents)
seeds = {"errors": ["exception", "raise"], "classes": ["class", "instance"]}
model = GuidedNMF(10, guidance=Guidance(seeds, feature_names=vectorizer), random_state=0).fit(X)
print(model.to_frame("topics", texts=documents)[["size", "features"]])
print(model.guidance_report_)
steering = model.steer(X)
steering.merge(*model.component_names_[-2:])
steered = steering.split(model.component_names_[2], "fourth", [model.top_features(3)[model.component_names_[2]][1][0]])
steered.write_report("texts.html", X, texts=documents)

assert list(model.component_names_[:2]) == ["errors", "classes"]
print(steering.changes)
# One topic less by the merge, one more by the split; the named ones are where they were.
assert len(steered.component_names_) == 10 and "fourth" in steered.component_names_
assert list(steered.component_names_[:2]) == ["errors", "classes"]
for name in seeds:
    before, after = (dict(found.top_features(8)[name]) for found in (model, steered))
    assert len(before.keys() & after.keys()) >= 7, name
assert set(steered.predict(X)) <= {*steered.component_names_, None}
assert "errors" in Path("texts.html").read_text(encoding="utf-8")
