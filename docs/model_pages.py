"""A hook of mkdocs: one page a model, made from the registry of the engine and the docstring of its
estimator."""

from __future__ import annotations

import inspect

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
    head = ["# Methods", "", "| estimator | what it does | what it needs | losses |", "|---|---|---|---|"]
    made["models/index.md"] = "\n".join([*head, *rows, ""])
    return made


def _page(estimator: type[partwise.Factorization], spec: dict[str, object]) -> str:
    name, method = estimator.__name__, estimator._method
    text = inspect.getdoc(estimator) or ""
    return "\n".join(
        [
            f"# {name}",
            "",
            f"{spec['title']}: {spec['summary']}.",
            "",
            f"- Minimizes `{spec['objective']}`",
            f"- Needs: {spec['needs']}",
            f"- Losses: {', '.join(spec['losses'])}",  # type: ignore[arg-type]
            f"- Reference: {spec['reference']}",
            f"- Differs from the publication: {spec['differs']}",
            f"- Command line: `partwise fit data.npy --method {method}`",
            "",
            "## In Python",
            "",
            "```text",
            text,
            "```",
            "",
        ]
    )


def on_files(files, config):  # type: ignore[no-untyped-def]
    """Adds the pages to the site."""
    from mkdocs.structure.files import File

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files
