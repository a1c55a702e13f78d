// What the pages of a game and of a replay share: seats, chances and the picture of the board.

export const byId = (id) => document.getElementById(id);

/** A new element with properties, attributes (in `attributes`) and children. */
export function element(tag, properties = {}, ...children) {
  const { attributes = {}, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

export const percent = (chance) => `${(100 * chance).toFixed(chance === 0 || chance === 1 ? 0 : 1)} %`;

/** The square with a colour's letter; colour is never the only sign. */
export function chip(color) {
  return element("span", { className: `chip ${color}`, textContent: color[0].toUpperCase(), attributes: { "aria-hidden": "true" } });
}

/** A colour and who plays it. */
export function seatName(game, seat) {
  const { color, name } = game.seats[seat];
  return name ? `${capital(color)} (${name})` : capital(color);
}

/** Shows a picture that this program drew, and says it in words below. */
export function showPicture(text, board, words) {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const title = svg.querySelector("title"), description = svg.querySelector("desc");
  words.textContent = `${title.textContent}. ${description.textContent}`;
  svg.setAttribute("aria-label", title.textContent);
  title.remove();
  description.remove();
  board.replaceChildren(document.importNode(svg, true));
  return board.firstElementChild;
}

/** What a line of a list of moves has: its number, who moved, and the move in words and in notation. */
export function moveLine(number, color, spoken, move) {
  return [
    element("span", { className: "number", textContent: `${number}.` }), chip(color), element("span", { className: "unseen", textContent: `${color}: ` }),
    element("span", { className: "spoken", textContent: spoken }), element("span", { className: "notation", textContent: move }),
  ];
}

function bar(share, color = "") {
  const inner = element("span", { className: color });
  inner.style.width = `${100 * share}%`;
  return element("span", { className: "bar", attributes: { "aria-hidden": "true" } }, inner);
}

/** A number with its bar. */
export function shareBar(share, color) {
  return [bar(share, color), element("span", { className: "percent", textContent: percent(share) })];
}

/** A line a seat, or a team, with its chance to win. */
export function seatChances(game, chances) {
  const rows = element("div", { className: "seats" });
  const shown = game.teams ? [[0, 2], [1, 3]] : game.seats.map((_, seat) => [seat]);
  for (const side of shown) {
    const who = element("span", { className: "who", textContent: side.map((seat) => seatName(game, seat)).join(" and ") });
    const chips = element("span", {}, ...side.map((seat) => chip(game.seats[seat].color)));
    const share = chances ? shareBar(chances[side[0]], game.seats[side[0]].color) : [];
    rows.append(element("div", { className: "seat" }, chips, who, ...share));
  }
  return rows;
}

/** Who has won, with points where they count. */
export function resultText(game, you = -1) {
  const names = game.winners.map((seat) => (seat === you ? "You" : capital(game.seats[seat].color)));
  const points = game.points ? ` Points: ${game.points.map((p, seat) => `${capital(game.seats[seat].color)} ${p}`).join(", ")}.` : "";
  return `${names.join(" and ")} won.${points}`;
}

/** A line that is said at the top of the page until the next one; where the server was gone, with a way to go on. */
export function showAlert(text, isGone = false) {
  const box = byId("alert");
  box.textContent = text;
  box.hidden = !text;
  if (!isGone) return;
  const again = element("button", { type: "button", textContent: "Load again" });
  again.addEventListener("click", () => location.reload());
  box.append(" ", again);
}

/** Offers a text as a file. */
export function offerFile(link, text) {
  if (link.href) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
}

const TRIES = 4; // of what the server says may be granted a moment later

/** Says what was refused; with a way to go on, but where the request itself was wrong or the game is shown anew. */
export const showError = (error) => showAlert(error.message, ![400, 409].includes(error.status));

/** What the server answers, after more tries where it asks for them; its line of refusal is thrown. */
export async function ask(address, body, method) {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      const found = await askOnce(address, body, method);
      if (left < TRIES - 1) showAlert("");
      return found;
    } catch (error) {
      if (!left || !error.retryAfter) throw error;
      showAlert(`${capital(error.message)}. Trying again.`);
      await new Promise((resolve) => setTimeout(resolve, 1000 * error.retryAfter));
    }
  }
}

async function askOnce(address, body, method = body ? "POST" : "GET") {
  const options = { method, headers: body ? { "content-type": "application/json" } : {} };
  if (body) options.body = JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw Object.assign(new Error("The server does not answer. Is it running?"), { status: 0 });
  }
  const found = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(found.error), { status: answer.status, retryAfter: Number(answer.headers.get("retry-after")) });
  return found;
}
