// A replay: one game step by step, its chances as a graph, its biggest mistakes. Data come with the page, from the server
// (`#g=ID`), or from a record that is sent there.

import { ask, byId, capital, element, moveLine, offerFile, percent, resultText, seatChances, seatName, showAlert, showError, showPicture } from "./shared.js";

const STEP = 700; // milliseconds a move while it runs
const SIZE = { width: 360, height: 150, left: 42, right: 8, top: 8, bottom: 20 };
const INKS = { red: "#cc3311", blue: "#0077bb", yellow: "#a07d00", green: "#00756a" };
const DASHES = { red: "", blue: "7 3", yellow: "2 3", green: "9 3 2 3" }; // lines are told apart without colour, too

let replay = null;
let at = 0;
let timer = null;

const mistakeAt = (ply) => replay.mistakes.find((mistake) => mistake.ply === ply);

function picture(frame) {
  const parts = [];
  for (let k = 0; k < frame.svg.length; k += 2) parts.push(...replay.pieces.slice(frame.svg[k], frame.svg[k] + frame.svg[k + 1]));
  return parts.join("");
}

function start(found) {
  replay = found;
  byId("replay").hidden = false;
  byId("upload")?.setAttribute("hidden", "");
  byId("status").textContent = replay.winners.length ? resultText(replay) : "A game that is not over";
  byId("at").max = replay.frames.length - 1;
  byId("note").textContent = replay.note || `Chances by ${replay.judge}. A filled dot marks a mistake.`;
  byId("graph").hidden = !replay.chances;
  byId("mistakes-section").hidden = !replay.chances;
  const worst = replay.mistakes.map((mistake) => element("li", {}, mistakeButton(mistake)));
  byId("mistakes").replaceChildren(...(worst.length ? worst : [element("li", { className: "quiet", textContent: "None that cost more than one win in a hundred." })]));
  byId("log").replaceChildren(...replay.frames.slice(1).map((frame, k) => element("li", {}, logButton(frame, k + 1))));
  byId("log").removeAttribute("tabindex"); // its buttons take the focus
  offerFile(byId("record"), replay.record);
  if (replay.chances) drawGraph();
  goTo(0);
}

function mistakeButton(mistake) {
  const made = element("button", { type: "button", className: "move plain" },
    element("span", { className: "notation", textContent: `${mistake.ply}. ${mistake.played}` }),
    element("small", { textContent: `${capital(replay.seats[mistake.seat].color)} lost ${percent(mistake.loss)} by it; better: ${mistake.better}` }));
  made.addEventListener("click", () => goTo(mistake.ply));
  return made;
}

function logButton(frame, ply) {
  const color = replay.seats[frame.seat].color;
  const made = element("button", { type: "button" }, ...moveLine(ply, color, frame.spoken, frame.move));
  const mistake = mistakeAt(ply);
  if (mistake) made.append(element("span", { className: "mark", textContent: `−${percent(mistake.loss)}` }));
  made.addEventListener("click", () => goTo(ply));
  return made;
}

function goTo(ply) {
  at = Math.max(0, Math.min(replay.frames.length - 1, ply));
  const frame = replay.frames[at];
  showPicture(picture(frame), byId("board"), byId("board-words"));
  const mistake = mistakeAt(at);
  const said = at ? `${seatName(replay, frame.seat)}: ${frame.spoken} (${frame.move})` : "The start";
  byId("step").textContent = `${at} of ${replay.frames.length - 1}: ${said}${mistake ? `. A mistake: ${mistake.better} was better by ${percent(mistake.loss)}` : ""}`;
  byId("at").value = at;
  byId("at").setAttribute("aria-valuetext", byId("step").textContent);
  byId("chances").replaceChildren(seatChances(replay, replay.chances?.[at]));
  for (const [id, isEnd] of [["first", !at], ["back", !at], ["forward", at === replay.frames.length - 1], ["last", at === replay.frames.length - 1]]) {
    byId(id).disabled = isEnd;
  }
  byId("log").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = byId("log").children[at - 1];
  line?.firstElementChild.setAttribute("aria-current", "step");
  if (line) byId("log").scrollTop = line.offsetTop - byId("log").offsetTop - byId("log").clientHeight / 2;
  byId("graph").querySelector(".cursor")?.setAttribute("transform", `translate(${across(at)} 0)`);
}

// --- The graph ---

const across = (ply) => SIZE.left + (ply / Math.max(1, replay.frames.length - 1)) * (SIZE.width - SIZE.left - SIZE.right);
const down = (chance) => SIZE.top + (1 - chance) * (SIZE.height - SIZE.top - SIZE.bottom);

function svgElement(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function drawGraph() {
  const svg = svgElement("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", "aria-label": "Chances to win over the moves of the game" });
  for (const chance of [0, 0.5, 1]) {
    svg.append(svgElement("line", { x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: down(chance), y2: down(chance), stroke: "#d8d2c4" }));
    svg.append(svgElement("text", { x: SIZE.left - 4, y: down(chance) + 4, "text-anchor": "end" }, `${100 * chance} %`));
  }
  svg.append(svgElement("text", { x: SIZE.width - SIZE.right, y: SIZE.height - 4, "text-anchor": "end" }, `${replay.frames.length - 1} moves`));
  const sides = replay.teams ? [0, 1] : replay.seats.map((_, seat) => seat);
  for (const side of sides) {
    const { color } = replay.seats[side];
    const points = replay.chances.map((row, ply) => `${across(ply)},${down(row[side])}`).join(" ");
    svg.append(svgElement("polyline", { points, fill: "none", stroke: INKS[color], "stroke-width": 2, "stroke-dasharray": DASHES[color] }));
  }
  for (const { ply, seat, loss } of replay.mistakes) {
    const place = { cx: across(ply), cy: down(replay.chances[ply][seat]), r: 3 + 12 * loss };
    svg.append(svgElement("circle", { ...place, fill: INKS[replay.seats[seat].color], stroke: "#fff", class: "mistake" }));
  }
  const cursor = svgElement("g", { class: "cursor" });
  cursor.append(svgElement("line", { x1: 0, x2: 0, y1: SIZE.top, y2: SIZE.height - SIZE.bottom, stroke: "#c4006c", "stroke-width": 2 }));
  svg.append(cursor);
  const seek = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * SIZE.width;
    goTo(Math.round(((x - SIZE.left) / (SIZE.width - SIZE.left - SIZE.right)) * (replay.frames.length - 1)));
  };
  svg.addEventListener("pointerdown", seek);
  svg.addEventListener("pointermove", seek);
  byId("graph").replaceChildren(svg);
}

// --- Running ---

function run(isRunning) {
  clearInterval(timer);
  timer = null;
  byId("run").textContent = isRunning ? "Pause" : "Play";
  if (!isRunning) return;
  if (at === replay.frames.length - 1) goTo(0);
  timer = setInterval(() => {
    goTo(at + 1);
    if (at === replay.frames.length - 1) run(false);
  }, STEP);
}

function stopAt(ply) {
  run(false);
  goTo(ply);
}

byId("at").addEventListener("input", () => stopAt(Number(byId("at").value)));
byId("first").addEventListener("click", () => stopAt(0));
byId("back").addEventListener("click", () => stopAt(at - 1));
byId("forward").addEventListener("click", () => stopAt(at + 1));
byId("last").addEventListener("click", () => stopAt(replay.frames.length - 1));
byId("run").addEventListener("click", () => run(timer === null));

addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const isTaken = event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea"); // they use these keys
  if (!step || !replay || isTaken) return;
  event.preventDefault();
  stopAt(at + step);
});

async function upload(event) {
  event.preventDefault();
  const [file] = byId("record-file").files;
  try {
    start(await ask("/api/replays", { record: file ? await file.text() : byId("record-text").value }));
    showAlert("");
  } catch (error) {
    showAlert(error.message);
  }
}

async function route() {
  const id = new URLSearchParams(location.hash.slice(1)).get("g");
  showAlert("");
  byId("upload").hidden = Boolean(id);
  byId("replay").hidden = true;
  if (!id) return;
  try {
    start(await ask(`/api/games/${encodeURIComponent(id)}/replay`));
  } catch (error) {
    showError(error);
    byId("upload").hidden = false;
  }
}

const brought = byId("replay-data");
if (brought) {
  start(JSON.parse(brought.textContent));
} else {
  byId("upload-form").addEventListener("submit", upload);
  addEventListener("hashchange", route);
  await route();
}
