/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/system_headers.h"
#include "core/base/grow.h"
#include "policy/file_names.h"
#include "profile/base/bytes.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_directory(struct wm_system_headers *headers, char *name, enum wm_header_kind kind)
{
	if (!name || !WM_GROW(headers->directory, headers->count)) {
		free(name);
		return;
	}
	headers->directory[headers->count++] = (struct wm_header_directory){name, kind};
}

void wm_system_headers_add_source(struct wm_system_headers *headers, const char *file)
{
	char *name = wm_file_name_settle("", file), *slash = name ? strrchr(name, '/') : NULL;
	if (name && !slash)
		*name = 0;
	else if (slash)
		slash[slash == name] = 0;
	add_directory(headers, name, WM_HEADERS_BESIDE_SOURCE);
}

/* ---- The output of clang -### -------------------------------------------------------- */

static const char *const system_options[] = {"-isystem", "-internal-isystem", "-internal-externc-isystem", "-idirafter",
	"-c-isystem", "-cxx-isystem", "-stdlib++-isystem", NULL};
static const char *const user_options[] = {"-I", "-iquote", NULL};
#define PREFIX_MAP "-fdebug-prefix-map="

static bool among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* The words of a command of the driver, which are in double quotes. */
struct words {
	size_t count;
	char **word;
};

static char *take_word(const char **at)
{
	char *word = malloc(strlen(*at) + 1), *out = word;
	for (++*at; word && **at && **at != '"' && **at != '\n'; ++*at) {
		*at += **at == '\\' && (*at)[1];
		*out++ = **at;
	}
	*at += **at == '"';
	if (word)
		*out = 0;
	return word;
}

static const char *take_command(struct words *words, const char *at)
{
	while (*at && *at != '\n') {
		char *word = *at == '"' ? take_word(&at) : NULL;
		if (!word)
			at += *at && *at != '\n';
		else if (WM_GROW(words->word, words->count))
			words->word[words->count++] = word;
		else
			free(word);
	}
	return at + (*at == '\n');
}

static void release_words(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	*words = (struct words){0};
}

/* The directory as debug information names it; an absolute one that becomes relative is relative to nothing, as in clang.  The
 * last option that applies to it wins, as in clang. */
static char *mapped(const struct words *words, const char *directory)
{
	for (size_t i = words->count; i-- > 0;) {
		const char *from = words->word[i] + strlen(PREFIX_MAP);
		const char *to = !strncmp(words->word[i], PREFIX_MAP, strlen(PREFIX_MAP)) ? strchr(from, '=') : NULL;
		if (!to || strncmp(directory, from, (size_t)(to - from)))
			continue;
		const char *rest = directory + (to - from);
		size_t size = strlen(to) + strlen(rest) + 1;
		char *name = malloc(size);
		if (name)
			snprintf(name, size, "%s%s", to + 1, rest);
		return name;
	}
	return strdup(directory);
}

static void add_mapped(
	struct wm_system_headers *headers, const struct words *words, const char *directory, enum wm_header_kind kind)
{
	char *name = mapped(words, directory);
	const char *base = directory[0] != '/' && headers->working_directory ? headers->working_directory : "";
	if (name)
		add_directory(headers, wm_file_name_settle(base, name), kind);
	free(name);
}

bool wm_system_headers_parse(struct wm_system_headers *headers, const char *text)
{
	bool any = false;
	struct words words = {0};
	while (*text) {
		text = take_command(&words, text);
		bool compiles = words.count > 1 && !strcmp(words.word[1], "-cc1");
		any |= compiles;
		for (size_t i = 2; compiles && i + 1 < words.count; i++) {
			bool system = among(words.word[i], system_options);
			if (system || among(words.word[i], user_options))
				add_mapped(headers, &words, words.word[++i],
					system ? WM_HEADERS_OF_SYSTEM : WM_HEADERS_OF_USER);
			else if (!strncmp(words.word[i], "-I", 2)) /* the form of directories from CPATH */
				add_mapped(headers, &words, words.word[i] + 2, WM_HEADERS_OF_USER);
		}
		release_words(&words);
	}
	return any;
}

/* ---- Asking clang -------------------------------------------------------------------- */

/* The lines of a text, which stay in it. */
static char **split_lines(char *text)
{
	size_t lines = 2;
	for (char *at = text; *at; at++)
		lines += *at == '\n';
	char **word = calloc(lines, sizeof *word), *line;
	for (size_t i = 0; word && (line = strsep(&text, "\n"));)
		word[i++] = line;
	return word;
}

static bool start_command(char **command, int out, pid_t *pid)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	bool started = posix_spawnp(pid, command[0], &actions, NULL, command, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

/* What the command prints on standard error, with a NUL after it; heap, NULL: nothing. */
static char *output_of(char **command)
{
	int ends[2];
	pid_t pid;
	char chunk[4096];
	struct wm_bytes bytes;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	wm_bytes_init(&bytes);
	bool started = start_command(command, ends[1], &pid);
	close(ends[1]);
	for (ssize_t got; started && (got = read(ends[0], chunk, sizeof chunk)) > 0;)
		wm_bytes_put(&bytes, chunk, (size_t)got);
	close(ends[0]);
	if (started)
		waitpid(pid, NULL, 0);
	wm_bytes_put(&bytes, "", 1);
	if (bytes.failed)
		wm_bytes_release(&bytes);
	return (char *)bytes.data;
}

static void ask_compiler(struct wm_system_headers *headers)
{
	const char *query = getenv(WM_SYSTEM_QUERY);
	char *copy = query && *query ? strdup(query) : NULL, **command = copy ? split_lines(copy) : NULL;
	char *text = command ? output_of(command) : NULL;
	headers->asked = true;
	if (command && (!text || !wm_system_headers_parse(headers, text)))
		fprintf(stderr,
			"waymark: %s does not name its system include directories: functions in system headers are "
			"instrumented\n",
			command[0]);
	free(text);
	free(command);
	free(copy);
}

/* The longest directory that contains the file; NULL: none does. */
static const struct wm_header_directory *home_of(const struct wm_system_headers *headers, const char *file)
{
	const struct wm_header_directory *best = NULL;
	size_t longest = 0;
	for (size_t i = 0; i < headers->count; i++) {
		const struct wm_header_directory *directory = &headers->directory[i];
		size_t length = strlen(directory->name);
		bool better = !best || length > longest || (length == longest && directory->kind > best->kind);
		if (better && wm_file_name_is_below(file, directory->name)) {
			best = directory;
			longest = length;
		}
	}
	return best;
}

/* Whether the file is in the directory itself, not below it. */
static bool is_in(const char *file, const char *directory)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t length = (size_t)(base - file);
	return wm_file_name_is_below(file, directory) && length <= strlen(directory) + 1;
}

bool wm_system_headers_contain(struct wm_system_headers *headers, const char *file)
{
	const struct wm_header_directory *home = home_of(headers, file);
	bool beside = home && home->kind == WM_HEADERS_BESIDE_SOURCE && is_in(file, home->name);
	if (!headers->asked && !beside) {
		ask_compiler(headers);
		home = home_of(headers, file);
	}
	return home && home->kind == WM_HEADERS_OF_SYSTEM;
}

void wm_system_headers_release(struct wm_system_headers *headers)
{
	for (size_t i = 0; i < headers->count; i++)
		free(headers->directory[i].name);
	free(headers->directory);
	*headers = (struct wm_system_headers){0};
}
