# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A real program, bzip2 in one file: the weights that its paths give, of two iterations, are those of
# LLVM's instrumentation profile of the same run.
tree=$("$cases/../../scripts/source" "$build" bzip2 upstream) || fail "no source of bzip2"
printf '#include "%s"\n' blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c >bzip2.c
printf '#define myfeof other_feof\n#include "%s/bzip2.c"\n' "$tree" >>bzip2.c
must env CFLAGS="-I$tree" "$source_oracle/llvm-counts" blocks llvm.d -O2 bzip2.c -kc "$tree/sample3.ref"
mkdir trained # bzip2 looks at each letter of its name, so that this must be as long as llvm.d/counting
must "$waymark" cc -O2 -w -I"$tree" -fwaymark-scheme=kiter=2 bzip2.c -o trained/program
WAYMARK_FILE=run.wmraw trained/program -kc "$tree/sample3.ref" >compressed || fail "it does not run"
# Raw profiles also have functions that never ran, in whatever file they are.
must "$source_oracle/use-equal" "$build" llvm.d run.wmraw
[ "$(cat must.log)" -gt 400 ] || fail "too little was compared: $(cat must.log)"
must "$waymark" cc -O2 -w -I"$tree" -fwaymark-use=run.wmraw bzip2.c -o used
./used -kc "$tree/sample3.ref" | cmp - compressed || fail "it prints something else"
