# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An outcome is told of the condition as the source writes it, negated or not.
cat >case.c <<'END'
static int f(int a, int b)
{
	int n = 0;
	if (!a)
		n = 1;
	if (!(a && b))
		n += 2;
	while (!(n > 3))
		n++;
	return !b ? n : -n;
}
int main(void)
{
	return f(0, 1) != -4;
}
END
for level in -O0 -O2; do
	must "$waymark" cc $level case.c -o case
	rm -f -- *.wmraw
	must ./case
	report ./case *.wmraw
	expect '[f("f").paths[] | select(.start == "entry") | .decisions[] | {line, outcome}]
		== [{line: 4, outcome: "true"}, {line: 6, outcome: "true"}, {line: 8, outcome: "true"}]'
	expect '[f("f").paths[] | select(.end == "return") | .decisions[] | {line, outcome}]
		== [{line: 8, outcome: "false"}, {line: 10, outcome: "false"}]'
done
