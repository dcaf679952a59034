"""A visit to the shop of deploy/compose: pages and services under one address, over TLS.

Run by `Tests/Browser/run --served HOST:PORT AUTHORITY`.
"""
import base64
import hashlib
import os
import socket
import ssl
import subprocess

import pytest

from browser import Browser
from pages import Visit

NAME = "localhost:8443"


class ServedShop:
    """What the pages' tests know of a shop that others have started."""

    address = f"https://{NAME}"


def public_key_hash() -> str:
    """Of the certificate that the proxy shows, once its authority and its name are found right."""
    host, port = os.environ["SERVED_AT"].rsplit(":", 1)
    context = ssl.create_default_context(cafile=os.environ["SERVED_AUTHORITY"])
    with socket.create_connection((host, int(port)), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            certificate = ssl.DER_cert_to_PEM_cert(secure.getpeercert(binary_form=True))
    key = subprocess.run(
        "openssl x509 -noout -pubkey | openssl pkey -pubin -outform DER", shell=True, check=True, capture_output=True,
        input=certificate.encode()).stdout
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


@pytest.fixture
def visit():
    browser = Browser(arguments=(
        f"--host-resolver-rules=MAP {NAME} {os.environ['SERVED_AT']}",
        # Chromium has no option to name an authority; this key alone is trusted.
        f"--ignore-certificate-errors-spki-list={public_key_hash()}"))
    yield Visit(browser, ServedShop())
    browser.end()


class TestServed:
    def test_paid(self, visit: Visit):
        sheet = visit.pay_sheet("green", "jasmine")
        assert sheet.total == "¥104.50"
        sheet.confirm()
        visit.await_paid()
        assert "Total¥104.50" in visit.browser.text("#lines")
        visit.browser.wait_text("#timeline", "payment.succeeded")
        order = visit.record()["orderId"]
        visit.open(f"/behind.html?order={order}")
        for step in ("order.opened", "charge.requested", "payment.succeeded", "order.paid"):
            visit.browser.wait_text("#journeys", step)
        assert visit.browser.find("#no-books").is_displayed()
        assert not visit.browser.find("#books").is_displayed()
        assert "entries.booked" not in visit.browser.text("#journeys")
        assert visit.browser.violations() == []
        assert visit.browser.faults() == []

    def test_declined_then_paid_with_another_card(self, visit: Visit):
        sheet = visit.pay_sheet().choose_card("empty")
        sheet.confirm()
        visit.browser.wait_text(".sheet-message", "Payment not completed")
        sheet.choose_card("travel")
        sheet.confirm()
        visit.await_paid()
