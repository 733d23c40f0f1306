# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unfinished paths, however a program is built: all that were abandoned are known, and where they stand.
standing='[.functions[] | .name as $f | .unfinished[]? | "\($f) \(.callee) \(.line) \(.count)"] | sort | join(", ")'
expected='main many 71 1, main sorted 65 1, main wide 69 1, many finish 37 1, sorted qsort 21 1, wide jump 56 1'

# told NAME OPTION…: also that the program has no relocations in read-only memory
told() {
	name=$1
	shift
	must "$waymark" cc -g "$@" left.c -o "$name"
	rm -f run.wmraw
	code=0
	WAYMARK_FILE=run.wmraw "./$name" >"$name.out" || code=$?
	[ $code = 4 ] || fail "$name: exit code $code"
	cmp plain.out "$name.out" || fail "$name prints something else"
	! readelf -d "$name" | grep -q TEXTREL || fail "$name has relocations in read-only memory"
	"$waymark" report --json --scope=all run.wmraw "./$name" >report.json || fail "no report"
	[ "$name" != addresses ] || return 0 # its runtime has a longjmp of its own
	jq -e 'all(.functions[]; .balance == null or .balance.abandoned == .balance.unfinished)' report.json >/dev/null ||
		fail "$name: some unfinished paths are not known: $(jq -c '[.functions[] | [.name, .balance]]' report.json)"
	case $name in
	optimised | sanitized) return ;; # LLVM has removed calls that do not return, or something follows them
	esac
	[ "$(jq -r "$standing" report.json)" = "$expected" ] || fail "$name: unfinished paths stand elsewhere: $(jq -r "$standing" report.json)"
}

must clang-19 left.c -o plain
./plain >plain.out || true
told levels -O0
if [ -n "${WHOLE-}" ]; then
	told one -O1
	told three -O3
	told small -Os
fi
told two -O2
told optimised -O2 -fno-inline -fwaymark-cfg=optimised
told static -O2 -static
told static-pie -O2 -static-pie
told lld -O2 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
told folded -O2 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections -Wl,--icf=all
told sections -O2 -ffunction-sections -Wl,--gc-sections
told no-pie -O2 -fno-pie -no-pie
told frames -O2 -fno-omit-frame-pointer
told no-plt -O2 -fno-plt -fcf-protection
told thunks -O2 -mretpoline
told split -O2 -fuse-ld=lld -fsplit-machine-functions
told delta -O2 -fwaymark-update=delta
told lto -O2 -flto -fwaymark-unfinished=on
told thin -O2 -flto=thin -fwaymark-unfinished=on
told lto-O0 -O0 -flto -fwaymark-unfinished=on
told sanitized -O1 -fsanitize=undefined
told addresses -O1 -fsanitize=address

# Without a description nothing is known, and nothing is claimed.
for options in -fwaymark-unfinished=off -flto; do
	must "$waymark" cc -g -O2 -fuse-ld=lld $options left.c -o off
	! readelf -SW off | grep -q wm_sites || fail "$options: calls are described"
	rm -f run.wmraw
	WAYMARK_FILE=run.wmraw ./off >/dev/null || true
	"$waymark" report --source left.c run.wmraw ./off | grep -q '? *21  ' || fail "$options: line 21 is known"
done
if "$waymark" cc -O2 -flto -fwaymark-unfinished=on -fuse-ld=bfd left.c -o bfd 2>err; then fail "bfd makes machine code of described calls"; fi
grep -q 'needs the linker lld' err || { cat err; fail "the message"; }

# A test that leaves a function in the middle covers what it has done.
must "$waymark" cc -g -O2 left.c -o left
rm -f run.wmraw
WAYMARK_FILE=run.wmraw ./left >/dev/null || true
"$waymark" untested --scope=all run.wmraw ./left >untested || fail "no untested"
grep -q 'code > 3: false' untested && fail "an outcome that was taken is untested"
"$waymark" export --format lcov -o left.info run.wmraw ./left 2>/dev/null || fail "no lcov"
grep -q '^DA:37,3$' left.info && grep -q '^DA:71,5$' left.info || { cat left.info; fail "lcov has other counts"; }
