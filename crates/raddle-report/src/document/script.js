"use strict";
/* Tables sort by a click on a heading and are filtered by a word; links open what they lead to; pages print with their sections open. */
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) continue;
  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true }));
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => order(value(a, at), value(b, at)));
      body.append(...(down ? rows.reverse() : rows));
    };
    head.tabIndex = 0;
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort();
    });
  });
  if (body.rows.length < 6 || table.classList.contains("deciding")) continue;
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "Only rows with \u2026";
  box.setAttribute("aria-label", "Only rows with this word");
  box.addEventListener("input", () => {
    const word = box.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(word);
  });
  table.parentElement.before(box);
}
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not(.fold)")) fold.open = true;
});
const reveal = () => {
  const at = document.getElementById(location.hash.slice(1));
  for (let up = at; up; up = up.parentElement) if (up.localName === "details") up.open = true;
  at?.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
