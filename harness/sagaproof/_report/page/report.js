"use strict";
// Without this script all of the page can be read; with it, it can be searched, filtered and walked.
const root = document.documentElement;
root.classList.add("js");

// --- light and dark: as the system has it, until the reader says otherwise ---------------------------------

const THEMES = ["auto", "light", "dark"];
const KEPT = "sagaproof-theme";

function keptTheme() {
  try {
    return THEMES.includes(localStorage.getItem(KEPT)) ? localStorage.getItem(KEPT) : "auto";
  } catch {
    return "auto"; // a page from a file may keep nothing
  }
}

function showTheme(theme) {
  root.dataset.theme = theme;
  for (const now of document.querySelectorAll("#theme .now")) now.textContent = theme;
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // then it holds for as long as the page is open
  }
}

function nextTheme() {
  showTheme(THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length]);
}

showTheme(keptTheme());

// --- findings: search and filters --------------------------------------------------------------------------

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const texts = new WeakMap();

function textOf(element) {
  if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
  return texts.get(element);
}

function wanted(card, words, filters) {
  const fits = filters.every(({ key, value }) => [JSON.parse(card.dataset[key])].flat().includes(value));
  return fits && words.every((word) => textOf(card).includes(word));
}

function filter() {
  const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const filters = all(".finder select").filter((one) => one.value);
  const chosen = filters.map((one) => ({ key: one.dataset.key, value: one.value }));
  const cards = all(".card");
  for (const card of cards) card.classList.toggle("out", !wanted(card, words, chosen));
  const rows = all(".grid tbody");
  for (const row of rows) row.classList.toggle("out", !words.every((word) => textOf(row).includes(word)));
  const any = rows.some((row) => !row.classList.contains("out"));
  if (!any) for (const row of rows) row.classList.remove("out"); // what was sought is no step
  const busy = words.length + chosen.length > 0;
  document.getElementById("clear").hidden = !busy;
  const left = cards.filter((card) => !card.classList.contains("out")).length;
  document.getElementById("shown").textContent = busy ? `${left} of ${cards.length} cards` : "";
}

function clear() {
  document.getElementById("search").value = "";
  for (const one of all(".finder select")) one.value = "";
  filter();
}

// --- findings: open, close, go to ---------------------------------------------------------------------------

const visible = () => all(".card:not(.out)");

function unfold() {
  const cards = visible();
  const open = cards.some((card) => !card.open);
  for (const card of cards) card.open = open;
}

function nameUnfold() {
  const button = document.getElementById("unfold");
  if (button) button.textContent = visible().some((card) => !card.open) ? "open all" : "close all";
}

function step(by) {
  const cards = visible();
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  const next = here < 0 ? (by > 0 ? 0 : cards.length - 1) : Math.min(cards.length - 1, Math.max(0, here + by));
  if (!cards[next]) return;
  const summary = cards[next].querySelector("summary");
  summary.focus();
  summary.scrollIntoView({ block: "start" });
}

function goTo(target) {
  const card = target.closest(".card");
  if (card) {
    if (card.classList.contains("out")) clear();
    card.open = true;
    (target === card ? card.querySelector("summary") : target).focus({ preventScroll: true });
  } else if (target.matches(".cell")) {
    if (target.closest("tbody").classList.contains("out")) clear();
    enter(target);
  }
  target.scrollIntoView({ block: target.matches(".cell") ? "center" : "start" });
}

function followHash() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target) goTo(target);
}

// --- the grid: one stop of the tab key, then arrows ----------------------------------------------------------

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function prepareGrid(grid) {
  grid.setAttribute("role", "grid");
  for (const link of all("td a", grid)) link.tabIndex = -1;
  const first = grid.querySelector("td.cell");
  if (first) first.tabIndex = 0;
}

function enter(cell) {
  for (const other of all("td[tabindex='0']", cell.closest(".grid"))) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus({ preventScroll: true });
  tellOf(cell);
}

// A step spans its rows, so that cells are counted from the right.
const fromRight = (cell) => cell.parentElement.cells.length - cell.cellIndex;

function neighbour(cell, [down, right]) {
  const rows = all("tbody:not(.out) tr", cell.closest(".grid"));
  let row = rows.indexOf(cell.parentElement);
  let column = fromRight(cell);
  for (;;) {
    row += down;
    column -= right;
    const next = rows[row] && rows[row].cells[rows[row].cells.length - column];
    if (!next || next.tagName !== "TD") return null;
    if (next.matches(".cell")) return next;
  }
}

function nameOf(cell) {
  const row = cell.parentElement;
  const heads = cell.closest(".grid").tHead.rows[1].cells;
  const fault = heads[heads.length - fromRight(cell)].textContent;
  return `${row.dataset.step}, ${row.querySelector("th.for").textContent.trim()}, ${fault}`;
}

function link(text, anchor) {
  const made = document.createElement("a");
  made.href = `#${anchor}`;
  made.textContent = text;
  return made;
}

function tellOf(cell) {
  const panel = cell.closest(".scroll").nextElementSibling;
  const name = document.createElement("b");
  name.textContent = nameOf(cell);
  panel.replaceChildren(name, ` ${cell.title.replace("\n", "; ")} `);
  for (const anchor of (cell.dataset.findings || "").split(" ").filter(Boolean)) {
    const check = document.getElementById(anchor).querySelector(".slug").textContent;
    panel.append(link(check, anchor), " ");
  }
  if (cell.dataset.instead) panel.append(link("to that cell", cell.dataset.instead));
  panel.hidden = false;
}

function walk(event) {
  const cell = event.target.closest("td.cell");
  if (!cell) return;
  const next = STEPS[event.key] && neighbour(cell, STEPS[event.key]);
  if (STEPS[event.key]) event.preventDefault();
  if (next) {
    enter(next);
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  if (event.key === "Enter" && event.target === cell) cell.querySelector("a")?.click();
}

function onlyState(button) {
  const grid = button.closest(".scenario").querySelector(".grid");
  const on = button.getAttribute("aria-pressed") !== "true";
  for (const other of all(".state", button.parentElement)) other.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-pressed", String(on));
  for (const cell of all("td.cell", grid)) {
    cell.classList.toggle("faint", on && !cell.classList.contains(button.dataset.state));
  }
}

// --- copying, printing, keys ----------------------------------------------------------------------------------

async function copy(button) {
  const text = button.previousElementSibling;
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(text); // Ctrl-C does the rest
    button.textContent = "marked";
  }
  setTimeout(() => (button.textContent = "copy"), 2000);
}

let closed = [];
addEventListener("beforeprint", () => {
  closed = all("details:not([open])");
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of closed) one.open = false;
});

const KEYS = {
  "/": () => document.getElementById("search")?.focus(),
  "?": () => document.getElementById("keys").showModal(),
  j: () => step(1),
  k: () => step(-1),
  e: unfold,
  t: nextTheme,
  Escape: () => document.getElementById("search") && clear(),
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("keys").open) return;
  const typing = event.target.matches("input, select, textarea");
  if (!KEYS[event.key] || (typing && event.key !== "Escape")) return;
  event.preventDefault();
  KEYS[event.key]();
  if (typing) event.target.blur();
}

function click(event) {
  const anchor = event.target.closest("a[href^='#']");
  if (anchor && anchor.getAttribute("href") === location.hash) followHash(); // no change of it, no event
  const cell = event.target.closest("td.cell");
  if (cell && !anchor) enter(cell);
  const button = event.target.closest("button");
  if (button?.matches(".copier")) copy(button);
  if (button?.matches(".state")) onlyState(button);
}

addEventListener("DOMContentLoaded", () => {
  showTheme(root.dataset.theme);
  for (const grid of all(".grid")) prepareGrid(grid);
  document.getElementById("theme").addEventListener("click", nextTheme);
  document.getElementById("keys-button").addEventListener("click", KEYS["?"]);
  document.getElementById("search")?.addEventListener("input", filter);
  for (const one of all(".finder select")) one.addEventListener("change", filter);
  document.getElementById("unfold")?.addEventListener("click", unfold);
  document.getElementById("clear")?.addEventListener("click", clear);
  document.addEventListener("toggle", nameUnfold, true);
  document.addEventListener("click", click);
  document.addEventListener("keydown", press);
  document.addEventListener("keydown", walk);
  addEventListener("hashchange", followHash);
  followHash();
});
