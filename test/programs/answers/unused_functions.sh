# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that no code uses: clang makes no code of them, so that a plugin for passes cannot see them.  With -femit-all-decls it
# does, and they are functions that never ran; llvm-cov lists the same ones.
clang++-19 -O1 -g -w -Xclang -disable-llvm-passes -S -emit-llvm program.cpp -o program.ll
! grep -q 'never_used\|lonely' program.ll || fail "clang emits unused functions: doc/limits.md says that it does not"
for level in -O0 -O2; do
	for option in '' -femit-all-decls; do
		rm -f run.wmraw
		# shellcheck disable=SC2086
		must "$waymark" c++ $level -g -w $option program.cpp -o program
		must env WAYMARK_FILE=run.wmraw ./program
		report ./program run.wmraw
		counts=$(jq -c '[.functions[] | [.line, .executions]] | sort' report.json)
		case $option in
		'') [ "$counts" = '[[13,1]]' ] || fail "$level: functions $counts" ;;
		*) [ "$counts" = '[[1,0],[9,0],[13,1]]' ] || fail "$level $option: functions $counts" ;;
		esac
	done
done
"$waymark" untested run.wmraw ./program | grep -q '2 functions .*are entered by no test' || fail "untested does not list them"
clang++-19 -w -g -fprofile-instr-generate -fcoverage-mapping program.cpp -o covered
must env LLVM_PROFILE_FILE=run.profraw ./covered
llvm-profdata-19 merge -o run.profdata run.profraw
lines=$(llvm-cov-19 export ./covered -instr-profile=run.profdata |
	jq -c '[.data[0].functions[] | [.regions[0][0] - 1, .count]] | sort') # a body begins on the line after the name
[ "$lines" = "$counts" ] || fail "llvm-cov lists $lines, and Waymark $counts"
