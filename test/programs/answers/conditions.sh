# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is printed of decisions is what the program itself prints when it makes them.
#
# In the sources below, @{x@} is a condition that is told with its text, and @[x@] is the whole condition of a line, which is
# told without its text; in both, marks may be inside of the marks of a whole line.  They are written twice: as plain conditions, for the build that is profiled, and as calls of a
# function that prints the text and the outcome, for the witness.  @!x!@ is the label to which the next switch goes, and is
# printed by the witness only.
cat >tell.h <<'END'
#include <stdbool.h>
#include <stdio.h>
static inline bool tell(const char *text, bool outcome)
{
	printf("%s: %s\n", text, outcome ? "true" : "false");
	return outcome;
}
static inline bool tell_line(int line, bool outcome)
{
	printf("%d: %s\n", line, outcome ? "true" : "false");
	return outcome;
}
#define Q(...) tell(#__VA_ARGS__, !!(__VA_ARGS__))
#define W(...) tell_line(__LINE__, !!(__VA_ARGS__))
END
plain() { sed -e 's/@[][{}]//g' -e 's/@!.*!@//'; }
witness() { sed -e 's/@{/Q(/g' -e 's/@\[/W(/g' -e 's/@[]}]/)/g' -e 's/@!\(.*\)!@/puts(\1);/'; }

cat >c.marked <<'END'
#include <stdbool.h>
#include <stdlib.h>
#define BOTH(a, b) ((a) && (b))
#define NOT(x) (!(x))
#define READY ready
#define COUNT_IF(x) do { if (x) n++; } while (0)
#define ANY(x) ({ int any = 0; if (x) any = 1; any; })
#define unlikely(x) __builtin_expect(!!(x), 0)
enum colour { RED, GREEN = 5, BLUE };
struct item { int flag; unsigned bit : 3; struct item *next; bool ok; float f; int t[3]; };
static int ready = 1;
__attribute__((noinline)) static int odd(int x) { return x & 1; }
__attribute__((noinline)) static int several_lines(int a, int b, int c)
{
	if (@{a != b@} && @{b < 10@}
	    && @{c == 3@})
		return 1;
	if (@{a + b > c@} ||
		    @{c@})
		return 2;
	if (@{(a |
	     b) == 3@})
		return 3;
	return @{a@} &&
		@{b < c@} ? 4 : 5;
}
__attribute__((noinline)) static int negated(int a, int b)
{
	int n = 0;
	if (@[!a@])
		n++;
	if (!(@{a@} && @{b@}))
		n++;
	if (@{!(a < b)@} || @{!odd(b)@})
		n++;
	if (@[!!a@])
		n++;
	if (@[a != !b@])
		n++;
	while (@[!(n > 3)@])
		n++;
	return @{!b@} ? n + odd(a) : n - odd(b);
}
__attribute__((noinline)) static int values(struct item *p, int i, double d, const char *s)
{
	int n = 0, c;
	if (@{p->flag@} && @{!p->next@})
		n++;
	if (@{p->ok@} || @{p->f@})
		n++;
	if (@{p->t[i]@} && @{*s == 'a'@} && @{s[1]@})
		n++;
	if (@[d@])
		n++;
	if (@[d < 1.5@])
		n++;
	if (@[(unsigned char)i@]) n++;
	if (@{(c = odd(i)) != 0@} && @{(n & 1) == 0@})
		n += c;
	if (@{(i, n) > 2@} && @{s == 0@})
		n++;
	if (@{p->bit@} && @{p->bit > 1@})
		n++;
	return n;
}
__attribute__((noinline)) static int loops(int n)
{
	int i, sum = 0;
	for (i = 0; @[i < n@]; i++)
		sum += i;
	do
		sum--;
	while (@[sum > 3@]);
	while (@[sum++ < 5@]) { if (@{sum == 4@})
			continue;
	}
	for (i = 0; @{i < n@} && sum != 3; i++)
		sum--;
	while (@[n--@])
		sum++;
	for (i = 3;
		@{i > 0@};
		i--)
		sum++;
	return sum;
}
__attribute__((noinline)) static int choices(int a, int b)
{
	int n = @{a > b@} ? odd(a) : odd(b);
	n += @{a@} ? odd(n) : 0;
	n += odd(@{a == 1@} ? odd(b) + 1 : @{b == 1@} ? odd(7) : odd(a));
	if (@[a@]) { if (@{b@}) n++; }
	bool both = @{a@} && odd(b);
	return n + both;
}
__attribute__((noinline)) static int macros(int a, int b)
{
	int n = 0;
	if (@[BOTH(a, b)@])
		n++;
	if (@[NOT(a)@])
		n++;
	if (@[@{!READY@} || NOT(b)@])
		n++;
	if (@{unlikely(a == 3)@} && @{b == 3@})
		n++;
	if (@{odd(BOTH(a, b))@} && @{a > b@})
		n++;
	COUNT_IF(a == 2);
	if (@[!ANY(a < b)@])
		n++;
	return n;
}
__attribute__((noinline)) static int switches(enum colour k, int c)
{
	int n = 0;
	@!k == RED ? "case RED" : k == GREEN ? "case GREEN" : k >= 7 && k <= 9 ? "case 7 ... 9" : k == BLUE ? "case BLUE" : k >= 100 && k <= 900 ? "case 100 ... 900" : "default"!@
	switch (k) {
	case RED:
		n = 1;
		break;
	case GREEN: case 7 ... 9:
		n = 2;
		@!c == 'a' ? "case 'a'" : c == 16 ? "case 0x10" : c == -1 || c == 3 ? "case -1, 3" : "default"!@
		switch (c) {
		case 'a':
			n++;
		case 0x10:
			n++;
			break;
		case -1: case 3:
			n = 9;
		}
		break;
	case BLUE:
		n = 3;
		break;
	case 100 ... 900:
		n = 4;
		break;
	default:
		n = 5;
	}
	return n;
}
int main(void)
{
	struct item last = {0}, item = {1, 2, &last, true, 0.5f, {0, 1, 2}};
	int sum = 0;
	for (int a = 0; @[a < 5@]; a++)
		for (int b = 0; @[b < 4@]; b++) {
			sum += several_lines(a, b, 3) + several_lines(a, 12, b) + several_lines(0, a, b);
			sum += negated(a, b) + choices(a, b) + macros(a, b);
		}
	for (int i = 0; @[i < 3@]; i++)
		sum += values(&item, i, i, "ab") + values(&last, i, 2 - i, i ? "a" : "b") + loops(i) + loops(3 * i);
	for (int k = 0; @[k < 12@]; k++)
		sum += switches(k, 'a') * (k == 5) + switches(k % 7, k == 5 ? 0x10 : 0) * 0;
	static const int value[][2] = {{5, 'a'}, {5, 0x10}, {8, -1}, {9, 3}, {200, 0}, {900, 0}, {99, 0}, {901, 0}, {6, 1}};
	for (int i = 0; @[i < 9@]; i++)
		sum += switches(value[i][0], value[i][1]);
	return sum == 0;
}
END
cat >cpp.marked <<'END'
#include <optional>
#include <string>
#include <vector>
#include <cstdio>
struct part {
	bool ok_;
	int n;
	bool ok() const { return ok_; }
	explicit operator bool() const { return n > 1; }
	bool operator==(const part &other) const { return n == other.n; }
	bool operator<(int other) const { return n < other; }
	bool own(int x) const
	{
		if (@{ok_@} && @{x > n@})
			return true;
		return @{!ok_@} || @{this->n@} ? x > 1 : false;
	}
};
template <class T> __attribute__((noinline)) int compared(const T &a, const T &b)
{
	int n = 0;
	if (@{a == b@} || @{a < b@})
		n++;
	if (@[a != b@])
		n++;
	return n;
}
namespace outer { __attribute__((noinline)) bool even(int x) { return x % 2 == 0; } }
__attribute__((noinline)) static int run(const std::vector<int> &v, const part &p, part *q, std::optional<int> o)
{
	int n = 0;
	for (int x : v)
		n += x;
	if (@{p.ok()@} && @{!q->ok()@})
		n++;
	if (@{p@} && @{q->ok_@})
		n++;
	if (part *r = q; @{r->n@} and @{not r->ok_@})
		n++;
	if (@{o.has_value()@} && @{*o == 3@} && @{!v.empty()@})
		n++;
	if (@{p == *q@} || @{p < 2@} || @{outer::even(n)@})
		n++;
	try {
		std::string s(n > 3 ? "abc" : "");
		if (@{s.size() == 3@} && @{s != "abd"@})
			throw n;
	} catch (int) {
		n = 1;
	}
	auto add = [&](int x) { if (@{x > n@} || @{p.ok_@}) n += x; };
	add(2);
	n += compared(n, 2) + compared(std::string("a"), std::string("b")) + compared(2.5, 1.5) + p.own(n) + q->own(2);
	return n;
}
int main()
{
	part p{false, 0}, q{true, 2}, r{true, 0};
	int sum = run({1, 2}, p, &q, 3) + run({}, q, &p, std::nullopt) + run({3, 4, 5}, q, &r, 4) + run({7}, r, &p, 3);
	return sum == 0;
}
END

# The decisions of a report that say something of text, or of the whole condition of a line, and how often they were made.
claims='[.functions[].paths[] | .count as $n | .decisions[] | select(.file | endswith("/case.\($language)")) | select(.outcome | test("^(true|false|case .*|default)$")) |
	{key: (if (.outcome | test("^(case|default)")) then .outcome
		elif .condition then "\(.condition): \(.outcome)" else "\(.line): \(.outcome)" end), $n}] |
	group_by(.key)[] | "\(map(.n) | add) \(.[0].key)"'

# told SOURCE: how often the witness says what
told() {
	sort "$1" | uniq -c | sed 's/^ *//' | sort
}
for language in c cpp; do
	compiler=clang-19
	[ $language = c ] || compiler=clang++-19
	plain <$language.marked >case.$language
	witness <$language.marked >witness.$language
	must $compiler -w -O1 -include ./tell.h witness.$language -o witness
	./witness >said.txt || fail "the witness of $language fails"
	told said.txt >told.txt
	range=$(grep -n 'for (int x : v)' case.$language | cut -d: -f1)
	for options in -O0 -O2 "-O1 -fwaymark-scheme=kiter=2"; do
		must "$waymark" $([ $language = c ] && echo cc || echo c++) -w -g $options case.$language -o case
		rm -f -- *.wmraw
		must ./case
		report ./case *.wmraw
		jq -r --arg language $language "$claims" report.json | sort >claimed.txt
		case $options in
		*kiter*) # the iterations that a path repeats are in its decisions, too
			sed 's/^[0-9]* //' claimed.txt | sort -u >claimed.once
			sed 's/^[0-9]* //' told.txt | sort -u >told.once
			set -- told.once claimed.once ;;
		*) set -- told.txt claimed.txt ;;
		esac
		comm -23 "$1" "$2" >missing.txt
		comm -13 "$1" "$2" >more.txt
		[ ! -s missing.txt ] || { cat missing.txt; echo "--- instead:"; cat more.txt; fail "$language $options: not claimed"; }
		# A loop is told by its whole condition where clang joins the operands of &&, and a range has no condition.
		# Outcomes of statements in macros are said to be in the macro.
		if grep -vE "(i < n && )?sum != 3: |in (COUNT_IF|ANY): |^([0-9]+ )?$range: " more.txt; then
			fail "$language $options: claimed, and not told by the program"
		fi
	done
done

# In optimised code, conditions are inverted, merged and moved.  What is said is true of the whole condition of a statement.
cat >optimised.marked <<'END'
#include <stdbool.h>
extern int atoi(const char *);
volatile int seen;
__attribute__((noinline)) static int f(int a, int b, int c, const int *t)
{
	int n = 0;
	if (@[a > 1 && b < 3@])
		seen = c + 1;
	if (@[!(a == 2 || b == 1)@])
		n += t[a & 3];
	else
		n ^= b + n / 3;
	if (@[a <= b@])
		n *= 3 + t[0];
	for (int i = 0; @[i < c@]; i++)
		n += t[i & 3] * n;
	while (@[n > 100@])
		n /= 3;
	if (@[(a & 4) == 4@])
		n = t[1] / (n + 1000);
	if (@[10 < a@]) {
		n = t[2] / (n + 1000);
	}
	return n;
}
int main(int argc, char **argv)
{
	static const int t[4] = {1, 2, 3, 4};
	int sum = 0;
	for (int a = 0; a < 14; a++)
		for (int b = 0; b < 4; b++)
			sum += f(a, b, (a + b) % 5, t) & 7;
	return sum == atoi(argv[0]) - 1;
}
END
plain <optimised.marked >case.c
witness <optimised.marked >witness.c
must clang-19 -w -O1 -include ./tell.h witness.c -o witness
./witness >said.txt || fail "the witness fails"
told said.txt >told.txt
for options in -O1 -O2 -O3; do
	must "$waymark" cc -w -g -fwaymark-cfg=optimised $options case.c -o case
	rm -f -- *.wmraw
	must ./case
	report ./case *.wmraw
	jq '.functions |= map(select(.name == "f"))' report.json >only.json
	jq -r --arg language c "$claims" only.json | sort >claimed.txt
	# The optimiser may know an outcome without evaluating the condition, so that fewer outcomes are claimed than told.
	awk 'NR == FNR { n = $1; $1 = ""; told[$0] = n; next } { n = $1; $1 = ""; if (n > told[$0]) print n, $0 }' \
		told.txt claimed.txt >more.txt
	[ ! -s more.txt ] || { cat more.txt; echo "--- told:"; cat told.txt; fail "$options: claimed, and not told by the program"; }
	# A condition of two operands that one branch decides, and one that is inverted.
	for line in 7 9; do
		grep -q " $line: true" claimed.txt || { cat claimed.txt; fail "$options: nothing is said of line $line"; }
	done
done
