"""Replayed tokens, tickets of other orders, foreign pages and hostile texts."""
import functools
import http.server
import threading

import pytest

from browser import Browser
from pages import Visit

# Sends a request as a page can, and answers its status with its body; a refusal of the browser is an error.
SEND = """
const [address, ticket, body] = given;
const answer = await fetch(address, {
  method: body ? "POST" : "GET", body: body ? JSON.stringify(body) : undefined,
  headers: {
    ...(ticket ? {Authorization: `Bearer ${ticket}`} : {}), ...(body ? {"Content-Type": "application/json"} : {}),
  },
});
return {status: answer.status, body: await answer.json()};
"""


@pytest.fixture
def foreign_page():
    """A page of another origin."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Elsewhere</title>")

        log_message = functools.partialmethod(lambda *_: None)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()


class TestReplays:
    def test_a_token_from_the_pages_own_log(self, visit: Visit):
        visit.pay_sheet().confirm()
        visit.await_paid()
        charges = visit.shop.charges()
        sent = visit.sent_payments()[0]
        paid = visit.record()
        address = visit.shop.config["ingest"] + "/v1/payments"
        again = visit.browser.run_async(SEND, address, sent["ticket"], sent["body"])["value"]
        assert again["status"] == 202 and again["body"]["paymentId"] == paid["paymentId"], "it is the same payment"
        # Another order's ticket: Apple's signature binds the token to its own order.
        visit.open().add("cup").open_sheet()
        other = visit.record()
        assert other["orderId"] != paid["orderId"]
        refused = visit.browser.run_async(SEND, address, other["ticket"], sent["body"])["value"]
        assert refused["status"] == 422 and refused["body"]["stage"] == "applicationData"
        assert visit.shop.charges() == charges

    def test_a_ticket_of_another_order(self, visit: Visit):
        visit.pay_sheet("cup").confirm()
        visit.await_paid()
        paid = visit.record()["orderId"]
        visit.open().add("cup").open_sheet()
        ticket = visit.record()["ticket"]
        for address in (f"{visit.shop.config['ledger']}/v1/orders/{paid}", f"/api/orders/{paid}",
                        f"/api/orders/{paid}/timeline"):
            answer = visit.browser.run_async(SEND, address, ticket, None)["value"]
            assert (answer["status"], answer["body"]["code"]) == (404, "no-such-order"), address
        refund = visit.browser.run_async(
            SEND.replace("headers: {", "headers: {'Idempotency-Key': 'stranger',"),
            f"/api/orders/{paid}/refunds", ticket, {"amount": "1.00"})["value"]
        assert refund["status"] == 404

    def test_an_order_in_a_window_without_its_ticket(self, visit: Visit, browser: Browser):
        visit.open("/order.html?id=" + "0" * 32)
        browser.wait_text("#order-title", "This order is shown elsewhere")
        assert browser.violations() == []


class TestForeignPages:
    def test_cannot_call_the_services(self, visit: Visit, foreign_page: str):
        visit.pay_sheet()
        ticket, order = visit.record()["ticket"], visit.record()["orderId"]
        visit.browser.driver.get(foreign_page)
        config = visit.shop.config
        for address, body in (
            (f"{config['ingest']}/v1/apple-pay/session", {"validationURL": config["sessionServer"]}),
            (f"{config['ingest']}/v1/payments", {"token": {}}),
            (f"{config['ledger']}/v1/orders/{order}/coupon-code", {"couponCode": "TEA10"}),
            (f"{config['ledger']}/v1/orders/{order}", None),
            (f"{visit.shop.address}/api/orders/{order}", None),
            (f"{visit.shop.address}/api/orders", {"items": [{"id": "cup", "quantity": 1}]}),
        ):
            answer = visit.browser.run_async(SEND, address, ticket, body)
            assert "Failed to fetch" in answer.get("error", ""), f"{address}: {answer}"

    def test_cannot_frame_the_shop(self, visit: Visit, foreign_page: str):
        visit.browser.driver.get(foreign_page)
        visit.browser.run(
            "const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame)",
            visit.shop.address + "/")
        visit.browser.wait("the frame is refused", lambda: any(
            "frame-ancestors" in fault or "refused to connect" in fault.lower() for fault in visit.browser.faults()))


class TestHostileNames:
    def test_are_text_everywhere(self, visit: Visit):
        browser = visit.browser
        visit.open().add("sample")
        assert "<img src=x onerror=" in browser.text("#products")
        assert "<img src=x onerror=" in browser.text("#cart-items")
        self.nothing_ran(browser)
        visit.open_sheet()
        self.nothing_ran(browser)
        visit.sheet.enter_coupon("<img src=x onerror=alert(3)>")
        assert browser.text("#sheet-coupon-error") != ""
        self.nothing_ran(browser)
        visit.sheet.confirm()
        visit.await_paid()
        assert "<img src=x onerror=" in browser.text("#lines")
        self.nothing_ran(browser)
        visit.open("/behind.html")
        browser.wait_text("#journeys", "payment.succeeded")
        self.nothing_ran(browser)
        assert browser.faults() == []

    def test_in_the_address_of_a_page(self, visit: Visit):
        for path in ("/order.html?id=<img src=x onerror=alert(4)>", "/behind.html?order=<script>alert(5)</script>"):
            visit.open(path).browser.wait("the page is ready", lambda: visit.browser.run(
                "return !document.querySelector('main').hasAttribute('aria-busy')"))
            self.nothing_ran(visit.browser)

    @staticmethod
    def nothing_ran(browser: Browser):
        assert browser.scripts_that_ran() == []
        assert browser.run("return document.querySelectorAll('img[src=x], [onerror], main script').length") == 0
