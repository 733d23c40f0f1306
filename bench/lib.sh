# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the benchmarks share.  Read with the arguments BUILD [PROGRAM…] of the script, which then
# names its $variants, the ${title[…]} of each in tables, and what compiles it:
# `compiler VARIANT cc|c++`.  All variants of all programs are built, and then those of a
# program run in turn, ROUNDS times (default 3), so that a slow spell of the machine hits them
# alike; the best user and system time counts.  Where in memory functions come to stand moves the
# time of a program by up to ten per cent, whatever they do: so each variant is linked LAYOUTS
# times (default 4), its functions in a random order, and the geometric mean counts.
build=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
rounds=${ROUNDS:-3} layouts=${LAYOUTS:-4}
results=$here/results
work=$build/bench/$(basename "$0")
. "$here/programs.sh"
[ $# -eq 0 ] || programs=$*
mkdir -p "$results" "$work"
TIMEFORMAT='%U %S'
declare -A title

# seconds COMMAND…: its user and system time, in seconds
seconds() {
	{ time "$@" >/dev/null 2>"$work/log"; } 2>&1 | awk '{ printf "%.3f\n", $1 + $2 }'
}

compile() { # compile NAME VARIANT: all objects, then the program; prints the compile time
	local language=${1}_language flags=${1}_flags
	local cc objects
	cc=$(compiler "$2" "${!language}")
	mkdir -p "o-$2"
	compile_all() {
		local source
		for source in $("${1}_sources"); do
			$cc -O2 -w -ffunction-sections ${!flags} -c "$source" -o "o-$2/$(echo "$source" | tr / _).o" || exit 1
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

# profiled NAME use|train VARIANT: the profile of one run of that build
profiled() {
	rm -f raw*
	WAYMARK_FILE=$PWD/raw "${1}_$2" >/dev/null 2>&1
	"$build/waymark" merge -o "$2-$3.wmprof" raw* >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
}

# instructions NAME use|train VARIANT: how many instructions one run of that build executes, by QEMU.  Unlike times, the
# number does not depend on what else the machine does.
instructions() {
	[ -e "$work/count.so" ] || cc -std=gnu11 -O2 -shared -fPIC -I"$here/.." "$here/count_instructions.c" -o "$work/count.so" || exit 1
	printf '#!/bin/sh\nexec qemu-x86_64 -plugin %s,into=%s/counted %s/program-%s "$@"\n' "$work/count.so" "$PWD" "$PWD" "$3" >counting
	chmod +x counting
	rm -f raw* counted.*
	program=$PWD/counting
	WAYMARK_FILE=$PWD/raw LLVM_PROFILE_FILE=/dev/null "${1}_$2" >/dev/null 2>&1
	cat counted.* | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
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
	: >"$work/$1.times"
}

# build_variant NAME VARIANT: it must print what the first one does
build_variant() {
	local first=${variants%% *}
	echo "compile $2 $(compile "$1" "$2")" >>"$work/$1.times"
	echo "size $2 $(stat -c %s "program-$2")" >>"$work/$1.times"
	program=$PWD/program-$2
	WAYMARK_FILE=$PWD/raw LLVM_PROFILE_FILE=/dev/null "${1}_use" >"output-$2" 2>&1
	cmp "output-$first" "output-$2" || { echo "$1: $2 prints something else" >&2 && exit 1; }
}

run_in_turn() { # run_in_turn NAME
	local round variant layout
	for round in $(seq "$rounds"); do
		for layout in $(seq "$layouts"); do
			for variant in $variants; do
				program=$PWD/program-$variant.$layout
				rm -f raw*
				export WAYMARK_FILE=$PWD/raw LLVM_PROFILE_FILE=/dev/null
				echo "run $variant $(seconds "${1}_use") $layout" >>"$work/$1.times"
				unset WAYMARK_FILE LLVM_PROFILE_FILE
			done
			[ ! -t 2 ] || printf '\r%s: round %d of %d, layout %d\033[K' "$1" "$round" "$rounds" "$layout" >&2
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

# build_and_run: everything; what is to be done with a variant once it is built the script
# says in `built NAME VARIANT`.  With BUILT=1, what was built the last time is measured again.
build_and_run() {
	local name
	for name in $programs; do
		[ -n "${BUILT-}" ] || build_program "$name"
		sed -i '/^run /d' "$work/$name.times"
	done
	for name in $programs; do
		cd "$work/$name"
		run_in_turn "$name"
	done
}

heading() {
	echo "# Waymark, $(git -C "$here" rev-parse --short HEAD), $(clang-19 --version | head -n 1)"
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

# table WHAT UNIT TITLE BASE VARIANT…: a row a program and the geometric mean of the ratios to BASE
table() {
	local what=$1 unit=$2 variant
	printf '\n## %s\n\n| program |' "$3"
	shift 3
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
				printf "| %s | %s |", name, unit == "s" ? sprintf("%.2f s", best[v[1]]) : unit == "M" ? sprintf("%.0f M", best[v[1]] / 1e6) : sprintf("%d KiB", best[v[1]] / 1024)
				for (i = 2; i <= count; i++)
					printf " %.3f |", best[v[i]] / best[v[1]]
				printf "\n"
			}' "$work/$name.times"
	done | tee "$work/rows"
	awk -F '|' '{ for (i = 4; i < NF; i++) sum[i] += log($i); n++; last = NF }
		END { printf "| **geometric mean** | |"; for (i = 4; i < last; i++) printf " **%.3f** |", exp(sum[i] / n); printf "\n" }' "$work/rows"
}
