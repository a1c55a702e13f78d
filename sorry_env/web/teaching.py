"""How to play, for a newcomer at the page: what each card does and what the signs mean, from the rules' own fields."""

from __future__ import annotations

from typing import Any, Final

from sorry_env.cards import BACKWARD, CARDS, FORWARD
from sorry_env.drawing.faces import card_name
from sorry_env.rules import Rules

_SLIDES: Final = {
    "other": "the triangle of another colour's slide",
    "own": "the triangle of its own colour's slide",
    "any": "the triangle of any slide",
}


def how_to_play(rules: Rules) -> dict[str, Any]:
    """`cards`: each card's name and what it does; `lines`: a heading and a text each."""
    return {
        "cards": [{"card": card_name(card), "does": card_words(rules, card)} for card in CARDS],
        "lines": [{"about": about, "text": text} for about, text in _lines(rules)],
    }


def card_words(rules: Rules, card: str) -> str:
    """What a card does under the rules (RULES 3)."""
    forward, backward = FORWARD[CARDS.index(card)], BACKWARD[CARDS.index(card)]
    uses = []
    if card in rules.start_cards:
        uses.append("a pawn out of Start")
    if forward:
        uses.append(f"{forward} forward")
    if card == "7" and (rules.pawns > 1 or rules.teams):
        uses.append("split over two pawns")
    if backward:
        uses.append(f"{backward} back")
    if card == "11":
        uses.append("change places with an opponent's pawn")
    if card == "X":
        uses.append("a pawn from Start takes the place of an opponent's, which goes back to its Start")
        uses += ["4 forward"] if rules.x_forward4 else []
    again = "; then play another card" if card == "2" and rules.two_draws_again else ""
    text = ", or ".join(uses) + again
    return text[0].upper() + text[1:]


def _lines(rules: Rules) -> list[tuple[str, str]]:
    pawns = "the pawn" if rules.pawns == 1 else f"all {rules.pawns} pawns"
    aim = f"Bring {pawns} of {'both your colours' if rules.teams else 'your colour'} from Start round the board to Home"
    hand = "Choose a card of your hand, then the pawn" if rules.hand_size else "Click the pawn"
    lines = [
        ("The aim", f"{aim}, by exact count. If you can move you must; only an exchange by an 11 may be passed."),
        ("Bumping", "Who lands on another pawn sends it back to its Start. Nobody lands on a pawn of the same colour."),
        (
            "Sliding",
            f"A pawn that lands on {_SLIDES[rules.slide_on]} moves on to the slide's end, and bumps every pawn on it.",
        ),
        ("Clicking", f"{hand}, then where it goes; for an exchange or Sorry!, the opponent's pawn."),
    ]
    if rules.pawns > 1 or rules.teams:
        lines.append(
            (
                "Splitting a 7",
                "Click the first pawn and a square less than 7 away, then the second pawn and its square.",
            )
        )
    signs = (
        "Squares are numbered 0 to 59, clockwise. S is Start and H is Home; s0 to s4 are a colour's own safety squares "
        "before Home. So 5:4>9 is a 5 from square 4 to square 9, and X is Sorry!."
    )
    return [*lines, ("Signs", signs)]
