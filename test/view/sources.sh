#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sources.sh BUILD: which files a report reads.  A map may name any file: pages hold only
# those below the current directory or a directory that was named, and nothing blocks.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

mkdir work elsewhere
seq 1 40 | sed 's/.*/secret line &/' >elsewhere/secret.txt
mkfifo work/pipe
ln -s ../elsewhere/secret.txt work/link.txt
cd work
secret=$(realpath ../elsewhere/secret.txt)

# page NAME [OPTION...]: writes the pages of a program whose map names that file
page() {
	name=$1
	shift
	printf '#line 10 "%s"\nint main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn argc > 5 ? 1 : 0;\n}\n' "$name" >program.c
	rm -rf pages run.wmraw
	"$waymark" cc -O1 -g program.c -o program
	WAYMARK_FILE=run.wmraw ./program
	timeout 20 "$waymark" report --html pages "$@" run.wmraw ./program 2>messages || fail "no pages for $name"
}

# holds WORDS: the pages, or the data that they load
holds() {
	{
		find pages -type f -exec cat {} +
		find pages -name '*.js' -exec cat {} + | page_data
	} | grep -q -- "$1"
}

page "$secret"
if holds 'secret line'; then fail "the pages hold a file from elsewhere"; fi
grep -q "1 source file is outside the current directory and not in the pages" messages || fail "no warning: $(cat messages)"
grep -q -- '--source-dir' messages || fail "the warning does not help"
page link.txt
if holds 'secret line'; then fail "a symbolic link leads out"; fi
page ../elsewhere/secret.txt
if holds 'secret line'; then fail "a relative name leads out"; fi
page "$secret" --source-dir ../elsewhere
holds 'secret line' || fail "--source-dir does not allow its files"
[ ! -s messages ] || fail "a warning in spite of --source-dir: $(cat messages)"
mkdir empty
page secret.txt --source-dir empty --source-dir ../elsewhere
holds 'secret line' || fail "--source-dir counts only once"
page here.c
cp program.c here.c
"$waymark" report --html pages run.wmraw ./program 2>messages
[ ! -s messages ] || fail "a warning about a file that is here: $(cat messages)"

# files that are not regular, or have no end
for name in pipe "$PWD/pipe" /proc/kmsg /dev/zero /dev/tty /proc/self/mem; do
	page "$name" --source-dir /
	timeout 20 "$waymark" report run.wmraw ./program >/dev/null || fail "a report blocks at $name"
done

# residual has the same pages
page "$secret"
timeout 20 "$waymark" residual --html pages --tested run.wmraw run.wmraw ./program 2>messages
if holds 'secret line'; then fail "the pages of residual hold a file from elsewhere"; fi

# ---- builds outside of the source tree --------------------------------------------------
cd ..
mkdir -p tree/src tree/include tree/build/deep
printf 'static inline int twice(int x)\n{\n\treturn x > 1 ? 2 * x : 2; /* from the header */\n}\n' >tree/include/twice.h
printf '#include "../include/twice.h"\nint main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn twice(argc) > 5 ? 1 : 0; /* from the source */\n}\n' >tree/src/main.c

# shows BINARY PROFILE: the report has the source lines of both files, under names without ./ and name/..
shows() {
	(cd elsewhere && "$waymark" report --all "$2" "$1" >out 2>&1) || fail "report of $1"
	grep -q 'from the source' elsewhere/out && grep -q 'from the header' elsewhere/out || { cat elsewhere/out && fail "no source: $1"; }
	if grep -q '[^.]\./' elsewhere/out; then cat elsewhere/out && fail "names of files are not normalised: $1"; fi
	if grep -q 'not found' elsewhere/out; then cat elsewhere/out && fail "a file is said to be missing: $1"; fi
}
here=$PWD
for flags in '-I../../include ../../src/main.c' "-I$here/tree/include $here/tree/src/main.c" './../../src/../src/main.c' \
	"-ffile-prefix-map=$here/tree=. $here/tree/src/main.c" "-fdebug-compilation-dir=. ../../src/main.c"; do
	rm -rf moved
	(cd tree/build/deep && "$waymark" cc -O1 $flags -o program && WAYMARK_FILE=run.wmraw ./program && mv run.wmraw "$here/run.wmraw")
	shows "$here/tree/build/deep/program" "$here/run.wmraw"
	# the whole tree moves
	mv tree moved
	shows "$here/moved/build/deep/program" "$here/run.wmraw"
	shows ../moved/build/deep/program "$here/run.wmraw"
	mv moved tree
done
(cd tree/build/deep && "$waymark" cc -O1 ../../src/main.c -o program)
json '[.functions[].file] | sort == ["'"$here"'/tree/include/twice.h", "'"$here"'/tree/src/main.c"]' "$waymark" show --json tree/build/deep/program

# A symbolic link to the build directory: name/.. is not the directory above the link.
ln -s tree/build/deep link
(cd link && "$waymark" cc -O1 ../../src/main.c -o program && WAYMARK_FILE=run.wmraw ./program && mv run.wmraw "$here/run.wmraw")
shows "$here/link/program" "$here/run.wmraw"

# The binary alone has moved: a note, and pages, say which option helps; it does, by the longest end of the name.
mkdir -p alone wrong/x new/src new/include
mv tree/build/deep/program alone/program
echo 'not this one' >new/main.c
cp tree/src/main.c new/src/main.c
cp tree/include/twice.h new/include/twice.h
mv tree gone
"$waymark" report --all run.wmraw alone/program >out || fail "report"
grep -q '2 source files are not found (the first is .*/tree/.*); --source-dir DIR' out || { cat out && fail "no advice"; }
"$waymark" report --all --no-source run.wmraw alone/program >out || fail "report --no-source"
if grep -q 'not found' out; then fail "advice in spite of --no-source"; fi
"$waymark" report --html pages run.wmraw alone/program 2>messages || fail "pages"
grep -q 'The source file .*/tree/src/main.c is not found: --source-dir DIR' pages/f/*.html || fail "the pages do not say which option helps"
grep -q '2 source files are not found' messages || fail "no warning: $(cat messages)"
"$waymark" report --all --source-dir wrong --source-dir new run.wmraw alone/program >out || fail "report --source-dir"
grep -q 'from the source' out && grep -q 'from the header' out || { cat out && fail "--source-dir"; }
if grep -q 'not this one\|not found' out; then cat out && fail "--source-dir takes another file"; fi
mv gone tree
cd wrong
"$waymark" report --html pages ../run.wmraw ../alone/program 2>messages || fail "pages from elsewhere"
grep -q "The source file $here/tree/src/main.c is outside the current directory: --source-dir $here/tree/src allows it" pages/f/*.html ||
	fail "the pages do not say why the source is missing"
"$waymark" report --html pages --source-dir "$here/tree/src" ../run.wmraw ../alone/program 2>messages || fail "pages with --source-dir"
holds 'from the source' || fail "the advice of the pages does not help"

# A file of the same name far above the binary is another file.
cd "$here"
mkdir -p intree far/a/b/c
cp tree/src/main.c tree/include/twice.h intree
sed -i 's,../include/,,' intree/main.c
(cd intree && "$waymark" cc -O1 main.c -o program && WAYMARK_FILE=run.wmraw ./program)
cp intree/program far/a/b/c
mv intree moved_intree
yes 'not this one' | head -n 40 >far/main.c
cp far/main.c far/twice.h
"$waymark" report --all moved_intree/run.wmraw far/a/b/c/program >out || fail "report far away"
if grep -q 'not this one' out; then cat out && fail "a file far above the binary is taken for the source"; fi
grep -q 'not found' out || fail "no advice far away"
"$waymark" report --all moved_intree/run.wmraw moved_intree/program >out || fail "report of the moved tree"
grep -q 'from the source' out && grep -q 'from the header' out || { cat out && fail "the source beside the binary"; }

# Generated sources: #line directives are relative to where the generator ran or wrote, and the compiler runs in a build directory.
cd "$here"
mkdir -p gen/src/old gen/src/new gen/build/old gen/build/new
for name in old new; do
	printf '/* grammar */\nint %s(int x)\n{\n\tif (x)\n\t\treturn 1; /* of %s */\n\treturn 2;\n}\n' $name $name >gen/src/$name/parse.y
done
{ echo '#line 1 "parse.y"' && cat gen/src/old/parse.y; } >gen/src/old/parse.c
{ echo '#line 1 "../../src/new/parse.y"' && cat gen/src/new/parse.y; } >gen/build/new/parse.c
echo 'int old(int), new(int); int main(int n, char **v) { (void)v; return old(n) + new(n) - 2; }' >gen/src/main.c
(cd gen/build/old && "$waymark" cc -O1 -g -c ../../src/old/parse.c) # written beside its grammar, as in a release
(cd gen/build && "$waymark" cc -O1 -g ../src/main.c new/parse.c old/parse.o -o program && WAYMARK_FILE=run.wmraw ./program)
"$waymark" report --all gen/build/run.wmraw gen/build/program >out || fail "report of generated sources"
grep -q 'of old' out || { cat out && fail "the grammar beside the compiled file"; }
grep -q 'of new' out || { cat out && fail "the grammar relative to the compiled file"; }
if grep -q 'not found' out; then cat out && fail "advice about files that are shown"; fi

# A file that no #line directive named is not looked for there.
mkdir -p gen/build/lost
printf 'static inline int lost(int x) { return x ? 1 : 2; } /* of the build */\n' >gen/build/lost/lost.h
printf '#include "lost.h"\n#line 1 "parse.y"\nint main(int n, char **v) { (void)v; return lost(n) - 1; }\n' >gen/src/old/lost.c
(cd gen/build/lost && "$waymark" cc -O1 -g -I. ../../src/old/lost.c -o program && WAYMARK_FILE=run.wmraw ./program)
sed 's/build/source/' gen/build/lost/lost.h >gen/src/old/lost.h
rm gen/build/lost/lost.h
"$waymark" report --all gen/build/lost/run.wmraw gen/build/lost/program >out || fail "report without a header"
if grep -q 'of the source' out; then cat out && fail "another header of this name is shown"; fi
grep -q 'lost.h' out || { cat out && fail "no advice about the header"; }
