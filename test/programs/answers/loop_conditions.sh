# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every operand of the conditions of statements is a decision of its own, with both counts that llvm-cov has: random conditions.
cat >make.py <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
LEAF = ["v[%d]", "!v[%d]", "v[%d] > 1", "id(v[%d])", "v[%d] == 1", "(v[%d] < 2)", "!(v[%d])", "number[%d]", "!(small[%d])",
        "small[%d]", "*v", "!*v", "(char)v[%d]", "~v[%d] + 1", "!id(v[%d])", "'a' + v[%d] == 'b'", "at->second[%d]", "!at->first"]
def leaf():
    text = r.choice(LEAF)
    return text % r.randrange(4) if "%d" in text else text
def make(size):
    if size == 1:
        return leaf()
    left = r.randint(1, size - 1)
    text = f"{make(left)} {r.choice(['&&', '||'])} {make(size - left)}"
    return f"!({text})" if r.random() < 0.15 else f"({text})"
print("""static int number[4];
static unsigned char small[4];
static struct pair { int first, second[4]; } pair, *at = &pair;
static int id(int x) { return x; }""")
for i in range(60):
    text = make(r.randint(2, 6))
    text = text if text[0] == "!" else text[1:-1]
    kind = ["while", "for", "do", "if"][i % 4]
    print(f"static int f{i}(const int *v)\n{{\n\tint k = 0;")
    print({"while": f"\twhile ({text})\n\t\tif (++k > 2)\n\t\t\treturn k;",
           "for": f"\tfor (; {text}; )\n\t\tif (++k > 2)\n\t\t\treturn k;",
           "do": f"\tdo {{\n\t\tif (++k > 2)\n\t\t\treturn k;\n\t}} while ({text});",
           "if": f"\tif ({text})\n\t\tk++;"}[kind])
    print("\treturn k;\n}")
print("""int main(void)
{
	unsigned seed = 7;
	for (int i = 0; i < 50; i++) {
		int v[4];
		for (int k = 0; k < 4; k++) {
			seed = seed * 1103515245u + 12345u;
			v[k] = (int)(seed >> 16) % 3;
			number[k] = pair.second[3 - k] = v[k] > 1;
			small[3 - k] = v[k] > 0;
		}
		pair.first = v[2] & 1;""")
for i in range(60):
    print(f"\t\tf{i}(v);")
print("\t}\n\treturn 0;\n}")
END
for seed in ${SEEDS-1 2}; do
	python3 make.py "$seed" >loops.c
	must clang-19 -w -fprofile-instr-generate -fcoverage-mapping loops.c -o plain
	must env LLVM_PROFILE_FILE=plain.profraw ./plain
	must llvm-profdata-19 merge -o plain.profdata plain.profraw
	llvm-cov-19 export ./plain -instr-profile plain.profdata 2>llvm-cov.log |
		jq -c '[.data[0].functions[].branches[] | [.[0], .[4], .[5]]] | sort | .[]' >want
	[ "$(wc -l <want)" -gt 200 ] || fail "llvm-cov has no branches"
	for level in -O0 -O2; do
		must "$waymark" cc -w -g $level loops.c -o loops
		rm -f run.wmraw
		WAYMARK_FILE=run.wmraw must ./loops
		"$waymark" report --source loops.c --json run.wmraw ./loops >source.json || fail "no source"
		jq -c '[.decisions[] | select(.outcomes | length == 2) |
			[.line] + (.outcomes | if .[0].outcome == "false" then reverse else . end | map(.count))] | sort | .[]' source.json >have
		diff want have >difference || { cat difference; fail "seed $seed, $level: other operands or counts than llvm-cov"; }
		# An export tells no text: which of two counts is that of the negation is not told.
		"$waymark" export --format lcov -o lcov.info run.wmraw ./loops
		sed -n 's/^BRDA:\([0-9]*\),\([0-9]*\),0,\(.*\)$/\1 \3/p' lcov.info | sed 's/-$/0/' >first
		sed -n 's/^BRDA:\([0-9]*\),\([0-9]*\),1,\(.*\)$/\1 \3/p' lcov.info | sed 's/-$/0/' >second
		paste -d ' ' first second | awk '{print "[" $1 "," ($2 < $4 ? $2 "," $4 : $4 "," $2) "]"}' | sort >exported
		tr -d '[]' <want | awk -F , '{print "[" $1 "," ($2 < $3 ? $2 "," $3 : $3 "," $2) "]"}' | sort | cmp -s - exported ||
			fail "seed $seed, $level: the export has other counts than llvm-cov"
	done
done

# On a path, the last operand is told where it was evaluated.
cat >path.c <<'END'
static int digits(const char *e)
{
	int n = 0;
	while (*e >= '0' && *e <= '9')
		++e, n++;
	return n;
}
int main(void) { return digits("12") != 2 || digits("3x") != 1; }
END
must "$waymark" cc -g path.c -o path
WAYMARK_FILE=path.wmraw must ./path
"$waymark" report path.wmraw ./path >report.txt
grep -q "^ *\*e >= '0': true, \*e <= '9': false$" report.txt || { cat report.txt; fail "the last operand is not told"; }
"$waymark" report --source path.c path.wmraw ./path | grep -q "\*e <= '9': true 3, false 1$" || fail "the counts of the last operand"
