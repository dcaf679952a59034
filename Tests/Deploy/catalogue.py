"""What the code really has: metrics with their labels, settings, topics, ports, commands. Deployment files are held
against it.
"""

import functools
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["token-ingest", "charge-gateway", "order-ledger"]
# What Prometheus itself adds to each series.
TARGET_LABELS = {"job", "instance"}


@functools.cache
def sources():
    """The text of the product."""
    files = [path for folder in ["Services", "Shared"] for path in sorted((ROOT / folder).rglob("*.swift"))]
    return "\n".join(path.read_text() for path in files)


@functools.cache
def metrics():
    """The labels of each series' name, from docs/metrics.md; TidyTests holds its names against the sources."""
    histograms = set(re.findall(r'\bhistogram\(\s*"([a-z_]+)"', sources()))
    found = {"up": set(TARGET_LABELS)}
    for name, labels in re.findall(
        r"^\| `([A-Za-z_]+)(?:\{([a-z_,]+)\})?`", (ROOT / "docs/metrics.md").read_text(), re.M
    ):
        labels = set(labels.split(",")) - {""} | TARGET_LABELS
        if name.startswith("PREFIX_oldest_unread_"):
            names = ["charge_gateway_oldest_unread_command_age_seconds", "order_ledger_oldest_unread_fact_age_seconds"]
        elif name.startswith("PREFIX_sealing"):
            names = [name.replace("PREFIX", prefix) for prefix in ["charge_gateway", "order_ledger"]]
        elif name.startswith("PREFIX_certificate"):
            names = [name.replace("PREFIX", prefix) for prefix in ["charge_gateway", "token_ingest"]]
        elif name.startswith("PREFIX"):
            names = [name.replace("PREFIX", program.replace("-", "_")) for program in PROGRAMS]
        else:
            names = [name]
        for one in names:
            if one in histograms:
                found |= {one + "_bucket": labels | {"le"}, one + "_sum": labels, one + "_count": labels}
            else:
                found[one] = labels
    return found


def is_value(value):
    """Whether a label's value is a word of the code."""
    return value in PROGRAMS or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sources()) is not None


@functools.cache
def program(name):
    """The path of a program that was built."""
    for configuration in ["debug", "release"]:
        path = ROOT / ".build" / configuration / name
        if path.exists():
            return str(path)
    raise SystemExit(f"{name} is not built: swift build")


@functools.cache
def help_of(*command):
    """What `--help` prints."""
    result = subprocess.run([program(command[0]), *command[1:], "--help"], capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else ""


@functools.cache
def variables(*command):
    """The environment variables that a command reads, and which of them it must have: a list of alternatives each."""
    known, required = set(), []
    for line in help_of(*command).splitlines():
        found = re.match(r"^      \S.*; (default \S+|required|optional); (.*)$", line)
        if not found:
            continue
        names = re.findall(r"\b[A-Z][A-Z0-9_]+\b", found.group(2))
        known.update(names)
        if found.group(1) == "required":
            required.append(names)
    return known | {"CONFIG_FILE"}, required


def keys(path):
    """The settings of a JSON file, as the environment variables that stand for them."""

    def flat(value, name):
        if isinstance(value, dict):
            return set().union(*(flat(below, f"{name}.{key}") for key, below in value.items()))
        return {re.sub(r"[.-]", "_", name.lstrip(".")).upper()}

    return flat(json.loads(pathlib.Path(path).read_text()), "")
