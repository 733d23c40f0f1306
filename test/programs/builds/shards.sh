# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Work in shards: what is interrupted continues, what failed is repeated, and results of other code do not count.
shards=$(realpath "$cases/../../scripts/shards")
mkdir tree ran
git init -q tree
echo one >tree/file
# A shard notes that it ran.  `slow` and `stubborn` last until there is a file `go`, and `bad` fails until there is a file
# `repaired`.
work=$PWD
chmod +x shard
export work
list() { # list NAME…
	for name in "$@"; do
		printf '%s\ttogether\t%s/shard %s\n' "$name" "$work" "$name"
	done
}
run() { # run OPTION…: with the list of list.txt; the exit code is in $code
	code=0
	(cd tree && "$shards" "$work/store" "$@" <"$work/list.txt") >out 2>&1 || code=$?
}
says() {
	grep -qF -- "$1" out || { cat out; fail "does not say: $1"; }
}
ends_with() {
	[ "$(tail -n 1 out)" = "$1" ] || { cat out; fail "the last line is not: $1"; }
}
ran() { # ran NAME NUMBER: it ran that often
	[ "$(cat "ran/$1" /dev/null 2>/dev/null | wc -l)" = "$2" ] || fail "$1 ran $(wc -l <"ran/$1") times, not $2"
}
begins() { # begins NAME: waits for it
	for _ in $(seq 600); do
		[ ! -e "ran/$1" ] || return 0
		sleep 0.1
	done
	fail "$1 does not begin"
}
ends() { # ends NAME: waits for the end of its process
	for _ in $(seq 600); do
		kill -0 "$(cat "ran/$1")" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "$1 does not end"
}

# A failure is shown with its reason and its command, and is repeated alone.
list a bad odd b >list.txt
run
[ $code = 1 ] || fail "exit code $code after a failure"
says 'the reason'
says "to repeat it: $work/shard bad"
says '1 skipped'
ends_with '2 passed, 1 failed'
touch repaired
run
[ $code = 0 ] || { cat out; fail "exit code $code"; }
says '3 of 4 shards are known'
ends_with '3 passed, 0 failed'
ran a 1 && ran b 1 && ran bad 2 && ran odd 1

# An interruption, by a signal that can be handled and by one that cannot, loses what was running.
for signal in INT TERM KILL; do
	rm -rf ran store go && mkdir ran
	list a slow b >list.txt
	# The shell starts what is in the background with SIGINT ignored.
	(cd tree && exec env --default-signal=INT "$shards" "$work/store" <"$work/list.txt" >"$work/out" 2>&1) &
	begins slow
	kill -s $signal $!
	code=0
	wait $! || code=$?
	case $signal in
	KILL) [ $code = 137 ] ;;
	*) [ $code = 130 ] && says 'the same command continues' ;;
	esac || { cat out; fail "$signal: exit code $code"; }
	ends slow
	[ "$(cat store/*/slow.kept/progress)" = half ] || fail "$signal: what the shard has done so far is lost"
	touch go
	run
	[ $code = 0 ] || { cat out; fail "$signal: exit code $code afterwards"; }
	says '1 of 3 shards are known'
	ends_with '3 passed, 0 failed'
	ran a 1 && ran slow 2 && ran b 1
	[ ! -e store/*/slow.kept ] || fail "what a shard had done so far stays after its end"
done

# What does not end with a run that was killed is waited for: it would work in the same directory as its repetition.
rm -rf ran store go && mkdir ran
list stubborn >list.txt
(cd tree && exec "$shards" "$work/store" <"$work/list.txt" >"$work/first" 2>&1) &
begins stubborn
kill -s KILL $!
wait $! || :
(sleep 1 && touch go) &
run
says 'waiting for its end'
ends_with '1 passed, 0 failed'
ran stubborn 2
wait

# Two runs at once: the second waits for the first, and finds everything done.
rm -rf ran store go && mkdir ran
list a slow b >list.txt
(cd tree && "$shards" "$work/store" <"$work/list.txt" >"$work/first" 2>&1) &
begins slow
(sleep 1 && touch go) &
run
says 'waiting for its end'
ends_with '3 passed, 0 failed'
ran a 1 && ran slow 1 && ran b 1
wait

# Results of other code do not count, whether or not the change is committed, and count again with the code.
commit() {
	git -C tree add -A && git -C tree -c user.name=x -c user.email=x@x commit -q -m x
}
rm -rf ran store && mkdir ran
list a >list.txt
run && ran a 1
echo two >tree/file && run && ran a 2
commit && run && ran a 2
touch tree/another && run && ran a 3
rm tree/another && run && ran a 3
chmod +x tree/file && run && ran a 4
rm tree/file && run && ran a 5
echo one >tree/file && run && ran a 5
run --word more && ran a 6
run && ran a 6
run --fresh && ran a 7

# A file that changes while a shard runs: nobody knows which code that was.
printf 'change\ttogether\tsh -c "echo three >file"\n' >list.txt
run
[ $code = 1 ] || fail "exit code $code though the files changed"
says 'the files changed while change ran'

# Parts: each shard is in one of them, and the whole counts them all.
rm -rf ran store && mkdir ran
list a b c d e >list.txt
run --part 1/2 && ends_with '3 passed, 0 failed'
ran b 0
run --part 2/2 && ends_with '2 passed, 0 failed'
run --together 3 && says '5 of 5 shards are known' && ends_with '5 passed, 0 failed'
for name in a b c d e; do
	ran $name 1
done
for part in 0/2 3/2 2 x/y; do
	run --part $part
	[ $code != 0 ] && says "$part is not I/N" || fail "--part $part is accepted"
done

# Together and alone.
overlap='echo begin >>"$work/order"; sleep 0.5; echo end >>"$work/order"'
for company in together alone; do
	rm -f order
	for name in 1 2; do
		printf '%s-%s\t%s\tsh -c '"'%s'"'\n' $company $name $company "$overlap"
	done >list.txt
	run --together 2
	[ $code = 0 ] || { cat out; fail "exit code $code"; }
	[ "$(sed -n 2p order)" = "$([ $company = together ] && echo begin || echo end)" ] || { cat order; fail "not $company"; }
done

# What a shard keeps for itself is there for the command at the end, whose failure counts.
list kept >list.txt
run --after 'sh -c "cat \"$SHARDS/file\""'
[ $code = 0 ] || { cat out; fail "exit code $code"; }
says kept
run --after 'sh -c "exit 5"'
[ $code = 1 ] && says 'exit code 5' || { cat out; fail "the failure of the last command is lost"; }
