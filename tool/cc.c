/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark cc, waymark c++: clang with the plugin at compile steps and the runtime
 * at link steps.  Options reach the plugin through the environment, so that they
 * work the same whether they come from the command line, from CFLAGS or from the
 * environment itself.  Everything else is clang's.
 */
#include "core/scheme/scheme.h"
#include "tool/tool.h"
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

struct option {
	const char *name, *variable;
	const char *const *values; /* NULL: a file */
	const char *help;
};

static const char *const stages[] = {"source", "optimised", NULL};
static const char *const updates[] = {"single", "atomic", "thread", NULL};
static const char *schemes[16];
static const char *const loops[] = {"FUNCTION:LINE:K,...", "@FILE", NULL};

static const struct option options[] = {
	{"scheme", "WAYMARK_SCHEME", schemes, "which paths to count"},
	{"cfg", "WAYMARK_CFG", stages, "where the graph is taken: as clang emits it, or after optimisation"},
	{"update", "WAYMARK_UPDATE", updates, "how counters are updated; threads need atomic or thread"},
	{"allow", "WAYMARK_ALLOW", NULL, "profile only the functions listed (one name or glob a line)"},
	{"deny", "WAYMARK_DENY", NULL, "leave the functions listed alone"},
	{"weights", "WAYMARK_WEIGHTS", NULL, "place probes by an earlier profile (.wmprof)"},
	{"interesting", "WAYMARK_INTERESTING", NULL, "count the paths of this profile (.wmprof) at the least cost"},
	{"residual", "WAYMARK_RESIDUAL", NULL, "count only paths that are not in this profile (.wmprof)"},
	{"k", "WAYMARK_K", loops, "how many iterations of single loops (scheme kiter)"},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

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
	char **word;
	size_t count, capacity;
};

static void push(struct words *words, const char *word)
{
	if (words->count + 1 >= words->capacity) {
		words->capacity = words->capacity ? 2 * words->capacity : 64;
		words->word = wm_xrealloc(words->word, words->capacity, sizeof *words->word);
	}
	words->word[words->count++] = (char *)word;
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

static char *list_text(const char *const *list, const char *prefix)
{
	char *text = wm_xstrdup("");
	for (size_t i = 0; list[i]; i++) {
		char *longer = wm_xprintf("%s%s%s%s", text, i ? ", " : "", prefix, list[i]);
		free(text);
		text = longer;
	}
	return text;
}

/* Schemes are listed with their parameters' names in place of these. */
static bool is_valid(const struct option *option, const char *value)
{
	struct wm_scheme_choice choice;
	if (option->values == loops)
		return strchr(value, ':') || *value == '@';
	if (option->values != schemes)
		return among(value, option->values);
	return wm_scheme_parse(value, &choice) == WM_OK;
}

static void check_value(const struct option *option, const char *value, const char *where)
{
	bool list = option->values == loops && *value == '@';
	if ((!option->values || list) && access(value + list, R_OK))
		wm_fail("%s: cannot read '%s': %s", where, value + list, strerror(errno));
	if (option->values && !is_valid(option, value))
		wm_fail("unknown value '%s' for %s: valid are %s", value, where, list_text(option->values, ""));
}

static void check_environment(void)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const char *value = getenv(options[i].variable);
		if (value && *value)
			check_value(&options[i], value, options[i].variable);
	}
}

static const char *setting(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value ? value : NULL;
}

/* What options say together, wherever each came from. */
static void check_together(void)
{
	const char *scheme = setting("WAYMARK_SCHEME");
	bool interesting = setting("WAYMARK_INTERESTING"), residual = setting("WAYMARK_RESIDUAL");
	struct wm_scheme_choice choice;
	bool preferential = scheme && wm_scheme_parse(scheme, &choice) == WM_OK && choice.scheme->interesting;
	if (interesting && residual)
		wm_fail("-fwaymark-interesting and -fwaymark-residual exclude each other: the first counts all paths, "
			"the "
			"second only those that are not in its file");
	if (preferential && !interesting)
		wm_fail("-fwaymark-scheme=preferential needs -fwaymark-interesting=FILE, a profile (.wmprof) of the "
			"interesting paths");
}

static _Noreturn void unknown_option(const char *word)
{
	const char *names[OPTION_COUNT + 1] = {0};
	for (size_t i = 0; i < OPTION_COUNT; i++)
		names[i] = options[i].name;
	wm_fail("unknown option '%s': valid are %s (each with =VALUE) and -fno-waymark", word,
		list_text(names, "-fwaymark-"));
}

static bool names(const struct option *option, const char *name, const char *end)
{
	return strlen(option->name) == (size_t)(end - name) && starts(name, option->name);
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
	const char *name = word + strlen("-fwaymark-"), *equals = strchr(name, '=');
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (!strcmp(name, options[i].name) || (equals && !equals[1] && names(&options[i], name, equals)))
			wm_fail("-fwaymark-%s needs a value: -fwaymark-%s=%s", options[i].name, options[i].name,
				options[i].values ? list_text(options[i].values, "") : "FILE");
	for (size_t i = 0; equals && i < OPTION_COUNT; i++) {
		if (names(&options[i], name, equals)) {
			char *where = wm_xprintf("-fwaymark-%s", options[i].name);
			check_value(&options[i], equals + 1, where);
			setenv(options[i].variable, equals + 1, true);
			free(where);
			return true;
		}
	}
	unknown_option(word);
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

/* The file that an option names, or NULL. */
static const char *file_of(const struct option *option)
{
	const char *value = setting(option->variable);
	if (!value || !option->values)
		return value;
	return option->values == loops && *value == '@' ? value + 1 : NULL;
}

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
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (file_of(&options[i]))
			digest += digest_of_file(file_of(&options[i]), i + 1);
	return digest;
}

/* ccache sets this variable for the compilers that it runs, whatever their number of words. */
static bool runs_under_ccache(void)
{
	return setting("CCACHE_DISABLE");
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
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const char *file = file_of(&options[i]);
		if (!file)
			continue;
		push(command, "-Xclang");
		push(command, wm_xprintf("-fdepfile-entry=%s", file));
	}
}

static void push_compile_options(struct words *command, const struct job *job)
{
	const char *stage = getenv("WAYMARK_CFG");
	push(command, "--start-no-unused-arguments");
	push(command, wm_xprintf("-fpass-plugin=%s", wm_resource("waymark-plugin.so")));
	if (!stage || strcmp(stage, "optimised")) {
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
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		char *values = options[i].values ? list_text(options[i].values, "") : wm_xstrdup("FILE");
		printf("  -fwaymark-%s=%s\n      %s (environment: %s)\n", options[i].name, values, options[i].help,
			options[i].variable);
		free(values);
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
	for (size_t i = 0; wm_schemes[i] && i + 1 < sizeof schemes / sizeof *schemes; i++)
		schemes[i] = wm_schemes[i]->parameter
				     ? wm_xprintf("%s=%s", wm_schemes[i]->name, wm_schemes[i]->parameter)
				     : wm_schemes[i]->name;
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		print_help(cxx);
		wm_finish_output();
		return 0;
	}
	check_environment();
	read_arguments(&job, argc, argv);
	check_together();
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
