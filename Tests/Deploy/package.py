#!/usr/bin/env python3
"""Installs, upgrades and removes the .deb in a Debian of its own (mmdebstrap), makes a shop there as docs/deploy.md
says, and runs the commands of every unit as the unit confines them. It needs root, and the servers of
Tests/Servers/run:

    Tests/Servers/run python3 Tests/Deploy/package.py
"""

import contextlib
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import catalogue
from debian import Installed, expect, run
from merchants import ACCOUNT, APPLE, PROCESSING, merchants

ROOT = catalogue.ROOT
# Debian's tags that do not fit a package that is in no archive; programs of a debug build load Swift from where it is.
ACCEPTED = [
    "initial-upload-closes-no-bugs",
    "maintainer-script-calls-systemctl",
    "systemd-service-file-refers-to-unusual-wantedby-target",
    "custom-library-search-path",
    "embedded-library",
]


def packages(folder):
    """Two versions of the package, from the programs that were built for the tests."""
    bin_folder = pathlib.Path(catalogue.program("token-ingest")).parent
    made = [
        run(ROOT / "deploy/deb/build", "--programs", bin_folder, "--output", folder, "--version", version).strip()
        for version in ("0.0.1", "0.0.2")
    ]
    result = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", ",".join(ACCEPTED), made[0]],
        capture_output=True,
        text=True,
        check=False,
    )
    expect(result.returncode == 0, f"lintian finds nothing:\n{result.stdout}{result.stderr}")
    return made


def man_pages(debian):
    """Each page can be read without a warning and names every command."""
    for name in catalogue.PROGRAMS:
        page = gzip.decompress(debian.path(f"/usr/share/man/man1/{name}.1.gz").read_bytes())
        with tempfile.NamedTemporaryFile(suffix=".1") as file:
            file.write(page)
            file.flush()
            result = subprocess.run(
                ["man", "-l", "--warnings=all", file.name],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "MANWIDTH": "150", "LC_ALL": "C.UTF-8"},
            )
        expect(result.returncode == 0 and not result.stderr, f"{name}(1) has no warnings: {result.stderr}")
        for command in re.findall(
            r"^  ([a-z-]+)  ", catalogue.help_of(name).split("Commands:")[1].split("Options:")[0], re.M
        ):
            expect(f"{name} {command}" in result.stdout, f"{name}(1) describes {command}")


def shop(debian, work):
    """What an operator makes after the installation: merchants, keys, databases, connection strings, settings."""
    superuser, kafka = os.environ["ORCHARD_TEST_POSTGRES"], os.environ["ORCHARD_TEST_KAFKA"]
    sandbox = catalogue.program("sandbox")
    run(sandbox, "wallet", "init", work / "wallet", "--merchant", APPLE)
    run(sandbox, "acquirer", "init", work / "unionpay", "--mer-id", ACCOUNT)
    etc = debian.path("/etc/orchard")
    ids = {line.split(":")[0]: int(line.split(":")[2]) for line in debian.path("/etc/group").read_text().splitlines()}
    for group, source, name, private in [
        ("orchard-ingest", f"wallet/{PROCESSING}.key.pem", "apple/processing.key.pem", True),
        ("orchard-ingest", f"wallet/{PROCESSING}.cert.pem", "apple/processing.cert.pem", False),
        ("orchard-gateway", "unionpay/merchant.key", "unionpay/merchant.key", True),
        ("orchard-gateway", "unionpay/merchant.pem", "unionpay/merchant.pem", False),
        ("orchard-gateway", "unionpay/unionpay_root.pem", "unionpay/root.pem", False),
        ("orchard-gateway", "unionpay/unionpay_middle.pem", "unionpay/middle.pem", False),
    ]:
        (etc / name).parent.mkdir(exist_ok=True)
        shutil.copy(work / source, etc / name)
        (etc / name).chmod(0o640 if private else 0o644)
        os.chown(etc / name, 0, ids[group])
    (etc / "merchants.json").write_text(
        merchants(
            ("apple/processing.key.pem", "apple/processing.cert.pem"),
            ("unionpay/merchant.key", "unionpay/merchant.pem"),
        )
    )
    # The connection leads through a socket in a folder of the test's.
    socket = re.search(r"host=(\S+)", superuser).group(1)
    debian.path("/run/database").mkdir()
    # The cluster's folder is for its user alone; the units' users need the socket in it.
    os.chmod(socket, 0o711)
    run("mount", "--bind", socket, debian.path("/run/database"))
    inside = superuser.replace(socket, "/run/database")
    for program, name in [("charge-gateway", "gateway"), ("order-ledger", "ledger")]:
        database = f"{name}_{os.getpid()}"
        run("psql", "--quiet", "--no-psqlrc", superuser, "-c", f"CREATE DATABASE {database}")
        run(catalogue.program(program), "migrate", env={**os.environ, "POSTGRES_URL": f"{superuser} dbname={database}"})
        run("psql", "--quiet", "--no-psqlrc", superuser, "-c", f"CREATE ROLE {database} LOGIN IN ROLE {name}_service")
        secret = etc / f"{program}.postgres-url"
        secret.write_text(f"{inside} dbname={database} user={database}")
        secret.chmod(0o600)
    for program in catalogue.PROGRAMS:
        settings = json.loads((etc / f"{program}.json").read_text())
        settings |= {"kafka.bootstrap.servers": [kafka], "kafka.partitions": 4}
        if program == "charge-gateway":
            settings["unionpay"] |= {"url": "http://127.0.0.1:9", "settlement": {"url": "http://127.0.0.1:9"}}
        if program == "token-ingest":
            shutil.copy(work / "wallet/root.cert.pem", etc / "apple/root.pem")
            settings["apple.root"] = "/etc/orchard/apple/root.pem"
        (etc / f"{program}.json").write_text(json.dumps(settings, indent=2))


def answers(port, target):
    """Status and body of an answer; None without one."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", target)
        response = connection.getresponse()
        return response.status, response.read().decode()
    return None, ""


def is_ready(process, port, log):
    for _ in range(120):
        status, text = answers(port, "/readyz")
        if status == 200:
            return
        expect(process.poll() is None, f"the worker on port {port} runs:\n{pathlib.Path(log.name).read_text()[-3000:]}")
        time.sleep(0.5)
    raise SystemExit(
        f"expected: the worker on port {port} is ready:\n{text}\n{pathlib.Path(log.name).read_text()[-3000:]}"
    )


def describes(metrics):
    """Every series that a service shows has the labels of docs/metrics.md."""
    problems, count = set(), 0
    for name, labels, value in re.findall(r"^([a-z_]+)(?:\{(.*)\})? (\S+)$", metrics, re.M):
        count += 1
        found, known = set(re.findall(r'(?:^|,)(\w+)="', labels)), catalogue.metrics().get(name)
        if known is None:
            problems.add(f"docs/metrics.md lacks {name}")
        elif not found <= known:
            problems.add(f"docs/metrics.md gives {name} other labels than {sorted(found)}")
        if name.startswith("process_") and value == "NaN":
            problems.add(f"{name} cannot be read in the unit")
    expect(not problems, "metrics as they are described:\n" + "\n".join(sorted(problems)))
    return count


def confined(debian, process, unit):
    """What the kernel says of the running process."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()

    def field(name):
        return re.search(rf"^{name}:\s*(.*)$", status, re.M).group(1)

    user = next(
        line
        for line in debian.path("/etc/passwd").read_text().splitlines()
        if line.startswith(unit.value("User") + ":")
    ).split(":")[2]
    expect(field("Uid").split() == [user] * 4, f"{unit.name} runs as {unit.value('User')}")
    expect(field("CapEff") == field("CapBnd") == "0" * 16, f"{unit.name} has no capabilities")
    expect(field("NoNewPrivs") == "1" and field("Seccomp") == "2", f"{unit.name} gets no privileges, and is filtered")
    limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
    expect(
        re.search(rf"Max open files\s+{unit.value('LimitNOFILE')}\s+{unit.value('LimitNOFILE')} ", limits),
        f"{unit.name} has raised its limit of open files to the hard one:\n{limits}",
    )


def serve(debian, work):
    """Two workers of each service, a named one and a numbered one, ready under their units."""
    running = []
    for name, instance, port in [
        ("token-ingest.service", "", 9081),
        ("charge-gateway.service", "", 9082),
        ("order-ledger.service", "", 9083),
        ("token-ingest@.service", "01", 19101),
        ("charge-gateway@.service", "01", 19201),
        ("order-ledger@.service", "01", 19301),
    ]:
        unit = debian.unit(name, instance)
        log = open(work / f"{unit.name}.log", "w")
        running.append((unit, debian.start(unit, log=log), port, log))
    for unit, process, port, log in running:
        is_ready(process, port, log)
        confined(debian, process, unit)
        expect(describes(answers(port, "/metrics")[1]) > 50, f"{unit.name} shows metrics")
    for unit, process, _, log in running:
        process.send_signal(signal.SIGTERM)
        expect(
            process.wait(40) == 0, f"{unit.name} ends well after SIGTERM:\n{pathlib.Path(log.name).read_text()[-2000:]}"
        )


def timers(debian):
    """What the timers start; each ends as it should."""
    # The first keys: a new shop has none, and no service starts without.
    for name in ["orchard-sealing-keys", "orchard-contact-keys"]:
        # The second makes the next one as soon as a second has passed, the third nothing.
        for words in [["added"], ["added", "not time yet"], ["not time yet"]]:
            status, text = debian.finish(debian.unit(f"{name}.service"))
            expect(status == 0 and any(word in text for word in words), f"{name} makes keys:\n{text}")
            time.sleep(1)
    debian.inside(
        "/usr/sbin/orchard-run",
        "order-ledger",
        "keys",
        "add",
        "--key",
        "/var/lib/orchard/ledger/ticket.pem",
        "--set",
        "/var/lib/orchard/public/ticket-keys.json",
    )
    modes = {
        path.name: oct(path.stat().st_mode & 0o777)
        for path in debian.path("/var/lib/orchard").rglob("*.*")
        if path.is_file()
    }
    expect(
        modes
        == {
            "sealing-private.json": "0o600",
            "contact-private.json": "0o600",
            "ticket.pem": "0o600",
            "sealing-public.json": "0o644",
            "contact-public.json": "0o644",
            "ticket-keys.json": "0o644",
        },
        f"private keys are private, public ones public: {modes}",
    )


def checks(debian):
    status, text = debian.finish(debian.unit("orchard-certificates.service"))
    expect("RESULT" in text and status in (0, 1), f"the certificates are looked at:\n{text}")
    status, text = debian.finish(debian.unit("orchard-settlement.service"))
    expect(status == 0, f"no day is open in a new shop:\n{text}")
    status, text = debian.finish(debian.unit("orchard-audit.service"))
    expect(status == 0 and "0 errors" in text, f"the books of a new shop are right:\n{text}")
    debian.inside("/usr/sbin/orchard-run", "charge-gateway", "attempts", "list")
    listed = debian.inside("/usr/sbin/orchard-run", "order-ledger", "accounts")
    expect(listed.startswith("accounts at "), f"orchard-run reaches the database as the service does: {listed}")


def refused(debian):
    """Wrong input stops before anything starts, with every problem at once."""
    secret = debian.path("/etc/orchard/charge-gateway.postgres-url")
    secret.rename(secret.with_suffix(".away"))
    status, text = debian.finish(debian.unit("charge-gateway.service"))
    expect(
        status == 1 and "credential postgres-url is missing" in text,
        f"a unit without its credential does not start:\n{text}",
    )
    secret.with_suffix(".away").rename(secret)
    settings = debian.path("/etc/orchard/charge-gateway.json")
    before = settings.read_text()
    settings.write_text(
        before.replace('"kafka.partitions": 4', '"kafka.partitions": "many", "acquirer.request": 3').replace(
            "http://127.0.0.1:9", "nowhere"
        )
    )
    status, text = debian.finish(debian.unit("charge-gateway.service"))
    expect(status == 2, f"wrong settings end with the status that is not started again:\n{text}")
    for word in ["kafka.partitions", "acquirer.request", "unionpay.url"]:
        expect(word in text, f"the problems name {word}:\n{text}")
    settings.write_text(before)


def main():
    expect(os.geteuid() == 0, "this runs as root")
    libraries = run("ldd", catalogue.program("token-ingest"))
    swift = sorted({str(pathlib.Path(path).parent) for path in re.findall(r"=> (\S+)", libraries) if "/swift/" in path})
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        os.chmod(work, 0o755)
        root = work / "debian"
        root.mkdir()
        old, new = packages(work)
        debian = Installed(root, swift)
        try:
            debian.make()
            for name in (old, new):
                shutil.copy(name, debian.path("/root"))
            debian.inside("dpkg", "--install", f"/root/{pathlib.Path(old).name}")
            expect(
                debian.inside("token-ingest", "--version").startswith("token-ingest "),
                "the programs run in a Debian without Swift's tools",
            )
            man_pages(debian)
            shop(debian, work)
            timers(debian)
            serve(debian, work)
            checks(debian)
            refused(debian)
            # An upgrade keeps what the operator wrote, and no file of the old version that the new one has not.
            before = debian.path("/etc/orchard/charge-gateway.json").read_text()
            debian.inside("dpkg", "--install", f"/root/{pathlib.Path(new).name}")
            expect("0.0.2-1" in debian.inside("dpkg-query", "--show", "orchard"), "the new version is installed")
            expect(
                debian.path("/etc/orchard/charge-gateway.json").read_text() == before, "an upgrade keeps the settings"
            )
            debian.inside("dpkg", "--remove", "orchard")
            expect(
                not debian.path("/usr/bin/token-ingest").exists()
                and debian.path("/etc/orchard/charge-gateway.json").exists(),
                "removed: the programs are gone, the settings stay",
            )
            debian.inside("dpkg", "--purge", "orchard")
            expect(not debian.path("/etc/orchard/charge-gateway.json").exists(), "purged: the settings are gone")
            expect(debian.path("/var/lib/orchard/ledger/ticket.pem").exists(), "purged: keys stay")
        finally:
            debian.close()
    print("the package installs, upgrades and goes; two workers of each service and every timer run confined")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main()
