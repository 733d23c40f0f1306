#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same_functions.sh BUILD: a library, its unit tests and an application that contains it.  What the unit tests take in the
# library is tested in the application; the two `main`s, which have one graph and one file name, stay two functions.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

mkdir tests app
main() { # COMMENT CALLS ELSE
	printf '/* %s */\nint kind(int, int);\nint main(int argc, char **argv)\n{\n\tint s = 0;\n\t(void)argv;\n' "$1"
	printf '\tif (argc > 1)\n\t\ts += %s;\n\telse\n\t\ts += %s;\n\treturn s > 1000;\n}\n' "$2" "$3"
}
main tests 'kind(2, 2)' 'kind(3, 2)' >tests/main.c
# with an argument one path of kind is new; without one, all of them are tested
main app 'kind(3, 2) + kind(1, 1)' 'kind(2, 2)' >app/main.c

build() { # OPTIONS
	# shellcheck disable=SC2086
	for program in tests app; do
		"$waymark" cc -O1 $1 -c kind.c -o $program/kind.o
		"$waymark" cc -O1 $1 $program/main.c $program/kind.o -o $program/$program
	done
	rm -f ./*.wmraw
	WAYMARK_FILE=one.wmraw tests/tests
	WAYMARK_FILE=two.wmraw tests/tests x
	WAYMARK_FILE=field.wmraw app/app x
	WAYMARK_FILE=quiet.wmraw app/app
	"$waymark" merge -o tests.wmprof one.wmraw two.wmraw >/dev/null
}
untested='[.functions[] | select(.untested_paths > 0) | {name, paths: (.paths | length)}] | sort_by(.name)'

# clang writes checksums only into DWARF 5; for the others the plugin reads the file
for options in -g '' '-g -gdwarf-4' '-g -O0'; do
	build "$options"
	json "$untested == [{\"name\": \"kind\", \"paths\": 1}, {\"name\": \"main\", \"paths\": 1}]" \
		"$waymark" residual --json --tested tests.wmprof field.wmraw app/app
	says 'none of the programs given (tests): ' "$waymark" residual --tested tests.wmprof field.wmraw app/app
	says 'the same source here and ' "$waymark" residual --tested tests.wmprof field.wmraw app/app
	json "$untested == [{\"name\": \"main\", \"paths\": 1}]" "$waymark" residual --json --tested tests.wmprof quiet.wmraw app/app
	# a residual build leaves the same paths
	# shellcheck disable=SC2086
	"$waymark" cc -O1 $options -fwaymark-residual=tests.wmprof app/main.c kind.c -o app/residual 2>warnings
	[ ! -s warnings ] || fail "$options: $(cat warnings)"
	WAYMARK_FILE=residual.wmraw app/residual x
	json '[.functions[].paths[]?] | length == 2' "$waymark" report --json residual.wmraw app/residual
	for tests in '' '--tested tests.wmprof'; do
		json "$untested == [{\"name\": \"kind\", \"paths\": 1}, {\"name\": \"main\", \"paths\": 1}]" \
			"$waymark" residual --json $tests residual.wmraw app/residual
		json '[.notes[] | select(contains("counted as untested"))] == []' "$waymark" residual --json $tests residual.wmraw app/residual
	done
done

# an interesting build numbers the paths that the unit tests took: it counts the same
build -g
"$waymark" cc -O1 -g -fwaymark-interesting=tests.wmprof app/main.c kind.c -o app/interesting
WAYMARK_FILE=interesting.wmraw app/interesting x
for binary in app interesting; do
	"$waymark" report --json "$([ $binary = app ] && echo field || echo interesting).wmraw" app/$binary |
		jq '[.functions[] | {name, paths: [.paths[] | {id, count}]}] | sort_by(.name)' >$binary.paths
done
cmp app.paths interesting.paths || fail "an interesting build counts something else"
json '[.functions[].name] | sort == ["half", "kind"]' "$waymark" show --json --interesting tests.wmprof app/app

# tests: with both binaries, kind is one function
json '.functions == 4 and (.tests | length) == 3' "$waymark" tests --json --scope=all one.wmraw two.wmraw field.wmraw tests/tests app/app
for binaries in '' 'tests/tests app/app'; do
	# kind and half once, main twice; the application takes a path of kind that the unit tests do not
	# shellcheck disable=SC2086
	json '.functions == 4 and .paths == 8 and ([.tests[] | select(.name == "quiet") | .only_here] == [1])' \
		"$waymark" tests --json --scope=all one.wmraw two.wmraw field.wmraw quiet.wmraw $binaries
done
# with the application alone, the unit tests are judged by what they share with it
json '[.tests[] | select(.name == "one") | [.judged, .redundant]] == [[true, true]]' \
	"$waymark" tests --json one.wmraw field.wmraw app/app

# report: each binary for itself
json '[.functions[] | select(.name == "kind") | .executions] | sort == [1, 2]' \
	"$waymark" report --json one.wmraw field.wmraw tests/tests app/app
says 'the profile has no counts of app/app; it has counts of tests' "$waymark" report tests.wmprof app/app

# segments: those of kind and half are tested, except one; those of main are not, where they go through calls of kind
for options in -fwaymark-segments=1 -fwaymark-wpp -fwaymark-scheme=piecewise; do
	build "-g $options"
	for run in field:1 quiet:0; do
		json "[.untested[].path[0] | select(startswith(\"kind:\"))] | length == ${run#*:}" \
			"$waymark" segments --json --tested one.wmraw --tested two.wmraw ${run%:*}.wmraw app/app tests/tests
	done
	[ $options = -fwaymark-segments=1 ] ||
		json '[.untested[].path[0] | select(startswith("main@app:"))] | length > 0' \
			"$waymark" segments --json --tested one.wmraw --tested two.wmraw quiet.wmraw app/app tests/tests
	json '.untested == []' "$waymark" segments --any-program --json --tested one.wmraw --tested two.wmraw quiet.wmraw app/app tests/tests
done
build -g\ -fwaymark-segments=1
json '.summary.untested_segments == 1' "$waymark" segments --json --tested tests.wmprof field.wmraw app/app

# How many executions of each function a residual build of app/main.c and kind.c counts
counted() { # FUNCTIONS-AND-COUNTS OPTIONS
	# shellcheck disable=SC2086
	"$waymark" cc -O1 $2 -fwaymark-residual=tests.wmprof app/main.c "$PWD/kind.c" -o app/residual 2>warnings
	[ ! -s warnings ] || fail "$2: $(cat warnings)"
	rm -f residual.wmraw
	WAYMARK_FILE=residual.wmraw app/residual x
	json "([.functions[] | select(.paths != []) | \"\(.name)=\([.paths[].count] | add)\"] | sort | join(\" \")) == \"$1\"" \
		"$waymark" report --json residual.wmraw app/residual
}

# Another function of the file changes, or something that is not compiled: the functions are the same, also in a build that has
# other options.  A function whose own text has another meaning is another one, and so is one that uses a macro that does.
build -g
cp kind.c unchanged.c
{
	printf '#include <assert.h>\n\n\n/* lines */\nint other(int a)\n{\n\tassert(a > 1);\n\treturn a * 3;\n}\n'
	cat unchanged.c
} >kind.c
for options in -g '' '-g -O0' '-g -DNOTHING'; do
	counted 'kind=1 main=1' "$options"
done
sed 's/a \/ 2/a \/ 3/' unchanged.c >kind.c
counted 'half=2 kind=1 main=1' -g
sed 's/k += 2/k += TWO/; 1i #define TWO 2' unchanged.c >kind.c
counted 'kind=1 main=1' -g
sed 's/k += 2/k += TWO/; 1i #define TWO 3' unchanged.c >kind.c
counted 'kind=2 main=1' -g
# the tool compares as the compiler does
{
	cat unchanged.c
	echo 'int other(int a) { return a; }'
} >kind.c
"$waymark" cc -O1 -g app/main.c kind.c -o app/other
WAYMARK_FILE=other.wmraw app/other x
json "$untested == [{\"name\": \"kind\", \"paths\": 1}, {\"name\": \"main\", \"paths\": 1}]" \
	"$waymark" residual --json --tested tests.wmprof other.wmraw app/other
json '.functions == 4 and (.tests | length) == 3' "$waymark" tests --json --scope=all one.wmraw two.wmraw other.wmraw tests/tests app/other
cp unchanged.c kind.c

# Code behind #line: the file that was compiled stands for the one that is named, and it need not be there.
for options in -g '' '-g -gdwarf-4'; do
	# shellcheck disable=SC2086
	"$waymark" cc -O1 $options gram.c -o gram
	rm -f gram*.wmraw
	WAYMARK_FILE=gram.wmraw ./gram 1 5 -5
	"$waymark" merge -o gram.wmprof gram.wmraw >/dev/null
	for level in -O1 -O0; do
		# shellcheck disable=SC2086
		"$waymark" cc $level $options -fwaymark-residual=gram.wmprof gram.c -o grammar 2>warnings
		[ ! -s warnings ] || fail "$options: $(cat warnings)"
		WAYMARK_FILE=gram$level.wmraw ./grammar 1 5 -5
		json '[.functions[].paths[]] == []' "$waymark" report --json gram$level.wmraw grammar
	done
	# shellcheck disable=SC2086
	"$waymark" cc -O0 $options gram.c -o speech
	WAYMARK_FILE=gram-speech.wmraw ./speech 1 5 -5
	json '.summary.untested_paths == 0' "$waymark" residual --json --tested gram.wmprof gram-speech.wmraw speech
done

# another file and other code: not the same function, unless the user says so
build -g
sed 's/a \/ 2/a \/ 3/; s/k += 2/k += 3/' unchanged.c >kind.c
"$waymark" cc -O1 -g app/main.c kind.c -o app/app
WAYMARK_FILE=field2.wmraw app/app x
says 'the profile of the tests has no counts of app/app' "$waymark" residual --tested tests.wmprof field2.wmraw app/app
json '.summary.untested_paths == 1' "$waymark" residual --any-program --json --tested tests.wmprof field2.wmraw app/app
"$waymark" cc -O1 -g -fwaymark-residual=tests.wmprof app/main.c kind.c -o app/residual 2>warnings
grep -q 'tests.wmprof knows functions of kind.c, but with other code and from a file with another name or checksum' warnings || fail "$(cat warnings)"
WAYMARK_FILE=residual2.wmraw app/residual x
json '[.functions[] | select(.name == "kind").paths[]] | length == 2' "$waymark" report --json residual2.wmraw app/residual
"$waymark" merge --any-program -o any.wmprof one.wmraw two.wmraw >/dev/null
"$waymark" cc -O1 -g -fwaymark-residual=any.wmprof app/main.c kind.c -o app/residual
WAYMARK_FILE=residual3.wmraw app/residual x
json '[.functions[] | select(.name == "kind").paths[]] | length == 1' "$waymark" report --json residual3.wmraw app/residual
# the same program, another build: key and graph suffice
mkdir again
"$waymark" cc -O1 -g tests/main.c kind.c -o again/tests
WAYMARK_FILE=again.wmraw again/tests
json '.summary.untested_paths == 0' "$waymark" residual --json --tested tests.wmprof again.wmraw again/tests
