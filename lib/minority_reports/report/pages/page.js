// Theme, filter, sorting and enlarged figures. Without any of it the pages can still be read.
"use strict";

// A page opened from a disk may be refused storage: a choice then lasts as long as the page.
function recall(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* nothing to be done */ }
}

// Before the page is drawn, or it would flash in the other colours.
const root = document.documentElement;
if (["light", "dark"].includes(recall("theme"))) root.dataset.theme = recall("theme");

function offerThemes(button) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const other = () => ((root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark");
  const label = () => { button.textContent = other() === "dark" ? "Dark mode" : "Light mode"; };
  button.addEventListener("click", () => {
    root.dataset.theme = other();
    remember("theme", root.dataset.theme);
    label();
  });
  dark.addEventListener("change", label);
  label();
  button.hidden = false;
}

// Shows the elements of class "item" that fit all fields of the form and hold all words searched.
// What was chosen is in the address, "#paper=damvi&verdict=partly", so that it can be passed on.
function offerFilter(form) {
  const items = [...document.querySelectorAll(".item")];
  const texts = new Map(items.map((item) => [item, (item.dataset.search ?? item.textContent).toLowerCase()]));
  const kinds = [...new Set(items.map((item) => item.dataset.kind))];
  const status = form.querySelector("[role=status]");
  const fields = [...form.elements].filter((field) => field.name);
  function apply() {
    const { search, ...chosen } = Object.fromEntries(new FormData(form));
    const words = search.toLowerCase().split(/\s+/);
    const fits = (item) =>
      Object.entries(chosen).every(([name, value]) => !value || (item.dataset[name] ?? value) === value) &&
      words.every((word) => texts.get(item).includes(word));
    for (const item of items) item.hidden = !fits(item);
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = !group.querySelector(".item:not([hidden])");
    }
    status.textContent = kinds.map((kind) => {
      const all = items.filter((item) => item.dataset.kind === kind);
      return `${all.filter((item) => !item.hidden).length} of ${all.length} ${kind}`;
    }).join(", ");
  }
  function change() {
    apply();
    const chosen = new URLSearchParams(fields.filter((f) => f.value.trim()).map((f) => [f.name, f.value]));
    const place = location.href.split("#")[0];
    // a browser may refuse it, to pages on a disk or after too many letters
    try { history.replaceState(null, "", chosen.size ? `#${chosen}` : place); } catch { /* as it was */ }
  }
  function choose(chosen) {
    for (const field of fields) field.value = chosen.get(field.name) ?? "";
    apply();
  }
  // An address names what is chosen, or one claim, figure or table: that is shown in any case.
  function follow() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = document.getElementById(name);
    if (name.includes("=")) {
      choose(new URLSearchParams(location.hash.slice(1)));
      form.nextElementSibling.scrollIntoView();
    } else if (!name) {
      choose(new URLSearchParams());
    } else if (target) {
      if (target.hidden) choose(new URLSearchParams());
      for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
      target.scrollIntoView();
    }
  }
  form.addEventListener("input", change);
  form.addEventListener("change", change); // all that some tools send for a list
  form.addEventListener("reset", () => setTimeout(change)); // the fields are emptied after the event
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  form.hidden = false;
  apply(); // browsers keep fields when a page is loaded again
  if (location.hash) follow();
}

const words = new Intl.Collator("en", { numeric: true });

// A dash, perhaps with how many folds are there.
const isGap = (text) => !text || /^–( |$)/.test(text);

// A cell as it is compared: null for a gap, its first number where all of a column are numbers.
function keysOf(cells) {
  const texts = cells.map((cell) => cell.textContent.trim());
  const filled = texts.filter((text) => !isGap(text));
  const number = /^[-+]?\d[\d,]*(\.\d+)?(?![\w.-])/;
  const numeric = filled.every((text) => number.test(text));
  const key = (text) => (numeric ? Number(number.exec(text)[0].replaceAll(",", "")) : text);
  return texts.map((text) => (isGap(text) ? null : key(text)));
}

function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null); // gaps stay at the end
  return sign * (typeof a === "number" ? a - b : words.compare(a, b));
}

// A line across a table parts it, as means from what they are means of: each part is sorted alone.
function partsOf(rows) {
  const parts = [];
  for (const row of rows) {
    const line = getComputedStyle(row.cells[0]).borderTopStyle !== "none";
    if (line || !parts.length) parts.push([]);
    parts.at(-1).push(row);
  }
  return parts;
}

function sortBy(table, heads, column, direction, parts) {
  const sign = direction === "descending" ? -1 : 1;
  for (const part of parts) {
    let sorted = part;
    if (direction) {
      const keys = keysOf(part.map((row) => row.cells[column]));
      const order = [...part.keys()].sort((i, j) => compare(keys[i], keys[j], sign) || i - j);
      sorted = order.map((i) => part[i]);
    }
    table.tBodies[0].append(...sorted);
  }
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  if (direction) heads[column].setAttribute("aria-sort", direction);
}

// Headers become buttons: up, down, and back to the order that the table came in.
function offerSorting(table) {
  const heads = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const plain = rows.every((row) => row.cells.length === heads.length);
  if (rows.length < 2 || !plain) return; // cells that span rows must stay where they are
  let parts;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    if (head.textContent.trim()) button.append(...head.childNodes);
    else button.setAttribute("aria-label", "Sort by name");
    button.addEventListener("click", () => {
      parts ??= partsOf(rows);
      const next = { ascending: "descending", descending: "" };
      sortBy(table, heads, column, next[head.getAttribute("aria-sort")] ?? "ascending", parts);
    });
    head.replaceChildren(button);
  });
}

// A dialog of the browser's own: it closes by Escape and gives the focus back.
function offerEnlarging(links) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Enlarged figure");
  dialog.innerHTML = '<button type="button">Close</button><img alt=""><p aria-hidden="true"></p>';
  const [button, image, caption] = dialog.children;
  button.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  for (const link of links) {
    link.setAttribute("aria-haspopup", "dialog");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // asks for the file itself
      event.preventDefault();
      image.src = link.href;
      image.alt = caption.textContent = link.querySelector("img").alt;
      dialog.showModal();
    });
  }
}

document.addEventListener("DOMContentLoaded", () => {
  offerThemes(document.getElementById("theme"));
  const form = document.getElementById("filter");
  if (form) offerFilter(form);
  document.querySelectorAll("main table").forEach(offerSorting);
  const links = document.querySelectorAll("a.enlarge");
  if (links.length) offerEnlarging(links);
});
