"""podman, with the settings of Tests/Deploy/containers/run."""

import subprocess


def run(*words, text=None, timeout=None):
    """What a command prints; ends the test when it fails."""
    result = subprocess.run(
        ["podman", *map(str, words)], input=text, capture_output=True, text=True, timeout=timeout, check=False
    )
    if result.returncode != 0:
        raise SystemExit(f"podman {' '.join(map(str, words))}: {result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def finish(*words, timeout):
    """Status and text of a command that may fail."""
    result = subprocess.run(
        ["podman", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False
    )
    return result.returncode, result.stdout


def succeeds(*words):
    return subprocess.run(["podman", *words], capture_output=True, check=False).returncode == 0


def logs(name):
    """The last that a container said."""
    return finish("logs", "--tail", "40", name, timeout=30)[1]


def remove(names):
    if names:
        run("rm", "--force", "--ignore", "--time", "0", *names)


def inspect(name, form):
    return run("inspect", "--format", form, name).strip()


def address(name):
    """Its address on its one network."""
    return inspect(name, "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")
