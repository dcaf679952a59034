"""Makes docs/images/shop-*.png: what a visitor sees. Tests/Browser/run --screenshots."""
import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from browser import Browser
from pages import Visit
from shop import Shop

FOLDER = Path(__file__).parents[2] / "docs" / "images"
LARGEST = 150_000


def save(browser: Browser, name: str):
    # Pictures below the fold come when they are needed.
    browser.wait("the pictures are there", lambda: browser.run(
        "return [...document.images].every((each) => each.complete || each.getBoundingClientRect().top > innerHeight)"))
    browser.settle()
    image = Image.open(io.BytesIO(base64.b64decode(browser.command("Page.captureScreenshot", format="png")["data"])))
    # What nobody sees, the last bits of each colour, takes half of the space.
    small = io.BytesIO()
    image.convert("RGB").point(lambda value: min(255, (value + 2) // 4 * 4)).save(small, "PNG", optimize=True)
    assert len(small.getvalue()) < LARGEST, f"{name} has {len(small.getvalue())} bytes"
    (FOLDER / f"shop-{name}.png").write_bytes(small.getvalue())


@pytest.fixture
def window(shop: Shop, request):
    browser = Browser(*request.param)
    yield Visit(browser, shop)
    browser.end()


@pytest.mark.parametrize("window", [(1120, 760, "light")], indirect=True)
def test_wide_window(window: Visit):
    browser = window.browser
    window.open().add("green", "jasmine").await_button()
    browser.move_away()
    browser.run("document.activeElement.blur(); scrollTo({top: 0, behavior: 'instant'})")
    save(browser, "catalogue")
    browser.run("document.querySelector('#products-title').scrollIntoView({behavior: 'instant'})")
    window.open_sheet().choose_shipping("express").enter_coupon("TEA10")
    save(browser, "sheet")
    window.sheet.confirm()
    window.await_paid()
    browser.wait_text("#timeline", "payment.succeeded")
    save(browser, "order")
    window.open("/behind.html?order=" + window.record()["orderId"])
    browser.wait_text("#journeys", "order.paid")
    browser.wait_text("#verdict", "All books agree", 30)
    browser.run("document.querySelector('#filter').hidden = true; scrollTo({top: 190, behavior: 'instant'})")
    save(browser, "behind")


@pytest.mark.parametrize("window", [(390, 780, "dark")], indirect=True)
def test_phone(window: Visit):
    window.pay_sheet("white", "teapot")
    save(window.browser, "phone")
