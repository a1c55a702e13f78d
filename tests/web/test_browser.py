"""The pages in a real Chromium: whole games by clicks, special moves, reloads, two people, replays, accessibility."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from browsing import PHONE, Person, chromium
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from serving import Server, wait_for

from sorry_env.game import Game
from sorry_env.web.replaying import replay_html, replay_of

TWO = "classic:players=2"
STARTED = "R:S,S,4,20/Y:S,40,33,H r {card} *"


OFFERED = """
    const spots = (kind) => [...document.querySelectorAll(`.spot.${kind}`)].map((spot) => spot.dataset.spot).sort();
    return [Number(document.querySelector("#table").dataset.at), spots("target"), spots("source")];
"""


def choose_anything(person: Person) -> None:
    """One decision by clicks on the board: a pawn and where it goes, until something is played; or the only button."""
    before = person.events()
    while True:
        at, targets, sources = person.script(OFFERED)  # at one moment: the page goes on by itself
        if at != before:
            return
        if targets or sources:
            person.click_place((targets or sources)[0])
        else:
            person.press("#forced")
        shown = [at, targets, sources]
        wait_for(partial(lambda shown: person.script(OFFERED) != shown, shown), "what comes next")


def test_a_whole_game_by_clicks(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game against greedy, opened in the lobby and played to its end by the mouse alone."""
    monkeypatch.setattr(secrets, "randbits", lambda bits: 145)
    person.visit("?pause=0")
    wait_for(lambda: person.count("#opponents select") == 1, "the opponents")
    person.picture("lobby")
    assert person.findings() == []
    assert Select(person.driver.find_element("id", "rules")).first_selected_option.text == "classic"
    opponent = Select(person.driver.find_element("css selector", "#opponents select"))
    assert opponent.first_selected_option.get_attribute("value") == "champion"  # as in the terminal
    opponent.select_by_value("greedy")
    person.press("#new-game .primary")
    decisions, before = 0, -1
    while person.wait_for_turn(before):
        before = person.events()
        choose_anything(person)
        decisions += 1
        if decisions == 15:
            person.picture("game")
    assert decisions > 20
    assert "won" in person.text("#status")
    assert person.count(".spot") == 0
    person.picture("game-over")
    assert person.findings() == []
    id_ = person.driver.current_url.split("#g=")[1]
    stored, game = person.server.tables.game(person.session, id_)
    assert stored.state == "over"
    assert game.is_over
    assert [event for _, event in game.history if not event.startswith("draw ")] == person.log()


def test_split_seven(person: Person) -> None:
    """A 7 is split by a pawn and its place, then the second pawn's place; what cannot follow is not offered."""
    person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="7"))
    assert person.spots("source") == {"ring-4", "ring-20"}
    person.click_place("ring-20")
    assert person.spots("target") == {f"ring-{square}" for square in range(21, 28)}
    person.picture("split-first")
    person.click_place("ring-23")
    assert person.spots("target") == {"ring-8"}
    assert person.text("#hint") == "Now choose where the second pawn goes."
    person.picture("split-second")
    assert person.findings() == []
    assert person.play("ring-8")[0] == "7:20>23,4>8"
    said = "red:\nRed pawn from square 20 to square 23, then red pawn from square 4 to square 8\n7:20>23,4>8"
    assert person.text("#log li").replace("R\n", "", 1) == f"1.\n{said}"


def test_split_taken_back_and_a_whole_seven(person: Person) -> None:
    """What was chosen is taken back by the button or Escape; the same pawn then goes all seven."""
    person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="7"))
    person.click_place("ring-20")
    person.click_place("ring-23")
    person.press("#undo-choice")
    assert person.spots("source") == {"ring-4", "ring-20"}
    person.click_place("ring-4")
    person.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert person.spots("target") == set()
    assert person.play("ring-20", "ring-27")[0] == "7:20>27"


def test_exchange(person: Person) -> None:
    """An 11 exchanges by the own pawn, then the opponent's."""
    person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="11"))
    person.click_place("ring-20")
    assert {"ring-31", "ring-40", "ring-33"} <= person.spots("target")
    person.picture("exchange")
    assert person.play("ring-40")[0] == "11:20<>40"


def test_exchange_or_pass(person: Person) -> None:
    """An 11 that can only exchange, or be passed, offers both: the pawn on the board, and a button."""
    person.sit_down(TWO, "red", ["greedy"], "R:58,H,H,H/Y:S,S,S,40 r 11 *")
    assert person.text("#hint") == "Choose a pawn."
    assert person.text("#forced") == "Pass"
    assert person.spots("source") == {"ring-58"}
    assert person.play("ring-58", "ring-40")[0] == "11:58<>40"
    person.sit_down(TWO, "red", ["greedy"], "R:58,H,H,H/Y:S,S,S,40 r 11 *")
    assert person.play(button="#forced")[0] == "pass"


def test_two_moves_that_look_alike(person: Person) -> None:
    """Where a step of 11 and an exchange end on the same square, a dialogue asks which is meant."""
    person.sit_down(TWO, "red", ["greedy"], "R:S,S,S,22/Y:S,S,S,33 r 11 *")
    person.click_place("ring-22")
    person.click_place("ring-33")
    assert person.count("#ask[open]") == 1
    person.picture("ask")
    assert person.findings() == []
    assert person.play(button="#ask-options button:nth-child(2)")[0] in ("11:22<>33", "11:22>33")


def test_sorry(person: Person) -> None:
    """Sorry! takes a pawn of the own Start, then the opponent's whose place it takes."""
    person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="X"))
    assert person.spots("source") == {"red-start"}
    person.click_place("red-start")
    assert person.spots("target") == {"ring-33", "ring-40"}
    person.picture("sorry")
    assert person.play("ring-40")[0] == "X:S>40"


def test_forced_pass(person: Person) -> None:
    """With no legal use of the card a button says so, and passes."""
    person.sit_down(TWO, "red", ["greedy"], "R:S,S,S,S/Y:S,S,S,S r 5 *")
    assert person.text("#forced") == "Pass: the 5 has no legal use"
    assert person.play(button="#forced")[0] == "pass"


def test_hand_game(person: Person) -> None:
    """In the hand game a card is chosen first; others' cards are face down; a whole turn is played."""
    start = "R:S,S,S,4/Y:S,S,S,34 r 3.5.7.12.X/1.2.3.4.5 *"
    person.sit_down("points:players=2", "red", ["greedy"], start)
    assert person.spots("source") == set()
    assert person.text("#hint") == "Choose a card of your hand."
    person.picture("hand")
    assert person.findings() == []
    assert person.count(".card.back.hand") == 5
    spoken = "return document.querySelector('#moves [data-move=\"12:4>16\"] .spoken').innerText"
    assert person.script(spoken).startswith("12: Red pawn")
    person.press('#hand [data-card="5"]')
    assert person.spots("source") == {"ring-4"}
    person.press('#hand [data-card="X"]')
    assert person.spots("source") == {"red-start"}
    person.press('#hand [data-card="12"]')
    assert person.script(spoken).startswith("Red pawn")
    assert person.play("ring-4", "ring-16")[0] == "12:4>16"
    assert person.count("#hand .card") == 5


def test_hand_game_discard(person: Person) -> None:
    """With nothing playable the chosen card is discarded by a button."""
    person.sit_down("points:players=2", "red", ["greedy"], "R:S,S,S,S/Y:S,S,S,S r 3.4.5.7.8/1.2.3.4.5 *")
    person.press('#hand [data-card="8"]')
    assert person.text("#forced") == "Discard 8"
    assert person.play(button="#forced")[0] == "discard 8"


def test_team_game(person: Person) -> None:
    """In the partnership game the partner's pawns are chosen like the own ones."""
    start = "R:S,S,S,20/B:S,S,S,S/Y:S,S,S,50/G:S,S,S,S r 1 *"
    person.sit_down("teams", "red", ["greedy", "race", "greedy"], start)
    assert person.spots("source") == {"red-start", "ring-20", "yellow-start", "ring-50"}
    person.picture("teams")
    assert person.findings() == []
    played = person.play("yellow-start", "ring-34")
    assert played[0] == "1:YS>34"
    assert len(played) >= 4


def test_list_and_keyboard(person: Person) -> None:
    """Every legal move is a button; places of the board, too, are reached by Tab and chosen by Enter or Space."""
    game = person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="10"))
    legal = person.server.tables.game(person.session, game)[1].legal_moves()
    listed = person.script("return [...document.querySelectorAll('#moves button')].map((made) => made.dataset.move)")
    assert sorted(listed) == sorted(legal)
    spot = person.driver.find_element("css selector", '.spot[data-spot="ring-20"]')
    assert spot.get_attribute("aria-label") == "Move red pawn on square 20"
    spot.send_keys(Keys.SPACE)
    focused = person.driver.switch_to.active_element
    assert focused.get_attribute("class") == "spot target"
    before = person.events()
    person.driver.find_element("css selector", '.spot[data-spot="ring-19"]').send_keys(Keys.ENTER)
    person.wait_for_turn(before)
    assert person.log()[0] == "10:20>19"
    said = person.script("return document.querySelector('#announcer').textContent")
    assert "Yellow (greedy): " in said
    assert "Your turn" in said


def test_tab_order(person: Person) -> None:
    """Tab goes through the page without a trap, and whatever has the focus shows it."""
    person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="10"))
    person.script("document.activeElement.blur(); scrollTo(0, 0)")
    seen = []
    for _ in range(12):
        webdriver.ActionChains(person.driver, duration=0).send_keys(Keys.TAB).perform()
        seen.append(
            person.script(
                "const at = document.activeElement; const { outlineStyle } = getComputedStyle(at);"
                "const circle = at.querySelector('circle');"
                "return [at.textContent.slice(0, 60) || at.getAttribute('aria-label') || at.id,"
                " outlineStyle !== 'none' || (circle !== null && getComputedStyle(circle).strokeWidth === '9px')]"
            )
        )
    assert len({name for name, _ in seen}) >= 10, seen
    assert all(is_shown for _, is_shown in seen), seen


def test_reload_and_restart(person: Person, tmp_path: Path) -> None:
    """A reload, also in the middle of the opponents' moves, and a restart of the server go on with the same game."""
    path = tmp_path / "games.sqlite"
    server = Server(path)
    at_home = Person(person.driver, server)
    at_home.sit_down("classic", "red", ["greedy", "race", "random"], seed=3)
    choose_anything(at_home)
    person.driver.refresh()  # opponents are still to move
    at_home.wait_for_turn()
    log, status = at_home.log(), at_home.text("#status")
    assert len(log) >= 4
    server.stop()
    again = Server(path, port=server.port)
    person.driver.refresh()
    at_home.wait_for_turn()
    assert (at_home.log(), at_home.text("#status")) == (log, status)
    choose_anything(at_home)
    at_home.wait_for_turn()
    assert at_home.log()[: len(log)] == log
    again.stop()
    # The move that the page before the reload had asked for may come first; then the page looks again, without a word.
    assert [
        line for line in at_home.complaints() if "/advance" not in line["message"] or "409" not in line["message"]
    ] == []


def test_server_gone(person: Person, tmp_path: Path) -> None:
    """Where the server is gone the page says so, and the move that was not played can be played when it is back."""
    path = tmp_path / "games.sqlite"
    server = Server(path)
    at_home = Person(person.driver, server)
    at_home.sit_down(TWO, "red", ["greedy"], STARTED.format(card="12"))
    server.stop()
    at_home.click_place("ring-20")
    at_home.click_place("ring-32")
    wait_for(lambda: at_home.text("#alert"), "the alert")
    assert at_home.text("#alert").startswith("The server does not answer. Is it running?")
    assert [line for line in at_home.complaints() if "ERR_CONNECTION_REFUSED" not in line["message"]] == []
    again = Server(path, port=server.port)
    assert at_home.play("ring-20", "ring-32")[0] == "12:20>32"
    assert at_home.text("#alert") == ""
    again.stop()


def test_two_people(person: Person, server: Server) -> None:
    """Two browsers side by side play a game each; neither sees the other's."""
    with chromium() as other_driver:
        other = Person(other_driver, server)
        mine = person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="12"))
        other.sit_down(TWO, "red", ["greedy"], STARTED.format(card="8"))
        assert person.play("ring-20", "ring-32")[0] == "12:20>32"
        assert other.play("ring-20", "ring-28")[0] == "8:20>28"
        assert person.log()[0] == "12:20>32"
        assert person.session != other.session
        other.visit(f"#g={mine}")
        wait_for(lambda: other.count("#games li"), "the other's lobby")
        assert other.count("#games li") == 1
        assert other.text("#table") == ""


def test_lobby(person: Person) -> None:
    """Players that do not play the rules cannot be chosen; a game is deleted after a question; resigning, too, asks."""
    person.visit()
    rules = Select(wait_for(lambda: person.driver.find_elements("id", "rules"), "the rules")[0])
    wait_for(lambda: person.count("#opponents select"), "the opponents")
    rules.select_by_visible_text("team-points")
    wait_for(lambda: person.count("#opponents select") == 3, "three opponents")
    assert person.script("return document.querySelector('#opponents option[value=champion]').disabled")
    assert "your partner" in person.text("#opponents")
    person.sit_down(TWO, "yellow", ["greedy"], STARTED.format(card="12").replace(" r ", " y "))
    person.press("#resign")
    person.press("#ask-options button:nth-child(2)")
    assert person.count("#ask[open]") == 0
    person.press("#resign")
    person.press("#ask-options button:nth-child(1)")
    wait_for(lambda: "You resigned" in person.text("#status"), "the end")
    person.visit()
    before = wait_for(lambda: person.count("#games li"), "the games")
    person.press("#games li:first-child button")
    person.press("#ask-options button:nth-child(1)")
    wait_for(lambda: person.count("#games li") == before - 1, "one game fewer")


def played(seed: int) -> Game:
    """A game that was played at random."""
    game, rng = Game(TWO, seed), np.random.default_rng(seed)
    while not game.is_over:
        game.play(str(rng.choice(game.legal_moves())))
    return game


def check_replay(person: Person, plies: int) -> None:
    """Steps, the scrubber, the graph and the mistakes of the replay that is shown."""
    assert wait_for(lambda: person.text("#step"), "the replay") == f"0 of {plies}: The start"
    first = person.script("return document.querySelector('#board').innerHTML")
    person.press("#forward")
    assert person.text("#step").startswith(f"1 of {plies}: ")
    person.script("const at = document.querySelector('#at'); at.value = 9; at.dispatchEvent(new Event('input'))")
    assert person.text("#step").startswith(f"9 of {plies}: ")
    person.driver.find_element("id", "at").send_keys(Keys.ARROW_RIGHT)
    assert person.text("#step").startswith(f"10 of {plies}: ")
    assert person.script("return document.querySelector('#board').innerHTML") != first
    assert person.count("#graph polyline") == 2
    assert person.count("#graph .mistake") == person.count("#mistakes button") > 0
    person.press("#mistakes button")
    assert "A mistake: " in person.text("#step")
    person.press("#last")
    assert person.text("#step").startswith(f"{plies} of {plies}: ")


def test_replay_of_a_stored_game(person: Person) -> None:
    """A finished game leads to its replay, with scrubber, graph and mistakes."""
    person.visit()
    session = person.session
    game = played(3)
    tables = person.server.tables
    number = tables.storage.create(
        session, game.rules.spec(), 0, ["you", "random"], 3, str(game.start), [event for _, event in game.history]
    )
    person.visit(f"?pause=0#g={number}")
    wait_for(lambda: "won" in person.text("#status"), "the end")
    person.press("#to-replay")
    check_replay(person, game.num_plies)
    person.picture("replay")
    assert person.findings() == []


def test_replay_of_an_uploaded_record(person: Person, tmp_path: Path) -> None:
    """A record's file is replayed; what is none is refused in the page's own words."""
    person.visit("replay")
    wait_for(lambda: person.text("#upload"), "the form")
    person.picture("upload")
    assert person.findings() == []
    person.driver.find_element("id", "record-text").send_keys("no record")
    person.press("#upload-form .primary")
    wait_for(lambda: "begins with 'no record'" in person.text("#alert"), "the refusal")
    person.complaints()  # the refusal is an error to the browser
    file = tmp_path / "game.txt"
    file.write_text(played(4).record(), encoding="utf-8")
    person.driver.find_element("id", "record-file").send_keys(str(file))
    person.press("#upload-form .primary")
    check_replay(person, played(4).num_plies)


def test_written_replay_needs_nothing(person: Person, tmp_path: Path) -> None:
    """The written file opens from the disk, works as the served page does, and asks for nothing."""
    game, file = played(5), tmp_path / "replay.html"
    file.write_text(replay_html(replay_of(game)), encoding="utf-8")
    person.driver.get(file.as_uri())
    check_replay(person, game.num_plies)
    person.picture("replay-file")
    assert person.findings() == []
    assert person.script("return performance.getEntriesByType('resource').map((each) => each.name)") == []


@pytest.fixture
def phone(person: Person) -> Iterator[Person]:
    """Who sits at a phone, 360 CSS pixels wide."""
    screen = {"width": PHONE[0], "height": PHONE[1], "deviceScaleFactor": 2, "mobile": True}
    person.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    person.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    yield person
    person.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    person.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_phone(phone: Person) -> None:
    """At 360 px no page is wider than the screen, in lobby, games and replay; the moves come before the chances."""
    phone.visit()
    wait_for(lambda: phone.count("#opponents select"), "the lobby")
    check_width(phone, "phone-lobby")
    phone.sit_down(TWO, "red", ["greedy"], STARTED.format(card="7"))
    check_width(phone, "phone-game")
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    tops = [phone.script(top, f"#{each}-section") for each in ("moves", "chances")]
    assert tops == sorted(tops)  # what is to be done comes before what is to be known
    assert phone.play("ring-20", "ring-23", "ring-8")[0] == "7:20>23,4>8"
    game = phone.sit_down("points:players=2", "red", ["greedy"], seed=4)
    check_width(phone, "phone-hand")
    phone.server.tables.storage.resign(phone.session, game)
    phone.visit(f"replay#g={game}")
    wait_for(lambda: phone.text("#step"), "the replay")
    check_width(phone, "phone-replay")


def test_touch(phone: Person) -> None:
    """At 360 px a finger that misses a ring by less than 22 px is understood; of two rings the nearer counts."""
    phone.sit_down(TWO, "red", ["greedy"], STARTED.format(card="7"))
    board = phone.script("return document.querySelector('#board').getBoundingClientRect().width")
    assert board > 0.98 * PHONE[0]
    phone.touch("ring-20", -30)
    assert phone.spots("target") == set()
    for right, down in ((-15, -15), (-15, 15), (0, 20), (0, -20)):
        phone.touch("ring-20", right, down)
        assert "ring-27" in phone.spots("target"), (right, down)
        phone.press("#undo-choice")
    phone.touch("ring-20")
    phone.picture("phone-touch")
    phone.touch("ring-23", -5, 8)
    assert phone.spots("target") == {"ring-8"}  # after three squares one pawn has four left
    phone.press("#undo-choice")
    phone.touch("ring-20")
    phone.touch("ring-23", -5, 14)
    assert phone.spots("target") == {"ring-7"}
    before = phone.events()
    phone.touch("ring-7", 0, 18)
    phone.wait_for_turn(before)
    assert phone.log()[0] == "7:20>24,4>7"


def check_width(person: Person, name: str) -> None:
    """Nothing is wider than the screen, and axe-core finds nothing serious."""
    person.picture(name)
    wide, screen = person.script("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert screen == PHONE[0]
    assert wide <= screen
    assert person.findings() == []


def test_checks_can_fail(person: Person) -> None:
    """The checks that other tests rely on see a picture without words, and an address of another host is blocked."""
    person.visit()
    person.script("document.querySelector('main').append(Object.assign(new Image(), {src: 'http://192.0.2.1/x.png'}))")
    assert [finding for finding in person.findings() if "image-alt" in finding]
    blocked = wait_for(person.complaints, "the blocked picture")
    assert "Content Security Policy" in json.dumps(blocked)


def test_nothing_comes_from_elsewhere(person: Person) -> None:
    """All that a page loads comes from its server."""
    person.sit_down(TWO, "red", ["greedy"], STARTED.format(card="12"))
    names = person.script("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert len(names) >= 5
    assert [name for name in names if not name.startswith(person.server.address)] == []
