"""The shop as a process: `sandbox shop` with everything behind it."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path


class Shop:
    """Starts `sandbox shop` on a free port, and ends it with everything that it started."""

    def __init__(self, **settings: str):
        self.folder = tempfile.mkdtemp(prefix="shop-")
        self.log = Path(self.folder, "shop.log")
        command = [os.environ["SANDBOX"], "shop", "--port", "0", "--run", self.folder]
        if pages := os.environ.get("SHOP_PAGES"):
            command += ["--pages", pages]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | settings, start_new_session=True)
        self.address = self._await_address()
        self.config = self.get("/api/config")

    def _await_address(self) -> str:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            text = self.log.read_text()
            found = re.search(r"the shop\s+(http://localhost:\d+)/", text)
            if found and "until Ctrl-C" in text:
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.end()
        raise RuntimeError(f"sandbox shop did not start:\n{text}")

    def get(self, path: str):
        with urllib.request.urlopen(self.address + path, timeout=60) as answer:
            return json.load(answer)

    def books(self) -> dict:
        """The books, read anew; a payment on its way may need a moment until it is in all of them."""
        books = None
        for _ in range(20):
            try:
                books = self.get("/api/books")
                if books["agree"]:
                    return books
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise
            time.sleep(0.5)
        raise AssertionError(f"the books do not agree: {books}")

    def charges(self) -> int:
        """How many charges the acquirer's own book has: sales that took money."""
        book = re.search(r"(http://\S+/_control/book)", self.log.read_text())[1]
        with urllib.request.urlopen(book, timeout=10) as answer:
            return sum(each["txnType"] == "01" and each["state"] == "success" for each in json.load(answer))

    def service(self, name: str) -> int:
        """The process id of a service that the shop started."""
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                parent = int(re.search(r"^PPid:\s+(\d+)", (entry / "status").read_text(), re.M)[1])
                program = os.path.basename((entry / "cmdline").read_text().split("\0")[0])
            except (OSError, TypeError):
                continue
            if parent == self.process.pid and program == name:
                return int(entry.name)
        raise AssertionError(f"the shop runs no {name}")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
