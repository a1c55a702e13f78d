// The page of games: the lobby, and one game at the table. Its address keeps which (`#g=ID`), so that a reload goes on.

import { drawSpots, drawWays } from "./board.js";
import { Chooser } from "./chooser.js";
import { startLobby } from "./lobby.js";
import { ask, byId, chip, element, moveLine, resultText, seatChances, seatName, shareBar, showAlert, showError, showPicture } from "./shared.js";
import { showHelp } from "./teaching.js";

const PAUSE = 900; // milliseconds between opponents' moves, for a person to follow
const pause = new URLSearchParams(location.search).get("pause") ?? (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : PAUSE);

let game = null; // as the server last showed it
let chooser = null;
let svg = null;
let isBusy = false; // a move is on its way
let shownChances = null; // the last known, while those of the position are hidden

const address = (rest = "") => `/api/games/${game.id}${rest}`;

// --- Showing ---

function show(next) {
  if (!game || next.id !== game.id) shownChances = null;
  const before = game?.id === next.id ? game : null;
  game = next;
  shownChances = game.chances ?? shownChances;
  chooser = new Chooser(game.moves);
  byId("lobby").hidden = true;
  byId("table").hidden = false;
  document.title = `${game.yours ? "Your turn" : "Sorry!"} · ${game.rules}`;
  svg = showPicture(game.svg, byId("board"), byId("board-words"));
  Object.assign(byId("table").dataset, { at: game.at, turn: turnWord() });
  showStatus();
  byId("chances").replaceChildren(shownChances ? seatChances(game, shownChances) : element("p", { className: "quiet", textContent: game.note }));
  byId("chances-section").hidden = !shownChances && !game.note;
  showHelp(byId("how-table"), { rules: game.rules }).catch(showError);
  showLog();
  byId("resign").hidden = game.state !== "open";
  const isShown = game.state !== "open" || !game.hand.length;
  for (const [id, to] of [["record", address("/record")], ["to-replay", `/replay#g=${game.id}`]]) {
    byId(id).hidden = !isShown;
    byId(id).href = to;
  }
  announce(before);
  showChoice();
}

function turnWord() {
  if (game.state !== "open" || game.winners.length) return "over";
  return game.yours ? "yours" : "theirs";
}

function showStatus() {
  const color = game.seats[game.mover].color;
  let text = `${seatName(game, game.mover)} is to move`;
  if (game.state === "resigned") text = "You resigned";
  else if (game.winners.length) text = resultText(game, game.you);
  else if (game.yours) text = game.card ? `Your turn with ${cardWords(game.card)}` : "Your turn";
  byId("status").replaceChildren(chip(color), element("span", { textContent: text }));
}

const cardName = (card) => (card === "X" ? "Sorry!" : card);
const cardWords = (card) => (card === "X" ? "Sorry!" : `${["8", "11"].includes(card) ? "an" : "a"} ${card}`);

function announce(before) {
  if (!before || game.log.length > before.log.length) {
    const [seat, , spoken] = game.log.at(-1) ?? [];
    const said = spoken ? `${seatName(game, seat)}: ${spoken}. ` : "";
    byId("announcer").textContent = said + byId("status").textContent.slice(1);
  }
}

function showLog() {
  const lines = game.log.map(([seat, move, spoken], k) =>
    element("li", { className: k === game.log.length - 1 ? "now" : "" }, ...moveLine(k + 1, game.seats[seat].color, spoken, move)));
  byId("log").replaceChildren(...lines);
  byId("log").scrollTop = byId("log").scrollHeight;
}

function showChoice() {
  showHand();
  drawSpots(svg, chooser, choosePlace);
  const [forced] = chooser.forced();
  byId("forced").hidden = !game.yours || !forced;
  byId("forced").textContent = forced?.spoken ?? "";
  byId("undo-choice").hidden = !chooser.done.length && chooser.source === null;
  byId("hint").textContent = game.yours ? hint() : "";
  showMoves();
}

function hint() {
  if (chooser.card === null) return "Choose a card of your hand.";
  const kinds = new Set(chooser.open().map((move) => move.kind));
  if (!kinds.size) return "";
  if (chooser.done.length) return chooser.source ? "Now choose where the second pawn goes." : "Now choose the second pawn.";
  if (chooser.source === null) return "Choose a pawn.";
  return kinds.has("exchange") || kinds.has("replace") ? "Choose where it goes, or the opponent's pawn." : "Choose where it goes.";
}

function showHand() {
  byId("hand").hidden = !game.hand.length;
  const cards = game.hand.map((card) => {
    const isOpen = chooser.cards.includes(card);
    const made = element("button", {
      type: "button", className: card === "X" ? "card sorry" : "card", textContent: cardName(card), disabled: !isOpen,
      attributes: { "aria-pressed": String(isOpen && card === chooser.card), "aria-label": `Card ${cardName(card)}`, "data-card": card },
    });
    made.addEventListener("click", () => {
      chooser.chooseCard(card);
      showChoice();
      byId("hand").querySelector(`[data-card="${card}"]`).focus();
    });
    return made;
  });
  byId("hand").replaceChildren(...cards);
}

function showMoves() {
  const hints = byId("hints").checked;
  const isKnown = game.moves.some((move) => move.chance !== undefined);
  byId("moves-section").hidden = !game.moves.length;
  byId("hints").parentElement.hidden = !isKnown;
  const shown = chooser.done.length || chooser.source ? matching() : game.moves.filter((move) => chooser.card === null || move.card === chooser.card);
  const order = hints && isKnown ? [...shown].sort((a, b) => b.chance - a.chance) : shown;
  byId("moves").replaceChildren(...order.map((move) => element("li", {}, moveButton(move, hints && isKnown))));
}

function matching() {
  return chooser.open().filter((move) => chooser.source === null || chooser.next(move).source === chooser.source);
}

function moveButton(move, isHinted) {
  const isOfMany = chooser.card === null && move.parts.length > 0; // cards, of which none is chosen yet
  const made = element("button", { type: "button", className: isHinted ? "move" : "move plain", attributes: { "data-move": move.move } },
    element("span", { className: "spoken", textContent: isOfMany ? `${cardName(move.card)}: ${move.spoken}` : move.spoken }),
    element("small", { className: "notation", textContent: move.move }),
    ...(isHinted ? shareBar(move.chance, game.seats[game.you].color) : []));
  made.addEventListener("click", () => play(move));
  for (const name of ["mouseenter", "focus"]) made.addEventListener(name, () => drawWays(svg, move.ways));
  for (const name of ["mouseleave", "blur"]) made.addEventListener(name, () => drawWays(svg, []));
  return made;
}

// --- Playing ---

async function choosePlace(place, isByKeyboard) {
  const meant = chooser.click(place);
  if (meant.length > 1) {
    const picked = await choose("Two moves look alike here", meant.map((move) => [`${move.move}: ${move.spoken}`, move]));
    if (picked) await play(picked);
    else showChoice();
  } else if (meant.length) {
    await play(meant[0]);
  } else {
    showChoice();
    if (isByKeyboard) (svg.querySelector(".spot.target") ?? svg.querySelector(".spot.source"))?.focus({ preventScroll: true });
  }
}

const play = (move) => change("/move", { at: game.at, move: move.move });

/** Sends what changes the game, shows what becomes of it and lets the opponents follow. */
async function change(rest, body) {
  if (isBusy) return;
  isBusy = true;
  try {
    show(await ask(address(rest), body));
    byId("status").focus({ preventScroll: true });
    showAlert("");
    await follow();
    if (turnWord() === "over") byId("status").scrollIntoView({ block: "nearest" });
  } catch (error) {
    await recover(error);
  } finally {
    isBusy = false;
  }
}

/** The opponents' moves, one after another. */
async function follow() {
  const { id } = game;
  while (game?.id === id && turnWord() === "theirs") {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (game?.id !== id) return;
    const next = await advance();
    if (game?.id === id) show(next);
  }
}

/** The next opponent's move, or the game as it stands where another tab was faster. */
async function advance() {
  const { at } = game, view = address();
  try {
    return await ask(`${view}/advance`, { at });
  } catch (error) {
    if (error.status !== 409) throw error;
    const now = await ask(view);
    if (now.at === at && now.state === game.state) throw error;
    return now;
  }
}

/** After a refusal: what was chosen is forgotten; a game that has gone on elsewhere is shown as it stands, and goes on. */
async function recover(error) {
  showError(error);
  if (!game) return;
  if (error.status === 409) {
    try {
      show(await ask(address()));
      await follow();
    } catch (later) {
      showError(later);
    }
  } else {
    chooser.clear();
    showChoice();
  }
}

/** One of several answers in a dialogue, or undefined. Answers are [text, value]. */
function choose(title, answers) {
  const dialog = byId("ask");
  byId("ask-title").textContent = title;
  return new Promise((resolve) => {
    const buttons = [...answers, ["Cancel", undefined]].map(([text, value]) => {
      const made = element("button", { type: "button", textContent: text });
      made.addEventListener("click", () => { resolve(value); dialog.close(); });
      return made;
    });
    byId("ask-options").replaceChildren(...buttons);
    dialog.onclose = () => resolve(undefined);
    dialog.showModal();
  });
}

async function resign() {
  if (await choose("Resign this game?", [["Resign", true]])) await change("/resign", {});
}

async function showLobby() {
  game = null;
  byId("table").hidden = true;
  byId("lobby").hidden = false;
  document.title = "Sorry! in the browser";
  await startLobby(choose).catch(showError);
}

async function route() {
  const id = new URLSearchParams(location.hash.slice(1)).get("g");
  showAlert("");
  if (!id) {
    await showLobby();
    return;
  }
  if (game?.id === id) return;
  isBusy = true;
  try {
    show(await ask(`/api/games/${encodeURIComponent(id)}`));
    await follow();
  } catch (error) {
    if (error.status === 404) {
      history.replaceState(null, "", "/");
      await showLobby();
      showAlert(error.message);
    } else {
      showError(error);
    }
  } finally {
    isBusy = false;
  }
}

byId("forced").addEventListener("click", () => play(chooser.forced()[0]));
byId("undo-choice").addEventListener("click", () => { chooser.clear(); showChoice(); });
byId("hints").addEventListener("change", showMoves);
byId("resign").addEventListener("click", resign);
addEventListener("hashchange", route);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && game && !byId("ask").open) { chooser.clear(); showChoice(); }
});
await route();
