"""The table of wrong rules: each changes one line of the source into a mistake that engines of this game do make.

Every entry is (ruling of RULES, what goes wrong, old text, new text). Lines around the changed one stand in both texts
where the line alone occurs more than once in its file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class StaleError(ValueError):
    """The source has changed: a mutation's old text no longer occurs in it exactly once."""


@dataclass(frozen=True)
class Mutation:
    """One wrong rule.

    Attributes:
        file: the source file, from the root of the project.
        ruling: number in RULES that is broken.
        name: what goes wrong, in a few words.
        old: the right text; occurs once in the file.
        new: the wrong text.
    """

    file: str
    ruling: str
    name: str
    old: str
    new: str

    def applied_to(self, source: str) -> str:
        """The file's text with the mistake in it. Raises StaleError where `old` does not occur exactly once."""
        count = source.count(self.old)
        if count != 1:
            raise StaleError(
                f"mutation {self.name!r} is stale: its old text occurs {count} times in {self.file}, not once; "
                f"bring it up to date in tests/mutants/mutations.py: {self.old!r}"
            )
        return source.replace(self.old, self.new)


_TABLE: Final[dict[str, list[tuple[str, str, str, str]]]] = {
    "sorry_env/board.py": [
        ("1.1", "the circle is the diamond", "CIRCLE: Final = 2", "CIRCLE: Final = 1"),
        ("1.1", "the entrance is one square early", "ENTRANCE: Final = 60", "ENTRANCE: Final = 59"),
        ("1.2", "a zone has four squares", "HOME: Final = 66", "HOME: Final = 65"),
        ("1.1", "first slides are one square too long", "((-1, 3), (7, 4))", "((-1, 4), (7, 4))"),
        ("1.1", "second slides are one square too short", "((-1, 3), (7, 4))", "((-1, 3), (7, 3))"),
        ("1.1", "first triangles are one square late", "((-1, 3), (7, 4))", "((0, 3), (7, 4))"),
        ("1.1", "second triangles are one square early", "((-1, 3), (7, 4))", "((-1, 3), (6, 4))"),
        ("1.5", "sides of nobody have no slides", "for side in (1, 2, 3) for", "for side in (2,) for"),
        ("4.2", "the last side before one's own does not slide", "for side in (1, 2, 3) for", "for side in (1, 2) for"),
        ("4.2", "own slides are ridden", '"other": OTHER_SLIDES, ', '"other": OTHER_SLIDES | OWN_SLIDES, '),
        ("4.2", "slide_on own rides the others'", '"own": OWN_SLIDES', '"own": OTHER_SLIDES'),
        ("4.2", "slide_on any leaves out the own", '"any": OTHER_SLIDES | OWN_SLIDES', '"any": OTHER_SLIDES'),
        ("1.1", "the own second slide is too short", "{59: 3, 7: 4}", "{59: 3, 7: 3}"),
        ("1.2", "Start counts as one square short of the circle", "return 65 if progress", "return 63 if progress"),
    ],
    "sorry_env/cards.py": [
        (
            "3.3",
            "a 4 goes forward too",
            'FORWARD: Final = tuple(0 if card in ("4", "X")',
            'FORWARD: Final = tuple(0 if card in ("X",)',
        ),
        ("3.3", "a 10 does not go backward", '{"4": 4, "10": 1}', '{"4": 4}'),
        ("3.3", "a 4 goes backward 3", '{"4": 4, "10": 1}', '{"4": 3, "10": 1}'),
        ("3.1", "the deck has four 1s", "_CLASSIC: Final = (5, 4, 4,", "_CLASSIC: Final = (4, 4, 4,"),
        ("3.1", "the deck has five 2s", "_CLASSIC: Final = (5, 4, 4,", "_CLASSIC: Final = (5, 5, 4,"),
        ("3.1", "the deck of 1939 has 45 cards", '"44": (4,) * NUM_CARDS', '"44": _CLASSIC'),
        ("3.1", "the replacement deck has even odds", '"replacement": _CLASSIC', '"replacement": (4,) * NUM_CARDS'),
    ],
    "sorry_env/rules.py": [
        ("2.1", "two players sit side by side", '2: "RY"', '2: "RB"'),
        ("2.1", "colours sit in the order given", '"".join(sorted(given, key=COLORS.index))', "given"),
        (
            "3.3",
            "a 2 does not start a pawn",
            'start_cards: tuple[str, ...] = ("1", "2")',
            'start_cards: tuple[str, ...] = ("1",)',
        ),
        ("3.5", "a 2 gives no second card by default", "two_draws_again: bool = True", "two_draws_again: bool = False"),
        (
            "5.1",
            "points games begin with all pawns in Start",
            '"points": Rules(hand_size=5, pawns_out=1',
            '"points": Rules(hand_size=5, pawns_out=0',
        ),
        ("7", "the 2013 edition draws again", "two_draws_again=False", "two_draws_again=True"),
        ("7", "the 2013 edition rides others' slides", 'slide_on="own"', 'slide_on="other"'),
        (
            "7",
            "hands may be dealt from the replacement deck",
            'if self.hand_size and self.deck == "replacement":',
            "if False:",
        ),
        (
            "7",
            "three players may play in teams",
            "if self.teams and self.players != 4",
            "if self.teams and self.players < 3",
        ),
    ],
    "sorry_env/actions.py": [
        ("7", "x_forward4 goes 5", "SORRY_FORWARD: Final = 4", "SORRY_FORWARD: Final = 5"),
        ("6.3", "the partner's pawn takes his own colour's place", "return seat != 2 * side", "return seat != side"),
    ],
    "sorry_env/engine/parameters.py": [
        ("2.1", "seats count as sides", "turn = (other_color - color) % SIDES", "turn = (other - seat) % SIDES"),
        ("7", "start_cards is not read", "[card in rules.start_cards for", '[card in ("1", "2") for'),
        ("7", "slide_on is not read", "SLIDES_BY_OPTION[rules.slide_on]", 'SLIDES_BY_OPTION["other"]'),
        ("7", "X always goes forward 4 too", "if card == SORRY and rules.x_forward4 else", "if card == SORRY else"),
        ("3.1", "the replacement deck runs out", 'rules.deck == "replacement", ', "False, "),
        ("3.3", "a start goes on from the circle", "steps = CIRCLE - START if", "steps = CIRCLE + 1 if"),
    ],
    "sorry_env/engine/landing.py": [
        (
            "3.6",
            "a half of a 7 needs no exact count",
            "    if target > HOME:\n        return START",
            "    if target > HOME:\n        return HOME",
        ),
        ("3.11", "a half of a 7 leaves Start", "if progress == START or progress == HOME:", "if progress == HOME:"),
        (
            "2.4",
            "a pawn that is Home makes a half of a 7",
            "if progress == START or progress == HOME:\n        return START",
            "if progress == START or progress == HOME:\n        return progress",
        ),
        ("4.2", "nobody slides", "end = target + p[SLIDE + target]", "end = target"),
        (
            "4.2",
            "the own first slide leads into the zone",
            "return end - RING if target <= ENTRANCE < end else end",
            "return end",
        ),
        ("4.3", "a slide bumps only at its ends", "(away <= length) &", "((away == 0) | (away == length)) &"),
        ("4.3", "a slide bumps only on its triangle", "(away <= length) &", "(away == 0) &"),
        ("4.3", "a slide does not bump at its end", "(away <= length) &", "((away < length) | (away == 0)) &"),
        ("4.3", "a slide spares the own colour", "(k != pawn)", "((k - PAWNS) // SEATS != seat)"),
        (
            "6.5",
            "partners do not bump each other",
            "(k != pawn)",
            "(k != pawn) & ((p[2] == 0) | ((k - PAWNS) // SEATS != (seat + 2) % SEATS))",
        ),
        (
            "4.3",
            "a slider bumps itself",
            "    s[pawn] = slide_end(p, target)",
            "    s[pawn] = START if p[SLIDE + target] and in_span(s[pawn], 0, target, p[SLIDE + target]) "
            "else slide_end(p, target)",
        ),
        ("4.1", "nobody is bumped", "s[k] = START if is_bumped else s[k]", "s[k] = s[k]"),
        (
            "4.1",
            "no bump where the other's count wraps",
            "away -= RING if away >= RING else 0",
            "away -= RING if away > RING else 0",
        ),
        (
            "1.4",
            "a landing in the zone bumps on the ring",
            "    if target <= ENTRANCE:\n        length",
            "    if target < HOME:\n        length",
        ),
        ("1.4", "pawns in a zone are bumped", "(s[k] <= ENTRANCE) &", "(s[k] < HOME) &"),
        (
            "3.9",
            "a turn of the board loses the entrance",
            "progress - RING if progress > RING else",
            "progress - RING if progress >= RING else",
        ),
        (
            "3.10",
            "a pawn on its entrance is safe",
            "return 1 <= progress <= ENTRANCE",
            "return 1 <= progress < ENTRANCE",
        ),
        (
            "3.11",
            "the second half forgets a bump where the count wraps",
            "    elif away >= RING:",
            "    elif away > RING:",
        ),
        (
            "3.7",
            "Home holds one pawn to the halves of a 7",
            "    if progress == HOME:\n        return False",
            "    if progress == START:\n        return False",
        ),
        (
            "8.2",
            "pawns are not put in order",
            "        order(s, base + 1, base + 2)",
            "        order(s, base + 1, base + 1)",
        ),
    ],
    "sorry_env/engine/legal.py": [
        ("3.8", "a start onto an own pawn", "can_start &= s[pawn] != CIRCLE", "can_start &= True"),
        (
            "6.3",
            "no start of the partner's pawns",
            'on the circle."""\n    for side in range(1 + p[TEAMS]):',
            'on the circle."""\n    for side in range(1):',
        ),
        ("3.7", "landing on an own pawn", "if can_go & (is_free | (target == HOME)) else", "if can_go else"),
        ("3.7", "Home holds one pawn", "if can_go & (is_free | (target == HOME)) else", "if can_go & is_free else"),
        ("3.6", "Home without exact count", "(progress != HOME) & (target <= HOME)", "(progress != HOME)"),
        ("2.4", "pawns that are Home go backward", "& (progress != HOME) & (target <= HOME)", "& (target <= HOME)"),
        ("3.8", "pawns in Start move", "can_go = (progress != START) &", "can_go = "),
        (
            "4.5",
            "the square behind the diamond is not looked at",
            "target += RING if target < 1 else 0",
            "target += RING if target < 0 else 0",
        ),
        (
            "4.5",
            "no pawn goes backward in its zone",
            "& (target <= HOME)",
            "& (target <= HOME) & ((steps > 0) | (progress <= ENTRANCE))",
        ),
        (
            "3.4",
            "10 back 1 only where forward is impossible",
            "& (target <= HOME)",
            "& (target <= HOME) & ((direction == 0) | (progress + p[STEPS + 2 * card] > HOME))",
        ),
        (
            "3.11",
            "a bumped pawn makes the second half",
            "    if in_span(s[other], shift, target, length):",
            "    if False:",
        ),
        ("3.11", "two own pawns on one square after a split", "slide_end(p, target) == goal:", "target == goal:"),
        (
            "3.11",
            "the second half is checked before the first is played",
            "goal and not in_span(s[k], shift, target, length):",
            "goal:",
        ),
        (
            "3.11",
            "the first pawn's old square is still held",
            "        if k == pawn:",
            "        if k == pawn and s[k] != goal:",
        ),
        (
            "3.11",
            "the second half may land on any own pawn",
            "elif k != other and s[k] == goal and not",
            "elif False and not",
        ),
        ("3.11", "a split leaves two pawns on a zone square", "    if goal == HOME:\n", "    if goal > ENTRANCE:\n"),
        (
            "3.11",
            "no second half into Home",
            "    if goal == HOME:\n        return True",
            "    if goal == HOME:\n        return False",
        ),
        (
            "3.11",
            "a landing in the zone bumps in the second half's check",
            "BUMPS_NONE: Final = -RING",
            "BUMPS_NONE: Final = 0",
        ),
        (
            "3.11",
            "the second half starts a pawn",
            "    goal = step_target(s[other], steps)",
            "    goal = CIRCLE if s[other] == START and steps == 1 else step_target(s[other], steps)",
        ),
        ("3.11", "the first half leaves Start", "if s[pawn] != START and s[pawn] != HOME:", "if s[pawn] != HOME:"),
        (
            "3.11",
            "no split 6 and 1",
            "if target <= HOME and not is_occupied",
            "if half < 6 and target <= HOME and not is_occupied",
        ),
        (
            "3.11",
            "the first half lands on an own pawn",
            "if target <= HOME and not is_occupied(s, p, base, target):",
            "if target <= HOME:",
        ),
        (
            "3.11",
            "only one order of each split",
            "                if is_second_half_legal(",
            "                if other > pawn and is_second_half_legal(",
        ),
        (
            "3.9",
            "an exchange out of the zone",
            "            if is_on_ring(s[pawn]):",
            "            if s[pawn] != START and s[pawn] != HOME:",
        ),
        ("6.7", "partners exchange without the option", "(p[SWAP_PARTNER] or not is_partner)", "p[TEAMS] <= 1"),
        ("6.7", "swap_partner is not read", "(p[SWAP_PARTNER] or not is_partner)", "not is_partner"),
        (
            "6.6",
            "X takes a partner beside an opponent",
            "spares_partner = p[TEAMS] > 0 and is_opponent_on_ring(s, p)",
            "spares_partner = False",
        ),
        (
            "6.6",
            "X never takes a partner",
            "spares_partner = p[TEAMS] > 0 and is_opponent_on_ring(s, p)",
            "spares_partner = p[TEAMS] > 0",
        ),
        (
            "6.3",
            "X starts own pawns only",
            "is_opponent_on_ring(s, p)\n    for side in range(1 + p[TEAMS]):",
            "is_opponent_on_ring(s, p)\n    for side in range(1):",
        ),
        (
            "3.10",
            "X needs no pawn in Start",
            "if s[pawns_of_side(s, p, side)] == START:",
            "if s[pawns_of_side(s, p, side)] != HOME:",
        ),
        (
            "3.10",
            "X and 11 reach into the zone",
            "        if is_on_ring(s[base + slot]):",
            "        if START < s[base + slot] < HOME:",
        ),
        (
            "6.6",
            "only the next opponent counts for X",
            "for away in range(1, p[PLAYERS], 2):",
            "for away in range(1, 2):",
        ),
        ("3.9", "an exchange is compulsory", "    if not is_obliged:", "    if n == 0:"),
        (
            "3.9",
            "an 11 may always be passed",
            "    if not is_obliged:",
            "    if not is_obliged or (not is_hand_game and first == ELEVEN):",
        ),
        (
            "3.9",
            "forward 11 is not compulsory",
            "is_obliged or n > before",
            "is_obliged or (n > before and card != ELEVEN)",
        ),
        ("3.4", "X is not compulsory", "is_obliged or n > before", "is_obliged or (n > before and card != SORRY)"),
        (
            "5.3",
            "an exchange obliges in the hand game",
            "    if not is_obliged:",
            "    if not is_obliged and (n == 0 or not is_hand_game):",
        ),
        (
            "3.9",
            "an exchange only where nothing else goes",
            "            if card == ELEVEN:",
            "            if card == ELEVEN and n == 0:",
        ),
    ],
    "sorry_env/engine/playing.py": [
        (
            "4.5",
            "backward goes from the ring into the zone",
            "target += RING if target < 1 else 0",
            "target += RING + 5 if target < 1 else 0",
        ),
        (
            "4.5",
            "back 1 from the diamond leads to Start",
            "target += RING if target < 1 else 0",
            "target += RING if target < 0 else 0",
        ),
        ("6.2", "one team mate wins alone", "    for side in range(1 + p[TEAMS]):", "    for side in range(1):"),
        (
            "3.5",
            "a 2 gives no second card",
            "stays = (s[OVER] > 0) | ((s[CARD] == TWO) & (p[TWO_AGAIN] > 0))",
            "stays = s[OVER] > 0",
        ),
        ("3.5", "a 2 that cannot be used gives no second card", "| ((s[CARD] == TWO) &", "| ((card == TWO) &"),
        ("3.5", "a 7 draws again, a 2 does not", "| ((s[CARD] == TWO) &", "| ((s[CARD] == SEVEN) &"),
        (
            "7",
            "two_draws_again is not read in the draw game",
            "((s[CARD] == TWO) & (p[TWO_AGAIN] > 0))",
            "(s[CARD] == TWO)",
        ),
        ("2.3", "the turn goes on after a win", "stays = (s[OVER] > 0) | ", "stays = "),
        (
            "2.2",
            "play goes anticlockwise",
            "mover if stays else clockwise(s, p, 1)",
            "mover if stays else clockwise(s, p, p[0] - 1)",
        ),
        ("5.4", "a discarded 2 gives another ply", "and p[TWO_AGAIN] and not is_discard and", "and p[TWO_AGAIN] and"),
        (
            "7",
            "two_draws_again is not read in the hand game",
            "card == TWO and p[TWO_AGAIN] and not is_discard",
            "card == TWO and not is_discard",
        ),
        (
            "5.2",
            "the played card stays in the hand",
            "s[HANDS + NUM_CARDS * mover + card] -= 1",
            "s[HANDS + NUM_CARDS * mover + card] -= 0",
        ),
        (
            "4.4",
            "the displaced pawn slides too",
            "s[other] = turned(s[pawn], p[SHIFT + SEATS * other_seat + seat])",
            "land(s, p, other_seat, other, turned(s[pawn], p[SHIFT + SEATS * other_seat + seat]))",
        ),
        ("3.9", "an exchange bumps the other pawn", "            if use == USE_EXCHANGE:", "            if False:"),
        (
            "4.2",
            "no slide after an exchange",
            "        land(s, p, seat, pawn, target)",
            "        if use == USE_EXCHANGE:\n            s[pawn] = target\n        else:\n"
            "            land(s, p, seat, pawn, target)",
        ),
        (
            "4.2",
            "no slide after X",
            "        land(s, p, seat, pawn, target)",
            "        land(s, p, seat, pawn, target)\n        if use == USE_REPLACE:\n            s[pawn] = target",
        ),
        (
            "4.2",
            "no slide after a backward move",
            "        land(s, p, seat, pawn, target)",
            "        land(s, p, seat, pawn, target)\n        if steps < 0:\n            s[pawn] = target",
        ),
        (
            "3.8",
            "a start bumps nobody",
            "        land(s, p, seat, pawn, target)",
            "        if use == USE_START:\n            s[pawn] = target\n        else:\n"
            "            land(s, p, seat, pawn, target)",
        ),
        ("3.11", "the second half goes as far as the first", "SPLIT_STEPS - steps if half == 1 else steps", "steps"),
        (
            "3.9",
            "the other's square is turned the wrong way",
            "target = turned(s[other], p[SHIFT + SEATS * seat + other_seat])",
            "target = turned(s[other], p[SHIFT + SEATS * other_seat + seat])",
        ),
    ],
    "sorry_env/engine/dealing.py": [
        (
            "3.2",
            "the reshuffle comes one card early",
            "if s[LEFT] > count_hidden(s, p):",
            "if s[LEFT] > count_hidden(s, p) + 1:",
        ),
        ("3.2", "no reshuffle", "if s[LEFT] > count_hidden(s, p):", "if s[LEFT] >= 0:"),
        (
            "3.2",
            "the reshuffle takes the cards in hands",
            "                    count -= s[HANDS + NUM_CARDS * seat + card]",
            "                    count -= 0",
        ),
        ("8.2", "unknown hands hold no cards", "hidden += p[HAND_SIZE]", "hidden += 0"),
        ("3.1", "cards leave the replacement deck", "if not p[REPLACEMENT]:", "if True:"),
        (
            "3.1",
            "the first kinds of card come more often",
            "card += 1 if rest >= passed else 0",
            "card += 1 if rest > passed else 0",
        ),
        (
            "5.2",
            "the next player gets the refill",
            "s[HANDS + NUM_CARDS * s[MOVER] + card] += 1",
            "s[HANDS + NUM_CARDS * clockwise(s, p, 1) + card] += 1",
        ),
        ("5.5", "a played 2 gives no further ply", "        if s[AGAIN]:", "        if False:"),
        (
            "5.5",
            "every card gives a further ply",
            "            s[MOVER] = clockwise(s, p, 1)",
            "            s[MOVER] = clockwise(s, p, 0)",
        ),
        ("2.2", "the fixed first seat is not read", "s[MOVER] = drawn if first < 0 else first", "s[MOVER] = drawn"),
        (
            "2.2",
            "the first seat always begins",
            "drawn = below(r, CARD_STREAM, p[PLAYERS])",
            "drawn = 0 * below(r, CARD_STREAM, p[PLAYERS])",
        ),
        ("5.1", "pawns stand out in hand games alone", "        if p[PAWNS_OUT]:", "        if p[HAND_SIZE]:"),
        (
            "5.1",
            "dealt cards leave the pile as 1s",
            "                take_from_pile(s, p, card)",
            "                take_from_pile(s, p, 0 * card)",
        ),
        (
            "5.1",
            "one card too many is dealt",
            "            for _ in range(p[HAND_SIZE]):",
            "            for _ in range(p[HAND_SIZE] + 1):",
        ),
    ],
    "sorry_env/engine/encoding.py": [
        (
            "5.6",
            "the observation shows the hands of others",
            "at = p[SEEN_HAND] if other == seat else p[SEEN_UNSEEN]",
            "at = p[SEEN_HAND]",
        ),
        ("5.6", "cards of a hidden hand are lost", "s[PILE + card] += s[hand + card]", "s[PILE + card] += 0"),
        (
            "5.6",
            "the pile's size counts unknown hands",
            "out[p[SEEN_PILE_SIZE]] = (s[LEFT] - count_hidden(s, p)) * units[1]",
            "out[p[SEEN_PILE_SIZE]] = s[LEFT] * units[1]",
        ),
        (
            "1.1",
            "the observer's board is turned the wrong way",
            "p[TURN + SEATS * observer + seat]",
            "p[TURN + SEATS * seat + observer]",
        ),
        ("2.2", "the observer takes himself for the mover", "away = s[MOVER] - seat", "away = 0 * s[MOVER]"),
        (
            "6.1",
            "opposite seats win together without teams",
            "(p[TEAMS] > 0 and (seat + other) % 2 == 0)",
            "(seat + other) % 2 == 0",
        ),
        (
            "6.2",
            "the winner's partner loses",
            "out[seat] = 1 if is_same_side(s, p, seat, s[MOVER]) else",
            "out[seat] = 1 if seat == s[MOVER] else",
        ),
        ("5.8", "each loser loses 1", "else -winners / (players - winners)", "else -1"),
        ("5.8", "losers lose nothing", "else -winners / (players - winners)", "else 0"),
        ("5.8", "rewards by points do not add up to nothing", "(out[seat] - total / players) / 100", "out[seat] / 100"),
        (
            "5.7",
            "pawns Home count only for the winner",
            "points = 5 * pawns_home(s, p, seat)",
            "points = 5 * pawns_home(s, p, seat) * (seat == s[MOVER])",
        ),
        (
            "5.7",
            "the winner scores opposing pawns that are Home",
            "points += 5 * (p[NUM_PAWNS] - count)",
            "points += 5 * count",
        ),
        ("5.7", "the bonus looks at the last opponent", "most = max(most, count)", "most = count"),
        ("5.7", "the bonus adds up the opponents", "most = max(most, count)", "most = most + count"),
        ("5.7", "a bonus of 12 for three Home", "            if most <= 2:", "            if most <= 3:"),
        ("5.7", "no bonus of 25", "            if most <= 2:", "            if most <= 1:"),
        (
            "7",
            "only one of the winners scores",
            "if s[OVER] and is_same_side(s, p, seat, s[MOVER]):",
            "if s[OVER] and seat == s[MOVER]:",
        ),
        (
            "5.7",
            "partners count as opponents",
            "                if not is_same_side(s, p, seat, other):",
            "                if seat != other:",
        ),
    ],
    "sorry_env/engine/kernels.py": [
        (
            "5.6",
            "the mover's hand is shown to all",
            "if seat != seats[e] and (seat != s[MOVER] or s[CARD] != AWAITING):",
            "if seat != seats[e] and seat != s[MOVER]:",
        ),
        (
            "5.2",
            "a card comes after the winning play",
            "if s[CARD] == AWAITING and not s[OVER]:",
            "if s[CARD] == AWAITING:",
        ),
    ],
    "sorry_env/position.py": [
        (
            "6.2",
            "the winner's partner has not won",
            "if self.rules.teams else (self.mover,)",
            "if False else (self.mover,)",
        ),
    ],
    "sorry_env/notation.py": [
        (
            "8.2",
            "two pawns may share a ring square",
            "if CIRCLE - 1 <= progress < HOME:",
            "if ENTRANCE < progress < HOME:",
        ),
        ("8.2", "zone squares of two colours are one", "else 100 * (color + 1) + progress", "else 100 + progress"),
        (
            "8.3",
            "a partner's pawn carries no letter",
            "head = f\"{card}:{letter if side else ''}\"",
            'head = f"{card}:"',
        ),
    ],
    "sorry_env/perft.py": [
        ("9.1", "a finished game counts nothing", "done += int(rows[over].sum())", "done += 0"),
    ],
}

MUTATIONS: Final = tuple(Mutation(file, *entry) for file, entries in _TABLE.items() for entry in entries)
