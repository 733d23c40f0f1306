// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines: rows with names, a time axis, zoom and a tooltip.
//
// The attribute data-timeline of an element has unit, total, columns, and rows: [name, columns, thousandths, ...], runs of columns in
// which the row has this share of the time.
"use strict";
(() => {
  const AXIS = 24, STRIP = 24, ROW = 20;
  const element = (name, attributes, ...content) => {
    const made = document.createElement(name);
    for (const key in attributes)
      if (key.startsWith("on")) made.addEventListener(key.slice(2), attributes[key]);
      else made.setAttribute(key, attributes[key]);
    made.append(...content);
    return made;
  };
  const thousands = number => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
  const short = number => number >= 1e9 ? +(number / 1e9).toFixed(2) + " G" : number >= 1e6 ? +(number / 1e6).toFixed(2) + " M" :
    number >= 1e4 ? +(number / 1e3).toFixed(1) + " k" : thousands(number);
  // Hues of neighbours differ much.
  const colour = (row, light) => "hsl(" + (row * 137 + 210) % 360 + " 62% " + light + "%)";

  class Timeline {
    constructor(place) {
      const data = JSON.parse(place.dataset.timeline);
      Object.assign(this, {place, unit: data.unit, total: Number(data.total), columns: data.columns, from: 0, to: data.columns, pointers: new Map()});
      this.rows = data.rows.map(([name, ...runs]) => {
        const sum = new Float64Array(data.columns + 1);
        for (let i = 0, column = 0; i < runs.length; i += 2)
          for (let k = 0; k < runs[i]; k++, column++) sum[column + 1] = sum[column] + runs[i + 1] / 1000;
        return {name, sum};
      });
      this.build();
    }
    build() {
      const button = (text, name, act) => element("button", {type: "button", title: name, "aria-label": name, onclick: act}, text);
      this.where = element("span", {class: "soft where"});
      this.canvas = element("canvas", {tabindex: 0, role: "img", "aria-label": this.place.getAttribute("aria-label") + ": time against names"});
      this.names = element("div", {class: "names"}, element("div", {style: "height:" + AXIS + "px"}), element("div", {class: "soft", style: "height:" + STRIP + "px"}, "most time in"),
        ...this.rows.map((row, i) => { const name = element("div", {title: row.name, style: "height:" + ROW + "px"}, row.name); name.style.borderLeftColor = colour(i, 50); return name; }));
      this.tip = element("div", {class: "tip", hidden: ""});
      this.place.append(element("div", {class: "tools"}, button("+", "zoom in (+)", () => this.zoom(0.5)), button("−", "zoom out (-)", () => this.zoom(2)),
        button("←", "earlier (left arrow)", () => this.pan(-0.25)), button("→", "later (right arrow)", () => this.pan(0.25)), button("all", "everything (0)", () => this.set(0, this.columns)), this.where),
        element("div", {class: "chart"}, this.names, element("div", {class: "plot"}, this.canvas)), this.tip);
      this.canvas.addEventListener("wheel", event => this.wheel(event), {passive: false});
      for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave"]) this.canvas.addEventListener(name, event => this.pointer(event));
      this.canvas.addEventListener("keydown", event => this.key(event));
      new ResizeObserver(() => this.draw()).observe(this.canvas.parentNode);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
      this.draw();
    }

    // ---- The part that is shown, in columns
    set(from, to) {
      const least = Math.min(this.columns, 4), length = Math.min(this.columns, Math.max(least, to - from));
      this.from = Math.min(this.columns - length, Math.max(0, from));
      this.to = this.from + length;
      this.draw();
    }
    zoom(by, at = 0.5) {
      const center = this.from + (this.to - this.from) * at, length = (this.to - this.from) * by;
      this.set(center - length * at, center + length * (1 - at));
    }
    pan(by) {
      const shift = (this.to - this.from) * by;
      this.set(this.from + shift, this.to + shift);
    }
    wheel(event) {
      if (document.activeElement !== this.canvas && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX / this.canvas.clientWidth);
    }
    key(event) {
      const acts = {"+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), ArrowLeft: () => this.pan(-0.25), ArrowRight: () => this.pan(0.25), 0: () => this.set(0, this.columns)};
      if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
      acts[event.key]();
      event.preventDefault();
    }
    pointer(event) {
      const before = this.pointers.get(event.pointerId);
      if (event.type === "pointerdown") {
        this.canvas.focus({preventScroll: true});
        this.canvas.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, event.offsetX);
      } else if (event.type === "pointermove" && before !== undefined) {
        this.drag(event, before);
        this.pointers.set(event.pointerId, event.offsetX);
      } else if (event.type !== "pointermove")
        this.pointers.delete(event.pointerId);
      this.tell(event);
    }
    // One pointer moves the part that is shown, two change its length.
    drag(event, before) {
      const width = this.canvas.clientWidth, others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
      if (!others.length) return this.pan((before - event.offsetX) / width);
      const was = Math.abs(before - others[0]), is = Math.abs(event.offsetX - others[0]);
      if (was > 5 && is > 5) this.zoom(was / is, others[0] / width);
    }

    // ---- Shares
    share(row, from, to) {
      const a = Math.max(0, Math.floor(from)), b = Math.min(this.columns, Math.max(a + 1, Math.ceil(to)));
      return (row.sum[b] - row.sum[a]) / (b - a);
    }
    leader(from, to) {
      let best = -1, most = 0;
      this.rows.forEach((row, i) => {
        const own = this.share(row, from, to);
        if (own > most) { most = own; best = i; }
      });
      return best;
    }
    tell(event) {
      const width = this.canvas.clientWidth, pixel = (this.to - this.from) / width, at = this.from + event.offsetX * pixel;
      const strip = event.offsetY < AXIS + STRIP, index = strip ? this.leader(at, at + pixel) : Math.floor((event.offsetY - AXIS - STRIP) / ROW), row = this.rows[index];
      this.tip.hidden = !row || event.type === "pointerleave" || event.offsetX < 0 || event.offsetX > width;
      if (this.tip.hidden) return;
      const scale = this.total / this.columns;
      this.tip.textContent = row.name + ": " + (100 * this.share(row, at, at + pixel)).toFixed(1) + " % at " + thousands(at * scale) + " " + this.unit;
      const box = this.place.getBoundingClientRect();
      this.tip.style.left = Math.max(0, Math.min(event.clientX - box.left + 12, box.width - this.tip.offsetWidth - 4)) + "px";
      this.tip.style.top = event.clientY - box.top + 16 + "px";
    }

    // ---- Drawing
    draw() {
      const width = this.canvas.parentNode.clientWidth, height = AXIS + STRIP + ROW * this.rows.length, ratio = devicePixelRatio || 1;
      if (!width) return;
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
      this.canvas.style.height = height + "px";
      const style = getComputedStyle(document.documentElement), pen = this.canvas.getContext("2d");
      pen.scale(ratio, ratio);
      this.ink = style.getPropertyValue("--soft");
      this.rule = style.getPropertyValue("--line");
      pen.font = "11px ui-monospace, monospace";
      this.axis(pen, width, height);
      this.strip(pen, width);
      this.bars(pen, width);
      const scale = this.total / this.columns;
      this.where.textContent = thousands(this.from * scale) + " – " + thousands(this.to * scale) + " of " + thousands(this.total) + " " + this.unit;
      this.place.dataset.from = this.from;
      this.place.dataset.to = this.to;
    }
    axis(pen, width, height) {
      const scale = this.total / this.columns, span = (this.to - this.from) * scale, rough = span / Math.max(2, width / 110);
      const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1))), step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) || 1;
      pen.fillStyle = this.ink;
      pen.strokeStyle = this.rule;
      for (let tick = Math.ceil(this.from * scale / step) * step; tick <= this.to * scale; tick += step) {
        const x = (tick / scale - this.from) / (this.to - this.from) * width;
        pen.beginPath();
        pen.moveTo(x, 14);
        pen.lineTo(x, height);
        pen.stroke();
        const text = short(tick), room = pen.measureText(text).width;
        pen.fillText(text, Math.min(Math.max(0, x - room / 2), width - room), 11);
      }
    }
    // Which row has most of the time, with its name where there is room.
    strip(pen, width) {
      const pixel = (this.to - this.from) / width;
      for (let x = 0, end; x < width; x = end) {
        const best = this.leader(this.from + x * pixel, this.from + (x + 1) * pixel);
        for (end = x + 1; end < width && this.leader(this.from + end * pixel, this.from + (end + 1) * pixel) === best; end++);
        if (best < 0) continue;
        pen.fillStyle = colour(best, 50);
        pen.fillRect(x, AXIS, end - x, STRIP - 4);
        pen.fillStyle = "#fff";
        const name = this.rows[best].name;
        if (pen.measureText(name).width + 8 < end - x) pen.fillText(name, x + 4, AXIS + 14);
      }
    }
    bars(pen, width) {
      const pixel = (this.to - this.from) / width;
      this.rows.forEach((row, i) => {
        pen.fillStyle = colour(i, 50);
        const base = AXIS + STRIP + ROW * (i + 1) - 2;
        for (let x = 0; x < width; x++) {
          const own = this.share(row, this.from + x * pixel, this.from + (x + 1) * pixel);
          if (own > 0) pen.fillRect(x, base - Math.max(1, own * (ROW - 4)), 1, Math.max(1, own * (ROW - 4)));
        }
      });
    }
  }
  document.querySelectorAll(".timeline").forEach(place => { place.timeline = new Timeline(place); });
})();
