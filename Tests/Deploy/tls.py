#!/usr/bin/env python3
"""Has an outside scanner (sslyze from PyPI) look at the TLS of both ports of a running token-ingest; all services have
the same server. It needs the broker of Tests/Servers/run:

    Tests/Servers/run python3 Tests/Deploy/tls.py
"""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import catalogue
import pypi
from authority import Authority
from merchants import APPLE, PROCESSING, merchants


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {result.stdout}{result.stderr}")


def settings(folder):
    """What token-ingest needs, with certificates of both kinds: RSA for its public port, P-256 for its admin port."""
    authority = Authority(folder)
    for name, kind in [("public", "rsa"), ("admin", "ec"), ("operator", "ec")]:
        authority.issue(name, kind=kind)
    run(catalogue.program("sandbox"), "wallet", "init", folder / "wallet", "--merchant", APPLE)
    run(
        *[catalogue.program("order-ledger"), "keys", "add"],
        *["--key", folder / "ticket.pem", "--set", folder / "ticket-keys.json"],
    )
    for program, command, name in [
        ("charge-gateway", "keys", "sealing"),
        ("order-ledger", "contact-keys", "contact"),
    ]:
        run(
            *[catalogue.program(program), command, "add"],
            *["--private", folder / f"{name}-private.json", "--public", folder / f"{name}-public.json"],
        )
    # The signing key is charge-gateway's alone: token-ingest reads no more than its path.
    (folder / "merchants.json").write_text(
        merchants((f"wallet/{PROCESSING}.key.pem", f"wallet/{PROCESSING}.cert.pem"), ("merchant.key", "merchant.pem"))
    )
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = {name: each.getsockname()[1] for name, each in zip(["http", "admin"], sockets)}
    for each in sockets:
        each.close()
    return ports, {
        "merchants": "merchants.json",
        "ticket.keys": "ticket-keys.json",
        "sealing.keys": "sealing-public.json",
        "contact.keys": "contact-public.json",
        "apple.root": "wallet/root.cert.pem",
        "kafka.bootstrap.servers": [os.environ["ORCHARD_TEST_KAFKA"]],
        "kafka.partitions": 4,
        "http": {"port": ports["http"], "tls": {"certificate": "public.pem", "key": "public.key"}},
        "admin": {
            "port": ports["admin"],
            "tls": {"certificate": "admin.pem", "key": "admin.key", "clients": "authority.pem"},
        },
    }


def readiness(port, folder):
    """What `/readyz` answers to a client with a certificate; None without an answer."""
    context = ssl.create_default_context(cafile=folder / "authority.pem")
    context.load_cert_chain(folder / "operator.pem", folder / "operator.key")
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPSConnection("localhost", port, timeout=5, context=context)
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    return None


def scanned(folder, log, python):
    """Starts the service and scans it. Returns whether nothing was found."""
    ports, values = settings(folder)
    (folder / "token-ingest.json").write_text(json.dumps(values))
    command = [catalogue.program("token-ingest"), "serve", "--config", "token-ingest.json"]
    with subprocess.Popen(command, cwd=folder, stdout=log, stderr=log) as service:
        try:
            until = time.monotonic() + 60
            while readiness(ports["admin"], folder) != 200:
                if service.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"token-ingest is not ready:\n{pathlib.Path(log.name).read_text()[-3000:]}")
                time.sleep(0.2)
            # Without warnings: sslyze's own lists of roots hold old ones.
            script = [catalogue.ROOT / "Tests/Deploy/tls_scan.py", folder, *map(str, ports.values())]
            scan = [python, "-W", "ignore", *script]
            holds = subprocess.run(scan, check=False).returncode == 0
            if readiness(ports["admin"], folder) != 200:
                raise SystemExit("token-ingest is no longer ready after the scan")
        finally:
            service.terminate()
    return holds


def main():
    environment = pypi.environment("tls")
    if environment is None:
        print("NOT CHECKED by an outside scanner: sslyze cannot be installed from PyPI")
        sys.exit(os.environ.get("CI") == "true")
    with tempfile.TemporaryDirectory() as name, open(pathlib.Path(name) / "log", "w") as log:
        if not scanned(pathlib.Path(name), log, environment / "python"):
            sys.exit(1)


if __name__ == "__main__":
    main()
