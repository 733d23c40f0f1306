# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same profile however the program is linked: static, PIE or not, with section
# garbage collection, LTO, by any linker; stripped too, from the unstripped file.
"$build/test/gen" 11 >program.c
must clang-19 -w -O1 program.c -o plain
code=0
./plain >expected || code=$?
profile_as() {
	must "$waymark" cc -w -O2 -fwaymark-cfg=source "$@" program.c -o program
	rm -f run.wmraw
	now=0
	WAYMARK_FILE=run.wmraw ./program >out || now=$?
	[ $now = $code ] && cmp expected out || fail "output with $*"
	report ./program run.wmraw
	jq -c '[.functions[] | select(.paths | length > 0) | {name, paths: [.paths[] | [.id, .count]]}] | sort' report.json >now.json
	[ -f first.json ] || cp now.json first.json
	cmp first.json now.json || fail "another profile with $*"
}
for linker in bfd lld; do
	profile_as -fuse-ld=$linker
	profile_as -fuse-ld=$linker -static
	profile_as -fuse-ld=$linker -no-pie
	profile_as -fuse-ld=$linker -static-pie
	profile_as -fuse-ld=$linker -ffunction-sections -fdata-sections -Wl,--gc-sections
	profile_as -fuse-ld=$linker -Wl,-z,now,-z,relro
done
! ld.gold --version >/dev/null 2>&1 || profile_as -fuse-ld=gold
profile_as -fuse-ld=mold
profile_as -fuse-ld=mold -static
profile_as -fuse-ld=lld -flto
profile_as -fuse-ld=lld -flto=thin
profile_as -fuse-ld=lld -flto -static
profile_as -fuse-ld=lld -Wl,--icf=all -ffunction-sections

# Threads of the program and of a plugin, which the runtime watches by functions that it has found in the C library.
for linker in bfd lld mold; do
	must "$waymark" cc -O1 -fuse-ld=$linker -DPLUGIN -shared -fPIC threads.c -o plugin.so
	for kind in -pie -no-pie -static -static-pie; do
		case $kind in -static*) plugin='' expected=330 ;; *) plugin=./plugin.so expected=300 ;; esac
		must "$waymark" cc -O1 -w -fuse-ld=$linker $kind threads.c -o program
		rm -f -- *.wmraw
		WAYMARK_FILE=run.%p.wmraw ./program $plugin >out || fail "-fuse-ld=$linker $kind"
		grep -qx '200 20' out || { cat out; fail "no threads with -fuse-ld=$linker $kind"; }
		report ./program *.wmraw
		expect "f(\"work\").balance.completed == $expected + 1 + ($expected - 300) / 30"
	done
done
