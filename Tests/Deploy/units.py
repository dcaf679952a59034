#!/usr/bin/env python3
"""Holds deploy/systemd: systemd reads every unit, none is more exposed than 1.5 of 10, each has limits, and templates
are as their services.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import catalogue
from unit import Unit

# The most that `systemd-analyze security` may find, of 100.
THRESHOLD = 15
LIMITS = ["MemoryMax", "MemorySwapMax", "TasksMax", "LimitNOFILE", "LimitCORE"]
HARDENING = {
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "NoNewPrivileges": "yes",
    "DynamicUser": "yes",
    "UMask": "0077",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "ProtectProc": "invisible",
    "ProcSubset": "pid",
    "MemoryDenyWriteExecute": "yes",
    "RestrictNamespaces": "yes",
    "SystemCallArchitectures": "native",
    "ProtectKernelTunables": "yes",
    "ProtectControlGroups": "yes",
    "LockPersonality": "yes",
    "RestrictSUIDSGID": "yes",
}
# What a template has beside its service.
OF_TEMPLATES = r"^(Description=.*|Environment=(HTTP_PORT|KAFKA_MEMBER).*|# The instance .*)$"

folder = catalogue.ROOT / "deploy/systemd"
problems = []
services = sorted(folder.glob("*.service"))
assert len(services) > 10, "the units are not read"
for path in services:
    unit = Unit(path, "01" if "@" in path.name else "")
    problems += [f"{path.name}: has no {limit}" for limit in LIMITS if not unit.value(limit)]
    for key, value in HARDENING.items():
        if unit.value(key) != value:
            problems.append(f"{path.name}: {key} is {unit.value(key)}, not {value}")
    if unit.values("Service", "SystemCallFilter") != ["@system-service", "~@privileged @keyring @memlock"]:
        problems.append(f"{path.name}: other system calls than the others")
    file = unit.environment.get("CONFIG_FILE")
    if file and not (catalogue.ROOT / "deploy/deb/etc" / pathlib.Path(file).name).exists():
        problems.append(f"{path.name}: the package has no {file}")
    wanted = {value.rsplit("/", 1)[-1] for value in unit.environment.values() if value.startswith("/run/credentials/")}
    if wanted != set(unit.credentials):
        problems.append(f"{path.name}: reads the credentials {sorted(wanted)}, and loads {sorted(unit.credentials)}")
    if unit.value("Type") == "oneshot" and not unit.value("TimeoutStartSec"):
        problems.append(f"{path.name}: may run for ever")
    for line in unit.values("Service", "ExecStart"):
        words = line.split()
        program = words[0].removeprefix("/usr/bin/")
        command = [program] + [
            word for word in words[1:3] if re.fullmatch(r"[a-z-]+", word) and not word.startswith("-")
        ]
        page = catalogue.help_of(*command)
        if "\nUsage: " not in page:
            problems.append(f"{path.name}: there is no command {' '.join(command)}")
        problems += [
            f"{path.name}: {' '.join(command)} has no {word}"
            for word in words
            if word.startswith("--") and f"  {word}" not in page
        ]
        known, required = catalogue.variables(*command)
        problems += [f"{path.name}: {command[0]} reads no {name}" for name in unit.environment if name not in known]
        settings = catalogue.keys(catalogue.ROOT / f"deploy/deb/etc/{program}.json")
        for names in required if unit.value("Type") == "exec" else []:
            if not set(names) & (set(unit.environment) | settings):
                problems.append(f"{path.name}: nothing gives it {' or '.join(names)}")
    template = folder / path.name.replace(".service", "@.service")
    if "@" not in path.name and template.exists():
        texts = [
            [line for line in one.read_text().splitlines() if not re.match(OF_TEMPLATES, line)]
            for one in (path, template)
        ]
        if texts[0] != texts[1]:
            problems.append(f"{template.name}: differs from {path.name} in more than name, ports and member")
for path in sorted(folder.glob("*.timer")):
    if not path.with_suffix(".service").exists():
        problems.append(f"{path.name}: starts nothing")
problems += [
    f"{path.name}: nothing starts it"
    for path in services
    if Unit(path, "01").value("Type") == "oneshot" and not path.with_suffix(".timer").exists()
]
if problems:
    sys.exit("\n".join(problems))

with tempfile.TemporaryDirectory() as root:
    # systemd-analyze wants the programs and the targets that a system has.
    system = pathlib.Path(root, "usr/lib/systemd/system")
    system.mkdir(parents=True)
    for found in ["/usr/lib/systemd/system", "/lib/systemd/system"]:
        for path in pathlib.Path(found).glob("*.target"):
            shutil.copy(path, system, follow_symlinks=True)
    for path in folder.iterdir():
        if path.suffix in (".service", ".timer", ".target"):
            shutil.copy(path, system)
    binaries = pathlib.Path(root, "usr/bin")
    binaries.mkdir()
    for name in catalogue.PROGRAMS:
        (binaries / name).write_text("#!/bin/sh\n")
        (binaries / name).chmod(0o755)
    names = [path.name.replace("@.", "@01.") for path in sorted(system.iterdir()) if (folder / path.name).exists()]
    result = subprocess.run(
        ["systemd-analyze", "verify", f"--root={root}", "--man=no", "--recursive-errors=no", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [
        line
        for line in result.stderr.splitlines()
        if "orchard" in line or any(name in line for name in catalogue.PROGRAMS)
    ]
    if result.returncode != 0 or wrong:
        sys.exit("systemd-analyze verify:\n" + (result.stderr or result.stdout))
    for name in names:
        if name.endswith(".service"):
            result = subprocess.run(
                [
                    "systemd-analyze",
                    "security",
                    "--offline=yes",
                    f"--root={root}",
                    f"--threshold={THRESHOLD}",
                    "--no-pager",
                    name,
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            if result.returncode != 0:
                sys.exit(f"{name} is more exposed than {THRESHOLD}:\n{result.stdout}{result.stderr}")
print(f"{len(services)} units: systemd reads them, none is more exposed than {THRESHOLD / 10} of 10, each has limits")
