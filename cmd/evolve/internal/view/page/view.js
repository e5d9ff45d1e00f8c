// What the pages add with script: the matrix as one table to scroll and to move in by keyboard, and
// live figures. Every page works without it.
"use strict";

// Live figures of the run that is on, every two seconds while the page is visible.
for (const box of document.querySelectorAll("[data-live]")) {
  const state = box.querySelector("[data-state]");
  const items = new Map([...box.querySelectorAll("[data-agent]")].map((li) => [li.dataset.agent, li]));
  let failures = 0;
  const put = (e, words) => { if (e && e.textContent !== words) e.textContent = words; };
  const look = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(box.dataset.live, { cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        const now = await answer.json();
        failures = 0;
        if (now.run !== box.dataset.run) {
          put(state, "This night has ended. Reload the page for its result.");
          return;
        }
        put(state, "");
        put(box.querySelector("[data-limits]"), now.limits);
        for (const a of now.agents) {
          const li = items.get(a.agent);
          if (!li) continue;
          const bar = li.querySelector("progress");
          bar.max = a.most;
          bar.value = a.done;
          put(li.querySelector("[data-words]"), a.words);
        }
      } catch {
        if (++failures > 2) put(state, "The server does not answer; the figures may be old.");
      }
    }
    setTimeout(look, failures > 2 ? 10000 : 2000);
  };
  setTimeout(look, 2000);
}

// figure writes a score as the pages do.
const figure = (x) => x.toFixed(3).replace(/^0/, "");

// The matrix. Only the cells in view are elements, and they are used again for others; figures come
// in tiles of at most 100 × 100.
class Grid {
  static tile = 100;
  static tiles = 80;
  static fixed = [
    { title: "variant", sort: "number", width: 4.5 }, { title: "pick", width: 3 },
    { title: "search", sort: "search", width: 4 }, { title: "holdout", sort: "holdout", width: 4.5 },
    { title: "runs", sort: "evaluations", width: 4 },
  ];

  constructor(place) {
    this.place = place;
    this.agent = place.dataset.agent;
    this.rows = Number(place.dataset.rows);
    this.columns = Number(place.dataset.columns);
    this.unread = Number(place.dataset.unread);
    this.query = new URLSearchParams(place.dataset.query);
    this.cache = new Map();
    this.asked = new Map();
    this.names = [];
    this.picked = [];
    this.at = { r: 0, c: 0 };
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.high = Math.round(1.75 * rem);
    this.head = Math.round(2 * rem);
    this.wide = Math.round(5 * rem);
    this.lefts = [];
    let left = 0;
    for (const f of Grid.fixed) { this.lefts.push(left); left += Math.round(f.width * rem); }
    this.left = left;
    this.build(rem);
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.box.addEventListener("scroll", () => this.later(), { passive: true });
    this.box.addEventListener("keydown", (e) => this.key(e));
    this.box.addEventListener("click", (e) => this.click(e));
    this.box.addEventListener("focusin", (e) => { if (e.target.at) this.look(e.target); });
    if (this.unread > 0) this.wait();
  }

  get width() { return this.left + this.columns * this.wide; }
  get cols() { return Grid.fixed.length + this.columns; }

  element(kind, role, parent) {
    const e = document.createElement("div");
    e.className = kind;
    e.setAttribute("role", role);
    parent.append(e);
    return e;
  }

  build(rem) {
    this.rem = rem;
    const box = document.createElement("div");
    box.className = "grid";
    box.setAttribute("role", "grid");
    box.setAttribute("aria-label", "Variants by tasks");
    box.setAttribute("aria-multiselectable", "true");
    box.setAttribute("aria-describedby", "matrix-about");
    this.box = box;
    this.size = document.createElement("div");
    this.size.className = "grid-size";
    this.size.setAttribute("role", "presentation");
    this.headRow = this.element("grid-head", "row", box);
    this.headRow.setAttribute("aria-rowindex", "1");
    box.append(this.size);
    this.headFixed = Grid.fixed.map((f, c) => {
      const e = this.cell(this.headRow, "columnheader", c);
      e.textContent = f.title;
      e.at = { r: -1, c };
      this.sorted(e, f.sort);
      return e;
    });
    this.headCells = [];
    this.pool = [];
    this.detail = document.createElement("p");
    this.detail.className = "note detail";
    this.detail.id = "grid-detail";
    this.place.replaceChildren(box, this.detail);
    const keys = document.getElementById("matrix-keys");
    if (keys) keys.hidden = false;
    this.measure();
  }

  // measure sets what depends on the numbers of rows and columns.
  measure() {
    this.box.setAttribute("aria-rowcount", String(this.rows + 1));
    this.box.setAttribute("aria-colcount", String(this.cols));
    this.size.style.width = this.width + "px";
    this.size.style.height = this.head + this.rows * this.high + "px";
    this.headRow.style.width = this.width + "px";
    for (const row of this.pool) row.element.style.width = this.width + "px";
  }

  cell(row, role, c) {
    const fixed = c < Grid.fixed.length;
    const e = this.element("grid-cell" + (fixed ? " grid-fixed" : "") + (c === 0 ? " first" : ""), role, row);
    e.tabIndex = -1;
    if (fixed) {
      e.style.left = this.lefts[c] + "px";
      e.style.width = Math.round(Grid.fixed[c].width * this.rem) + "px";
      e.setAttribute("aria-colindex", String(c + 1));
    }
    return e;
  }

  // sorted marks a header by the order of the rows.
  sorted(e, key) {
    const now = (this.query.get("sort") || "number") === key;
    e.classList.toggle("sorted", now);
    if (!key) return;
    e.setAttribute("aria-sort", now ? (this.query.get("desc") ? "descending" : "ascending") : "none");
  }

  // resize makes as many elements as are in view.
  resize() {
    const rows = Math.min(this.rows, Math.ceil(this.box.clientHeight / this.high) + 3);
    const cells = Math.min(this.columns, Math.ceil(this.box.clientWidth / this.wide) + 2);
    if (rows !== this.pool.length || cells !== this.headCells.length) {
      for (const row of this.pool) row.element.remove();
      for (const e of this.headCells) e.remove();
      this.headCells = Array.from({ length: cells }, () => this.cell(this.headRow, "columnheader", Grid.fixed.length));
      this.pool = Array.from({ length: rows }, () => {
        const element = this.element("grid-row", "row", this.box);
        element.style.width = this.width + "px";
        return {
          element, r: -1,
          fixed: Grid.fixed.map((_, c) => this.cell(element, c === 0 ? "rowheader" : "gridcell", c)),
          cells: Array.from({ length: cells }, () => this.cell(element, "gridcell", Grid.fixed.length)),
        };
      });
    }
    this.draw(true);
  }

  later() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.draw(false); });
  }

  // draw puts the rows and columns in view into the elements; all of them, or those that changed.
  draw(all) {
    const first = Math.max(0, Math.min(Math.floor(this.box.scrollTop / this.high) - 1, this.rows - this.pool.length));
    const left = Math.max(0, Math.min(Math.floor(this.box.scrollLeft / this.wide) - 1, this.columns - this.headCells.length));
    const moved = all || left !== this.drawn?.left;
    if (!moved && first === this.drawn?.first) return;
    const had = document.activeElement?.at && this.box.contains(document.activeElement);
    this.drawn = { first, left };
    const n = this.pool.length, m = this.headCells.length;
    if (moved) {
      for (let c = left; c < left + m; c++) {
        const e = this.headCells[c % m];
        this.put(e, -1, Grid.fixed.length + c);
        const task = this.names[c];
        const words = task ? task.short : "…";
        if (e.textContent !== words) e.textContent = words;
        e.title = task ? task.name : "";
        e.setAttribute("aria-label", task ? task.name : "not read yet");
        this.sorted(e, task ? "task:" + task.key : undefined);
      }
    }
    for (let r = first; r < first + n; r++) {
      const row = this.pool[r % n];
      const fresh = all || row.r !== r;
      if (!fresh && !moved) continue;
      const tile = Math.floor(r / Grid.tile);
      if (fresh) {
        row.r = r;
        row.element.style.transform = "translateY(" + (this.head + r * this.high) + "px)";
        row.element.setAttribute("aria-rowindex", String(r + 2));
        this.fill(row, this.rowOf(r, left));
      }
      for (let c = left; c < left + m; c++) {
        const e = row.cells[c % m];
        if (!fresh && e.at && e.at.c === Grid.fixed.length + c && e.full) continue;
        this.put(e, r, Grid.fixed.length + c);
        this.score(e, this.cache.get(tile + "/" + Math.floor(c / Grid.tile)), r, c);
      }
    }
    this.want(first, left);
    this.rove(had);
  }

  put(e, r, c) {
    if (e.at && e.at.c === c) { e.at.r = r; return; }
    e.at = { r, c };
    e.style.left = this.left + (c - Grid.fixed.length) * this.wide + "px";
    e.setAttribute("aria-colindex", String(c + 1));
  }

  score(e, tile, r, c) {
    const found = tile?.rows[r % Grid.tile]?.cells[c % Grid.tile];
    e.full = Boolean(found);
    let words = "", kind = "grid-cell";
    if (!found) words = "…";
    else if (found.r > 0) { words = figure(found.s); kind += " s" + Math.round(10 * found.s); }
    else if (found.m > 0) words = "×";
    if (e.firstChild) { if (e.firstChild.data !== words) e.firstChild.data = words; } else e.textContent = words || "";
    if (e.className !== kind) e.className = kind;
  }

  // rowOf returns a row from any of its tiles.
  rowOf(r, left) {
    const tile = Math.floor(r / Grid.tile);
    const found = this.cache.get(tile + "/" + Math.floor(left / Grid.tile)) || this.cache.get(tile + "/" + (Math.floor(left / Grid.tile) + 1)) || this.cache.get(tile + "/0");
    return found?.rows[r % Grid.tile];
  }

  fill(row, found) {
    const mean = (x) => (x === null || x === undefined ? "–" : figure(x));
    const picked = found ? this.picked.includes(found.n) : false;
    const words = found ? ["v" + found.n, picked ? "■" : "□", mean(found.search), mean(found.holdout), String(found.evaluations)] : ["…", "", "", "", ""];
    row.data = found;
    row.element.setAttribute("aria-selected", String(picked));
    row.fixed.forEach((e, c) => {
      e.at = { r: row.r, c };
      if (e.textContent !== words[c]) e.textContent = words[c];
    });
    row.fixed[1].setAttribute("aria-label", found ? (picked ? "picked" : "not picked") : "not read yet");
  }

  // rove lets exactly one element be reached by Tab: the cell of the position, or the box.
  rove(had) {
    const e = this.find(this.at.r, this.at.c);
    if (this.tab && this.tab !== e) this.tab.tabIndex = -1;
    this.tab = e || this.box;
    this.tab.tabIndex = 0;
    if (had && document.activeElement !== e) (e || this.box).focus({ preventScroll: true });
  }

  find(r, c) {
    const of = (list, at) => list[at % list.length];
    const fixed = c < Grid.fixed.length;
    let e;
    if (r < 0) e = fixed ? this.headFixed[c] : of(this.headCells, c - Grid.fixed.length);
    else {
      const row = of(this.pool, r);
      e = row && (fixed ? row.fixed[c] : of(row.cells, c - Grid.fixed.length));
    }
    return e && e.at && e.at.r === r && e.at.c === c ? e : undefined;
  }

  go(r, c) {
    r = Math.max(-1, Math.min(this.rows - 1, r));
    c = Math.max(0, Math.min(this.cols - 1, c));
    this.at = { r, c };
    const { box } = this;
    if (r >= 0) {
      const top = r * this.high, view = box.clientHeight - this.head;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + this.high > box.scrollTop + view) box.scrollTop = top + this.high - view;
    }
    if (c >= Grid.fixed.length) {
      const still = getComputedStyle(this.headFixed[1]).position === "sticky" ? this.left : this.lefts[1];
      const x = this.left + (c - Grid.fixed.length) * this.wide;
      if (x < box.scrollLeft + still) box.scrollLeft = x - still;
      else if (x + this.wide > box.scrollLeft + box.clientWidth) box.scrollLeft = x + this.wide - box.clientWidth;
    } else box.scrollLeft = 0;
    this.draw(false);
    this.rove(false);
    this.tab.focus({ preventScroll: true });
  }

  key(e) {
    if (e.altKey || e.metaKey) return;
    const { r, c } = this.at;
    const page = Math.max(1, Math.floor((this.box.clientHeight - this.head) / this.high) - 1);
    const far = e.ctrlKey;
    const moves = {
      ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1],
      PageUp: [Math.max(0, r - page), c], PageDown: [r + page, c],
      Home: [far ? 0 : r, 0], End: [far ? this.rows - 1 : r, this.cols - 1],
    };
    if (moves[e.key]) this.go(...moves[e.key]);
    else if (e.key === "Enter" && !far) this.open(r, c);
    else if (e.key === " " && !far) this.pick(r);
    else if ((e.key === "s" || e.key === "S") && !far) this.sort(c);
    else return;
    e.preventDefault();
  }

  click(e) {
    const cell = e.target.closest(".grid-cell");
    if (!cell?.at) return;
    this.at = { ...cell.at };
    const { r, c } = this.at;
    this.go(r, c);
    if (r < 0) this.sort(c);
    else if (c === 1) this.pick(r);
    else if (c === 0 || c >= Grid.fixed.length) this.open(r, c);
  }

  dataOf(r) { return this.rowOf(r, this.drawn?.left || 0); }

  open(r, c) {
    const row = r >= 0 && this.dataOf(r);
    if (r < 0) return this.sort(c);
    if (!row) return undefined;
    const to = new URLSearchParams({ agent: this.agent, v: "v" + row.n });
    if (c < Grid.fixed.length) { location.assign("/variant?" + to); return undefined; }
    const task = this.names[c - Grid.fixed.length];
    if (task) { to.set("task", task.key); location.assign("/cell?" + to); }
    return undefined;
  }

  sort(c) {
    const task = this.names[c - Grid.fixed.length];
    const key = c < Grid.fixed.length ? Grid.fixed[c].sort : task && "task:" + task.key;
    if (!key) return;
    const now = (this.query.get("sort") || "number") === key;
    const down = now ? !this.query.get("desc") : key !== "number";
    this.query.set("sort", key);
    if (down) this.query.set("desc", "1"); else this.query.delete("desc");
    history.replaceState(null, "", "/matrix?" + this.query);
    this.headFixed.forEach((e, i) => this.sorted(e, Grid.fixed[i].sort));
    this.again();
    this.box.scrollTop = 0;
    this.say("Sorted by " + (task && c >= Grid.fixed.length ? task.name : Grid.fixed[c].title) + (down ? ", the highest first" : ", the lowest first"));
  }

  pick(r) {
    const row = r >= 0 && this.dataOf(r);
    if (!row) return;
    const at = this.picked.indexOf(row.n);
    if (at >= 0) this.picked.splice(at, 1); else this.picked.push(row.n);
    if (this.picked.length > 2) this.picked.shift();
    const form = document.getElementById("pair");
    form.elements.a.value = this.picked[0] ? "v" + this.picked[0] : "";
    form.elements.b.value = this.picked[1] ? "v" + this.picked[1] : "";
    this.draw(true);
    this.say(this.picked.length === 2 ? `v${this.picked[0]} and v${this.picked[1]} are picked to compare` : this.picked.length ? `v${this.picked[0]} is picked; pick another to compare` : "nothing is picked");
  }

  // look describes the cell with the focus, below the table and for screen readers.
  look(e) {
    const { r, c } = e.at;
    this.at = { r, c };
    if (this.tab && this.tab !== e) this.tab.tabIndex = -1;
    this.tab = e;
    e.tabIndex = 0;
    const row = r >= 0 && this.dataOf(r);
    const task = this.names[c - Grid.fixed.length];
    if (r < 0 || !row || c < Grid.fixed.length) {
      this.detail.textContent = r < 0 && task ? "task " + task.name + ", " + task.split : row ? `v${row.n}, ${row.operator}` : "";
      return;
    }
    const found = this.cache.get(Math.floor(r / Grid.tile) + "/" + Math.floor((c - Grid.fixed.length) / Grid.tile))?.rows[r % Grid.tile]?.cells[(c - Grid.fixed.length) % Grid.tile];
    const runs = !found ? "not read yet" : found.r > 0 ? `${figure(found.s)} over ${found.r} run${found.r === 1 ? "" : "s"}, ${found.p} passed` : found.m > 0 ? "missing data" : "no run";
    const words = `v${row.n} on ${task ? task.name + ", " + task.split : "…"}: ${runs}${found?.m && found.r ? `, ${found.m} missing` : ""}`;
    this.detail.textContent = words;
    e.setAttribute("aria-describedby", "grid-detail");
  }

  say(words) { this.detail.textContent = words; this.detail.setAttribute("role", "status"); }

  // want asks for the tiles in view that are not there, at most four at once.
  want(first, left) {
    const t = Grid.tile;
    for (let r = Math.floor(first / t); r <= Math.floor((first + this.pool.length) / t) && r * t < this.rows; r++) {
      for (let c = Math.floor(left / t); c <= Math.floor((left + Math.max(1, this.headCells.length)) / t) && (c * t < this.columns || c === 0); c++) {
        const key = r + "/" + c;
        if (!this.cache.has(key) && !this.asked.has(key) && this.asked.size < 4) this.ask(key, r, c);
      }
    }
  }

  async ask(key, r, c) {
    const t = Grid.tile, query = this.query;
    const stop = new AbortController();
    this.asked.set(key, stop);
    const ask = new URLSearchParams(query);
    for (const [name, value] of [["offset", r * t], ["limit", t], ["column", c * t], ["columns", t]]) ask.set(name, String(value));
    let pause = 0;
    try {
      const answer = await fetch("/window.json?" + ask, { signal: stop.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      const part = await answer.json();
      if (this.asked.get(key) !== stop) return;
      part.tasks.forEach((task, i) => {
        this.names[c * t + i] = { key: task.id, short: part.names[i], name: part.titles[i], split: task.split };
      });
      this.keep(key, { rows: part.variants });
      if (part.rows !== this.rows || part.columns !== this.columns) {
        this.rows = part.rows;
        this.columns = part.columns;
        this.measure();
        this.count();
        setTimeout(() => this.resize());
      }
      this.reading(part);
    } catch (e) {
      if (e.name === "AbortError") return;
      pause = 2000;
      this.say("The server does not answer.");
    } finally {
      if (this.asked.get(key) === stop) setTimeout(() => { this.asked.delete(key); this.draw(true); }, pause);
    }
  }

  keep(key, tile) {
    this.cache.set(key, tile);
    if (this.cache.size > Grid.tiles) this.cache.delete(this.cache.keys().next().value);
  }

  count() {
    const e = document.getElementById("matrix-count");
    const of = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
    if (e) e.textContent = of(this.rows, "variant") + " × " + of(this.columns, "task");
  }

  // again asks for everything anew.
  again() {
    for (const stop of this.asked.values()) stop.abort();
    this.asked.clear();
    this.cache.clear();
    this.names = [];
    this.draw(true);
  }

  reading(part) {
    this.unread = part.total - part.read;
    const note = document.getElementById("matrix-reading");
    if (note) note.textContent = this.unread > 0 ? `${part.read.toLocaleString("en")} of ${part.total.toLocaleString("en")} evaluations are read; the figures are of these.` : "";
  }

  // wait asks again while the server reads.
  wait() {
    setTimeout(() => {
      const more = this.unread > 0;
      this.again();
      if (more) this.wait();
    }, 1500);
  }
}

const place = document.getElementById("grid");
if (place && Number(place.dataset.rows) > 0) new Grid(place);
