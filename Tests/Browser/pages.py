"""The shop's pages and the sheet, as a customer uses them."""
import json

from browser import Browser
from shop import Shop


class Sheet:
    """The payment sheet."""

    def __init__(self, browser: Browser):
        self.browser = browser

    @property
    def is_open(self) -> bool:
        return self.browser.run("return document.querySelector('dialog.phone')?.open ?? false")

    @property
    def total(self) -> str:
        return self.browser.text(".sheet-total strong")

    @property
    def message(self) -> str:
        return self.browser.text(".sheet-message")

    def await_idle(self):
        """Until the shop has answered what the sheet asked."""
        self.browser.wait("the sheet is ready", lambda: self.browser.run(
            "return document.querySelector('dialog.phone')?.getAttribute('aria-busy') === 'false'"
            " && document.querySelector('#sheet-card').options.length > 0"))
        return self

    def choose(self, selector: str, value: str):
        self.browser.run(
            "const field = document.querySelector(arguments[0]); field.value = arguments[1];"
            " field.dispatchEvent(new Event('change', {bubbles: true}))", selector, value)
        return self.await_idle()

    def choose_card(self, card: str):
        return self.choose("#sheet-card", card)

    def choose_address(self, address: str):
        return self.choose("#sheet-contact", address)

    def choose_shipping(self, method: str):
        self.browser.click(f".methods input[value={method}]")
        return self.await_idle()

    def enter_coupon(self, code: str):
        self.browser.find("#sheet-coupon").clear()
        self.browser.find("#sheet-coupon").send_keys(code)
        self.browser.click(".coupon button")
        return self.await_idle()

    def confirm(self):
        self.browser.click(".confirm")

    def cancel(self):
        self.browser.click(".sheet .cancel")


class Visit:
    """A customer in one window of the shop."""

    def __init__(self, browser: Browser, shop: Shop):
        self.browser = browser
        self.shop = shop
        self.sheet = Sheet(browser)

    def open(self, path="/"):
        self.browser.driver.get(self.shop.address + path)
        if path == "/":
            self.browser.wait(
                "the catalogue", lambda: self.browser.run("return document.querySelector('#products li') !== null"))
        return self

    def add(self, *products: str):
        for product in products:
            self.browser.click(f"[data-product={product}]")
        return self

    def await_button(self):
        self.browser.wait("Apple's button can be pressed", lambda: self.browser.run(
            "const button = document.querySelector('#apple-pay');"
            " return button && !button.hidden && button.getAttribute('aria-disabled') === 'false'"))

    def pay_sheet(self, *products: str) -> Sheet:
        """Opens the sheet for these products."""
        self.open().add(*(products or ("green",)))
        return self.open_sheet()

    def open_sheet(self) -> Sheet:
        self.await_button()
        self.browser.click("#apple-pay")
        return self.sheet.await_idle()

    def await_order(self, title: str, seconds=20.0):
        self.browser.wait("the order's page", lambda: "/order.html" in self.browser.driver.current_url, seconds)
        self.browser.wait_text("#order-title", title, seconds)

    def await_paid(self, seconds=20.0):
        self.await_order("Your tea is paid", seconds)

    def record(self) -> dict:
        """What the window knows of its order."""
        return self.browser.run(
            "return JSON.parse(sessionStorage.getItem('tea.order.' + sessionStorage.getItem('tea.current')))")

    def sent_payments(self) -> list[dict]:
        """The payments that the pages sent to token-ingest: ticket and body of each."""
        return [
            {"ticket": each["headers"]["Authorization"].removeprefix("Bearer "), "body": json.loads(each["postData"])}
            for each in self.browser.requests("/v1/payments")
        ]
