# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads that are created while the loader holds its lock, and what dlerror says after.
cat >plugin.c <<'END'
#include <pthread.h>
static void *inner(void *unused) { return unused; }
static void *outer(void *unused)
{
	pthread_t id;
	if (!pthread_create(&id, 0, inner, unused)) pthread_join(id, 0);
	return unused;
}
__attribute__((constructor)) static void load(void)
{
	pthread_t id;
	if (!pthread_create(&id, 0, outer, 0)) pthread_join(id, 0);
}
END
cat >main.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>
static void *nothing(void *unused) { return unused; }
static int none(void *unused) { (void)unused; return 0; }
int main(void)
{
	pthread_t id;
	thrd_t other;
	alarm(60);
	if (!dlopen("./plugin.so", RTLD_NOW)) return 1;
	if (dlsym(RTLD_DEFAULT, "no_such_name")) return 2;
	if (pthread_create(&id, 0, nothing, 0) || pthread_join(id, 0)) return 3;
	if (thrd_create(&other, none, 0) || thrd_join(other, 0)) return 4;
	if (!dlerror()) return 5;
	puts("loaded");
	return 0;
}
END
for linker in bfd lld mold; do
	for kind in -pie -no-pie; do
		must "$waymark" cc -O1 -fuse-ld=$linker $kind main.c -o main
		must "$waymark" cc -O1 -fuse-ld=$linker -shared -fPIC plugin.c -o plugin.so
		must env WAYMARK_FILE=/dev/null ./main
		[ "$(cat must.log)" = loaded ] || fail "$linker $kind: $(cat must.log)"
	done
done
# The loader as a command, which then is the program that the kernel knows of.
must env WAYMARK_FILE=/dev/null "$(readelf -l main | sed -n 's/.*interpreter: \(.*\)]/\1/p')" ./main
[ "$(cat must.log)" = loaded ] || fail "by the loader: $(cat must.log)"
