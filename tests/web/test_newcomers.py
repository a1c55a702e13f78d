"""What `sorry-env play --web` does for who comes for the first time: how to play, plain words, one address."""

from __future__ import annotations

import re

import httpx
import pytest
from browsing import Person
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from serving import Server, Visitor, refusal, wait_for
from strategies import SPECS

from sorry_env.cards import CARDS
from sorry_env.game import Game
from sorry_env.rules import rules_from
from sorry_env.web.guard import Hosts
from sorry_env.web.teaching import card_words, how_to_play

TWO = "classic:players=2"


@pytest.mark.parametrize("spec", SPECS)
def test_what_cards_do_is_what_they_may(spec: str) -> None:
    """Along a game each card moves as it is said to: out of Start, so many forward or back, split, exchange."""
    rules, game = rules_from(spec), Game(spec, 11)
    words = {card: card_words(rules, card).lower() for card in CARDS}
    while not game.is_over and game.num_plies < 400:
        for move in game.legal_moves():
            card, colon, what = move.partition(":")
            if not colon:
                continue
            said = words[card]
            if "<>" in what:
                assert "change places" in said
            elif "," in what:
                assert "split" in said
            elif "S>" in what:
                assert ("from start" if card == "X" else "out of start") in said
            else:
                assert re.search(r"\d+ (forward|back)", said), (move, said)
        game.play(game.legal_moves()[game.num_plies % len(game.legal_moves())])


def test_how_to_play_differs_by_rules(visitor: Visitor) -> None:
    """The page is told of hands, teams and single pawns only where the rules have them; wrong rules are refused."""
    names = ("classic", "points", "teams", "edition-2013", "mini-1")
    told = {name: str(how_to_play(rules_from(name))) for name in names}
    assert ["your hand" in told[name] for name in told] == [False, True, False, False, False]
    assert ["both your colours" in told[name] for name in told] == [False, False, True, False, False]
    assert ["Splitting a 7" in told[name] for name in told] == [True, True, True, True, False]
    forward = [card_words(rules_from(name), "X").endswith("or 4 forward") for name in names]
    assert forward == [False, False, False, True, False]
    answer = visitor.get("/api/help?rules=points&players=2")
    assert visitor.state(answer) == how_to_play(rules_from("points", players=2))
    refusal(visitor.get("/api/help?rules=chess"), 400, "unknown rule set")


def test_help_in_the_lobby_and_at_the_table(person: Person) -> None:
    """*How to play* opens in both places, with a line a card, and is accessible."""
    person.visit()
    wait_for(lambda: person.count("#how-lobby tbody tr") == len(CARDS), "the cards")
    person.press("#how-lobby summary")
    assert "s0 to s4" in person.text("#how-lobby")
    person.picture("how-lobby")
    assert person.findings() == []
    person.sit_down(TWO, "red", ["greedy"], "R:S,S,4,20/Y:S,40,33,H r 7 *")
    wait_for(lambda: person.count("#how-table tbody tr") == len(CARDS), "the cards")
    person.press("#how-table summary")
    assert "Splitting a 7" in person.text("#how-table")
    first = person.text("#moves button").split("\n")[0]
    assert first.startswith("Red pawn from ")  # words before notation
    person.picture("how-table")
    assert person.findings() == []


def test_no_empty_panel_of_chances(person: Person) -> None:
    """Where nobody can tell chances, their panel says in a line why; where somebody can, it has a bar a seat."""
    person.sit_down("classic:players=3,slide_on=any", "red", ["greedy", "greedy"])
    told = "No chances to win: champion: none is shipped for the rules 'classic:players=3,slide_on=any'; "
    assert person.text("#chances").startswith(told)
    assert person.count("#chances .bar") == 0
    person.picture("no-chances")
    assert person.findings() == []
    person.sit_down(TWO, "red", ["greedy"])
    assert "Yellow (greedy)" in person.text("#chances-section")
    assert person.count("#chances .bar") == 2


def test_arrow_keys_step_a_replay(person: Person) -> None:
    """Left and right step a replay by one, wherever the focus is."""
    person.visit()
    game = Game("mini-1", 2)
    while game.num_plies < 6:
        game.play(game.legal_moves()[0])
    events = [event for _, event in game.history]
    storage = person.server.tables.storage
    stored = storage.create(person.session, "mini-1", 0, ["you", "random"], 2, str(game.start), events)
    person.visit(f"replay#g={stored}")
    wait_for(lambda: person.text("#step").startswith("0 of 6"), "the replay")
    steps = []
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT):
        ActionChains(person.driver, duration=0).send_keys(key).perform()
        steps.append(person.text("#step")[0])
    assert steps == ["1", "2", "1", "0", "0"]
    person.driver.find_element("id", "at").send_keys(Keys.ARROW_RIGHT)  # the scrubber has these keys of its own
    assert person.text("#step").startswith("1 of 6")


def test_one_address(server: Server) -> None:
    """Pages asked for by `localhost` lead to the address that is told, with their query; other requests do not."""
    for path in ("/", "/replay?a=b%20c", "//evil.example/"):
        answer = httpx.get(f"{server.address}{path}", headers={"host": f"localhost:{server.port}"})
        assert (answer.status_code, answer.headers["location"]) == (307, f"{server.address}{path}")
        assert "content-security-policy" in answer.headers
    headers = {"host": f"localhost:{server.port}", "origin": f"http://localhost:{server.port}"}
    assert httpx.get(f"{server.address}/api/games", headers=headers).status_code == 200
    hosts = ("127.0.0.1", "localhost", "0.0.0.0", "::", "::1", "play.example")
    told = [Hosts(host, 80).address for host in hosts]
    names = ("127.0.0.1", "127.0.0.1", "127.0.0.1", "[::1]", "[::1]", "play.example")
    assert told == [f"http://{name}:80" for name in names]
