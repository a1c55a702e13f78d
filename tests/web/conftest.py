"""Servers and a browser for the tests of `sorry-env play --web`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import DESK, Person, chromium
from selenium import webdriver
from serving import Serve, Server, Visitor


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file for games."""
    return tmp_path / "games.sqlite"


@pytest.fixture
def serve(path: Path) -> Iterator[Serve]:
    """Makes servers on the file, with options as of `Server`; all end with the test."""
    made: list[Server] = []

    def start(**options: Any) -> Server:
        made.append(Server(path, **options))
        return made[-1]

    yield start
    for server in made:
        server.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that takes as many requests as all tests send."""
    made = Server(tmp_path_factory.mktemp("server") / "games.sqlite")
    yield made
    made.stop()


@pytest.fixture
def visitor(server: Server) -> Visitor:
    """A browser at it."""
    return server.visitor()


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    """One browser for all tests."""
    with chromium() as made:
        yield made


@pytest.fixture
def person(driver: webdriver.Chrome, server: Server) -> Iterator[Person]:
    """Who sits at it, at a desk; at the end nothing has failed in the page."""
    driver.set_window_size(*DESK)
    one = Person(driver, server)
    one.complaints()  # of other tests
    yield one
    assert one.complaints() == []
