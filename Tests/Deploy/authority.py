"""An authority of the test's own, and certificates that it issues."""

import pathlib
import subprocess

NEW_KEY = {"ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "rsa": ["-newkey", "rsa:2048"]}


class Authority:
    """Each certificate is `NAME.pem` in the folder, with its key `NAME.key`; the authority's is `authority.pem`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._make("authority", "ec", ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"])

    def issue(self, name, hosts=("localhost",), kind="ec"):
        """A certificate for client and server; its subject is CN=NAME."""
        extensions = [
            "subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts),
            "basicConstraints=critical,CA:FALSE",
            "extendedKeyUsage=serverAuth,clientAuth",
        ]
        issuer = ["-CA", self.folder / "authority.pem", "-CAkey", self.folder / "authority.key"]
        self._make(name, kind, extensions, issuer)

    def _make(self, name, kind, extensions, issuer=()):
        command = [
            *["openssl", "req", "-x509", "-sha256", "-nodes", "-days", "90", "-subj", f"/CN={name}", *NEW_KEY[kind]],
            *["-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem", *issuer],
            *(word for each in extensions for word in ("-addext", each)),
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"openssl req: {result.stderr}")
