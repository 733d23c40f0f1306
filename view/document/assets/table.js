// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of an index: a click on a head sorts by its column, and the table of functions can be searched.
"use strict";
(() => {
  // A number that is its own key is not told twice.
  const keyOf = cell => {
    const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
    const text = cell.textContent.trim(), own = head.classList.contains("num") && /^[0-9,]+$/.test(text) ? text.replaceAll(",", "") : undefined;
    return cell.dataset.key === undefined ? own : cell.dataset.key;
  };
  const isNumeric = (rows, column) => rows.some(row => keyOf(row.cells[column]) !== undefined);
  // A cell without a number is less than every number of its column.
  const value = (row, column, numeric) => {
    const cell = row.cells[column], key = keyOf(cell);
    return !numeric ? cell.textContent.trim().toLowerCase() : key === undefined ? -Infinity : Number(key);
  };
  const sortable = (table, reset) => {
    const body = table.tBodies[0], rows = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
    const original = rows.slice();
    const sort = (column, descending) => {
      const numeric = isNumeric(rows, column);
      rows.sort((a, b) => {
        const x = value(a, column, numeric), y = value(b, column, numeric);
        return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1);
      });
      // The first column of a tree is its own order, with the rows of directories.
      const tree = reset && column === 0 && !descending;
      table.classList.toggle("sorted", Boolean(reset) && !tree);
      body.append(...(tree ? original : rows));
      heads.forEach((head, i) => head.setAttribute("aria-sort", i !== column ? "none" : descending ? "descending" : "ascending"));
    };
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      sort(column, was === "none" ? isNumeric(rows, column) : was === "ascending");
    }));
    return rows;
  };
  const tree = document.querySelector("table.tree");
  if (tree) sortable(tree, true);
  // The script is loaded behind each table, and a page may have several.
  const table = Array.from(document.querySelectorAll("table.functions")).pop();
  if (!table) return;
  const rows = sortable(table, false), tools = table.parentElement.previousElementSibling;
  const search = document.querySelector("#search"), idle = document.querySelector("#idle"), shown = document.querySelector("#shown");
  if (!search || !tools || !tools.contains(search)) return;
  const texts = new Map();
  const textOf = row => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      row.hidden = !(idle.checked || row.dataset.ran) || !words.every(word => textOf(row).includes(word));
      count += !row.hidden;
    }
    shown.textContent = count + " of " + rows.length + " functions";
  };
  search.addEventListener("input", filter);
  idle.addEventListener("change", filter);
  filter();
})();
