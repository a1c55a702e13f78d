// The lobby: a new game, and the games that this browser has.

import { ask, byId, capital, element, showAlert } from "./shared.js";
import { showHelp } from "./teaching.js";

const DEFAULTS = ["champion", "greedy", "random"]; // the first that plays the rules, as in the terminal

let ruleSets = [];
let choices = [];

const option = (value, text = value) => element("option", { value, textContent: text });
const rulesOf = (name) => ruleSets.find((rules) => rules.name === name);

/** Shows the lobby. `choose` asks in a dialogue. */
export async function startLobby(choose) {
  if (!ruleSets.length) {
    ruleSets = (await ask("/api/rules")).rules;
    byId("rules").replaceChildren(...ruleSets.map(({ name }) => option(name)));
    byId("rules").addEventListener("change", showPlayers);
    byId("players").addEventListener("change", showSeats);
    byId("you").addEventListener("change", showOpponents);
    byId("new-game").addEventListener("submit", startGame);
    await showPlayers();
  }
  await showGames(choose);
}

async function showPlayers() {
  const { players, about } = rulesOf(byId("rules").value);
  byId("about").textContent = about;
  byId("players").replaceChildren(...players.map((count) => option(String(count))));
  await showSeats();
}

async function showSeats() {
  const rules = byId("rules").value, players = byId("players").value;
  byId("you").replaceChildren(...rulesOf(rules).colors[players].map((color) => option(color, capital(color))));
  const query = new URLSearchParams({ rules, players });
  choices = (await ask(`/api/opponents?${query}`)).opponents;
  showOpponents();
  await showHelp(byId("how-lobby"), { rules, players });
}

function showOpponents() {
  const you = byId("you").value;
  const colors = rulesOf(byId("rules").value).colors[byId("players").value];
  const isTeams = byId("rules").value.startsWith("team");
  const partner = colors[(colors.indexOf(you) + 2) % colors.length];
  const selects = colors.filter((color) => color !== you).map((color) => {
    const select = element("select", { name: `opponent-${color}` });
    select.append(...choices.map(({ name, about, why_not: whyNot }) =>
      Object.assign(option(name, whyNot ? `${name} (not for these rules)` : `${name}: ${about}`), { disabled: Boolean(whyNot), title: whyNot })));
    select.value = DEFAULTS.find((wanted) => choices.some(({ name, why_not: whyNot }) => name === wanted && !whyNot));
    return element("label", {}, `${capital(color)}${isTeams && color === partner ? ", your partner" : ""} `, select);
  });
  byId("opponents").replaceChildren(byId("opponents").querySelector("legend"), ...selects);
}

async function startGame(event) {
  event.preventDefault();
  const opponents = [...byId("opponents").querySelectorAll("select")].map(({ value }) => value);
  const body = { rules: byId("rules").value, players: Number(byId("players").value), you: byId("you").value, opponents };
  try {
    location.hash = `g=${(await ask("/api/games", body)).id}`;
  } catch (error) {
    showAlert(error.message);
  }
}

async function showGames(choose) {
  const { games } = await ask("/api/games");
  byId("no-games").hidden = games.length > 0;
  byId("games").replaceChildren(...games.map((game) => gameLine(game, choose)));
}

function gameLine(game, choose) {
  const isDamaged = game.state === "damaged";
  const when = isDamaged ? "it can only be deleted" : new Date(1000 * game.changed).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const who = game.names.map((name, seat) => (seat === game.you ? "you" : name)).join(", ");
  const state = { open: "", over: " · over", resigned: " · resigned", damaged: " · damaged" }[game.state];
  const link = element("a", { className: "button", href: `#g=${game.id}`, textContent: game.state === "open" ? "Go on" : "Look" });
  const remove = element("button", { type: "button", textContent: "Delete" });
  for (const [made, verb] of [[link, link.textContent], [remove, "Delete"]]) made.setAttribute("aria-label", `${verb}: ${game.rules}, ${when}`);
  remove.addEventListener("click", async () => {
    if (!(await choose("Delete this game for good?", [["Delete", true]]))) return;
    try {
      await ask(`/api/games/${game.id}`, undefined, "DELETE");
    } catch (error) {
      showAlert(error.message);
    }
    await showGames(choose);
  });
  const what = element("span", { className: "what" }, `${game.rules}${state}`, element("small", { textContent: isDamaged ? when : `${who} · ${when}` }));
  return element("li", {}, what, ...(isDamaged ? [] : [link]), remove);
}
