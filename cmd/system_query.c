/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/system_query.h"
#include "policy/system_headers.h"
#include "profile/base/bytes.h"
#include "support/fail.h"
#include <stdlib.h>
#include <string.h>

/* How the options begin on which include directories, and their names in debug information, depend. */
static const char *const prefixes[] = {"-I", "-iquote", "-isystem", "-idirafter", "-isysroot", "-iprefix", "-iwith",
	"-cxx-isystem", "-c-isystem", "-stdlib", "--stdlib", "--sysroot", "--gcc-", "-nostdinc", "-nostdlibinc",
	"--target", "-target", "--config", "--no-default-config", "-resource-dir",
	"-fdebug-prefix-map=", "-ffile-prefix-map=", "-working-directory", "-B", "@", NULL};
/* Those among them whose value is the next word. */
static const char *const with_argument[] = {"-I", "-iquote", "-isystem", "-idirafter", "-isysroot", "-iprefix",
	"-iwithprefix", "-iwithprefixbefore", "-iwithsysroot", "-cxx-isystem", "-c-isystem", "-stdlib++-isystem",
	"--sysroot", "-target", "-resource-dir", "-working-directory", "-B", "--config", NULL};
/* Linux limits a variable to 128 KiB. */
enum { MOST = 100000 };

static bool begins_with_any(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(word, *list, strlen(*list)))
			return true;
	return false;
}

static bool is_any(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static void put_line(struct wm_bytes *text, const char *word)
{
	if (text->size)
		wm_bytes_put(text, "\n", 1);
	wm_bytes_put(text, word, strlen(word));
}

void wm_system_query_set(const char *clang, char *const *word, size_t count)
{
	static const char *const rest[] = {"-fsyntax-only", "-x", "c++", "/dev/null"};
	struct wm_bytes text;
	wm_bytes_init(&text);
	put_line(&text, clang);
	put_line(&text, "-###");
	for (size_t i = 0; i < count; i++) {
		bool wanted = begins_with_any(word[i], prefixes), two = is_any(word[i], with_argument) && i + 1 < count;
		if (wanted && !strchr(word[i], '\n') && !(two && strchr(word[i + 1], '\n'))) {
			put_line(&text, word[i]);
			if (two)
				put_line(&text, word[i + 1]);
		}
		i += two;
	}
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		put_line(&text, rest[i]);
	wm_bytes_put(&text, "", 1);
	if (text.failed)
		wm_no_memory();
	if (text.size <= MOST)
		setenv(WM_SYSTEM_QUERY, (const char *)text.data, true);
	else {
		unsetenv(WM_SYSTEM_QUERY);
		wm_warn("the command line is too long to find out which headers are system headers: functions in "
			"system "
			"headers are instrumented; give the options in a response file");
	}
	wm_bytes_release(&text);
}
