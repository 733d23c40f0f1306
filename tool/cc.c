/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark cc, waymark c++: clang with the plugin at compile steps and the runtime
 * at link steps.  Options reach the plugin through the environment, so that they
 * work the same whether they come from the command line, from CFLAGS or from the
 * environment itself.  Everything else is clang's.
 */
#include "policy/settings.h"
#include "profile/map.h"
#include "tool/tool.h"
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static const char *const clang_target_options[] = {"-m32", "-mx32", "-m16", NULL};
/* Steps that do not link, and questions that do nothing at all. */
static const char *const no_link[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--analyze", "-emit-ast",
	"--precompile", "--version", "-dumpversion", "-dumpmachine", "--print-supported-cpus", "-cc1", "-cc1as", NULL};
/* Options whose argument is the next word. */
static const char *const with_argument[] = {"-o", "-x", "-I", "-L", "-D", "-U", "-include", "-isystem", "-iquote",
	"-idirafter", "-imacros", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "-MF", "-MT", "-MQ",
	"-MJ", "-Xlinker", "-Xclang", "-Xassembler", "-Xpreprocessor", "-target", "-arch", "-u", "-T", "-l", "-z", "-e",
	"-h", "-mllvm", "-aux-info", "--param", "-B", "-framework", "-working-directory", "-ccc-gcc-name",
	"--serialize-diagnostics", NULL};

struct words {
	char **word; /* ends in NULL */
	size_t count;
};

static void push(struct words *words, const char *word)
{
	WM_XGROW(words->word, words->count);
	words->word[words->count++] = (char *)word;
	WM_XGROW(words->word, words->count);
	words->word[words->count] = NULL;
}

static bool among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool starts(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

/* --- our own options ---------------------------------------------------------- */

static _Noreturn void unknown_option(const char *word)
{
	char text[WM_SETTING_COUNT * 32] = "";
	for (size_t i = 0; i < WM_SETTING_COUNT; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s-fwaymark-%s", i ? ", " : "",
			wm_settings[i].name);
	wm_fail("unknown option '%s': valid are %s (each but -fwaymark-wpp with =VALUE) and -fno-waymark", word, text);
}

static void set(const struct wm_setting *setting, const char *value)
{
	char where[64], text[WM_SETTING_TEXT], error[300];
	snprintf(where, sizeof where, "-fwaymark-%s", setting->name);
	wm_setting_values(setting, text);
	if (!value && setting->kind == WM_SETTING_SWITCH)
		value = "on";
	if (!value || !*value)
		wm_fail("%s needs a value: %s=%s", where, where, text);
	if (!wm_setting_check(setting, value, where, error))
		wm_fail("%s", error);
	setenv(setting->variable, value, true);
}

/* Takes -fwaymark-NAME=VALUE; false when the word is not ours. */
static bool take_option(const char *word, bool *enabled)
{
	if (!strcmp(word, "-fwaymark") || !strcmp(word, "-fno-waymark")) {
		*enabled = word[2] == 'w';
		return true;
	}
	if (!starts(word, "-fwaymark-"))
		return false;
	const char *name = word + strlen("-fwaymark-");
	size_t length = strcspn(name, "=");
	const struct wm_setting *setting = wm_setting_find(name, length);
	if (!setting)
		unknown_option(word);
	set(setting, name[length] ? name + length + 1 : NULL);
	return true;
}

/* --- response files ------------------------------------------------------------ */

/* One word of a response file, quoted as GNU tools quote; moves *at behind it. */
static char *response_word(const char **at)
{
	char *word = wm_xmalloc(strlen(*at) + 1), *out = word;
	char quote = 0;
	for (; **at && (quote || !strchr(" \t\r\n", **at)); ++*at) {
		if (**at == quote)
			quote = 0;
		else if (!quote && (**at == '"' || **at == '\''))
			quote = **at;
		else if (**at == '\\' && (*at)[1] && quote != '\'')
			*out++ = *++*at;
		else
			*out++ = **at;
	}
	*out = 0;
	return word;
}

static void read_response(struct words *words, const char *path)
{
	struct wm_buffer file;
	if (!wm_buffer_read(&file, path))
		return; /* clang says what is wrong with it */
	const char *at = (const char *)file.data;
	for (at += strspn(at, " \t\r\n"); *at; at += strspn(at, " \t\r\n"))
		push(words, response_word(&at));
	wm_buffer_release(&file);
}

/* A response file is passed on as it is unless it holds options of ours: then
 * clang sees its other words instead. */
static void push_response(struct words *out, const char *word)
{
	struct words inside = {0};
	bool ours = false;
	read_response(&inside, word + 1);
	for (size_t i = 0; i < inside.count; i++)
		ours |= starts(inside.word[i], "-fwaymark") || !strcmp(inside.word[i], "-fno-waymark");
	if (!ours)
		push(out, word);
	for (size_t i = 0; ours && i < inside.count; i++)
		push(out, inside.word[i]);
}

/* --- what this invocation is ----------------------------------------------------- */

struct job {
	struct words clang; /* clang's arguments */
	bool enabled, links, preprocesses, has_input, has_code, foreign;
	bool relocatable, own_script, own_remarks, plain_linker, shared, is_static, no_libraries;
	bool language, header_language; /* given by -x */
};

static bool is_native(const char *triple)
{
	return starts(triple, "x86_64") && strstr(triple, "linux") && !strstr(triple, "x32");
}

static void note_linker_word(struct job *job, const char *word)
{
	job->relocatable |= !strcmp(word, "-r") || !strcmp(word, "--relocatable") || !strcmp(word, "-i");
	job->own_script |= !strcmp(word, "-T") || starts(word, "--script") || starts(word, "-T=");
}

static void note_linker_words(struct job *job, const char *list)
{
	char *copy = wm_xstrdup(list), *rest = copy, *word;
	while ((word = strsep(&rest, ",")))
		note_linker_word(job, word);
	free(copy);
}

/* A header alone, or after -x c-header, is precompiled, not linked. */
static void note_input(struct job *job, const char *word)
{
	static const char *const extensions[] = {".h", ".H", ".hh", ".hp", ".hpp", ".HPP", ".hxx", ".h++", NULL};
	const char *extension = strrchr(word, '.');
	bool header = job->language ? job->header_language : extension && among(extension, extensions);
	job->has_input = true;
	job->has_code |= !header;
}

static void note_word(struct job *job, const char *word, const char *next)
{
	if (among(word, no_link) || starts(word, "-print-") || starts(word, "--print-"))
		job->links = false;
	job->preprocesses |= !strcmp(word, "-E");
	if (starts(word, "--target="))
		job->foreign |= !is_native(word + strlen("--target="));
	if (!strcmp(word, "-target") && next)
		job->foreign |= !is_native(next);
	job->foreign |= among(word, clang_target_options);
	if (starts(word, "-Wl,"))
		note_linker_words(job, word + 4);
	else if (!strcmp(word, "-Xlinker") && next)
		note_linker_word(job, next);
	else
		note_linker_word(job, starts(word, "-T") && strcmp(word, "-T") ? "-T" : word);
	job->own_remarks |= starts(word, "-Rpass");
	job->shared |= !strcmp(word, "-shared") || !strcmp(word, "--shared");
	job->is_static |= !strcmp(word, "-static") || !strcmp(word, "--static") || !strcmp(word, "-static-pie");
	job->plain_linker |= starts(word, "-fuse-ld=") && !strstr(word, "lld") && !strstr(word, "bfd");
	job->no_libraries |= !strcmp(word, "-nostdlib") || !strcmp(word, "-nodefaultlibs");
	const char *language = !strcmp(word, "-x") ? next : starts(word, "-x") ? word + 2 : NULL;
	if (language) {
		job->language = strcmp(language, "none");
		job->header_language = strstr(language, "-header") != NULL;
	}
	if (word[0] != '-' || !word[1])
		note_input(job, word);
}

static void note_words(struct job *job, char *const *word, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *next = i + 1 < count ? word[i + 1] : NULL;
		if (word[i][0] == '@') {
			struct words inside = {0};
			read_response(&inside, word[i] + 1);
			note_words(job, inside.word, inside.count);
			continue;
		}
		note_word(job, word[i], next);
		if (next && among(word[i], with_argument))
			i++;
	}
}

static void read_arguments(struct job *job, int argc, char **argv)
{
	struct words flat = {0};
	*job = (struct job){.enabled = true, .links = true};
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '@')
			push_response(&flat, argv[i]);
		else
			push(&flat, argv[i]);
	}
	for (size_t i = 0; i < flat.count; i++)
		if (!take_option(flat.word[i], &job->enabled))
			push(&job->clang, flat.word[i]);
	note_words(job, job->clang.word, job->clang.count);
	job->links &= job->has_code;
}

/* --- what the output depends on besides clang's arguments -------------------------- */

static uint64_t digest_of_file(const char *path, uint64_t seed)
{
	struct wm_buffer file;
	if (!wm_buffer_read(&file, path))
		wm_fail("cannot read '%s': %s", path, strerror(errno));
	uint64_t digest = XXH3_64bits_withSeed(file.data, file.size, seed);
	wm_buffer_release(&file);
	return digest;
}

/*
 * The plugin, every variable that it may read and every file that these name.  A sum, because the
 * order of the environment means nothing.  WAYMARK_FILE is for running programs.
 */
static uint64_t digest_of_settings(void)
{
	uint64_t digest = digest_of_file(wm_resource("waymark-plugin.so"), 0);
	for (char **variable = environ; *variable; variable++)
		if (starts(*variable, "WAYMARK_") && !starts(*variable, "WAYMARK_FILE="))
			digest += XXH3_64bits(*variable, strlen(*variable));
	for (size_t i = 0; i < WM_SETTING_COUNT; i++)
		if (wm_setting_file(&wm_settings[i]))
			digest += digest_of_file(wm_setting_file(&wm_settings[i]), i + 1);
	return digest;
}

/* ccache sets this variable for the compilers that it runs, whatever their number of words. */
static bool runs_under_ccache(void)
{
	const char *value = getenv("CCACHE_DISABLE");
	return value && *value;
}

/*
 * In depend mode ccache asks nobody before it takes an object from the cache, so that it cannot
 * learn of variables and of the plugin.  No object that another setting might be given is stored.
 */
static void refuse_depend_mode(void)
{
	char mode[8] = "";
	FILE *answer = popen("ccache --get-config depend_mode 2>/dev/null", "r");
	bool depends = answer && fgets(mode, sizeof mode, answer) && !strcmp(mode, "true\n");
	if (answer)
		pclose(answer);
	if (depends)
		wm_fail("ccache in depend mode would return objects of other WAYMARK_ settings: unset CCACHE_DEPEND "
			"and depend_mode, or let `waymark cc` call ccache (PATH=/usr/lib/ccache:$PATH)");
}

/* --- clang's command line --------------------------------------------------------- */

/*
 * Two kinds of compiler caches need to know what the object depends on.  One that `waymark cc`
 * calls as its clang sees the digest as an argument.  The other calls `waymark cc` and knows our
 * options only as words: ccache makes a key of what the preprocessor prints, so the digest is
 * printed there (tool/waymark-cache.h).
 */
static void push_digest(struct words *command, const struct job *job)
{
	uint64_t digest = digest_of_settings();
	push(command, wm_xprintf("-fplugin-arg-waymark-digest=%016" PRIx64, digest));
	if (!runs_under_ccache())
		return;
	if (!job->preprocesses) {
		refuse_depend_mode();
		return;
	}
	push(command, wm_xprintf("-D__WAYMARK_DIGEST__=\"<waymark %016" PRIx64 ">\"", digest));
	push(command, "-include");
	push(command, wm_resource("waymark-cache.h"));
}

/* -P is for the reader of preprocessed text; ccache is none, and needs the lines that -P leaves out. */
static void push_arguments(struct words *command, const struct job *job)
{
	bool hidden = job->preprocesses && runs_under_ccache();
	for (size_t i = 0; i < job->clang.count; i++)
		if (!hidden || strcmp(job->clang.word[i], "-P"))
			push(command, job->clang.word[i]);
}

/* What is compiled depends on these files too: -MD and its like list them. */
static void push_prerequisites(struct words *command)
{
	for (size_t i = 0; i < WM_SETTING_COUNT; i++) {
		const char *file = wm_setting_file(&wm_settings[i]);
		if (!file)
			continue;
		push(command, "-Xclang");
		push(command, wm_xprintf("-fdepfile-entry=%s", file));
	}
}

static void push_compile_options(struct words *command, const struct job *job)
{
	push(command, "--start-no-unused-arguments");
	push(command, wm_xprintf("-fpass-plugin=%s", wm_resource("waymark-plugin.so")));
	if (wm_setting_choice(&wm_settings[WM_SET_CFG]) == WM_CFG_SOURCE) {
		push(command, "-Xclang");
		push(command, "-disable-lifetime-markers");
		push(command, "-fno-discard-value-names"); /* plugin/sides.h reads them */
	}
	/* Asking for remarks nobody makes gives every instruction its source line
	 * without debug information in the output. */
	if (!job->own_remarks)
		push(command, "-Rpass=^waymark-source-lines$");
	push(command, "-D__WAYMARK__=1");
	push_prerequisites(command);
	push(command, "-idirafter");
	push(command, dirname(wm_resource("waymark.h")));
	push(command, "--end-no-unused-arguments");
}

/* What notices a second thread in an executable: see runtime/spawn.c.  Without -u the
 * archive would come too late for libstdc++.a, and libgcc.a has a __wrap_pthread_create
 * too, which crashes. */
static void push_thread_watch(struct words *command, const struct job *job)
{
	push(command, job->is_static ? "-Wl,--wrap=pthread_create,--wrap=thrd_create,-u,__wrap_pthread_create"
				     : "-Wl,-u,pthread_create");
	push(command, wm_resource(job->is_static ? "libwaymark_spawn_static.a" : "libwaymark_spawn.a"));
}

static void push_link_options(struct words *command, const struct job *job)
{
	if (!job->own_script && !job->plain_linker)
		push(command, wm_xprintf("-Wl,-T,%s", wm_resource("waymark.ld")));
	push(command, "-x");
	push(command, "none");
	if (!job->shared)
		push_thread_watch(command, job);
	push(command, wm_resource("libwaymark_rt.a"));
	if (job->no_libraries)
		push(command, "-lc"); /* what the runtime needs of it may not have been taken yet */
}

static void print_help(bool cxx)
{
	printf("usage: waymark %s [-fwaymark-OPTION=VALUE]... CLANG-ARGUMENTS\n\n"
	       "Compiles and links like clang%s, and makes the program count its paths.\n\n",
		cxx ? "c++" : "cc", cxx ? "++" : "");
	for (const struct wm_setting *setting = wm_settings; setting < wm_settings + WM_SETTING_COUNT; setting++) {
		char values[WM_SETTING_TEXT];
		wm_setting_values(setting, values);
		printf("  -fwaymark-%s=%s\n      %s (environment: %s)\n", setting->name, values, setting->help,
			setting->variable);
	}
	printf("  -fno-waymark\n      only compile: count nothing\n\n"
	       "WAYMARK_CLANG names another clang 19.  All other options are clang's: see clang --help.\n");
}

static const char *clang_name(bool cxx)
{
	const char *chosen = getenv(cxx ? "WAYMARK_CLANGXX" : "WAYMARK_CLANG");
	return chosen && *chosen ? chosen : cxx ? "clang++-19" : "clang-19";
}

int wm_cmd_cc(int argc, char **argv)
{
	bool cxx = !strcmp(argv[0], "c++");
	struct job job;
	struct words command = {0};
	char error[300];
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		print_help(cxx);
		wm_finish_output();
		return 0;
	}
	if (!wm_settings_check(error))
		wm_fail("%s", error);
	read_arguments(&job, argc, argv);
	if (!wm_settings_check_together(error))
		wm_fail("%s", error);
	bool ours = job.enabled && !job.foreign && job.has_input;
	push(&command, clang_name(cxx));
	if (ours) {
		push_compile_options(&command, &job);
		if (job.links && !job.relocatable)
			push(&command, "-Wl,--build-id");
	}
	push_arguments(&command, &job);
	if (ours && job.links && !job.relocatable)
		push_link_options(&command, &job);
	if (ours)
		push_digest(&command, &job); /* behind any -include of a precompiled header, which must be first */
	execvp(command.word[0], command.word);
	wm_fail("cannot run %s: %s; install it or name a clang 19 in %s", command.word[0], strerror(errno),
		cxx ? "WAYMARK_CLANGXX" : "WAYMARK_CLANG");
}
