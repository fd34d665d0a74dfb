"""The console in a real browser: answer a question, edit a document, undo a decision, and check the resulting memory.

``python -m tests.acceptance.test_console FOLDER`` takes the screenshots of docs/how-to/console.md; with ``--all``, every page at
both widths.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from mosshead import Namespace, NotFound
from tests.acceptance.browsing import CHROMIUM, DRIVER, browser
from tests.acceptance.console_world import CORRECTION, OPEN, PilotProfile, tell
from tests.acceptance.running import Running, machine

LOGIN = "pilot:a quiet harbour"
SECONDS = 90
WIDTHS = (1280, 390)
RETRIEVAL = "/retrieval?message=What+does+Anna+Lind+do+before+a+ship+comes+in"

needs_a_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="chromium and chromedriver are not on the PATH: apt-get install chromium chromium-driver",
)


class Visitor:
    """A user of the console."""

    def __init__(self, driver: Chrome, address: str, namespace: Namespace) -> None:
        self.driver = driver
        self.address = address
        self.place = f"{address}/n/{':'.join(namespace.path.parts)}"
        self.namespace = namespace

    def open(self, page: str = "") -> None:
        """Open a page of the namespace."""
        self.driver.get(self.place + page)

    def pages(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Return every page by name: its address, and what it shows of the small world."""
        skagen = self.namespace.get(next(one.id for one in self.namespace.memories() if "Skagen" in one.content))
        pilots = next(one for one in self.namespace.entities.list() if one.name == "Sund Pilots")
        (decision, *_) = self.namespace.decisions.for_memory(skagen.id)
        tenant = self.namespace.path.parts[0]
        found: dict[str, tuple[str, tuple[str, ...]]] = {
            "overview": ("", ("Most salient", "Latest decisions", "up to date")),
            "memories": ("/memories", ("confidence 90 %", "User lives in")),
            "memories-found": ("/memories?q=shellfish", ("allergic to shellfish",)),
            "memory": (f"/memories/{skagen.id}", ("Sources", CORRECTION, "Compared with")),
            "entities": ("/entities", ("Anna Brandt", "the boatbuilder")),
            "entity": (f"/entities/{pilots.id}", ("Neighbours", "Correct the identity")),
            "documents": ("/documents", ("PilotProfile", "Danish")),
            "document": ("/documents/PilotProfile", ("licence", "Publish the edit")),
            "questions": ("/questions", ("Which Anna do you mean", "Somebody new")),
            "retrieval": (RETRIEVAL, ("Lines, best first", "As the model sees it")),
            "messages": ("/messages", ("Messages", CORRECTION, "quay")),
            "messages-found": ("/messages?q=ships", ("I bring ships", "score")),
            "message": (f"/messages/{skagen.sources[0].message_id}", ("Memories from this message", CORRECTION)),
            "decisions": ("/decisions", ("Quarantined", "added")),
            "decision": (f"/decisions/{decision.id}", ("Decision", "Extracted by")),
            "no-page": ("/nowhere", ("There is no such page",)),
        }
        found = {name: (self.place + page, words) for name, (page, words) in found.items()}
        found["start"] = (f"{self.address}/", ("Tenants", tenant, "Recently active"))
        found["tenant"] = (f"{self.address}/?namespace={tenant}", (str(self.namespace.path), "Open"))
        found["operations"] = (
            f"{self.address}/operations",
            ("Status", "median lag", "tokens in 24 h", "offline rules"),
        )
        return found

    @contextmanager
    def as_wide(self, width: int, height: int = 900) -> Iterator[None]:
        """Use a window of this width within the block; a desktop browser's own is never as narrow as a phone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def click(self, xpath: str) -> None:
        """Click an element."""
        self.driver.find_element(By.XPATH, xpath).click()

    def press(self, xpath: str) -> None:
        """Click a submit button, and wait until the old page is gone: the next may show the same text."""
        self.driver.execute_script("window.before = true")
        self.click(xpath)
        # While one page replaces another, the driver raises various errors.
        waiting = WebDriverWait(self.driver, SECONDS, ignored_exceptions=[WebDriverException])
        waiting.until(lambda driver: not driver.execute_script("return window.before"))

    def reads(self, *texts: str) -> None:
        """Wait until the page shows all of these texts; it reloads itself while an event is pending."""
        deadline = time.monotonic() + SECONDS
        while missing := [text for text in texts if text not in (said := self._text())]:
            assert time.monotonic() < deadline, f"{missing} is not on the page, which says: {said}"
            time.sleep(0.2)

    def _text(self) -> str:
        try:
            return str(self.driver.find_element(By.TAG_NAME, "body").text)
        except WebDriverException:
            return ""  # the page was just replaced


@contextmanager
def console(running: Running) -> Iterator[str]:
    """Run the console's command beside a running machine; return its address."""
    own = {"MOSSHEAD_CONSOLE_AUTH": LOGIN, "MOSSHEAD_CONSOLE_PORT": "0", "MOSSHEAD_LOG_FORMAT": "json"}
    command = [sys.executable, "-m", "workers", "console"]
    env = {**os.environ, **running.addresses.environment(), **own, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0


@contextmanager
def visiting(running: Running, folder: Path) -> Iterator[Visitor]:
    """Open a browser on the console of a namespace with content."""
    maren = running.memory.namespace("harbour", "maren")
    tell(maren)
    with console(running) as address, browser(folder, login=LOGIN) as driver:
        yield Visitor(driver, address, maren)


@pytest.fixture(scope="module")
def visitor(running: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with visiting(running, tmp_path_factory.mktemp("browser")) as one:
        yield one


@needs_a_browser
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_shows_its_content_and_fits_the_window(visitor: Visitor, width: int) -> None:
    visitor.driver.get_log("browser")
    with visitor.as_wide(width):
        for name, (address, words) in visitor.pages().items():
            visitor.driver.get(address)
            said = visitor.driver.find_element(By.TAG_NAME, "body").text.casefold()
            assert [word for word in words if word.casefold() not in said] == [], f"{name} says: {said}"
            assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= width, name
            assert visitor.driver.execute_script(OUTSIDE) == [], f"{name} has something that is cut off"
            told = visitor.driver.get_log("browser")  # includes violations of the content security policy
            assert [one for one in told if name != "no-page" or one["source"] != "network"] == [], name


OUTSIDE = """
    const wide = document.documentElement.clientWidth;
    const box = one => one.getBoundingClientRect();
    const tabs = [...document.querySelectorAll("nav a, button, td, h1")]
        .filter(one => box(one).width && (box(one).left < 0 && !one.className.includes("quiet") || box(one).right > wide + 0.5));
    const labels = [...document.querySelectorAll("svg.graph text")].filter(one => {
        const sheet = box(one.ownerSVGElement);
        return box(one).left < sheet.left || box(one).right > sheet.right || box(one).bottom > sheet.bottom;
    });
    return [...tabs, ...labels].map(one => one.textContent);
"""
"""Tabs, buttons, cells and labels that are not fully visible in the window or a graph."""


@needs_a_browser
def test_question_is_answered_by_a_click(visitor: Visitor) -> None:
    visitor.open("/questions")
    visitor.reads("Which Anna do you mean", OPEN, "the boatbuilder", "keeps bees on the roof")
    visitor.press("//button[contains(., 'dispatcher')]")
    visitor.reads("took effect", "No open questions.")
    assert visitor.namespace.entities.questions() == []
    (learning,) = [one for one in visitor.namespace.memories() if "Portuguese" in one.content]
    assert learning.about == ("Anna Lind",)


@needs_a_browser
def test_edited_document_shows_a_late_edit_beside_the_current_value(visitor: Visitor) -> None:
    visitor.open("/documents/PilotProfile")
    visitor.reads("PilotProfile", "version 1")
    licence = "//label[contains(., 'licence')]/following-sibling::input[1]"
    field = visitor.driver.find_element(By.XPATH, licence)
    field.clear()
    field.send_keys("red")
    visitor.namespace.documents.edit("PilotProfile", {"years": 12})
    visitor.namespace.wait(timeout=SECONDS)

    visitor.press("//button[contains(., 'Publish the edit')]")
    visitor.reads("changed after you loaded it", "blue", "red", "11", "12")
    visitor.press("//button[contains(., 'Publish the edit')]")
    visitor.reads("took effect", "version 3")
    document = visitor.namespace.documents.get(PilotProfile)
    assert document is not None
    assert (document.value.licence, document.value.years, document.value.languages) == ("red", 12, ["Danish", "German"])


@needs_a_browser
def test_decision_is_undone_in_the_console(visitor: Visitor) -> None:
    (skagen,) = [one for one in visitor.namespace.memories() if "Skagen" in one.content]
    visitor.open(f"/memories/{skagen.id}")
    visitor.reads("User lives in Skagen", CORRECTION, "replaced")
    visitor.press("//button[.='Undo']")
    visitor.reads("took effect", "withdrawn")
    assert [
        one.content for one in visitor.namespace.memories() if "lives in" in one.content and "User l" in one.content
    ] == ["User lives in Aalborg"]
    told = visitor.driver.get_log("browser")
    seen = [one for one in told if one["source"] != "network"]
    assert seen == []  # no violation of the content security policy


@needs_a_browser
@pytest.mark.parametrize("width", WIDTHS)
def test_each_retrieved_line_shows_its_score_and_path(visitor: Visitor, width: int) -> None:
    with visitor.as_wide(width):
        visitor.open(RETRIEVAL)
        visitor.reads("Lines, best first", "As the model sees it")
        block = visitor.driver.find_element(By.TAG_NAME, "pre").text
        lines = [line for line in block.splitlines() if line.startswith("- ")]
        shown = visitor.driver.find_elements(By.CSS_SELECTOR, ".why > li")
        assert [f"- {one.find_element(By.CLASS_NAME, 'content').text}" for one in shown] == lines != []
        for one in shown:
            assert one.find_element(By.CSS_SELECTOR, "meter").size["width"] >= 90  # pixels
            assert one.find_elements(By.CSS_SELECTOR, ".rank .tag")


@needs_a_browser
def test_memory_is_corrected_and_forgotten_in_the_console(visitor: Visitor) -> None:
    (bees,) = [one for one in visitor.namespace.memories() if "bees" in one.content]
    visitor.open(f"/memories/{bees.id}")
    visitor.click("//summary[contains(., 'Replace:')]")
    field = visitor.driver.find_element(By.ID, "content")
    field.clear()
    field.send_keys(bees.content.replace("bees", "hens"))
    visitor.press("//button[.='Replace']")
    visitor.reads("took effect", "Replaced by", "hens")
    (hens,) = [one for one in visitor.namespace.memories() if "hens" in one.content]
    assert hens.about == bees.about

    visitor.open(f"/memories/{hens.id}")
    visitor.click("//summary[contains(., 'Forget:')]")
    visitor.press("//button[.='Forget']")
    visitor.reads("took effect", "withdrawn")
    assert not any("hens" in one.content for one in visitor.namespace.memories())
    visitor.press("//li[contains(., 'forgotten')]//button[.='Undo']")
    visitor.reads("took effect")
    assert any("hens" in one.content for one in visitor.namespace.memories())

    visitor.open(f"/memories/{hens.id}")
    visitor.click("//summary[contains(., 'Erase:')]")
    visitor.click("//label[contains(., 'Delete it for good')]")
    visitor.press("//button[.='Erase']")
    visitor.reads("took effect", "erased")
    with pytest.raises(NotFound):
        visitor.namespace.get(hens.id)


PICTURES = {
    "start": (1000, 700, "light"),
    "questions": (1000, 860, "light"),
    "memory": (1000, 1040, "light"),
    "entity": (1000, 1160, "dark"),
    "retrieval": (1000, 1200, "light"),
    "operations": (1000, 900, "light"),
}


@contextmanager
def _onlooker() -> Iterator[Visitor]:
    scratch = Path(mkdtemp(prefix="mosshead-pictures-"))
    with machine(scratch / "machine", {"OPENAI_API_KEY": ""}) as running, visiting(running, scratch / "b") as visitor:
        yield visitor


def take_pictures(folder: Path) -> None:
    """Take screenshots of the pages that the tests visit."""
    with _onlooker() as visitor:
        pages = visitor.pages()
        for name, (width, height, scheme) in PICTURES.items():
            visitor.driver.set_window_size(width, height)
            wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
            visitor.driver.get(pages[name][0])
            visitor.driver.save_screenshot(str(folder / f"console-{name}.png"))


def take_every_page(folder: Path) -> None:
    """Take full-length screenshots of every page at both widths."""
    folder.mkdir(parents=True, exist_ok=True)
    with _onlooker() as visitor:
        for name, (address, _) in visitor.pages().items():
            for width in WIDTHS:
                with visitor.as_wide(width):
                    visitor.driver.get(address)
                    height = visitor.driver.execute_script("return document.documentElement.scrollHeight")
                with visitor.as_wide(width, height):
                    visitor.driver.save_screenshot(str(folder / f"{name}-{width}.png"))


if __name__ == "__main__":
    (take_every_page if "--all" in sys.argv else take_pictures)(Path(sys.argv[1]))
