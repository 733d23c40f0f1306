# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A profile names the scheme of each function.  unnamed.profile is of a version that did not: it has the counts of looper.c under
# kiter=70, with the build-id 1234567890abcdef.  named.profile has the same, and was written when version 8 was the newest.
schemes='[["main","kiter=70"],["steps","kiter=70,sequences"],["total","kiter=70"]]'

# counted PROFILE TIMES: what the report of a binary of another scheme says, whose counts are TIMES those of one run
counted() {
	report ./looper "$1"
	[ "$(jq -c '[.functions[] | [.name, .scheme]] | sort' report.json)" = "$schemes" ] || fail "$1: the schemes are $(jq -c '[.functions[] | [.name, .scheme]]' report.json)"
	expect 'f("total").entries == 5 * '$2' and total("total") == 5 * '$2' and (f("steps").paths | length) == 5'
}

# used PROFILE: the compiler finds the paths, too
used() {
	must "$waymark" cc -O2 -fwaymark-use="$1" -Rpass=waymark -c looper.c
	grep -q 'from 1 path (kiter=70) that ran' must.log || fail "$1: no use of total: $(cat must.log)"
	grep -q 'from 5 paths (kiter=70,sequences) that ran' must.log || fail "$1: no use of steps: $(cat must.log)"
}

must "$waymark" cc -O1 -g -fwaymark-scheme=kiter=70 -Wl,--build-id=0x1234567890abcdef looper.c -o looper
WAYMARK_FILE=named.wmraw must ./looper
cp unnamed.profile unnamed.wmprof
cp named.profile stored.wmprof
must "$waymark" merge -o named.wmprof named.wmraw
must "$waymark" merge -o both.wmprof unnamed.wmprof named.wmraw
must "$waymark" merge -o all.wmprof unnamed.wmprof named.wmraw stored.wmprof
must "$waymark" cc -O1 -g looper.c -o looper
for profile in unnamed named stored both all; do
	times=1
	[ $profile != both ] || times=2
	[ $profile != all ] || times=3
	counted $profile.wmprof $times
	used $profile.wmprof
done

# Version 8 of the file has names.
version() {
	od -An -tu4 -j8 -N4 "$1" | tr -d ' '
}
versions="$(version unnamed.wmprof) $(version named.wmprof) $(version stored.wmprof) $(version both.wmprof) $(version all.wmprof)"
[ "$versions" = '7 8 8 8 8' ] || fail "versions: $versions"

# What a recording computes has names, too.
must "$waymark" cc -O1 -g -fwaymark-wpp looper.c -o looper
WAYMARK_FILE=recorded.wmraw must ./looper
must "$waymark" wpp --as kiter=70 -o computed.wmprof recorded.wmraw ./looper
[ "$(version computed.wmprof)" = 8 ] || fail "version $(version computed.wmprof) of a computed profile"
counted computed.wmprof 1
used computed.wmprof

# Of counts under several schemes, those are used whose scheme is named, and of these the first one in the order of formats.md.
# taken WORDS PROFILE…: the remark about total
taken() {
	words=$1
	shift
	must "$waymark" merge -o several.wmprof "$@"
	must "$waymark" cc -O2 -fwaymark-use=several.wmprof -Rpass=waymark -c looper.c
	grep -q "from [0-9]* paths* ($words) that ran" must.log || fail "$*: not $words: $(cat must.log)"
}
for scheme in loopcontext kiter=2 kiter=9; do
	must "$waymark" cc -O1 -g -fwaymark-scheme=$scheme looper.c -o looper
	WAYMARK_FILE=$scheme.wmraw must ./looper
done
taken kiter=9 unnamed.wmprof kiter=9.wmraw
taken kiter=2 kiter=9.wmraw kiter=2.wmraw unnamed.wmprof
taken loopcontext kiter=9.wmraw kiter=2.wmraw loopcontext.wmraw
