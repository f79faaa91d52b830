"""Promise: a new user's first hour works with what `pip install` gives. The scripts of `first_hour` run as
they are, in an empty folder, with the command `partwise` at hand."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).with_name("first_hour").glob("*.py"))


def test_there_are_scripts():
    assert SCRIPTS


@pytest.fixture
def environment(tmp_path):
    """The variables of a terminal in which the environment of this Python is active."""
    programs = str(Path(sys.executable).parent)
    if not shutil.which("partwise", path=programs):
        # The package is used from its sources.
        programs = str(tmp_path / "programs")
        Path(programs).mkdir()
        command = Path(programs) / "partwise"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m partwise_command "$@"\n')
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]]), "MPLBACKEND": "Agg"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_of_the_first_hour_runs(script, environment, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    done = subprocess.run([sys.executable, script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
