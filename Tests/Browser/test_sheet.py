"""What the customer chooses on the sheet changes its total."""
from pages import Visit

# The stand-in's limit, made short; any other timer keeps its time.
SHORT_LIMIT = """
const wait = window.setTimeout;
window.setTimeout = (work, time, ...more) => wait(work, time === 30000 ? 300 : time, ...more);
"""


class TestSheet:
    def test_address_that_is_not_served(self, visit: Visit):
        sheet = visit.pay_sheet().choose_address("tokyo")
        assert visit.browser.text("#sheet-contact-error") == "We do not deliver to this address."
        assert visit.browser.find(".confirm").get_attribute("aria-disabled") == "true"
        sheet.confirm()
        sheet.choose_address("chengdu")
        assert visit.browser.text("#sheet-contact-error") == ""
        sheet.confirm()
        visit.await_paid()

    def test_shipping(self, visit: Visit):
        sheet = visit.pay_sheet().choose_shipping("express")
        assert sheet.total == "¥56.50"
        sheet.choose_address("chengdu")
        methods = visit.browser.run("return [...document.querySelectorAll('.methods input')].map((each) => each.value)")
        assert methods == ["standard"], "express does not go there"
        assert sheet.total == "¥46.50"
        sheet.choose_address("shanghai").choose_shipping("express").confirm()
        visit.await_paid()
        assert "Shipping: Express¥18.00" in visit.browser.text("#lines")

    def test_coupons(self, visit: Visit):
        sheet = visit.pay_sheet()
        sheet.enter_coupon("NONSENSE")
        assert visit.browser.text("#sheet-coupon-error") != "" and sheet.total == "¥46.50"
        sheet.enter_coupon("SPRING")
        assert visit.browser.text("#sheet-coupon-error") != "" and sheet.total == "¥46.50"
        sheet.enter_coupon("tea10")
        assert visit.browser.text("#sheet-coupon-error") == "" and sheet.total == "¥42.65"
        sheet.confirm()
        visit.await_paid()
        assert "Discount−¥3.85" in visit.browser.text("#lines")

    def test_a_real_session_is_left_alone(self, visit: Visit):
        visit.browser.add_script("window.ApplePaySession = class Real { static canMakePayments() { return true; } };")
        visit.open()
        assert visit.browser.run("return ApplePaySession.name") == "Real"

    def test_a_real_session_that_wants_tls_is_replaced(self, visit: Visit):
        """Safari's own throws on pages without TLS."""
        visit.browser.add_script(
            "window.ApplePaySession = class Real { static canMakePayments() {"
            " throw new DOMException('an insecure document', 'InvalidAccessError'); } };")
        visit.pay_sheet().confirm()
        visit.await_paid()
        assert visit.browser.faults() == []

    def test_apples_time_limit(self, visit: Visit):
        visit.browser.add_script(SHORT_LIMIT)
        visit.open()
        visit.browser.run("""
            window.seen = [];
            const session = new ApplePaySession(3, {countryCode: "CN", currencyCode: "CNY", supportedNetworks: ["visa"],
                merchantCapabilities: ["supports3DS"], total: {label: "Tea", amount: "1.00"}});
            session.onvalidatemerchant = (event) => window.seen.push(event.type);
            session.oncancel = (event) => window.seen.push(event.type);
            session.begin();""")
        visit.browser.wait_text(".sheet-message", "did not answer")
        visit.browser.wait("the sheet is gone", lambda: not visit.sheet.is_open)
        assert visit.browser.run("return window.seen") == ["validatemerchant", "cancel"]

    def test_wrong_use_is_refused_as_apple_does(self, visit: Visit):
        visit.open()
        answers = visit.browser.run("""
            const request = {countryCode: "CN", currencyCode: "CNY", supportedNetworks: ["visa"],
                merchantCapabilities: ["supports3DS"], total: {label: "Tea", amount: "1.00"}};
            const tried = (work) => { try { work(); return "done"; } catch (error) { return error.name; } };
            return [
                tried(() => new ApplePaySession(99, request)),
                tried(() => new ApplePaySession(3, {...request, total: {label: "", amount: "1.00"}})),
                tried(() => new ApplePaySession(3, {...request, supportedNetworks: []})),
                tried(() => new ApplePaySession(3, request).completePayment(0)),
                tried(() => new ApplePaySession(3, request).abort()),
            ];""")
        assert answers == ["TypeError", "TypeError", "TypeError", "InvalidAccessError", "InvalidAccessError"]
