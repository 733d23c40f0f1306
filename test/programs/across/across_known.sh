# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Residual and preferential builds of paths across calls: a residual build counts exactly the paths that `waymark residual
# --tested` finds in two profiles of a plain build, a preferential build counts what a plain build counts.
tests='8 3 0..200'
field='27 -1 8 3 15 150..900'

# run PROGRAM FILE WORD…: FILE receives the raw profile
run() {
	program=$1
	file=$2
	shift 2
	rm -f "$file"
	WAYMARK_FILE="$file" "./$program" "$@" >output.txt || fail "$program returns $?"
}
# counts FILE: id and count of every path
counts() {
	"$build/test/runtime/rawdump" "$1" | awk '$1 == "path" { print $4, $5 }' | sort -n
}
# tables PROGRAM ARGUMENT…: how many hash tables it makes, by the magic of WM_TABLE_MAGIC
tables() {
	rm -f killed.wmraw
	WAYMARK_FILE=killed.wmraw KILLED=1 "./$@" >output.txt 2>&1 || [ $? = 137 ] || fail "$1 is not killed"
	grep -ao WMTABLE killed.wmraw | wc -l
}
# untested ARGUMENT…: the same of every path that `waymark residual` prints
untested() {
	"$waymark" residual --json "$@" >residual.json 2>residual.log || { cat residual.log; fail "residual $*"; }
	jq -r '.functions[].paths[] | "\(.id) \(.count)"' residual.json | sort -n
}
# warns TEXT COMMAND…: succeeds with one line on stderr, which has this text
warns() {
	wanted=$1
	shift
	"$@" 2>warning.txt || { cat warning.txt; fail "exit code $?: $*"; }
	[ "$(wc -l <warning.txt)" -eq 1 ] && grep -q "$wanted" warning.txt ||
		{ cat warning.txt; fail "expected only: $wanted"; }
}

# check SCHEME FLAGS…: with the flags for compiling and linking
check() {
	cc="$waymark cc -fwaymark-scheme=$*"
	rm -rf plain residual
	mkdir -p plain residual
	must $cc -c main.c part.c
	must $cc main.o part.o -o plain/program
	run plain/program tests.wmraw $tests
	run plain/program field.wmraw $field
	cp output.txt plain.txt
	must "$waymark" merge -o tests.wmprof tests.wmraw
	untested --tested tests.wmprof field.wmraw plain/program >expected.txt
	[ -s expected.txt ] || fail "$*: the field takes no untested path"
	must $cc -fwaymark-residual=tests.wmprof -c main.c part.c
	must $cc -fwaymark-residual=tests.wmprof main.o part.o -o residual/program
	[ ! -s must.log ] || { cat must.log; fail "the link of a residual build prints something"; }
	run residual/program residual.wmraw $field
	cmp -s output.txt plain.txt || fail "$*: the residual build prints something else"
	untested residual.wmraw residual/program >got.txt
	cmp expected.txt got.txt || { diff expected.txt got.txt | head; fail "$*: the residual build counts other paths"; }
	untested --tested tests.wmprof residual.wmraw residual/program >got.txt
	cmp expected.txt got.txt || fail "$*: a path that was counted as untested is tested"
	jq -e '.residual and all(.functions[].paths[]; .first_seen > 1600000000000000 and .pid > 0)' residual.json >jq.log ||
		fail "$*: some path has no time or process"
	run residual/program quiet.wmraw $tests
	[ -z "$(counts quiet.wmraw)" ] || fail "$*: the residual build counts tested paths: $(counts quiet.wmraw)"
}

for scheme in context piecewise; do
	for flags in -O0 '-O2 -fwaymark-cfg=optimised' '-O2 -fuse-ld=lld -flto' '-O1 -fuse-ld=bfd -static' \
		${WHOLE:+'-O1 -g -fuse-ld=lld -ffunction-sections -Wl,--gc-sections' '-O1 -fuse-ld=bfd -no-pie'}; do
		check $scheme $flags
	done
	check $scheme=cut -O1

	# Threads: one path that several of them take first is one path, and no count is lost.
	must $waymark cc -fwaymark-scheme=$scheme -fwaymark-update=atomic main.c part.c -o plain/program
	run plain/program tests.wmraw $tests
	run plain/program field.wmraw t $field
	must "$waymark" merge -o tests.wmprof tests.wmraw
	untested --tested tests.wmprof field.wmraw plain/program >expected.txt
	must $waymark cc -fwaymark-scheme=$scheme -fwaymark-residual=tests.wmprof main.c part.c -o residual/program
	run residual/program residual.wmraw t $field
	untested residual.wmraw residual/program >got.txt
	cmp expected.txt got.txt || fail "$scheme: with threads the residual build counts other paths"

	# All reports take such a profile.
	report residual/program residual.wmraw
	expect 'any(.functions[]; .residual and (.paths | length) > 0)'
	"$waymark" report residual.wmraw residual/program >report.txt 2>&1 || fail "$scheme: report"
	grep -q 'only untested paths were counted' report.txt || fail "$scheme: the report does not say what was counted"

	# A profile of another program, of another scheme, and one that only the compiler was given.
	sed 's/n % 5 == 0/n % 5 == 0 \&\& n > 9/' part.c >changed.c
	cc="$waymark cc -fwaymark-scheme=$scheme"
	warns "note: changed counts all paths as untested: the profile is not of a program with the same functions" \
		$cc -fwaymark-residual=tests.wmprof main.c changed.c -o changed
	run changed changed.wmraw $field
	must $cc main.c changed.c -o plain/changed
	run plain/changed whole.wmraw $field
	counts whole.wmraw >expected.txt
	counts changed.wmraw >got.txt
	cmp expected.txt got.txt || fail "$scheme: with a profile of another program, not all paths are counted"
	warns "no path of changed is interesting: the profile is not of a program with the same functions" \
		$cc -fwaymark-interesting=tests.wmprof main.c changed.c -o changed
	must $cc -fwaymark-residual=tests.wmprof -c main.c part.c
	warns 'given to the compiler, but not to the link' $cc main.o part.o -o forgotten
	must $cc=cut -fwaymark-residual=tests.wmprof -c part.c -o cut.o
	warns 'the program has paths of several schemes' $cc -fwaymark-residual=tests.wmprof main.o cut.o -o mixed
	must clang-19 main.o part.o -o alone "-Wl,-T,$build/waymark.ld" "$build/libwaymark_rt.a"
	run alone alone.wmraw $tests
	[ -n "$(counts alone.wmraw)" ] || fail "$scheme: a file that is numbered alone knows tested paths"

	# Two programs with the same functions: what the other one took is tested if all its sources are the same, or if the
	# user says so.
	{ cat main.c && echo '/* another file */'; } >main2.c
	mkdir -p other third && mv main2.c other/main.c
	sed 's/? 1 : 2/? 1 : 3/' main.c >third/main.c
	for case in main.c::tested other/main.c::tested third/main.c::untested third/main.c:--any-program:tested; do
		source=${case%%:*} any=${case#*:} any=${any%:*}
		must $cc $source part.c -o plain/other
		run plain/other few.wmraw $tests
		must "$waymark" merge $any -o tests.wmprof few.wmraw
		$cc -fwaymark-residual=tests.wmprof main.c part.c -o residual/program 2>warnings || fail "$scheme: $case does not compile"
		run residual/program residual.wmraw $tests
		counts residual.wmraw >all.txt
		[ "$([ -s all.txt ] && echo untested || echo tested)" = "${case##*:}" ] || fail "$scheme: $case: $(cat all.txt)"
	done

	# A preferential build: the same counts; the hash tables have their final size from the start.
	must $cc main.c part.c -o plain/program
	run plain/program field.wmraw $field
	counts field.wmraw >expected.txt
	must "$waymark" merge -o field.wmprof field.wmraw
	must $cc -fwaymark-interesting=field.wmprof main.c part.c -o preferential
	run preferential preferential.wmraw $field
	counts preferential.wmraw >got.txt
	cmp expected.txt got.txt || fail "$scheme: the preferential build counts something else"
	plain=$(tables plain/program $field)
	known=$(tables preferential $field)
	[ "$known" -lt "$plain" ] || fail "$scheme: the preferential build has $known hash tables, the plain build $plain"
done

# Builds with different profiles are different builds.
cc="$waymark cc -fwaymark-scheme=context"
must "$waymark" merge -o tests.wmprof tests.wmraw
must $cc -fwaymark-residual=tests.wmprof main.c part.c -o residual/one
must $cc -fwaymark-residual=field.wmprof main.c part.c -o residual/two
id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
[ "$(id residual/one)" != "$(id residual/two)" ] || fail "builds with different profiles have the same build-id"

# The callback names the path as `waymark show` does.
must $cc -g told.c -o told
run told told.wmraw 1
must "$waymark" merge -o told.wmprof told.wmraw
must $cc -g -fwaymark-residual=told.wmprof told.c -o told
run told quiet.wmraw 1 2>told.txt
[ ! -s told.txt ] || fail "the callback was told of a tested path: $(cat told.txt)"
run told field.wmraw -1 2>told.txt
[ "$(wc -l <told.txt)" -eq 1 ] || fail "the callback was told: $(cat told.txt)"
"$waymark" show --path "$(cat told.txt)" told >show.txt 2>&1 || { cat show.txt; fail "show --path $(cat told.txt)"; }

# Shared objects have sets of their own.
must $cc -fPIC -shared part.c -o libpart.so
must $cc main.c ./libpart.so -o shared
rm -f s-*.wmraw
WAYMARK_FILE=s-%p.wmraw ./shared $tests >output.txt || fail "shared"
must "$waymark" merge -o shared.wmprof s-*.wmraw
must $cc -fPIC -shared -fwaymark-residual=shared.wmprof part.c -o libpart.so
must $cc -fwaymark-residual=shared.wmprof main.c ./libpart.so -o shared
rm -f s-*.wmraw
WAYMARK_FILE=s-%p.wmraw ./shared $tests >output.txt || fail "shared"
for file in s-*.wmraw; do
	[ -z "$(counts "$file")" ] || fail "$file has tested paths"
done
rm -f s-*.wmraw
WAYMARK_FILE=s-%p.wmraw ./shared $field >output.txt || fail "shared"
[ "$(cat s-*.wmraw | wc -c)" -gt 0 ] || fail "nothing was written"
must "$waymark" merge -o shared-field.wmprof s-*.wmraw
untested shared-field.wmprof shared libpart.so >got.txt
[ "$(wc -l <got.txt)" -ge 10 ] || fail "a shared object counts few untested paths"

# Edge coverage sees an untested path if any function on it has an untested edge, not only the one in which it begins.
for scheme in context piecewise; do
	must "$waymark" cc -O1 -g -fwaymark-scheme=$scheme pairs.c -o pairs
	for n in 0 1 2 3; do
		rm -f pairs$n.wmraw
		WAYMARK_FILE=pairs$n.wmraw must ./pairs $n
	done
	hidden() { "$waymark" residual --json "$@" ./pairs | jq -r '.summary | "\(.untested_paths) \(.untested_edges > 0) \(.untested_paths_in_functions_without_untested_edges)"'; }
	[ "$(hidden --tested pairs0.wmraw pairs1.wmraw)" = "1 true 0" ] || fail "$scheme: a path with an untested edge in a callee is called hidden"
	[ "$(hidden --tested pairs1.wmraw --tested pairs2.wmraw pairs3.wmraw)" = "1 false 1" ] || fail "$scheme: a path without an untested edge is not called hidden"
	"$waymark" residual --tested pairs0.wmraw pairs1.wmraw ./pairs >pairs.txt
	! grep -q 'cannot see' pairs.txt || fail "$scheme: the report says that edge coverage cannot see an untested edge"
done
