/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/compiler.h"
#include "support/buffer.h"
#include "support/capture.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "19"

const char *wm_clang_variable(bool cxx)
{
	return cxx ? "WAYMARK_CLANGXX" : "WAYMARK_CLANG";
}

const char *wm_clang_name(bool cxx)
{
	const char *chosen = getenv(wm_clang_variable(cxx));
	return chosen && *chosen ? chosen : cxx ? "clang++-" VERSION : "clang-" VERSION;
}

static bool says_version(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	return !strcmp(base, "clang-" VERSION) || !strcmp(base, "clang++-" VERSION);
}

/* Debian clang version 19.1.7 (3~deb12u1) */
static void check_answer(const char *name, const char *answer, const char *variable)
{
	static const char before[] = "clang version ";
	const char *found = strstr(answer, before), *line = strchr(answer, '\n');
	if (!found || (line && found > line))
		wm_fail("%s is not clang: name a clang " VERSION " in %s", name, variable);
	const char *version = found + strlen(before);
	if (strncmp(version, VERSION, strlen(VERSION)) || isdigit((unsigned char)version[strlen(VERSION)]))
		wm_fail("%s is clang %.*s, which cannot load the plugin: name a clang " VERSION " in %s", name,
			(int)strcspn(version, " \n"), version, variable);
}

void wm_clang_check(bool cxx)
{
	const char *name = wm_clang_name(cxx);
	char *command[] = {(char *)name, "--version", NULL};
	struct wm_buffer answer, errors;
	if (says_version(name))
		return;
	if (wm_capture(command, &answer, &errors) < 0)
		wm_fail("cannot run %s: %s; install it or name a clang " VERSION " in %s", name, strerror(errno),
			wm_clang_variable(cxx));
	char *text = wm_xprintf("%.*s", (int)answer.size, (const char *)answer.data);
	check_answer(name, text, wm_clang_variable(cxx));
	free(text);
	wm_buffer_release(&answer);
	wm_buffer_release(&errors);
}

void wm_target_note(struct wm_target *target, const char *word, const char *next)
{
	static const char *const modes[] = {"-m16", "-m32", "-mx32", "-m64"};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(word, modes[i]))
			target->mode = modes[i];
	if (!strncmp(word, "--target=", 9))
		target->triple = word + 9;
	else if (!strcmp(word, "-target") && next)
		target->triple = next;
}

/* i386 to i686: with -m64, clang compiles for x86_64. */
static bool is_small_x86(const char *triple)
{
	return triple[0] == 'i' && triple[1] >= '3' && triple[1] <= '6' && !strncmp(triple + 2, "86", 2);
}

bool wm_target_is_foreign(const struct wm_target *target)
{
	const char *triple = target->triple;
	bool wide = target->mode && !strcmp(target->mode, "-m64");
	if (target->mode && !wide)
		return true;
	if (!triple)
		return false;
	bool x86 = !strncmp(triple, "x86_64", 6) || (wide && is_small_x86(triple));
	return !x86 || !strstr(triple, "linux") || (!wide && strstr(triple, "x32"));
}
