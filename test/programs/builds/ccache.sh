# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ccache, outside `waymark cc` and inside it: nothing changed is a hit, any other profile, list,
# variable or plugin is a miss, and the object is always that of a compilation without a cache.
export CCACHE_DIR="$PWD/cache" CCACHE_CONFIGPATH=/dev/null
mkdir tool
for file in waymark waymark-plugin.so libwaymark_rt.a libwaymark_spawn.a waymark.ld waymark.h waymark-cache.h; do
	cp "$build/$file" tool/
done
tool=$PWD/tool/waymark
cat >code.c <<'END'
#include "code.h"
int choose(int x) { int s = 0; for (int i = 0; i < x; i++) s += i % LIMIT ? 1 : 2; return s; }
int other(int x) { return x > 4 ? 1 : 2; }
END
echo 'enum { LIMIT = 3 };' >code.h
cat >main.c <<'END'
int choose(int), other(int);
int main(int argc, char **argv) { (void)argv; return argc > 1 ? other(argc) > 2 : choose(4) != 6; }
END
# profile_of WORD…: the profile of a run with these arguments, in taken.wmprof
profile_of() {
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./program "$@"
	must "$tool" merge -o new.wmprof run.wmraw
	mv new.wmprof taken.wmprof
}
must "$tool" cc -O2 code.c main.c -o program
profile_of && cp taken.wmprof one.wmprof
profile_of more && cp taken.wmprof two.wmprof

# compile hit|miss OPTION…: by the ways that were chosen; what ccache says, and what it leaves
compile() {
	expected=$1
	shift
	ccache --zero-stats >/dev/null
	must env $cached -O2 -MD -MF code.d "$@" -c code.c -o cached.o
	must env PATH="$plain_path" "$tool" cc -O2 "$@" -c code.c -o plain.o
	cmp plain.o cached.o || fail "$cached: a stale object with $*, expected a $expected"
	said=$(ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ { hit += $2 } $1 == "cache_miss" { miss = $2 }
		END { print hit == 1 && !miss ? "hit" : !hit && miss == 1 ? "miss" : "hits " hit ", misses " miss }')
	[ "$said" = "$expected" ] || fail "$cached with $*: expected a $expected, ccache says: $said"
}
plain_path=$PATH

# each_change: every setting that changes code
each_change() {
	compile miss
	compile hit
	for option in residual ${WHOLE:+interesting weights}; do
		cp one.wmprof known.wmprof
		compile miss -fwaymark-$option=known.wmprof
		compile hit -fwaymark-$option=known.wmprof
		cp two.wmprof known.wmprof
		compile miss -fwaymark-$option=known.wmprof
		compile hit -fwaymark-$option=known.wmprof
		cp one.wmprof known.wmprof
		compile hit -fwaymark-$option=known.wmprof
	done
	echo other >functions
	compile miss -fwaymark-deny=functions
	echo choose >functions
	compile miss -fwaymark-deny=functions
	echo 'choose:2:3' >loops
	compile miss -fwaymark-k=@loops
	echo 'choose:2:4' >loops
	compile miss -fwaymark-k=@loops
	grep -q loops code.d || fail "the list of loops is no prerequisite"
	for variable in WAYMARK_SCHEME=kiter=2 WAYMARK_RESIDUAL=one.wmprof ${WHOLE:+WAYMARK_CFG=optimised WAYMARK_UPDATE=atomic WAYMARK_TEST=placement=naive}; do
		export "$variable"
		compile miss
		compile hit
		unset "${variable%%=*}"
		compile hit
	done
	WAYMARK_FILE=elsewhere compile hit
	compile miss -P
	export WAYMARK_SCHEME=kiter=2
	compile miss -P
	unset WAYMARK_SCHEME
	echo 'enum { LIMIT = 2 };' >code.h
	compile miss
	echo 'enum { LIMIT = 3 };' >code.h
	compile hit
	echo >>tool/waymark-plugin.so
	compile miss
	compile hit
}

cached="ccache $tool cc"
each_change
export CCACHE_NOCPP2=1
compile miss -DUNUSED
compile hit -DUNUSED
unset CCACHE_NOCPP2
! CCACHE_DEPEND=1 $cached -MD -c code.c -o refused.o >refused.log 2>&1 || fail "depend mode must be refused"
grep -q 'unset CCACHE_DEPEND' refused.log || { cat refused.log; fail "the refusal names the setting"; }

rm -rf cache
mkdir masks
ln -s "$(command -v ccache)" masks/clang-19
cached="PATH=$PWD/masks:$PATH $tool cc"
each_change
export CCACHE_DEPEND=1
compile miss -DDEPEND
compile hit -DDEPEND
export WAYMARK_SCHEME=kiter=2
compile miss -DDEPEND
unset WAYMARK_SCHEME CCACHE_DEPEND
