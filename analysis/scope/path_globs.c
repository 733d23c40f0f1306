/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/scope/path_globs.h"
#include "support/xalloc.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The end of the first `count` components of a path; NULL: it has fewer. */
static const char *after_components(const char *path, size_t count)
{
	for (; count; count--) {
		if (!*path)
			return NULL;
		path += strcspn(path, "/");
		path += count > 1 && *path;
	}
	return path;
}

static size_t count_components(const char *glob)
{
	size_t count = 1;
	for (; *glob; glob++)
		count += *glob == '/';
	return count;
}

/* Most globs are names. */
static bool is_name(const char *glob)
{
	return !strpbrk(glob, "*?[\\/");
}

/* The end of the components of the path that the piece, a glob without `**`, matches; NULL: it does not match. */
static const char *match_piece(const char *piece, const char *path)
{
	const char *end = after_components(path, count_components(piece));
	if (!end || end == path)
		return NULL;
	if (is_name(piece))
		return strlen(piece) == (size_t)(end - path) && memcmp(piece, path, (size_t)(end - path)) == 0 ? end
													       : NULL;
	return fnmatch(piece, path, FNM_PATHNAME | FNM_LEADING_DIR) == 0 ? end : NULL;
}

/* The same for the first component of the path at which the piece matches. */
static const char *find_piece(const char *piece, const char *path, bool directory)
{
	for (const char *at = path; *at; at += *at == '/') {
		const char *end = match_piece(piece, at);
		if (end && (!directory || *end == '/'))
			return end;
		at += strcspn(at, "/");
	}
	return NULL;
}

/* Cuts the next piece off at the first component `**`; *last: there is none. */
static char *next_piece(char **rest, bool *last)
{
	char *piece = *rest, *at = piece;
	while (at && !(strncmp(at, "**", 2) == 0 && (at[2] == '/' || !at[2])))
		at = (at = strchr(at, '/')) ? at + 1 : NULL;
	*last = !at;
	if (!at)
		return piece;
	*rest = at + 2 + (at[2] == '/');
	at[at > piece ? -1 : 0] = 0;
	return piece;
}

/* Each piece at the first place where it matches: what follows can then match wherever it could match otherwise. */
static const char *match_pieces(char *rest, const char *path, bool anchored, bool directory)
{
	const char *at = path;
	bool last = false;
	for (bool anywhere = !anchored; !last; anywhere = true) {
		char *piece = next_piece(&rest, &last);
		at += at > path && *at == '/';
		if (!*piece && last)
			at = after_components(at, 1);
		else if (*piece)
			at = anywhere ? find_piece(piece, at, last && directory) : match_piece(piece, at);
		if (!at)
			return NULL;
	}
	return directory && *at != '/' ? NULL : at;
}

size_t wm_glob_match(const char *glob, const char *path)
{
	bool rooted = *glob == '/';
	char *text = wm_xstrdup(glob + rooted);
	size_t length = strlen(text);
	bool directory = length && text[length - 1] == '/';
	if (directory)
		text[length - 1] = 0;
	const char *end = *text ? match_pieces(text, path, rooted || strchr(text, '/'), directory) : NULL;
	free(text);
	return end ? (size_t)(end - path) : 0;
}

bool wm_globs_match(const struct wm_globs *globs, const char *path)
{
	for (size_t i = 0; i < globs->count; i++)
		if (wm_glob_match(globs->glob[i], path))
			return true;
	return false;
}

/* How many of the first components of a glob with a slash have no wildcard. */
static size_t count_named(const char *glob)
{
	size_t count = 0;
	glob += *glob == '/';
	for (const char *slash; (slash = strchr(glob, '/')); glob = slash + 1, count++)
		if (strcspn(glob, "*?[\\") < (size_t)(slash - glob))
			break;
	return count;
}

const char *wm_glob_rest(const char *glob, const char *path)
{
	size_t length = wm_glob_match(glob, path);
	if (!length)
		return NULL;
	const char *rest = path[length] ? path + length : after_components(path, count_named(glob));
	return rest + (*rest == '/');
}
