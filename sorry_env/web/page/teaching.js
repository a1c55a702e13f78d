// "How to play" beside the lobby and the game: what the server tells of the rules that are chosen.

import { ask, element } from "./shared.js";

/** Fills a `details` element for rules, given as for `/api/help`; once for the same rules. */
export async function showHelp(details, query) {
  const asked = String(new URLSearchParams(query));
  if (details.dataset.rules === asked) return;
  details.dataset.rules = asked;
  const { cards, lines } = await ask(`/api/help?${asked}`);
  if (details.dataset.rules !== asked) return;
  const row = ({ card, does }) =>
    element("tr", {}, element("th", { scope: "row", textContent: card }), element("td", { textContent: does }));
  const head = element("tr", {}, ...["Card", "What it does"].map((text) => element("th", { scope: "col", textContent: text })));
  const terms = lines.flatMap(({ about, text }) => [element("dt", { textContent: about }), element("dd", { textContent: text })]);
  details.replaceChildren(details.querySelector("summary"), element("dl", {}, ...terms),
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...cards.map(row))));
}
