# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The map says which edges lead to failures of checks.

# failures OBJECT FUNCTION: the kinds of its failing edges, one per line
failures() {
	"$waymark" show --cfg --function "$2" "$1" | sed -n 's/^# b[0-9]* -> b[0-9]* fails: //p'
}

# has COUNT KIND: so many edges are of this kind, in the last list
has() {
	[ "$(grep -c "^$2\$" list)" = "$1" ] || fail "$options: not $1 $2: $(cat list)"
}

for options in -O0 -O2 '-O2 -fwaymark-cfg=optimised' '-O2 -fsanitize=address' '-O1 -fsanitize=undefined' \
	'-O2 -fsanitize=undefined -fsanitize-trap=all'; do
	# shellcheck disable=SC2086 # a list of words
	must "$waymark" cc $options -g -c p.c -o p.o
	# Both operands of the assert fail it; abort() is no assert.
	failures p.o check >list
	case $options in
	*undefined*) grep -q '^sanitizers$' list || fail "$options: no check of the sanitizer" ;;
	*optimised*) continue ;;
	*) has 0 sanitizers ;;
	esac
	has 2 asserts
	has 0 noreturn
	failures p.o loop >list
	has 1 asserts
	failures p.o fail >list
	has 3 noreturn
	failures p.o main >list
	has 0 noreturn
done

# In C++, assert is a branch on the value of its condition, which an operand may decide.
for options in -O0 -O2 '-O2 -fsanitize=undefined'; do
	# shellcheck disable=SC2086
	must "$waymark" c++ $options -g -c q.cpp -o q.o
	failures q.o check >list
	has 4 asserts
	grep -q '^throws$' list || fail "$options: no throw"
	failures q.o main >list
	has 0 throws
done
