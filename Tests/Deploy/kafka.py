#!/usr/bin/env python3
"""Holds deploy/kafka against docs/asyncapi.yaml, which a test holds against the code; and tries it at an Apache Kafka
where there is one.
"""

import collections
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import yaml

import catalogue

FOLDER = catalogue.ROOT / "deploy/kafka"
KAFKA = catalogue.ROOT / "../shared/kafka/kafka"
problems = []


def printed(*command):
    """The words of each line that a script prints."""
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [shlex.split(line) for line in text.splitlines()]


def option(words, name):
    return [words[index + 1] for index, word in enumerate(words) if word == name]


wanted = {}
for channel in yaml.safe_load((catalogue.ROOT / "docs/asyncapi.yaml").read_text())["channels"].values():
    settings = channel["bindings"]["kafka"]["topicConfiguration"]
    wanted[channel["address"]] = {
        key: ",".join(value) if isinstance(value, list) else str(value) for key, value in settings.items()
    }
assert len(wanted) > 5, "docs/asyncapi.yaml is not read"
made = {}
for words in printed(FOLDER / "topics", "--namespace", "shop.", "--partitions", "24", "--replication", "3"):
    made[option(words, "--topic")[0].removeprefix("shop.")] = dict(
        text.split("=") for text in option(words, "--config")
    )
    if option(words, "--partitions") != ["24"] or option(words, "--replication-factor") != ["3"]:
        problems.append(f"topics: {words} has other partitions or copies than it was told")
problems += [
    f"topics: {name} is {made.get(name)}, and must be {wanted.get(name)}"
    for name in sorted(wanted.keys() | made.keys())
    if made.get(name) != wanted.get(name)
]

# The table of the page says what the script does.
rights, groups = collections.defaultdict(set), collections.defaultdict(set)
for words in printed(FOLDER / "acls"):
    who = option(words, "--allow-principal")[0].removeprefix("User:")
    for topic in option(words, "--topic"):
        if topic not in wanted:
            problems.append(f"acls: there is no topic {topic}")
        rights[who, topic] |= {word.lower() for word in option(words, "--operation")} - {"describeconfigs"}
    groups[who] |= set(option(words, "--group"))
page = (FOLDER / "README.md").read_text()
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
columns = rows[0][1:-1]
problems += [
    f"README.md has no column {name}" for name in wanted if re.sub(r"^orchard\.|\.v1", "", name) not in columns
]
for row in rows[2:]:
    for column, cell in zip(columns, row[1:-1]):
        topic = "orchard." + column.replace(".dlq", "") + ".v1" + (".dlq" if column.endswith(".dlq") else "")
        if set(filter(None, cell.split(", "))) != rights[row[0], topic]:
            problems.append(
                f"README.md lets {row[0]} {cell or 'do nothing'} at {topic}, acls {sorted(rights[row[0], topic])}"
            )
    if set(re.findall(r"`([^`]+)`", row[-1])) != groups[row[0]]:
        problems.append(f"README.md has other groups of {row[0]} than acls")
if problems:
    sys.exit("\n".join(problems))

if not KAFKA.exists() or not shutil.which("java"):
    print(f"{len(made)} topics are as docs/asyncapi.yaml has them; NOT TRIED at an Apache Kafka: there is none")
    sys.exit()
with tempfile.TemporaryDirectory() as parent:
    folder = str(pathlib.Path(parent, "kafka"))
    # One random cluster id in 64 begins with a hyphen, and Kafka's tool takes it for an option.
    for left in (2, 1, 0):
        started = subprocess.run(
            [KAFKA, "start", "--dir", folder], capture_output=True, text=True, check=False
        )
        if started.returncode == 0 or left == 0 or "--cluster-id" not in started.stderr:
            break
        shutil.rmtree(folder, ignore_errors=True)
    started.check_returncode()
    servers = started.stdout.strip()
    try:
        check = [
            catalogue.program("order-ledger"),
            "topics",
            "check",
            "--kafka-bootstrap-servers",
            servers,
            "--kafka-partitions",
            "6",
        ]
        if subprocess.run(check, capture_output=True, check=False).returncode == 0:
            sys.exit("topics check finds nothing missing in an empty Kafka")
        for _ in range(2):
            subprocess.run(
                [
                    FOLDER / "topics",
                    "--partitions",
                    "6",
                    "--replication",
                    "1",
                    "--",
                    KAFKA,
                    "tool",
                    "--dir",
                    folder,
                    "kafka-topics",
                ],
                capture_output=True,
                text=True,
                check=True,
            )
        result = subprocess.run(check, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"order-ledger topics check finds faults in what the script made:\n{result.stdout}{result.stderr}")
    finally:
        subprocess.run([KAFKA, "kill", "--dir", folder], capture_output=True, check=False)
print(f"{len(made)} topics are as docs/asyncapi.yaml has them, also at an Apache Kafka; the table of ACLs is right")
