# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Paths that cannot run are recognised, and no path that can: the possible paths of small functions are exactly those that
# some input takes, and those that are called likely infeasible.  The functions are run with every input that matters.
for level in -O0 -O2; do
	"$waymark" cc $level -g p.c -o p
	rm -f p.wmraw
	WAYMARK_FILE=p.wmraw ./p
	"$waymark" merge -o p.wmprof p.wmraw
	"$waymark" report --json p.wmprof p >report.json
	"$build/test/feasible" p.wmprof p || fail "an executed path is called infeasible at $level"
	for function in constants narrow flag order choice member changed real called; do
		paths=$(jq -r ".functions[] | select(.name == \"$function\") | .paths_possible" report.json)
		jq -r ".functions[] | select(.name == \"$function\") | .paths[].id" report.json | sort >ran
		: >infeasible
		for id in $(seq 0 $((paths - 1))); do
			"$waymark" show --json --path "$function:$id" p >path.json
			[ "$(jq -r '.functions[0].paths[0].likely_infeasible' path.json)" = null ] || echo "$id" >>infeasible
		done
		sort -o infeasible infeasible
		seq 0 $((paths - 1)) | sort >possible
		sort ran infeasible >both
		case $function in
		called)
			# Another function may change the variable to anything.
			[ ! -s infeasible ] || fail "$function at $level: $(cat infeasible)"
			;;
		changed)
			# What is computed from the value is not followed: n == 3 before and after n += 2.
			[ ! -s infeasible ] || fail "$function at $level: $(cat infeasible)"
			;;
		*)
			cmp -s both possible || fail "$function at $level: ran $(tr '\n' ' ' <ran), infeasible $(tr '\n' ' ' <infeasible) of $paths"
			[ -s infeasible ] || [ $function = real ] || fail "$function at $level: nothing is infeasible"
			;;
		esac
	done
done
# The words.
"$waymark" show --path "member:$("$waymark" report --json p.wmprof p | jq -r '[.functions[] | select(.name == "member") | range(.paths_possible) as $i | select([.paths[].id] | index($i) | not) | $i][0]')" p >words
grep -q 'likely infeasible: after line 16, the decision in line 16 cannot go this way' words || fail "$(cat words)"

# What looks like another member or like a bool, and is not: a store that reaches into the next member, and a bit of a byte.
for case in 'wide -O0 source' 'wide -O1 source' 'bits -O1 optimised' 'bits -O1 source'; do
	set -- $case
	must "$waymark" cc $2 -fwaymark-cfg=$3 -fno-strict-aliasing -g $1.c -o $1
	rm -f $1.wmraw
	WAYMARK_FILE=$1.wmraw must ./$1
	must "$build/test/feasible" $1.wmraw $1
done
