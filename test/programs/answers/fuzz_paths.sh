# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# examples/fuzz_paths.c tells libFuzzer of new paths: an input that takes no new edge, but a new path, is kept.
mkdir inputs known
printf a- >inputs/1
printf -- -b >inputs/2
cp inputs/* known
printf ab >inputs/3
must "$waymark" cc -O1 -g -fsanitize=fuzzer target.c -o all
WAYMARK_FILE=known.wmraw must ./all known/1 known/2
must "$waymark" merge -o known.wmprof known.wmraw
must "$waymark" cc -O1 -g -fsanitize=fuzzer -fwaymark-residual=known.wmprof target.c "$cases/../../examples/fuzz_paths.c" -o guided
must "$waymark" cc -O1 -g -fsanitize=fuzzer -fno-waymark target.c -o plain
export WAYMARK_FILE=/dev/null
for target in plain guided; do
	mkdir kept.$target
	cp known/* kept.$target
	must ./$target -merge=1 -use_value_profile=0 kept.$target inputs
done
[ "$(ls kept.plain | wc -l)" = 2 ] || fail "libFuzzer alone sees the third input: $(ls kept.plain | wc -l)"
[ "$(ls kept.guided | wc -l)" = 3 ] || fail "the path of the third input is not seen: $(ls kept.guided | wc -l)"
