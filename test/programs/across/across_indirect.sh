# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -fwaymark-indirect: what it refuses, which targets it chooses with and without a profile, and targets in other files.
cat >table.h <<'EOF'
typedef long operation(long);
operation alpha, beta, gamma_, delta, omega;
extern operation *const table[5];
EOF
cc="$waymark cc -O2 -fwaymark-scheme=piecewise"

# targets PROGRAM: the callees of apply(), in the order of the chain, with what became of the calls
targets() {
	"$waymark" show --calls --json "$1" | jq -r '[.functions[] | select(.name == "apply") | .calls[] | "\(.callee) \(.crossed)"] | join(", ")'
}

# chosen OPTIONS EXPECTED: compiles with these options
chosen() {
	must $cc $1 main.c operations.c -o chosen
	got=$(targets ./chosen)
	[ "$got" = "$2" ] || fail "$1: apply calls $got"
}

for graph in source optimised; do
	chosen "-fwaymark-cfg=$graph" 'null false'
	chosen "-fwaymark-cfg=$graph -fwaymark-indirect=off" 'null false'
	chosen "-fwaymark-cfg=$graph -fwaymark-indirect=targets -g -Xclang -llvm-verify-each" \
		'alpha true, beta true, delta true, null false'
done
chosen "-fwaymark-indirect=targets -flto" 'alpha true, beta true, delta true, null false'
chosen "-fwaymark-indirect=targets -flto=thin" 'alpha true, beta true, delta true, null false'
chosen "-fwaymark-indirect=targets -fPIC" 'alpha true, beta true, delta true, null false'
# In a shared object, other definitions may replace those that it exports.
must $cc -fwaymark-indirect=targets -shared -fPIC main.c operations.c -o shared.so
! targets ./shared.so | grep true || fail "a shared object crosses calls of what it exports"
# Functions that are not instrumented are no targets.
echo alpha >deny
must $cc -fwaymark-indirect=targets -fwaymark-deny=deny -x c - -o denied <<'EOF'
#include "main.c"
#include "operations.c"
EOF
[ "$(targets ./denied)" = 'beta true, delta true, gamma_ true, null false' ] || fail "denied: $(targets ./denied)"

# The graph has other blocks, so it has another hash.
hash_of() {
	must $cc -fwaymark-indirect=$1 main.c operations.c -o hashed
	"$waymark" show --json ./hashed | jq -r '.functions[] | select(.name == "apply") | .graph_hash'
}
[ "$(hash_of off)" != "$(hash_of targets)" ] || fail "the hash of the graph does not cover chains"

# Of a profile the hottest are first, and what did not run is left out: of whatever scheme the profile is.
for scheme in acyclic context; do
	must "$waymark" cc -O2 -fwaymark-scheme=$scheme main.c operations.c -o earlier
	rm -f earlier.wmraw
	WAYMARK_FILE=earlier.wmraw must ./earlier
	must "$waymark" merge -o earlier.wmprof earlier.wmraw
	chosen "-fwaymark-indirect=targets -fwaymark-weights=earlier.wmprof" \
		'omega true, alpha true, beta true, null false'
	rm -f earlier.wmraw
	WAYMARK_FILE=earlier.wmraw must ./earlier 3
	must "$waymark" merge -o earlier.wmprof earlier.wmraw
	chosen "-fwaymark-indirect=targets -fwaymark-weights=earlier.wmprof" 'omega true, null false'
done

# refused TEXT OPTION…
refused() {
	text=$1
	shift
	! "$waymark" cc "$@" -c main.c 2>log || fail "accepted: $*"
	[ "$(wc -l <log)" -eq 1 ] && grep -qF -- "$text" log || { cat log; fail "$*: not one sentence"; }
}
refused 'needs paths that cross calls: add -fwaymark-scheme=context or piecewise' -fwaymark-indirect=targets
refused 'needs paths that cross calls' -fwaymark-indirect=targets -fwaymark-scheme=kiter=2
refused "unknown value 'all' for -fwaymark-indirect: valid are off, targets" -fwaymark-indirect=all -fwaymark-scheme=context
must "$waymark" cc -fwaymark-indirect=off -c main.c
