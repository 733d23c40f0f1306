# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A path that begins with its context returns to a block of the context and leaves it: the segment tells the decision of that
# block, not of the first block of the path.
cat >context.c <<'END'
static volatile int sink;
__attribute__((noinline)) static void large(int sum) { sink += sum; }
__attribute__((noinline)) static int count(int n)
{
	int sum = 0;
	while (n-- > 0)
		sum += n;
	return sum;
}
int main(void)
{
	for (int i = 0; i < 6; i++) {
		int sum = count(i);
		if (sum > 3)
			large(sum);
	}
	return 0;
}
END
"$waymark" cc -g -O1 -fwaymark-cfg=source -fwaymark-scheme=context context.c -o context
./context
"$waymark" merge *.wmraw -o context.wmprof
"$waymark" segments context.wmprof context >segments
grep -A 3 ' main ( large ) main$' segments | grep -q '14  true ' || fail "the decision before the call of large is not told: $(cat segments)"
