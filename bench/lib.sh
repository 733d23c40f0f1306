# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the benchmarks share.  A script is called with
#
#     BUILD [PROGRAM…]            measures the programs (all), and prints the tables
#     BUILD measure [PROGRAM…]    only measures
#     BUILD tables [PROGRAM…]     only prints the tables, from what was measured before
#     BUILD list                  prints what `measure` takes
#
# It names its $variants, the ${title[…]} of each in tables, and what compiles it: `compiler VARIANT cc|c++`; what is done
# with a variant once it is built, in `built NAME VARIANT`, and with a program, in `rows NAME`; prints everything in
# `tables`; and calls `benchmark SUFFIX` at the end.
#
# All variants of a program are built and then run in turn, ROUNDS times (default 3), so that a slow spell of the machine
# hits them alike; the best user and system time counts.  Where in memory functions come to stand moves the time of a
# program by up to ten per cent, whatever they do: so each variant is linked LAYOUTS times (default 4), its functions in a
# random order, and the geometric mean counts.  With BUILT=1, what was built the last time is measured again.
#
# What tables are made of is in $kept: PROGRAM.times, and the files of `keep_row`.  It is moved there when all of a program
# is measured, so that an interrupted measurement is not taken for a whole one.  `make bench` gives every state of the
# sources its own $kept (scripts/shards).
build=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
script=$(basename "$0")
rounds=${ROUNDS:-3} layouts=${LAYOUTS:-4}
results=$here/results
work=$build/bench/$script
kept=${SHARDS-$build/bench}/kept/$script
step=all
case ${1-} in
list | measure | tables)
	step=$1
	shift
	;;
esac
. "$here/programs.sh"
chosen=$*
[ -z "$chosen" ] || programs=$chosen
mkdir -p "$results" "$work" "$kept"
TIMEFORMAT='%U %S'
declare -A title

complain() {
	echo "$script: $*" >&2
	exit 1
}

# clean COMMAND…: whether it succeeds, every part of its pipelines too, and writes nothing to standard error.  A program that
# only prints an error does so equally fast in all variants.
clean() {
	(set -o pipefail && "$@") 2>"$work/errors" && [ ! -s "$work/errors" ]
}
unclean() { # unclean COMMAND…
	cat "$work/errors" >&2
	complain "$* fails or prints an error, with $program"
}

# seconds COMMAND…: its user and system time, in seconds
seconds() {
	{ time "$@" >/dev/null 2>"$work/log"; } 2>"$work/time" && awk '{ printf "%.3f\n", $1 + $2 }' "$work/time"
}

# timed VARIANT LAYOUT COMMAND…: notes its user and system time, and its real time
timed() {
	local variant=$1 layout=$2 TIMEFORMAT='%U %S %R'
	shift 2
	{ time clean "$@" >/dev/null; } 2>"$work/time" || unclean "$@"
	awk -v variant="$variant" -v layout="$layout" '
		{ printf "run %s %.3f %s\nwall %s %.3f %s\n", variant, $1 + $2, layout, variant, $3, layout; exit $1 + $2 < 0.02 }' \
		"$work/time" >>"$notes/times" || complain "$* ends too soon to be measured, with $program"
}

compile() { # compile NAME VARIANT: all objects, then the program; prints the compile time
	local language=${1}_language flags=${1}_flags
	local cc objects
	cc=$(compiler "$2" "${!language}")
	mkdir -p "o-$2"
	compile_all() {
		local source
		for source in $("${1}_sources"); do
			$cc -O2 -w -ffunction-sections ${!flags} -c "$source" -o "o-$2/$(echo "$source" | tr / _).o" || return 1
		done
	}
	# A short one twice, the better: the first also reads files for the first time.  Without layouts or rounds, times are not wanted.
	local once twice
	once=$(seconds compile_all "$1" "$2") || { cat "$work/log" >&2 && exit 1; }
	twice=$once
	[ "${once%.*}" -ge 8 ] || [ "$layouts" -eq 0 ] || [ "$rounds" -eq 0 ] || twice=$(seconds compile_all "$1" "$2")
	$cc -O2 -w "o-$2"/*.o -o "program-$2" -lm -ldl -lpthread || exit 1
	local layout
	for layout in $(seq "$layouts"); do
		$cc -O2 -w -fuse-ld=lld "-Wl,--shuffle-sections=.text*=$layout" "o-$2"/*.o -o "program-$2.$layout" -lm -ldl -lpthread || exit 1
	done
	printf '%s\n%s\n' "$once" "$twice" | sort -n | head -n 1
}

# profiled NAME use|train|suite VARIANT: the profile of one run of that build.  A suite has inputs that are errors.
profiled() {
	rm -f raw*
	export WAYMARK_FILE=$PWD/raw
	if [ "$2" = suite ]; then
		"${1}_suite" >/dev/null 2>&1
	else
		clean "${1}_$2" >/dev/null || unclean "${1}_$2"
	fi
	unset WAYMARK_FILE
	"$build/waymark" merge -o "$2-$3.wmprof" raw* >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
}

# instructions NAME use|train VARIANT: notes how many instructions one run of that build executes, by QEMU.  Unlike times,
# the number does not depend on what else the machine does.
instructions() {
	[ -e "$work/count.so" ] || cc -std=gnu11 -O2 -shared -fPIC -I"$here/.." "$here/count_instructions.c" -o "$work/count.so" || exit 1
	printf '#!/bin/sh\nexec qemu-x86_64 -plugin %s,into=%s/counted %s/program-%s "$@"\n' "$work/count.so" "$PWD" "$PWD" "$3" >counting
	chmod +x counting
	rm -f raw* counted.*
	program=$PWD/counting
	WAYMARK_FILE=$PWD/raw LLVM_PROFILE_FILE=/dev/null clean "${1}_$2" >/dev/null || unclean "${1}_$2"
	cat counted.* | awk -v variant="$3" '{ sum += $1 } END { printf "instructions %s %.0f\n", variant, sum }' >>"$notes/times"
}

# prepare NAME: a fresh copy of its source, and goes there
prepare() {
	local package=${1}_package tree
	texts=$("$here/../scripts/source" "$build" sqlite3)
	tree=$("$here/../scripts/source" "$build" ${!package})
	rm -rf "${work:?}/$1"
	cp -a "$tree" "$work/$1"
	cd "$work/$1"
	"${1}_prepare" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
}

# build_variant NAME VARIANT: it must print what the first one does
build_variant() {
	local first=${variants%% *} taken
	taken=$(compile "$1" "$2")
	echo "compile $2 $taken" >>"$notes/times"
	echo "size $2 $(stat -c %s "program-$2")" >>"$notes/times"
	program=$PWD/program-$2
	WAYMARK_FILE=$PWD/raw LLVM_PROFILE_FILE=/dev/null clean "${1}_use" >"output-$2" || unclean "${1}_use"
	cmp "output-$first" "output-$2" || complain "$1: $2 prints something else"
}

# note_load: how many other tasks were running in the last second, and the load average, which contains the measurements
# that were made before
note_load() {
	local sum=-10 running
	for _ in $(seq 10); do
		read -r _ _ _ running _ </proc/loadavg
		sum=$((sum + ${running%/*}))
		sleep 0.1
	done
	echo "load $sum $(cut -d ' ' -f 1 /proc/loadavg)" | awk '{ printf "load %.1f %s\n", $2 / 10, $3 }' >>"$notes/times"
}

# run_variant NAME VARIANT LAYOUT
run_variant() {
	rm -f raw*
	WAYMARK_FILE=$PWD/raw LLVM_PROFILE_FILE=/dev/null timed "$2" "$3" "${1}_use"
}

run_in_turn() { # run_in_turn NAME
	local round variant layout
	for round in $(seq "$rounds"); do
		note_load
		for layout in $(seq "$layouts"); do
			[ ! -t 2 ] || printf '\r%s: round %d of %d, layout %d\033[K' "$1" "$round" "$rounds" "$layout" >&2
			for variant in $variants; do
				program=$PWD/program-$variant.$layout
				run_variant "$1" "$variant" "$layout"
			done
		done
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

build_program() { # build_program NAME
	local variant
	prepare "$1"
	for variant in $variants; do
		[ ! -t 2 ] || printf '\r%s: building %s\033[K' "$1" "$variant" >&2
		build_variant "$1" "$variant"
		built "$1" "$variant"
	done
}
built() { :; }
rows() { :; }

# keep_row TABLE: the standard input is a line of that table
keep_row() {
	cat >>"$notes/row-$1"
}

# measure NAME: a program, or one of the $extras of a script, which has a function of that name
measure() {
	notes=$work/$1.notes
	rm -rf "$notes"
	[ -z "${BUILT-}" ] || cp -a "$kept/$1" "$notes"
	rm -rf "${kept:?}/$1"
	mkdir -p "$notes"
	note_load
	case " ${extras-} " in
	*" $1 "*) "$1" ;;
	*) measure_program "$1" ;;
	esac
	mv "$notes" "$kept/$1"
}

measure_program() { # measure_program NAME
	if [ -n "${BUILT-}" ]; then
		sed -i -E '/^(run|wall|load) /d' "$notes/times"
		cd "$work/$1"
	else
		build_program "$1"
		rows "$1"
	fi
	run_in_turn "$1"
}

# benchmark SUFFIX: what the arguments of the script ask for
benchmark() {
	local name parts=${chosen:-$programs ${extras-}}
	[ "$step" != list ] || echo "$parts"
	[ "$step" != all ] && [ "$step" != measure ] || for name in $parts; do measure "$name"; done
	[ "$step" != all ] && [ "$step" != tables ] || print_tables "$1"
}

print_tables() { # print_tables SUFFIX
	local name missing='' all=$programs
	programs=
	for name in $all; do
		if [ -e "$kept/$name/times" ]; then programs="$programs $name"; else missing="$missing $name"; fi
	done
	[ -n "$programs" ] || { echo "$script: nothing is measured" && return; }
	set -o pipefail
	{
		heading
		tables
		[ -z "$missing" ] || printf '\nNot measured:%s.\n' "$missing"
	} | tee "$results/$(date +%Y-%m-%d-%H%M)$1.md"
}

# measured WHAT: whether all programs have it
measured() {
	local name
	for name in $programs; do
		grep -q "^$1 " "$kept/$name/times" || return
	done
}

# listed TABLE HEAD: a table of the rows that were kept
listed() {
	local name
	printf '| program | %s\n|---|%s\n' "$2" "$(echo "$2" | tr -cd '|' | sed 's/|/---|/g')"
	for name in $programs; do
		cat "$kept/$name/row-$1"
	done
}

heading() {
	echo "# Waymark, $(git -C "$here" describe --always --dirty), $(clang-19 --version | head -n 1)"
	echo
	echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), $(nproc) cores; -O2; ${how-best of $rounds interleaved runs, geometric mean over $layouts random orders of functions}."
}

# delta_row PROFILE PROGRAM: how densely the paths of the profile can be numbered: functions, paths, then delta (largest
# id + 1 over the number of paths; means over functions are geometric) of the acyclic, the published and our numbering, the
# worst of the latter two, the functions whose delta is 1, and those where ours is larger than the published one
delta_head='functions | paths | acyclic | published | ours | worst published | worst of ours | 1 published | 1 ours | ours > published |'
delta_row() {
	"$build/waymark" show --json --interesting "$1" "$2" |
		jq -r 'def r: . * 1000 | round / 1000;
		"\(.summary.functions) | \(.summary.paths) | \(.summary.acyclic_delta | r) | \(.summary.published_delta | r) | \(.summary.delta | r) | \([.functions[].published_delta] | max | r) | \([.functions[].delta] | max | r) | \(.summary.published_perfect) | \(.summary.perfect) | \([.functions[] | select(.delta > .published_delta)] | length) |"'
}

# summary FILTER COMMAND…: applies FILTER to the summary of a document.  Some documents have a hundred thousand paths, so
# only the head is read.
summary() {
	local filter=$1
	shift
	"$@" 2>/dev/null | jq -rn --stream "first(fromstream(1 | truncate_stream(inputs | select(.[0][0] == \"summary\")))) | $filter"
}

# busy: a sentence, if other tasks were running when programs were measured
busy() {
	for name in $programs; do
		awk -v name="$name" '$1 == "load" && $2 >= 0.5 && $2 >= most { most = $2; load = $3 }
			END { if (most) printf "%s (%.1f other running tasks, load average %s)\n", name, most, load }' "$kept/$name/times"
	done | awk '{ list = list (NR > 1 ? ", " : "") $0 } END { if (NR) print "**The machine was busy, so these times mean little:** " list ".\n" }'
}

# table WHAT UNIT TITLE BASE VARIANT…: a row a program and the geometric mean of the ratios to BASE
table() {
	local what=$1 unit=$2 variant
	printf '\n## %s\n\n' "$3"
	[ "$unit" != s ] || busy
	shift 3
	printf '| program |'
	for variant in "$@"; do
		printf ' %s |' "${title[$variant]}"
	done
	printf '\n|---|'
	for variant in "$@"; do
		printf -- '---|'
	done
	printf '\n'
	for name in $programs; do
		awk -v what="$what" -v unit="$unit" -v name="$name" -v variants="$*" '
			$1 == what && (!(($2, $4) in least) || $3 < least[$2, $4]) { least[$2, $4] = $3 }
			END {
				for (k in least) {
					split(k, part, SUBSEP)
					sum[part[1]] += log(least[k])
					n[part[1]]++
				}
				for (name_of in sum)
					best[name_of] = exp(sum[name_of] / n[name_of])
				count = split(variants, v, " ")
				for (i = 1; i <= count; i++)
					if (!best[v[i]]) {
						print name ": no measurement of " what " of " v[i] >"/dev/stderr"
						exit 1
					}
				printf "| %s | %s |", name, unit == "s" ? sprintf("%.2f s", best[v[1]]) : unit == "M" ? sprintf("%.0f M", best[v[1]] / 1e6) : sprintf("%d KiB", best[v[1]] / 1024)
				for (i = 2; i <= count; i++)
					printf " %.3f |", best[v[i]] / best[v[1]]
				printf "\n"
			}' "$kept/$name/times" || return
	done | tee "$work/rows"
	awk -F '|' '{ for (i = 4; i < NF; i++) sum[i] += log($i); n++; last = NF }
		END { printf "| **geometric mean** | |"; for (i = 4; i < last; i++) printf " **%.3f** |", exp(sum[i] / n); printf "\n" }' "$work/rows"
}
