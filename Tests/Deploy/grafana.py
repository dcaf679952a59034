#!/usr/bin/env python3
"""Holds deploy/grafana against the code: every series, label and value exists, every metric is shown, the files are
what `draw` makes.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

import catalogue
import promql

folder = catalogue.ROOT / "deploy/grafana"
problems, shown, panels = [], set(), 0
with tempfile.TemporaryDirectory() as made:
    subprocess.run([str(folder / "draw"), made], check=True)
    names = {path.name for path in pathlib.Path(made).iterdir()} | {
        path.name for path in (folder / "dashboards").iterdir()
    }
    for name in sorted(names):
        new, old = pathlib.Path(made) / name, folder / "dashboards" / name
        if not (new.exists() and old.exists() and new.read_text() == old.read_text()):
            problems.append(f"dashboards/{name} is not what deploy/grafana/draw makes")

for path in sorted((folder / "dashboards").glob("*.json")):
    dashboard = json.loads(path.read_text())
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    taken, identifiers = set(), set()
    for panel in dashboard["panels"]:
        where = f"{path.name}, {panel['title']}"
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        if taken & cells or place["x"] + place["w"] > 24:
            problems.append(f"{where}: lies over another panel, or beyond the edge")
        taken |= cells
        if panel["id"] in identifiers:
            problems.append(f"{where}: its id is another panel's")
        identifiers.add(panel["id"])
        panels += panel["type"] != "row"
        for target in panel.get("targets", []):
            expression = target["expr"]
            problems += [f"{where}: {text}" for text in promql.problems(expression)]
            shown |= promql.names(expression)
            for variable in set(re.findall(r"\$\{?(\w+)", expression)) - {"__rate_interval", "__range"} - variables:
                problems.append(f"{where}: there is no variable {variable}")
            # A legend names labels that the expression keeps.
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                kept = re.findall(r"by \(([^)]*)\)", expression)
                if kept and not any(label in part.replace(" ", "").split(",") for part in kept):
                    problems.append(f"{where}: the legend names {label}, which the expression does not keep")
                elif not any(label in catalogue.metrics()[series] for series in promql.names(expression)):
                    problems.append(f"{where}: the legend names {label}, which no series has")
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            series, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()
            if label not in catalogue.metrics().get(series, set()):
                problems.append(f"{path.name}: no {series} with the label {label}")

# Whoever adds a metric shows it.
for name in catalogue.metrics():
    family = {name} | {re.sub("_(bucket|sum|count)$", "", name) + end for end in ("_bucket", "_sum", "_count")}
    if name != "up" and not family & shown:
        problems.append(f"no dashboard shows {name}")

titles = set(
    re.findall(r'"title": "([^"]+)"', "".join(path.read_text() for path in (folder / "dashboards").glob("*.json")))
)
named = re.findall(r'panel "([^"]+)"', " ".join((catalogue.ROOT / "docs/runbook.md").read_text().split()))
problems += [
    f"docs/runbook.md names the panel {name!r}, which is in no dashboard" for name in named if name not in titles
]

# The files that tell Grafana where they are can be read, and name the folder that the page names.
for path in sorted((folder / "provisioning").rglob("*.yaml")):
    if yaml.safe_load(path.read_text()).get("apiVersion") != 1:
        problems.append(f"{path.name}: apiVersion is not 1")
folders = {
    provider["options"]["path"]
    for path in (folder / "provisioning/dashboards").glob("*.yaml")
    for provider in yaml.safe_load(path.read_text())["providers"]
}
compose = yaml.safe_load((catalogue.ROOT / "deploy/compose/compose.yaml").read_text())
mounts = {volume.split(":")[1]: volume.split(":")[0] for volume in compose["services"]["grafana"]["volumes"]}
for path in folders:
    if mounts.get(path) != "../grafana/dashboards":
        problems.append(f"compose.yaml mounts no dashboards at {path}")
# The panels ask the one source that is there, in compose's file as well.
sources = [*(folder / "provisioning/datasources").glob("*.yaml"), catalogue.ROOT / "deploy/compose/datasource.yaml"]
for path in sources:
    source = yaml.safe_load(path.read_text())["datasources"][0]
    if (source["type"], source["isDefault"]) != ("prometheus", True):
        problems.append(f"{path.parent.name}/{path.name} is no Prometheus that the panels take by default")
    host, port = re.fullmatch(r"http://([a-z0-9.]+):(\d+)", source["url"]).groups()
    if path.parent.name != "compose":
        continue
    published = compose["services"].get(host, {}).get("ports", [""])[0]
    if not published.endswith(f":{port}"):
        problems.append(f"compose/datasource.yaml: nothing listens on {source['url']}")
if problems:
    sys.exit("\n".join(problems))
assert panels > 80, "the panels are not read"
print(f"{panels} panels name metrics that exist, and every metric is in one")
