"""For everybody: by keyboard, for screen readers (axe-core), on a narrow screen, light and dark."""
import pytest
from selenium.webdriver.common.keys import Keys

from browser import Browser
from pages import Visit
from shop import Shop


class TestKeyboard:
    def test_from_the_catalogue_to_the_refund(self, visit: Visit):
        browser = visit.browser
        visit.open()
        browser.tab_to("[data-product=green]")
        browser.press(Keys.ENTER)
        visit.await_button()
        browser.tab_to("[data-step='more:green']")
        browser.press(Keys.SPACE)
        assert browser.run("return document.activeElement.dataset.step") == "more:green", "the focus stays"
        visit.await_button()
        browser.tab_to("#apple-pay")
        browser.press(Keys.ENTER)
        visit.sheet.await_idle()
        assert browser.run("return document.activeElement.closest('dialog') !== null")
        for _ in range(30):
            browser.press(Keys.TAB)
            assert browser.run("return document.activeElement.closest('dialog') !== null"), "the focus left the sheet"
        browser.tab_to("#sheet-coupon")
        browser.press("TEA10", Keys.ENTER)
        browser.wait("the coupon counts", lambda: visit.sheet.total == "¥77.30")
        browser.tab_to(".methods input")
        browser.press(Keys.ARROW_DOWN)
        browser.wait("express is chosen", lambda: visit.sheet.total == "¥87.30")
        visit.sheet.await_idle()
        browser.tab_to(".confirm")
        browser.press(Keys.ENTER)
        visit.await_paid()
        browser.tab_to("#refund-button")
        browser.press(Keys.ENTER)
        browser.wait_text("#status", "The money was given back", 30)
        assert browser.faults() == []

    def test_escape_gives_the_focus_back(self, visit: Visit):
        visit.pay_sheet()
        visit.browser.press(Keys.ESCAPE)
        visit.browser.wait("the sheet is gone", lambda: not visit.sheet.is_open)
        visit.await_button()
        assert visit.browser.run("return document.activeElement.closest('#cart') !== null")

    def test_the_focus_is_visible(self, visit: Visit):
        visit.open()
        for _ in range(8):
            visit.browser.press(Keys.TAB)
            assert visit.browser.run("""
                const style = getComputedStyle(document.activeElement);
                return document.activeElement !== document.body && style.outlineStyle !== "none"
                  && parseFloat(style.outlineWidth) >= 2;"""), "the focus is not to be seen"


@pytest.mark.parametrize("scheme", ["light", "dark"])
class TestAxe:
    def test_every_page_and_the_open_sheet(self, shop: Shop, scheme: str):
        browser = Browser(scheme=scheme)
        try:
            visit = Visit(browser, shop).open()
            assert browser.violations() == [], "the empty shop"
            visit.add("green", "sample").open_sheet()
            assert browser.violations() == [], "the sheet"
            visit.sheet.choose_address("tokyo").enter_coupon("NONSENSE")
            assert browser.violations() == [], "the sheet with errors"
            visit.sheet.choose_address("shanghai").cancel()
            visit.await_button()
            assert browser.violations() == [], "the shop with a cart"
            visit.open_sheet().confirm()
            visit.await_paid()
            browser.wait_text("#refundable", "can be given back")
            assert browser.violations() == [], "the order"
            visit.open("/behind.html")
            browser.wait_text("#journeys", "payment.succeeded")
            browser.wait_text("#verdict", "All books agree", 30)
            assert browser.violations() == [], "behind"
            assert browser.faults() == []
        finally:
            browser.end()


@pytest.mark.parametrize("width", [360, 768])
class TestNarrowScreens:
    def test_nothing_is_wider_than_the_screen(self, shop: Shop, width: int):
        browser = Browser(width=width, height=740)
        try:
            visit = Visit(browser, shop).open()
            assert browser.overflow() <= 0, "the empty shop"
            visit.add("green", "sample").open_sheet()
            assert browser.overflow() <= 0, "the shop with the sheet"
            browser.settle()
            box = browser.run("const box = document.querySelector('.sheet').getBoundingClientRect();"
                              " return [box.left, box.right, box.bottom]")
            assert box[0] >= 0 and box[1] <= width and box[2] <= 741
            visit.sheet.confirm()
            visit.await_paid()
            assert browser.overflow() <= 0, "the order"
            visit.open("/behind.html")
            browser.wait_text("#journeys", "payment.succeeded")
            browser.wait_text("#verdict", "All books agree", 30)
            assert browser.overflow() <= 0, "behind"
        finally:
            browser.end()


class TestColours:
    def test_follow_the_system(self, visit: Visit):
        colours = []
        for scheme in ("light", "dark"):
            visit.browser.set_scheme(scheme)
            visit.open()
            colours.append(visit.browser.run("return getComputedStyle(document.body).backgroundColor"))
        assert sum(map(int, colours[0][4:-1].split(","))) > 600 and sum(map(int, colours[1][4:-1].split(","))) < 150

    def test_reduced_motion(self, visit: Visit):
        visit.browser.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        visit.pay_sheet()
        duration = visit.browser.run("return getComputedStyle(document.querySelector('.sheet')).animationDuration")
        assert float(duration.removesuffix("s")) < 0.01


class TestReloadedCart:
    def test_survives_a_reload_and_bad_contents(self, visit: Visit):
        visit.open().add("green", "green", "cup")
        visit.browser.driver.refresh()
        visit.browser.wait_text("#cart-count", "3")
        visit.browser.run(
            "localStorage.setItem('tea.cart', arguments[0])", '[{"id": "nothing", "quantity": 1}, {"id": 7}, null]')
        visit.open()
        assert visit.browser.text("#cart-count") == "0"
        assert visit.browser.faults() == []
