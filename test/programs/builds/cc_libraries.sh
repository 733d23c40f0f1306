# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Precompiled headers are not linked; -nostdlib and -nodefaultlibs, as libtool links
# shared objects of C++, find what the runtime needs.
cat >twice.h <<'END'
#pragma once
static inline int twice(int x) { return x & 1 ? x : 2 * x; }
END
cat >main.c <<'END'
#include "twice.h"
int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += twice(i); return s == 65 ? 0 : 1; }
END
# profiled PROGRAM
profiled() {
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$1
	report ./$1 run.wmraw
	expect 'total("twice") == 10'
}
mkdir headers
must "$waymark" cc -x c-header twice.h -o headers/twice.h.pch
must "$waymark" cc -include headers/twice.h main.c -o with_pch
profiled with_pch
must "$waymark" cc twice.h
[ -f twice.h.gch ] || [ -f twice.h.pch ] || fail "a header alone is precompiled"
rm -f twice.h.?ch
must "$waymark" cc -x c twice.h -fsyntax-only
must "$waymark" cc -nodefaultlibs main.c -lc -o nodefaultlibs
profiled nodefaultlibs
cat >box.cpp <<'END'
#include <string>
int size(const std::string &s) { if (s.size() > 3) throw 1; return (int)s.size(); }
END
cat >use.cpp <<'END'
#include <string>
int size(const std::string &s);
int main() { try { return size("abc") == 3 && size("abcd") ? 1 : 2; } catch (int) { return 0; } }
END
must "$waymark" c++ -fPIC -c box.cpp
must "$waymark" c++ -shared -nostdlib "$(clang-19 -print-file-name=crti.o)" "$(clang-19 -print-file-name=crtbeginS.o)" box.o \
	-lstdc++ -lm -lc -lgcc_s "$(clang-19 -print-file-name=crtendS.o)" "$(clang-19 -print-file-name=crtn.o)" -o libbox.so
must clang++-19 use.cpp ./libbox.so -o use
rm -f run.wmraw
must env WAYMARK_FILE=run.wmraw ./use
report ./libbox.so run.wmraw
expect 'f("_Z4sizeRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE").entries == 2'
