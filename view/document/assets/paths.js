// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data and paths, for the pages of source files and of functions.
//
// Data files are scripts that call waymark(), because a page that was opened as a file cannot load JSON.  Each call has one object, as JSON
// that was compressed by zlib, in base64.  f/PAGE.js has, for each function of f/PAGE.html,
//   number, page, name, file (of s/FILE.html; -1: none), executions, ran (paths that ran), files: those with lines of its blocks, of s/FILE.js
//   blocks: [count, lines, line of the decision or 0, [[to, outcome, count], ...]]   a line is a number or [file, line]; count -1: not known
//   paths: [id, count, start, end, to, fresh, step, ...]                             a step is a block or [guest, block]
//   guests: other functions that the paths enter: name, file, blocks
//   callers, callees: how many, then [count, name, number and page of the function, or -1 twice, file, line], ... of the first of them
//   seen: per path, null or [time, process] of the run that took it first; only if some are known
//   by: per path [number of tests that take it, test, ...], with indices of the names in f/tests.js; only if tests were given
//   taken: [test, paths, executions], ... of the tests that take paths
//   all: whether no other test takes the paths; false: counts of tests were left out
//   graph: null, or w, h, n: [x, y, width, height, ...] of the blocks, e: [[from, to, x, y, ...], ...]
// A count of 2^53 and more is a string.  Names and source are other people's text: they only ever become text nodes.
"use strict";
const Waymark = (() => {
  const waiting = new Map(), known = new Map(), loaded = new Set();
  const unpack = packed => {
    const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };
  window.waymark = packed => unpack(packed).then(data => {
    const name = data.tests ? "f/tests" : data.source === undefined ? "f/" + data.number : "s/" + data.source;
    known.set(name, data);
    (waiting.get(name) || []).forEach(resolve => resolve(data));
    waiting.delete(name);
  });
  // Waits for function f/NUMBER or source s/NUMBER, and loads the script that has it; every page that asks is in a directory beside it.
  const load = (name, file) => new Promise(resolve => {
    if (known.has(name)) return resolve(known.get(name));
    if (waiting.has(name)) return waiting.get(name).push(resolve);
    waiting.set(name, [resolve]);
    if (loaded.has(file)) return;
    loaded.add(file);
    const script = document.createElement("script");
    script.src = "../" + file + ".js";
    document.head.append(script);
  });

  const loadSource = number => load("s/" + number, "s/" + number);
  const loadTests = fn => fn.by ? load("f/tests", "f/tests").then(data => { fn.tests = data.tests; }) : null;
  // A function, with the text of its lines and the names of its tests.
  const loadFunction = (number, page) => load("f/" + number, "f/" + page).then(fn =>
    Promise.all([loadTests(fn), ...fn.files.map(loadSource)]).then(() => fn));

  // ---- Elements
  const element = (name, attributes, ...content) => {
    const made = document.createElement(name);
    for (const key in attributes)
      if (key.startsWith("on")) made.addEventListener(key.slice(2), attributes[key]);
      else if (attributes[key] !== undefined) made.setAttribute(key, attributes[key]);
    made.append(...content);
    return made;
  };
  const thousands = count => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (count, word) => thousands(count) + " " + word + (Number(count) === 1 ? "" : "s");
  const share = (part, whole) => {
    const percent = Number(whole) ? 100 * Number(part) / Number(whole) : 0;
    const bar = element("i", {});
    bar.style.width = percent.toFixed(2) + "%";
    return element("span", {class: "share"}, bar, element("b", {}, percent.toFixed(2) + "%"));
  };
  const outcomeClass = text => /(^|: )true$/.test(text) ? "tag true" : /(^|: )false$/.test(text) ? "tag false" :
    /threw$/.test(text) ? "tag bad" : "tag case";

  // ---- Paths
  const starts = ["entry", "loop head", "cut", "call"];
  const ends = ["?", "return", "a call that does not return", "unwinding", "back edge", "cut", "call"];
  const guestOf = step => Array.isArray(step) ? step[0] : -1;
  const blockOf = step => Array.isArray(step) ? step[1] : step;
  const homeOf = (fn, step) => guestOf(step) < 0 ? fn : fn.guests[guestOf(step)];

  // What is decided at step i: the outcome at the edge to the next step in the same function, or to where the path ends.
  const outcomeAt = (fn, path, i) => {
    const steps = path.slice(6), guest = guestOf(steps[i]), edges = homeOf(fn, steps[i]).blocks[blockOf(steps[i])][3];
    let to = -1, last = true;
    for (let j = i + 1; j < steps.length && to < 0; j++)
      if (guestOf(steps[j]) === guest) { to = blockOf(steps[j]); last = false; }
    if (last) to = path[4];
    const edge = edges.find(e => e[0] === to);
    return edges.length > 1 && edge ? edge[1] : "";
  };
  // The rows of a path: {file, line, outcome, block, guest, context}.  Consecutive rows of one line are one.
  const rowsOf = (fn, path) => {
    const rows = [], steps = path.slice(6);
    steps.forEach((step, i) => {
      const home = homeOf(fn, step), block = home.blocks[blockOf(step)], outcome = outcomeAt(fn, path, i);
      const add = (line, text) => {
        const file = Array.isArray(line) ? line[0] : home.file, number = Array.isArray(line) ? line[1] : line;
        const last = rows[rows.length - 1];
        if (last && last.file === file && last.line === number && last.guest === guestOf(step) && !(last.outcome && text)) {
          last.outcome = last.outcome || text;
          last.blocks.push(step);
        } else
          rows.push({file, line: number, outcome: text, guest: guestOf(step), blocks: [step], context: i < path[5]});
      };
      block[1].forEach(line => add(line, ""));
      if (outcome) add(block[2] || block[1][block[1].length - 1] || 0, outcome);
    });
    return rows;
  };
  const firstLine = (fn, block) => {
    const line = fn.blocks[block] && fn.blocks[block][1][0];
    return Array.isArray(line) ? line[1] : line;
  };
  const endsOf = (fn, path) => {
    const at = path[2] && path.length > 6 && guestOf(path[6]) < 0 ? firstLine(fn, path[6]) : 0;
    const to = path[4] >= 0 ? firstLine(fn, path[4]) : 0;
    return starts[path[2]] + (at ? " at " + at : "") + " → " + ends[path[3]] + (to ? " to " + to : "");
  };
  const goesThrough = (fn, path, file, line) => path.slice(6).some(step => {
    const home = homeOf(fn, step);
    return home.blocks[blockOf(step)][1].some(l => Array.isArray(l) ? l[0] === file && l[1] === line : home.file === file && l === line);
  });
  const textOf = (file, line) => {
    const source = known.get("s/" + file);
    if (!source || !line) return "";
    if (!source.byLine) source.byLine = source.text.split("\n");
    return source.byLine[line - 1] || "";
  };
  // The names of the tests that take a path; null: nothing is known of tests.
  const testsOf = (fn, path) => {
    if (!fn.tests) return null;
    const [count, ...named] = fn.by[fn.paths.indexOf(path)], names = named.map(test => fn.tests[test]);
    return names.length ? names.join(", ") + (count > names.length ? " and " + (count - names.length) + " more" : "") :
      fn.all ? "no test" : "not known";
  };
  const wordsOf = (fn, path) => {
    if (!fn.words) fn.words = new Map();
    if (!fn.words.has(path))
      fn.words.set(path, ("path " + path[0] + " " + endsOf(fn, path) + " " +
        rowsOf(fn, path).map(row => "line " + row.line + " " + row.outcome + " " + textOf(row.file, row.line)).join(" | ") +
        (fn.tests ? " | test " + testsOf(fn, path) : "")).toLowerCase());
    return fn.words.get(path);
  };

  // ---- The list of the paths of a function, or of those through a line.
  // choose(path or null) is called when the reader chooses one.
  class PathList {
    constructor(fn, paths, whole, choose) {
      Object.assign(this, {fn, all: paths, paths, whole, choose, shown: 0, chosen: null});
      this.search = element("input", {type: "search", placeholder: "Find paths: line 12 true", "aria-label": "Find paths", oninput: () => this.filter()});
      this.order = element("select", {"aria-label": "Order of paths", onchange: () => this.filter()},
        ...[["count", "most executed"], ["rare", "least executed"], ["long", "longest"], ["id", "by number"]].map(([value, text]) => element("option", {value}, text)));
      this.note = element("p", {class: "soft found"});
      this.list = element("ol", {class: "pathlist"});
      this.more = element("button", {class: "more", type: "button", onclick: () => this.show(100)});
      this.element = element("div", {class: "paths"},
        element("div", {class: "tools"}, this.search, this.order,
          element("button", {type: "button", title: "previous path (k)", "aria-label": "previous path", onclick: () => this.move(-1)}, "↑"),
          element("button", {type: "button", title: "next path (j)", "aria-label": "next path", onclick: () => this.move(1)}, "↓")),
        this.note, this.list, this.more);
      this.filter();
    }
    filter() {
      const words = this.search.value.toLowerCase().trim();
      const by = {count: (a, b) => Number(b[1]) - Number(a[1]), rare: (a, b) => Number(a[1]) - Number(b[1]),
        long: (a, b) => b.length - a.length, id: (a, b) => Number(a[0]) - Number(b[0])}[this.order.value];
      this.paths = this.all.filter(path => !words || words.split(/\s*,\s*/).every(word => wordsOf(this.fn, path).includes(word))).sort(by);
      const sum = this.paths.reduce((total, path) => total + Number(path[1]), 0);
      this.note.textContent = plural(this.paths.length, "path") + (words ? " of " + thousands(this.all.length) : "") + ", " +
        plural(sum, "execution");
      this.list.replaceChildren();
      this.shown = 0;
      this.show(50);
    }
    show(count) {
      const end = Math.min(this.shown + count, this.paths.length);
      for (; this.shown < end; this.shown++) this.list.append(this.item(this.paths[this.shown]));
      this.more.hidden = this.shown === this.paths.length;
      this.more.textContent = "show " + Math.min(100, this.paths.length - this.shown) + " more of " + thousands(this.paths.length - this.shown);
    }
    item(path) {
      const tags = rowsOf(this.fn, path).filter(row => row.outcome && row.outcome !== "returned");
      const brief = element("span", {class: "brief"}, ...tags.slice(0, 8).map(row => element("span", {class: outcomeClass(row.outcome)}, row.line + " " + row.outcome)));
      if (tags.length > 8) brief.append(element("span", {class: "tag"}, "… " + (tags.length - 8) + " more"));
      return element("li", {"data-id": path[0]},
        element("button", {class: "pathhead", type: "button", "aria-expanded": "false", onclick: () => this.pick(path)},
          share(path[1], this.whole), element("span", {class: "count"}, thousands(path[1])),
          element("span", {}, "path " + path[0]), element("span", {class: "soft"}, endsOf(this.fn, path)), brief));
    }
    // Shows the steps of a path, or hides them if it is chosen already.
    pick(path) {
      this.list.querySelectorAll(".steps, .tests").forEach(part => part.remove());
      this.list.querySelectorAll("[aria-expanded=true]").forEach(head => head.setAttribute("aria-expanded", "false"));
      this.chosen = this.chosen === path ? null : path;
      if (this.chosen) {
        const at = this.paths.indexOf(path);
        if (at >= this.shown) this.show(at + 1 - this.shown);
        const item = this.list.children[at];
        item.querySelector("button").setAttribute("aria-expanded", "true");
        item.append(this.steps(path));
        const seen = this.fn.seen && this.fn.seen[this.fn.paths.indexOf(path)];
        if (seen) item.append(element("p", {class: "tests"}, "first seen " + seen[0] + " by process " + seen[1]));
        if (this.fn.tests) item.append(element("p", {class: "tests"}, "Tests: ", testsOf(this.fn, path)));
        item.scrollIntoView({block: "nearest"});
      }
      this.choose(this.chosen);
    }
    move(by) {
      const at = this.chosen ? this.paths.indexOf(this.chosen) + by : by > 0 ? 0 : this.paths.length - 1;
      if (at >= 0 && at < this.paths.length) this.pick(this.paths[at]);
    }
    steps(path) {
      const body = element("tbody", {});
      let guest = -1;
      for (const row of rowsOf(this.fn, path)) {
        if (row.guest !== guest)
          body.append(element("tr", {}, element("td", {colspan: 3, class: "soft"}, "in " + (row.guest < 0 ? this.fn : this.fn.guests[row.guest]).name)));
        guest = row.guest;
        const link = row.line && row.file >= 0 ? element("a", {href: "../s/" + row.file + ".html#L" + row.line}, row.line) : "block " + blockOf(row.blocks[0]);
        body.append(element("tr", row.context ? {class: "soft"} : {}, element("td", {}, link),
          element("td", {}, row.outcome ? element("span", {class: outcomeClass(row.outcome)}, row.outcome) : ""),
          element("td", {}, textOf(row.file, row.line))));
      }
      return element("table", {class: "steps mono"}, body);
    }
  }
  return {loadFunction, loadSource, element, thousands, plural, share, outcomeClass, rowsOf, goesThrough, guestOf, blockOf, PathList};
})();
