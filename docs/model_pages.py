"""A hook of mkdocs: one page a method, made from the registry of the engine and the docstring of its
estimator."""

from __future__ import annotations

import partwise
from partwise import _native
from partwise._estimators import ESTIMATORS


def pages() -> dict[str, str]:
    """The pages by their path: one a method, and a table of all."""
    specs = {spec["name"]: spec for spec in _native.registries()["methods"]}
    made, rows = {}, []
    for estimator in ESTIMATORS:
        spec, name = specs[estimator._method], estimator.__name__
        made[f"models/{estimator._method}.md"] = _page(estimator, spec)
        rows.append(f"| [`{name}`]({estimator._method}.md) | {spec['summary']} | {spec['needs']} | {', '.join(spec['losses'])} |")
    head = ["# Methods", "", _INTRODUCTION, "", "| estimator | what it does | what it needs | losses |", "|---|---|---|---|"]
    made["models/index.md"] = "\n".join([*head, *rows, ""])
    return made


_INTRODUCTION = """\
Each method is an estimator in Python, a `--method` of the command line and a `Model` in Rust.
[Which method for what I know](../which_method.md) helps to choose one. If in doubt, take
[`GuidedNMF`](guided.md): it takes all kinds of guidance, and labels are spread to the samples without one."""


def _page(estimator: type[partwise.Factorization], spec: dict[str, object]) -> str:
    name, method = estimator.__name__, estimator._method
    components = "" if any(word in str(spec["needs"]) for word in ("label", "name")) else " -k 10"
    return "\n".join(
        [
            f"# {name}",
            "",
            f"{_sentence(str(spec['title']))}: {spec['summary']}.",
            "",
            f"- Minimizes `{spec['objective']}`",
            f"- Needs: {spec['needs']}",
            f"- Losses: {', '.join(spec['losses'])}",  # type: ignore[arg-type]
            f"- Reference: {spec['reference']}",
            f"- Differs from the publication: {spec['differs']}",
            f"- Command line: `partwise fit data.npy --method {method}{components} --out result/`",
            "",
            "The methods `fit`, `transform`, `predict`, `top_features`, `save` and more are those of",
            "[all estimators](../reference/estimators.md).",
            "",
            f"::: partwise.{name}",
            "",
        ]
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def on_files(files, config):  # type: ignore[no-untyped-def]
    """Adds the pages to the site."""
    from mkdocs.structure.files import File

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files
