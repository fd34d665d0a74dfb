"""A real headless browser: Debian's chromium, driven by its chromedriver."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")

_OPTIONS = """
    headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update disable-sync
    disable-dev-shm-usage hide-scrollbars
""".split()


@contextmanager
def browser(profile: Path, *, login: str, width: int = 1100, height: int = 900) -> Iterator[webdriver.Chrome]:
    """Start a browser with its own profile, which sends a login (``name:password``) as if typed in."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for option in (*_OPTIONS, f"user-data-dir={profile}", f"window-size={width},{height}"):
        options.add_argument(f"--{option}")
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        driver.set_page_load_timeout(30)
        driver.execute_cdp_cmd("Network.enable", {})
        header = "Basic " + base64.b64encode(login.encode()).decode()
        driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Authorization": header}})
        yield driver
    finally:
        driver.quit()
