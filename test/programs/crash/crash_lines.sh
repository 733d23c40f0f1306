# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The line of a fault: in a header, in a function that was inlined, in an instruction that the compiler made of two on
# different lines, and in one that it left without a location.  Comments mark the places at which the program faults: the
# innermost, and those at which that function and the ones around it are called.

# The places at which the program faults, the innermost first
chain_of() { grep -n "/\* $1 [0-9]" inner.h program.c | sort -k 1,1 -t '*' | sed 's/^\([^:]*:[0-9]*\):.* \([0-9]\) .*/\2 \1/' | sort -n | cut -d' ' -f2 | tr '\n' ' ' | sed 's/ $//'; }

# claim: FILE:LINE of each place that frame 0 names, the innermost first, after at or near
claim() { sed -n 's/^  #0 .*  fault //p' crash.txt | sed 's/ in [a-z_]*//g; s/, inlined at / /g; s/\.\///g'; }

# The places that frames 0, 1, ... name, of functions that are not inlined into the frame
stack() { sed -n 's/, inlined at /,/g; s/ in [a-z_]*//g; s/\.\///g; s/^  #[0-9]* .* \(at\|near\) \(.*\)$/\2/p' crash.txt | tr ',\n' '  '; }

ulimit -c 0
while read -r in level graph; do
	must "$waymark" cc -w -g $level -fwaymark-cfg=$graph -fwaymark-crash -DIN="$in" program.c -o program
	for how in header merged; do
		rm -f run.wmraw
		WAYMARK_FILE=run.wmraw ./program $how 2>err && fail "$how did not die"
		"$waymark" crash run.wmraw program >crash.txt || fail "waymark crash"
		said=$(chain_of $how) what="$in $level $graph $how"
		set -- $(claim)
		case $1 in
		at)
			# Frames and what is inlined into frame 0, from the innermost place outwards, are the chain of calls.
			# Of places that are only in the marks, those between the innermost and the outermost are not known.
			case "$(stack)" in
			"$said "* | "${said%% *} ${said##* } "*) ;;
			*) cat crash.txt; fail "$what: the program faults at $said" ;;
			esac
			;;
		near)
			case "$what" in
			*no_profile* | *"-O1 optimised"* | *"-O2 optimised"*) ;;
			*) cat crash.txt; fail "$what: the line of the fault is known" ;;
			esac
			# Somewhere in the function of a place of the chain.
			for place in $said; do echo $place $2; done | tr : ' ' |
				awk '$1 == $3 && $2 - $4 < 8 && $4 - $2 < 8 { found = 1 } END { exit !found }' ||
				{ cat crash.txt; fail "$what: the program faults at $said"; }
			echo "$what" >>near.txt
			;;
		*) cat crash.txt; fail "$what: no line" ;;
		esac
		# The last line of the path is that of the fault, or where a function was inlined that has no path.
		if [ "$1" = at ]; then
			awk -v lines="$*" '/^  #0/ { seen = 1; next } /^  #/ { exit } seen && $1 ~ /[0-9]+$/ { last = $1 }
				END { sub(/.*:/, "", last); exit (lines " ") !~ (":" last " ") }' crash.txt ||
				{ cat crash.txt; fail "$what: the path does not end at the fault"; }
		fi
		! grep -q ', inlined at' crash.txt || echo "$what" >>inlined.txt
	done
done <<'END'
__attribute__((noinline)) -O0 source
__attribute__((noinline)) -O2 source
__attribute__((noinline)) -O2 optimised
__attribute__((always_inline)) -O0 source
__attribute__((always_inline)) -O1 source
__attribute__((always_inline)) -O2 source
__attribute__((always_inline)) -O0 optimised
__attribute__((always_inline)) -O1 optimised
__attribute__((always_inline)) -O2 optimised
__attribute__((always_inline,no_profile_instrument_function)) -O0 source
__attribute__((always_inline,no_profile_instrument_function)) -O1 source
__attribute__((always_inline,no_profile_instrument_function)) -O2 source
END
# LLVM makes one load of the two in `either`, which has no line.
grep -q 'always_inline.* optimised merged' near.txt || fail "no fault without a line was tried"
grep -q 'always_inline.* optimised header' inlined.txt || fail "no fault in an inlined function was tried"
