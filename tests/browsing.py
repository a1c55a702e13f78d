"""A real Chromium at a server: what tests of the pages see and click."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from serving import Server, wait_for

from sorry_env.rules import rules_from
from sorry_env.web.guard import COOKIE
from sorry_env.web.tables import new_names

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PICTURES = Path(os.environ.get("SORRY_ENV_PICTURES") or Path(__file__).resolve().parents[1] / "artefacts" / "browser")
PHONE = (360, 740)
DESK = (1280, 900)


@contextlib.contextmanager
def chromium(size: tuple[int, int] = DESK) -> Iterator[webdriver.Chrome]:
    """A browser without a window that reaches this machine alone; skips where there is none."""
    if BROWSER is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not on PATH")
    options = Options()
    options.binary_location = BROWSER
    for argument in (
        "headless=new", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync",
        "disable-dev-shm-usage", "disable-gpu", "force-prefers-reduced-motion", f"window-size={size[0]},{size[1]}",
        "host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        *(["no-sandbox"] if os.geteuid() == 0 else []),
    ):  # fmt: skip
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


class Person:
    """Who sits at a browser."""

    def __init__(self, driver: webdriver.Chrome, server: Server) -> None:
        self.driver, self.server = driver, server

    def visit(self, path: str = "") -> None:
        """Opens a page of the server, afresh also where only what follows # differs."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.server.address}/{path}")

    def play(self, *clicks: str, button: str | None = None) -> list[str]:
        """Clicks one place after another, or a button (its selector), and waits until the opponents have answered.

        Returns the moves of all that this brought.
        """
        before, logged = self.events(), len(self.log())
        for place in clicks:
            self.click_place(place)
        if button:
            self.press(button)
        self.wait_for_turn(before)
        return self.log()[logged:]

    def sit_down(self, rules: str, you: str, opponents: list[str], start: str | None = None, seed: int = 1) -> str:
        """A game of this browser's from a position; its page is opened. Returns its id."""
        if not self.driver.current_url.startswith(self.server.address):
            self.visit()
        record = rules_from(rules)
        game = self.server.tables.open(self.session, record, *new_names(record, you, opponents), seed, start)
        self.visit(f"?pause=0#g={game}")
        self.wait_for_turn()
        return game

    @property
    def session(self) -> str:
        """The secret of this browser's cookie."""
        cookie = self.driver.get_cookie(COOKIE)
        assert cookie is not None
        return str(cookie["value"])

    def script(self, text: str, *arguments: Any) -> Any:
        """What a script of the page returns."""
        return self.driver.execute_script(text, *arguments)

    def text(self, selector: str) -> str:
        """What an element shows; empty where it is none or hidden."""
        seen = (
            "const found = document.querySelector(arguments[0]); return found?.checkVisibility() ? found.innerText : ''"
        )
        return str(self.script(seen, selector))

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(self.script("return document.querySelectorAll(arguments[0]).length", selector))

    def press(self, selector: str) -> None:
        """Clicks an element with the mouse, where it is to be seen."""
        element = wait_for(lambda: self.driver.find_elements("css selector", selector), selector)[0]
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        webdriver.ActionChains(self.driver, duration=0).move_to_element(element).click().perform()

    def spots(self, kind: str) -> set[str]:
        """Places that may be clicked: of kind `source` or `target`."""
        found = self.script(f"return [...document.querySelectorAll('.spot.{kind}')].map((spot) => spot.dataset.spot)")
        return set(found)

    def click_place(self, place: str) -> None:
        """Clicks a place of the board."""
        self.press(f'.spot[data-spot="{place}"]')

    def touch(self, place: str, right: float = 0, down: float = 0) -> None:
        """Touches the screen so many CSS pixels beside the middle of a place of the board."""
        middle = (
            "const found = document.querySelector(arguments[0]); found.scrollIntoView({block: 'center'});"
            "const { x, y, width, height } = found.getBoundingClientRect(); return [x + width / 2, y + height / 2]"
        )
        x, y = self.script(middle, f'.place[data-place="{place}"] > *')
        for kind, points in (("touchStart", [{"x": x + right, "y": y + down}]), ("touchEnd", [])):
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def log(self) -> list[str]:
        """The moves so far, as the page shows them."""
        return list(
            self.script("return [...document.querySelectorAll('#log .notation')].map((line) => line.innerText)")
        )

    def events(self) -> int:
        """How many events the game that is shown has had."""
        return int(self.script("return document.querySelector('#table').dataset.at ?? -1"))

    def wait_for_turn(self, after: int = -1) -> bool:
        """Until the person is to move, after more than so many events, or the game is over; whether it goes on."""
        state = "const { at, turn } = document.querySelector('#table').dataset; return [Number(at ?? -1), turn ?? '']"

        def turn() -> str:
            at, whose = self.script(state)
            return whose if at > after and whose in ("yours", "over") else ""

        return bool(wait_for(turn, "a turn") == "yours")

    def picture(self, name: str) -> None:
        """Keeps what is to be seen."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))

    def complaints(self) -> list[dict[str, Any]]:
        """Errors in the browser's console: scripts that failed, whatever the policy of contents blocked."""
        lines: list[dict[str, Any]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [line for line in lines if line["level"] == "SEVERE"]

    def findings(self) -> list[str]:
        """Serious and critical findings of axe-core on the page as it stands."""
        import axe_core_python

        source = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": source})
        found = self.driver.execute_async_script(
            "axe.run().then(arguments[0], (error) => arguments[0]({error: `${error}`}))"
        )
        assert "violations" in found, found
        return [
            f"{each['impact']} {each['id']}: {json.dumps([node['html'][:160] for node in each['nodes']][:3])}"
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]
