#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# number and replay, from the outside: the papers' figures, calls, errors.
# usage: commands.sh WAYMARK
waymark=$(realpath "$1") || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2

# expect NAME: standard input is what the file `out` must hold.
expect() {
	cat > expected
	diff -u expected out > diff || {
		echo "FAILED: $1"
		cat diff
		touch failed # `expect` often runs at the end of a pipe, in a subshell
	}
}

# refuse SENTENCE COMMAND...: exit code 1 and exactly this on standard error.
refuse() {
	sentence=$1
	shift
	"$@" > /dev/null 2> message < walk
	status=$?
	printf '%s (%d)\n' "$(cat message)" $status > out
	echo "$sentence (1)" | expect "$sentence"
}

cat > fig3.cfg <<-EOF
	function fig3
	s -> a b
	a -> c b
	b -> c
	c -> d t
	d -> t
	t
EOF
cat > fig1.cfg <<-EOF
	function fig1
	1 -> 2
	2 -> 3 4
	3 -> 5
	4 -> 5 6
	5 -> 2 6
	6
EOF

"$waymark" number fig3.cfg --list --json | sed -n 's/.*"from": "\(.\)", "to": "\(.\)", "value": \([0-9]*\).*/\1\2 \3/p; s/.*"id": \([0-9]*\), "path": \[\([^]]*\)\].*/\1 \2/p; s/ *"paths": /paths /p' | tr -d '",' > out
expect "fig3: paths, values, list" <<-EOF
	paths 6
	sa 0
	sb 4
	ac 0
	ab 2
	bc 0
	cd 0
	ct 1
	dt 0
	0 s a c d t
	1 s a c t
	2 s a b c d t
	3 s a b c t
	4 s b c d t
	5 s b c t
EOF

"$waymark" number fig1.cfg --list | sed -n '/^  id/,$p' > out
expect "fig1: list" <<-EOF
	  id  path
	   0  1-2-3-5-6
	   1  1-2-3-5  (back to 2)
	   2  1-2-4-5-6
	   3  1-2-4-5  (back to 2)
	   4  1-2-4-6
	   5  2-3-5-6
	   6  2-3-5  (back to 2)
	   7  2-4-5-6
	   8  2-4-5  (back to 2)
	   9  2-4-6
EOF

"$waymark" number - --limit 1 < fig1.cfg | tail -n 2 > out
expect "fig1: first path from standard input" <<-EOF
	   0  1-2-3-5-6
	  and 9 more
EOF

printf 's a c d t\n\ns a c t # two of three\nfunction fig3\n5\n' > interesting
for numbering in published linear; do
	"$waymark" number fig3.cfg --scheme preferential --interesting interesting --numbering=$numbering --list --json > number.json
	jq -r '.functions[0] | "\(.delta) \(.gamma) \(.acyclic_delta)", (.edges[] | "\(.from)\(.to) \(.value) \(.acyclic_value)"), (.list[] | "\(.id) \(.acyclic_id) \(.interesting) \(.alias_of) \(.path | add)")' number.json > out
	expect "fig3: preferential, $numbering" <<-EOF
		1 1 2
		sa 0 0
		sb 2 4
		ac 0 0
		ab 0 2
		bc -1 0
		cd 0 0
		ct 1 1
		dt 0 0
		0 0 true null sacdt
		1 1 true null sact
		2 5 true null sbct
		-1 2 false null sabcdt
		0 3 false 0 sabct
		1 4 false 1 sbcdt
	EOF
done
"$waymark" number fig3.cfg --scheme preferential --interesting interesting --limit 4 | sed -n '4,7p; /acyclic id /,$p' > out
expect "fig3: preferential, text" <<-EOF
	  set     3 interesting paths, ids below 3 (published)
	  delta   1; of the acyclic ids 2
	  gamma   1
	  sums    in one register of 32 bits, the acyclic one in the low 3
	          id  acyclic id  path
	           0           0  s-a-c-d-t
	           1           1  s-a-c-t
	           2           5  s-b-c-t
	          -1           2  s-a-b-c-d-t  not interesting
	  and 2 more
EOF

"$waymark" number fig3.cfg --coding | sed -n '/symbol/,/d -> t/p; /^   4/,/^   5/p' > out
expect "fig3: the coder, table 2 and pathEncoder(sbcdt)" <<-EOF
	  symbol      probability  range (entropy of the model: 2.58496 bits)
	  s -> a              2/3  [0, 2/3)
	  s -> b              1/3  [2/3, 1)
	  a -> c              1/2  [0, 1/2)
	  a -> b              1/2  [1/2, 1)
	  b -> c                1  [0, 1)
	  c -> d              1/2  [0, 1/2)
	  c -> t              1/2  [1/2, 1)
	  d -> t                1  [0, 1)
	   4  s-b-c-d-t
	        encode from [0, 6)
	          s -> b      [2/3, 1)      [4, 6)
	          b -> c      [0, 1)        [4, 6)
	          c -> d      [0, 1/2)      [4, 5)
	          d -> t      [0, 1)        [4, 5)
	        decode 4
	          a [0, 4), b [4, 6): s -> b
	          c [4, 6): b -> c
	          d [4, 5), t [5, 6): c -> d
	          t [4, 5): d -> t
	   5  s-b-c-t
EOF
"$waymark" number fig3.cfg --coding --json |
	jq -c '.functions[0] | (.model[] | [.from, .to, .low, .high, .whole]), (.list[4] | .id, [[0, .size], .encode[].interval], (.decode[] | [.to, .choices[].interval]))' > out
expect "fig3: the coder in JSON" <<-EOF
	["s","a",0,4,6]
	["s","b",4,6,6]
	["a","c",0,2,4]
	["a","b",2,4,4]
	["b","c",0,2,2]
	["c","d",0,1,2]
	["c","t",1,2,2]
	["d","t",0,1,1]
	4
	[[0,6],[4,6],[4,6],[4,5],[4,5]]
	["b",[0,4],[4,6]]
	["c",[4,6]]
	["d",[4,5],[5,6]]
	["t",[4,5]]
EOF
"$waymark" number fig3.cfg --scheme preferential --interesting interesting --coding --limit 4 |
	sed -n '/symbol/,/^$/p; /s-a-c-t/,/s-b-c-t/p; /not interesting/,$p' > out
expect "fig3: the preferential coder, table 3 and pathEncoder(sact)" <<-EOF
	  symbol      probability  range (entropy of the model: 1.83659 bits)
	  s -> a              2/3  [0, 2/3)
	  s -> b              1/3  [2/3, 1)
	  a -> c                1  [0, 1)
	  a -> b                0  empty
	  b -> c                1  [0, 1)
	  c -> d              1/3  [0, 1/3)
	  c -> t              2/3  [1/3, 1)
	  d -> t                1  [0, 1)

	           1           1  s-a-c-t
	        encode from [0, 3)
	          s -> a      [0, 2/3)      [0, 2)
	          a -> c      [0, 1)        [0, 2)
	          c -> t      [1/2, 1)      [1, 2)
	        decode 1
	          a [0, 2), b [2, 3): s -> a
	          c [0, 2): a -> c
	          d [0, 1), t [1, 2): c -> t
	           2           5  s-b-c-t
	          -1           2  s-a-b-c-d-t  not interesting
	  and 2 more
EOF
"$waymark" number fig1.cfg --coding | sed -n '/^   6/,/^   7/p' > out
expect "fig1: the coder on a path between back edges" <<-EOF
	   6  2-3-5  (back to 2)
	        encode from [0, 10)
	          Start -> 2      [1/2, 1)      [5, 10)
	          2 -> 3          [0, 2/5)      [5, 7)
	          3 -> 5          [0, 1)        [5, 7)
	          5 -> back to 2  [1/2, 1)      [6, 7)
	        decode 6
	          1 [0, 5), 2 [5, 10): Start -> 2
	          3 [5, 7), 4 [7, 10): 2 -> 3
	          5 [5, 7): 3 -> 5
	          6 [5, 6), back to 2 [6, 7): 5 -> back to 2
	   7  2-4-5-6
EOF

cat > fig6.cfg <<-EOF
	function fig6
	s -> a b c
	a -> d
	b -> d
	c -> d
	d -> e f g
	e -> t
	f -> t
	g -> t
	t
EOF
printf 's a d f t\ns a d g t\ns b d e t\ns b d g t\ns c d e t\ns c d f t\n' > interesting
"$waymark" number fig6.cfg --scheme preferential --interesting interesting --json | jq '.functions[0].span' > out
echo 7 | expect "fig6: best span"

{
	printf '1 '
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		printf '2 3 5 2 4 5 %.0s' 1 2 3 4 5 6 7 8 9 10
	done
	echo 6
} > walk
for placement in naive optimal; do
	"$waymark" replay fig1.cfg --placement $placement --json < walk | sed -n 's/.*"id": \([0-9]*\), "count": \([0-9]*\).*/\1 \2/p' > out
	expect "fig1: replay, $placement" <<-EOF
		1 1
		6 99
		7 1
		8 99
	EOF
done

"$waymark" number fig1.cfg --scheme kiter=2 --list --json > number.json
jq -r '.functions[0] | .paths, (.edges[] | "\(.from)\(.to) \(.values | map(tostring) | join("/"))"), (.list[] | "\(.id) \(.path | join("-"))")' number.json > out
expect "fig1, two iterations: paths, values, list" <<-EOF
	23
	12 0
	23 0/0
	24 6/2
	35 0/0
	45 0/0
	46 6/2
	52 0/1
	56 5/0
	0 1-2-3-5-2-3-5-6
	1 1-2-3-5-2-3-5
	2 1-2-3-5-2-4-5-6
	3 1-2-3-5-2-4-5
	4 1-2-3-5-2-4-6
	5 1-2-3-5-6
	6 1-2-4-5-2-3-5-6
	7 1-2-4-5-2-3-5
	8 1-2-4-5-2-4-5-6
	9 1-2-4-5-2-4-5
	10 1-2-4-5-2-4-6
	11 1-2-4-5-6
	12 1-2-4-6
	13 2-3-5-2-3-5-6
	14 2-3-5-2-3-5
	15 2-3-5-2-4-5-6
	16 2-3-5-2-4-5
	17 2-3-5-2-4-6
	18 2-4-5-2-3-5-6
	19 2-4-5-2-3-5
	20 2-4-5-2-4-5-6
	21 2-4-5-2-4-5
	22 2-4-5-2-4-6
EOF
for placement in naive optimal; do
	"$waymark" replay fig1.cfg --scheme kiter=2 --placement $placement --json < walk | sed -n 's/.*"id": \([0-9]*\), "count": \([0-9]*\).*/\1 \2/p' > out
	expect "fig1, two iterations: replay, $placement" <<-EOF
		3 1
		15 1
		16 98
		19 99
	EOF
	"$waymark" replay fig1.cfg --scheme loopcontext --placement $placement < walk | sed -n '4,$p' > out
	expect "fig1, loop context: replay, $placement" <<-EOF
		         count    share        id  path
		            99   49.5 %         6  [1] 2-3-5  (back to 2)
		            99   49.5 %         8  [1] 2-4-5  (back to 2)
		             1    0.5 %         1  1-2-3-5  (back to 2)
		             1    0.5 %         7  [1] 2-4-5-6
	EOF
done
"$waymark" number fig1.cfg --scheme kiter=2 --limit 2 | sed -n '/scheme/p; /at 2/p; /2 -> 4/p; /^   1/p' > out
expect "fig1, two iterations: text" <<-EOF
	  scheme  kiter=2, exact
	          at 2: 2 iterations
	  2 -> 4      6/2
	   1  1-2-3-5 | 2-3-5  (back to 2)
EOF
"$waymark" replay fig1.cfg --scheme kiter=100 --json < walk | jq -r '(.functions[0] | .status, (.paths_possible_log10 > 30)), (.paths[] | "\(.id | length) \(.id[0:5]) \(.count) \(.iterations | length) \(.fresh)")' > out
expect "fig1, 100 iterations: replay" <<-EOF
	exact
	true
	199 1.8.6 1 99 0
	199 8.6.8 50 99 297
	199 6.8.6 49 99 297
	199 6.8.6 1 99 297
EOF
"$waymark" number fig1.cfg --scheme kiter=100 | sed -n '/paths/p' > out
expect "fig1, 100 iterations: number" <<-EOF
	  paths   about 10^30.9: sequences of 10 acyclic pieces, which the values number
EOF
refuse "waymark number: function 'fig1' has about 10^30.9 paths, too many to list; choose fewer iterations" "$waymark" number fig1.cfg --scheme kiter=100 --list
"$waymark" number fig1.cfg --scheme kiter=100 --max-paths 1000 | sed -n '/paths/p' > out
expect "fig1, as many iterations as fit" <<-EOF
	  paths   829
	          at 2: 7 iterations; more would be too many paths
EOF
cat > nested.cfg <<-EOF
	function nested
	a -> b
	b -> c f
	c -> d
	d -> d e
	e -> b
	f -> g h
	g -> h
	h -> g i
	i
EOF
"$waymark" number nested.cfg --scheme kiter=3 --json | jq -r '.functions[0].iterations[] | "\(.head) \(.k) \(.reason)"' > out
expect "which loops have iterations" <<-EOF
	b 1 it is not innermost
	g 1 it is irreducible
	d 3 null
EOF
echo "a b c d d d e b c d e b f h i" | "$waymark" replay nested.cfg --scheme loopcontext --json | jq -r '.paths[] | "\(.count) \(.path | add) \(.again | tostring) \(.fresh) \(.start)"' > out
expect "nested contexts" <<-EOF
	1 abcd [] 0 entry
	1 abcde [3] 3 loop
	1 abcd [3] 3 loop
	1 abcde [1] 1 loop
	1 abfhi [1] 1 loop
EOF

cat > calls.cfg <<-EOF
	function main
	m1 [call f] -> m2
	m2 [call exit] -> m3 m4
	m3 [call f]
	m4 [call main]
	function f
	f1 -> f2 f3
	f2 -> f1
	f3
EOF
cat > walk <<-EOF
	# calls in calls, an exit block that calls, frames left behind
	m1 f1 f2 f1 f3 m2 m3 f1 f3

	m1 f1 f3 m2 m4 m1 f1 f3 m2 m3 f1 f3   # recursion
	m1 f1 f2 f1
	m1
EOF
"$waymark" replay calls.cfg < walk > out
expect "replay with calls" <<-EOF
	function main
	  entries 5, completed paths 3, abandoned 2
	  2 of 2 paths taken (acyclic, exact)
	         count    share        id  path
	             2   66.7 %         0  m1-m2-m3
	             1   33.3 %         1  m1-m2-m4

	function f
	  entries 6, completed paths 7, abandoned 1
	  3 of 4 paths taken (acyclic, exact)
	         count    share        id  path
	             4   57.1 %         1  f1-f3
	             2   28.6 %         0  f1-f2  (back to f1)
	             1   14.3 %         3  f1-f3
EOF

cat > several.cfg <<-EOF
	function main
	m1 [call f] [call exit] [call f] -> m2
	m2 [call f][call g]
	function f
	f1
	function g
	g1 -> g2
	g2 [call f] [call f]
EOF
printf 'm1 f1 f1 m2 f1 g1 g2 f1 f1\nm1 f1\n' > walk
"$waymark" replay several.cfg < walk | grep entries > out
expect "several calls in a block" <<-EOF
	  entries 2, completed paths 1, abandoned 1
	  entries 6, completed paths 6, abandoned 0
	  entries 1, completed paths 1, abandoned 0
EOF

# Paths across calls: the program of TR 1382, figure 4.
cat > pow.cfg <<-EOF
	function main
	init -> while
	while -> if1 end
	if1 -> call1 if2
	call1 [call pow] -> if2
	if2 -> call2 next
	call2 [call pow] -> next
	next -> while
	end
	function pow
	init -> while
	while -> body exit
	body -> while
	exit
EOF
{
	pow='init while body while body while exit'
	printf 'init while '
	for i in $(seq 18); do
		printf 'if1 '
		[ $((i % 2)) -ne 0 ] || printf 'call1 %s ' "$pow"
		printf 'if2 '
		[ $((i % 3)) -ne 0 ] || printf 'call2 %s ' "$pow"
		printf 'next while '
	done
	echo end
} > walk
for placement in naive optimal; do
	"$waymark" replay pow.cfg walk --scheme context --placement $placement --json | jq -r '"\(.paths_possible) \(.completed) \(.abandoned)", (.functions[] | "\(.name) \(.paths_possible) \(.entries)"), ([.paths[] | "\(.id):\(.count)"] | join(" "))' > out
	expect "pow: context, $placement" <<-EOF
		36 49 0
		main 36 1
		pow 0 15
		16:1 18:9 24:9 25:3 27:3 28:3 29:6 30:3 32:3 33:3 34:5 35:1
	EOF
	"$waymark" replay pow.cfg walk --scheme piecewise --placement $placement --json | jq -r '"\(.paths_possible) \(.completed) \(.abandoned)", (.functions[] | "\(.name) \(.paths_possible) \(.entries)"), ([.paths[] | "\(.id):\(.count)"] | join(" "))' > out
	expect "pow: piecewise, $placement" <<-EOF
		21 49 0
		main 16 1
		pow 5 15
		6:1 8:9 12:3 14:5 15:1 16:15 17:3 19:6 20:6
	EOF
done
"$waymark" number pow.cfg --scheme context --json | jq -r '.functions[] | "\(.name) \(.scheme) \(.entry.a) \(.entry.b)", (.edges[] | "\(.from) \(.to) \(.value.a) \(.value.b) \(.restart_value.a) \(.restart_value.b)"), (.calls[] | "\(.block) \(.position) \(.callee) \(.crossed) \(.behind.a + .behind.b)")' > out
expect "pow: linear functions" <<-EOF
	main context 2 34
	init while 0 0 null null
	while if1 0 0 null null
	while end 0 17 null null
	if1 call1 0 0 null null
	if1 if2 0 12 null null
	call1 if2 0 0 null null
	if2 call2 0 0 null null
	if2 next 0 4 null null
	call2 next 0 0 null null
	next while 0 0 1 17
	call1 0 pow true 5
	call2 0 pow true 1
	pow context 2 2
	init while 0 0 null null
	while body 0 0 null null
	while exit 0 1 null null
	body while 0 0 1 1
EOF
"$waymark" number pow.cfg --scheme piecewise --list --json | jq -r '.functions[1].list[] | "\(.id) \(.path | join(" ")) \(.start) \(.end) \(.restarts) \(.returns | length)"' > out
expect "pow: list" <<-EOF
	16 pow:while pow:body loop backedge [0] 0
	17 pow:while pow:exit ) main:if2 main:call2 ( pow:init pow:while pow:body loop backedge [0] 1
	18 pow:while pow:exit ) main:if2 main:call2 ( pow:init pow:while pow:exit ) main:next loop backedge [0] 1
	19 pow:while pow:exit ) main:if2 main:next loop backedge [0] 1
	20 pow:while pow:exit ) main:next loop backedge [0] 1
EOF
"$waymark" number pow.cfg --scheme context --limit 2 --probes | sed -n '/^function pow/,$p' > out
expect "pow: text" <<-EOF
	function pow
	  status  exact
	  paths   0 begin here
	  entry   {2, 2}

	  init -> while  {0, 0}
	  while -> body  {0, 0}
	  while -> exit  {0, 1}
	  body -> while  {0, 0}  back edge, next path starts with {1, 1}

	entry: take-call keeps-mailbox
	edge body -> while: count-pair level; restart {1, 1}
	exit exit: reply {0, 1}
EOF
"$waymark" number calls.cfg --scheme context --max-paths 8 --json | jq -r '"\(.paths) \(.call_sites) \(.crossed)", (.functions[].calls[] | "\(.block) \(.callee) \(.crossed) \(.reason)")' > out
expect "calls that are stepped over" <<-EOF
	6 4 0
	m1 f false ids would be too large
	m2 exit false the callee is not in the unit
	m3 f false ids would be too large
	m4 main false the call is recursive
EOF
printf 'm1 f1 f3 m2 m4 m1 f1 f3 m2 m3 f1 f3\n' > walk
for placement in naive optimal; do
	"$waymark" replay calls.cfg walk --scheme piecewise=cut --placement $placement > out
	expect "calls that cut paths, $placement" <<-EOF
		completed paths 5, abandoned 0
		4 of 9 paths taken (piecewise=cut; 2 of 4 call sites crossed)
		function main: entries 2
		function f: entries 3

		         count    share        id  path
		             2   40.0 %         1  main:m1 ( f:f1 f:f3 ) main:m2  (before call 0 of main:m2)
		             1   20.0 %         3  main:m2 main:m3 ( f:f1 f:f3 )
		             1   20.0 %         4  main:m2 main:m4  (before call 0 of main:m4)
		             1   20.0 %         5  main:m4
	EOF
done
printf 'm1 f1 f2 f1\n' > walk
"$waymark" replay calls.cfg walk --scheme context > out
expect "a walk that ends in a callee" <<-EOF
	completed paths 1, abandoned 1
	1 of 12 paths taken (context; 2 of 4 call sites crossed)
	function main: entries 1
	function f: entries 1

	         count    share        id  path
	             1  100.0 %         0  main:m1 ( f:f1 f:f2  (back to f:f1)
EOF

# The block that a path leaves by a back edge has calls that the path crossed.
cat > latch.cfg <<-EOF
	function main
	a -> b
	b [call f] [call f] -> b c
	c
	function f
	x
EOF
echo "a b x x b x x c" > walk
for scheme in context piecewise; do
	"$waymark" replay latch.cfg walk --scheme $scheme | sed '1,/count/d' > out
	expect "a back edge after calls, $scheme" <<-EOF
		             1   50.0 %         1  main:a main:b ( f:x ) ( f:x )  (back to main:b)
		             1   50.0 %         2  main:b ( f:x ) ( f:x ) main:c
	EOF
done

# main waits in the recursive call of main, in which f, crossed into by main, ends the walk in a block.
cat > pending.cfg <<-EOF
	function main
	a -> b c
	b [call main] [call f] -> c
	c
	function f
	x -> y z
	y [call g] -> z
	z
EOF
"$waymark" number pending.cfg --scheme context=pending --list | sed -n '/call 0 of main/,/^function f/p' > out
expect "pending paths" <<-EOF
	  b, call 0 of main: stepped over, the call is recursive; ending in it adds {2, 1}
	  b, call 1 of f: crossed, after it {1, 0}

	  id  path
	   0  main:a main:b ( f:x f:y f:z ) main:c
	   1  main:a main:b ( f:x f:y  (in call 0 of f:y)
	   2  main:a main:b ( f:x f:z ) main:c
	   3  main:a main:b  (in call 0 of main:b)
	   4  main:a main:c

	function f
EOF
"$waymark" number pending.cfg --scheme piecewise=pending --json | jq -c '.functions[].calls[] | [.crossed, .pending_value]' > out
expect "values of pending paths" <<-EOF
	[false,{"a":2,"b":1}]
	[true,null]
	[false,{"a":1,"b":0}]
EOF
printf 'a b a c x y z c\na b a b a c x\n' > walk
for placement in naive optimal; do
	"$waymark" replay pending.cfg walk --scheme context=pending --placement $placement > out
	expect "a walk that ends in a call, $placement" <<-EOF
		completed paths 4, abandoned 1
		3 of 5 paths taken (context=pending; 1 of 3 call sites crossed)
		function main: entries 5
		function f: entries 2

		         count    share        id  path
		             2   50.0 %         4  main:a main:c
		             1   25.0 %         0  main:a main:b ( f:x f:y f:z ) main:c
		             1   25.0 %         3  main:a main:b  (in call 0 of main:b)
	EOF
done

echo "1 2 5 6" > walk
refuse "waymark replay: <stdin>:1:5: block '2' of function 'fig1' has no successor '5'" "$waymark" replay fig1.cfg
echo "1 2 9" > walk
refuse "waymark replay: <stdin>:1:5: function 'fig1' has no block '9'" "$waymark" replay fig1.cfg
printf '\n  2 3' > walk
refuse "waymark replay: <stdin>:2:3: expected '1', the entry of function 'fig1', found '2'" "$waymark" replay fig1.cfg
echo "1 2 4 6 1" > walk
refuse "waymark replay: <stdin>:1:9: function 'fig1' has returned before '1'; start a new line for its next activation" "$waymark" replay fig1.cfg
printf 'function f\na -> b\n' > bad.cfg
refuse "waymark number: bad.cfg:2:6: block 'b' is not defined in function 'f'" "$waymark" number bad.cfg
refuse "waymark number: there is no scheme 'cyclic'; valid: acyclic, preferential, kiter=K, loopcontext, subpath, context, context=cut, context=pending, piecewise, piecewise=cut, piecewise=pending" "$waymark" number --scheme cyclic fig1.cfg
for scheme in kiter kiter=0 kiter=2x kiter=1001 kiter=2,1 loopcontext=2; do
	refuse "waymark replay: there is no scheme '$scheme'; valid: acyclic, preferential, kiter=K, loopcontext, subpath, context, context=cut, context=pending, piecewise, piecewise=cut, piecewise=pending" "$waymark" replay --scheme $scheme fig1.cfg
done
preferential() {
	printf "$1\n" > interesting
	refuse "$2" "$waymark" number --scheme preferential --interesting interesting fig1.cfg
}
preferential '1 2 7' "waymark number: interesting:1:5: function 'fig1' has no block '7'"
preferential '1\n1 2 5' "waymark number: interesting:2:5: block '2' of function 'fig1' has no successor '5'"
preferential '3 5 6' "waymark number: interesting:1:1: no path of function 'fig1' has these blocks from start to end"
preferential '  10' "waymark number: interesting:1:3: function 'fig1' has no path 10; ids are below 10"
preferential '99999999999999999999' "waymark number: interesting:1:1: function 'fig1' has no path 99999999999999999999; ids are below 10"
preferential 'function f' "waymark number: interesting:1:10: the graph file has no function 'f'"
refuse "waymark number: --scheme preferential needs --interesting FILE" "$waymark" number --scheme preferential fig1.cfg
refuse "waymark number: --interesting can be used only with --scheme preferential" "$waymark" number --interesting interesting fig1.cfg
refuse "waymark number: --coding is for paths that take an edge once, not for those of --scheme kiter=2; use acyclic or preferential" \
	"$waymark" number --coding --scheme kiter=2 fig1.cfg
refuse "waymark number: --coding cannot be used with --numbering linear; it shows the published numbering" \
	"$waymark" number --coding --numbering linear fig1.cfg
refuse "waymark number: there is no numbering 'best'; valid: published, linear" "$waymark" number --numbering best fig1.cfg
refuse "waymark number: --interesting can be used only with --scheme preferential" "$waymark" number --interesting interesting --scheme context fig1.cfg
refuse "waymark number: --coding cannot be used with --scheme context; use acyclic or preferential" "$waymark" number --coding --scheme context fig1.cfg
refuse "waymark number: --after cannot be used with --scheme context, whose probes are made in one pass" "$waymark" number --after values --scheme context fig1.cfg
refuse "waymark number: there is no scheme 'context=2'; valid: acyclic, preferential, kiter=K, loopcontext, subpath, context, context=cut, context=pending, piecewise, piecewise=cut, piecewise=pending" "$waymark" number --scheme context=2 fig1.cfg
refuse "waymark number: the functions of fig1.cfg have more paths than --max-paths allows however they are cut; allow more" "$waymark" number --max-paths 2 --scheme context fig1.cfg
refuse "waymark number: cannot read none.cfg: No such file or directory" "$waymark" number none.cfg
refuse "waymark number: --limit needs a number, not 'x'" "$waymark" number --limit x fig1.cfg
refuse "waymark number: unknown option '--lists'; \`waymark number --help\` lists the options" "$waymark" number fig1.cfg --lists
refuse "waymark replay: there is no placement 'best'; valid: naive, optimal" "$waymark" replay --placement best fig1.cfg

refuse "waymark number: there is no pass 'magic'; valid: guesses, values, regions, asked, silence, trips, reduce, cells, ends, frames, spare" "$waymark" number --after magic fig1.cfg

# The probe program, before and after its ends are given.
"$waymark" number --after values fig3.cfg | sed -n '/^edge/,$p' > out
expect "probes after values" <<-EOF
	edge s -> b: set 0
	edge a -> c: set -4
	edge a -> b: set -2
	edge c -> t: add 1
	exit t: count 4
EOF
"$waymark" number --probes fig3.cfg | sed -n '/^exit/,$p' > out
expect "probes" <<-EOF
	exit t: count 4 {array}
	cold: call
EOF
"$waymark" number --probes --json fig3.cfg | grep -c '"exit t: count 4 {array}"' > out
echo 1 | expect "probes in JSON"

{
	echo function wide
	for i in $(seq 0 29); do
		printf 'd%d -> a%d b%d\na%d -> d%d\nb%d -> d%d\n' $i $i $i $i $((i + 1)) $i $((i + 1))
	done
	echo d30
} > wide.cfg
refuse "waymark number: function 'wide' has 1073741824 paths; list the first N of them with --limit N" "$waymark" number --list wide.cfg
"$waymark" number --max-paths 5000 wide.cfg | sed -n 2,3p > out
expect "split" <<-EOF
	  scheme  acyclic, split
	  paths   4352; without 4 cut edges about 10^9.0
EOF


# Subpaths end before calls and begin behind them; what is recorded is the probe program of the parts.
cat > calls.cfg <<-EOF
	function main
	v1 [call f] -> v2 v3
	v2 [call f] [call g] -> v1 v3
	v3
EOF
"$waymark" number --scheme subpath --list calls.cfg | sed -n '/^  id/,$p' > out
expect subpath <<-EOF
	  id  path
	   0  v1  (call before v1+1)
	   1  v1  (call before v1+1)
	   2  v1+1-v2  (call before v2+1)
	   3  v1+1-v3
	   4  v2+1  (call before v2+2)
	   5  v2+2-v3
	   6  v2+2  (back to v1)
EOF
"$waymark" number --scheme subpath --probes calls.cfg | grep -c 'append' > out
echo 5 | expect 'subpath probes'

# The example of thesis07, section 3.4.2: for one call exactly the four segments that it lists.
cat > thesis.cfg <<-EOF
	function f1
	a [call f2] -> b
	b
	function f2
	c [call f3] -> d
	d
	function f3
	e [call f4] -> g
	g [call f5] -> h
	h
	function f4
	l -> l m
	m
	function f5
	n
EOF
echo a c e l l l m g n h d b | "$waymark" replay --segments 1 thesis.cfg > out
expect "segments of one call" <<-EOF
	4 segments of at most 1 call, 4 of them different
	           1  f1:a ( f2:c
	           1  f2:c ( f3:e
	           1  f3:e ( f4:l
	           1  f3:e f3:g ( f5:n ) f3:h
EOF
echo a c e l l l m g n h d b | "$waymark" replay --json --segments 2 thesis.cfg | grep -c '"f1:a", "(", "f2:c", "(", "f3:e"\]' > out
echo 1 | expect "segments of two calls in JSON"
refuse "waymark replay: --segments excludes --scheme and --max-paths" "$waymark" replay --segments 1 --scheme kiter=2 thesis.cfg

# Supergraphs.  The example of thesis07, section 3.4.2: for depth 1 exactly these four segments.
cat > segments.cfg <<-EOF
	function f1
	a [call f2] -> b
	b
	function f2
	a [call f3]
	function f3
	a [call f4] [call f5]
	function f4
	a -> b
	b -> b c
	c
	function f5
	a
EOF
echo "a a a a b b b c a b" > walk
"$waymark" replay segments.cfg walk --inline 1 --segments 1 | sed -n '/^  *1/p' > out
expect "segments of depth 1" <<-EOF
	             1   33.3 %         1  f1:a ( f2:a ( f3:a ( f4:a f4:b  (back to f4:b)
	             1   33.3 %         2  f4:b f4:c )f3:a ( f5:a ) )f2:a )f1:a f1:b
	             1   33.3 %         3  f4:b  (back to f4:b)
	             1  f1:a ( f2:a
	             1  f2:a ( f3:a
	             1  f3:a ( f4:a f4:b
	             1  f3:a ( f5:a )
EOF
"$waymark" replay segments.cfg walk --inline 1 --segments 2 --json | jq -r '.segments[] | "\(.count) \(.path | join(" "))"' > out
expect "segments of depth 2" <<-EOF
	1 f1:a ( f2:a ( f3:a
	1 f2:a ( f3:a ( f4:a f4:b
	1 f3:a ( f4:a f4:b
	1 f3:a ( f5:a )
EOF
# The projection of paths of supergraphs is what is found in the walk itself.
echo a c e l l l m g n h d b > thesis
for depth in 1 2 3; do
	for graph in segments:walk thesis:thesis; do
		"$waymark" replay --segments $depth --json ${graph%:*}.cfg ${graph#*:} | jq -c '[.segments[] | [.count, .path]] | sort' > found
		"$waymark" replay --inline 1 --segments $depth --json ${graph%:*}.cfg ${graph#*:} | jq -c '[.segments[] | [.count, .path]] | sort' > out
		expect "projection of ${graph%:*}, depth $depth" < found
	done
done
# Two copies of a recursive function; the third is an activation of its own.  A callee that does not return.
cat > recursive.cfg <<-EOF
	function main
	a [call f] [call nowhere] -> b c
	b [call spin] -> c
	c
	function f
	x -> y z
	y [call nowhere] [call f] -> z
	z
	function spin
	s -> s
EOF
printf 'a x y x y x y x z z z z c\na x z b s s s\na x y\n' > walk
"$waymark" replay recursive.cfg walk --inline 2 --json | jq -r '(.functions[] | "\(.name) \(.entries) \(.completed) \(.abandoned)"), (.paths[] | "\(.function) \(.count) \(.path | join(" ")) \(.end)")' > out
expect "inlined recursion" <<-EOF
	main 3 3 2
	f 1 1 0
	spin 0 0 0
	main 1 main:a ( f:x f:y ( f:x f:y f:z ) f:z ) main:c return
	main 1 main:a ( f:x f:z ) main:b ( spin:s backedge
	main 1 spin:s backedge
	f 1 f:x f:y ( f:x f:z ) f:z return
EOF
printf 'function main\n0\na a/x a/y a/y:1/x a/y:1/z a/y+ a/z a+ c\n' > interesting
"$waymark" number recursive.cfg --inline 2 --scheme preferential --interesting interesting --list --json | jq -r '.functions[0] | "\(.paths) \(.delta)", (.list[] | select(.interesting) | "\(.id) \(.path | join(" "))")' > out
expect "interesting paths of a supergraph" <<-EOF
	7 1
	0 main:a ( f:x f:y ( f:x f:y f:z ) f:z ) main:b ( spin:s
	1 main:a ( f:x f:y ( f:x f:z ) f:z ) main:c
EOF
refuse "waymark number: --inline cannot be used with --scheme kiter=2; use acyclic or preferential" "$waymark" number --inline 2 --scheme kiter=2 fig1.cfg
refuse "waymark number: --inline: at most 64 copies of a recursive function can be inlined" "$waymark" number --inline 65 fig1.cfg

[ ! -e failed ]
