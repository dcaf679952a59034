"""What the tests share: one shop for all, one browser for each."""
import pytest

from browser import Browser
from pages import Visit
from shop import Shop


@pytest.fixture(scope="session")
def shop():
    shop = Shop()
    yield shop
    shop.end()


@pytest.fixture
def browser():
    browser = Browser()
    yield browser
    browser.end()


@pytest.fixture
def visit(browser, shop):
    return Visit(browser, shop)
