"""Programs from PyPI, each in an environment of its own below .build."""

import subprocess
import sys

import catalogue


def environment(name):
    """The folder of the programs that Tests/Deploy/NAME-requirements.txt names; None where PyPI cannot be had.

    A change of that file makes it anew.
    """
    folder = catalogue.ROOT / ".build/deploy" / name
    requirements = catalogue.ROOT / f"Tests/Deploy/{name}-requirements.txt"
    made = folder / "requirements.txt"
    if not made.exists() or made.read_text() != requirements.read_text():
        for command in [
            [sys.executable, "-m", "venv", "--clear", folder],
            [folder / "bin/pip", "install", "--quiet", "--requirement", requirements],
        ]:
            if subprocess.run(command, check=False, capture_output=True).returncode != 0:
                return None
        made.write_text(requirements.read_text())
    return folder / "bin"
