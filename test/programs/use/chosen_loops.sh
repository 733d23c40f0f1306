# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -fwaymark-k and WAYMARK_K: loops by function and line, in a list and in a file.
cat >program.c <<-END
	int main(void)
	{
		int sum = 0;
		for (int i = 0; i < 10; i++) {
			sum += i & 1 ? i : 1;
			for (int j = 0; j < 3; j++)
				sum += j;
		}
		do {
			sum--;
		} while (sum > 5);
		return sum != 5;
	}
END

# scheme_is TEXT OPTION…: compiles; what show says of main; the counts against the trace
scheme_is() {
	scheme=$1
	shift
	WAYMARK_TEST=trace must "$waymark" cc -g "$@" program.c "$build/test/trace.o" -o program
	"$waymark" show --json ./program | jq -r '.functions[0].scheme' >scheme.txt
	[ "$(cat scheme.txt)" = "$scheme" ] || fail "the scheme is $(cat scheme.txt), not $scheme"
	rm -f -- *.wmraw
	WM_TRACE_FILE=trace.txt WM_TRACE_SCHEME=$scheme must ./program
	report ./program *.wmraw
	trace_equal trace.txt
	expect 'f("main").balance.abandoned == 0 and f("main").entries == 1'
}

scheme_is kiter=1,1:2 -O1 -fwaymark-k=main:4:2
printf 'main:9:3 # the last\nm*:6:4\n' >loops
scheme_is kiter=2,12:3,6:4 -O1 -fwaymark-scheme=kiter=2 -fwaymark-k=@loops
export WAYMARK_K=main:4:3
scheme_is kiter=1,1:3 -O0
unset WAYMARK_K

"$waymark" cc -g -fwaymark-k=main:99:2 program.c -o program 2>message || fail "a choice without a loop is an error"
grep -q '^waymark: function main has no loop whose line is known at or behind line 99$' message ||
	fail "no word about a choice without a loop"

# Where no loop is iterated, a function costs what it costs under the acyclic scheme.
code() {
	must "$waymark" cc -O2 "$@" -c program.c -o program.o
	objdump -d --no-show-raw-insn program.o | sed 1,3d
}
for limit in 1 65536; do
	export WAYMARK_TEST=array-limit=$limit
	code -fwaymark-scheme=acyclic >acyclic.s
	code -fwaymark-scheme=kiter=1 >one.s
	code -fwaymark-scheme=kiter=2 >two.s
	cmp acyclic.s one.s || fail "kiter=1 is not compiled as acyclic is"
	! cmp -s acyclic.s two.s || fail "kiter=2 is compiled as acyclic is"
done
unset WAYMARK_TEST
