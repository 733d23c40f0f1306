/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which headers are system headers.  Clang's IR does not say.  For clang, a header is a system header if it is found in a
 * directory of system headers: those of -isystem and the like, and those that clang has by itself.  The list of directories
 * is taken from clang: `clang -###` prints the options of its compiler proper.  That takes as long as compiling a very
 * small file, so clang is asked only if a module has functions of headers that are not beside the file that is compiled.
 *
 * The directory in which a header was found is taken to be the longest one that contains the header.
 *
 * Not recognised: `#pragma GCC system_header` and --system-header-prefix.  Functions of these headers are instrumented.
 */
#ifndef WM_POLICY_SYSTEM_HEADERS_H
#define WM_POLICY_SYSTEM_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

/* The variable in which `waymark cc` passes the command that prints clang's options, one word per line; and why a function
 * is not instrumented, as the map says it. */
#define WM_SYSTEM_QUERY "WAYMARK_SYSTEM_QUERY"
#define WM_SYSTEM_REASON "is in a system header (-fwaymark-system-headers includes it)"

/* Of directories of equal length, the last kind wins. */
enum wm_header_kind { WM_HEADERS_OF_USER, WM_HEADERS_OF_SYSTEM, WM_HEADERS_BESIDE_SOURCE };

struct wm_header_directory {
	char *name; /* normalised */
	enum wm_header_kind kind;
};

/* Must be initialised with zeros. */
struct wm_system_headers {
	size_t count;
	struct wm_header_directory *directory;
	const char *working_directory; /* relative directories are relative to it; NULL: to "" */
	bool asked; /* clang's list is part of the directories, or cannot be had */
};

/* Adds the directory of a file that is compiled, as debug information names the file: it is no system directory. */
void wm_system_headers_add_source(struct wm_system_headers *headers, const char *file);
/* Adds the directories that the output of `clang -###` names.  False: it has no command that compiles. */
bool wm_system_headers_parse(struct wm_system_headers *headers, const char *text);
/* Whether a file, whose name is normalised, is a system header.  Asks clang if that matters; without the variable, there
 * are no system headers. */
bool wm_system_headers_contain(struct wm_system_headers *headers, const char *file);
void wm_system_headers_release(struct wm_system_headers *headers);

#endif
