// What interpreters of JavaScript have in common: prints one line.
function Queue() { this.items = []; }
Queue.prototype.put = function (x) { this.items.push(x); return this; };
Queue.prototype.take = function () { if (!this.items.length) throw new Error("empty"); return this.items.shift(); };
var q = new Queue(), out = [];
for (var i = 0; i < 50; i++) q.put(i * i % 17);
try { for (;;) out.push(q.take()); } catch (e) { out.push(e.message); } finally { out.push("end"); }
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
var words = "the quick brown fox jumps over the lazy dog".split(/\s+/), counts = {};
words.forEach(function (w) { counts[w] = (counts[w] || 0) + 1; });
switch (fib(15)) { case 610: out.push("fib"); break; default: out.push("no"); }
out.push(words.sort().join(",").replace(/o(.)/g, "<$1>"), JSON.stringify(JSON.parse('{"a":[1,2.5,{"b":null}],"c":"\\u00e9"}')));
out.push([3, 1, 2].map(function (x) { return x * 2; }).filter(function (x) { return x > 2; }).reduce(function (a, b) { return a + b; }, 0));
out.push((255).toString(16), parseFloat("1e3"), new Date(0).toISOString(), isNaN(+"x"), typeof undefined, [1, [2]].concat(3).length);
for (var k in counts) if (counts[k] > 1) out.push(k + counts[k]);
if (out.length < 60 || out.indexOf("fib") < 0) throw new Error("FAIL: " + out.length);
print(out.join(" "));
