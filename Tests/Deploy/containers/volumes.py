"""What the pods mount, laid out as Kubernetes does: the files of each secret as docs/deploy.md lists them, and a folder
for each claim.
"""

import base64
import os
import pathlib
import secrets
import subprocess
import threading

import catalogue
from authority import Authority
from merchants import ACCOUNT, APPLE, IDENTITY, PROCESSING, merchants

# The programs that the images are made of.
BIN = catalogue.ROOT / ".build/release"
DATABASE = "postgres.database.example"
LOGINS = {"gateway": ["orchard_gateway", "orchard_gateway_owner"], "ledger": ["orchard_ledger", "orchard_ledger_owner"]}
PASSWORD = "only-for-this-test"


class Volumes:
    """Folders below `folder` for the pods of one cluster."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.lock = threading.Lock()
        self.tls = self.folder / "tls"
        self.tls.mkdir()
        self.authority = Authority(self.tls)
        for name in [*catalogue.PROGRAMS, "admin"]:
            self.authority.issue(name)
        self.files = self._files()

    def _files(self):
        """The files of each secret, by its namespace and name."""
        made = self.folder / "made"
        run(BIN / "sandbox", "wallet", "init", made / "wallet", "--merchant", APPLE)
        run(BIN / "sandbox", "acquirer", "init", made / "unionpay", "--mer-id", ACCOUNT)
        # An operator puts the public half of the key that signs tickets onto the share.
        public = self.claim("public-keys", 65532) / "ticket-keys.json"
        run(BIN / "order-ledger", "keys", "add", "--key", made / "ticket.pem", "--set", public)
        apple = {
            f"{name}.{kind}.pem": (made / f"wallet/{path}.{kind}.pem").read_bytes()
            for name, path in [("processing", PROCESSING), ("identity", IDENTITY)]
            for kind in ("key", "cert")
        }
        unionpay = {
            **{f"merchant.{kind}": (made / f"unionpay/merchant.{kind}").read_bytes() for kind in ("key", "pem")},
            **{
                f"unionpay-{name}.pem": (made / f"unionpay/unionpay_{name}.pem").read_bytes()
                for name in ("root", "middle")
            },
        }
        webhooks = [{"id": "erp", "url": "https://erp.example/orchard", "secrets": ["erp.secret"]}]
        identities = {"identities": [{"key": "identity.key.pem", "certificate": "identity.cert.pem"}]}
        shop = {
            "merchants.json": merchants(
                ("processing.key.pem", "processing.cert.pem"),
                ("merchant.key", "merchant.pem"),
                apple_pay=identities,
                webhooks=webhooks,
            ).encode()
        }
        secret = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}\n".encode()
        files = {
            "orchard-pci/token-ingest-merchants": shop | apple,
            "orchard-pci/charge-gateway-merchants": shop | unionpay,
            "orchard/order-ledger-merchants": shop | {"erp.secret": secret},
            "orchard/order-ledger-ticket-key": {"ticket.pem": (made / "ticket.pem").read_bytes()},
            "orchard/admin-kafka": self._kafka("admin"),
        }
        for namespace, name in [
            ("orchard-pci", "token-ingest"),
            ("orchard-pci", "charge-gateway"),
            ("orchard", "order-ledger"),
        ]:
            files[f"{namespace}/{name}-kafka"] = self._kafka(name)
        for namespace, name, database in [
            ("orchard-pci", "charge-gateway", "gateway"),
            ("orchard", "order-ledger", "ledger"),
        ]:
            for secret, user in zip(["database", "owner"], LOGINS[database]):
                url = f"host={DATABASE} dbname={database} user={user} password={PASSWORD}"
                files[f"{namespace}/{name}-{secret}"] = {"url": url.encode()}
        return files

    def _kafka(self, name):
        return {
            "ca.crt": (self.tls / "authority.pem").read_bytes(),
            "tls.crt": (self.tls / f"{name}.pem").read_bytes(),
            "tls.key": (self.tls / f"{name}.key").read_bytes(),
            "keda-tls": b"enable",
        }

    def secret(self, name, mode, group):
        """A secret as a pod sees it: its group's, and each file a link to the version that is in force."""
        if name not in self.files:
            raise SystemExit(f"this test does not know what the secret {name} holds")
        folder = self.folder / "secrets" / name
        # Pods that start side by side may mount the same one.
        with self.lock:
            self._lay_out(folder, self.files[name], mode, group)
        return folder

    @staticmethod
    def _lay_out(folder, files, mode, group):
        if not folder.exists():
            version = folder / "..2026_01_01_00_00_00.1"
            version.mkdir(parents=True)
            for file, content in files.items():
                (version / file).write_bytes(content)
                give(version / file, mode | 0o440, group)
                (folder / file).symlink_to(f"..data/{file}")
            (folder / "..data").symlink_to(version.name)
            give(version, 0o2755, group)
            give(folder, 0o3777, group)

    def claim(self, name, group):
        """A claim's folder. Claims of one name are one share, as docs/deploy.md asks of `public-keys`."""
        folder = self.folder / "claims" / name
        folder.mkdir(parents=True, exist_ok=True)
        give(folder, 0o2775, group)
        return folder


def give(path, mode, group):
    os.chown(path, 0, group)
    path.chmod(mode)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {result.stdout}{result.stderr}")
