#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# printable.sh BUILD: control characters in names of functions, files and programs and in source lines reach neither a
# terminal nor a page, and everything printed is UTF-8.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

# A title, a bell, two ways to start a sequence, a byte that is not UTF-8, and a character that is.
evil=$(printf 'a\033]0;b\007c\2332Jd\377e\302\2332Jf\303\251')
file="$evil.c"
cat >"$file" <<END
__attribute__((noinline)) int choose(int n) __asm__("choose$evil\\nnext");
int choose(int n) /* $evil */
{
	if (n % 2) /* $evil */
		return n;
	return -n;
}
int main(int argc, char **argv)
{
	int sum = 0;
	(void)argv;
	for (int i = 0; i < 10 + argc; i++)
		sum += choose(i);
	return sum == 77;
}
END
"$waymark" cc -O1 -g "$file" -o "$evil" >/dev/null 2>&1
"$waymark" cc -O1 -g -fwaymark-wpp "$file" -o "wpp$evil" >/dev/null 2>&1
clang-19 -O0 -g -w "$file" -o "hw$evil"
WAYMARK_FILE=run.wmraw "./$evil"
WAYMARK_FILE=wpp.wmraw "./wpp$evil"
"$waymark" merge -o run.wmprof run.wmraw >/dev/null
: >empty.wmraw

# clean COMMAND: what it prints is UTF-8 without control characters but newlines and tabs
clean() {
	"$@" >out 2>&1 || :
	[ -s out ] || fail "nothing was printed by: $*"
	iconv -f UTF-8 -t UTF-8 out >/dev/null || fail "not UTF-8: $*"
	! LC_ALL=C grep -qa "$(printf '[\001-\010\013-\037\177]')" out || { cat -v out && fail "a control character was printed by: $*"; }
	! LC_ALL=C grep -qa "$(printf '\302[\200-\237]')" out || { cat -v out && fail "a C1 character was printed by: $*"; }
}
# names COMMAND: the same, and the name is there, escaped
names() {
	clean "$@"
	grep -qF 'a\x1b]0;b\x07c\x9b2Jd\xffe\xc2\x9b2Jfé' out || { cat out && fail "the name is missing in the output of: $*"; }
}

names "$waymark" report --all --full run.wmraw "./$evil"
[ "$(grep -c 'next' out)" = "$(grep -cF '\x0anext' out)" ] || { cat out && fail "a newline of a name was printed"; }
names "$waymark" show "./$evil"
names "$waymark" show --probes '*' "./$evil"
names "$waymark" segments wpp.wmraw "./wpp$evil"
names "$waymark" wpp wpp.wmraw "./wpp$evil"
clean "$waymark" wpp --segments 1 wpp.wmraw "./wpp$evil"
clean "$waymark" tests run.wmprof "./$evil"
clean "$waymark" residual --tested run.wmprof run.wmraw "./$evil"
names "$waymark" hw --all -- "./hw$evil"
names "$waymark" run -- "./$evil"
names "$waymark" report "$evil"
names "$waymark" report "$evil.wmprof"
names "$waymark" merge -o "missing/$evil" run.wmraw
names "$waymark" hw -- "./$evil.missing"
names "$waymark" "$evil"
names "$waymark" report "--$evil"

# Colours of our own pass, and those of a name do not.
"$waymark" report --colour always run.wmraw "./$evil" >out 2>&1
LC_ALL=C grep -qa "$(printf '\033\\[1m')" out || fail "no bold text"
! LC_ALL=C sed "s/$(printf '\033')\\[[0-9]*m//g" out | LC_ALL=C grep -qa "$(printf '\033')" || { cat -v out && fail "an escape sequence of a name was printed"; }

# JSON has the name itself.
for command in "report --json run.wmraw ./$evil" "show --json ./$evil" "hw --json -- ./hw$evil"; do
	IFS=' '
	# shellcheck disable=SC2086 # the name has no space
	clean "$waymark" $command
	unset IFS
	jq -e . out >/dev/null || fail "no JSON: $command"
done

# Pages.
"$waymark" report --html pages run.wmraw "./$evil" >/dev/null 2>&1
"$waymark" hw --html hw_pages --quiet -- "./hw$evil" >/dev/null 2>&1 || :
"$waymark" hw --html hw_pages -- "./hw$evil" >/dev/null 2>&1
"$waymark" segments --html segment_pages wpp.wmraw "./wpp$evil" >/dev/null 2>&1
"$waymark" wpp --html wpp_pages wpp.wmraw "./wpp$evil" >/dev/null 2>&1
for directory in pages hw_pages segment_pages wpp_pages; do
	find $directory -type f >list
	[ -s list ] || fail "no pages in $directory"
	while read -r page; do
		clean cat "$page"
	done <list
	grep -qrF 'a\x1b]0;b\x07c\x9b2Jd\xffe\xc2\x9b2Jfé' $directory || fail "the name is missing in $directory"
done
echo "printable: all as expected"
