#!/usr/bin/env python3
"""Nothing is in deploy/ that no test looks at: docs/deploy.md has a row for each folder, and what the row says that
tries it exists.
"""

import re
import sys

import catalogue

page = (catalogue.ROOT / "docs/deploy.md").read_text()
rows = dict(re.findall(r"^\| `deploy/(\w+)` \| [^|]* \| ([^|]*) \|$", page, re.M))
folders = {path.name for path in (catalogue.ROOT / "deploy").iterdir()}
problems = [f"docs/deploy.md has no row for deploy/{name}" for name in folders - rows.keys()]
problems += [f"docs/deploy.md has a row for deploy/{name}, which is not there" for name in rows.keys() - folders]
checks = set(re.findall(r"^check (\w+) ", (catalogue.ROOT / "Tests/Deploy/run").read_text(), re.M))
called = "".join((catalogue.ROOT / path).read_text() for path in (".ci/run", "Tests/Deploy/run"))
for name, cell in rows.items():
    commands = re.findall(r"`([^`]+)`", cell)
    if not commands:
        problems.append(f"nothing tries deploy/{name}")
    for command in commands:
        path, *words = command.split()
        if not (catalogue.ROOT / path).exists() or not set(words) <= checks:
            problems.append(f"deploy/{name}: there is no {command}")
        elif path != ".ci/run" and not path.endswith(".swift") and path not in called:
            problems.append(f"neither .ci/run nor Tests/Deploy/run calls {path}")
if problems:
    sys.exit("\n".join(problems))
print(f"each of the {len(folders)} folders of deploy/ has something that tries it")
