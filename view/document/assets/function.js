// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A page of functions: of each, a drawing of its graph, and its paths.  The chosen path is highlighted in the drawing.
"use strict";
(() => {
  const {loadFunction, element, thousands, plural, guestOf, blockOf, PathList} = Waymark;
  const svg = (name, attributes, ...content) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    made.append(...content);
    return made;
  };
  const label = (fn, block) => {
    const lines = fn.blocks[block][1].map(line => Array.isArray(line) ? line[1] : line);
    if (!lines.length) return "block " + block;
    const first = Math.min(...lines), last = Math.max(...lines);
    return first === last ? String(first) : first + "–" + last;
  };
  const known = count => count === -1 ? "not known" : thousands(count);
  const title = (fn, block) => "block " + block + ", " + known(fn.blocks[block][0]) + (fn.blocks[block][0] === -1 ? "" : " times") +
    fn.blocks[block][3].filter(edge => edge[1]).map(edge => "\n" + edge[1] + ": " + known(edge[2])).join("");

  // The curves that dot gives are Bézier curves: a first point, then three for each part.
  const curve = points => {
    let text = "M" + points[0] + "," + points[1];
    for (let i = 2; i + 5 < points.length; i += 6) text += "C" + points.slice(i, i + 6).join(" ");
    return text;
  };
  const heat = (fn, count) => {
    const most = Math.max(1, ...fn.blocks.map(block => Number(block[0])));
    return Number(count) > 0 ? Math.log1p(Number(count)) / Math.log1p(most) : 0;
  };
  const draw = fn => {
    const graph = fn.graph, boxes = [], edges = [];
    const picture = svg("svg", {viewBox: "-4 -4 " + (graph.w + 8) + " " + (graph.h + 8), width: graph.w + 8, height: graph.h + 8, role: "img",
      "aria-label": "control-flow graph of " + fn.name});
    picture.append(svg("defs", {}, svg("marker", {id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse"},
      svg("path", {d: "M0,0L8,4L0,8z", fill: "context-stroke"}))));
    for (const [from, to, ...points] of graph.e) {
      const taken = fn.blocks[from][3].find(edge => edge[0] === to), count = taken ? taken[2] : 0;
      const line = svg("path", {d: curve(points), class: Number(count) > 0 ? "edge" : "edge idle", "marker-end": "url(#tip)"},
        svg("title", {}, (taken && taken[1] ? taken[1] + ": " : "") + known(count)));
      line.style.strokeWidth = 1 + 2 * heat(fn, count);
      edges.push({from, to, line});
      picture.append(line);
    }
    fn.blocks.forEach((block, i) => {
      const [x, y, w, h] = graph.n.slice(4 * i, 4 * i + 4);
      const box = svg("g", {class: Number(block[0]) ? "box" : "box idle"}, svg("title", {}, title(fn, i)),
        svg("rect", {x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 5}),
        svg("text", {x, y: y - 3, "text-anchor": "middle"}, label(fn, i)),
        svg("text", {x, y: y + 11, "text-anchor": "middle", class: "soft"}, thousands(block[0])));
      box.style.setProperty("--heat", (60 * heat(fn, block[0])).toFixed(0) + "%");
      boxes.push(box);
      picture.append(box);
    });
    const highlight = path => {
      const steps = path ? path.slice(6).filter(step => guestOf(step) < 0).map(blockOf) : [];
      const taken = new Set(steps.map((block, i) => block + ">" + (i + 1 < steps.length ? steps[i + 1] : path[4])));
      picture.classList.toggle("chosen", Boolean(path));
      boxes.forEach((box, i) => box.classList.toggle("on", steps.includes(i)));
      edges.forEach(edge => edge.line.classList.toggle("on", taken.has(edge.from + ">" + edge.to)));
    };
    return {picture, highlight};
  };

  const zoomable = (picture, graph) => {
    let scale = 1;
    const view = element("div", {class: "drawing", tabindex: 0, "aria-label": "graph"}, picture);
    const set = to => {
      scale = Math.min(4, Math.max(0.1, to));
      picture.setAttribute("width", (graph.w + 8) * scale);
      picture.setAttribute("height", (graph.h + 8) * scale);
    };
    const fit = () => set(Math.min(1, (view.clientWidth - 24) / (graph.w + 8)));
    const button = (text, name, act) => element("button", {type: "button", title: name, "aria-label": name, onclick: act}, text);
    const tools = element("div", {class: "tools"}, button("−", "smaller", () => set(scale / 1.3)), button("+", "larger", () => set(scale * 1.3)),
      button("fit", "as wide as the page", fit), element("span", {class: "soft"}, "lines and counts of blocks"));
    requestAnimationFrame(fit);
    return element("section", {}, element("h2", {}, "Graph"), tools, view);
  };

  // ---- Callers, callees and tests
  const folded = (title, kind, items, more) => items.length ? [element("details", {class: "calls" + kind}, element("summary", {}, title),
    element("ul", {}, ...items, ...(more > 0 ? [element("li", {class: "soft"}, "and " + thousands(more) + " more call sites")] : [])))] : [];
  const callItem = ([count, name, number, page, file, line]) => {
    const code = name ? element("code", {}, name) : "an indirect call";
    return element("li", {}, element("span", {class: "count"}, thousands(count)), " ",
      number < 0 ? code : element("a", {href: page + ".html#f" + number}, code), " ",
      element("a", {class: "soft", href: "../s/" + file + ".html#L" + line}, "line " + line));
  };
  const calls = (title, [count, ...list]) => folded(title, "", list.map(callItem), count - list.length);
  const testItem = fn => ([test, paths, executions]) => element("li", {}, element("span", {class: "count"}, thousands(executions)), " ",
    element("code", {}, fn.tests[test]), " ", element("span", {class: "soft"}, plural(paths, "path")));
  const links = fn => element("div", {class: "links"}, ...calls("Called by", fn.callers), ...calls("Calls", fn.callees),
    ...(fn.tests ? folded("Tests", " tests", fn.taken.map(testItem(fn)), 0) : []),
    ...(fn.tests && !fn.taken.length && fn.all ? [element("p", {class: "soft"}, "No test takes its paths.")] : []));

  // #fNUMBERpPATH names a path, which is an element only when it is shown.  #fNUMBER is the section: it alone is shown then.
  const [, section, wantedPath] = location.hash.match(/^#(f\d+)p(\d+)$/) || [];
  if (section) location.replace("#" + section);
  // Keys move in the list in which a path was chosen last, or in the first that is shown.
  const lists = new Map();
  let active = null;
  const current = () => active || (Array.from(lists).find(([root]) => root.offsetParent) || [])[1];
  const show = (root, fn) => {
    const drawing = fn.graph && draw(fn), own = "f" + fn.number;
    const list = new PathList(fn, fn.paths, fn.executions, path => {
      active = list;
      if (drawing) drawing.highlight(path);
      history.replaceState(null, "", "#" + own + (path ? "p" + path[0] : ""));
    });
    lists.set(root, list);
    const paths = element("section", {}, element("h2", {}, "Paths"), list.element);
    if (fn.ran > fn.paths.length)
      paths.append(element("p", {class: "note"}, "The " + thousands(fn.paths.length) + " hottest of " + thousands(fn.ran) + " paths; waymark report --json has all of them."));
    root.append(links(fn), element("div", {class: "columns"}, paths, drawing ? zoomable(drawing.picture, fn.graph) :
      element("section", {}, element("h2", {}, "Graph"), element("p", {class: "soft"}, fn.blocks.length === 1 ? "The function has only one block." : "This graph was not drawn: it is too large, or Graphviz was not found."))));
    const wanted = own === section && fn.paths.find(path => String(path[0]) === wantedPath);
    if (wanted) list.pick(wanted);
  };
  // A page can have many functions: each is drawn when it comes into view, or is printed.  Their data are one file, which the first
  // that was drawn has loaded, so that the others need not wait when the page is printed.
  const undrawn = new Set(document.querySelectorAll(".drawn"));
  const begin = root => {
    observer.unobserve(root);
    if (undrawn.delete(root)) loadFunction(root.dataset.number, root.dataset.page).then(fn => show(root, fn));
  };
  const observer = new IntersectionObserver(entries => entries.filter(entry => entry.isIntersecting).forEach(entry => begin(entry.target)), {rootMargin: "50%"});
  undrawn.forEach(root => observer.observe(root));
  addEventListener("beforeprint", () => Array.from(undrawn).filter(root => root.offsetParent).forEach(begin));
  addEventListener("hashchange", () => { active = null; });
  addEventListener("keydown", event => {
    const list = current();
    if (!list || event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "k") list.move(event.key === "j" ? 1 : -1);
    else if (event.key === "/") list.search.focus();
    else return;
    event.preventDefault();
  });
})();
