# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Calls of functions that do not return: the segments of paths that cross them are those of a recording and those of inlined
# calls, and a profile that is computed from the recording is the counted one.

# built NAME SOURCE LEVEL GRAPH: one build for every way to find segments
built() {
	for way in piecewise context inlined recorded; do
		case $way in
		inlined) option=-fwaymark-segments=3 ;;
		recorded) option=-fwaymark-wpp ;;
		*) option=-fwaymark-scheme=$way ;;
		esac
		rm -rf $way
		mkdir $way
		must "$waymark" "$driver" "$3" -g $option -fwaymark-cfg="$4" "$2" -o $way/"$1"
	done
}

# ran NAME [ARGUMENT…]: runs all of them, once per argument
ran() {
	program=$1
	shift
	for way in piecewise context inlined recorded; do
		for argument in "$@"; do
			WAYMARK_FILE=$way/%p.wmraw $way/$program $argument >$way/out || [ $? = 2 ] || fail "$way/$program $argument"
		done
	done
}

# segments WAY DEPTH: as COUNT PATH
segments() {
	"$waymark" segments --depth "$2" --json $1/*.wmraw $1/$program >$1.json || fail "segments of $1"
	jq -r '.segments[] | "\(.count) \(.path | join(" "))"' $1.json | sort
}

# same_everywhere FILTER: segments that FILTER passes are the same for every way, and exact
same_everywhere() {
	for depth in 1 2 3; do
		segments recorded $depth | grep -v -e "$1" >recorded.$depth
		for way in piecewise context inlined; do
			segments $way $depth >$way.$depth
			jq -e 'all(.segments[]; .exact) and .stepped_over == 0' $way.json >/dev/null || fail "$way: not exact"
			diff recorded.$depth $way.$depth || fail "depth $depth, $level $graph: $way differs from the recording"
		done
	done
}

# computed: the profiles of the schemes, computed from the recording
computed() {
	for way in piecewise context; do
		computes $way $way/$program recorded/$program "$(echo recorded/*.wmraw)" $way/*.wmraw
	done
}

cat >exits.expected <<'END'
1 check:0 check:1 ( fail:0 fail:1
1 check:0 check:1 ( fail:0 fail:2
1 main:0 main:2 main:3 main:4 ( fail:0 fail:2
1 main:0 main:2 main:3 main:5 ( check:0 check:2 )
2 main:0 main:1 main:3 main:5 ( check:0 check:1
END
cat >exits.deeper <<'END'
1 main:0 main:1 main:3 main:5 ( check:0 check:1 ( fail:0 fail:1
1 main:0 main:1 main:3 main:5 ( check:0 check:1 ( fail:0 fail:2
END

# Segments before setjmp, and through it, are known to the recording alone (doc/segments.md).
cat >jumps.expected <<'END'
1 check:0 check:1 ( fail:0 fail:1
2 check:0 check:1 ( fail:0 fail:2
END

# The callee of `checked` throws through it; that of `guarded` throws into its landing pad.
cat >throws.expected <<'END'
1 _Z7checkedi:0 _Z7checkedi:1 ( _Z4faili:0 _Z4faili:1
1 _Z7checkedi:0 _Z7checkedi:1 ( _Z4faili:0 _Z4faili:2
2 _Z7guardediPi:0 _Z7guardediPi:1 ( _Z4faili:0 _Z4faili:1
END

# Assembly ends the program, after a call that returns.
cat >assembly.expected <<'END'
1 main:0 ( stop:0 stop:2 )
1 stop:0 stop:1 ( noted:0 noted:1 noted:2 )
1 stop:0 stop:1 ( noted:0 noted:2 )
2 main:0 ( stop:0 stop:1
END

for kind in -O0,source -O2,optimised ${WHOLE:+-O0,optimised -O2,source}; do
	level=${kind%,*} graph=${kind#*,}
	driver=cc
	built assembly assembly.c $level $graph
	ran assembly 1 3 7
	same_everywhere none
	sed 's/ ) stop:[0-9]*/ )/; s/ ) main:[0-9]*/ )/' recorded.1 | diff assembly.expected - || fail "$level $graph: a call before assembly that does not return"
	computed
	built exits exits.c $level $graph
	ran exits 1 -1 -2 9
	same_everywhere none
	diff exits.expected recorded.1 || fail "$level $graph: segments that end in exit"
	grep 'check.*fail' recorded.2 | grep main | diff exits.deeper - || fail "$level $graph: segments over two calls"
	computed
	built jumps jumps.c $level $graph
	ran jumps ''
	same_everywhere main:
	diff jumps.expected recorded.1 || fail "$level $graph: segments that end in longjmp"
	computed
	driver=c++
	built throws throws.cpp $level $graph
	ran throws ''
	same_everywhere none
	grep fail recorded.1 | diff throws.expected - || { cat recorded.1; fail "$level $graph: segments that end in throw"; }
	computed
done

# Stepped over, the path ends before the call, and the callee begins a path.
must "$waymark" cc -O1 -g -fwaymark-scheme=piecewise -c exits.c
echo '!check fail' >list
must "$waymark" cc -fwaymark-scheme=piecewise -fwaymark-cross=list exits.o -o exits
rm -f *.wmraw
for n in -1 9; do
	WAYMARK_FILE=%p.wmraw ./exits $n || [ $? = 2 ] || fail "exits $n"
done
report ./exits ./*.wmraw
expect 'f("fail").entries == 1 and f("main").entries == 2'
expect '[f("main").paths[] | .path | join(" ")] | sort == ["main:0 main:1 main:3 main:5 ( check:0 check:1", "main:0 main:2 main:3 main:4 ( fail:0 fail:2"]'
expect '[f("fail").paths[] | .path | join(" ")] == ["fail:0 fail:1"]'
