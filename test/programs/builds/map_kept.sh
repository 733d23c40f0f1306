# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A module never loses its map: what cannot be said of one function costs what is said of that function.

# compiled FILE OPTION…: without a word
compiled() {
	"$waymark" cc -w -c "$@" 2>words || { cat words; fail "$*"; }
	[ ! -s words ] || { cat words; fail "says something: $*"; }
}

# A constant comes into a phi from several cases of a switch, which are one edge of the graph.
for stage in source optimised; do
	compiled -O2 -g -fwaymark-cfg=$stage cases.c
	must "$waymark" cc -fwaymark-cfg=$stage cases.o -o cases
	rm -f cases.wmraw
	WAYMARK_FILE=cases.wmraw must ./cases
	report ./cases cases.wmraw
	expect 'total("print") == 18'
	must "$build/test/feasible" cases.wmraw ./cases
done

# A function that is refused after facts of it were found: a residual build cannot name paths over so many iterations.
cat >other.c <<'END'
int main(void) { return 0; }
END
must "$waymark" cc other.c -o other
WAYMARK_FILE=other.wmraw must ./other
must "$waymark" merge -o other.wmprof other.wmraw
for stage in source optimised; do
	compiled -O2 -g -fwaymark-cfg=$stage -fwaymark-scheme=kiter=64 -fwaymark-residual=other.wmprof refused.c
	must "$waymark" show refused.o
	"$waymark" show --json refused.o |
		jq -e '[.functions[] | [.name, .status]] | sort == [["few", "exact"], ["main", "exact"], ["many", "skipped"]]' >shown ||
		fail "what is refused is not one function: $("$waymark" show refused.o)"
done

# What no build does: a description that the map cannot hold.
cat >spoilt.c <<'END'
int kept(int n) { return n > 3 ? 1 : 2; }
int spoilt(int n) { return n > 3 ? kept(n) : 2; }
END
for scheme in acyclic piecewise; do
	WAYMARK_TEST=spoil "$waymark" cc -c -fwaymark-scheme=$scheme spoilt.c 2>words || fail "a description that is wrong"
	[ "$(cat words)" = 'waymark: function spoilt is not instrumented: the map cannot hold its facts about tested values' ] ||
		fail "$scheme: $(cat words)"
	"$waymark" show --json spoilt.o |
		jq -e '[.functions[] | [.name, .status, .reason]] == [["kept", "exact", ""], ["spoilt", "skipped", "cannot be described in the map"]]' >shown ||
		fail "$scheme: $("$waymark" show spoilt.o)"
done
