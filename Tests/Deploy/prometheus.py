#!/usr/bin/env python3
"""Holds deploy/prometheus against the code and docs/runbook.md, and lets promtool fire each alert
(Tests/Deploy/alerts.yaml).
"""

import re
import subprocess
import sys
import tempfile

import yaml

import catalogue
import promql

rules_folder = catalogue.ROOT / "deploy/prometheus/rules"
problems, rules = [], {}
for path in sorted(rules_folder.glob("*.yaml")):
    for group in yaml.safe_load(path.read_text())["groups"]:
        for rule in group["rules"]:
            rules[rule["alert"]] = rule
            problems += [f"{rule['alert']}: {text}" for text in promql.problems(rule["expr"])]
            if rule["labels"].get("severity") not in ("page", "ticket"):
                problems.append(f"{rule['alert']}: its severity is neither page nor ticket")
            if rule["annotations"].get("runbook_url") != f"docs/runbook.md#{rule['alert'].lower()}":
                problems.append(f"{rule['alert']}: its runbook_url must name its own section")
            if not rule["annotations"].get("summary"):
                problems.append(f"{rule['alert']}: has no summary")
assert len(rules) > 40, "the rules are not read"

# The runbook has a section for each alert, each with what it means, what to look at and what to run, and no other.
page = (catalogue.ROOT / "docs/runbook.md").read_text()
sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", page, re.M | re.S))
problems += [f"docs/runbook.md lacks {name}" for name in rules if name not in sections]
problems += [f"docs/runbook.md has {name}, which is no alert" for name in sections if name not in rules]
for name, text in sections.items():
    problems += [
        f"docs/runbook.md, {name}: no {part}" for part in ("**Means**", "**Look at**", "**Run**") if part not in text
    ]

# What docs/metrics.md says to wake a person for has an alert.
alerted = set().union(*(promql.names(rule["expr"]) for rule in rules.values()))
for name, alert in re.findall(
    r"^\| `([a-z_]+)[^|]*\|[^|]*\| *([^| ][^|]*)\|$", (catalogue.ROOT / "docs/metrics.md").read_text(), re.M
):
    if not {name, name + "_count", name + "_bucket"} & alerted and "see the" not in alert:
        problems.append(f"docs/metrics.md wants an alert for {name}: {alert.strip()}")

cases = yaml.safe_load((catalogue.ROOT / "Tests/Deploy/alerts.yaml").read_text())
tried = [case["alert"] for case in cases]
problems += [f"Tests/Deploy/alerts.yaml lacks {name}" for name in rules if name not in tried]
problems += [f"Tests/Deploy/alerts.yaml has {name}, which is no alert" for name in tried if name not in rules]
for case in cases:
    for series in list(case["fires"]) + list(case["silent"]):
        # Values that do not exist in the code may stand for any.
        wrong = [text for text in promql.problems(series) if "=" not in text]
        problems += [f"Tests/Deploy/alerts.yaml, {case['alert']}: {text}" for text in wrong]


def expected(case):
    """The alert as promtool expects it, its texts with the labels put in."""
    rule, labels = rules[case["alert"]], case.get("labels", {})

    def filled(text):
        return re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda match: labels.get(match.group(1), ""), text)

    return {
        "exp_labels": labels | rule["labels"],
        "exp_annotations": {k: filled(v) for k, v in rule["annotations"].items()},
    }


def test(case, series, time, alerts):
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"eval_time": time, "alertname": case["alert"], "exp_alerts": alerts}],
    }


if problems:
    sys.exit("\n".join(problems))
# A day is looked at in larger steps.
for interval in ("1m", "5m"):
    tests = []
    for case in cases:
        time = case.get("at", "20m")
        if time.endswith("h") == (interval == "5m"):
            tests.append(test(case, case["fires"], time, [expected(case)]))
            tests.append(test(case, case["silent"], case.get("silent_at", time), []))
    files = [str(path) for path in sorted(rules_folder.glob("*.yaml"))]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump({"rule_files": files, "evaluation_interval": interval, "tests": tests}, file)
        file.flush()
        result = subprocess.run(["promtool", "test", "rules", file.name], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.stdout + result.stderr)
subprocess.run(
    ["promtool", "check", "config", "deploy/prometheus/prometheus.yaml"],
    cwd=catalogue.ROOT,
    check=True,
    stdout=subprocess.DEVNULL,
)
print(
    f"{len(rules)} alerts name metrics that exist and a section of docs/runbook.md; each fires, and each stays silent"
)
