# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# waymark wpp: the profile of every scheme that a recording gives is the one that the instrumented build writes; hot
# sequences, ranges, segments and the page.

# agrees COMPILER SOURCE SCHEME…: one deterministic run, recorded and counted
agrees() {
	compiler=$1 source=$2
	shift 2
	mkdir -p recorded counted
	must "$waymark" $compiler -O2 -g -fwaymark-wpp "$source" -o recorded/program
	rm -f recorded.wmraw
	WAYMARK_FILE=recorded.wmraw ./recorded/program >recorded.out 2>&1 || true
	must "$waymark" wpp --compress recorded.wmwpp recorded.wmraw
	for scheme in "$@"; do
		must "$waymark" $compiler -O2 -g -fwaymark-scheme="$scheme" "$source" -o counted/program
		rm -f counted.wmraw
		WAYMARK_FILE=counted.wmraw ./counted/program >counted.out 2>&1 || true
		cmp recorded.out counted.out || fail "$source prints something else"
		computes "$scheme" counted/program recorded/program recorded.wmwpp counted.wmraw
	done
}

agrees 'cc' "$cases/language/setjmp.c" acyclic kiter=2 loopcontext
agrees 'cc' "$cases/iterations/five_iterations.c" kiter=5
agrees 'cc' "$cases/language/no_return.c" acyclic
agrees 'cc' "$cases/language/many_paths.c" acyclic kiter=2
agrees 'c++' "$cases/language/exceptions.cpp" acyclic kiter=3
across="context=cut piecewise ${WHOLE:+context piecewise=cut}"
agrees 'cc' "$cases/across/across.c" $across
agrees 'cc' "$cases/language/setjmp.c" $across
agrees 'cc' "$cases/language/no_return.c" context piecewise=cut
agrees 'c++' "$cases/across/across_throws.cpp" $across
agrees 'cc -fwaymark-cfg=optimised' "$cases/language/tail_call.c" context piecewise

# Threads, and a child that goes on with the activations of its parent.
must "$waymark" cc -O2 -g -pthread -fwaymark-wpp forks.c -o recorded/forks
WAYMARK_FILE=recorded-%p.wmraw must ./recorded/forks
must "$waymark" wpp --compress recorded.wmwpp recorded-*.wmraw
for scheme in acyclic context piecewise; do
	must "$waymark" cc -O2 -g -pthread -fwaymark-update=atomic -fwaymark-scheme=$scheme forks.c -o counted/forks
	rm -f counted-*.wmraw
	WAYMARK_FILE=counted-%p.wmraw must ./counted/forks
	computes $scheme counted/forks recorded/forks recorded.wmwpp counted-*.wmraw
	grep -q '"inherited":1' computed.txt || fail "the child inherits no activation"
done

must "$waymark" cc -O2 -g -fwaymark-wpp phases.c -o phases
WAYMARK_FILE=phases.wmraw must ./phases
must "$waymark" wpp --compress phases.wmwpp phases.wmraw
[ "$(wc -c <phases.wmwpp)" -lt "$(($(wc -c <phases.wmraw) / 50))" ] || fail "the grammar is not small"

# json FACT COMMAND…
json() {
	fact=$1
	shift
	"$@" >out.json 2>err.log || { cat err.log; fail "$*"; }
	jq -e "$fact" out.json >/dev/null || { jq -c . out.json | cut -c 1-2000; fail "does not hold: $fact"; }
}
# Raw profiles and recordings are the same to all questions.
json '.schema == "waymark.wpp/1" and (.hot | length > 3) and all(.hot[]; .share >= 1 and .share <= 100)' \
	"$waymark" wpp --json phases.wmwpp ./phases
cp out.json first.json
must "$waymark" wpp --json phases.wmraw ./phases
cmp must.log first.json || fail "the raw profile gives other hot sequences"
json 'all(.hot[]; .sequence | length >= 5)' "$waymark" wpp --json --min-length 5 --max-length 8 --share 5 phases.wmwpp ./phases
# 300 calls of grow with 0 to 49: square is called for every odd number below.
json '[.segments[] | select(.subpaths[1].function == "square") | .count] | add == 3600' \
	"$waymark" wpp --segments 1 --json phases.wmwpp ./phases
json 'any(.segments[]; .path | contains(["("]) and contains([")"]))' "$waymark" wpp --segments 2 --json phases.wmwpp ./phases
must "$waymark" wpp --dump phases.wmwpp ./phases
grep '^ *[0-9]' must.log >dump.txt
must "$waymark" wpp --range 1000..1010 phases.wmwpp ./phases
grep '^ *[0-9]' must.log >range.txt
sed -n 1001,1010p dump.txt | cmp - range.txt || fail "a range is not a part of the dump"
json "(.dump | length) == $(wc -l <dump.txt) and .entries == $(wc -l <dump.txt) and .dump[5].position == 5" "$waymark" wpp --dump --json phases.wmwpp ./phases
must "$waymark" wpp --segments 1 --html segments.page phases.wmwpp ./phases
grep -q '<code>grow ( square ) grow</code>' segments.page/index.html || fail "the page has no segments"
must "$waymark" segments --rows 100 phases.wmwpp ./phases
for begins in 'from the entry of main' 'from a loop head of main' 'from a loop head of grow'; do
	grep -q "$begins" must.log || { cat must.log; fail "no segment begins '$begins'"; }
	grep -q "$begins" segments.page/index.html || fail "no segment of the page begins '$begins'"
done
# In the picture, shrink begins where grow has ended.
must "$waymark" wpp --html page phases.wmwpp ./phases
grep -q '<svg' page/index.html || fail "the page has no picture"
for name in grow shrink; do
	sed -n "/>$name</,/<text/p" page/index.html | sed -n 's/^<rect x="\([0-9]*\)".* width="\([0-9]*\)".*/\1 \2/p' >$name.txt
	[ -s $name.txt ] || fail "$name is not in the picture"
done
last=$(awk '{ end = $1 + $2 } END { print end }' grow.txt) first=$(awk 'NR == 1 { print $1 }' shrink.txt)
[ "$first" -ge "$((last - 8))" ] || fail "shrink is drawn at $first, while grow is drawn up to $last"

# A recording says how its processes ended, also after --compress.
cat >killed.c <<'EOF'
#include <signal.h>
__attribute__((noinline)) static int work(int n) { int s = 0; while (n-- > 0) s += n & 3 ? n : 1; return s; }
int main(void) { return work(100) ? raise(SIGKILL) : 0; }
EOF
must "$waymark" cc -O2 -g -fwaymark-wpp killed.c -o killed
(WAYMARK_FILE=killed.wmraw ./killed) 2>/dev/null && fail "killed ends normally"
must "$waymark" wpp --compress killed.wmwpp killed.wmraw
for recording in killed.wmraw killed.wmwpp; do
	json '.process_ends == ["other"] and .waited_microseconds == 0' "$waymark" wpp --json $recording ./killed
	must "$waymark" wpp $recording ./killed
	grep -q '^1 process did not end by exit: it was killed, ' must.log || { cat must.log; fail "the end of $recording"; }
done
must "$waymark" wpp --html killed.page killed.wmwpp ./killed
grep -q '1 process did not end by exit' killed.page/index.html || fail "the page does not say how the process ended"
json '.process_ends == ["exit"]' "$waymark" wpp --json phases.wmwpp ./phases

# refuses SENTENCE COMMAND…
refuses() {
	sentence=$1
	shift
	! "$@" >out.log 2>&1 || fail "not refused: $*"
	grep -qF -- "$sentence" out.log || { cat out.log; fail "'$sentence' is missing: $*"; }
}
head -c 200 phases.wmwpp >short.wmwpp
refuses 'is damaged or cut short' "$waymark" wpp short.wmwpp ./phases
refuses 'is compressed already' "$waymark" wpp --compress again.wmwpp phases.wmwpp
refuses 'none of the binaries given is that build' "$waymark" wpp phases.wmwpp ./recorded/program
refuses '--as and -o belong together' "$waymark" wpp --as acyclic phases.wmwpp ./phases
refuses 'the schemes are' "$waymark" wpp --as preferential -o out.wmprof phases.wmwpp ./phases
refuses '--like belongs to' "$waymark" wpp --as context -o out.wmprof phases.wmwpp ./phases
refuses '--like belongs to' "$waymark" wpp --as acyclic --like ./phases -o out.wmprof phases.wmwpp ./phases
refuses 'a recording does not say whether the program ended by exit' \
	"$waymark" wpp --as context=pending --like ./phases -o out.wmprof phases.wmwpp ./phases
refuses 'does not count paths of the scheme context' "$waymark" wpp --as context --like ./phases -o out.wmprof phases.wmwpp ./phases
# like NAME EDIT: a build of an edited copy
like() {
	mkdir "$1"
	sed "$2" phases.c >"$1/phases.c"
	(cd "$1" && must "$waymark" cc -O2 -g -fwaymark-scheme=context phases.c -o phases)
}
like renamed 's/shrink/lessen/'
refuses 'the recording has the function shrink, and renamed/phases does not' \
	"$waymark" wpp --as context --like renamed/phases -o out.wmprof phases.wmwpp ./phases
like changed 's/x % 3 == 0/x % 3 == 0 \&\& x != 3/'
refuses 'the graph of the function square in changed/phases is not the recorded one' \
	"$waymark" wpp --as context --like changed/phases -o out.wmprof phases.wmwpp ./phases
refuses 'has no recording; compile with' "$waymark" wpp counted.wmraw ./counted/program
refuses '--range must be FROM..TO' "$waymark" wpp --range 5 phases.wmwpp ./phases
entries=$("$waymark" wpp --json phases.wmwpp ./phases | jq .entries)
refuses "the recording has $entries entries" "$waymark" wpp --range "$entries..$((entries + 1))" phases.wmwpp ./phases
[ "$("$waymark" wpp --range "$((entries - 1))..$((entries + 9))" phases.wmwpp ./phases | wc -l)" = 1 ] || fail "the last entry"
for calls in 0 65 -1 2x; do
	refuses "--segments must be from 1 to 64, not '$calls'" "$waymark" wpp --segments $calls phases.wmwpp ./phases
done
refuses '--as foo is not possible: the schemes are acyclic, kiter=K' "$waymark" wpp --as foo -o out.wmprof phases.wmwpp ./phases
! grep -q 'subpath\|preferential' out.log || fail "--as names schemes that it refuses"
