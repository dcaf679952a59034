"""Answers that get lost, reloads, slow networks, old tickets, two windows: nobody is charged twice."""
import os
import signal

import pytest

from browser import Browser
from pages import Sheet, Visit
from shop import Shop

# The first answer is lost as LOSE says, and when the token is sent again its ticket has expired.
LOST_AND_LATE = """
const ask = window.fetch;
let times = 0;
window.fetch = async (address, options) => {
  if (!String(address).endsWith("/v1/payments")) return ask(address, options);
  times += 1;
  if (times > 1) return new Response(JSON.stringify({code: "ticket-expired", status: 401}), {status: 401});
  await ask(address, options);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  LOSE
};
"""

# No payment can be sent at all, and each attempt takes long: the page's clock goes on by itself.
NEVER = """
const ask = window.fetch;
const now = Date.now;
let passed = 0;
Date.now = () => now() + passed;
window.fetch = (address, options) => {
  const isPayment = String(address).endsWith("/v1/payments");
  if (isPayment || String(address).endsWith("/timeline")) passed += 9000;
  return isPayment ? Promise.reject(new TypeError("no network")) : ask(address, options);
};
"""

# The token arrives, and no answer ever comes back to the page.
NO_ANSWER = """
const ask = window.fetch;
window.fetch = async (address, options) => {
  const answer = await ask(address, options);
  return String(address).endsWith("/v1/payments") ? new Promise(() => { window.isSent = true; }) : answer;
};
"""


@pytest.fixture(scope="class")
def short_shop():
    """A shop whose tickets charge for ten seconds."""
    shop = Shop(TICKET_LIFE="10s")
    yield shop
    shop.end()


class TestLostAnswers:
    def test_the_same_token_is_sent_again(self, visit: Visit):
        charges = visit.shop.charges()
        sheet = visit.pay_sheet()
        visit.browser.click("#choice-lost")
        sheet.confirm()
        visit.await_paid()
        first, second = visit.sent_payments()
        assert first["body"] == second["body"]
        assert visit.shop.charges() == charges + 1
        assert visit.browser.faults() == []

    def test_reload_after_the_payment_was_sent(self, visit: Visit):
        charges = visit.shop.charges()
        visit.pay_sheet().choose_card("silent").confirm()
        visit.browser.wait("the payment is known", lambda: visit.record().get("paymentId"))
        visit.browser.driver.refresh()
        visit.await_order("We are confirming your payment")
        visit.await_paid()
        assert visit.shop.charges() == charges + 1
        assert len(visit.sent_payments()) == 1
        visit.open()
        assert "/order.html" not in visit.browser.driver.current_url, "the shop is open again"

    def test_reload_before_any_answer(self, visit: Visit):
        charges = visit.shop.charges()
        script = visit.browser.add_script(NO_ANSWER)
        visit.pay_sheet().confirm()
        visit.browser.wait("the payment is sent", lambda: visit.browser.run("return window.isSent"))
        assert "paymentId" not in visit.record()
        visit.browser.remove_script(script)
        visit.browser.driver.refresh()
        visit.await_paid()
        assert visit.shop.charges() == charges + 1

    def test_unknown_after_25_seconds(self, visit: Visit):
        """The sheet ends with success before Apple's 30 seconds; the order's page says that it is being confirmed."""
        charges = visit.shop.charges()
        gateway = visit.shop.service("charge-gateway")
        sheet = visit.pay_sheet()
        os.kill(gateway, signal.SIGSTOP)
        try:
            sheet.confirm()
            visit.browser.wait_text(".sheet-message", "Done", 29)
            visit.await_order("We are confirming your payment")
        finally:
            os.kill(gateway, signal.SIGCONT)
        visit.await_paid(40)
        assert visit.shop.charges() == charges + 1
        assert visit.browser.faults() == []

    def test_slow_network(self, visit: Visit):
        charges = visit.shop.charges()
        visit.open().add("cup").await_button()
        visit.browser.command("Network.enable")
        visit.browser.command(
            "Network.emulateNetworkConditions", offline=False, latency=700, downloadThroughput=40_000,
            uploadThroughput=20_000)
        visit.open_sheet().confirm()
        visit.await_paid(40)
        assert visit.shop.charges() == charges + 1

    def test_no_network_for_a_while(self, visit: Visit):
        charges = visit.shop.charges()
        sheet = visit.pay_sheet()
        visit.browser.run("""
            const ask = window.fetch;
            let times = 0;
            window.fetch = (address, options) => String(address).endsWith("/v1/payments") && ++times < 3
              ? Promise.reject(new TypeError("no network")) : ask(address, options);""")
        sheet.confirm()
        visit.await_paid()
        assert visit.shop.charges() == charges + 1

    @pytest.mark.parametrize("lose", [
        'throw new TypeError("lost");', 'return new Response("<h1>Bad Gateway</h1>", {status: 502});'])
    def test_an_answer_is_lost_and_then_the_ticket_expires(self, visit: Visit, lose: str):
        """No later refusal may tell the customer that nothing was taken: the first request may have arrived."""
        charges = visit.shop.charges()
        visit.browser.add_script(LOST_AND_LATE.replace("LOSE", lose))
        visit.pay_sheet().confirm()
        visit.await_paid()
        assert "Nothing was taken" not in visit.browser.text("#order-lead")
        assert visit.shop.charges() == charges + 1

    def test_no_answer_at_all(self, visit: Visit):
        """The sheet fails, the order's page looks for the payment; the cart stays, and the same order can be paid."""
        charges = visit.shop.charges()
        script = visit.browser.add_script(NEVER)
        visit.pay_sheet("cup").confirm()
        visit.browser.wait_text(".sheet-message", "Payment not completed")
        visit.await_order("We are confirming your payment")
        visit.await_order("Not paid yet")
        order = visit.record()["orderId"]
        visit.browser.remove_script(script)
        visit.open()
        assert visit.browser.text("#cart-count") == "1"
        visit.open_sheet().confirm()
        visit.await_paid()
        assert visit.record()["orderId"] == order
        assert visit.shop.charges() == charges + 1


class TestOldTickets:
    def test_an_expired_ticket_is_exchanged(self, browser: Browser, short_shop: Shop):
        visit = Visit(browser, short_shop)
        sheet = visit.pay_sheet()
        browser.wait("the ticket has expired", lambda: self.is_expired(visit), 15)
        sheet.choose_shipping("express")
        assert sheet.total == "¥56.50"
        browser.wait("the ticket has expired", lambda: self.is_expired(visit), 15)
        sheet.confirm()
        visit.await_paid()
        assert len(browser.requests("/ticket")) == 2
        assert short_shop.charges() == 1

    @staticmethod
    def is_expired(visit: Visit) -> bool:
        return visit.browser.run(
            "return JSON.parse(atob(arguments[0].split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))",
            visit.record()["ticket"])["exp"] < visit.browser.run("return Date.now() / 1000 - 1")


class TestTwoWindows:
    def test_of_one_order(self, visit: Visit):
        """A second window changes the order's price; the first one's ticket is superseded, and its sheet goes on."""
        driver = visit.browser.driver
        charges = visit.shop.charges()
        visit.open().add("oolong").await_button()
        first = driver.current_window_handle
        visit.browser.run("window.open('/')")
        second = next(each for each in driver.window_handles if each != first)
        visit.open_sheet()
        cheap = visit.sheet.total
        driver.switch_to.window(second)
        visit.open_sheet().choose_shipping("express")
        order = visit.record()["orderId"]
        driver.switch_to.window(first)
        assert visit.record()["orderId"] == order
        visit.sheet.enter_coupon("WELCOME")
        assert visit.sheet.total != cheap
        visit.sheet.confirm()
        visit.await_paid()
        driver.switch_to.window(second)
        assert visit.browser.text("#cart-count") == "0", "the cart is the same in both"
        visit.sheet.confirm()
        visit.browser.wait("the second payment is refused", lambda: visit.sheet.message in ("Payment not completed",))
        assert visit.shop.charges() == charges + 1

    def test_of_two_orders(self, visit: Visit, shop: Shop):
        charges = shop.charges()
        other_browser = Browser()
        try:
            other = Visit(other_browser, shop)
            visit.pay_sheet("cup")
            other.pay_sheet("cup").confirm()
            visit.sheet.confirm()
            other.await_paid()
            visit.await_paid()
            assert visit.record()["orderId"] != other.record()["orderId"]
        finally:
            other_browser.end()
        assert shop.charges() == charges + 2
