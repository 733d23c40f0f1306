# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tested in one directory, built for the field in another, both by whole paths, as CMake
# has them: the local functions are the same.
cat >util.c <<'CODE'
#include <stdlib.h>
static int helper(int x) { if (x > 3) x = 1; return x; }
int main(int argc, char **argv) { return helper(argc > 1 ? atoi(argv[1]) : 0) == 3; }
CODE
for graph in source optimised; do
	for place in here there; do
		mkdir -p $place
		cp util.c $place/util.c
	done
	must "$waymark" cc -O0 -fwaymark-cfg=$graph "$PWD/here/util.c" -o tested
	must env WAYMARK_FILE=tested.wmraw ./tested
	must "$waymark" merge -o tested.wmprof tested.wmraw
	must "$waymark" cc -O0 -fwaymark-cfg=$graph -fwaymark-residual=tested.wmprof "$PWD/there/util.c" -o field
	must env WAYMARK_FILE=known.wmraw ./field
	report ./field known.wmraw
	expect '[.functions[].paths[]] == []'
	must env WAYMARK_FILE=new.wmraw ./field 7
	report ./field new.wmraw
	expect '[.functions[] | select(.name == "helper") | .paths[].count] == [1]'
done
