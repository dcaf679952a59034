"""A customer pays, is declined, or closes the sheet."""
from pages import Visit
from selenium.webdriver.common.keys import Keys


class TestPaying:
    def test_paid(self, visit: Visit):
        before = visit.shop.books()
        sheet = visit.pay_sheet("green", "jasmine")
        assert sheet.total == "¥104.50"
        sheet.confirm()
        visit.await_paid()
        assert "Total¥104.50" in visit.browser.text("#lines")
        visit.browser.wait_text("#timeline", "payment.succeeded")
        after = visit.shop.books()
        assert after["acquirer"]["count"] == before["acquirer"]["count"] + 1
        assert round(float(after["ledger"]["taken"]) - float(before["ledger"]["taken"]), 2) == 104.50
        assert after["audit"]["exit"] == 0
        visit.open()
        assert visit.browser.text("#cart-count") == "0", "a paid cart is empty"
        assert visit.browser.faults() == []

    def test_refund(self, visit: Visit):
        visit.pay_sheet("black").confirm()
        visit.await_paid()
        field = visit.browser.find("#refund-amount")
        assert field.get_attribute("value") == "40.00"
        field.clear()
        field.send_keys("12.50")
        visit.browser.click("#refund-button")
        visit.browser.wait_text("#status", "The money was given back", 30)
        assert "¥27.50 can be given back" in visit.browser.text("#refundable")
        field.clear()
        field.send_keys("27.51")
        visit.browser.click("#refund-button")
        visit.browser.wait_text("#warning", "refund")
        field.clear()
        field.send_keys("27.50")
        visit.browser.click("#refund-button")
        visit.browser.wait_text("#order-title", "Your money is on its way back", 30)
        assert visit.shop.books()["audit"]["exit"] == 0

    def test_declined_then_paid_with_another_card(self, visit: Visit):
        charges = visit.shop.charges()
        sheet = visit.pay_sheet().choose_card("empty")
        sheet.confirm()
        visit.browser.wait_text(".sheet-message", "Payment not completed")
        assert "declined" in visit.browser.text("#warning")
        assert visit.shop.charges() == charges
        sheet.choose_card("travel")
        sheet.confirm()
        visit.await_paid()
        assert "declined" in visit.browser.text("#payments") and "succeeded" in visit.browser.text("#payments")
        assert visit.shop.charges() == charges + 1
        assert visit.browser.faults() == []

    def test_a_silent_acquirer_is_asked(self, visit: Visit):
        charges = visit.shop.charges()
        visit.pay_sheet().choose_card("silent").confirm()
        visit.await_paid()
        assert visit.shop.charges() == charges + 1

    def test_face_not_recognised(self, visit: Visit):
        sheet = visit.pay_sheet()
        visit.browser.click("#choice-face")
        sheet.confirm()
        visit.browser.wait_text(".sheet-message", "Face ID was not recognised")
        assert visit.sent_payments() == []
        visit.browser.click("#choice-face")
        sheet.confirm()
        visit.await_paid()

    def test_a_dismissed_sheet_closes_nothing(self, visit: Visit):
        visit.pay_sheet().choose_shipping("express")
        order = visit.record()["orderId"]
        visit.browser.press(Keys.ESCAPE)
        visit.browser.wait_text("#status", "Nothing was taken")
        assert not visit.sheet.is_open
        assert visit.browser.text("#cart-count") == "1"
        assert visit.browser.requests("/cancel") == []
        visit.open_sheet().cancel()
        visit.browser.wait("the sheet is gone", lambda: not visit.sheet.is_open)
        visit.open_sheet().confirm()
        visit.await_paid()
        assert visit.record()["orderId"] == order, "it is the same order"

    def test_cancelled_order(self, visit: Visit):
        visit.pay_sheet().cancel()
        order = visit.record()["orderId"]
        visit.open(f"/order.html?id={order}").browser.wait_text("#order-title", "Not paid yet")
        visit.browser.click("#cancel")
        visit.browser.wait_text("#order-title", "The order is cancelled")
        visit.open().open_sheet().confirm()
        visit.await_paid()
        assert visit.record()["orderId"] != order, "the next order is a new one"
