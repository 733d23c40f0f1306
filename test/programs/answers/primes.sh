# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prime paths and their counts are those that follow by definition from an independent trace of all blocks.
cat >tracer.c <<'CODE'
#include <stdint.h>
#include <stdio.h>
struct table { const char *name, *source; int32_t blocks, edges; int32_t edge[]; };
static FILE *out;
static uint64_t activations;
void __wm_trace_enter(uint64_t *frame, const struct table *table)
{
	if (!out)
		out = fopen("walk.txt", "w");
	*frame = ++activations;
	fprintf(out, "E %lu %s %d", *frame, table->name, table->blocks);
	for (int32_t i = 0; i < 2 * table->edges; i++)
		fprintf(out, " %d", table->edge[i]);
	fputc('\n', out);
}
void __wm_trace_block(uint64_t *frame, int32_t block) { fprintf(out, "B %lu %d\n", *frame, block); }
void __wm_trace_leave(uint64_t *frame, int32_t end) { (void)frame, (void)end; }
void __wm_trace_call(uint64_t *frame, int32_t position) { (void)frame, (void)position; }
CODE
cat >program.c <<'CODE'
#include <stdio.h>
#include <stdlib.h>
static int branches(int a, int b)
{
	int n = 0;
	if (a)
		n++;
	else if (b)
		n--;
	if (a > b)
		n += 2;
	return n;
}
static int loop(int a, int b)
{
	int n = 0;
	for (int i = 0; i < a; i++) {
		if (i == b)
			continue;
		n += i & 1 ? 3 : 5;
		if (n > 12)
			break;
	}
	return n;
}
static int nested(int a, int b)
{
	int n = 0;
	for (int i = 0; i < a; i++) {
		int j = b;
		while (j-- > 0)
			if (i == j)
				n++;
		if (n == 2)
			n = 7;
	}
	return n;
}
static int two_loops(int a, int b)
{
	int n = 0;
	do
		n += a & 1;
	while (a-- > 1);
	while (b > 0 && n < 4)
		b -= n & 1 ? 2 : 1, n++;
	return n;
}
static int states(const char *s)
{
	int n = 0, state = 0;
	for (; *s; s++)
		switch (state) {
		case 0:
			state = *s == 'a';
			break;
		case 1:
			if (*s == 'b')
				state = 2;
			break;
		default:
			n++, state = 0;
		}
	return n;
}
static int jumps(int a, int b)
{
	int n = 0;
again:
	if (a > 3)
		goto middle;
	n += b;
	if (n > 9)
		return n;
middle:
	if (--a > 0)
		goto again;
	return n + a;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 1; i + 1 < argc; i += 2) {
		int a = atoi(argv[i]), b = atoi(argv[i + 1]);
		sum += branches(a, b) + loop(a, b) + nested(a, b) + two_loops(a, b) + jumps(a, b);
	}
	sum += states("aabab") + states("abba") + states("");
	printf("%d\n", sum);
}
CODE
cat >check.py <<'CODE'
import json, sys

walks, graphs = {}, {}
for text in open("walk.txt"):
    word = text.split()
    if word[0] == "E":
        edge = [int(x) for x in word[4:]]
        graphs[word[2]] = (int(word[3]), list(zip(edge[::2], edge[1::2])))
        walks[word[1]] = (word[2], [])
    else:
        walks[word[1]][1].append(int(word[2]))


def simple_paths(count, edges):
    successors = {b: sorted({t for f, t in edges if f == b}) for b in range(count)}
    reached, todo = {0}, [0]
    while todo:
        for to in successors[todo.pop()]:
            if to not in reached:
                reached.add(to)
                todo.append(to)
    todo = [(b,) for b in sorted(reached)]
    while todo:
        path = todo.pop()
        yield path
        if len(path) > 1 and path[0] == path[-1]:
            continue
        todo += [path + (to,) for to in successors[path[-1]] if to not in path or to == path[0]]


def primes(count, edges):
    paths = set(simple_paths(count, edges))
    parts = set()
    for path in paths:
        parts.add(path[1:])
        parts.add(path[:-1])
    return {path for path in paths if path not in parts}


def occurrences(path, walk):
    return sum(tuple(walk[i:i + len(path)]) == path for i in range(len(walk) - len(path) + 1))


report = json.load(open(sys.argv[1]))
compared = exact = covered = undecided = 0
for function in report["functions"]:
    if function["name"] not in graphs:
        continue
    told = function["prime_paths"]
    assert told["left_out_because"] is None, told
    expected = primes(*graphs[function["name"]])
    assert {tuple(p["blocks"]) for p in told["paths"]} == expected, function["name"]
    assert told["count"] == len(expected) == len(told["paths"])
    own = [walk for name, walk in walks.values() if name == function["name"]]
    states = {"covered": 0, "undecided": 0, "not covered": 0, "likely infeasible": 0}
    for path in told["paths"]:
        want = sum(occurrences(tuple(path["blocks"]), walk) for walk in own)
        what = (function["name"], path, want)
        assert path["count"] == want if path["exact"] else path["count"] <= want, what
        assert (path["state"] == "covered") == (path["count"] > 0), what
        assert path["state"] != "likely infeasible" or want == 0, what
        assert path["state"] != "undecided" or not path["exact"], what
        assert path["state"] != "not covered" or want == 0, what
        states[path["state"]] += 1
        compared += 1
        exact += path["exact"]
        covered += want > 0
        undecided += path["state"] == "undecided"
    assert [told[k] for k in ("covered", "undecided", "not_covered", "likely_infeasible")] == list(states.values()), told
print(compared, exact, covered, undecided)
CODE
numbers="2 1  3 3  4 0  0 0  5 2  1 5"

# prime_paths OPTION… : the numbers that check.py prints, in $compared and so on
prime_paths() {
	must env WAYMARK_TEST=trace "$waymark" cc -g -O1 "$@" program.c tracer.o -o program
	rm -f run.wmraw walk.txt
	must env WAYMARK_FILE=run.wmraw ./program $numbers
	"$waymark" report --prime-paths --json run.wmraw ./program >report.json || fail "report --prime-paths"
	python3 check.py report.json >numbers.txt || fail "$*: not as defined"
	read -r compared exact covered undecided <numbers.txt
}
must clang-19 -c tracer.c -o tracer.o
prime_paths
[ "$compared" -gt 100 ] && [ "$undecided" -gt 0 ] || fail "acyclic: $compared prime paths, $undecided undecided"
acyclic=$exact
prime_paths -fwaymark-scheme=kiter=2
[ "$exact" -gt "$acyclic" ] && [ "$covered" -gt 40 ] || fail "kiter=2 decides no more than acyclic: $exact and $acyclic"
innermost='[.functions[] | select(.name != "nested") | .prime_paths.paths[]? | select(.exact | not)] == []'
expect "$innermost" # the other loops are innermost ones
prime_paths -fwaymark-scheme=kiter=3
expect "$innermost"
prime_paths -fwaymark-scheme=loopcontext
prime_paths -fwaymark-cfg=optimised -fwaymark-scheme=kiter=2

# The same from a recording, which decides all of them, and from a profile that is made of the recording.
must env WAYMARK_TEST=trace "$waymark" cc -g -O1 -fwaymark-wpp program.c tracer.o -o program
rm -f run.wmraw
must env WAYMARK_FILE=run.wmraw ./program $numbers
"$waymark" report --prime-paths --json run.wmraw ./program >report.json || fail "report of a raw recording"
python3 check.py report.json >raw.txt || fail "raw recording: not as defined"
must "$waymark" wpp --compress run.wmwpp run.wmraw
"$waymark" report --prime-paths --json run.wmwpp ./program >report.json || fail "report of a recording"
python3 check.py report.json >numbers.txt || fail "recording: not as defined"
cmp raw.txt numbers.txt || fail "a raw recording has other prime paths"
read -r compared exact covered undecided <numbers.txt
[ "$exact" -eq "$compared" ] && [ "$covered" -gt 40 ] || fail "a recording leaves counts open: $exact of $compared"
"$waymark" report --prime-paths run.wmwpp ./program >text.txt || fail "report of a recording as text"
grep -q 'not covered: prime path' text.txt || { cat text.txt; fail "no prime path of a recording as source"; }
must "$waymark" wpp --as kiter=3 -o run.wmprof run.wmwpp ./program
"$waymark" report --prime-paths --json run.wmprof ./program >report.json || fail "report of a profile of a recording"
python3 check.py report.json >numbers.txt || fail "profile of a recording: not as defined"

# The other forms.
prime_paths -fwaymark-scheme=kiter=2
"$waymark" report --prime-paths run.wmraw ./program >text.txt || fail "report --prime-paths"
grep -Eq '^[0-9]+ of [0-9]+ prime paths of [0-9]+ functions are covered' text.txt || { cat text.txt; fail "no totals"; }
grep -q 'not covered: prime path' text.txt || { cat text.txt; fail "no prime path as source"; }
must "$waymark" report --prime-paths --html pages run.wmraw ./program
grep -q 'not covered: prime path' pages/f/*.html || fail "pages without prime paths"
"$waymark" report --prime-paths --mcdc run.wmraw ./program >two.txt 2>&1 && fail "two reports at once"
grep -q 'choose one of them' two.txt || { cat two.txt; fail "the message"; }
