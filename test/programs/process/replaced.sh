# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program that defines functions of the C library itself, instrumented: the runtime calls
# none of them, also where an untested path needs the time of day.  test/runtime/symbols.sh has
# the names that are left.
# The C library of a static program would call them itself.
must "$waymark" cc -w -O1 -fno-builtin program.c -o program
must env WAYMARK_FILE=tests.wmraw ./program
[ "$(cat must.log)" = some ] || fail "$(cat must.log)"
report ./program tests.wmraw
expect 'total("big") == 2'
cp merged.wmprof tests.wmprof
for kind in -fwaymark-residual=tests.wmprof -fwaymark-interesting=tests.wmprof -fwaymark-update=atomic; do
	must "$waymark" cc -w -O1 -fno-builtin $kind program.c -o program
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./program more
	[ "$(cat must.log)" = some ] || fail "$kind: $(cat must.log)"
	report ./program run.wmraw
	case $kind in
	*residual*) expect 'total("big") == 1998' ;;
	*) expect 'total("big") == 2000' ;;
	esac
done
