// What is wrong with PAGE as a browser shows it? Looks at it in every one of VIEWS, [width, scheme],
// and writes a line for each finding; "ok" lines say what was looked at. The scheme "print" has the
// rules for paper. With FIRST_SCREEN, the page has to say what decides before anybody scrolls.
const lines = [];
const say = (kind, view, text) => lines.push(`${kind} ${view}: ${text.replace(/\s+/g, " ").trim()}`);
const SLACK = 1;

// How one would name an element to somebody who mends it.
function named(element) {
  const text = (element.textContent || "").replace(/\s+/g, " ").trim().slice(0, 40);
  const kind = element.getAttribute("class");
  return `<${element.localName}${kind ? ` class="${kind}"` : ""}> "${text}"`;
}

function scrolls(element, view) {
  for (let up = element.parentElement; up; up = up.parentElement) {
    if (up === view.document.body || up === view.document.documentElement) return false;
    if (["auto", "scroll"].includes(view.getComputedStyle(up).overflowX)) return true;
  }
  return false;
}

// Nothing is wider than the window, but inside of what scrolls by itself; nothing is cut off.
function widths(view, fail) {
  const { document } = view;
  const most = document.documentElement.scrollWidth;
  if (most > view.innerWidth) fail(`the page is ${most} wide`);
  let count = 0;
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (element.ownerSVGElement || (!box.width && !box.height) || !element.checkVisibility()) continue;
    count += 1;
    if ((box.right > view.innerWidth + SLACK || box.left < -SLACK) && !scrolls(element, view)) {
      fail(`${named(element)} reaches from ${Math.round(box.left)} to ${Math.round(box.right)}`);
    }
    const hides = ["hidden", "clip"].includes(view.getComputedStyle(element).overflowX);
    if (hides && element.localName !== "svg" && element.scrollWidth > element.clientWidth + SLACK) {
      fail(`${named(element)} is cut off`);
    }
  }
  return count;
}

function apart(a, b) {
  const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  // The box of a text is higher than its letters.
  return across <= SLACK || down <= 0.25 * Math.min(a.height, b.height);
}

// Every picture is drawn, its text inside of it, no text on another one.
function pictures(view, fail) {
  const found = view.document.querySelectorAll('svg[role="img"]');
  found.forEach((svg, number) => {
    const called = `picture ${number + 1} (${svg.querySelector("title")?.textContent.slice(0, 60)})`;
    const seen = svg.getBoundingClientRect();
    const inside = svg.getBBox();
    const room = svg.viewBox.baseVal;
    if (!room || !room.width || !room.height) return fail(`${called} has no viewBox`);
    if (!seen.width || !seen.height || !inside.width || !inside.height) return fail(`${called} is empty`);
    const left = (box) =>
      box.x < room.x - SLACK || box.y < room.y - SLACK ||
      box.x + box.width > room.x + room.width + SLACK || box.y + box.height > room.y + room.height + SLACK;
    for (const shape of svg.querySelectorAll("path, rect, line, polygon, polyline, circle")) {
      if (left(shape.getBBox())) fail(`${called}: ${named(shape)} lies outside of it`);
    }
    const texts = [...svg.querySelectorAll("text")].map((text) => [text, text.getBBox()]);
    texts.forEach(([text, box], n) => {
      if (left(box)) fail(`${called}: the text ${named(text)} lies outside of it`);
      for (const [other, its] of texts.slice(n + 1)) {
        if (!apart(box, its)) fail(`${called}: ${named(text)} and ${named(other)} lie on each other`);
      }
    });
  });
  return found.length;
}

function colour(text) {
  const parts = (text.match(/[\d.]+/g) || []).map(Number);
  return parts.length < 3 || parts[3] === 0 ? null : parts;
}

function light([r, g, b]) {
  const part = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

function contrast(a, b) {
  const [x, y] = [light(a), light(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function behind(element, view) {
  if (element.localName === "text") {
    const box = element.getBBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const under = (rect) => {
      const its = rect.getBBox();
      return its.x <= x && x <= its.x + its.width && its.y <= y && y <= its.y + its.height;
    };
    const before = (rect) => rect.compareDocumentPosition(element) & 4;
    const rects = [...element.ownerSVGElement.querySelectorAll("rect")];
    const rect = rects.filter((rect) => before(rect) && under(rect)).pop();
    if (rect) return colour(view.getComputedStyle(rect).fill);
  }
  for (let up = element; up; up = up.parentElement) {
    const found = colour(view.getComputedStyle(up).backgroundColor);
    if (found) return found;
  }
  return [255, 255, 255];
}

// Text can be read, lines can be seen.
function contrasts(view, fail) {
  let least = 21;
  for (const element of view.document.body.querySelectorAll("*")) {
    const style = view.getComputedStyle(element);
    const drawn = element.localName === "text";
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || (element.ownerSVGElement && !drawn) || !element.getClientRects().length) continue;
    const ink = colour(drawn ? style.fill : style.color);
    const ratio = ink ? contrast(ink, behind(element, view)) : 1;
    least = Math.min(least, ratio);
    if (ratio < 4.5) fail(`the contrast of ${named(element)} is ${ratio.toFixed(1)}, below 4.5`);
  }
  for (const line of view.document.querySelectorAll("svg .l")) {
    const ink = colour(view.getComputedStyle(line).stroke);
    const ratio = ink ? contrast(ink, behind(line.ownerSVGElement, view)) : 1;
    if (ratio < 3) fail(`the contrast of ${named(line)} is ${ratio.toFixed(1)}, below 3`);
  }
  return least.toFixed(1);
}

// Bars of a column begin at one place.
function bars(view, fail) {
  for (const table of view.document.querySelectorAll("table")) {
    for (const [at, head] of [...table.tHead?.rows[0]?.cells ?? []].entries()) {
      const drawn = [...table.tBodies[0].rows].map((row) => row.cells[at]?.querySelector(".meter")).filter(Boolean);
      const begins = drawn.map((bar) => bar.getBoundingClientRect().left);
      if (begins.length && Math.max(...begins) - Math.min(...begins) > SLACK) fail(`the bars of ${named(head)} begin at ${begins}`);
    }
  }
}

// A click on a heading sorts a table, a second one turns it round; a word leaves only rows with it.
function tables(view, fail) {
  let sorted = 0;
  for (const table of view.document.querySelectorAll("table.sorts")) {
    const rows = () => [...table.tBodies[0].rows];
    if (rows().length < 2) continue;
    const at = table.tHead.rows[0].cells.length - 1;
    const head = table.tHead.rows[0].cells[at];
    const before = rows().length;
    const text = () => rows().map((row) => row.cells[at].dataset.v ?? row.cells[at].textContent.trim());
    head.click();
    const up = text();
    head.click();
    const down = text();
    const numbers = up.every((value) => value !== "" && !Number.isNaN(Number(value)));
    const rises = up.every((value, n) => !n || (numbers ? Number(up[n - 1]) <= Number(value) : true));
    if (head.getAttribute("aria-sort") !== "descending") fail(`${named(head)} does not sort`);
    if (!rises || String([...up].sort()) !== String([...down].sort()) || rows().length !== before) {
      fail(`${named(head)} sorts wrongly: ${up} and ${down}`);
    }
    sorted += 1;
    const box = table.parentElement.previousElementSibling;
    if (!box || box.localName !== "input") continue;
    box.value = rows()[0].textContent.trim().slice(0, 8);
    box.dispatchEvent(new view.Event("input"));
    const word = box.value.toLowerCase();
    for (const row of rows()) {
      if (row.hidden === row.textContent.toLowerCase().includes(word)) fail(`${named(row)} is filtered wrongly`);
    }
    box.value = "";
    box.dispatchEvent(new view.Event("input"));
    if (rows().some((row) => row.hidden)) fail("a row stays hidden");
  }
  return sorted;
}

// Without scrolling one sees the answer, the load, the memory, and of the table of what decides the
// goal, a row and an interval.
function firstScreen(view, fail) {
  const seen = (element, what) => {
    if (!element) return fail(`${what} is not on the page`);
    const box = element.getBoundingClientRect();
    const [right, bottom] = [Math.round(box.right), Math.round(box.bottom)];
    if (right > view.innerWidth || bottom > view.innerHeight) fail(`${what} ends at ${right}, ${bottom}, off the first screen`);
  };
  const facts = [...view.document.querySelectorAll(".chips li")];
  const fact = (name, words) => facts.find((one) => one.textContent.startsWith(name) && words.test(one.textContent));
  const table = view.document.querySelector("table.deciding");
  seen(view.document.querySelector(".verdict p"), "the answer");
  seen(fact("load", /\d\/s/), "the load");
  seen(fact("memory", /./), "the memory");
  seen(table?.tBodies[0].rows[0].cells[0], "the best policy");
  const interval = [...(table?.querySelectorAll(".note") ?? [])].find((note) => / to /.test(note.textContent));
  seen(interval, "an interval");
  seen(interval?.closest("td").querySelector(".within"), "the line of an interval");
  const goal = table?.tHead.rows[0].cells[1];
  if (fact("goal", /./)) seen(goal, "the goal");
}

// Headings leave out no level.
function headings(view, fail) {
  let level = 0;
  for (const head of view.document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const own = Number(head.localName[1]);
    if (own > level + 1) fail(`${named(head)} is of level ${own} below level ${level}`);
    level = own;
  }
}

function look(view, width, scheme) {
  const name = `${width} ${scheme}`;
  const fail = (text) => say("fail", name, text);
  const dark = scheme === "dark";
  if (view.innerWidth !== width) fail(`the window is ${view.innerWidth} wide`);
  if (view.matchMedia("(prefers-color-scheme: dark)").matches !== dark) fail("the colour scheme is another one");
  for (const entry of view.performance.getEntriesByType("resource")) fail(`it loads ${entry.name}`);
  for (const element of view.document.querySelectorAll("[src], [srcset], link[href], object[data], use")) {
    fail(`${named(element)} takes something from elsewhere`);
  }
  const height = view.document.documentElement.scrollHeight;
  headings(view, fail);
  if (FIRST_SCREEN && scheme !== "print") firstScreen(view, fail);
  // As it opens, then with everything unfolded.
  if (view.document.querySelector("details")) widths(view, fail);
  const folds = scheme === "print" ? "details:not(.fold)" : "details";
  for (const fold of view.document.querySelectorAll(folds)) fold.open = true;
  const elements = widths(view, fail);
  const drawn = pictures(view, fail);
  bars(view, fail);
  const least = contrasts(view, fail);
  const sorted = tables(view, fail);
  say("ok", name, `window ${view.innerWidth} wide, page ${view.document.documentElement.scrollWidth}; ${elements} elements, ${drawn} pictures, ${sorted} tables sort, contrast at least ${least}`);
  say("height", name, String(height));
}

const views = VIEWS.map(([width, scheme]) => {
  const frame = document.createElement("iframe");
  const shown = scheme === "dark" ? "dark" : "light";
  frame.style.cssText = `width:${width}px;height:800px;border:0;display:block;color-scheme:${shown}`;
  return new Promise((resolve) => {
    frame.onload = () => {
      try {
        look(frame.contentWindow, width, scheme);
      } catch (error) {
        say("fail", `${width} ${scheme}`, `it cannot be looked at: ${error}`);
      }
      resolve();
    };
    frame.srcdoc = scheme === "print" ? PAGE.replaceAll("@media print", "@media all") : PAGE;
    document.body.append(frame);
  });
});
Promise.all(views).then(() => {
  // Only the findings are to be printed.
  document.body.replaceChildren(document.createElement("pre"));
  document.querySelector("pre").textContent = ["begin", ...lines, "end"].join("\n");
});
