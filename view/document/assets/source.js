// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of a source file.  Only the lines that are visible are elements, so that files of 200,000 lines open at once.
//
// s/NUMBER.js has
//   text, lines: [line, count, ...] with the count -1: not known whether it ran, -2: not counted
//   decisions: [line, condition, half-taken, outcome, count, ...]   count -1: not known
//   calls: [line, callee, function or -1, count]
//   functions: [number, name, line of the definition or 0, first, last, entries, paths that ran, possible, doubt, has a page]
"use strict";
(() => {
  const root = document.querySelector("#source");
  if (!root) return;
  const {loadFunction, loadSource, element, thousands, plural, outcomeClass, rowsOf, goesThrough, PathList} = Waymark;
  const HEIGHT = 20, MARGIN = 30, MOST_FUNCTIONS = 20;
  const outcomeCount = (text, count) => (text || "otherwise") + (/^(true|false)$/.test(text) ? " " : ": ") + (count === -1 ? "not known" : thousands(count));
  const group = (list, key) => {
    const map = new Map();
    for (const item of list) map.has(key(item)) ? map.get(key(item)).push(item) : map.set(key(item), [item]);
    return map;
  };

  class Page {
    constructor(data) {
      this.data = data;
      this.number = data.source;
      this.text = data.text.split("\n");
      if (this.text[this.text.length - 1] === "") this.text.pop();
      this.count = new Map();
      for (let i = 0; i < data.lines.length; i += 2) this.count.set(data.lines[i], data.lines[i + 1]);
      this.most = 1;
      this.count.forEach(count => this.most = Math.max(this.most, Number(count)));
      const last = data.lines.length ? data.lines[data.lines.length - 2] : 0;
      this.rows = Math.max(this.text.length, Math.min(last, this.text.length + 100000));
      this.decisions = group(data.decisions, decision => decision[0]);
      this.calls = group(data.calls, call => call[0]);
      this.definitions = group(data.functions.filter(f => f[2]), f => f[2]);
      this.half = [...new Set(data.decisions.filter(decision => decision[2]).map(decision => decision[0]))];
      this.unrun = [...this.count].filter(([, count]) => count === 0).map(([line]) => line);
      this.hot = [...this.count].filter(([, count]) => Number(count) > 0).sort((a, b) => Number(b[1]) - Number(a[1])).map(([line]) => line);
      this.line = 0;
      this.onPath = new Set();
      this.lists = [];
      this.active = null;
    }

    // ---- The source
    heat(count) {
      return Number(count) > 0 ? 8 + 52 * Math.log1p(Number(count)) / Math.log1p(this.most) : 0;
    }
    row(line) {
      const count = this.count.get(line), half = (this.decisions.get(line) || []).some(decision => decision[2]);
      const state = count === undefined ? "" : count === -2 ? "uncounted" : count === -1 ? "maybe" : Number(count) === 0 ? "never" : "ran";
      const mark = {never: "!", maybe: "?", uncounted: "#"}[state] || (half ? "~" : "");
      const made = element("div", {class: "row " + state + (half ? " half" : "") + (line === this.line ? " current" : "") + (this.onPath.has(line) ? " onpath" : ""), "data-line": line},
        element("span", {class: "cnt"}, state === "ran" || state === "never" ? thousands(count) : ""), element("span", {class: "mark"}, mark),
        element("span", {class: "ln"}, line), element("span", {class: "txt"}, this.text[line - 1] || ""));
      made.firstChild.style.setProperty("--heat", this.heat(count).toFixed(0) + "%");
      made.style.top = (line - 1) * HEIGHT + "px";
      for (const [, condition, isHalf, ...outcomes] of this.decisions.get(line) || []) {
        const chip = element("span", {class: "chip" + (isHalf ? " half" : "")}, condition ? condition + ": " : "");
        for (let i = 0; i < outcomes.length; i += 2)
          chip.append(element("span", {class: outcomeClass(outcomes[i]) + (isHalf && Number(outcomes[i + 1]) === 0 ? " none" : "")}, outcomeCount(outcomes[i], outcomes[i + 1])), " ");
        made.append(chip);
      }
      for (const f of this.definitions.get(line) || [])
        made.append(element("span", {class: "chip soft"}, f[8] ? f[1] + ": " + f[8] : thousands(f[6]) + " of " + f[7] + " paths ran"));
      return made;
    }
    render(force) {
      const top = this.code.scrollTop, first = Math.max(1, Math.floor(top / HEIGHT) + 1 - MARGIN);
      const end = Math.min(this.rows, Math.ceil((top + this.code.clientHeight) / HEIGHT) + MARGIN);
      if (!force && first === this.first && end === this.end) return;
      this.first = first;
      this.end = end;
      const rows = [];
      for (let line = first; line <= end; line++) rows.push(this.row(line));
      this.sheet.replaceChildren(...rows);
    }
    reveal(line) {
      const top = (line - 1) * HEIGHT;
      if (top < this.code.scrollTop + 3 * HEIGHT || top > this.code.scrollTop + this.code.clientHeight - 5 * HEIGHT)
        this.code.scrollTop = Math.max(0, top - this.code.clientHeight / 3);
      this.render(true);
    }

    // ---- Moving
    go(lines, by) {
      if (!lines.length) return;
      const at = by > 0 ? lines.find(line => line > this.line) : lines.findLast(line => line < this.line);
      this.select(at === undefined ? lines[by > 0 ? 0 : lines.length - 1] : at);
    }
    goHot(by) {
      if (!this.hot.length) return;
      const at = this.hot.indexOf(this.line);
      this.select(this.hot[Math.min(this.hot.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
    }

    // ---- The panel
    select(line, path) {
      this.line = line;
      this.onPath = new Set();
      history.replaceState(null, "", "#L" + line + (path === undefined ? "" : "p" + path));
      this.fill(line, path);
    }
    close() {
      this.line = 0;
      this.onPath = new Set();
      this.panel.hidden = true;
      root.classList.remove("open");
      this.active = null;
      history.replaceState(null, "", location.pathname.split("/").pop());
      this.render(true);
    }
    facts(line) {
      const count = this.count.get(line), parts = [];
      const words = count === undefined ? "This line has no code." : count === -2 ? "The functions with code on this line were not counted." :
        count === -1 ? "It is not known whether this line ran: its function has abandoned paths." : Number(count) ? "This line ran " + plural(count, "time") + "." : "This line never ran.";
      parts.push(element("p", {}, words));
      for (const [, condition, half, ...outcomes] of this.decisions.get(line) || []) {
        const item = element("p", {class: half ? "decision half" : "decision"}, element("code", {}, condition || "decision"), " ");
        for (let i = 0; i < outcomes.length; i += 2)
          item.append(element("span", {class: outcomeClass(outcomes[i])}, outcomeCount(outcomes[i], outcomes[i + 1])), " ");
        if (half) item.append(element("span", {class: "tag bad"}, "half-taken"));
        parts.push(item);
      }
      for (const [, name, number, times, page] of this.calls.get(line) || [])
        parts.push(element("p", {class: "call"}, "calls ", page >= 0 ? element("a", {href: "../f/" + page + ".html#f" + number}, element("code", {}, name)) : element("code", {}, name || "a function by pointer"),
          element("span", {class: "soft"}, ", " + plural(times, "time"))));
      return parts;
    }
    fill(line, wanted) {
      const body = element("div", {class: "body"}, ...this.facts(line));
      this.panel.hidden = false;
      root.classList.add("open");
      if (matchMedia("(max-width: 820px)").matches) this.code.scrollIntoView({block: "start"});
      this.reveal(line);
      this.lists = [];
      this.active = null;
      this.panel.replaceChildren(element("header", {}, element("b", {}, "Line " + line),
        element("button", {type: "button", title: "close (Escape)", "aria-label": "close", onclick: () => this.close()}, "×")), body);
      const near = this.data.functions.filter(f => f[3] && f[3] <= line && line <= f[4] && f[9] >= 0);
      Promise.all(near.slice(0, MOST_FUNCTIONS).map(f => loadFunction(f[0], f[9]))).then(functions => {
        if (this.line !== line) return;
        for (const fn of functions) this.addFunction(body, fn, line, wanted);
        if (near.length > MOST_FUNCTIONS) body.append(element("p", {class: "soft"}, "and " + (near.length - MOST_FUNCTIONS) + " more functions around this line"));
        body.dataset.ready = "1";
      });
    }
    addFunction(body, fn, line, wanted) {
      const through = fn.paths.filter(path => goesThrough(fn, path, this.number, line));
      if (!through.length) return;
      const link = element("a", {href: sectionOf(fn)}, element("code", {}, fn.name));
      const list = new PathList(fn, through, fn.executions, path => {
        this.active = list;
        this.onPath = new Set(path ? rowsOf(fn, path).filter(row => row.file === this.number).map(row => row.line) : []);
        link.href = sectionOf(fn) + (path ? "p" + path[0] : "");
        history.replaceState(null, "", "#L" + line + (path ? "p" + path[0] : ""));
        this.render(true);
      });
      body.append(element("h3", {}, "Paths of ", link, " through this line"), list.element);
      this.lists.push(list);
      this.active = this.active || list;
      const chosen = wanted !== undefined && through.find(path => String(path[0]) === wanted);
      if (chosen) list.pick(chosen);
    }

    // ---- The page
    build() {
      this.sheet = element("div", {class: "sheet"});
      this.sheet.style.height = this.rows * HEIGHT + "px";
      const widest = this.text.reduce((most, line) => Math.max(most, line.length + 3 * (line.length - line.replaceAll("\t", "").length)), 0);
      this.sheet.style.minWidth = Math.min(widest, 400) + 34 + "ch";
      this.code = element("div", {class: "code mono", tabindex: 0, "aria-label": "source", onscroll: () => this.render(false),
        onclick: event => { const row = event.target.closest(".row"); if (row) this.select(Number(row.dataset.line)); }}, this.sheet);
      this.panel = element("aside", {class: "panel", hidden: ""});
      const button = (text, name, act) => element("button", {type: "button", title: name, "aria-label": name, onclick: act}, text);
      const find = element("input", {type: "search", placeholder: "Line or function", "aria-label": "Go to a line or function", list: "names",
        onchange: () => this.jump(find.value)});
      const names = element("datalist", {id: "names"}, ...this.data.functions.filter(f => f[2]).slice(0, 3000).map(f => element("option", {value: f[1]})));
      this.find = find;
      const nav = (name, names, keys, count, act) => element("span", {class: "nav"}, button("‹", "previous " + name + " (" + keys[1] + ")", () => act(-1)),
        element("span", {}, thousands(count) + " " + (count === 1 ? name : names)), button("›", "next " + name + " (" + keys[0] + ")", () => act(1)));
      root.append(element("div", {class: "tools"}, find, names,
        nav("half-taken decision", "half-taken decisions", "nN", this.data.decisions.filter(decision => decision[2]).length, by => this.go(this.half, by)),
        nav("line not run", "lines not run", "uU", this.unrun.length, by => this.go(this.unrun, by)),
        nav("line run", "lines run", "hH", this.hot.length, by => this.goHot(by)),
        element("span", {class: "soft keys"}, "keys: n u h next, N U H previous, j k path, / find, Esc")),
        element("div", {class: "split"}, this.code, this.panel));
      addEventListener("resize", () => this.render(true));
      addEventListener("hashchange", () => this.fromHash());
      addEventListener("keydown", event => this.key(event));
      this.render(true);
      this.fromHash();
      root.dataset.ready = "1";
    }
    jump(text) {
      const f = this.data.functions.find(entry => entry[1] === text && entry[2]) || this.data.functions.find(entry => entry[2] && entry[1].includes(text));
      const line = /^\d+$/.test(text) ? Number(text) : f ? f[2] : 0;
      if (line > 0 && line <= this.rows) this.select(line);
    }
    fromHash() {
      const match = /^#L(\d+)(?:p(\d+))?$/.exec(location.hash);
      if (match && Number(match[1]) !== this.line && Number(match[1]) > 0 && Number(match[1]) <= this.rows) this.select(Number(match[1]), match[2]);
    }
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") return event.target.matches("input") ? event.target.blur() : this.close();
      if (event.target.matches("input, select")) return;
      const acts = {n: () => this.go(this.half, 1), N: () => this.go(this.half, -1), u: () => this.go(this.unrun, 1), U: () => this.go(this.unrun, -1),
        h: () => this.goHot(1), H: () => this.goHot(-1), j: () => this.active && this.active.move(1), k: () => this.active && this.active.move(-1),
        "/": () => (this.active ? this.active.search : this.find).focus()};
      if (!acts[event.key]) return;
      acts[event.key]();
      event.preventDefault();
    }
  }
  const sectionOf = fn => "../f/" + fn.page + ".html#f" + fn.number;
  loadSource(root.dataset.number).then(data => new Page(data).build());
})();
