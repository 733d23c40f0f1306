#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sources.sh BUILD: which files a report reads.  A map may name any file: pages hold only
# those below the current directory or a directory that was named, and nothing blocks.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/lib.sh"

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

page "$secret"
if grep -rq 'secret line' pages; then fail "the pages hold a file from elsewhere"; fi
grep -q "1 source file is outside the current directory and not in the pages" messages || fail "no warning: $(cat messages)"
grep -q -- '--source-dir' messages || fail "the warning does not help"
page link.txt
if grep -rq 'secret line' pages; then fail "a symbolic link leads out"; fi
page ../elsewhere/secret.txt
if grep -rq 'secret line' pages; then fail "a relative name leads out"; fi
page "$secret" --source-dir ../elsewhere
grep -rq 'secret line' pages || fail "--source-dir does not allow its files"
[ ! -s messages ] || fail "a warning in spite of --source-dir: $(cat messages)"
mkdir empty
page secret.txt --source-dir empty --source-dir ../elsewhere
grep -rq 'secret line' pages || fail "--source-dir counts only once"
page here.c
cp program.c here.c
"$waymark" report --html pages run.wmraw ./program
[ ! -s messages ] || fail "a warning about a file that is here: $(cat messages)"

# files that are not regular, or have no end
for name in pipe "$PWD/pipe" /proc/kmsg /dev/zero /dev/tty /proc/self/mem; do
	page "$name" --source-dir /
	timeout 20 "$waymark" report run.wmraw ./program >/dev/null || fail "a report blocks at $name"
done

# residual has the same pages
page "$secret"
timeout 20 "$waymark" residual --html pages --tested run.wmraw run.wmraw ./program 2>messages
if grep -rq 'secret line' pages; then fail "the pages of residual hold a file from elsewhere"; fi
