"""A hook of mkdocs: the reference of the Python package and of the command line, by groups of names and by
command. The names come from the package and from the help, so that none is left out."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
from pathlib import Path

import partwise
from partwise._estimators import ESTIMATORS

ROOT = Path(__file__).parents[1]

# The pages of the Python reference: title, first sentence, names. What is in none goes to the last.
GROUPS = {
    "guidance": ("Guidance", "What you know, as one object: the `guidance` of `GuidedNMF`.", ["Guidance", "Topic", *partwise._guidance.__all__]),
    "results": (
        "Reports and steering",
        "What a fitted `GuidedNMF` returns about its guidance, and the corrections of a model.",
        ["GuidanceReport", "TopicVerdict", "ComponentLikeness", "GuidanceCost", "Finding", "Suggestion", "PairInDoubt", "Steering", "Changes", "TopicChange"],
    ),
    "classifier": (
        "The few-label classifier",
        "Classes of all samples from the labels of a few, without parameters to tune.",
        ["FewLabelClassifier", "Phase", "automatic", "Automatic"],
    ),
    "functions": ("Functions", "Data in row blocks, the number of components, consensus of many fits, comparisons, one factor, citations, model files.", []),
}

# Modules with public functions.
MODULES = {
    "datasets": "Example data, and readers for files",
    "metrics": "Measures of a clustering or a factorization",
    "tl": "Functions for AnnData, as scanpy has them",
}


def pages() -> dict[str, str]:
    """The pages by their path."""
    return {**_python(), **_commands()}


def _python() -> dict[str, str]:
    ours = {e.__name__ for e in ESTIMATORS} | {"Factorization", "Iteration", "__version__", *MODULES}
    left = [name for name in partwise.__all__ if name not in ours]
    # The methods are in several base classes.
    factorization = "partwise.Factorization\n    options:\n      inherited_members: true"
    made = {"reference/estimators.md": _members("What all estimators share", _SHARED, [factorization, "partwise.Iteration"])}
    for path, (title, text, names) in GROUPS.items():
        names = list(dict.fromkeys(name for name in names if name in left)) or sorted(left, key=str.lower)
        left = [name for name in left if name not in names]
        made[f"reference/{path}.md"] = _members(title, text, [f"partwise.{name}" for name in names])
    assert not left, f"no page of the reference has {left}"
    for module, title in MODULES.items():
        names = getattr(partwise, module).__all__
        made[f"reference/{module}.md"] = _members(f"partwise.{module}", f"{title}.", [f"partwise.{module}.{name}" for name in names])
    return made


_SHARED = """\
Every method is a class with the conventions of scikit-learn: parameters in the constructor, `fit(X, y)`,
fitted attributes with a trailing underscore. The pages under [Methods](../models/index.md) list the
parameters of each class. This page has the methods that all of them share."""


def _members(title: str, text: str, names: list[str]) -> str:
    return "\n\n".join([f"# {title}", text, *(f"::: {name}" for name in names), ""])


def command_line() -> str | None:
    """The program: the one that was built here, or the one on the path."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = (target / profile / "partwise" for profile in ("debug", "release"))
    return next((str(path) for path in built if path.is_file()), shutil.which("partwise"))


def _help(program: str, *words: str) -> str:
    # The help breaks its lines at this width; a page shows as many letters without breaking them again.
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    shown = subprocess.run([program, *words], env=environment, capture_output=True, text=True, check=True)
    return shown.stdout.strip()


def _commands() -> dict[str, str]:
    program = command_line()
    if program is None:
        raise FileNotFoundError("the command line: cargo build -p partwise-cli, or install partwise")
    overview = _help(program, "--help")
    listed = re.search(r"^Commands:\n(.*?)^(?=\S)", overview, flags=re.M | re.S)
    assert listed, "the help lists no commands"
    names = [name for name in re.findall(r"^  ([a-z-]+)", listed[1], flags=re.M) if name != "help"]
    made = {"reference/partwise.md": f"# partwise\n\n```text\n{overview}\n```\n"}
    for name in names:
        made[f"reference/partwise-{name}.md"] = _command(name, _help(program, name, "--help"))
    return made


def _command(name: str, text: str) -> str:
    """A command: its description, its usage, and its options by group."""
    parts = re.split(r"^(?=\S.*:$|Usage: )", text, flags=re.M)
    page = [f"# partwise {name}", parts[0].strip()]
    for part in parts[1:]:
        first, _, rest = part.partition("\n")
        if first.startswith("Usage: "):
            page.append(f"```text\n{part.strip()}\n```")
        else:
            body = inspect.cleandoc("\n" + rest).rstrip()
            page.append(f"## {first.rstrip(':')}\n\n```text\n{body}\n```")
    return "\n\n".join(page) + "\n"


def on_config(config):  # type: ignore[no-untyped-def]
    """Puts the generated pages into the navigation, and the version into the title of the site."""
    made = pages()
    commands = [path for path in made if re.match(r"reference/partwise", path)]
    for section in config["nav"]:
        for part in section.get("Reference", []):
            if "Python" in part:
                part["Python"] = [path for path in made if path not in commands]
            if "Command line" in part:
                part["Command line"] = commands
        if "Methods" in section:
            methods = [{e.__name__: f"models/{e._method}.md"} for e in ESTIMATORS]
            section["Methods"] = [{"All methods": "models/index.md"}, *methods]
    config["site_name"] = f"Partwise {partwise.__version__}"
    return config


def on_files(files, config):  # type: ignore[no-untyped-def]
    """Adds the pages to the site."""
    from mkdocs.structure.files import File

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files
