"""A window of Chromium, and what the tests ask of it."""
import json
import time

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Notes what a hostile text would do if it ever ran, on every page.
NOTE_SCRIPTS = """
window.ranScripts = [];
for (const name of ["alert", "confirm", "prompt"]) window[name] = (text) => { window.ranScripts.push(String(text)); };
"""


class Browser:
    """One browser with a profile of its own."""

    def __init__(self, width=1280, height=900, scheme="light", arguments=()):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
            *arguments
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(60)
        self.set_size(width, height)
        self.set_scheme(scheme)
        self.add_script(NOTE_SCRIPTS)
        self.console: list[dict] = []
        self.network: list[dict] = []

    def set_size(self, width, height):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def set_scheme(self, scheme):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def add_script(self, source: str) -> str:
        """Runs before every page's own scripts."""
        return self.command("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]

    def remove_script(self, identifier: str):
        self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=identifier)

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script: str, *arguments):
        """Runs the body of an async function, and answers what it returns."""
        return self.driver.execute_async_script(
            f"const done = arguments[arguments.length - 1]; (async (...given) => {{ {script} }})(...arguments)"
            ".then((value) => done({value}), (error) => done({error: String(error)}));", *arguments)

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector: str):
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        # A sheet that is still rising would be elsewhere when the click comes.
        self.settle()
        element.click()

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def press(self, *keys: str):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector: str, at_most=80):
        """Presses Tab until the element has the focus."""
        for _ in range(at_most):
            self.press(Keys.TAB)
            if self.run("return document.activeElement?.matches(arguments[0]) ?? false", selector):
                return
        raise AssertionError(f"{selector} cannot be reached by Tab")

    def wait(self, what: str, condition, seconds=15.0):
        """Waits until the condition gives something true, and answers it."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if value := condition():
                    return value
            except StaleElementReferenceException:
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f"not in {seconds} s: {what}\n{self.run('return document.body.innerText')[:1500]}")
            time.sleep(0.05)

    def wait_text(self, selector: str, part: str, seconds=15.0):
        self.wait(f"{part!r} in {selector}", lambda: part in self.text(selector), seconds)

    def requests(self, path: str, method="POST") -> list[dict]:
        """The requests that the pages have sent to a path: `url`, `postData`, `headers`. The browser's own log."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.network.append(message["params"]["request"])
        return [each for each in self.network if each["method"] == method and path in each["url"]]

    def faults(self) -> list[str]:
        """What the console says that is wrong."""
        self.console += [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [entry["message"] for entry in self.console]

    def scripts_that_ran(self) -> list[str]:
        return self.run("return window.ranScripts")

    def move_away(self):
        """Moves the mouse to the corner, so that it is over nothing."""
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)

    def settle(self):
        """Ends all movement: colours and places on their way are not what a reader sees."""
        self.run("for (const each of document.getAnimations()) try { each.finish() } catch { each.cancel() }")

    def violations(self) -> list[str]:
        """What axe-core finds on the page as it is now."""
        self.settle()
        return [
            f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes'][:4]]}"
            for each in Axe().run(self.driver)["violations"]
        ]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def end(self):
        self.driver.quit()
