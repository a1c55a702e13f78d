// The board to click on: rings over the places that may be chosen, and the ways of a move that is being considered.

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = { start: 60, home: 60 };
const REACH = 22; // CSS pixels from a place's middle that a finger may miss it by: squares of a phone's board are as small

function svgElement(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Middle of a place in the picture's units. */
function middle(svg, place) {
  const { x, y, width, height } = svg.querySelector(`.place[data-place="${place}"]`).firstElementChild.getBBox();
  return [x + width / 2, y + height / 2];
}

/** A place in words. */
export function placeWords(place) {
  const [where, which] = place.split("-");
  if (where === "ring") return `square ${which}`;
  return { start: `${where} Start`, home: `${where} Home` }[which] ?? `${where} safety square ${which}`;
}

function pawnWords(svg, place) {
  const colors = [...svg.querySelectorAll(`.pawn[data-place="${place}"]`)].map((pawn) => pawn.dataset.color);
  return colors.length ? `${colors[0]} pawn on ${placeWords(place)}` : placeWords(place);
}

/** Draws the rings of what the chooser offers; `choose` gets the place, and whether by the keyboard. */
export function drawSpots(svg, chooser, choose) {
  svg.querySelectorAll(".spots-to-click, .ways").forEach((old) => old.remove());
  svg.setAttribute("role", "group");
  const layer = svgElement("g", { class: "spots-to-click" });
  const targets = chooser.targets();
  for (const part of chooser.done) {
    for (const place of [part.source, part.target]) layer.append(ring(svg, place, "spot done"));
  }
  for (const place of chooser.sources()) {
    if (targets.has(place)) continue;
    const isChosen = place === chooser.source;
    const spot = button(svg, place, `spot source${isChosen ? " chosen" : ""}`, `Move ${pawnWords(svg, place)}`, choose);
    spot.setAttribute("aria-pressed", String(isChosen));
    layer.append(spot);
  }
  for (const [place, moves] of targets) {
    const label = moves.length === 1 && moves[0].parts.length === chooser.done.length + 1 ? moves[0].spoken : `To ${pawnWords(svg, place)}`;
    const spot = button(svg, place, "spot target", label, choose);
    for (const [shown, hidden] of [["mouseenter", "mouseleave"], ["focus", "blur"]]) {
      spot.addEventListener(shown, () => drawWays(svg, moves.length === 1 ? moves[0].ways : []));
      spot.addEventListener(hidden, () => drawWays(svg, []));
    }
    layer.append(spot);
  }
  svg.append(layer);
  svg.onclick = (event) => {
    const spot = event.detail ? nearest(layer, event) : event.target.closest("[role=button]"); // 0: no pointer was at it
    if (spot) choose(spot.dataset.spot, false);
  };
}

/** The button that a pointer means: of those that it is in or within reach of, the nearest. */
function nearest(layer, { clientX, clientY }) {
  const found = [...layer.querySelectorAll("[role=button]")].map((spot) => {
    const { x, y, width } = spot.firstElementChild.getBoundingClientRect();
    const away = Math.hypot(clientX - x - width / 2, clientY - y - width / 2);
    return { spot, edge: away - width / 2, isReached: away <= Math.max(width / 2, REACH) };
  });
  return found.filter(({ isReached }) => isReached).sort((a, b) => a.edge - b.edge)[0]?.spot;
}

function ring(svg, place, css) {
  const [cx, cy] = middle(svg, place);
  const spot = svgElement("g", { class: css, "data-spot": place });
  spot.append(svgElement("circle", { cx, cy, r: RADIUS[place.split("-")[1]] ?? 24 }));
  return spot;
}

function button(svg, place, css, label, choose) {
  const spot = ring(svg, place, css);
  for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-label", label]]) spot.setAttribute(name, value);
  spot.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(place, true);
  });
  return spot;
}

/** Draws the ways of a move; none clears them. */
export function drawWays(svg, ways) {
  svg.querySelectorAll(".ways").forEach((old) => old.remove());
  const layer = svgElement("g", { class: "ways", "aria-hidden": "true" });
  for (const { kind, places } of ways) {
    const points = places.map((place) => middle(svg, place).join(",")).join(" ");
    layer.append(svgElement("polyline", { class: `way ${kind}`, points }));
  }
  svg.append(layer);
}
