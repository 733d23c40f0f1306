# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The programs of the benchmark, from Debian's source packages.
#
# NAME_package    what scripts/source takes
# NAME_prepare    once, in a copy of the source
# NAME_sources    the files to compile; NAME_flags their flags; NAME_language cc or c++
# NAME_use        one run of $program in that copy; prints nothing that varies
# NAME_train      a shorter run on another input: what residual builds know as tested; long enough
#                 for what begins only beyond some size (windows that are full, files that are sorted)
# NAME_suite      many short runs on inputs of other kinds, NAME_train among them: a larger test suite

programs='bzip2 lua zlib zstd sqlite3 expat lz4 jsoncpp'

text() { # text BYTES: the same English and C text every time
	find "$texts" -type f \( -name '*.c' -o -name '*.h' -o -name '*.txt' -o -name '*.xml' -o -name '*.html' \) -print0 |
		LC_ALL=C sort -z | xargs -0 cat | head -c "$1"
}

train() { # train [BYTES]: another text
	local bytes=${1-1500000}
	text $((12500000 + bytes)) | tail -c "$bytes"
}

kinds() { # kinds COMMAND: runs it on files of several kinds, after the training input
	"$1" train
	: >kind-empty && printf x >kind-byte
	head -c 400000 /dev/zero >kind-zeros
	seq 120000 >kind-numbers
	train 400000 | od -An >kind-octal
	train 2600000 | head -c 800000 >kind-text
	train 400000 | gzip -n >kind-packed
	local file
	for file in kind-*; do
		"$1" "$file"
	done
}

bzip2_package='bzip2 upstream' bzip2_language=cc bzip2_flags=-D_FILE_OFFSET_BITS=64
bzip2_prepare() { text 12000000 >input && train >train; }
bzip2_sources() { echo blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c; }
bzip2_use() { "$program" -9 -c input | "$program" -dc | cksum; }
bzip2_train() { "$program" -9 -c train | "$program" -dc | cksum; }
bzip2_suite() {
	bzip2_levels() { for level in 1 5 9; do "$program" -$level -c "$1" | "$program" -dc | cksum; done; }
	kinds bzip2_levels
}

lua_package='lua5.4 upstream' lua_language=cc lua_flags='-DLUA_USE_LINUX -Isrc'
lua_prepare() {
	cp "$here/lua.lua" input
	sed 's/fib(30), sorted(200000), queens(8)/fib(14), sorted(3001), queens(6)/; s/words(150000)/words(2003)/' input >train
}
lua_sources() { ls src/*.c | grep -v luac.c; }
lua_use() { "$program" input; }
lua_train() { "$program" train; }
lua_suite() {
	local size
	lua_train
	for size in 3 10 100 700; do
		sed "s/fib(30), sorted(200000), queens(8)/fib(16), sorted($size), queens(5)/; s/words(150000)/words($size)/" input >suite
		"$program" suite
	done
}

zlib_package=zlib zlib_language=cc zlib_flags='-DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -I.'
zlib_prepare() { text 12000000 >input && train >train; }
zlib_sources() { echo adler32.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c zutil.c compress.c uncompr.c gzclose.c gzlib.c gzread.c gzwrite.c test/minigzip.c; }
zlib_use() { "$program" -9 <input >output && cksum <output && "$program" -d <output | cksum; }
zlib_train() { "$program" -9 <train >output && "$program" -d <output | cksum; }
zlib_suite() {
	zlib_levels() { for level in -1 -6 -9 -f -h; do "$program" $level <"$1" | "$program" -d | cksum; done; }
	kinds zlib_levels
}

zstd_package=libzstd zstd_language=cc
zstd_flags='-DZSTD_DISABLE_ASM=1 -DZSTD_NOBENCH -DZSTD_NODICT -DZSTD_NOTRACE -DBACKTRACE_ENABLE=0 -Ilib -Ilib/common -Iprograms'
zstd_prepare() { text 12000000 >input && train 6000000 >train; }
zstd_sources() { ls lib/common/*.c lib/compress/*.c lib/decompress/*.c programs/zstdcli.c programs/util.c programs/timefn.c programs/fileio.c programs/fileio_asyncio.c 2>/dev/null; }
zstd_use() { "$program" -q -12 -c input >output && cksum <output && "$program" -dc output | cksum; }
zstd_train() { "$program" -q -12 -c train >output && "$program" -dc output | cksum; }
zstd_suite() {
	zstd_levels() { for level in 1 5 12; do "$program" -q -$level -c "$1" >output && "$program" -dc output | cksum; done; }
	kinds zstd_levels
}

sqlite3_package=sqlite3 sqlite3_language=cc sqlite3_flags='-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I.'
sqlite3_prepare() { ./configure --disable-shared --disable-readline --disable-tcl && make sqlite3.c shell.c && cp "$here/sqlite3.sql" input; }
sqlite3_sources() { echo sqlite3.c shell.c; }
sqlite3_use() { "$program" :memory: <input; }
sqlite3_train() { sed 's/150000/60000/' input | "$program" :memory:; }
sqlite3_suite() {
	local size
	for size in 1 7 100 3000 20000 60000; do
		sed "s/150000/$size/" input | "$program" :memory:
	done
}

expat_package=expat expat_language=cc expat_flags='-DHAVE_GETRANDOM=1 -DXML_DTD -DXML_NS -DXML_GE=1 -DXML_CONTEXT_BYTES=1024 -DBYTEORDER=1234 -DHAVE_MEMMOVE -DXML_UNICODE_IGNORED -Iexpat/lib -Iexpat/xmlwf -DPACKAGE="expat" -DXML_LARGE_SIZE'
expat_prepare() {
	: >expat_config.h
	items() { awk -v n="$1" -v kind="$2" 'BEGIN { print "<all>"; for (i = 0; i < n; i++) printf "<item id=\"%d\" kind=\"%s\"><!-- %d --><name>item &lt;%d&gt;</name><![CDATA[a < b]]><x a=\"1\"/>text %s</item>\n", i, i % 3 ? kind : "old", i, i, i % 7 ? "short" : "rather longer &amp; with an entity"; print "</all>" }'; }
	items 600000 new >input
	items 100000 another >train
}
expat_sources() { ls expat/lib/xmlparse.c expat/lib/xmlrole.c expat/lib/xmltok.c expat/xmlwf/xmlwf.c expat/xmlwf/xmlfile.c expat/xmlwf/codepage.c expat/xmlwf/unixfilemap.c; }
expat_use() { "$program" -N input | head -n 3; }
expat_train() { "$program" -N train | head -n 3; }
expat_suite() {
	expat_train
	printf '<a/>' >suite && "$program" -N suite | head -n 3
	printf '<a b="1" c="&lt;">text<b/><!-- x --><?p q?><![CDATA[z]]>&#65;</a>\n' >suite && "$program" -N suite | head -n 3
	printf '<!DOCTYPE a [<!ELEMENT a ANY><!ENTITY e "f">]><a>&e;</a>\n' >suite && "$program" -N suite | head -n 3
	printf '<a><b></a>' >suite && "$program" -N suite 2>&1 | head -n 3
}

lz4_package=lz4 lz4_language=cc lz4_flags='-DXXH_NAMESPACE=LZ4_ -Ilib'
lz4_prepare() { text 24000000 >input && train >train; }
lz4_sources() { ls lib/*.c programs/*.c; }
lz4_use() { "$program" -q -9 -c input >output && cksum <output && "$program" -dc output | cksum; }
lz4_train() { "$program" -q -9 -c train >output && "$program" -dc output | cksum; }
lz4_suite() {
	lz4_levels() { for level in 1 3 9 12; do "$program" -q -$level -c "$1" >output && "$program" -dc output | cksum; done; }
	kinds lz4_levels
}

jsoncpp_package=libjsoncpp jsoncpp_language=c++ jsoncpp_flags='-std=c++17 -Iinclude -Isrc/lib_json'
jsoncpp_prepare() {
	cp "$here/jsoncpp.cpp" .
	items() { awk -v count="$1" 'BEGIN { printf "[" ; for (i = 0; i < count; i++) printf "%s{\"id\": %d, \"name\": \"item %d\", \"tags\": [\"a\", \"b\\n\", null, true], \"x\": %.3f}", i ? ",\n" : "", i, i, i / 7; print "]" }'; }
	items 60000 >input
	items 600 >train
}
jsoncpp_sources() { echo src/lib_json/json_reader.cpp src/lib_json/json_value.cpp src/lib_json/json_writer.cpp jsoncpp.cpp; }
jsoncpp_use() { "$program" input; }
jsoncpp_train() { "$program" train; }
jsoncpp_suite() {
	jsoncpp_train
	printf '[{"id": -1, "name": "", "tags": [], "x": 1e9}]' >suite && "$program" suite
	printf '[{"id": 0, "name": "\\u00e4\\t", "tags": [false, {}], "x": 0}]' >suite && "$program" suite
}
