# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Paths that cannot run are recognised, and no path that can: the possible paths of small functions are exactly those that
# some input takes, and those that are called likely infeasible.  The functions are run with every input that matters.
cat >p.c <<'END'
#include <stdbool.h>
struct pair { int kind, n; };
int global;
void touch(void) { global = global * 5 + 1; }
/* The same variable, compared with constants. */
int constants(int n) { int r = 0; if (n == 3) r = 1; else r = 2; if (n > 5) r += 10; if (n >= 3) r += 20; return r; }
/* Unsigned and narrow types. */
int narrow(unsigned char c) { int r = 0; if (c > 250) r = 1; if (c < 10) r += 2; if (c == 255) r += 4; return r; }
/* A variable that is set to constants. */
int flag(int n) { bool found = false; if (n > 3) found = true; touch(); if (found) return 1; return 2; }
/* Two variables, compared with each other. */
int order(int a, int b) { int r = 0; if (a < b) r = 1; if (b <= a) r += 2; if (a == b) r += 4; return r; }
/* A switch, and what is known after it. */
int choice(char c) { int r; switch (c) { case 1: case 2: r = 1; break; case 3: r = 2; break; default: r = 3; } if (c == 3) r += 10; if (c < 2) r += 20; return r; }
/* A member of a structure, while another member is changed. */
int member(struct pair *p) { int r = 0; if (p->kind == 1) r = 1; p->n = 4; if (p->kind != 1) r += 2; return r; }
/* What changes between the tests, or may. */
int changed(int n) { int r = 0; if (n == 3) r = 1; n += 2; if (n == 3) r += 2; return r; }
int called(void) { int r = 0; if (global == 1) r = 1; touch(); if (global == 1) r += 2; return r; }
/* A floating-point number that is not one is neither less nor not less. */
int real(double x) { int r = 0; if (x < 1) r = 1; if (x >= 1) r += 2; return r; }
/* A condition in a loop. */
int scan(const int *a, int n) { int i = 0; while (i < n && a[i]) i++; if (i == 0) return 0; return i; }
int main(void)
{
	double zero = 0;
	for (int n = -2; n < 300; n++) {
		struct pair p = {n, 0};
		constants(n), narrow((unsigned char)n), flag(n), choice((char)n), member(&p), changed(n), real(n);
		for (int m = -2; m < 2; m++)
			order(n, m);
	}
	real(zero / zero);
	for (global = -1; global < 3;) {
		int before = global;
		called();
		global = before + 1;
	}
	global = 0;
	called();
	for (int n = 0; n < 4; n++)
		for (int m = 0; m < 8; m++)
			scan((int[]){m & 1, m & 2, m & 4}, n < 3 ? n : 3);
	return 0;
}
END
for level in -O0 -O2; do
	"$waymark" cc $level -g p.c -o p
	rm -f p.wmraw
	WAYMARK_FILE=p.wmraw ./p
	"$waymark" merge -o p.wmprof p.wmraw
	"$waymark" report --json p.wmprof p >report.json
	"$build/test/feasible" p.wmprof p || fail "an executed path is called infeasible at $level"
	for function in constants narrow flag order choice member changed real called; do
		paths=$(jq -r ".functions[] | select(.name == \"$function\") | .paths_possible" report.json)
		jq -r ".functions[] | select(.name == \"$function\") | .paths[].id" report.json | sort >ran
		: >infeasible
		for id in $(seq 0 $((paths - 1))); do
			"$waymark" show --json --path "$function:$id" p >path.json
			[ "$(jq -r '.functions[0].paths[0].likely_infeasible' path.json)" = null ] || echo "$id" >>infeasible
		done
		sort -o infeasible infeasible
		seq 0 $((paths - 1)) | sort >possible
		sort ran infeasible >both
		case $function in
		called)
			# Another function may change the variable to anything.
			[ ! -s infeasible ] || fail "$function at $level: $(cat infeasible)"
			;;
		changed)
			# What is computed from the value is not followed: n == 3 before and after n += 2.
			[ ! -s infeasible ] || fail "$function at $level: $(cat infeasible)"
			;;
		*)
			cmp -s both possible || fail "$function at $level: ran $(tr '\n' ' ' <ran), infeasible $(tr '\n' ' ' <infeasible) of $paths"
			[ -s infeasible ] || [ $function = real ] || fail "$function at $level: nothing is infeasible"
			;;
		esac
	done
done
# The words.
"$waymark" show --path "member:$("$waymark" report --json p.wmprof p | jq -r '[.functions[] | select(.name == "member") | range(.paths_possible) as $i | select([.paths[].id] | index($i) | not) | $i][0]')" p >words
grep -q 'likely infeasible: after line 16, the decision in line 16 cannot go this way' words || fail "$(cat words)"

# What looks like another member or like a bool, and is not: a store that reaches into the next member, and a bit of a byte.
cat >wide.c <<'END'
struct s { int k, x, y, z; };
__attribute__((noinline)) int wide(struct s *p, long v)
{
	int r = 0;
	if (p->y == 3) r = 1; else r = 2;
	*(long *)&p->x = v;
	if (p->y == 3) r += 10; else r += 20;
	return r;
}
int main(void) { struct s s = {.y = 3}; return wide(&s, 1) != 21; }
END
cat >bits.c <<'END'
#include <stdbool.h>
#include <stdio.h>
struct f { bool a : 1, b : 1; };
__attribute__((noinline)) int bits(struct f *p, int n)
{
	if (n == 1) { puts("one"); *p = (struct f){0, 1}; }
	else if (n == 2) puts("x");
	else if (n == 3) puts("y");
	if (p->a) { puts("a"); putchar('A'); } else fflush(stdout);
	return 0;
}
int main(void) { for (int n = 0; n < 5; n++) { struct f f = {0, 1}; bits(&f, n); } }
END
for case in 'wide -O0 source' 'wide -O1 source' 'bits -O1 optimised' 'bits -O1 source'; do
	set -- $case
	must "$waymark" cc $2 -fwaymark-cfg=$3 -fno-strict-aliasing -g $1.c -o $1
	rm -f $1.wmraw
	WAYMARK_FILE=$1.wmraw must ./$1
	must "$build/test/feasible" $1.wmraw $1
done
