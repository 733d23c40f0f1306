# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Paths across calls of whole programs: the ids of figures 4 to 9 and 14 to 17 of TR 1382, however the program is divided
# into files and linked, and which calls the link step crosses.
cat >pow.c <<'END'
double pow_(double base, long exp) { double power = 1.0; while (exp > 0) { power *= base; exp--; } return power; }
END
cat pow.c main.c >one.c
context='16:1 18:9 24:9 25:3 27:3 28:3 29:6 30:3 32:3 33:3 34:5 35:1'
piecewise='6:1 8:9 12:3 14:5 15:1 16:15 17:3 19:6 20:6'

# counts PROGRAM: id:count of every path that ran, from the raw profile alone
counts() {
	rm -f run.wmraw
	WAYMARK_FILE=run.wmraw "./$1" || fail "$1 returns $?"
	"$build/test/runtime/rawdump" run.wmraw | awk '$1 == "path" { print $4 ":" $5 }' | sort -n | tr '\n' ' ' | sed 's/ $//'
}
# total COUNTS: how many paths were counted
total() {
	echo "$1" | tr ' ' '\n' | awk -F: '{ sum += $2 } END { print sum }'
}
# is_figure PROGRAM SCHEME
is_figure() {
	[ "$2" = context ] && wanted=$context || wanted=$piecewise
	got=$(counts "$1")
	[ "$got" = "$wanted" ] || fail "$1, $2: $got instead of $wanted"
}
# calls PROGRAM FUNCTION: callee, crossed and reason of its calls
calls() {
	"$waymark" show --json --calls "$1" >show.json || fail "show $1"
	jq -r --arg f "$2" '.functions[] | select(.name == $f) | .calls[] | "\(.callee) \(.crossed) \(.reason)"' show.json
}
# calls_are PROGRAM FUNCTION TEXT
calls_are() {
	[ "$(calls "$1" "$2")" = "$3" ] || fail "calls of $2 in $1: $(calls "$1" "$2"); expected $3"
}

for scheme in context piecewise; do
	cc="$waymark cc -fwaymark-scheme=$scheme"
	for level in -O0 ${WHOLE:+-O2}; do
		must $cc $level one.c -o one
		is_figure one $scheme
		for flags in -fuse-ld=bfd -fuse-ld=lld '-fuse-ld=lld -flto' '-fuse-ld=lld -flto=thin' '-fuse-ld=lld -static' \
			'-fuse-ld=bfd -no-pie' '-fuse-ld=lld -ffunction-sections -Wl,--gc-sections'; do
			must $cc $level $flags -c pow.c main.c
			must $cc $level $flags main.o pow.o -o two
			is_figure two $scheme
		done
	done
	# The order of the files means nothing; a response file and a name without a space are understood.
	must $cc -c pow.c main.c
	echo 'pow.o main.o -oordered' >arguments
	must $cc @arguments
	is_figure ordered $scheme
	must $cc pow.o main.o
	is_figure a.out $scheme
	# An archive.
	rm -f libpow.a
	must ar rcs libpow.a pow.o
	must $cc main.o -L. -lpow -o archived
	is_figure archived $scheme
	calls_are archived main 'pow_ true 
pow_ true '
	# Who links with clang has files that are numbered alone.
	must clang-19 main.o pow.o -o alone "-Wl,-T,$build/waymark.ld" "$build/libwaymark_rt.a"
	"$waymark" show alone | grep -q 'each source file is numbered alone' || fail "show does not say who was numbered alone"
	calls_are alone main 'pow_ false the callee is outside of the unit
pow_ false the callee is outside of the unit'
	counts alone >alone.txt
	# Recompiling one file is enough.
	sed 's/exp > 0/exp > 1/' pow.c >changed.c
	must $cc -c changed.c -o pow.o
	must $cc main.o pow.o -o two
	[ "$(counts two)" != "$([ $scheme = context ] && echo "$context" || echo "$piecewise")" ] || fail "nothing has changed"
	# Linkers that strip keep the map; without one the files stay numbered alone, and one sentence says so.
	for linker in bfd lld; do
		must $cc -fuse-ld=$linker main.o pow.o -Wl,-s -o stripped
		"$waymark" show stripped | grep -q 'numbered whole, 2 of 2 calls crossed' || fail "a stripped link with $linker"
	done
	objcopy --remove-section .waymark.map main.o bare1.o
	objcopy --remove-section .waymark.map pow.o bare2.o
	must $cc bare1.o bare2.o -o bare
	grep -q '^waymark cc: note: each source file of bare is numbered alone: it has no map' must.log || fail "no word about a missing map"
	must ./bare
	[ "$("$waymark" cc -fwaymark-scheme=$scheme main.o pow.o -o quiet 2>&1)" = '' ] || fail "a link is not quiet"
done

cc="$waymark cc -fwaymark-scheme=context"
# --wrap, weak definitions, several definitions, handlers, indirect calls, recursion.
cat >more.c <<'END'
int wrapped(int x) { return x > 2 ? 4 : 5; }
__attribute__((weak)) int weak(int x) { return x > 2 ? 6 : 7; }
END
echo 'int weak(int x) { return x ? 1 : 2; }' >strong.c
must $cc -c odd.c more.c strong.c
must $cc odd.o more.o strong.o -Wl,--wrap=wrapped -o odd
must ./odd
calls_are odd main 'signal false the callee is outside of the unit
handler false the callee may run as a signal handler
raise false the callee is outside of the unit
wrapped false --wrap replaces the callee
weak true 
recursive true 
plain true 
null false the call is indirect'
calls_are odd recursive 'recursive false the call is recursive'
must $cc odd.o more.o strong.o -Xlinker --wrap -Xlinker wrapped -o odd
calls odd main | grep -q 'wrapped false --wrap' || fail "-Xlinker --wrap"

# Aliases are other names of their function, which the linker resolves: of several definitions of a name, the single one
# that is not weak.
cat >names.c <<'END'
int named(int x), weak(int x), overridden(int x), wrapped(int x), recursive(int x);
int main(void) { return named(1) + weak(2) + overridden(3) + wrapped(4) + recursive(5) - 5; }
END
cat >aliases.c <<'END'
static int inside(int x) { return x > 2 ? 1 : 2; }
int named(int x) __attribute__((alias("inside")));
int weak(int x) __attribute__((weak, alias("inside")));
int overridden(int x) __attribute__((alias("inside")));
int wrapped(int x) __attribute__((alias("inside")));
int __wrap_wrapped(int x) { return inside(x); }
static int body(int x) { return x > 0 ? -recursive_(x - 1) : 1; }
END
sed -i 's/recursive_/recursive/; 1i int recursive(int x);' aliases.c
echo 'int recursive(int x) __attribute__((alias("body")));' >>aliases.c
cat >weak.c <<'END'
static int outside(int x) { return x > 7 ? 6 : 7; }
int overridden(int x) __attribute__((weak, alias("outside")));
END
for flags in '' '-fuse-ld=lld -flto' -O2; do
	must $cc $flags -c names.c weak.c aliases.c
	must $cc $flags names.o weak.o aliases.o -Wl,--wrap=wrapped -o names
	must ./names
	calls_are names main 'named true 
weak true 
overridden true 
wrapped false --wrap replaces the callee
recursive true '
	calls_are names body 'recursive false the call is recursive'
done
rm -f run.wmraw
WAYMARK_FILE=run.wmraw must ./names
report ./names run.wmraw
expect 'all(.units[].balance; .abandoned == 0)'
# An alias that a shared object exports may be replaced; a hidden one may not.
must $cc -fPIC -shared hidden.c -o libhidden.so
calls_are libhidden.so caller 'shown false another shared object may replace the callee
hidden true 
body false another shared object may replace the callee'
# Numbered alone, the calls of a file cross its own aliases.
must $cc -c hidden.c
echo 'int caller(int); int main(void) { return caller(1) - 6; }' >user.c
must clang-19 user.c hidden.o -o alone "-Wl,-T,$build/waymark.ld" "$build/libwaymark_rt.a"
calls_are alone caller 'shown true 
hidden true 
body true '
rm -f run.wmraw
WAYMARK_FILE=run.wmraw must ./alone
report ./alone run.wmraw
expect 'sum(.functions[].paths[].count) == 1'

# Paths that wait for calls, in programs of two files: the same ids and counts however the program is linked.
cat >deeper.c <<'END'
#include <stdlib.h>
int again(int n), shared(int n);
int deeper(int n) { if (n == 4) exit(0); return shared(n) + again(n); }
END
cat waits.c deeper.c >both.c
for scheme in context=pending piecewise=pending; do
	for level in '-O2 -fno-inline' ${WHOLE:+-O0}; do
		must "$waymark" cc -fwaymark-scheme=$scheme $level both.c -o waits
		wanted=$(counts waits)
		for flags in '' '-fuse-ld=lld -flto' '-fuse-ld=lld -flto=thin'; do
			must "$waymark" cc -fwaymark-scheme=$scheme $level $flags -c waits.c deeper.c
			must "$waymark" cc -fwaymark-scheme=$scheme $level $flags deeper.o waits.o -o waits
			[ "$(counts waits)" = "$wanted" ] || fail "$scheme $level $flags: $(counts waits) instead of $wanted"
			calls_are waits main 'again true 
again true '
			report ./waits run.wmraw
			expect 'all(.units[].balance; .abandoned == 0)'
			expect 'sum(.functions[].paths[] | select(.end == "call") | .count) == 4'
		done
	done
done

# A list says what to cross, and changes nothing that is compiled.
printf '# comment\n!plain\nmain:10 weak\nnobody\n' >list
must $cc odd.o more.o strong.o -Wl,--wrap,wrapped -fwaymark-cross=list -o odd
grep -q 'line 4 of list matches no call' must.log || fail "no word about a line without calls"
calls odd main | grep -q 'plain false -fwaymark-cross says so' || fail "the list was not obeyed"
echo 'one two three' >list
! "$waymark" cc -fwaymark-scheme=context -fwaymark-cross=list odd.o more.o strong.o -Wl,--wrap,wrapped -o odd 2>log ||
	fail "a list that makes no sense"
grep -q 'line 1 is not' log || fail "no word about line 1"

# Only one of two calls can be crossed, since each callee has 2^40 paths: by an estimate the first, by a profile or a
# list the one that is wanted.
for name in early late; do
	echo "int $name(unsigned long x) { int s = 0;"
	for bit in $(seq 40); do echo "if (x >> $bit & 1) s += $bit;"; done
	echo 'return s; }'
done >big.c
cat >>big.c <<'END'
int main(int argc, char **argv) { (void)argv; int s = 0;
  for (int i = 0; i < 50; i++) {
    if (argc > 1) s += early(i);
    if (argc < 2) s += late(i);
  }
  return s > 0 ? 0 : 1; }
END
must "$waymark" cc big.c -o acyclic
WAYMARK_FILE=acyclic.wmraw must ./acyclic
must "$waymark" merge -o acyclic.wmprof acyclic.wmraw
must $cc -c big.c
must $cc big.o -o big
calls_are big main 'early true 
late false ids would be too large'
must $cc -fwaymark-weights=acyclic.wmprof big.o -o big
calls_are big main 'early false ids would be too large
late true '
echo 'main late' >list
must $cc -fwaymark-cross=list big.o -o big
calls_are big main 'early false ids would be too large
late true '

# Functions that code without instrumentation calls begin paths.
cat >outside.c <<'END'
int outside(int x); int called(int x) { return x > 4 ? 1 : 0; }
int main(void) { return called(5) + outside(5) - 2; }
END
echo 'int called(int); int outside(int x) { return called(x); }' >assembly.c
must clang-19 -c assembly.c
must $cc outside.c assembly.o -o outside
[ "$(counts outside | tr ' ' '\n' | grep -c ':1$')" = 2 ] || fail "paths of functions that other code calls: $(counts outside)"

cat >denied.c <<'END'
int called(int x) { return x > 4 ? 1 : 0; }
int denied(int x) { return called(x); }
int main(void) { return called(5) + denied(5) - 2; }
END
echo denied >deny
must $cc -fwaymark-deny=deny denied.c -o denied
[ "$(counts denied | tr ' ' '\n' | grep -c ':1$')" = 2 ] || fail "paths of functions that skipped ones call: $(counts denied)"

# A shared object is a unit of its own; what it exports may be replaced.
cat >library.c <<'END'
__attribute__((visibility("hidden"))) int inner(int x) { return x > 1 ? 1 : 2; }
int outer(int x) { return inner(x); }
int other(int x) { return outer(x); }
END
echo 'int other(int); int main(void) { return other(5) - 1; }' >user.c
must $cc -fPIC -shared library.c -o liblibrary.so
must $cc user.c -L. -llibrary -Wl,-rpath,"$PWD" -o user
must ./user
calls_are liblibrary.so outer 'inner true '
calls_are liblibrary.so other 'outer false another shared object may replace the callee'
calls_are user main 'other false the callee is outside of the unit'

# C++: an inline function of two files is one function, inlined or not.
cat >shared.hpp <<'END'
inline int clamp(int x) { return x < 0 ? 0 : x > 9 ? 9 : x; }
END
printf '#include "shared.hpp"\nint a(int x) { return clamp(x); }\n' >a.cpp
printf '#include "shared.hpp"\nint a(int); int main() { int s = 0; for (int i = -3; i < 12; i++) s += a(i) - clamp(i); return s; }\n' >b.cpp
rm -f first.txt
for flags in -O0 -O2 '-O2 -fuse-ld=lld -flto'; do
	must "$waymark" c++ $flags -fwaymark-scheme=piecewise -c a.cpp b.cpp
	for order in 'a.o b.o' 'b.o a.o'; do
		must "$waymark" c++ $flags -fwaymark-scheme=piecewise $order -o comdat
		counts comdat >now.txt
		[ -f first.txt ] || cp now.txt first.txt
		cmp first.txt now.txt || fail "other paths with $flags $order: $(cat now.txt) instead of $(cat first.txt)"
		calls_are comdat _Z1ai '_Z5clampi true '
	done
done
[ "$(total "$(cat first.txt)")" = 16 ] || fail "not all paths were counted: $(cat first.txt)"

# Two files may compile an inline function differently: calls of it are stepped over, and the report is complete.
printf 'inline int pick(int x) {\n#ifdef WIDE\nif (x > 5) return 3;\n#endif\nreturn x > 1 ? 2 : 1; }\n' >pick.hpp
printf '#include "pick.hpp"\nint a(int x) { return pick(x); }\n' >wide.cpp
printf '#include "pick.hpp"\nint a(int); int main() { int s = 0; for (int i = 0; i < 4; i++) s += a(i) - pick(i); return s; }\n' >narrow.cpp
for level in -O0 -O2; do
	must "$waymark" c++ $level -fwaymark-scheme=context -DWIDE -c wide.cpp
	must "$waymark" c++ $level -fwaymark-scheme=context -c narrow.cpp
	must "$waymark" c++ -fwaymark-scheme=context wide.o narrow.o -o twice
	calls_are twice _Z1ai '_Z4picki false the callee has several definitions'
	[ "$(total "$(counts twice)")" = 13 ] || fail "$level: not all paths were counted: $(counts twice)"
	report ./twice run.wmraw
	expect '[.functions[].executions] | add == 13'
	expect '[.functions[].balance.abandoned] | add == 0'
done

# The linker may take a copy of an inline function that counts nothing; copies that were inlined still count.
printf '#include "shared.hpp"\nint (*volatile pointer)(int) = clamp;\nint a(int x) { return pointer(x); }\n' >a.cpp
must clang++-19 -O2 -c a.cpp
must "$waymark" c++ -O2 -fwaymark-scheme=piecewise -c b.cpp
must "$waymark" c++ -fwaymark-scheme=piecewise a.o b.o -o comdat
calls_are comdat main '_Z1ai false the callee is outside of the unit
_Z5clampi false the callee is outside of the unit'
[ "$(total "$(counts comdat)")" = 31 ] || fail "inlined copies do not count: $(counts comdat)"

# The seeds of the fuzzer are files that the link step and show understand.
"$waymark" show --probes pow "$cases/../../fuzz/corpus/links/whole" >probes || fail "show --probes of a unit"
grep -qx 'edge 2 -> 1: region-count 0 region 0; region-set 2 region 0' probes || fail "show --probes prints $(cat probes)"
grep -qx 'region 0: {0, 0}; {0, 0}; {0, 16} cell of id 16; {0, 16}' probes || fail "show --probes prints $(cat probes)"
# An id belongs to the function in which its path begins.
"$waymark" show --path pow:16 "$cases/../../fuzz/corpus/links/whole" | grep -q 'path 16  loop head -> back edge' || fail "show --path"
! "$waymark" show --path pow:3 "$cases/../../fuzz/corpus/links/whole" 2>said || fail "pow has path 3 of main"
grep -q 'path 3 begins in function main' said || fail "show --path says: $(cat said)"
"$waymark" show "$cases/../../fuzz/corpus/links/whole" | grep -q 'numbered whole, 2 of 2 calls crossed' ||
	fail "the seeds in fuzz/corpus/links are out of date: build fuzz/make_seeds and run it"
