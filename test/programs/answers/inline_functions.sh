# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Inline functions that a program and a shared object both have: what is counted does not depend on what is inlined, and
# profiles that are computed from a recording are the counted ones.
# made DIRECTORY OPTION…: built, and run once
made() {
	directory=$1
	shift
	mkdir -p "$directory"
	must "$waymark" c++ -O2 -g "$@" -fPIC -shared library.cpp -Wl,-soname,liblibrary.so -o "$directory/liblibrary.so"
	must "$waymark" c++ -O2 -g "$@" program.cpp -L"$directory" -llibrary -Wl,-rpath,"$PWD/$directory" -o "$directory/program"
	WAYMARK_FILE="$directory/%b.wmraw" must "./$directory/program"
}
# Hidden functions: each object executes its own body, and counts it.
for visibility in default hidden; do
	rm -rf recorded counted-*
	made recorded -fvisibility=$visibility -fwaymark-wpp
	for scheme in acyclic piecewise; do
		made counted-$scheme -fvisibility=$visibility -fwaymark-scheme=$scheme
		computes $scheme "counted-$scheme/program counted-$scheme/liblibrary.so" "recorded/program recorded/liblibrary.so" \
			"$(echo recorded/*.wmraw)" counted-$scheme/*.wmraw
		[ $scheme != acyclic ] || jq -e '[.functions[] | select(.name == "_Z6digitsIiEiT_") | .entries] |
			length == 2 and add == 171' counted.json >/dev/null || fail "not all activations are counted"
	done
done
of_objects() { jq -c '[.functions[] | {binary, name, entries, paths: [.paths[] | {blocks, count}]}] | sort' "$1"; }
[ "$(of_objects counted.json)" = "$(of_objects computed.json)" ] || fail "paths are counted in another object"

# A library that is not instrumented calls the program's body of an inline function, if the program has one.
cat >third.h <<'END'
inline int third(int n) { return n % 3 ? n / 3 + 1 : n / 3; }
int thirds(int n);
END
printf '#include "third.h"\nint thirds(int n) { return n ? third(n) + thirds(n - 1) : 0; }\n' >thirds.cpp
printf '#include "third.h"\nint main(int argc, char **) { return third(argc) + thirds(10) == 23 ? 0 : 1; }\n' >user.cpp
must clang++-19 -O0 -fPIC -shared thirds.cpp -o libthirds.so
for level in -O0 -O2; do
	must "$waymark" c++ $level user.cpp -L. -lthirds -Wl,-rpath,"$PWD" -o user
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./user
	report ./user run.wmraw
	expect 'total("_Z5thirdi") == 11'
done

# Whether a function of the standard library is inlined does not decide how often the functions that it calls are counted.
for threshold in 1 10000; do
	must "$waymark" c++ -O2 -g -mllvm -inline-threshold=$threshold strings.cpp -o strings
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./strings
	"$waymark" report --json --expand run.wmraw ./strings >report.json || fail "no report"
	of_functions report.json >strings.$threshold
done
cmp strings.1 strings.10000 || { diff strings.1 strings.10000 | cut -c 1-1000; fail "inlining changes what is counted"; }

# Two bodies of one inline function in a program: clang knows in one file only that the callee does not throw.  A path has
# the lines and decisions of the body that ran.
cat >least.h <<'END'
inline int least(int a, int b) { if (b < a) return b; return a; }
inline int after(int n) noexcept { int m = least(n, 7); return m + 1; }
int other(int n);
END
printf '#include "least.h"\nint first(int n) { return least(n, 1); }\nint main() { int s = first(3); for (int i = 0; i < 9; i++) s += after(i); return s + other(5) > 0 ? 0 : 1; }\n' >least.cpp
printf '#include "least.h"\nint other(int n) { int s = 0; for (int i = 0; i < n; i++) s += after(i); return s; }\n' >other.cpp
for scheme in context piecewise; do
	must "$waymark" c++ -O2 -g -fwaymark-scheme=$scheme least.cpp other.cpp -o bodies
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./bodies
	"$waymark" report --json --expand run.wmraw ./bodies >report.json || fail "no report of two bodies"
	jq -e '[.functions[].paths[] | select(.path | index("_Z5afteri:1"))] | length > 0 and
		all([.decisions[] | select(.outcome == "returned" and .function == "_Z5afteri")] | length > 0)' report.json >/dev/null ||
		fail "$scheme: a path has the decisions of another body"
done

# A function of a library that is not instrumented, whose inline body the program executes: it is not reported, as no other
# function of the library is.  If the library is instrumented and given, a note names the function, provided that the body
# was executed.
cat >outside.c <<'END'
extern inline __attribute__((gnu_inline)) int half(int n) { return n / 2; }
int main(int argc, char **argv) { (void)argv; return argc > 1 ? half(argc) - 1 : 0; }
END
printf 'int half(int n) { return n / 2; }\n' >half.c
must clang-19 -c half.c -o half.o
must "$waymark" cc -O2 outside.c half.o -o outside
WAYMARK_FILE=outside.wmraw must ./outside
report ./outside outside.wmraw
expect '.notes == []'
WAYMARK_FILE=executed.wmraw must ./outside 1
report ./outside executed.wmraw
expect '.notes == [] and ([.functions[].name] == ["main"])'
must "$waymark" cc -O2 -fPIC -shared half.c -o libhalf.so
must "$waymark" cc -O2 outside.c ./libhalf.so -o outside
for argument in '' 1; do
	rm -rf outside.d
	must env WAYMARK_FILE=outside.d/%p-%b.wmraw ./outside $argument
	"$waymark" report --json outside.d/*.wmraw ./outside ./libhalf.so >report.json || fail "no report of a library's function"
	jq -e --arg executed "$argument" '.notes | if $executed == "" then . == [] else
		length == 1 and (.[0] | endswith("calls of the definition are not among them: half")) end' report.json >/dev/null ||
		fail "inline body of a library: $(jq .notes report.json)"
done
