# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Residual builds in which paths that leave the core run in a copy, and residual and preferential builds in which frequent
# paths have copies of their own: counts as computed from two plain profiles, with functions copied whole and by their
# loops, through exceptions, calls that do not return, arrays of variable length, switches and loops in loops; and what
# cannot be copied.

profile() { # profile NAME ARGUMENT…
	profiled=$1
	shift
	rm -f run*.wmraw
	WAYMARK_FILE=run.wmraw ./build "$@" >$profiled.out || fail "$profiled does not run"
	must "$waymark" merge -o $profiled.wmprof run*.wmraw
}
blocks() { # blocks FUNCTION: of the machine code
	objdump -d --no-show-raw-insn build | awk -v name="$1" '/^[0-9a-f]+ </ { on = index($0, name) } on && /\tj|\tret/' | wc -l
}

for options in -O2 ${WHOLE:+'-O1 -g' '-O2 -fsanitize=undefined'}; do
	must "$waymark" c++ $options -fwaymark-cfg=optimised program.cpp -o build
	profile a 1 4
	profile b 20 70
	sizes=
	for way in check=core check=place check=place,copy-limit=1 check=unfolded check=cheaply; do
		export WAYMARK_TEST=$way
		must "$waymark" c++ $options -fwaymark-cfg=optimised -fwaymark-residual=a.wmprof -emit-llvm -c program.cpp -o verified.bc
		must opt-19 -passes=verify -disable-output verified.bc
		must "$waymark" c++ $options -fwaymark-cfg=optimised -fwaymark-residual=a.wmprof program.cpp -o build
		profile found 20 70
		cmp b.out found.out || fail "$options $way prints something else"
		"$build/test/sets" residual a.wmprof b.wmprof found.wmprof >sets.log 2>&1 || { cat sets.log; fail "$options $way"; }
		[ "$(sed -n 's/residual: \([0-9]*\) .*/\1/p' sets.log)" -gt 30 ] || fail "hardly any path is untested: $(cat sets.log)"
		profile again 1 4
		"$build/test/sets" residual a.wmprof a.wmprof again.wmprof >sets.log 2>&1 || { cat sets.log; fail "$options $way: the tests again"; }
		sizes="$sizes $(blocks 3run)"
	done
	set -- $sizes
	[ "$2" -gt "$1" ] && [ "$3" -gt "$1" ] && [ "$4" -gt "$1" ] || fail "$options: nothing was copied:$sizes"
done

unset WAYMARK_TEST
must "$waymark" c++ -O2 -fwaymark-cfg=optimised program.cpp -o build
profile a 1 4
profile b 20 70
sizes=
for way in check=regions check=unfolded check=unfolded,array-limit=1; do
	export WAYMARK_TEST=$way
	must "$waymark" c++ -O2 -fwaymark-cfg=optimised -fwaymark-interesting=a.wmprof program.cpp -o build
	profile found 20 70
	cmp b.out found.out || fail "preferential $way prints something else"
	"$build/test/sets" equal b.wmprof found.wmprof >sets.log 2>&1 || { cat sets.log; fail "preferential $way"; }
	sizes="$sizes $(blocks 3run)"
done
unset WAYMARK_TEST
set -- $sizes
[ "$2" -gt "$1" ] && [ "$3" -gt "$1" ] || fail "no path was unfolded:$sizes"
