# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Superblocks of -fwaymark-use.  Figure 2.1 of the thesis: by the counts of edges, a decision has both outcomes equally often; by
# paths, its outcome follows from an earlier decision.  After formation the second decision is gone from the optimised code.  With
# edges alone it is not, because the code between the decisions is too large for LLVM to copy.
cat >figure.c <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>
static unsigned long table[256];
__attribute__((noinline)) void one(unsigned long x) { table[x & 255] += 3; }
__attribute__((noinline)) void two(unsigned long x) { table[x & 127] ^= 5; }
__attribute__((noinline)) unsigned long decide(int *v, unsigned long x, int n)
{
	unsigned long sum = 0;
	int kind;
	if (n & 1) {
		kind = 1;
		one(x);
	} else {
		kind = 2;
		two(x);
	}
	sum += table[x & 255], v[2] ^= (int)x, x ^= x >> 7, sum += table[(x >> 8) & 255];
	v[3] += (int)sum, x += sum * 13, sum ^= table[(x >> 3) & 255], v[4] += (int)(x >> 2);
	v[5] ^= (int)(sum << 1), v[6] += v[4] * v[5];
	if (kind == 1)
		one(sum);
	else
		two(sum);
	return sum + x;
}
int main(int argc, char **argv)
{
	int v[8] = {0};
	unsigned long sum = 0;
	for (int i = 0; i < 256; i++)
		table[i] = i * 2654435761u;
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 10000); i++)
		sum += decide(v, sum, (int)(sum >> 5));
	printf("%lu %d\n", sum, v[6]);
	return 0;
}
END_OF_C

train() { # train SCHEME FILE: file.wmprof
	must "$waymark" cc -O2 -fwaymark-scheme=$1 $2.c -o trained
	rm -f run.wmraw
	WAYMARK_FILE=run.wmraw ./trained >expected
	must "$waymark" merge -o $2.wmprof run.wmraw
}
use() { # use FILE OPTION…: the program prints the same
	local file=$1
	shift
	must "$waymark" cc -O2 -fwaymark-use=$file.wmprof "$@" $file.c -o used
	./used >actual
	cmp -s expected actual || fail "the program prints something else with $*"
}
branches() { # branches FUNCTION OPTION…: in its optimised code
	local function=$1
	shift
	must "$waymark" cc -O2 -S -emit-llvm "$@" -o final.ll
	sed -n "/^define.*@$function(/,/^}/p" final.ll | grep -cE '^  (br i1|switch) '
}

train acyclic figure
edges=$(branches decide -fwaymark-use=figure.wmprof -fwaymark-superblocks=100 figure.c)
superblocks=$(branches decide -fwaymark-use=figure.wmprof figure.c)
[ "$edges" = 2 ] || fail "with edges alone the function has $edges decisions instead of 2"
[ "$superblocks" = 1 ] || fail "with superblocks the function has $superblocks decisions instead of 1"
use figure -Rpass=waymark
grep -q 'superblock: copied the blocks behind the first of .* which ran [0-9]* times.*the last decision has one outcome' must.log ||
	fail "no remark about a superblock: $(cat must.log)"
grep -q '2 superblocks: the function grows from' must.log || fail "no remark about growth"
use figure -fwaymark-superblocks=100 -Rpass=waymark
! grep -q superblock must.log || fail "superblocks are formed without growth"
use figure -fwaymark-superblocks=101 -Rpass-missed=waymark
grep -q '2 superblocks are not formed' must.log || fail "no remark about the limit: $(cat must.log)"
use figure -Os -Rpass=waymark
! grep -q superblock must.log || fail "superblocks are formed at -Os"

must "$waymark" cc -O2 -fwaymark-cfg=optimised figure.c -o trained
rm -f run.wmraw
WAYMARK_FILE=run.wmraw ./trained >expected
WAYMARK_TEST=superblocks=all must "$waymark" cc -O2 -fwaymark-cfg=optimised -fwaymark-use=run.wmraw -Rpass=waymark figure.c -o used
! grep -q superblock must.log || fail "superblocks are formed after optimisation"

# What an iteration decides for the next one: the state of a state machine.  Paths over several iterations show it.
cat >machine.c <<'END_OF_C'
#include <stdio.h>
__attribute__((noinline)) unsigned scan(const char *p, unsigned count[3])
{
	enum { SPACE, WORD, NUMBER } state = SPACE;
	unsigned hash = 0;
	for (; *p; p++)
		switch (state) {
		case SPACE:
			state = *p == ' ' ? SPACE : *p <= '9' ? NUMBER : WORD;
			break;
		case WORD:
			hash = hash * 31 + *p;
			if (*p == ' ')
				count[0]++, state = SPACE;
			break;
		case NUMBER:
			hash += *p;
			if (*p == ' ')
				count[1]++, state = SPACE;
			break;
		}
	return hash;
}
int main(void)
{
	unsigned count[3] = {0}, hash = 0;
	for (int i = 0; i < 200; i++)
		hash += scan("the quick brown fox jumps over 1234 lazy dogs and 99 others ", count);
	printf("%u %u %u\n", hash, count[0], count[1]);
	return 0;
}
END_OF_C
for scheme in acyclic loopcontext kiter=2 kiter=3; do
	train $scheme machine
	for evidence in determined hot all; do
		for size in 150 400; do
			WAYMARK_TEST=superblocks=$evidence use machine -fwaymark-superblocks=$size -Rpass=waymark
		done
	done
	use machine -Rpass=waymark
	case $scheme in
	kiter=*) grep -q 'the last decision has one outcome' must.log || fail "$scheme: the state is not decided: $(cat must.log)" ;;
	esac
done
