"""A Debian in a folder, in which a package is installed and its units' commands run."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import catalogue
from unit import Unit

ROOT = catalogue.ROOT
PACKAGES = (
    "libssl3,libpq5,librdkafka1,libcurl4,zlib1g,libzstd1,libjemalloc2,ca-certificates,systemd-standalone-sysusers,"
    "systemd-standalone-tmpfiles,libstdc++6,util-linux"
)


def run(*command, **options):
    """What a command prints; ends the test when it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise SystemExit(
            f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout[-3000:]}{result.stderr[-3000:]}"
        )
    return result.stdout


def expect(condition, text):
    if not condition:
        raise SystemExit(f"expected: {text}")


class Installed:
    """A Debian in a folder."""

    def __init__(self, folder, swift):
        self.root, self.swift, self.processes = pathlib.Path(folder), swift, []

    def make(self):
        tar = ROOT / ".build/deploy/bookworm.tar"
        if not tar.exists():
            tar.parent.mkdir(exist_ok=True)
            run("mmdebstrap", "--format=tar", "--variant=minbase", f"--include={PACKAGES}", "bookworm", f"{tar}.part")
            os.rename(f"{tar}.part", tar)
        run("tar", "-C", self.root, "--exclude=./dev/*", "-xf", tar)
        # Paths of a debug build's programs lead to the toolchain.
        for path in self.swift:
            (self.root / path.lstrip("/")).mkdir(parents=True)
            run("mount", "--bind", path, self.root / path.lstrip("/"))
        (self.root / "run/credentials").mkdir()
        run("mount", "--bind", "/dev", self.root / "dev")
        run("mount", "-t", "proc", "proc", self.root / "proc")

    def inside(self, *command, **options):
        return run(
            "chroot",
            self.root,
            *command,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"},
            **options,
        )

    def path(self, text):
        return self.root / text.lstrip("/")

    def unit(self, name, instance=""):
        return Unit(self.path(f"/lib/systemd/system/{name}"), instance)

    def start(self, unit, beside=(), log=None):
        """The unit's commands, confined. Returns the process."""
        command = [
            "/usr/bin/python3",
            ROOT / "Tests/Deploy/confine.py",
            self.root,
            unit.path,
            *([unit.instance] if unit.instance else []),
            "--",
            *beside,
        ]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def finish(self, unit, beside=()):
        """The unit's commands until their end: status and what they printed."""
        with tempfile.TemporaryFile("w+") as log:
            status = self.start(unit, beside, log).wait(60)
            log.seek(0)
            return status, log.read()

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        for line in reversed(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()):
            place = line.split()[4]
            if place.startswith(str(self.root) + "/"):
                subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(self.root)
