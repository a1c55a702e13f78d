// Choosing a move by clicks: a card (hand game), a pawn, where it goes; of a split 7 the second pawn in the same way.

/**
 * What is chosen so far of the legal moves.
 * Moves are as the server sends them: { move, card, parts: [{ color, source, target }], ways, spoken, chance }.
 */
export class Chooser {
  constructor(moves) {
    this.moves = moves;
    this.cards = [...new Set(moves.map((move) => move.card))];
    this.card = this.cards.length === 1 ? this.cards[0] : null;
    this.clear();
  }

  /** Forgets the pawns, not the card. */
  clear() {
    this.done = [];
    this.source = null;
  }

  chooseCard(card) {
    this.card = card;
    this.clear();
  }

  /** Moves that begin as chosen. */
  open() {
    return this.moves.filter(
      (move) =>
        move.card === this.card &&
        move.parts.length > this.done.length &&
        this.done.every((part, k) => part.source === move.parts[k].source && part.target === move.parts[k].target),
    );
  }

  next(move) {
    return move.parts[this.done.length];
  }

  /** Places of pawns that may be chosen now. */
  sources() {
    return [...new Set(this.open().map((move) => this.next(move).source))];
  }

  /** Moves that the chosen pawn may make, by place. */
  targets() {
    const found = new Map();
    for (const move of this.open()) {
      const { source, target } = this.next(move);
      if (source === this.source) found.set(target, [...(found.get(target) ?? []), move]);
    }
    return found;
  }

  /** Moves without pawns: a pass, a discard of the chosen card. */
  forced() {
    return this.moves.filter((move) => !move.parts.length && move.card === this.card);
  }

  /**
   * A click on a place. Returns the moves among which it has decided: none while more is to be chosen, one that is to be
   * played, or several that look alike on the board.
   */
  click(place) {
    const meant = this.source === null ? undefined : this.targets().get(place);
    if (!meant) {
      this.source = place === this.source || !this.sources().includes(place) ? null : place;
      return [];
    }
    const whole = meant.filter((move) => move.parts.length === this.done.length + 1);
    if (whole.length) return meant;
    this.done.push({ source: this.source, target: place });
    const left = this.sources();
    this.source = left.length === 1 ? left[0] : null;
    return [];
  }
}
