"""The second window: the way of a payment through the three programs, and the books."""
from pages import Visit

# The card of an order.
CARD = """
const card = [...document.querySelectorAll(".journey")]
  .find((each) => each.textContent.includes(arguments[0].slice(-8)));
"""


class TestBehind:
    def test_shows_a_payment_as_it_goes(self, visit: Visit):
        driver = visit.browser.driver
        visit.open("/behind.html")
        behind = driver.current_window_handle
        visit.browser.wait_text("#connection", "live")
        driver.switch_to.new_window("window")
        visit.pay_sheet("black").confirm()
        visit.await_paid()
        order = visit.record()["orderId"]
        driver.switch_to.window(behind)
        steps = (
            "order.opened", "charge.requested", "payment.accepted", "payment.succeeded", "entries.booked", "order.paid")
        for step in steps:
            visit.browser.wait(step, lambda: step in visit.browser.run(CARD + "return card?.textContent ?? '';", order))
        programs = set(visit.browser.run(
            CARD + "return [...card.querySelectorAll('.program')].map((each) => each.textContent);", order))
        assert programs == {"token-ingest", "charge-gateway", "order-ledger", "shop"}
        assert visit.browser.faults() == []

    def test_one_order_only(self, visit: Visit):
        visit.pay_sheet("cup").confirm()
        visit.await_paid()
        order = visit.record()["orderId"]
        visit.open(f"/behind.html?order={order}")
        visit.browser.wait_text("#journeys", "payment.succeeded")
        assert visit.browser.run("return document.querySelectorAll('.journey').length") == 1

    def test_reads_the_books_live(self, visit: Visit):
        visit.pay_sheet("cup").confirm()
        visit.await_paid()
        books = visit.shop.books()
        visit.open("/behind.html")
        visit.browser.wait_text("#verdict", "All books agree", 30)
        rows = visit.browser.run(
            "return [...document.querySelectorAll('#books-rows tr')].map((row) =>"
            " [...row.cells].slice(1).map((cell) => cell.textContent.replaceAll(',', '')))")
        assert rows == [[str(books[name]["count"]), f"¥{books[name]['taken']}", f"¥{books[name]['returned']}"]
                        for name in ("acquirer", "gateway", "ledger")]
        assert "RESULT" in visit.browser.text("#audit") and "exits 0" in visit.browser.text("#audit-exit")
        before = visit.browser.text("#books-time")
        visit.browser.wait("the time of the reading changes", lambda: (
            visit.browser.click("#read-books"), visit.browser.text("#books-time") != before)[1])
